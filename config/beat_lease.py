"""The scheduler of a beat that may have a twin on another machine: only the one that holds a lease in Redis sends.

Each beat tries to take the lease, and extends it while it has it. One that dies or loses Redis leaves it to run out,
and the other goes on. Two that send for a moment do no harm: a message only wakes a worker (docs/adr/0035).
"""

import logging
import time
from contextlib import suppress
from typing import Any

import redis
from celery.beat import Scheduler
from django.conf import settings
from redis.exceptions import LockNotOwnedError, RedisError

NAME = "candor:beat"
"""The lease's key in Redis."""

LEASE = 6.0
"""Seconds until the lease of a beat that does not extend it runs out."""

RETRY = 1.0
"""Seconds between two tries of a beat that does not hold it."""

PATIENCE = 1.0
"""Seconds that Redis has to answer."""

logger = logging.getLogger(__name__)


class LeasedScheduler(Scheduler):
    """Celery's scheduler, which stores nothing in a file, for as long as this process holds the lease."""

    max_interval = LEASE / 3

    def __init__(self, *args: Any, **given: Any) -> None:
        # It connects with the first try: Celery makes a scheduler for its banner too.
        assert settings.REDIS_URL
        client = redis.Redis.from_url(settings.REDIS_URL, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE)
        self._lock = client.lock(NAME, timeout=LEASE, thread_local=False)
        self._held, self._extend_at, self._away = False, 0.0, False
        super().__init__(*args, **given)

    def tick(self, *args: Any, **given: Any) -> float:
        """Send one message that is due, and return the seconds until the next tick."""
        return float(super().tick(*args, **given)) if self.holds_lease() else RETRY

    def holds_lease(self) -> bool:
        """Return True if this beat holds the lease, which is taken or extended where it is time to."""
        now = time.monotonic()
        if self._held and now < self._extend_at:
            return True
        try:
            self._held, self._away = self._extend() or bool(self._lock.acquire(blocking=False)), False
        except RedisError as error:
            if not self._away:
                logger.warning("nothing is sent until Redis answers: %s", type(error).__name__)
            self._held, self._away = False, True
        self._extend_at = now + LEASE / 3
        return self._held

    def close(self) -> None:
        """Leave the lease to the other at once."""
        super().close()
        if self._held:
            self._held = False
            with suppress(RedisError):
                self._lock.release()

    def _extend(self) -> bool:
        """Extend the lease that was held; False where it has run out, or Redis has lost it."""
        if not self._held:
            return False
        try:
            return bool(self._lock.extend(LEASE, replace_ttl=True))
        except LockNotOwnedError:
            return False
