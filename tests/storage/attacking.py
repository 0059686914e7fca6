"""Somebody holds the database, its files and a backup, and says in which order the reports came."""

import re
import sqlite3
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterator
from math import sqrt
from pathlib import Path

import numpy as np
from django.db import connection, connections
from scipy.stats import spearmanr

from config.postgresql import binary
from tests.system.installation import wait_until

TABLE = "collector_report"
PAGE = 4_096
"""Bytes of a page of SQLite's file."""

Order = list[bytes]
"""Nonces, the one that came first first, as somebody believes."""


def attacks(table: str = TABLE, column: str = "nonce") -> dict[str, Callable[[], Order]]:
    """Every way to an order that this kind of database has."""
    found = {"plain select": lambda: asked(f"SELECT * FROM {table}", column)}
    if connection.vendor == "sqlite":
        found["place in the file"] = lambda: places(table, column)
        found["dump"] = lambda: sqlite_dump(table)
        if has_rowid(table):
            found["rowid"] = lambda: asked(f"SELECT * FROM {table} ORDER BY rowid", column)
    else:
        found["ctid"] = lambda: asked(f"SELECT * FROM {table} ORDER BY ctid", column)
        found["xmin"] = lambda: asked(f"SELECT * FROM {table} ORDER BY xmin::text::bigint, ctid", column)
        found["cmin"] = lambda: asked(f"SELECT * FROM {table} ORDER BY cmin::text::bigint, ctid", column)
        found["dump"] = lambda: postgresql_dump(table, column)
    return found


def asked(statement: str, column: str = "nonce") -> Order:
    """The nonces, or whatever the column holds, of the rows that a statement gives."""
    with connection.cursor() as cursor:
        cursor.execute(statement)
        place = [described[0] for described in cursor.description].index(column)
        return [bytes(row[place]) for row in cursor.fetchall()]


def has_rowid(table: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT sql FROM sqlite_master WHERE name = %s", [table])
        return "WITHOUT ROWID" not in cursor.fetchone()[0]


def places(table: str, column: str = "nonce") -> Order:
    """Within a page SQLite puts a new row below those that are there: the lowest is the last that came."""
    return [nonce for page in pages(table, column) for nonce in page]


def pages(table: str, column: str = "nonce") -> list[Order]:
    """What each page of SQLite's file holds, the highest row first."""
    wait_until(_moved, 30)  # a thread that a test began in this process may be cutting the log just now
    return _pages(Path(connection.settings_dict["NAME"]), asked(f"SELECT * FROM {table}", column))


def _moved() -> bool:
    """Whether all of SQLite's log is in the file now."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        busy, *_ = cursor.fetchone()
    return not busy


def pages_without_an_arrival(table: str, file: Path) -> list[Order]:
    """How the same rows would lie that had come all at once in the order of their keys."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT sql FROM sqlite_master WHERE name = %s", [table])
        (made,) = cursor.fetchone()
        cursor.execute(f"SELECT design_id, stratum, mode, nonce, report FROM {table}")
        rows = sorted(cursor.fetchall(), key=lambda row: row[3])
    there = sqlite3.connect(file)
    there.execute(made)
    there.executemany(f"INSERT INTO {table} (design_id, stratum, mode, nonce, report) VALUES (?, ?, ?, ?, ?)", rows)
    there.commit()
    there.execute("VACUUM")
    there.close()
    return _pages(file, [row[3] for row in rows])


