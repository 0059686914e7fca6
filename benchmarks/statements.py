"""Statements that storing a batch of reports executes, now and at an earlier commit, on SQLite and on PostgreSQL.

    python -m benchmarks.statements [COMMIT]

The database itself tells them, those that begin and end the transaction included: SQLite to its trace, PostgreSQL as
what it would log. The program of the commit is unpacked beside this one. Writes docs/evidence/receiving-responses.md.
"""

import argparse
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks import _filled
from benchmarks._pages import put
from tests.system.installation import ROOT

BEFORE = "10ab674"
"""The last commit before Candor was spread over several machines."""

BATCHES = (1, 16, 256)
CASES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}

COUNT = f"""
import json
from itertools import groupby
from benchmarks import _filled
digest = _filled.prepare()
from django.db import connection
from collector.reports import storing
storing.store(_filled.new(digest, 1))
found, seen, raw = [], [], connection.connection
if connection.vendor == "sqlite":
    raw.set_trace_callback(seen.append)
else:
    with connection.cursor() as cursor:
        cursor.execute("SET client_min_messages = log")
        cursor.execute("SET log_statement = 'all'")
    raw.add_notice_handler(lambda notice: seen.append(notice.message_primary))
for batch in [_filled.new(digest, size) for size in {BATCHES}]:
    seen.clear()
    storing.store(batch)
    # A statement is told again for each of its triggers.
    found.append(len(list(groupby(seen))))
    assert any("collector_" in statement for statement in seen)
print(json.dumps(found))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("commit", nargs="?", default=BEFORE, help=f"the earlier one (default: {BEFORE})")
    commit = parser.parse_args().commit
    with tempfile.TemporaryDirectory(prefix="candor-before-") as folder:
        unpack(commit, Path(folder))
        found = {words: counted(where) for words, where in ((f"`{commit}`", Path(folder)), ("now", ROOT))}
    put("evidence/receiving-responses.md", "statements.py", "\n".join(lines(found)))


def unpack(commit: str, folder: Path) -> None:
    """Put the files of a commit into a folder."""
    files = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(files)) as archive:
        archive.extractall(folder, filter="data")


def counted(program: Path) -> dict[str, list[int]]:
    """By kind of database the statements of each batch, as the program in this folder executes them."""
    found = {}
    for kind in CASES:
        with _filled.database(kind) as variables:
            environment = os.environ | variables | {"PYTHONPATH": str(program), "PYTHONDONTWRITEBYTECODE": "1"}
            done = subprocess.run(
                [sys.executable, "-c", COUNT], cwd=program, env=environment, capture_output=True, text=True
            )
        if done.returncode:
            raise SystemExit(done.stderr)
        found[kind] = list(json.loads(done.stdout.splitlines()[-1]))
    return found


def lines(found: dict[str, dict[str, list[int]]]) -> Iterator[str]:
    yield f"| reports in the batch | {' | '.join(map(str, BATCHES))} |"
    yield "|---" * (len(BATCHES) + 1) + "|"
    for kind, name in CASES.items():
        for words, counts in found.items():
            yield f"| {name}, {words} | {' | '.join(map(str, counts[kind]))} |"


if __name__ == "__main__":
    main()
