"""What changes the store: freezing and closing a design, taking a report."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from collector import blind, coin, designs, invitations, locks, parsing, selectors, storing
from collector.errors import Closed, Malformed, NonceTaken, NotInvited, UnknownDesign
from collector.models import DailyCount, FrozenDesign, Report, SetAsideReport, Tally, WaitingReport
from collector.storing import NewReport, Outcome


@dataclass(frozen=True)
class Receipt:
    """What the sender is told: the hash of what was sent, and whether this call stored it."""

    receipt: str
    created: bool


@transaction.atomic
def freeze(document: dict[str, Any]) -> designs.Design:
    """Store a design for ever and open it for reports. Raises DesignError; freezing the same one twice is harmless."""
    design = designs.check(document)
    locks.hold(locks.NUMBERS, 0)
    last = FrozenDesign.objects.aggregate(number=Max("number"))["number"] or 0
    frozen = {"document": design.canonical.decode("utf-8"), "opened_on": timezone.now().date(), "number": last + 1}
    FrozenDesign.objects.get_or_create(digest=design.digest, defaults=frozen)
    return design


@transaction.atomic
def close(digest: str, *, by_a_restore: bool = False) -> None:
    """Take no more reports of this design. Closing twice is harmless. What a restore closes can be reopened."""
    locks.hold(digest, locks.TAKING)  # once those are on disk that are being stored
    today = timezone.now().date()
    restored = {"restored_on": today} if by_a_restore else {}
    FrozenDesign.objects.filter(digest=digest, closed_on=None).update(closed_on=today, **restored)


@transaction.atomic
def reopen(digest: str) -> None:
    """Take reports again of a design that a restore closed, as if it had never been.

    Raises
    ------
    ValueError
        Where no restore closed it, or its reports are deleted. The database refuses it too.
    """
    locks.hold(digest, locks.TAKING)
    held = FrozenDesign.objects.filter(digest=digest, restored_on__isnull=False, purged_on=None)
    if not held.update(closed_on=None, restored_on=None, rewritten_on=None):
        raise ValueError(f"design must be one that a restore closed; got {digest}")


def receive(body: bytes, *, slug: str) -> Receipt:
    """Store one report, on disk when this returns. The same report again is told the same; nothing is stored twice.

    Raises
    ------
    Refusal
        Malformed (422), NotInvited (403), UnknownDesign (404), NonceTaken (409), Closed (410), TooLarge (413); nothing
        is stored and no invitation used up then.
    """
    (outcome,) = storing.store([read(body, slug=slug)])
    return Receipt(receipt=hashlib.sha256(body).hexdigest(), created=created(outcome))


def read(body: bytes, *, slug: str) -> NewReport:
    """The report that a body holds, which its design can produce; of a browser, and of no rehearsal. Stores nothing.

    Raises
    ------
    Refusal
        Malformed (422), NotInvited (403), UnknownDesign (404), TooLarge (413).
    """
    return _read(body, slug=slug, rehearsal=False)


def created(outcome: Outcome) -> bool:
    """What the sender is told: True where this call stored the report, False where it was stored before.

    Raises
    ------
    Refusal
        NotInvited (403), NonceTaken (409), Closed (410).
    """
    if outcome is Outcome.TAKEN:
        raise NonceTaken("nonce", "This nonce belongs to another report, which stays as it is.")
    if outcome is Outcome.CLOSED:
        raise Closed("design", "The survey is closed; this report was not stored.")
    if outcome is Outcome.UNINVITED:
        raise NotInvited
    return outcome is Outcome.STORED


@transaction.atomic
def receive_simulated(bodies: Iterable[bytes], *, slug: str) -> None:
    """Store the reports of simulated respondents, all of them or none; each is read as a real one is.

    They reach designs of rehearsals alone, and no other report does.

    Raises
    ------
    Refusal
        As `receive` does, of the first report that is none.
    """
    rows = [_read(body, slug=slug, rehearsal=True) for body in bodies]
    for outcome in storing.insert(rows):
        created(outcome)


def look_at_form(body: bytes, *, slug: str) -> parsing.ParsedReport:
    """The report that a form of the own-coin page would make, under a new nonce to send it with. Stores nothing.

    Raises
    ------
    Refusal
        Malformed (422), UnknownDesign (404), Closed (410), TooLarge (413).
    """
    fields = coin.parse(body)
    looked = coin.look(fields, _design_of(fields["design"], slug=slug, rehearsal=False))
    if not selectors.is_open(looked.design):
        raise Closed("design", "The survey is closed; it takes no more reports.")
    return looked


def receive_form(body: bytes, *, slug: str) -> None:
    """Store one report that a person randomised with a coin or a die of her own, on disk when this returns.

    The same form again, which has the same nonce, stores nothing.

    Raises
    ------
    Refusal
        Malformed (422), UnknownDesign (404), NonceTaken (409), Closed (410), TooLarge (413); nothing is stored then.
    """
    _receive_marks(coin.parse(body), slug=slug, mode=Report.Mode.COIN)


def receive_sheet(fields: Mapping[str, str], *, slug: str) -> bool:
    """Store one sheet of paper that was randomised with a coin or a die, on disk when this returns.

    True where this call stored it; False for the same sheet again, which has the same nonce.

    Raises
    ------
    Refusal
        Malformed (422), UnknownDesign (404), NonceTaken (409), Closed (410); nothing is stored then.
    """
    if _design_of(fields.get("design", ""), slug=slug, rehearsal=False).invitations:
        raise Malformed("design", "A survey by invitation takes no sheets: one with a code would lead to a person.")
    return _receive_marks(fields, slug=slug, mode=Report.Mode.PAPER)


@transaction.atomic
def clear_rehearsal(digest: str) -> None:
    """Forget the simulated reports of a rehearsal and their totals, so that it can be repeated.

    Raises
    ------
    ValueError
        Where the design is none of a rehearsal: what respondents sent is not forgotten here.
    """
    locks.share(locks.EVERY, locks.REWRITING)
    locks.hold(digest, locks.TAKING)
    design = FrozenDesign.objects.filter(digest=digest, rehearsal=True).first()
    if design is None:
        raise ValueError(f"design must be one of a rehearsal; got {digest}")
    # The waiting ones first: that waits for a worker that is folding some, and what it adds is then seen.
    for reports in (WaitingReport, Report, SetAsideReport):
        reports.objects.filter(design=design).delete()
    for rows in (Tally, DailyCount):
        rows.objects.filter(design=design).delete()


@transaction.atomic
def discard_rehearsal(digest: str) -> None:
    """Forget a rehearsal's design too, with which no report can be sent any more. Raises as `clear_rehearsal` does."""
    clear_rehearsal(digest)
    close(digest)
    FrozenDesign.objects.filter(digest=digest).delete()


