"""The address that takes a browser's report, in front of everything else that the site does (PEP 3333).

`POST /s/<slug>/reports` is answered here: headers, limits, body, report, and a receipt once the report is on disk.
Every other request goes on to the application behind. Nothing of a request is ever logged.
"""

import contextlib
import hashlib
import json
import logging
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from http import HTTPStatus
from typing import Any, Protocol

from django.db import connection

from collector import limits, services, work
from collector.errors import Incomplete, NotJson, Refusal, Unavailable
from collector.headers import check_headers
from collector.storing import NewReport, Outcome
from collector.writer import RETRY

ADDRESS = re.compile(r"/s/([-a-zA-Z0-9_]+)/reports")
JSON_TYPES = ("application/json", "application/json;charset=utf-8")

BODIES = 48
"""Requests whose bodies may be on their way at once. The server reads one in a thread, for as long as its sender likes
to take: with fewer of them than threads, slow senders cannot hold all threads."""

BODIES_OF_ONE = 24
"""Of these, how many may come from one address."""

Environ = dict[str, Any]
Start = Callable[..., Any]
Application = Callable[[Environ, Start], Iterable[bytes]]

logger = logging.getLogger(__name__)


class Writer(Protocol):
    """Where reports are put; see collector.writer."""

    def put(self, report: NewReport) -> Outcome: ...


class Door:
    """The application as the server sees it. `headers` says what a response at a path carries besides its content,
    `bits` how much work the survey of a slug asks for."""

    def __init__(
        self,
        behind: Application,
        *,
        writer: Writer,
        headers: Callable[[str], Mapping[str, str]],
        bits: Callable[[str], int],
    ) -> None:
        self._behind, self._writer, self._headers = behind, writer, headers
        self._bits = work.Lately(bits)
        self._bodies = Bodies()

    def __call__(self, environ: Environ, start: Start) -> Iterable[bytes]:
        path, method = str(environ.get("PATH_INFO", "")), environ["REQUEST_METHOD"]
        found = ADDRESS.fullmatch(path)
        retry: int | None = None
        try:
            if found is None or method != "POST":
                if method in ("GET", "HEAD"):
                    return self._behind(environ, start)
                with self._bodies.of(limits.address_of(environ)):
                    return self._behind(environ, start)
            status, content = self._take(environ, found[1])
        except Refusal as refusal:
            status, retry = refusal.status, refusal.retry
            content = {"error": refusal.said}
        answer = json.dumps(content).encode()
        headers = {"Content-Type": "application/json", "Content-Length": str(len(answer)), **self._headers(path)}
        start(
            f"{status} {HTTPStatus(status).phrase}",
            [*headers.items(), *([("Retry-After", str(retry))] if retry is not None else [])],
        )
        return [answer]

    def _take(self, environ: Environ, slug: str) -> tuple[int, dict[str, Any]]:
        """Store the report; the status and what is answered. Raises a Refusal, whatever goes wrong."""
        not_json = NotJson("Content-Type", "Content-Type must be application/json.")
        length = check_headers(environ, types=JSON_TYPES, otherwise=not_json)
        address = limits.address_of(environ)
        limits.take("reports by address", address)
        with self._bodies.of(address):
            body = _read(environ["wsgi.input"], length)
        try:
            report = services.read(body, slug=slug)
            work.check(str(environ.get(work.VARIABLE, "")), report, self._bits(slug))
            limits.take("reports by survey", slug)
            created = services.created(self._writer.put(report))
        except Refusal:
            raise
        except Exception as error:
            # The database is away. Its words may quote what was sent.
            logger.warning("a report could not be looked at: %s", type(error).__name__)
            raise Unavailable("report", "The report could not be stored now. Please try again.", retry=RETRY) from None
        finally:
            _give_back_connection()
        return (201 if created else 200), {"receipt": hashlib.sha256(body).hexdigest()}


class Bodies:
    """How many bodies are on their way."""

    def __init__(self, *, most: int = BODIES, most_of_one: int = BODIES_OF_ONE) -> None:
        self._most, self._most_of_one = most, most_of_one
        self._coming: Counter[str] = Counter()
        self._changing = threading.Lock()

    @contextlib.contextmanager
    def of(self, address: str) -> Iterator[None]:
        """Count a body of this address while it is read; Unavailable where too many are on their way."""
        with self._changing:
            if self._coming.total() >= self._most or self._coming[address] >= self._most_of_one:
                raise Unavailable("body", "Too many requests are on their way. Please try again.", retry=RETRY)
            self._coming[address] += 1
        try:
            yield
        finally:
            with self._changing:
                self._coming[address] -= 1
                if not self._coming[address]:
                    del self._coming[address]


def _give_back_connection() -> None:
    """To the pool, where a design had to be looked up: most reports are of one that is known. Not out of a transaction
    that somebody else has begun."""
    if connection.connection is not None and connection.close_at is not None and not connection.in_atomic_block:
        connection.close_if_unusable_or_obsolete()


def _read(stream: Any, length: int) -> bytes:
    try:
        body = bytes(stream.read(length))
    except OSError:
        body = b""
    if len(body) != length:
        raise Incomplete("body", f"The body must have the length that it was said to have, {length} bytes.")
    return body
