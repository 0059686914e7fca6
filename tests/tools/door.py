"""The door as the server calls it, every call checked against the rules of WSGI."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from wsgiref.validate import validator

from django.core.signals import request_finished, request_started
from django.db import close_old_connections, connection
from django.test import RequestFactory

from collector.endpoint import application as door
from collector.endpoint.application import Application, ReportEndpoint
from collector.endpoint.writer import Then, Writer
from collector.reports.storing import NewReport, Outcome, store
from config.middleware import headers_without_django
from config.wsgi import django
from surveys.lifecycle.proof_of_work import bits_of

ORIGIN = {"origin": "http://127.0.0.1:8000", "host": "127.0.0.1:8000"}


class AtOnce:
    """A writer without a thread: it stores within the transaction of a test, which another thread could not see."""

    def put(self, report: NewReport) -> Outcome:
        return store([report])[0]

    def submit(self, report: NewReport, then: Then) -> None:
        then(self.put(report))


def door_with(writer: door.ReportWriter, django: Application = django) -> ReportEndpoint:
    return ReportEndpoint(django, writer=writer, headers=headers_without_django, bits=bits_of)


DOOR = door_with(AtOnce())


def store_and_leave(reports: Sequence[NewReport]) -> list[Outcome]:
    """For a writer's thread: while it is connected the tests' database cannot be dropped."""
    try:
        return store(reports)
    finally:
        connection.close()


WRITER = Writer(store_and_leave)
APPLICATION = door_with(WRITER)
"""What an installation runs, for tests on the real database."""


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    content: bytes

    @property
    def said(self) -> dict[str, Any]:
        return json.loads(self.content)

    @property
    def error(self) -> dict[str, str]:
        return self.said["error"]


def call(environ: dict[str, Any], door: Application = DOOR) -> Answer:
    started: list[tuple[str, list[tuple[str, str]]]] = []

    def start(status: str, headers: list[tuple[str, str]], error: object = None) -> Any:
        started.append((status, headers))
        return lambda data: None

    with connection_kept():
        chunks = validator(door)(environ, start)
        content = b"".join(chunks)
        chunks.close()
    ((status, headers),) = started
    assert len(dict(headers)) == len(headers), "no header occurs twice"
    return Answer(int(status.split()[0]), dict(headers), content)


@contextmanager
def connection_kept() -> Iterator[None]:
    """Else a request would close the connection that holds a test's transaction; Django's client does this too."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def environ_of(
    body: bytes, *, path: str = "/s/campus/reports", content_type: str = "application/json", method: str = "POST",
    **changes: str | None,
) -> dict[str, Any]:  # fmt: skip
    """What the server makes of a request; in the changes are headers and variables as PEP 3333 names them."""
    request = RequestFactory().generic(method, path, body, content_type=content_type, headers=ORIGIN)
    environ = request.environ | changes
    return {name: value for name, value in environ.items() if value is not None}


def send(body: bytes, *, door: Application = DOOR, **changes: Any) -> Answer:
    return call(environ_of(body, **changes), door)
