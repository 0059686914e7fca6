"""A design document as the pages and the client know it: text and digest."""

import json
from hashlib import sha256
from typing import Any


def canonical_and_digest(document: dict[str, Any]) -> tuple[str, str]:
    """Written a second time, apart from the collector: a page is only as good as two that agree."""
    canonical = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return canonical, sha256(canonical.encode()).hexdigest()
