"""The RSGI gateway: an event loop reads request bodies and hands complete requests to threads.

A sender who is slow costs a place in memory and no thread, and only until its deadline: whoever has not sent a body by
then is answered 408, and the server closes a connection whose request it was answered before it had come whole. What
is behind is a WSGI application, which finds the body there.
"""

import asyncio
import contextlib
import logging
import os
import re
import sys
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from queue import Empty, SimpleQueue
from typing import Any
from wsgiref.types import WSGIEnvironment as Environ
from wsgiref.util import FileWrapper

from django.conf import settings
from django.core.exceptions import SynchronousOnlyOperation
from granian.rsgi import ProtocolClosed  # type: ignore[attr-defined]

from collector.endpoint import rate_limits
from collector.endpoint.admission import Admission, FairThreads
from collector.endpoint.application import ReportEndpoint, Response
from collector.endpoint.headers import LENGTH
from collector.endpoint.parsing import LARGEST_BODY
from collector.endpoint.writer import PATIENCE
from collector.errors import RequestRefused, not_stored
from config import connections
from config.middleware import headers_without_django
from config.rate_limits import LARGEST_BODY as LARGEST_UPLOAD

THREADS = 64
"""Maximum threads of each web process for pages."""

READERS = 4
"""Threads for the few reports that wait for a lookup, not available to pages."""

LOOK = 0.1
"""Seconds between two looks for reports that have waited for too long; a timer for each costs more."""

DEADLINE = 10.0
"""Seconds after its headers by which a body of at most LARGEST_BODY bytes must have arrived."""

SLOWEST = 64 * 1024
"""Minimum bytes per second of larger bodies."""

PLACES = 4096
"""Slots of LARGEST_BODY bytes each for bodies being received: 64 MiB."""

ODD_TYPE = re.compile(r"""\*\s*=|charset\s*=(?!\s*"?utf-?8"?\s*(?:;|$))""", re.IGNORECASE)
"""Matches a Content-Type with a parameter in another encoding, or a body not in UTF-8. Django and REST
framework would decode by whatever codec is named, of which some take minutes and some are none for texts."""

RESPONDENTS = "/s/"
WITHOUT_BODY = ("GET", "HEAD", "OPTIONS", "TRACE")

logger = logging.getLogger(__name__)


