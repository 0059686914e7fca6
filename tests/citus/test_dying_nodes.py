"""A server dies at a chosen word of a transaction over several nodes: all of it is done or nothing, on every node.

Between the coordinator and one node is a wire that knows the two phases of a commit. As PREPARE or COMMIT PREPARED
comes by, or once the node has done it and nobody knows yet, that node or the coordinator is gone, as if its machine
had. It is started again, and Citus ends what was prepared: until the coordinator has committed nothing, then all.
"""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.citus.cluster import (
    ROOT,
    Cluster,
    Node,
    add_node,
    create_database,
    environment,
    make_tables,
    running,
)
from tests.citus.wire import Strike, Wire

NAME, PARTS, REPORTS = "dying", 4, 40
SERVE = f"""
import json, secrets, sys
from hashlib import sha256
import django
django.setup()
from django.db import connection
from collector.designs import parts
from collector.designs.services import close_design, freeze_design
from collector.models import FrozenDesign, Report, ReportArchive
from collector.reports import archiving, folding, purging, rewriting, selectors, storing
from collector.reports.storing import NewReport
from tests.factories import payloads
from tests.storage.reading import told

def make(version):
    digest = freeze_design(payloads.document(version=version)).digest
    parts.split_design(digest, {PARTS})
    return digest

def fill(digest):
    storing.store([NewReport(secrets.token_bytes(16), digest, 0, b"\\1\\2", 0) for _ in range({REPORTS})])
    close_design(digest)
    return folding.fold(digest)

def count(digest):
    return int(selectors.totals(digest)[0].sum())

def archive(digest):
    return archiving.archive(digest).state

def places(digest):
    mine = Report.objects.filter(design__in=FrozenDesign.objects.filter(digest__in=parts.keys(digest)))
    return [mine.count(), list(ReportArchive.objects.filter(design=digest).values_list("state", flat=True))]

ACTS = {{
    "make": make, "fill": fill, "count": count, "close": close_design, "purge": purging.purge, "archive": archive,
    "put back": archiving.put_back, "finish": archiving.finish, "places": places,
    "rewrite": rewriting.rewrite_closed, "told": lambda digest: sha256(repr(told(digest)).encode()).hexdigest(),
}}
for line in sys.stdin:
    act, *given = json.loads(line)
    try:
        said = ACTS[act](*given)
    except Exception as error:
        said = {{"error": type(error).__name__}}
        print(error, file=sys.stderr, flush=True)
    connection.close()
    print(json.dumps(said), flush=True)
"""
MINE = "coalesce(part_of_id, digest) = '{0}'"
STATE = (
    f"SELECT count(closed_on), count(purged_on), (SELECT count(*) FROM collector_report JOIN collector_frozendesign "
    f"ON number = design_id WHERE {MINE}) FROM collector_frozendesign WHERE {MINE}"
)
CLOSED = "SELECT digest, closed_on IS NULL, purged_on IS NULL FROM collector_frozendesign ORDER BY 1"
PENDING = "SELECT count(*) FROM pg_prepared_xacts WHERE database = current_database()"
ACTIVITY = (
    "SELECT state, wait_event, left(query, 80) FROM pg_stat_activity WHERE datname = current_database() "
    "AND pid <> pg_backend_pid()"
)
PREPARE, COMMIT = b"PREPARE TRANSACTION", b"COMMIT PREPARED"
PATIENCE, TRIES = 180.0, 5


