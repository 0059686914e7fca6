"""A survey that says who asks and whom respondents can turn to."""

from typing import Any

from surveys.definition import definitions
from tests.factories import payloads

ABOUT = {
    "sender": {"en": "Ada Example"},
    "institution": {"en": "University of Examples"},
    "contact": {"en": "study@example.org"},
    "data_protection": {"en": "The university is responsible."},
    "help_line": {"en": "Call 0800 111 0 111."},
}


def helped(**changes: Any) -> Any:
    """The definition with who asks, and the help line behind its second question."""
    made = payloads.definition(about=ABOUT, **changes)
    made["items"][1]["help_after"] = True
    return definitions.complete(made)
