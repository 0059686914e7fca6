"""Parse untrusted request bytes into a report or a refusal. Nothing else reads a request's body."""

import json
import operator
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from collector.designs import Design
from collector.errors import RequestRefused
from collector.invitations.codes import ALPHABET

LARGEST_BODY = 16_384
FIELDS = {
    "design": r"[0-9a-f]{64}",
    "nonce": r"[0-9a-f]{32}",
    "stratum": r"[a-z0-9_-]{0,64}",
    "report": r"(?:[0-9a-f]{2})+",
}
INVITATION = rf"[{ALPHABET}]{{28}}|[A-Za-z0-9_-]{{598}}"
"""Fifth field if the design requires invitations: a code, or a blindly signed 448-byte token (base64url)."""

SHAPES = {
    "design": "64 hex digits",
    "nonce": "32 hex digits",
    "stratum": "the key of a group or cell, or empty",
    "report": "two hex digits for each symbol",
    "invitation": "the 28 symbols of an invitation, or the 598 of a token",
}
LENGTHS = {"secret": 28, "blind": 598}
"""The length of an invitation, by the design's kind of invitations."""


@dataclass(frozen=True)
class ParsedReport:
    """A body of valid format; `check_against` validates it against its design."""

    design: str
    nonce: str
    stratum: str
    report: bytes
    invitation: str = ""


def parse(body: bytes) -> ParsedReport:
    """Parse a body: one JSON object with exactly the four fields, each once and valid; or five."""
    may = "; and invitation where the survey is by invitation"
    fields = read_fields(body, FIELDS, SHAPES, largest=LARGEST_BODY, more={"invitation": INVITATION}, may=may)
    report = bytes.fromhex(fields["report"])
    return ParsedReport(fields["design"], fields["nonce"], fields["stratum"], report, fields.get("invitation", ""))


def read_fields(
    body: bytes,
    fields: Mapping[str, str],
    shapes: Mapping[str, str],
    *,
    largest: int,
    more: Mapping[str, str] = MappingProxyType({}),
    may: str = "",
) -> dict[str, str]:
    """The fields of a body: one JSON object with exactly these, each once and a valid text, and those of `more`.

    `shapes` has the patterns of both in words, and `may` when there may be more. Nothing of the body is echoed.
    """
    if len(body) > largest:
        raise RequestRefused(413, "body", f"The body must be at most {largest} bytes; got {len(body)}.")
    try:
        found = DECODER.decode(body.decode("utf-8"))
    except (ValueError, RecursionError):
        raise RequestRefused(422, "body", "The body must be one JSON object in UTF-8.") from None
    if not isinstance(found, dict) or set(found) - set(more) != set(fields):
        raise RequestRefused(422, "body", f"The body must have exactly the fields {', '.join(fields)}{may}.")
    for name, shape in {**fields, **more}.items():
        if name in found and not (isinstance(found[name], str) and re.fullmatch(shape, found[name])):
            raise RequestRefused(422, name, f"{name} must be {shapes[name]}.")
    read: dict[str, str] = found
    return read


def check_against(report: ParsedReport, design: Design) -> None:
    """Refuse a report that this design cannot produce with RequestRefused."""
    _check_invitation(report.invitation, design.invitations)
    if report.stratum not in design.strata:
        allowed = _allowed_strata(design)
        raise RequestRefused(422, "stratum", f"stratum must be {allowed}.")
    if (got := len(report.report)) != (size := len(design.alphabets)):
        raise RequestRefused(422, "report", f"report must have {size} symbols; got {got}.")
    if any(map(operator.ge, report.report, design.alphabets)):
        pairs = enumerate(zip(report.report, design.alphabets, strict=True))
        position, (symbol, size) = next((place, pair) for place, pair in pairs if pair[0] >= pair[1])
        raise RequestRefused(422, "report", f"report: symbol {position} must be from 0 to {size - 1}; got {symbol}.")
    for field in design.fields:
        if field.ones is None:
            continue
        held = sum(report.report[field.start : field.stop])
        if held != field.ones:
            span = f"symbols {field.start} to {field.stop - 1}"
            raise RequestRefused(422, "report", f"report: {span} must hold {field.ones} ones; got {held}.")


def _check_invitation(sent: str, kind: str) -> None:
    if not kind and sent:
        words = "invitation must be left out: this survey is open to anyone who has the link."
        raise RequestRefused(422, "invitation", words)
    if kind and len(sent) != LENGTHS[kind]:
        words = f"invitation must have {LENGTHS[kind]} symbols."
        raise RequestRefused(422, "invitation", words)


def _without_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a field occurs twice")
    return fields


DECODER = json.JSONDecoder(object_pairs_hook=_without_repeats)


def _allowed_strata(design: Design) -> str:
    """What a request may name as its stratum, in words."""
    if design.background:
        return f"the key of one of the {len(design.strata)} cells, from {design.strata[0]} to {design.strata[-1]}"
    return ", ".join(design.strata) if design.groups else "empty: this survey has no groups"
