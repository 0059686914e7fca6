"""From the form of the own-coin page to a report, or to a refusal.

Its choices are randomised already, by the respondent's own coin. The form has one field for the design, one for the
group where there are groups, and one for each item, `item-1`, `item-2` and so on, with the number of the marked choice.
"""

import re
import secrets
from urllib.parse import parse_qsl

from collector import parsing
from collector.designs import MOST_SYMBOLS, Design
from collector.errors import Malformed, TooLarge
from collector.parsing import LARGEST_BODY, ParsedReport

SYMBOL = re.compile(r"0|[1-9][0-9]{0,2}")


def parse(body: bytes) -> dict[str, str]:
    """The fields of a form; each of them stands once and names a design."""
    if len(body) > LARGEST_BODY:
        raise TooLarge("body", f"The body must be at most {LARGEST_BODY} bytes; got {len(body)}.")
    try:
        pairs = parse_qsl(
            body.decode("ascii"), keep_blank_values=True, strict_parsing=True, max_num_fields=MOST_SYMBOLS + 2
        )
    except ValueError:
        raise Malformed("body", "The body must be one form.") from None
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise Malformed("body", "Every field must stand once.")
    if not re.fullmatch(parsing.FIELDS["design"], fields.get("design", "")):
        raise Malformed("design", f"design must be {parsing.SHAPES['design']}.")
    return fields


def read(fields: dict[str, str], design: Design) -> ParsedReport:
    """The report that the fields make, under a nonce of our own: a page without a script can make none."""
    items = [f"item-{number}" for number in range(1, len(design.alphabets) + 1)]
    groups = ["stratum"] if design.strata != ("",) else []
    for name in ("design", *groups, *items):
        if name not in fields:
            raise Malformed(name, f"{name} is missing.")
    if unknown := set(fields) - {"design", *groups, *items}:
        raise Malformed("body", f"The form has {len(unknown)} fields that this survey does not have.")
    symbols = bytes(_symbol(name, fields[name], size) for name, size in zip(items, design.alphabets, strict=True))
    report = ParsedReport(design.digest, secrets.token_hex(16), fields.get("stratum", ""), symbols)
    parsing.check_against(report, design)
    return report


def _symbol(name: str, text: str, size: int) -> int:
    if not SYMBOL.fullmatch(text) or int(text) >= size:
        raise Malformed(name, f"{name} must be from 0 to {size - 1}.")
    return int(text)
