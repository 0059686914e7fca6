"""A survey in colours and a typeface of its own, with all that can stand at its end."""

from typing import Any

from surveys.definition import definitions
from tests.factories import payloads

LOOK = {
    "accent": "#7a1f5c",
    "accent_dark": "#f0a6d4",
    "background": "#fbf3ea",
    "background_dark": "#1b1118",
    "font": "serif",
}
COMPLETION = {
    "code": "C1ABC",
    "address": "https://uni.sona-systems.com/credit.aspx?a=1",
    "carry": {"survey_code": "id"},
}
ENDING = {
    "text": {"en": "See you next year."},
    "link": {"label": {"en": "About the study"}, "address": "https://example.org/study"},
    "completion": COMPLETION,
}


def looked(**changes: Any) -> Any:
    return definitions.complete(payloads.definition(look=LOOK, ending=ENDING, **changes))
