"""An installation on a cluster of its own: a web process, one that folds and rewrites, and people who send reports."""

import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import psycopg

from collector.designs import Design, check
from config.postgresql import USER
from config.processes import commands, free_port
from tests.chaos.sending import Sender
from tests.citus.cluster import ROOT, Cluster, create_database, environment, make_tables, manage
from tests.factories import payloads
from tests.system.installation import wait_until

NAME = "site"
DESIGNS, PARTS = 6, 4
MAKE = f"""
from collector.designs import parts
from collector.designs.services import freeze_design
from tests.factories import payloads
for version in range(1, {DESIGNS} + 1):
    freeze_design(payloads.document(version=version))
parts.split_design(freeze_design(payloads.document(version={DESIGNS} + 1)).digest, {PARTS})
"""
FOLD = """
import itertools, time
from django.db import connection
from collector.reports import rewriting
from estimator.tasks import fold_waiting
for turn in itertools.count():
    try:
        fold_waiting()
        if turn % 10 == 9:
            rewriting.rewrite()
    except Exception as error:  # as a worker: the next wake-up tries again
        print(type(error).__name__, str(error)[:300], flush=True)
        connection.close()
    time.sleep(0.2)
"""
CLOSE = """
from collector.designs.services import close_design
from collector.models import FrozenDesign
from collector.reports import folding, rewriting
for digest in FrozenDesign.objects.filter(part_of=None).values_list("digest", flat=True):
    close_design(digest)
    folding.fold(digest)
assert rewriting.rewrite_closed()
"""
WHOLE = "coalesce(part_of_id, digest)"
STORED = f"""
SELECT {WHOLE}, stored.stratum, encode(stored.nonce, 'hex'), stored.report
FROM collector_frozendesign JOIN {{}} AS stored ON stored.design_id = number
"""
TALLIES = f"""
SELECT {WHOLE}, stratum, position, symbol, sum(count)
FROM collector_tally JOIN collector_frozendesign ON number = design_id GROUP BY 1, 2, 3, 4
"""
PLACES = f"""
SELECT {WHOLE}, array_agg(DISTINCT placed.nodeport) FROM collector_frozendesign JOIN pg_dist_shard_placement AS placed
ON placed.shardid = get_shard_id_for_distribution_column('collector_report', number) GROUP BY 1
"""
WAITS_AT = """
SELECT placed.nodeport, shard_name('collector_waitingreport'::regclass, placed.shardid)
FROM collector_frozendesign JOIN pg_dist_shard_placement AS placed
ON placed.shardid = get_shard_id_for_distribution_column('collector_waitingreport', number) WHERE digest = '{}'
"""
PATIENCE = 180.0


class Respondents(Sender):
    """Those of a survey, one after the other; what they were answered, and when.

    They are as patient as the page (transport.js), so every request gets an answer: 503 from a server that cannot store
    its report in time.
    """

    patience = 20.0

    def __init__(self, design: Design, port: int, number: int, *, apart: float) -> None:
        super().__init__(design, port, number, apart=apart)
        self.said: list[tuple[float, str]] = []

    def between(self, start: float, end: float) -> Counter[str]:
        """What they were answered within these moments."""
        return Counter(said for at, said in self.said if start <= at < end)

    def _try(self, body: bytes) -> str:
        said = super()._try(body)
        self.said.append((time.monotonic(), said))
        return said


@dataclass
class Site:
    """The cluster, the port of the web process, and who sends."""

    cluster: Cluster
    folder: Path
    port: int
    senders: list[Respondents] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        more = {"CANDOR_URL": f"http://127.0.0.1:{self.port}", "CANDOR_REPORTS_BY_ADDRESS": "off"}
        return environment(self.cluster.coordinator.url(NAME), self.folder / "data") | more

    @cached_property
    def designs(self) -> list[Design]:
        """Those of MAKE, the one in parts last."""
        return [check(payloads.document(version=version)) for version in range(1, DESIGNS + 2)]

    def asked(self, statement: str) -> list[tuple[object, ...]]:
        return self.cluster.coordinator.execute(statement, NAME)

    def places(self) -> dict[str, list[int]]:
        """By the digest of each design the ports of the nodes that it lies on."""
        return {str(digest): sorted(ports) for digest, ports in self.asked(PLACES)}  # type: ignore[call-overload]

    @contextmanager
    def locked(self, design: Design) -> Iterator[None]:
        """Nothing is stored of a design meanwhile, as at the end of a shard's move."""
        ((port, shard),) = self.asked(WAITS_AT.format(design.digest))
        with psycopg.connect(f"postgresql://{USER}@127.0.0.1:{port}/{NAME}") as node:
            node.execute("SET citus.enable_manual_changes_to_shards = on")
            node.execute(f"LOCK TABLE {shard} IN ACCESS EXCLUSIVE MODE".encode())
            yield

    def go_on(self, seconds: float) -> float:
        """Let the others go on for a while; the moment afterwards."""
        time.sleep(seconds)
        return time.monotonic()

    def begin(self, *, apart: float) -> None:
        """One sender for each design."""
        self.senders = [
            Respondents(one, self.port, number, apart=apart) for number, one in enumerate(self.designs, start=1)
        ]
        for one in self.senders:
            one.start()

    def end(self) -> None:
        for one in self.senders:
            one.last.set()
        for one in self.senders:
            one.leave_acknowledged(PATIENCE)
            assert one.answers.keys() <= {"201", "200", "503"}, one.answers

    def require_each_once(self) -> None:
        """Close all surveys; what was acknowledged is stored once, and the totals are those of what is stored."""
        manage(self.environment, "shell", "-c", CLOSE)
        assert not self.asked(STORED.format("collector_waitingreport"))
        found: defaultdict[object, Counter[str]] = defaultdict(Counter)
        recount: Counter[tuple[object, ...]] = Counter()
        for digest, stratum, nonce, report in self.asked(STORED.format("collector_report")):
            found[digest][str(nonce)] += 1
            recount.update((digest, stratum, *one) for one in enumerate(bytes(report)))  # type: ignore[call-overload]
        for one in self.senders:
            stored = found[one.design.digest]
            assert stored.keys() >= one.acknowledged, "acknowledged and lost"
            assert stored.keys() <= one.sent.keys(), "never sent"
            assert set(stored.values()) == {1}, "stored twice"
        assert {row[:4]: int(str(row[4])) for row in self.asked(TALLIES)} == recount


@contextmanager
def site(cluster: Cluster, nodes: int, folder: Path) -> Iterator[Site]:
    """Processes on a new database over the first nodes of the cluster, with its surveys."""
    create_database(NAME, [one.port for one in cluster.nodes[: nodes + 1]])
    made = Site(cluster, folder, free_port())
    make_tables(made.environment, shards=8)
    manage(made.environment, "shell", "-c", MAKE)
    web = commands("127.0.0.1", made.port)["web server"]
    folding = [sys.executable, "manage.py", "shell", "-c", FOLD]
    running = [_started(made, command, name) for name, command in (("web", web), ("folding", folding))]
    try:
        wait_until(lambda: _answers(made.port), PATIENCE)
        yield made
    finally:
        for one in made.senders:
            one.last.set()
        for process in running:
            process.terminate()
            process.wait(timeout=PATIENCE)


def _started(made: Site, command: Sequence[str], name: str) -> "subprocess.Popen[bytes]":
    with (made.folder / f"{name}.log").open("wb") as log:
        return subprocess.Popen(command, cwd=ROOT, env=made.environment, stdout=log, stderr=subprocess.STDOUT)


def _answers(port: int) -> bool:
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()
