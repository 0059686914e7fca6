"""Receive reports from browsers, the own-coin page, paper sheets and simulated respondents."""

from collections.abc import Iterable, Mapping

from django.db import transaction

from collector.designs import Design
from collector.designs.selectors import find_design, is_open
from collector.endpoint import own_coin, parsing
from collector.errors import RequestRefused, not_invited
from collector.invitations import codes, tokens
from collector.models import Report
from collector.reports import storing
from collector.reports.storing import NewReport, Outcome


def read(body: bytes, *, slug: str) -> NewReport:
    """Parse a browser's report, which its design can produce; no rehearsals. Stores nothing.

    Raises RequestRefused with 403, 404, 413, 422.
    """
    return _read(body, slug=slug, rehearsal=False)


def created(outcome: Outcome) -> bool:
    """Return True if this call stored the report, False if it was stored before.

    Raises RequestRefused with 403, 409, 410.
    """
    if outcome is Outcome.TAKEN:
        raise RequestRefused(409, "nonce", "This nonce belongs to another response, which stays unchanged.")
    if outcome is Outcome.CLOSED:
        raise RequestRefused(410, "design", "The survey is closed; this response was not stored.")
    if outcome is Outcome.UNINVITED:
        raise not_invited()
    return outcome is Outcome.STORED


@transaction.atomic
def receive_simulated(bodies: Iterable[bytes], *, slug: str) -> None:
    """Store the reports of simulated respondents, all or none; each is parsed like a real one.

    They reach designs of rehearsals alone, and no other report does.

    Raises RequestRefused as `read` and `created` do, of the first report that is none.
    """
    rows = [_read(body, slug=slug, rehearsal=True) for body in bodies]
    for outcome in storing.insert(rows):
        created(outcome)


def preview_form(body: bytes, *, slug: str) -> parsing.ParsedReport:
    """Preview the report of an own-coin form, under a new nonce for sending it. Stores nothing.

    Raises RequestRefused with 404, 410, 413, 422.
    """
    fields = own_coin.parse(body)
    looked = own_coin.preview(fields, _design_of(fields["design"], slug=slug, rehearsal=False))
    if not is_open(looked.design):
        raise RequestRefused(410, "design", "The survey is closed and accepts no more responses.")
    return looked


def receive_form(body: bytes, *, slug: str) -> None:
    """Store a report that the respondent randomised with a coin or a die; on disk when this returns.

    The same form again, which has the same nonce, stores nothing.

    Raises RequestRefused with 404, 409, 410, 413, 422; nothing is stored then.
    """
    _receive_marks(own_coin.parse(body), slug=slug, mode=Report.Mode.COIN)


def receive_sheet(fields: Mapping[str, str], *, slug: str) -> bool:
    """Store a paper sheet that was randomised with a coin or a die; on disk when this returns.

    True where this call stored it; False for the same sheet again, which has the same nonce.

    Raises RequestRefused with 404, 409, 410, 422; nothing is stored then.
    """
    if _design_of(fields.get("design", ""), slug=slug, rehearsal=False).invitations:
        words = "A survey by invitation accepts no sheets: a sheet with a code could be traced to a person."
        raise RequestRefused(422, "design", words)
    return _receive_marks(fields, slug=slug, mode=Report.Mode.PAPER)


def _receive_marks(fields: Mapping[str, str], *, slug: str, mode: Report.Mode) -> bool:
    design = _design_of(fields.get("design", ""), slug=slug, rehearsal=False)
    (outcome,) = storing.store([_new(own_coin.read(fields, design), design, mode=mode)])
    return created(outcome)


def _read(body: bytes, *, slug: str, rehearsal: bool) -> NewReport:
    sent = parsing.parse(body)
    design = _design_of(sent.design, slug=slug, rehearsal=rehearsal)
    parsing.check_against(sent, design)
    return _new(sent, design, mode=Report.Mode.SIMULATED if rehearsal else Report.Mode.BROWSER)


def _new(sent: parsing.ParsedReport, design: Design, *, mode: Report.Mode) -> NewReport:
    stratum, invitation = design.strata.index(sent.stratum), _hash_of(sent.invitation, design)
    return NewReport(bytes.fromhex(sent.nonce), sent.design, stratum, sent.report, int(mode), invitation)


def _hash_of(invitation: str, design: Design) -> bytes | None:
    """The hash stored for an invitation; RequestRefused for what cannot be one."""
    if design.invitations == "blind":
        return tokens.read(invitation, design.modulus)
    if design.invitations and not codes.is_code(invitation):
        raise not_invited()
    return codes.hash_of(invitation) if design.invitations else None


def _design_of(digest: str, *, slug: str, rehearsal: bool) -> Design:
    design = find_design(digest)
    if design is None or design.slug != slug or design.rehearsal is not rehearsal:
        raise RequestRefused(404, "design", "No open design of this survey has that digest.")
    return design
