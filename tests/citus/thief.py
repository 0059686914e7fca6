"""Somebody holds one node of a cluster: its tables, a dump of them, its files and its write-ahead log."""

import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psycopg

from config.postgresql import USER
from tests.citus.cluster import PROGRAMS
from tests.storage.attacking import Order

SHOWN = "-c citus.override_table_visibility=off -c citus.enable_manual_changes_to_shards=on"
"""Citus hides the tables of shards from who looks at a node, and lets nobody lock them, as a dump does."""

SHARDS = r"SELECT relname FROM pg_class WHERE relkind = 'r' AND relname ~ ('^' || %s || '_[0-9]+$') ORDER BY 1"
LOW = np.uint64(0xFFFF)
ORDERS = {
    "plain select": "",
    "ctid": "ORDER BY ctid",
    "xmin": "ORDER BY xmin::text::bigint, ctid",
    "cmin": "ORDER BY cmin::text::bigint, ctid",
}


@dataclass(frozen=True)
class Thief:
    """Of the node with this port, and a database there."""

    port: int
    database: str

    def shards(self, table: str) -> list[str]:
        """The tables in which rows of a distributed one are, or were before they were moved to another node."""
        return [str(name) for (name,) in self._asked(SHARDS, table)]

    def size(self, table: str) -> int:
        """Bytes of a table of the node under its own name, without shards."""
        return int(str(self._asked("SELECT pg_relation_size(%s::regclass)", table)[0][0]))

    def stamps(self, shard: str) -> int:
        """How many transactions wrote the rows that are there."""
        return int(str(self._asked(f"SELECT count(DISTINCT xmin::text) FROM {shard}")[0][0]))

    def orders(self, shard: str, column: str = "nonce") -> dict[str, Order]:
        """Every order of the rows of a shard."""
        found = {
            name: [bytes(one) for (one,) in self._asked(f"SELECT {column} FROM {shard} {order}")]  # type: ignore[arg-type]
            for name, order in ORDERS.items()
        }
        return found | {"dump": self._dumped(shard, column)}

    def checkpoint(self) -> None:
        """Have the node write its pages; files of its log from before the last one go."""
        self._asked("CHECKPOINT")

    def files(self, nonces: Order) -> dict[str, Order]:
        """In each file but the log's that holds some of them: those, the one first that stands first."""
        self.checkpoint()
        folder = self._folder()
        held = {
            path: order_in(path.read_bytes(), nonces)
            for path in folder.rglob("*")
            if path.is_file() and "pg_wal" not in path.parts
        }
        return {str(path.relative_to(folder)): order for path, order in held.items() if order}

    def logged(self, nonces: Order) -> Order:
        """Those that stand in the write-ahead log, the one first that was written first."""
        files = sorted((self._folder() / "pg_wal").glob("0*"))
        return order_in(b"".join(file.read_bytes() for file in files), nonces)

    def _folder(self) -> Path:
        return Path(str(self._asked("SHOW data_directory")[0][0]))

    def _asked(self, statement: str, *values: object) -> list[tuple[object, ...]]:
        where = f"postgresql://{USER}@127.0.0.1:{self.port}/{self.database}"
        with psycopg.connect(where, options=SHOWN, autocommit=True) as there:
            done = there.execute(statement.encode(), values or None)
            return done.fetchall() if done.description else []

    def _dumped(self, shard: str, column: str) -> Order:
        where = ["--host", "127.0.0.1", "--port", str(self.port), "--username", USER]
        command = [PROGRAMS / "pg_dump", "--data-only", "--table", shard, *where, self.database]
        shown = os.environ | {"PGOPTIONS": SHOWN}
        done = subprocess.run(command, env=shown, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return list(_column(done.stdout, column))


def order_in(content: bytes, nonces: Order) -> Order:
    """Those of the nonces that the bytes hold, the one first that stands first.

    They are looked for all at once, by the first eight bytes of each at every place.
    """
    heads = {int.from_bytes(nonce[:8], "little"): nonce for nonce in nonces}
    known = np.array(sorted(heads), dtype=np.uint64)
    begun = np.zeros(1 << 16, dtype=bool)
    begun[(known & LOW).astype(np.intp)] = True
    found: dict[bytes, int] = {}
    for shift in range(min(8, len(content))):
        words = np.frombuffer(content, dtype="<u8", offset=shift, count=(len(content) - shift) // 8)
        places = np.flatnonzero(begun[(words & LOW).astype(np.intp)])
        for place in places[np.isin(words[places], known)].tolist():
            nonce, at = heads[int(words[place])], 8 * place + shift
            if content[at : at + len(nonce)] == nonce:
                found[nonce] = min(at, found.get(nonce, at))
    return sorted(found, key=found.__getitem__)


def _column(dump: str, column: str) -> Iterator[bytes]:
    head = re.search(r"^COPY \S+ \((.*)\) FROM stdin;$", dump, re.MULTILINE)
    assert head is not None, dump
    place = head[1].split(", ").index(column)
    for line in dump[head.end() :].partition("\n\\.\n")[0].splitlines()[1:]:
        yield bytes.fromhex(line.split("\t")[place].removeprefix("\\\\x"))
