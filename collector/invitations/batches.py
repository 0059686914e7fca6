"""Batches of invitation codes: created and withdrawn here, redeemed by `storing`.

Only hashes come here. Who was given which code is nowhere; a batch of one would say it, so the smallest holds ten.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date

from django.db import connection, transaction
from django.db.models import Max
from django.utils import timezone

from collector.database import locks, taking
from collector.database.statements import execute_rows, pieces
from collector.designs.selectors import find_design, get_design
from collector.models import Batch, FrozenDesign, Invitation, UsedToken

FEWEST = 10
"""Minimum number of invitations in a batch."""

KIND = re.compile(r"[a-z]{1,16}")
WRITE = "INSERT INTO collector_invitation (design_id, hash, batch) VALUES {rows}"


@dataclass(frozen=True)
class BatchSummary:
    """A batch of invitations: its original size, its group (None for all) and its days, in UTC."""

    number: int
    stratum: str | None
    kind: str
    count: int
    made_on: date
    withdrawn_on: date | None


@transaction.atomic
def add(digest: str, hashes: Collection[bytes], *, stratum: str | None, kind: str) -> int:
    """Create a batch of invitations in the caller's transaction; return its number within the design.

    They are written in the order of their hashes, which says nothing of the order in which they were made.

    Parameters
    ----------
    hashes
        At least 10, each of 32 bytes and another one: what `invitations.hash_of` gives for each code.
    stratum
        The key of the group that all reports of the batch have to be of; None where each may be of any.
    kind
        How they are handed out, at most 16 small letters.

    Raises
    ------
    ValueError
        Where one of these is not so, the design is closed or unknown, or it does not ask for codes.
    """
    place = _check(digest, hashes, stratum, kind)
    locks.shared_lock(digest, locks.TAKING)  # until then nobody can close it
    locks.exclusive_lock(digest, locks.BATCHES)
    number = FrozenDesign.objects.values_list("number", flat=True).filter(digest=digest, closed_on=None).first()
    if number is None:
        raise ValueError("design must be an open one: a closed survey takes no reports, so nobody can be invited")
    batch = (Batch.objects.filter(design__number=number).aggregate(last=Max("number"))["last"] or 0) + 1
    made = {"count": len(hashes), "kind": kind, "made_on": timezone.now().date()}
    Batch.objects.create(design_id=number, number=batch, stratum=place, **made)
    with connection.cursor() as cursor:
        for some in pieces(sorted(hashes)):
            execute_rows(cursor, WRITE, [(number, one, batch) for one in some])
    return batch


@transaction.atomic
def withdraw(digest: str, batch: int) -> int:
    """Withdraw the unused invitations of a batch; return how many there were, 0 the second time.

    Raises ValueError where the design has no such batch.
    """
    taking.stop([digest])  # once those reports are on disk that are being stored
    mine = Batch.objects.filter(design__digest=digest, number=batch)
    if not mine.exists():
        raise ValueError(f"batch must be one of the survey's; got {batch}")
    mine.filter(withdrawn_on=None).update(withdrawn_on=timezone.now().date())
    return Invitation.objects.filter(design__digest=digest, batch=batch).delete()[0]


@transaction.atomic
def delete(digest: str, *, restored: bool = False) -> None:
    """Delete the unused invitations and used tokens of a closed design, which no report can need any more.

    But for one that a restore closed, which may be reopened; `restored` says of those too.
    """
    closed = {"final_on__isnull": False} | ({} if restored else {"restored_on": None})
    numbers = FrozenDesign.objects.filter(digest=digest, **closed).values("number")
    for rows in (Invitation, UsedToken):
        rows._default_manager.filter(design__in=numbers).delete()


def batches(digest: str) -> list[BatchSummary]:
    """All batches of a design, in order of creation."""
    strata: dict[int | None, str] = dict(enumerate(get_design(digest).strata))
    return [
        BatchSummary(one.number, strata.get(one.stratum), one.kind, one.count, one.made_on, one.withdrawn_on)
        for one in Batch.objects.filter(design__digest=digest).order_by("number")
    ]


def check_batch(hashes: Collection[bytes], kind: str) -> None:
    """Raise ValueError unless these can be the hashes of a batch, and this its kind."""
    if len(hashes) < FEWEST:
        raise ValueError(f"a batch must hold at least {FEWEST} codes; got {len(hashes)}")
    if len(set(hashes)) != len(hashes) or any(len(one) != 32 for one in hashes):
        raise ValueError("hashes must be of 32 bytes, and differ from each other")
    if not KIND.fullmatch(kind):
        raise ValueError(f"kind must be 1 to 16 small letters; got {kind!r}")


def _check(digest: str, hashes: Collection[bytes], stratum: str | None, kind: str) -> int | None:
    """Validate the arguments of `add` and return the group's index or None; raises ValueError."""
    design = find_design(digest)
    if design is None or design.invitations != "secret":
        raise ValueError("design must be one that asks for invitations by code")
    check_batch(hashes, kind)
    if stratum is None:
        return None
    keys = [group.key for group in design.groups]
    if stratum not in keys:
        raise ValueError(f"stratum must be the key of one of the survey's groups; got {stratum!r}")
    return keys.index(stratum)
