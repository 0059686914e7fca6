"""A report writer for each node of a cluster, and one where there is one server.

What comes together and shares a transaction goes to one node. Those of a node that is dead, or answers nothing at all,
wait for it in a thread, on a connection and in a queue of its own: the reports of others go on as before.
"""

from collections.abc import Callable

from collector.endpoint.writer import Store, Then, Writer
from collector.reports.storing import NewReport, Outcome


class Writers:
    """Stores reports with `store`, those of each node by a writer of their own; `node_of` must not wait."""

    def __init__(self, store: Store, node_of: Callable[[NewReport], str | None]) -> None:
        self._store, self._node_of = store, node_of
        self._writers: dict[str | None, Writer] = {}

    def put(self, report: NewReport) -> Outcome:
        """As `Writer.put`."""
        return self._writer_of(report).put(report)

    def submit(self, report: NewReport, then: Then) -> None:
        """As `Writer.submit`."""
        self._writer_of(report).submit(report, then)

    def _writer_of(self, report: NewReport) -> Writer:
        node = self._node_of(report)
        found = self._writers.get(node)
        return found or self._writers.setdefault(node, Writer(self._store))  # of two threads the first one's
