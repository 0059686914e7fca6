"""The site in a thread, as an installation runs it: with the door that takes reports in front."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from django.test.testcases import LiveServerThread
from pytest_django.live_server_helper import LiveServer

from tests.tools.door import WRITER, door_with


class Server(LiveServerThread.server_class):
    """Django's, which would wait for the connections of the last one on the same port to be forgotten."""

    def __init__(self, *arguments: object, **options: object) -> None:
        super().__init__(*arguments, **options | {"allow_reuse_address": True})


@contextmanager
def running_site(port: int = 0) -> Iterator[str]:
    """Its address, on that port or a free one. The static files come from its own middleware, under hashed names."""
    with (
        patch.object(LiveServerThread, "server_class", Server),
        patch("django.contrib.staticfiles.handlers.StaticFilesHandler", lambda application: application),
        patch("django.test.testcases._MediaFilesHandler", lambda django: door_with(WRITER, django)),
    ):
        server = LiveServer(f"127.0.0.1:{port}")
        yield server.url
        server.stop()
