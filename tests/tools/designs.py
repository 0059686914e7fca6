"""A design document as the pages and the client know it: text and digest; and the pages that were stored with it."""

import json
from hashlib import sha256
from typing import Any

from surveys.models import Page, Version


def canonical_and_digest(document: dict[str, Any]) -> tuple[str, str]:
    """Written a second time, apart from the collector: a page is only as good as two that agree."""
    canonical = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return canonical, sha256(canonical.encode()).hexdigest()


def stored_page(version: Version, kind: str = Page.Kind.ANSWER, language: str = "en") -> bytes:
    """The page that was stored when the version opened; no bytes where there is none."""
    found = version.pages.filter(kind=kind, language=language).first()
    return bytes(found.content) if found else b""
