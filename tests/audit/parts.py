"""A part of the audit, in a process of its own."""

from typing import Any


def part(name: str, *details: Any) -> Any:
    """Run a step of `auditing` or `catching` with a browser of its own; `prepare` was called before."""
    from tests.audit import auditing, catching
    from tests.audit.driving import chromium, version

    with chromium() as work:
        if name == "version":
            return work(version)
        if name == "catch_all":
            leaks, shelf = details
            return catching.catch_all(leaks, work, shelf)
        return getattr(auditing, name)(work, *details)
