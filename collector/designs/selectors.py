"""Read frozen designs from the database."""

import json
from functools import lru_cache

from collector.designs.design import Design
from collector.models import FrozenDesign


def get_design(digest: str) -> Design:
    """The frozen design of this digest; FrozenDesign.DoesNotExist where there is none."""
    design = find_design(digest)
    if design is None:
        raise FrozenDesign.DoesNotExist(f"no design has the digest {digest}")
    return design


def find_design(digest: str) -> Design | None:
    """The frozen design of this digest, or None. A design never changes, so it is read once."""
    try:
        return _read(digest)
    except FrozenDesign.DoesNotExist:
        return None


@lru_cache(maxsize=64)
def _read(digest: str) -> Design:
    return Design.of(json.loads(FrozenDesign.objects.values_list("document", flat=True).get(digest=digest)))


def is_open(digest: str) -> bool:
    return FrozenDesign.objects.filter(digest=digest, closed_on=None).exists()


def open_by_invitation() -> list[str]:
    """Digests of the open designs whose reports have to come with an invitation."""
    digests = FrozenDesign.objects.filter(closed_on=None, rehearsal=False).order_by("number")
    return [digest for digest in digests.values_list("digest", flat=True) if get_design(digest).invitations]


def closed_by_restore(digest: str) -> bool:
    """Whether it may be reopened: a restore closed it, and its reports are there."""
    return FrozenDesign.objects.filter(digest=digest, restored_on__isnull=False, purged_on=None).exists()