def _pages(file: Path, nonces: Order) -> list[Order]:
    content, found = file.read_bytes(), defaultdict(list)
    for nonce in nonces:
        found[content.index(nonce) // PAGE].append((-(content.index(nonce) % PAGE), nonce))
    return sorted([nonce for _, nonce in sorted(page)] for page in found.values())


def sqlite_dump(table: str) -> Order:
    with sqlite3.connect(connection.settings_dict["NAME"]) as there:
        lines = [line for line in there.iterdump() if line.startswith(f'INSERT INTO "{table}"')]
    return [nonce for line in lines for nonce in _nonces(line)]


def postgresql_dump(table: str, column: str = "nonce") -> Order:
    """What the program pg_dump writes: the columns' names, and a line for each row."""
    there = connection.settings_dict
    command = [binary("pg_dump"), "--data-only", "--table", table, "--host", there["HOST"], "--username", there["USER"]]
    done = subprocess.run([*command, there["NAME"]], capture_output=True, text=True, check=True)
    head = re.search(rf"^COPY \w+\.{table} \((.*)\) FROM stdin;$", done.stdout, re.MULTILINE)
    assert head is not None, done.stdout
    place = head[1].split(", ").index(column)
    lines = done.stdout[head.end() + 1 :].partition("\n\\.\n")[0].splitlines()
    return [bytes.fromhex(line.split("\t")[place].removeprefix("\\\\x")) for line in lines]


def paired(invitations: Order, reports: Order, truth: dict[bytes, bytes]) -> float:
    """The share of invitations for which the places in two orders say with which report they came, read either way."""
    return recognised([truth[one] for one in invitations], reports)


def backup_order(records: bytes, size: int) -> Order:
    return [records[start : start + 16] for start in range(0, len(records), size)]


def recognised(guess: Order, truth: Order) -> float:
    """The share of the reports of which the guess, or the guess read backwards, says the place of arrival."""
    assert sorted(guess) == sorted(truth)
    return max(np.mean([one == other for one, other in zip(way, truth, strict=True)]) for way in (guess, guess[::-1]))


def correlation(guess: Order, truth: Order) -> float:
    """Spearman's rank correlation of the guessed places with the true ones, without its sign."""
    place = {nonce: number for number, nonce in enumerate(truth)}
    return abs(float(spearmanr(range(len(guess)), [place[nonce] for nonce in guess]).statistic))


def logged(nonces: Order) -> Order:
    """Those that stand in the files of the write-ahead log, the one first that was written first.

    They are random and of 16 bytes: one that is not there is found by chance in 64 MB once in 10**30 times.
    """
    content = b"".join(file.read_bytes() for file in log_files())
    found = {nonce: content.find(nonce) for nonce in nonces}
    return sorted((nonce for nonce in nonces if found[nonce] >= 0), key=lambda nonce: found[nonce])


def log_files() -> list[Path]:
    if connection.vendor == "sqlite":
        file = Path(f"{connection.settings_dict['NAME']}-wal")
        return [file] if file.exists() else []
    with connection.cursor() as cursor:
        cursor.execute("SHOW data_directory")
        return sorted((Path(cursor.fetchone()[0]) / "pg_wal").glob("0*"))


def _nonces(line: str) -> Iterator[bytes]:
    for blob in re.findall(r"X'([0-9A-F]{32}|[0-9A-F]{64})'", line):
        yield bytes.fromhex(blob)
        return  # the nonce stands before the report


N = 500
BY_CHANCE = 1 / N + 4 * sqrt(1 / N * (1 - 1 / N) / N)
"""1/N, and four standard errors of the share of N that are right by chance."""
UNHURRIED = {
    "sqlite": ("PRAGMA synchronous=OFF", "PRAGMA synchronous=FULL"),
    "postgresql": ("SET synchronous_commit = off", "SET synchronous_commit = on"),
}


def database_files() -> list[Path]:
    """Every file of the database, written out."""
    if connection.vendor == "sqlite":
        name = Path(connection.settings_dict["NAME"])
        return [path for path in name.parent.iterdir() if path.name.startswith(name.name)]
    with connection.cursor() as cursor:
        cursor.execute("CHECKPOINT")
        cursor.execute("SHOW data_directory")
        folder = Path(cursor.fetchone()[0])
    connections.close_all()
    return [path for path in folder.rglob("*") if path.is_file() and "pg_wal" not in path.parts]
