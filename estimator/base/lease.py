"""Renewal of a job's lease during its work, in a thread with a separate database connection.

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
"""Seconds between renewals; the longest delay until the work notices a cancelled job."""

LONGEST_SILENCE = 900.0
"""Seconds without progress after which work is considered hung, and its job is left to another worker."""


class LeaseRenewal:
    """Renews a job's lease within a `with`; its work calls `watch`, with pauses of up to `silence` seconds."""

    def __init__(self, kind: jobs.Jobs, job_id: int, lease: str, *, silence: float = 0.0) -> None:
        self._kind, self._job_id, self._lease = kind, job_id, lease
        self._silence = max(silence, LONGEST_SILENCE)
        self._progress, self._reported_at = 0, time.monotonic()
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
        """Report the fraction done; raises LeaseLost if the job was cancelled or another worker has it."""
        if self._lost.is_set():
            raise jobs.LeaseLost
        self._progress, self._reported_at = min(99, max(0, int(100 * part))), time.monotonic()

    def _beat(self) -> None:
        try:
            while not self._over.wait(BETWEEN_BEATS) and time.monotonic() - self._reported_at < self._silence:
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
