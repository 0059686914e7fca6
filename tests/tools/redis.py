"""A real Redis for as long as a test needs it."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from config.redis_server import RedisServer


@contextmanager
def running_redis() -> Iterator[RedisServer]:
    """In a folder of its own: a socket's path must be short."""
    with tempfile.TemporaryDirectory(prefix="candor-redis-", ignore_cleanup_errors=True) as folder:
        server = RedisServer(Path(folder) / "server")
        server.start()
        try:
            yield server
        finally:
            server.stop()
