"""A proxy through which a request comes from another address of this machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit

ADDRESS = "127.0.0.2"


class _Forwarding(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        url = urlsplit(self.path)
        connection = HTTPConnection(url.hostname or "", url.port, timeout=30, source_address=(ADDRESS, 0))
        connection.request("GET", url.path, headers=dict(self.headers))
        answer = connection.getresponse()
        body = answer.read()
        self.send_response_only(answer.status)
        for name, value in answer.getheaders():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        connection.close()

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@contextmanager
def proxy() -> Iterator[str]:
    """Its URL, while it runs."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Forwarding) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
