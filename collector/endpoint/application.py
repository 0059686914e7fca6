"""The WSGI endpoint for browsers' reports, in front of the rest of the site (PEP 3333).

`POST /s/<slug>/reports` is answered here: headers, limits, body, report, and a receipt once the report is on disk.
Every other request goes on to the application behind. Nothing of a request is ever logged.
"""

import contextlib
import hashlib
import json
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from http import HTTPStatus
from typing import Any, NamedTuple, Protocol
from wsgiref.types import WSGIEnvironment as Environ

from django.core.exceptions import SynchronousOnlyOperation
from django.db import connection

from collector.endpoint import proof_of_work, rate_limits, receiving
from collector.endpoint.headers import check_headers
from collector.errors import RequestRefused, not_stored
from collector.reports.storing import NewReport, Outcome

ADDRESS = re.compile(r"/s/([-a-zA-Z0-9_]+)/reports")
JSON_TYPES = ("application/json", "application/json;charset=utf-8")

RECEIPT = "candor.receipt"
"""The key of the receipt of a request's body in its WSGI environment."""

BODY = "candor.body"
"""The key of the body, once it is read and counted under its address."""

Start = Callable[..., Any]
Application = Callable[[Environ, Start], Iterable[bytes]]

logger = logging.getLogger(__name__)


class ReportWriter(Protocol):
    """Where reports are put; see collector.endpoint.writer."""

    def put(self, report: NewReport) -> Outcome: ...
    def submit(self, report: NewReport, then: Callable[[Outcome | None], None]) -> None: ...


class Response(NamedTuple):
    """Status, headers and content of an HTTP response."""

    status: int
    headers: list[tuple[str, str]]
    content: bytes


class ReportEndpoint:
    """The WSGI application. `headers` gives the further headers of a response at a path,
    `bits` how much work the survey of a slug asks for."""

    def __init__(
        self,
        behind: Application,
        *,
        writer: ReportWriter,
        headers: Callable[[str], Mapping[str, str]],
        bits: Callable[[str], int],
    ) -> None:
        self._behind, self._writer, self._headers = behind, writer, headers
        self._bits = proof_of_work.RequiredWork(bits)

    def __call__(self, environ: Environ, start: Start) -> Iterable[bytes]:
        """Handle a request in the calling thread (PEP 3333)."""
        if not self.takes(environ):
            return self._behind(environ, start)
        try:
            with _or_unavailable(), _given_back_connection():
                report = self._report_of(environ)
            with _or_unavailable():
                answer = self._outcome(environ, self._writer.put(report))
        except RequestRefused as refusal:
            answer = self.refuse(environ, refusal)
        start(f"{answer.status} {HTTPStatus(answer.status).phrase}", answer.headers)
        return [answer.content]

    def takes(self, environ: Environ) -> bool:
        """Return True if the request submits a report, which this endpoint handles."""
        return environ["REQUEST_METHOD"] == "POST" and ADDRESS.fullmatch(environ.get("PATH_INFO", "")) is not None

    def submit(self, environ: Environ, then: Callable[[Response], None]) -> None:
        """Handle a report in a thread that may wait for the database or Redis, but not for the disk; `then` gets the
        response, in this thread or in the writer's."""
        with _given_back_connection():
            self.submit_at_once(environ, then)

    def submit_at_once(self, environ: Environ, then: Callable[[Response], None]) -> None:
        """As `submit`, in the thread of an event loop. Raises SynchronousOnlyOperation where it would wait: for a
        design that this process has not read yet, for the work that a survey asks for, or for Redis. `submit` goes on
        from there."""

        def written(outcome: Outcome | None) -> None:
            try:
                answer = self._outcome(environ, outcome)
            except RequestRefused as refusal:
                answer = self.refuse(environ, refusal)
            then(answer)

        try:
            with _or_unavailable():
                self._writer.submit(self._report_of(environ), written)
        except RequestRefused as refusal:
            then(self.refuse(environ, refusal))

    def refuse(self, environ: Environ, refusal: RequestRefused) -> Response:
        """The response to a refused request."""
        return self._answer(environ, refusal.status, {"error": refusal.to_dict()}, retry=refusal.retry)

    def _report_of(self, environ: Environ) -> NewReport:
        """Return the validated report of a request that its survey accepts now."""
        not_json = RequestRefused(415, "Content-Type", "Content-Type must be application/json.")
        length = check_headers(environ, types=JSON_TYPES, otherwise=not_json)
        if BODY not in environ:  # else another thread has begun with it, and goes on here
            rate_limits.take("reports by address", rate_limits.address_of(environ))
            environ[BODY] = _read(environ["wsgi.input"], length)
        body, slug = environ[BODY], environ["PATH_INFO"].split("/")[2]
        report = receiving.read(body, slug=slug)
        proof_of_work.check(str(environ.get(proof_of_work.VARIABLE, "")), report, self._bits(slug))
        rate_limits.take("reports by survey", slug)
        environ[RECEIPT] = hashlib.sha256(body).hexdigest()
        return report

    def _outcome(self, environ: Environ, outcome: Outcome | None) -> Response:
        """The response for a report's outcome. Raises RequestRefused if the report is not stored."""
        if outcome is None:
            raise not_stored()
        created = receiving.created(outcome)
        return self._answer(environ, 201 if created else 200, {"receipt": environ[RECEIPT]})

    def _answer(
        self, environ: Environ, status: int, content: dict[str, object], *, retry: int | None = None
    ) -> Response:
        answer = json.dumps(content).encode()
        own = {"Content-Type": "application/json", "Content-Length": str(len(answer))}
        headers = [*own.items(), *self._headers(str(environ.get("PATH_INFO", ""))).items()]
        if retry is not None:
            headers.append(("Retry-After", str(retry)))
        return Response(status, headers, answer)


@contextlib.contextmanager
def _or_unavailable() -> Iterator[None]:
    """Pass on a RequestRefused, or that it would wait; turn any other exception into one for an unavailable
    database."""
    try:
        yield
    except (RequestRefused, SynchronousOnlyOperation):
        raise
    except Exception as error:
        # Its words may quote what was sent.
        logger.warning("a report could not be looked at: %s", type(error).__name__)
        raise not_stored() from None


@contextlib.contextmanager
def _given_back_connection() -> Iterator[None]:
    """Return the connection to the pool after a lookup, which few reports need. Not in a transaction that somebody
    else has begun."""
    try:
        yield
    finally:
        if connection.connection is not None and connection.close_at is not None and not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()


def _read(stream: Any, length: int) -> bytes:
    try:
        body = bytes(stream.read(length))
    except OSError:
        body = b""
    if len(body) != length:
        raise RequestRefused(400, "body", f"The body must be as long as Content-Length says, {length} bytes.")
    return body
