"""`python -m tests.stack [PYTEST'S OPTIONS]`, which is `make test-stack`: every test on a real PostgreSQL and Redis.

Tests that start installations with servers of their own are left to `make test`.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from config.postgresql import PostgreSQL
from config.redis_server import RedisServer

OWN_SERVERS = ("tests/system", "tests/chaos/test_named.py")


def main(options: list[str]) -> int:
    # Not in a deeper folder: a socket's path must be short, and root's server runs as nobody.
    folder = Path(tempfile.mkdtemp(prefix="candor-test-"))
    folder.chmod(0o755)
    database, broker = PostgreSQL(folder / "postgresql"), RedisServer(folder / "redis")
    try:
        database.start()
        broker.start()
        # The launcher's own settings are in the environment by now, and would come before the tests'.
        variables = {"DATABASE_URL": database.url, "REDIS_URL": broker.url, "DJANGO_SETTINGS_MODULE": "tests.settings"}
        ignored = [f"--ignore={path}" for path in OWN_SERVERS]
        command = [sys.executable, "-m", "pytest", *ignored, *options]
        return subprocess.run(command, env=os.environ | variables, check=False).returncode
    finally:
        broker.stop()
        database.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