@dataclass
class Struck:
    """A cluster whose first node is reached by the wire, and a process that does what it is told."""

    cluster: Cluster
    wire: Wire
    worker: "subprocess.Popen[str]"
    designs: int = 0

    @property
    def node(self) -> Node:
        return self.cluster.workers[0]

    def begin(self, *words: object) -> None:
        assert self.worker.stdin is not None
        self.worker.stdin.write(json.dumps(words) + "\n")
        self.worker.stdin.flush()

    def said(self) -> object:
        assert self.worker.stdout is not None
        return json.loads(self.worker.stdout.readline())

    def do(self, *words: object) -> object:
        """Do an act, again where a connection was lost meanwhile, as whoever asked for it does."""
        for _ in range(TRIES):
            self.begin(*words)
            if not isinstance(said := self.said(), dict):
                return said
        raise AssertionError(said)

    def make(self) -> str:
        """A new design in parts on both nodes."""
        self.designs += 1
        return str(self.do("make", self.designs))

    def strike(self, word: bytes, *, after: bool, victim: Node, act: tuple[object, ...]) -> object:
        """Do the act, at whose word the victim dies; what was said of it, once everything is well again."""
        done = (lambda: self._pending() == (word == PREPARE)) if after else None
        self.wire.arm(Strike(word, lambda: victim.stop(signal.SIGQUIT), done))
        self.begin(*act)
        try:
            assert self.wire.struck.wait(PATIENCE), f"no transaction of two phases came by: {self._activity()}"
            assert self.wire.failure is None, self.wire.failure
        finally:  # a strike that failed leaves the next ones a server
            victim.stop()
            victim.start()
        said = self.said()
        self._recover()
        return said

    def state(self, digest: str) -> tuple[int, ...]:
        """Of its parts how many are closed and purged, and how many folded reports are left."""
        ((found),) = self.cluster.coordinator.execute(STATE.format(digest), NAME)
        return tuple(int(str(one)) for one in found)

    def _activity(self) -> list[list[tuple[object, ...]]]:
        """What each server waits for."""
        return [one.execute(ACTIVITY, NAME) for one in self.cluster.nodes]

    def _pending(self) -> bool:
        return self.node.execute(PENDING, NAME) != [(0,)]

    def _recover(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while True:
            self.cluster.coordinator.execute("SELECT recover_prepared_transactions()", NAME)
            pending = [one.execute(PENDING, NAME) for one in self.cluster.nodes]
            copies = [one.execute(CLOSED, NAME) for one in self.cluster.nodes]
            if pending == [[(0,)]] * 3 and copies[0] == copies[1] == copies[2]:
                return
            assert time.monotonic() < deadline, (pending, copies)
            time.sleep(0.2)


@contextmanager
def struck(cluster: Cluster, folder: Path) -> Iterator[Struck]:
    coordinator, first, second = (one.port for one in cluster.nodes)
    wire = Wire(first)
    create_database(NAME, [coordinator])
    add_node(NAME, coordinator, first, reached_by=wire.port)
    add_node(NAME, coordinator, second)
    there = environment(cluster.coordinator.url(NAME), folder / "data")
    make_tables(there, shards=8)
    with (
        (folder / "worker.log").open("w") as log,
        subprocess.Popen(
            [sys.executable, "-c", SERVE],
            cwd=ROOT, env=there | {"DJANGO_SETTINGS_MODULE": "config.settings"},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
        ) as worker,
    ):  # fmt: skip
        try:
            yield Struck(cluster, wire, worker)
        finally:
            assert worker.stdin is not None
            worker.stdin.close()
            wire.close()


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Struck]:
    with running() as cluster, struck(cluster, tmp_path_factory.mktemp("dying")) as made:
        yield made


POINTS = [
    pytest.param(word, after, on_node, id=f"{'after' if after else 'before'} {word.decode().lower()} {victim}")
    for word, after in ((PREPARE, False), (PREPARE, True), (COMMIT, False), (COMMIT, True))
    for victim, on_node in (("node", True), ("coordinator", False))
]


@pytest.mark.parametrize(("word", "after", "on_node"), POINTS)
def test_close_with_a_server_dead_closes_all_parts_or_none(
    there: Struck, word: bytes, *, after: bool, on_node: bool
) -> None:
    digest = there.make()
    victim = there.node if on_node else there.cluster.coordinator
    there.strike(word, after=after, victim=victim, act=("close", digest))
    closed, *_ = there.state(digest)
    assert closed == (PARTS if word == COMMIT else 0)
    there.do("close", digest)
    assert there.state(digest)[0] == PARTS


@pytest.mark.parametrize(("word", "after", "on_node"), POINTS)
def test_purge_with_a_server_dead_marks_all_parts_or_none(
    there: Struck, word: bytes, *, after: bool, on_node: bool
) -> None:
    """Whatever is left is deleted by the next try, and the totals stay."""
    digest = there.make()
    assert there.do("fill", digest) == REPORTS
    victim = there.node if on_node else there.cluster.coordinator
    there.strike(word, after=after, victim=victim, act=("purge", digest))
    closed, purged, left = there.state(digest)
    assert (closed, purged) in ((PARTS, 0), (PARTS, PARTS))
    assert purged or left == REPORTS, "deleted before they were marked"
    there.do("purge", digest)
    assert there.state(digest) == (PARTS, PARTS, 0)
    assert there.do("count", digest) == REPORTS


@pytest.mark.parametrize("direction", ["archive", "put back"])
@pytest.mark.parametrize(("word", "after", "on_node"), POINTS)
def test_move_with_a_server_dead_loses_nothing_and_is_finished(
    there: Struck, word: bytes, direction: str, *, after: bool, on_node: bool
) -> None:
    """Of an archive and its rows one is whole at any time, and afterwards there is one of them alone."""
    digest = there.make()
    assert there.do("fill", digest) == REPORTS
    assert there.do("rewrite")
    before = there.do("told", digest)
    if direction == "put back":
        assert there.do("archive", digest) == "archived"
    victim = there.node if on_node else there.cluster.coordinator
    there.strike(word, after=after, victim=victim, act=(direction, digest))
    assert there.do("told", digest) == before
    there.do("finish", digest)
    assert there.do("places", digest) in ([REPORTS, []], [0, ["archived"]])
    assert there.do("told", digest) == before
