"""A part of the audit, in a process of its own."""

import hashlib
import pickle
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
FOLDER = HERE.parents[1] / "var" / "audit"


def kept_part(browser: str, details: tuple[Any, ...]) -> Any:
    """What a part found, now or before with the very same page, audit and browser."""
    sources = [path.read_bytes() for path in sorted(HERE.iterdir()) if path.suffix in (".py", ".js", ".mjs")]
    depends = repr((browser, [_identity(detail) for detail in details])).encode()
    name = hashlib.sha256(b"\0".join([depends, *sources])).hexdigest()
    file = FOLDER / f"{name}.pickle"
    if file.exists():
        return pickle.loads(file.read_bytes())  # our own, written below
    found = part(*details)
    FOLDER.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = file.with_suffix(".draft")
    draft.write_bytes(pickle.dumps(found))
    draft.rename(file)
    return found


def _identity(detail: Any) -> Any:
    """What of a detail makes a difference: of a shelf its files, but not when they were collected."""
    from tests.audit.shelf import Shelf

    if isinstance(detail, Shelf):
        return detail.page, sorted((address, response.body) for address, response in detail.responses.items())
    return detail


def part(name: str, *details: Any) -> Any:
    """Run a step of `auditing` or `catching` with a browser of its own; `prepare` was called before."""
    from tests.audit import auditing, catching
    from tests.audit.driving import chromium, version

    with chromium() as work:
        if name == "version":
            return work(version)
        if name == "catch":
            return catching.catch(work, *details)
        return getattr(auditing, name)(work, *details)
