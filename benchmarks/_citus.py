"""Installations on a Citus cluster, of which each has a database spread over some of the nodes, and their processors.

All databases are on the same servers, so that they can be measured in turns: one of each number of nodes, and one that
is not distributed at all.
"""

import contextlib
import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import _filled
from benchmarks._processor import processor_time
from benchmarks.reports import OWN, load, serving
from tests.citus.cluster import Cluster, create_database
from tests.system.installation import ROOT

ONE_SERVER = 0
"""In the place of the number of nodes: a database of the coordinator alone, without Citus."""

DESIGNS = 16
SHARDS = 32
PATH = "/s/campus/reports"


@dataclass(frozen=True)
class Used:
    """Seconds of processors."""

    ours: float
    coordinator: float
    nodes: float

    @property
    def all(self) -> float:
        return self.ours + self.coordinator + self.nodes

    def __sub__(self, other: "Used") -> "Used":
        return Used(self.ours - other.ours, self.coordinator - other.coordinator, self.nodes - other.nodes)

    def __truediv__(self, count: float) -> "Used":
        return Used(self.ours / count, self.coordinator / count, self.nodes / count)


class Site:
    """A web process, and a process that folds, on a database of so many nodes."""

    def __init__(self, cluster: Cluster, web: tuple[int, int], folding: "subprocess.Popen[str]") -> None:
        self._cluster, (self.port, self._web), self._folding = cluster, web, folding
        self.acknowledged = 0
        self.designs = {digest: int(node) for digest, node in self._said().items()}
        """By the digest of each open design the port of its node."""

    def bodies(self, digests: Sequence[str]) -> dict[str, Any]:
        """Ask the client for reports of these designs in turns."""
        sent = [
            {"design": digest, "nonce": "NONCE", "stratum": "y1", "report": "00" * _filled.ITEMS} for digest in digests
        ]
        bodies = [json.dumps(one, separators=(",", ":")) for one in sent]
        headers = {"Content-Type": "application/json", "Origin": f"http://127.0.0.1:{self.port}"}
        return {"port": self.port, "path": PATH, "bodies": bodies, "headers": headers, "status": 201}

    def store(self, digests: Sequence[str], **asked: Any) -> tuple[dict[str, float], Used]:
        """Send reports of these designs; what the client said, and what one took of processors."""
        before = self.used(self._web)
        said = load(**self.bodies(digests) | asked)
        self.acknowledged += int(said["answers"])
        return said, (self.used(self._web) - before) / max(said["answers"], 1)

    def fold(self) -> Used:
        """Fold whatever waits; what one report took."""
        before = self.used(self._folding.pid)
        count = self._ask("fold")["folded"]
        return (self.used(self._folding.pid) - before) / max(count, 1)

    def stored(self) -> dict[str, int]:
        """The number of reports of each design, counted row by row."""
        return {digest: int(count) for digest, count in self._ask("count").items()}

    def used(self, pid: int) -> Used:
        """What the process, the coordinator's server and the nodes' have used so far."""
        coordinator, *nodes = [processor_time(one.server.pid) for one in self._cluster.nodes if one.server]
        return Used(processor_time(pid), coordinator, sum(nodes))

    def _ask(self, word: str) -> dict[str, Any]:
        assert self._folding.stdin is not None
        self._folding.stdin.write(f"{word}\n")
        self._folding.stdin.flush()
        return self._said()

    def _said(self) -> dict[str, Any]:
        assert self._folding.stdout is not None
        line = self._folding.stdout.readline()
        if not line:
            raise SystemExit("The process that folds has ended.")
        return dict(json.loads(line))


def database(nodes: int) -> str:
    return f"candor{nodes}"


def new_nonces(count: int, folder: Path) -> str:
    """A file with so many nonces: a client that has it ends after the last one."""
    file = folder / "nonces.txt"
    file.write_text("\n".join(secrets.token_hex(16) for _ in range(count)))
    return str(file)


@contextlib.contextmanager
def site(cluster: Cluster, nodes: int, broker: str) -> Iterator[Site]:
    """A new database over the first nodes of the cluster, and processes that use it."""
    name = database(nodes)
    create_database(name, [one.port for one in cluster.nodes[: nodes + 1]])
    kept = {key: value for key, value in os.environ.items() if key != "DJANGO_SETTINGS_MODULE"}
    environment = kept | OWN | {
        "CANDOR_DATA": str(cluster.folder / f"data{nodes}"),
        "DATABASE_URL": cluster.coordinator.url(name),
        "REDIS_URL": broker,
    }  # fmt: skip
    command = [sys.executable, "-m", "benchmarks.citus", "--here", str(nodes)]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment | {"DJANGO_SETTINGS_MODULE": "config.settings"},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as folding:  # fmt: skip
        assert folding.stdout is not None
        if not folding.stdout.readline():  # the tables are there, and distributed
            raise SystemExit("The tables were not made.")
        try:
            with serving(environment, 1) as web:
                yield Site(cluster, web, folding)
        finally:
            assert folding.stdin is not None
            folding.stdin.close()


def serve(nodes: int) -> None:
    """The process that folds: it makes the tables and designs, then does what each line of its input says."""
    _filled.prepare()
    from django.core.management import call_command

    if nodes != ONE_SERVER:
        call_command("distribute", shards=SHARDS, stdout=sys.stderr)
    digests = _designs()
    print(flush=True)
    print(json.dumps(_nodes(digests)), flush=True)
    for line in sys.stdin:
        print(json.dumps(_fold(digests) if line.strip() == "fold" else _count(digests)), flush=True)


def _designs() -> list[str]:
    from collector.designs.services import freeze_design
    from tests.factories import payloads

    item = payloads.document()["items"][0]
    items = [item | {"key": f"q{number}"} for number in range(_filled.ITEMS)]
    return [freeze_design(payloads.document(items=items, version=2 + one)).digest for one in range(DESIGNS)]


def _nodes(digests: Sequence[str]) -> dict[str, int]:
    from django.db import connection

    from collector.database import distribution
    from collector.models import FrozenDesign

    found = dict.fromkeys(digests, 0)
    if distribution.is_distributed():
        with connection.cursor() as cursor:
            for number, digest in FrozenDesign.objects.filter(digest__in=digests).values_list("number", "digest"):
                cursor.execute(
                    "SELECT nodeport FROM citus_shards WHERE shardid = "
                    "get_shard_id_for_distribution_column('collector_report', %s)",
                    [number],
                )
                found[digest] = cursor.fetchone()[0]
    return found


def _fold(digests: Sequence[str]) -> dict[str, int]:
    from collector.reports import folding

    return {"folded": sum(folding.fold(digest, wait=False) for digest in digests)}


def _count(digests: Sequence[str]) -> dict[str, int]:
    from collector.models import Report, WaitingReport

    return {
        digest: sum(table.objects.filter(design__digest=digest).count() for table in (Report, WaitingReport))
        for digest in digests
    }
