"""Read frozen designs from the database."""

import json
from functools import lru_cache

from django.db.models import Count

from collector.designs.design import Design
from collector.models import FrozenDesign


def get_design(digest: str) -> Design:
    """Return the frozen design with this digest, or with a part of this key; else raise FrozenDesign.DoesNotExist."""
    return _read(digest)[0]


def find_design(digest: str) -> Design | None:
    """Return the frozen design with this digest, or None. Cached, since a design never changes."""
    try:
        design, _parts = _read(digest)
    except FrozenDesign.DoesNotExist:
        return None
    return design if design.digest == digest else None  # a part's key is nothing that respondents may name


def part_count(digest: str) -> int:
    """The number of parts of a design (collector/designs/parts.py): 1 where it is not split. Cached with the design."""
    try:
        return _read(digest)[1]
    except FrozenDesign.DoesNotExist:
        return 1


def forget() -> None:
    """Forget the designs that this process has read: one of them may have other parts now."""
    _read.cache_clear()


@lru_cache(maxsize=128)
def _read(digest: str) -> tuple[Design, int]:
    found = FrozenDesign.objects.annotate(others=Count("parts")).values_list("document", "others")
    document, others = found.get(digest=digest)
    return Design.of(json.loads(document)), others + 1


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
