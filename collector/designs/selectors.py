"""Read frozen designs from the database."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from django.db.models import Count

from collector.database import placement
from collector.designs.design import Design
from collector.models import FrozenDesign


def get_design(digest: str) -> Design:
    """Return the frozen design with this digest, or with a part of this key; else raise FrozenDesign.DoesNotExist."""
    return _read(digest).design


def find_design(digest: str) -> Design | None:
    """Return the frozen design with this digest, or None. Cached, since a design never changes."""
    try:
        design = _read(digest).design
    except FrozenDesign.DoesNotExist:
        return None
    return design if design.digest == digest else None  # a part's key is nothing that respondents may name


def part_count(digest: str) -> int:
    """The number of parts of a design (collector/designs/parts.py): 1 where it is not split. Cached with the design."""
    try:
        return len(_read(digest).numbers)
    except FrozenDesign.DoesNotExist:
        return 1


def numbers(digest: str) -> Mapping[str, int]:
    """The number of each part of a design by its key; empty where it is unknown. Cached with the design."""
    try:
        return _read(digest).numbers
    except FrozenDesign.DoesNotExist:
        return {}


def forget() -> None:
    """Forget the designs that this process has read: one of them may have other parts now."""
    _read.cache_clear()


class _Found(NamedTuple):
    design: Design
    numbers: Mapping[str, int]


@lru_cache(maxsize=128)
def _read(digest: str) -> _Found:
    found = FrozenDesign.objects.annotate(others=Count("parts")).values_list("document", "others", "number")
    document, others, number = found.get(digest=digest)
    numbers = {digest: number}
    if others:
        numbers |= FrozenDesign.objects.filter(part_of=digest).values_list("digest", "number")
    placement.learn(numbers.values())  # so that no report has to wait for it
    return _Found(Design.of(json.loads(document)), numbers)


def is_open(digest: str) -> bool:
    return FrozenDesign.objects.filter(digest=digest, closed_on=None).exists()


def is_final(digest: str) -> bool:
    """Return True if the closing of a design is final: no report can be added any more."""
    return FrozenDesign.objects.filter(digest=digest, final_on__isnull=False).exists()


def closing() -> list[str]:
    """Digests of the designs that take no reports, but may be opened again."""
    found = FrozenDesign.objects.filter(closed_on__isnull=False, final_on=None, part_of=None).order_by("number")
    return list(found.values_list("digest", flat=True))


def not_final_by_invitation() -> list[str]:
    """Digests of the designs whose reports require an invitation and can be added to, now or once they are opened
    again."""
    digests = FrozenDesign.objects.filter(final_on=None, rehearsal=False).order_by("number")
    return [digest for digest in digests.values_list("digest", flat=True) if get_design(digest).invitations]


def closed_by_restore(digest: str) -> bool:
    """Return True if the design may be reopened: closed by a restore and not purged."""
    return FrozenDesign.objects.filter(digest=digest, restored_on__isnull=False, purged_on=None).exists()
