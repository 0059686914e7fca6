"""The least that a web process in Python does with a report: what no other way of storing it can save.

No Django, no limits, no headers looked at: the body is read as JSON, and what came together is stored by the statements
that the storing rule needs, in one transaction that is on disk before the answer. On PostgreSQL in one thread, without
any lock of Python's to hand over; SQLite blocks whoever waits for the disk, so there a second thread does.
"""

import asyncio
import hashlib
import json
import os
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg

from collector.database.statements import read_statements

GATHER = 0.0005
HEADERS = [("content-type", "application/json")]

SQL = read_statements("store.sqlite")
PRAGMAS = ("journal_mode = WAL", "synchronous = FULL", "secure_delete = 1", "temp_store = 2")

STORE = """
SELECT * FROM collector_store(
    %s::text[], %s::int[], -2, %s::int[], %s::smallint[], %s::smallint[], %s::bytea[], %s::bytea[], '{}', '{}'
)
"""
PLANS = ("SET plan_cache_mode = force_generic_plan", "SET enable_seqscan = off")

Reports = Sequence[dict[str, str]]
Store = Callable[[Reports], Awaitable[None]]


class Least:
    """The RSGI application."""

    def __rsgi_init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop, self._some = loop, asyncio.Event()
        self._waiting: list[tuple[dict[str, str], asyncio.Future[None]]] = []
        self._writer = loop.create_task(self._write())

    async def __rsgi__(self, _scope: Any, proto: Any) -> None:
        body = bytes(await proto())
        if body:
            stored = self._loop.create_future()
            self._waiting.append((json.loads(body), stored))
            self._some.set()
            await stored
        receipt = json.dumps({"receipt": hashlib.sha256(body).hexdigest()}).encode()
        proto.response_bytes(201 if body else 200, HEADERS, receipt)

    async def _write(self) -> None:
        store = await (_postgresql() if "DATABASE_URL" in os.environ else _sqlite(self._loop))
        count = 0
        while True:
            await self._some.wait()
            if count > 1:
                await asyncio.sleep(GATHER)
            self._some.clear()
            together, self._waiting = self._waiting, []
            count = len(together)
            await store([report for report, _ in together])
            for _, stored in together:
                stored.set_result(None)


async def _postgresql() -> Store:
    connection = await psycopg.AsyncConnection.connect(os.environ["DATABASE_URL"], autocommit=True, prepare_threshold=2)
    for plan in PLANS:
        await connection.execute(plan)

    async def store(reports: Reports) -> None:
        digest, count = reports[0]["design"], len(reports)
        hold = int.from_bytes(bytes.fromhex(digest[:8]), signed=True)
        nonces, symbols = ([bytes.fromhex(one[name]) for one in reports] for name in ("nonce", "report"))
        columns = [[1] * count, [0] * count, [1] * count, nonces, symbols]
        await (await connection.execute(STORE, [[digest], [hold], *columns])).fetchall()

    return store


async def _sqlite(loop: asyncio.AbstractEventLoop) -> Store:
    path = Path(os.environ["CANDOR_DATA"]) / "candor.sqlite3"
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    for pragma in PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")
    thread = ThreadPoolExecutor(1)

    def execute(statement: str, rows: Sequence[Sequence[Any]]) -> list[Any]:
        places = ", ".join([f"({', '.join('?' * len(rows[0]))})"] * len(rows))
        return connection.execute(
            SQL[statement].format(rows=places), [value for row in rows for value in row]
        ).fetchall()

    def insert(reports: Reports) -> None:
        connection.execute("BEGIN IMMEDIATE")
        ((_digest, number, _is_open),) = execute("find_designs", [[reports[0]["design"]]])
        rows = [(number, 0, 1, *(bytes.fromhex(one[name]) for name in ("nonce", "report"))) for one in reports]
        execute("write", rows)
        execute("find_stored", [(number, nonce, 0) for *_, nonce, _report in rows])
        connection.execute("COMMIT")

    async def store(reports: Reports) -> None:
        await loop.run_in_executor(thread, insert, reports)

    return store


application = Least()
