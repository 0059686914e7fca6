"""Read frozen designs from the database."""

import json
from functools import lru_cache

from collector.designs.design import Design
from collector.models import FrozenDesign


def get_design(digest: str) -> Design:
    """Return the frozen design with this digest or raise FrozenDesign.DoesNotExist."""
    design = find_design(digest)
    if design is None:
        raise FrozenDesign.DoesNotExist(f"no design has the digest {digest}")
    return design


def find_design(digest: str) -> Design | None:
    """Return the frozen design with this digest, or None. Cached, since a design never changes."""
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
    """Digests of the open designs whose reports require an invitation."""
    digests = FrozenDesign.objects.filter(closed_on=None, rehearsal=False).order_by("number")
    return [digest for digest in digests.values_list("digest", flat=True) if get_design(digest).invitations]


def closed_by_restore(digest: str) -> bool:
    """Return True if the design may be reopened: closed by a restore and not purged."""
    return FrozenDesign.objects.filter(digest=digest, restored_on__isnull=False, purged_on=None).exists()
