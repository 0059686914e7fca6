"""What keeps a job held while its work goes on: a thread with a connection of its own.

The work may be in the middle of reading a million reports in one statement, and SQLite lets no connection write that
reads an older state; or it may set a document, and say nothing for a minute.
"""

import threading
import time
from types import TracebackType
from typing import Self

from django.db import DatabaseError, connection

from estimator.base import jobs

BETWEEN_BEATS = 3.0
"""Seconds; as long may it take until the work hears that its job was cancelled."""

LONGEST_SILENCE = 900.0
"""Seconds after which work that tells nothing is taken to hang, and its job is left to another."""


class LeaseRenewal:
    """Renews the lease of a job while a `with` lasts; `watch` is for the work, which may be silent for `silence`."""

    def __init__(self, kind: jobs.Jobs, job_id: int, lease: str, *, silence: float = 0.0) -> None:
        self._kind, self._job_id, self._lease = kind, job_id, lease
        self._silence = max(silence, LONGEST_SILENCE)
        self._progress, self._heard = 0, time.monotonic()
        self._over, self._lost = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, places: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def watch(self, part: float) -> None:
        """Is told how much is done; LeaseLost where the job was cancelled or another worker has it."""
        if self._lost.is_set():
            raise jobs.LeaseLost
        self._progress, self._heard = min(99, max(0, int(100 * part))), time.monotonic()

    def _beat(self) -> None:
        try:
            while not self._over.wait(BETWEEN_BEATS) and time.monotonic() - self._heard < self._silence:
                self._renew()
        except jobs.LeaseLost:
            self._lost.set()
        finally:
            connection.close()

    def _renew(self) -> None:
        try:
            jobs.renew(self._kind, self._job_id, self._lease, progress=self._progress)
        except DatabaseError:
            connection.close()  # it may be away for a moment; the lease outlasts that
