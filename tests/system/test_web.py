"""The web server in bad weather, on a real PostgreSQL: slow senders, a database that goes and comes, its own end."""

import asyncio
import contextlib
import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Self

import psycopg
import pytest

from collector.designs import Design, check
from config.postgresql import PostgreSQL
from config.processes import commands, free_port
from tests.factories import payloads
from tests.slow.attack import KINDS, Attack
from tests.system.installation import ROOT, wait_until
from tests.tools.postgresql import copy_cluster

FREEZE = """
from collector.designs.services import freeze_design
from tests.factories import payloads
freeze_design(payloads.document())
"""
SHORT, LONG = 3.0, 600.0
"""Seconds until a body must be there: for who is to be cut off, and for who must not be."""

PATIENCE = 60
"""Seconds after which something never comes."""

COUNT = "SELECT count(*) FROM collector_waitingreport"


class Web:
    """A web server on the installation's database with one open design, running within the context.

    Bodies have `deadline` seconds to arrive. Nobody folds what it takes.
    """

    def __init__(self, folder: Path, database: PostgreSQL, deadline: float) -> None:
        self.database, self.port = database, free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        own = {
            "CANDOR_DATA": str(folder / "data"),
            "CANDOR_URL": self.url,
            "DATABASE_URL": database.url,
            "BODY_DEADLINE": str(deadline),
        }
        self.environment = os.environ | own | {"DJANGO_SETTINGS_MODULE": "config.settings"}
        self.log = folder / f"web-{self.port}.log"

    def manage(self, *words: str) -> None:
        command = [sys.executable, "manage.py", *words]
        subprocess.run(command, cwd=ROOT, env=self.environment, check=True, capture_output=True)

    def __enter__(self) -> Self:
        application = {"config.rsgi:application": "tests.system.deadline:application"}
        command = [application.get(word, word) for word in commands("127.0.0.1", self.port)["web server"]]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=self.environment, stdout=log, stderr=log, start_new_session=True
            )
        wait_until(lambda: self.send(b"{}") == 422 or self.process.poll() is not None, PATIENCE)
        assert self.process.poll() is None, self.log.read_text()
        return self

    def __exit__(self, *raised: object) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def end(self) -> None:
        """Ask it to end, and wait for that."""
        self.process.terminate()
        self.process.wait(timeout=PATIENCE)

    def head(self, length: int) -> dict[str, str]:
        return {"Content-Type": "application/json", "Origin": self.url, "Content-Length": str(length)}

    def answer(self, body: bytes, *, address: str = "127.0.0.1") -> tuple[int, str | None]:
        """The status, and when to try again; 0 where nobody answers."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE, source_address=(address, 0))
        try:
            connection.request("POST", "/s/campus/reports", body, self.head(len(body)))
            response = connection.getresponse()
            return response.status, response.headers["Retry-After"]
        except OSError:
            return 0, None
        finally:
            connection.close()

    def send(self, body: bytes, *, address: str = "127.0.0.1") -> int:
        return self.answer(body, address=address)[0]

    def dawdle(self) -> socket.socket:
        """Begin to send a report, and go no further."""
        there = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        lines = "".join(f"{name}: {value}\r\n" for name, value in self.head(200).items())
        there.sendall(f"POST /s/campus/reports HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n{lines}\r\n{{".encode())
        return there

    def stored(self) -> int:
        with psycopg.connect(self.database.url) as connection:
            return int(connection.execute(COUNT).fetchone()[0])


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Not in pytest's: a socket's path must be short, and root's server runs as nobody."""
    made = Path(tempfile.mkdtemp(prefix="candor-web-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@pytest.fixture(scope="module")
def database(folder: Path) -> Iterator[PostgreSQL]:
    """With one open design."""
    server = PostgreSQL(folder / "server")
    copy_cluster(server.folder)
    server.start()
    web = Web(folder, server, LONG)
    web.manage("migrate", "--verbosity", "0")
    web.manage("shell", "-c", FREEZE)
    yield server
    server.stop()


@pytest.fixture(scope="module")
def web(folder: Path, database: PostgreSQL) -> Iterator[Web]:
    with Web(folder, database, LONG) as running:
        yield running


@pytest.fixture(scope="module")
def hurried(folder: Path, database: PostgreSQL) -> Iterator[Web]:
    with Web(folder, database, SHORT) as running:
        yield running


@pytest.fixture(scope="module")
def design() -> Design:
    return check(payloads.document())


@pytest.mark.long
def test_web_server_database_outage_503_then_201(web: Web, design: Design) -> None:
    assert web.send(payloads.body(design)) == 201
    before, bodies = web.stored(), [payloads.body(design) for _ in range(8)]
    web.database.stop()
    with ThreadPoolExecutor(len(bodies)) as pool:
        away = list(pool.map(web.answer, bodies))
    web.database.start()
    assert away == [(503, "5")] * 8
    assert web.send(payloads.body(design)) == 201, "the next one, without a wait"
    # On a busy machine some may be stored after who sent them was told to try again; each is there once then.
    assert {web.send(body) for body in bodies} <= {200, 201}
    assert web.stored() == before + 9
    assert "nonce" not in web.log.read_text()


@pytest.mark.long
def test_web_server_slow_senders_are_cut_off(hurried: Web, design: Design) -> None:
    """The attack that was found, 96 slow bodies of four addresses: each is ended, and reports come in meanwhile."""
    attack = Attack(KINDS["a body that drips"], hurried.port)
    everyone = set(range(attack.addresses * attack.connections))
    sent = attack.run(
        PATIENCE,
        lambda nonce: payloads.body(design, nonce=nonce),
        enough=lambda result: result.ended == everyone and result.statuses[201] > 5,
    )
    with ThreadPoolExecutor(1) as pool:  # a browser test may have left a loop in this one
        result = pool.submit(asyncio.run, sent).result()
    assert result.ended == everyone, "by the server, whatever is still sent"
    assert result.taken >= 0.95, result.statuses


@pytest.mark.long
def test_web_server_slow_sender_gets_408(hurried: Web) -> None:
    there = hurried.dawdle()
    assert there.recv(12) == b"HTTP/1.1 408"
    while there.recv(65_536):  # until the server has ended the connection
        pass
    there.close()


@pytest.mark.long
def test_web_server_shutdown_answers_pending_requests(web: Web, design: Design) -> None:
    """The reports wait for a lock when the server is asked to end; one sender dawdles and is cut off.

    The server has ended long before the dawdler's deadline, and without a word to him.
    """
    before = web.stored()
    dawdler = web.dawdle()
    with psycopg.connect(web.database.url) as holder, ThreadPoolExecutor(6) as pool:
        holder.execute("SELECT * FROM collector_frozendesign FOR UPDATE")
        sent = [pool.submit(web.send, payloads.body(design)) for _ in range(5)]
        waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        with psycopg.connect(web.database.url, autocommit=True) as looking:
            wait_until(lambda: looking.execute(waiting).fetchone()[0], PATIENCE)
        time.sleep(0.5)
        end = pool.submit(web.end)
        time.sleep(0.5)
        holder.rollback()
        assert [one.result(PATIENCE) for one in sent] == [201] * 5
        end.result(PATIENCE)
    with dawdler, contextlib.suppress(ConnectionResetError):
        assert dawdler.recv(1) == b""
    assert web.stored() == before + 5
    assert web.send(payloads.body(design)) == 0
