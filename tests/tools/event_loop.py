"""An event loop as a web process has it, in which Django refuses what would wait."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest


def run_in_event_loop(work: Coroutine[Any, Any, Any]) -> Any:
    """Run in a thread's own event loop. A browser test of this process may have allowed waiting: not meanwhile."""
    with pytest.MonkeyPatch.context() as strict, ThreadPoolExecutor(1) as pool:
        strict.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "")
        return pool.submit(asyncio.run, work).result()
