"""The site in a thread, as an installation runs it: with the door that takes reports in front."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from pytest_django.live_server_helper import LiveServer

from tests.tools.door import WRITER, door_with


@contextmanager
def running_site() -> Iterator[str]:
    """Its address. The static files come from the site's own middleware, under their hashed names."""
    with (
        patch("django.contrib.staticfiles.handlers.StaticFilesHandler", lambda application: application),
        patch("django.test.testcases._MediaFilesHandler", lambda django: door_with(WRITER, django)),
    ):
        server = LiveServer("127.0.0.1")
        yield server.url
        server.stop()
