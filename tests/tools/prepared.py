"""A new installation's database and static files: made once for all processes of a run, and copied by who needs them.

To migrate and to compress take many seconds of a processor. That an installation does both itself is asked where
`make run` is (`tests/system/test_serve.py`).
"""

import fcntl
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).parents[2]
DATABASE = "candor.sqlite3"


def once(name: str, make: Callable[[Path], None]) -> Path:
    """What the first process of the run makes in the folder that all share; the others wait for it."""
    shared = Path(os.environ["CANDOR_TEST_SHARED"])
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = shared / name
        if not made.exists():
            make(shared / f"{name}.partly")
            (shared / f"{name}.partly").rename(made)
    return made


def installation() -> Path:
    return once("installation", _make)


def _make(data: Path) -> None:
    """Both at once, as each keeps one processor busy."""
    own = {"CANDOR_DATA": str(data), "DJANGO_SETTINGS_MODULE": "config.settings"}
    kept = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
    data.mkdir(mode=0o700)
    started = [
        subprocess.Popen([sys.executable, "manage.py", *words, "--verbosity", "0"], cwd=ROOT, env=kept | own)
        for words in (["migrate"], ["collectstatic", "--noinput"])
    ]
    codes = [one.wait() for one in started]
    assert codes == [0, 0], "the installation for all tests was not made; the words of its commands are above"


def copy_database(file: Path) -> None:
    """Make `file` a database with all tables and no rows but theirs."""
    shutil.copy(installation() / DATABASE, file)


def restore_database(connection: sqlite3.Connection) -> None:
    """Put all tables back into the database that is connected, and no rows but theirs."""
    with closing(sqlite3.connect(installation() / DATABASE)) as new:
        new.backup(connection)


def copy_static_files(folder: Path) -> None:
    shutil.copytree(installation() / "static", folder)


def copy_installation(data: Path) -> None:
    """Make `data` the folder of an installation that starts with nothing to migrate and nothing to compress."""
    data.mkdir(mode=0o700)
    copy_database(data / DATABASE)
    copy_static_files(data / "static")
