"""Every kind of error.

Statuses come from the OpenAPI document, exit codes from the commands; what to do is written here.
"""

from http import HTTPStatus

from collector.endpoint import openapi
from config import api_page
from docs.make.markdown import code, page, table
from surveys.api.problems import WORDS
from surveys.management.base import REFUSED, USAGE

CODES = {
    "invalid": ("The value is not one that is allowed there.", "The sentence says what is allowed, and what was found."),
    "required": ("A key or value is missing.", "`keys` names it."),
    "duplicate": ("A key stands twice.", "Leave one of them."),
    "refused_character": ("A text has a character that cannot be seen, such as a control or direction character.", "Delete it; the sentence names its code point and place."),
}  # fmt: skip
"""The codes of errors in documents and fields (`collector/errors.py`, and Django's fields in forms)."""

ADVICE = {
    "400": "Read the request again: a parameter, a header or the form of the body.",
    "401": "Sign in, or send a token that is valid.",
    "403": "Ask for the role that is named, or use a token with scope `write`.",
    "404": "Check the address. What belongs to another team looks the same as what does not exist.",
    "406": "Accept `application/json`.",
    "408": "Send the body faster, or send it again.",
    "409": "Read the state, and do what the sentence asks for first.",
    "410": "The survey is closed; nothing can be sent to it.",
    "411": "Send `Content-Length`.",
    "412": "Read it anew, put your change into it, and send the new ETag.",
    "413": "Send less.",
    "415": "Send `Content-Type: application/json`.",
    "422": "Correct the fields that `errors` names.",
    "429": "Wait for as many seconds as `Retry-After` says.",
    "503": "Try again after as many seconds as `Retry-After` says; it is safe.",
}
ADVICE_TO_SENDERS = ADVICE | {
    "400": "Send to the address of the installation, `CANDOR_URL`, and the whole body.",
    "403": "Send from the survey's own page. A single-use link that was used already cannot be used again.",
    "404": "Load the page again: the survey has another version by now.",
    "409": "Draw a new nonce: only the same response may be sent again with the old one.",
    "422": "Send exactly the fields and symbols that the frozen design asks for.",
    "429": "Wait for as many seconds as `Retry-After` says; where `bits` is given, do the proof of work and send it again.",
}
EXITS = {
    0: "Done.",
    REFUSED: "Refused or failed, and nothing is half done. The sentence says why.",
    USAGE: "Asked wrongly: an option that does not exist, is out of its range, or does not fit another.",
}


def statuses() -> dict[str, str]:
    """Each status of the API that is an error, with its meaning."""
    return dict(api_page._context()["refusals"])  # type: ignore[call-overload]


def of_responses() -> dict[str, str]:
    """Each status with which a response of a respondent is refused."""
    found = openapi.path_item()["post"]["responses"]
    return {status: one["description"] for status, one in found.items() if status[0] not in "23"}


def text() -> str:
    return page(
        "Errors",
        "For programmers, and for researchers who met one.",
        "An error is a sentence that names the place, what is wrong and what is allowed. Programs read its status and its place.",
        "## Of the API",
        "Every error of `/api/v1/` is a problem document (RFC 9457, `application/problem+json`) with `title`, `status` and "
        "`detail`. Where fields are concerned, `errors` has an entry for each: `field`, `message`, `value` where it is short, and "
        "`line` where a definition was read as text.",
        table(("Status", "Name", "Meaning", "What to do"), _rows(statuses(), ADVICE)),
        "## Of a respondent's response",
        "What `POST /s/<slug>/reports` refuses, with `field` and `message`. The page shows the respondent a sentence and sends the same "
        "response again where that can help; it is stored once.",
        table(("Status", "Name", "Meaning", "What to do"), _rows(of_responses(), ADVICE_TO_SENDERS)),
        "## In documents and forms",
        "An error in a survey's file, a form or a design has a path, such as `items[2].channel`, a sentence and one of these codes, "
        "which programs in Python read as `code`.",
        table(("Code", "Meaning", "What to do"), [(code(name), *words) for name, words in CODES.items()]),
        "## Of commands",
        "The exit code of `manage.py`; with `--json` it is also `exit` in the object that is printed, beside `error`.",
        table(("Exit code", "Meaning"), [(code(number), words) for number, words in EXITS.items()]),
    )


def _rows(meanings: dict[str, str], advice: dict[str, str]) -> list[tuple[str, str, str, str]]:
    return [(code(status), _name(status), meaning, advice[status]) for status, meaning in meanings.items()]


def _name(status: str) -> str:
    return WORDS.get(int(status)) or HTTPStatus(int(status)).phrase