def _receive_marks(fields: Mapping[str, str], *, slug: str, mode: Report.Mode) -> bool:
    design = _design_of(fields.get("design", ""), slug=slug, rehearsal=False)
    (outcome,) = storing.store([_new(coin.read(fields, design), design, mode=mode)])
    return created(outcome)


def _read(body: bytes, *, slug: str, rehearsal: bool) -> NewReport:
    """The report that a body holds, which its design can produce."""
    sent = parsing.parse(body)
    design = _design_of(sent.design, slug=slug, rehearsal=rehearsal)
    parsing.check_against(sent, design)
    return _new(sent, design, mode=Report.Mode.SIMULATED if rehearsal else Report.Mode.BROWSER)


def _new(sent: parsing.ParsedReport, design: designs.Design, *, mode: Report.Mode) -> NewReport:
    stratum, invitation = design.strata.index(sent.stratum), _hash_of(sent.invitation, design)
    return NewReport(bytes.fromhex(sent.nonce), sent.design, stratum, sent.report, int(mode), invitation)


def _hash_of(invitation: str, design: designs.Design) -> bytes | None:
    """What is kept of an invitation; NotInvited for what cannot be one."""
    if design.invitations == "blind":
        return blind.read(invitation, design.document["invitations"]["modulus"])
    if design.invitations and not invitations.is_code(invitation):
        raise NotInvited
    return invitations.hash_of(invitation) if design.invitations else None


def _design_of(digest: str, *, slug: str, rehearsal: bool) -> designs.Design:
    design = selectors.find_design(digest)
    if design is None or design.slug != slug or design.rehearsal is not rehearsal:
        raise UnknownDesign("design", "No open design of this survey has that digest.")
    return design
