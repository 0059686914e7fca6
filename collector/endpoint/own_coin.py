"""Parse the form of the own-coin page into a report, or raise a refusal.

Its choices are randomised already, by the respondent's own coin. The form has one field for the design, one for the
group where there are groups, one for the code where the survey is by invitation, and one for each item, `item-1`,
`item-2` and so on, with the number of the marked choice.

Background questions are not in it: without a script nothing could keep their answers coarse before they are sent, so
its respondents count as those who prefer not to say.

The page is the same for everybody, so its form holds no nonce: it is looked at first and gets one of ours, with which
it is sent, once or several times. A sheet of paper that a researcher enters has the same fields, nonce and all.
"""

import re
import secrets
from collections.abc import Mapping
from urllib.parse import parse_qsl

from collector.designs import MOST_SYMBOLS, Design
from collector.endpoint import parsing
from collector.endpoint.parsing import LARGEST_BODY, ParsedReport
from collector.errors import RequestRefused
from collector.invitations import codes

SYMBOL = re.compile(r"0|[1-9][0-9]{0,2}")


def parse(body: bytes) -> dict[str, str]:
    """Parse a form; each field must occur once, and one must name a design."""
    if len(body) > LARGEST_BODY:
        raise RequestRefused(413, "body", f"The body must be at most {LARGEST_BODY} bytes; got {len(body)}.")
    try:
        pairs = parse_qsl(
            body.decode("ascii"), keep_blank_values=True, strict_parsing=True, max_num_fields=MOST_SYMBOLS + 4
        )
    except ValueError:
        raise RequestRefused(422, "body", "The body must be one form.") from None
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise RequestRefused(422, "body", "Every field must occur exactly once.")
    if not re.fullmatch(parsing.FIELDS["design"], fields.get("design", "")):
        raise RequestRefused(422, "design", f"design must be {parsing.SHAPES['design']}.")
    return fields


def preview(fields: Mapping[str, str], design: Design) -> ParsedReport:
    """Return the report of the fields with a new nonce; refuse fields that have one already."""
    if "nonce" in fields:
        raise RequestRefused(422, "body", "nonce must be left out: the review page adds it.")
    return read({**fields, "nonce": secrets.token_hex(16)}, design)


def read(fields: Mapping[str, str], design: Design) -> ParsedReport:
    """Return the report of the fields; all are required and no others allowed."""
    items = [f"item-{number}" for number in range(1, len(design.alphabets) + 1)]
    groups = ["stratum"] if design.groups else []
    required = [*groups, *(["invitation"] if design.invitations else []), *items]
    for name in ("design", "nonce", *required):
        if name not in fields:
            raise RequestRefused(422, name, f"{name} is missing.")
    if unknown := set(fields) - {"design", "nonce", *required}:
        raise RequestRefused(422, "body", f"The form has {len(unknown)} fields that this survey does not have.")
    if not re.fullmatch(parsing.FIELDS["nonce"], fields["nonce"]):
        raise RequestRefused(422, "nonce", f"nonce must be {parsing.SHAPES['nonce']}.")
    symbols = bytes(_symbol(name, fields[name], size) for name, size in zip(items, design.alphabets, strict=True))
    code = codes.normalise_code(fields.get("invitation", ""))
    if design.invitations and not codes.is_code(code):
        raise RequestRefused(422, "invitation", f"invitation must be {parsing.SHAPES['invitation']}.")
    report = ParsedReport(design.digest, fields["nonce"], fields.get("stratum", design.silent_stratum), symbols, code)
    parsing.check_against(report, design)
    return report


def _symbol(name: str, text: str, size: int) -> int:
    if not SYMBOL.fullmatch(text) or int(text) >= size:
        raise RequestRefused(422, name, f"{name} must be from 0 to {size - 1}.")
    return int(text)
