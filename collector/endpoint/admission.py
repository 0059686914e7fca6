"""Admission control of concurrent requests, fair to every address however many a few of them send."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from collector.errors import RETRY, RequestRefused


class Admission:
    """Slots shared by addresses. An address may hold at most half of what the others leave free, so that many
    requests of a few addresses never take the last place: four of them leave one of sixteen.

    Used by one thread alone, that of the event loop.
    """

    def __init__(self, places: int) -> None:
        self._places = places
        self._held: Counter[str] = Counter()

    @property
    def held(self) -> int:
        """The number of slots in use, over all addresses."""
        return self._held.total()

    def share(self, address: str) -> int:
        """The number of slots this address may hold now, including those it already holds."""
        return (self._places - self.held + self._held[address]) // 2

    @contextmanager
    def hold(self, address: str, places: int = 1) -> Iterator[None]:
        """Hold this many slots while a request is processed; refuse with 503 if that exceeds the share."""
        if self._held[address] + places > self.share(address):
            raise RequestRefused(
                503, "body", "There are too many requests at once. Try again in a moment.", retry=RETRY
            )
        self._held[address] += places
        try:
            yield
        finally:
            self._held[address] -= places
            if not self._held[address]:
                del self._held[address]


class FairThreads:
    """Threads assigned to addresses in turn, so that an address with many requests delays only itself.

    Used by one thread alone, that of the event loop.
    """

    def __init__(self, free: int) -> None:
        self._free = free
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        """By address, in the order of their turns."""

    @asynccontextmanager
    async def hold(self, address: str) -> AsyncIterator[None]:
        """Wait for a free thread in turn, and hold it."""
        if self._free:
            self._free -= 1
        else:
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.setdefault(address, deque()).append(turn)
            await turn
        try:
            yield
        finally:
            self._pass_on()

    def _pass_on(self) -> None:
        while self._waiting:
            address = next(iter(self._waiting))
            mine = self._waiting.pop(address)
            turn = mine.popleft()
            if mine:
                self._waiting[address] = mine  # behind the others
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1
