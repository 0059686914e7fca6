"""The respondents' door in OpenAPI's words: everything that can be sent to it and everything that it answers."""

from typing import Any

from collector.endpoint.parsing import FIELDS, INVITATION, LARGEST_BODY, SHAPES
from collector.endpoint.proof_of_work import COUNTER, HEADER, MOST_BITS

ADDRESS = "/s/{slug}/reports"
SLUG = "^[-a-zA-Z0-9_]+$"

STATUSES = {
    400: "The request names another host, or its body ended early.",
    403: "The request does not come from the survey's own page, or its invitation cannot be used.",
    404: "This survey has no open design with that digest.",
    408: "The body did not arrive in time; the connection is closed.",
    409: "The nonce belongs to another response, which stays unchanged.",
    410: "The survey is closed.",
    411: "The length of the body is missing.",
    413: f"The body is larger than {LARGEST_BODY} bytes; it is not read.",
    415: "The Content-Type is not application/json.",
    422: "The body is not a valid response to the design that it names.",
    429: "There were too many responses from this address or to this survey; Retry-After says when to try again. Or "
    f"the survey requires a proof of work and {HEADER} is missing or wrong: `bits` says how much; then send the same "
    "again.",
    503: "It could not be stored now; Retry-After says when to try again.",
}
"""Of a refusal. Nothing is stored then, and the nonce can still be used."""


def _object(properties: dict[str, object], *required: str, **more: str) -> dict[str, object]:
    closed = {"required": list(required), "additionalProperties": False}
    return {"type": "object", **more, "properties": properties, **closed}


REPORT = _object(
    {
        name: {"type": "string", "pattern": f"^({shape})$", "description": SHAPES[name]}
        for name, shape in (FIELDS | {"invitation": INVITATION}).items()
    },
    *FIELDS,
    description="One randomised response. Each field occurs exactly once, and there are no others; invitation only "
    "where the survey is by invitation.",
)
RECEIPT = _object(
    {"receipt": {"type": "string", "pattern": "^[0-9a-f]{64}$", "description": "SHA-256 of the body"}}, "receipt"
)
ERROR = _object(
    {
        "field": {"type": "string", "description": "the invalid field or header, or `body`"},
        "message": {"type": "string", "description": "a sentence that names the bound"},
        "bits": {
            "type": "integer",
            "minimum": 1,
            "maximum": MOST_BITS,
            "description": f"where {HEADER} is missing or wrong: how many zero bits the hash must begin with",
        },
    },
    *("field", "message"),
)
REFUSAL = _object({"error": ERROR}, "error")

SCHEMAS = {"Report": REPORT, "Receipt": RECEIPT, "ReportRefusal": REFUSAL}

ORIGIN = {
    "name": "Origin",
    "in": "header",
    "required": True,
    "description": "The site's own origin, as browsers send it. Sec-Fetch-Site, where it is sent, must be same-origin.",
    "schema": {"type": "string"},
}
WORK = {
    "name": HEADER,
    "in": "header",
    "required": False,
    "description": "Where the survey requires a proof of work: a counter of 8 bytes. SHA-256 of `candor work 1`, a "
    "line feed, the design's digest in hex, a line feed, the nonce's 16 bytes and the counter begins with so many "
    "zero bits.",
    "schema": {"type": "string", "pattern": f"^{COUNTER.pattern}$"},
}
PATH_SLUG = {"name": "slug", "in": "path", "required": True, "schema": {"type": "string", "pattern": SLUG}}


def path_item() -> dict[str, object]:
    """The door as a path item of an OpenAPI document that has SCHEMAS among its components."""
    receipts = {200: "This very report was stored before.", 201: "The report is on disk."}
    answers = {str(status): _answer(words, "Receipt") for status, words in receipts.items()}
    answers |= {str(status): _answer(words, "ReportRefusal") for status, words in STATUSES.items()}
    answers["404"]["content"]["text/html"] = {"schema": {"type": "string"}}  # where the slug is none, so no address
    for status in ("429", "503"):
        answers[status]["headers"] = {"Retry-After": {"schema": {"type": "integer"}, "description": "seconds"}}
    return {
        "post": {
            "operationId": "send_report",
            "summary": "Send a report",
            "description": "Takes one randomised report of an open survey. Cookies are not looked at.",
            "tags": ["s"],
            "security": [{}],
            "parameters": [PATH_SLUG, ORIGIN, WORK],
            "requestBody": {"required": True, "content": {"application/json": {"schema": _reference("Report")}}},
            "responses": answers,
        }
    }


def _answer(words: str, schema: str) -> dict[str, Any]:
    return {"description": words, "content": {"application/json": {"schema": _reference(schema)}}}


def _reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}
