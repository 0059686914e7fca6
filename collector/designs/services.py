"""Freeze, close and reopen designs."""

from django.db import transaction
from django.db.models import Max, Q, Value
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext

from collector.database import locks, taking
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
def close_design(digest: str, *, undoable: bool = False, by_a_restore: bool = False) -> None:
    """Stop accepting reports of a design, in all its parts; for good unless `undoable`. Idempotent.

    One that is closed undoably is told of in steps still, as while it was open; called again without, this makes its
    closing final. One closed by a restore can be reopened all the same.
    """
    keys = parts.keys(digest)
    taking.stop(keys)  # once those are on disk that are being stored
    today = timezone.now().date()
    final = {} if undoable else {"final_on": today}
    restored = {"restored_on": today} if by_a_restore else {}
    mine = FrozenDesign.objects.filter(digest__in=keys, final_on=None)
    mine.update(closed_on=Coalesce("closed_on", Value(today)), **final, **restored)


@transaction.atomic
def reopen_design(digest: str) -> None:
    """Accept reports of a design again whose closing is not final or was by a restore, as if it had never closed.

    Raises
    ------
    ValueError
        Where it is neither, or its reports are deleted. The database refuses it too.
    """
    keys = parts.keys(digest)
    taking.stop(keys)
    undoable = Q(final_on=None) | Q(restored_on__isnull=False)
    held = FrozenDesign.objects.filter(undoable, digest__in=keys, closed_on__isnull=False, purged_on=None)
    if not held.update(closed_on=None, final_on=None, restored_on=None, rewritten_on=None):
        raise ValueError(
            gettext("design must be one that can still be reopened, or that a restore closed; got {digest}").format(
                digest=digest
            )
        )
