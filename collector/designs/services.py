"""Freeze, close and reopen designs."""

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from collector.database import locks
from collector.designs import parts
from collector.designs.design import Design
from collector.designs.documents import check
from collector.designs.selectors import forget
from collector.models import FrozenDesign


@transaction.atomic
def freeze_design(document: object) -> Design:
    """Store a design permanently and open it for reports. Raises ValidationError; idempotent."""
    design = check(document)
    locks.exclusive_lock(locks.NUMBERS, 0)
    last = FrozenDesign.objects.aggregate(number=Max("number"))["number"] or 0
    frozen = {"document": design.canonical.decode("utf-8"), "opened_on": timezone.now().date(), "number": last + 1}
    FrozenDesign.objects.get_or_create(digest=design.digest, defaults=frozen)
    forget()  # a transaction that was rolled back may have split it
    return design


@transaction.atomic
def close_design(digest: str, *, by_a_restore: bool = False) -> None:
    """Stop accepting reports of a design, in all its parts. Idempotent. One closed by a restore can be reopened."""
    keys = parts.keys(digest)
    locks.exclusive_locks(keys, locks.TAKING)  # once those are on disk that are being stored
    today = timezone.now().date()
    restored = {"restored_on": today} if by_a_restore else {}
    FrozenDesign.objects.filter(digest__in=keys, closed_on=None).update(closed_on=today, **restored)


@transaction.atomic
def reopen_design(digest: str) -> None:
    """Accept reports of a design closed by a restore again, as if it had never closed.

    Raises
    ------
    ValueError
        Where no restore closed it, or its reports are deleted. The database refuses it too.
    """
    keys = parts.keys(digest)
    locks.exclusive_locks(keys, locks.TAKING)
    held = FrozenDesign.objects.filter(digest__in=keys, restored_on__isnull=False, purged_on=None)
    if not held.update(closed_on=None, restored_on=None, rewritten_on=None):
        raise ValueError(f"design must be one that a restore closed; got {digest}")