class Gateway:
    """The RSGI application: a gateway in front of the endpoint and the site."""

    def __init__(self, door: ReportEndpoint, *, places: int = PLACES, threads: int = THREADS) -> None:
        self._door = door
        self._admission = Admission(places)
        self._pages, self._turns = Admission(connections.connection_limit()), FairThreads(threads)
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="request")
        self._reports = ReportFutures(door.submit_at_once, door.submit)
        self._busy: set[str] = set()

    def __rsgi_init__(self, loop: asyncio.AbstractEventLoop) -> None:
        connections.allow_files()
        connections.end_unread_answers()
        self._watch = loop.create_task(connections.watch(self._busy, behind_proxy=settings.CANDOR_PROXIES > 0))

    async def __rsgi__(self, scope: Any, proto: Any) -> None:
        environ = environ_of(scope)
        try:
            if ODD_TYPE.search(environ.get("CONTENT_TYPE", "")):
                raise RequestRefused(415, "Content-Type", "The charset of Content-Type must be utf-8, or be left out.")
            environ[rate_limits.ADDRESS] = rate_limits.address_of(environ)
            environ["wsgi.input"] = BytesIO(await self._body(environ, proto))
            self._busy.add(scope.client)
            if self._door.takes(environ):
                answer = await self._reports.put(environ)
            else:
                await self._page(environ, proto)
                return
        except RequestRefused as refusal:
            answer = self._door.refuse(environ, refusal)
        finally:
            self._busy.discard(scope.client)
        proto.response_bytes(*answer)

    async def _page(self, environ: Environ, proto: Any) -> None:
        """Handle other requests in a thread. Refuses an address with too many requests waiting for a response: a
        connection that waits for one is not ended, so a few addresses could hold all connections by asking alone."""
        address = rate_limits.address_of(environ)
        with self._pages.hold(address):
            async with self._turns.hold(address):
                await asyncio.get_running_loop().run_in_executor(self._threads, self._call, environ, proto)

    async def _body(self, environ: Environ, proto: Any) -> bytes:
        """Read the whole body, or nothing of one that is too long; RequestRefused if it is late or too many come."""
        length = _length_of(environ)
        largest = LARGEST_BODY if environ["PATH_INFO"].startswith(RESPONDENTS) else LARGEST_UPLOAD
        if not 0 < length <= largest:
            return b""  # what is behind refuses it by its headers, in its own words
        with self._admission.hold(rate_limits.address_of(environ), -(-length // LARGEST_BODY)):
            seconds = deadline_of(length)
            try:
                async with asyncio.timeout(seconds):
                    body = bytes(await proto())
            except TimeoutError:
                raise RequestRefused(408, "body", f"The body must be here within {seconds:g} seconds.") from None
            except ProtocolClosed:
                body = b""
        if len(body) != length:
            words = f"The body must be as long as Content-Length says, {length} bytes."
            raise RequestRefused(400, "body", words)
        return body

    def _call(self, environ: Environ, proto: Any) -> None:
        """Handle any other request than a report, in a thread."""
        started: list[Any] = []
        try:
            chunks = self._door(environ, lambda *given: started.append(given))
            status, headers = started[0][:2]
            _send(proto, environ, status, headers, chunks)
        except Exception as error:
            logger.error("a request could not be answered: %s", type(error).__name__)
            own = {"Content-Type": "text/plain"} | headers_without_django(environ["PATH_INFO"])
            proto.response_bytes(500, [(name.lower(), value) for name, value in own.items()], b"")


Then = Callable[[Response], None]


class ReportFutures:
    """Reads reports in the event loop, those that would wait in a thread, and hands their responses back to the loop
    together: waking a thread or the loop costs more than reading a report does."""

    def __init__(
        self, submit_at_once: Callable[[Environ, Then], None], submit: Callable[[Environ, Then], None]
    ) -> None:
        self._submit_at_once, self._submit = submit_at_once, submit
        self._threads = ThreadPoolExecutor(READERS, thread_name_prefix="report")
        self._answered: SimpleQueue[tuple[asyncio.Future[Response], Response]] = SimpleQueue()
        self._waking = False
        self._waiting: deque[tuple[float, asyncio.Future[Response]]] = deque()
        """By the moment when each has waited for too long."""

    def put(self, environ: Environ) -> asyncio.Future[Response]:
        """Hand in a report; return a future of its response, which raises RequestRefused where none came in time."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Response] = loop.create_future()

        def then(answer: Response) -> None:
            self._answered.put((future, answer))
            if not self._waking:
                self._waking = True
                loop.call_soon_threadsafe(self._resolve)

        if not self._waiting:
            loop.call_later(LOOK, self._refuse_late)
        self._waiting.append((loop.time() + PATIENCE, future))
        try:
            self._submit_at_once(environ, then)
        except SynchronousOnlyOperation:
            self._threads.submit(_logged, self._submit, environ, then)
        except Exception as error:
            _log(error)
        return future

    def _refuse_late(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting and (self._waiting[0][1].done() or self._waiting[0][0] <= loop.time()):
            _, future = self._waiting.popleft()
            if not future.done():
                future.set_exception(not_stored())
        if self._waiting:
            loop.call_later(LOOK, self._refuse_late)

    def _resolve(self) -> None:
        self._waking = False  # before what is there is looked at, so that nothing is left lying
        with contextlib.suppress(Empty):
            while True:
                future, answer = self._answered.get_nowait()
                if not future.done():
                    future.set_result(answer)


def _logged(submit: Callable[[Environ, Then], None], environ: Environ, then: Then) -> None:
    try:
        submit(environ, then)
    except Exception as error:
        _log(error)


def _log(error: Exception) -> None:
    logger.error("a report could not be answered: %s", type(error).__name__)


BASE = {
    "SCRIPT_NAME": "",
    "wsgi.version": (1, 0),
    "wsgi.errors": sys.stderr,
    "wsgi.multithread": True,
    "wsgi.multiprocess": True,
    "wsgi.run_once": False,
    "wsgi.file_wrapper": FileWrapper,
}


def environ_of(scope: Any) -> Environ:
    """Convert the request to a WSGI environment (PEP 3333), without its body.

    A header that stands twice has both values, so that no check reads one and no application the other. A name with an
    underscore is left out: it would look like another header's.
    """
    client, port = scope.client.rpartition(":")[0], scope.server.rpartition(":")[2]
    environ = BASE | {
        "REQUEST_METHOD": scope.method,
        "PATH_INFO": scope.path.encode().decode("latin-1"),
        "QUERY_STRING": scope.query_string,
        "SERVER_PROTOCOL": f"HTTP/{scope.http_version}",
        "SERVER_NAME": scope.server.rpartition(":")[0],
        "SERVER_PORT": port,
        "REMOTE_ADDR": client.strip("[]"),
        "wsgi.url_scheme": scope.scheme,
    }
    for name, value in scope.headers.items():
        if "_" in name:
            continue
        key = name.upper().replace("-", "_")
        key = key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"
        environ[key] = f"{environ[key]}{'; ' if name == 'cookie' else ','}{value}" if key in environ else value
    return environ


def deadline_of(length: int) -> float:
    """The deadline in seconds for a body of this many bytes."""
    return DEADLINE + max(length - LARGEST_BODY, 0) / SLOWEST


def _length_of(environ: Environ) -> int:
    """The length in bytes of the body to read; 0 without a length in digits."""
    length = environ.get("CONTENT_LENGTH", "")
    return int(length) if LENGTH.fullmatch(length) and environ["REQUEST_METHOD"] not in WITHOUT_BODY else 0


def _send(proto: Any, environ: Environ, status: str, headers: list[tuple[str, str]], chunks: Iterable[bytes]) -> None:
    """Send a response: for a file its path, which the server reads as the client takes it, otherwise the bytes."""
    try:
        code, path = int(status.split()[0]), _path_of(chunks)
        if path and environ["REQUEST_METHOD"] == "GET":
            proto.response_file(code, headers, path)
        else:
            proto.response_bytes(code, headers, b"".join(chunks))
    finally:
        if hasattr(chunks, "close"):
            chunks.close()


def _path_of(chunks: Iterable[bytes]) -> str | None:
    """The path of the response's file, if it is one and complete."""
    name = getattr(chunks.filelike, "name", None) if isinstance(chunks, FileWrapper) else None
    return os.fspath(name) if isinstance(name, str | os.PathLike) else None
