"""A web server for tests that keeps every byte which reaches it.

It sits where the network sits: what is not in its record has not left the browser. The answers come from a plain
function, so the same record can be taken of a scripted server, of one that drops requests, or of the real site behind.
"""

import socketserver
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from typing import Self
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Request:
    """One request as it came over the wire."""

    head: bytes
    body: bytes
    at: float
    address: str = ""
    """Where it came from."""

    @property
    def method(self) -> str:
        return self.head.split(b" ", 1)[0].decode()

    @property
    def target(self) -> str:
        return self.head.split(b" ", 2)[1].decode()

    @property
    def headers(self) -> list[tuple[str, str]]:
        """Names and values in this order; names as they were written."""
        lines = self.head.decode("latin-1").split("\r\n")[1:]
        return [(name, value.strip()) for name, _, value in (line.partition(":") for line in lines if line)]

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)


@dataclass(frozen=True)
class Response:
    status: int
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()

    def to_bytes(self) -> bytes:
        lines = [f"HTTP/1.1 {self.status} X", *(f"{name}: {value}" for name, value in self.headers)]
        lines += [f"Content-Length: {len(self.body)}", "Connection: close"]
        return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + self.body


DROP = None
"""Instead of a response: the connection is closed without a word."""

Responder = Callable[[Request], Response | None]


@dataclass
class Capture:
    """A running server: its address and the record of what came in."""

    respond: Responder
    url: str = ""
    requests: list[Request] = field(default_factory=list)

    def posts(self) -> list[Request]:
        return [request for request in self.requests if request.method == "POST"]

    def wait_for_posts(self, number: int, *, seconds: float = 60) -> list[Request]:
        end = time.monotonic() + seconds
        while len(self.posts()) < number and time.monotonic() < end:
            time.sleep(0.01)
        return self.posts()

    def forget(self) -> Self:
        self.requests.clear()
        return self


_used: set[int] = set()


@contextmanager
def capturing(respond: Responder) -> Iterator[Capture]:
    """Serve `respond` on a free loopback port while the context lasts, which no other had before.

    A browser keeps things by port: what one test left is nothing to the next.
    """
    capture = Capture(respond)

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            request = read_request(self.rfile, self.client_address[0])
            if request is None:
                return
            capture.requests.append(request)
            response = capture.respond(request)
            if response is not DROP:
                self.wfile.write(response.to_bytes())

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        request_queue_size = 64

        def handle_error(self, request: object, client_address: object) -> None:
            """A browser that hangs up in the middle is part of some tests."""

    with unused(lambda: Server(("127.0.0.1", 0), Handler)) as server:
        capture.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        yield capture
        server.shutdown()


def unused(make: Callable[[], socketserver.TCPServer]) -> socketserver.TCPServer:
    """A server on a port that none of this process had before."""
    while (server := make()).server_address[1] in _used:
        server.server_close()
    _used.add(server.server_address[1])
    return server


def read_request(stream: object, address: str = "") -> Request | None:
    lines = []
    while (line := stream.readline(65536)) not in (b"\r\n", b""):
        lines.append(line)
    if not lines:
        return None
    head = b"".join(lines)
    length = next((int(line.split(b":")[1]) for line in lines if line.lower().startswith(b"content-length:")), 0)
    return Request(head, stream.read(length), time.monotonic(), address)


def forward_to(base: str) -> Responder:
    """Answer as the server at `base` does; the record then shows what the real site received."""
    address = urlsplit(base)

    def respond(request: Request) -> Response:
        connection = HTTPConnection(address.hostname, address.port, timeout=30)
        try:
            headers = {name: value for name, value in request.headers if name.lower() != "connection"}
            connection.request(request.method, request.target, request.body or None, headers)
            answer = connection.getresponse()
            body = answer.read()
            kept = [(name, value) for name, value in answer.getheaders() if name.lower() not in HOP]
            return Response(answer.status, body, tuple(kept))
        finally:
            connection.close()

    return respond


HOP = {"connection", "content-length", "transfer-encoding", "keep-alive"}
