"""What changes the store: freezing and closing a design, taking a report."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from collector import coin, designs, parsing, selectors
from collector.errors import Closed, NonceTaken, UnknownDesign
from collector.models import DailyCount, FrozenDesign, Report, Tally


@dataclass(frozen=True)
class Receipt:
    """What the sender is told: the hash of what was sent, and whether this call stored it."""

    receipt: str
    created: bool


def freeze(document: dict[str, Any]) -> designs.Design:
    """Store a design for ever and open it for reports. Raises DesignError; freezing the same one twice is harmless."""
    design = designs.check(document)
    FrozenDesign.objects.get_or_create(
        digest=design.digest,
        defaults={"document": design.canonical.decode("utf-8"), "opened_on": timezone.now().date()},
    )
    return design


def close(digest: str) -> None:
    """Take no more reports of this design. Closing twice is harmless."""
    FrozenDesign.objects.filter(digest=digest, closed_on=None).update(closed_on=timezone.now().date())


def receive(body: bytes, *, slug: str) -> Receipt:
    """Store one report, on disk when this returns. The same report again is told the same; nothing is stored twice.

    Raises
    ------
    Refusal
        Malformed (422), UnknownDesign (404), NonceTaken (409), Closed (410), TooLarge (413); nothing is stored then.
    """
    created = _store(_read(body, slug=slug, rehearsal=False))
    return Receipt(receipt=hashlib.sha256(body).hexdigest(), created=created)


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
    for digest in {row.design_id for row in rows}:
        if not _lock_open(digest):
            raise Closed("design", "The rehearsal is over; nothing was stored.")
    Report.objects.bulk_create(rows)


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
    return _receive_marks(fields, slug=slug, mode=Report.Mode.PAPER)


@transaction.atomic
def clear_rehearsal(digest: str) -> None:
    """Forget the simulated reports of a rehearsal and their totals, so that it can be repeated.

    Raises
    ------
    ValueError
        Where the design is none of a rehearsal: what respondents sent is not forgotten here.
    """
    if not FrozenDesign.objects.select_for_update().filter(digest=digest, rehearsal=True).exists():
        raise ValueError(f"design must be one of a rehearsal; got {digest}")
    for rows in (Tally, DailyCount, Report):
        rows.objects.filter(design_id=digest).delete()


@transaction.atomic
def discard_rehearsal(digest: str) -> None:
    """Forget a rehearsal's design too, with which no report can be sent any more. Raises as `clear_rehearsal` does."""
    clear_rehearsal(digest)
    close(digest)
    FrozenDesign.objects.filter(digest=digest).delete()


def _receive_marks(fields: Mapping[str, str], *, slug: str, mode: Report.Mode) -> bool:
    design = _design_of(fields.get("design", ""), slug=slug, rehearsal=False)
    return _store(_row(coin.read(fields, design), design, mode=mode))


def _read(body: bytes, *, slug: str, rehearsal: bool) -> Report:
    """The row that a body makes, of a report that its design can produce."""
    sent = parsing.parse(body)
    design = _design_of(sent.design, slug=slug, rehearsal=rehearsal)
    parsing.check_against(sent, design)
    return _row(sent, design, mode=Report.Mode.SIMULATED if rehearsal else Report.Mode.BROWSER)


def _row(sent: parsing.ParsedReport, design: designs.Design, *, mode: Report.Mode) -> Report:
    stratum = design.strata.index(sent.stratum)
    return Report(nonce=sent.nonce, design_id=sent.design, stratum=stratum, report=sent.report, mode=mode)


def _design_of(digest: str, *, slug: str, rehearsal: bool) -> designs.Design:
    design = selectors.find_design(digest)
    if design is None or design.slug != slug or design.rehearsal is not rehearsal:
        raise UnknownDesign("design", f"No open design of {slug!r} has the digest {digest}.")
    return design


def _store(row: Report) -> bool:
    """Write the row, or find it written. True where this call wrote it."""
    try:
        with transaction.atomic():
            if _lock_open(row.design_id):
                row.save(force_insert=True)
                return True
    except IntegrityError:
        pass  # the nonce is taken: by this very report or by another
    return _found(row)


def _lock_open(digest: str) -> bool:
    """Whether the design is open; until the transaction ends nobody can close it."""
    return FrozenDesign.objects.select_for_update().filter(digest=digest, closed_on=None).first() is not None


def _found(row: Report) -> bool:
    """The report is not new here: False where it is the stored one, a refusal where it is not."""
    stored = Report.objects.filter(nonce=row.nonce).first()
    if stored is None:
        raise Closed("design", "The survey is closed; this report was not stored.")
    same = (stored.design_id, stored.stratum, bytes(stored.report)) == (row.design_id, row.stratum, bytes(row.report))
    if not same:
        raise NonceTaken("nonce", "This nonce belongs to another report, which stays as it is.")
    return False
