"""The report writer, one thread per process: reports that arrive together share a transaction.

Whoever hands in a report waits until it is on disk. A commit costs the same for one report and for a hundred, so
while one is being made the next reports gather, and the more there are the less each of them costs.
"""

import contextlib
import copy
import logging
import threading
import time
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from collector.database.distribution import is_distributed
from collector.database.replication import is_read_only, may_pass
from collector.errors import RETRY, RequestRefused, not_stored
from collector.reports.storing import NewReport, Outcome

TOGETHER = 256
"""Maximum number of reports in one transaction."""

GATHER = 0.001
"""Seconds for which more reports gather once several came together: a statement and a commit cost the same for all."""

WAITING = 512
"""Maximum number of waiting reports: a lecture hall that sends in the same second."""

PATIENCE = 15.0
"""Seconds that a report waits; the browser's attempt times out after 20."""

PLANS = "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off"
"""For few statements, again and again, each of which finds its rows by their keys however many there are.

Set once connected: PgBouncer does not pass on what a client asks for while it connects."""

PLANS_ON_CLUSTER = "SET plan_cache_mode = force_custom_plan"
"""The coordinator has to see a design's number as it plans: only so it hands the whole call on to the design's node."""

logger = logging.getLogger(__name__)

Store = Callable[[Sequence[NewReport]], Sequence[Outcome]]


Then = Callable[[Outcome | None], None]
"""Callback with the outcome of a report, None if it could not be stored."""


class Writer:
    """Stores reports with `store`, in a thread that is started with the first one."""

    def __init__(self, store: Store, *, waiting: int = WAITING, patience: float = PATIENCE) -> None:
        self._store, self._most, self._patience = store, waiting, patience
        self._queue: SimpleQueue[tuple[NewReport, Then]] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()
        self._stuck_at = float("inf")
        """When what is being written will have taken too long (monotonic seconds)."""

    @property
    def waiting(self) -> int:
        """The number of queued reports that are not being written yet."""
        return self._queue.qsize()

    def put(self, report: NewReport) -> Outcome:
        """Store one report, on disk when this returns.

        Raises RequestRefused where too many wait, or the database does not take it in time. It may be stored all the
        same: a retry of the same report is harmless and tells.
        """
        outcomes: SimpleQueue[Outcome | None] = SimpleQueue()
        self.submit(report, outcomes.put)
        try:
            outcome = outcomes.get(timeout=self._patience)
        except Empty:
            outcome = None
        if outcome is None:
            raise not_stored()
        return outcome

    def submit(self, report: NewReport, then: Then) -> None:
        """Queue one report; `then` is called by the writer's thread once it is on disk or has failed.

        Raises RequestRefused where too many wait, or the database is stuck.
        """
        if self.waiting >= self._most or time.monotonic() > self._stuck_at:
            words = "Too many responses are waiting to be stored. Try again in a moment."
            raise RequestRefused(503, "report", words, retry=RETRY)
        self._queue.put((report, then))
        if self._thread is None or not self._thread.is_alive():
            self._start()

    def _start(self) -> None:
        with self._starting:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        _leave_the_pool()
        batch: list[tuple[NewReport, Then]] = []
        while True:
            batch = self._batch(gather=len(batch) > 1)
            outcomes: Sequence[Outcome | None] = [None] * len(batch)
            self._stuck_at = time.monotonic() + self._patience
            try:
                outcomes = self._outcomes([report for report, _ in batch])
            except BaseException as error:
                # Whatever it is: this thread is the only one of its kind, and who waits is told.
                logger.error("the writer failed: %s", type(error).__name__)
            finally:
                self._stuck_at = float("inf")
                for (_, then), outcome in zip(batch, outcomes, strict=True):
                    then(outcome)

    def _batch(self, *, gather: bool) -> list[tuple[NewReport, Then]]:
        """Take the queued reports, at least one and at most TOGETHER; those of a moment longer if `gather`."""
        batch = [self._queue.get()]
        if gather and self.waiting + 1 < TOGETHER:
            time.sleep(GATHER)
        with contextlib.suppress(Empty):
            while len(batch) < TOGETHER:
                batch.append(self._queue.get_nowait())
        return batch

    def _outcomes(self, reports: Sequence[NewReport], *, again: bool = True) -> Sequence[Outcome | None]:
        """Store reports and return their outcomes, None if not stored. Reconnects after a lost connection."""
        try:
            return self._store(reports)
        except Exception as error:
            # Its own words may quote the row.
            logger.warning("%d reports were not stored: %s", len(reports), type(error).__name__)
            lost, demoted = _throw_away_connection(error), is_read_only(error)
            if (lost or demoted) and again:
                return self._outcomes(reports, again=False)
            if len(reports) == 1 or may_pass(error):
                return [None] * len(reports)
        # One of them cannot be written; it must not take the others down.
        return [outcome for report in reports for outcome in self._outcomes([report])]


def _leave_the_pool() -> None:
    """Give this thread an unpooled connection: a pool would wait where a direct attempt fails at once."""
    pooled = connections["default"]
    settings = copy.deepcopy(pooled.settings_dict)
    settings["OPTIONS"].pop("pool", None)
    own = connections["default"] = type(pooled)(settings, "default")
    if own.vendor != "postgresql":
        return
    settings["OPTIONS"] |= {"server_side_binding": True, "prepare_threshold": 2}

    def plan_by_keys(connection: BaseDatabaseWrapper, **_given: object) -> None:
        if connection is own:
            assert connection.connection is not None
            connection.connection.execute(PLANS_ON_CLUSTER if is_distributed() else PLANS)

    connection_created.connect(plan_by_keys, weak=False)


def _throw_away_connection(error: Exception) -> bool:
    """Close the connection; return True if the database had lost it, as after a restart.

    The one to a cluster's coordinator stays, if it can: a node that is away would have it opened anew for each attempt.
    """
    connection = connections["default"]
    lost = connection.connection is None or not connection.is_usable()
    if not lost and may_pass(error) and not is_read_only(error) and is_distributed():
        return False
    with contextlib.suppress(Exception):
        connection.close()
    return lost
