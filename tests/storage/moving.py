"""A process of one thread that forks another for each move of reports, which dies on the way: test_archive_kills.py.

Each line of its input is JSON: what to do to which design, the folder of archives, and the number of the act at which
to die or after how many seconds. It answers with a line each: how that process ended.
"""

import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any

import django
import pyarrow.parquet  # noqa: F401 - once for all that it forks

django.setup()

from django.conf import settings  # noqa: E402
from django.core.files.storage import storages  # noqa: E402
from django.db import connection, connections  # noqa: E402

from collector.reports import archiving, purging  # noqa: E402

WRITES = ("INSERT", "UPDATE", "DELETE")
WORK: dict[str, Callable[[str], object]] = {
    "there": archiving.archive,
    "back": archiving.put_back,
    "purge": purging.purge,
}
ROWS = 40
"""Ninety reports take three transactions."""


def main(name: str) -> None:
    """Answer for the database of this name."""
    connections["default"].settings_dict["NAME"] = name
    archiving.ROWS = ROWS
    for line in sys.stdin:
        asked = json.loads(line)
        settings.CANDOR_ARCHIVES = asked["folder"]
        work = partial(WORK[asked["work"]], asked["digest"])
        pid = begin(partial(deadly, asked["act"], work) if asked["act"] is not None else work)
        if asked["seconds"] is not None:
            time.sleep(asked["seconds"])
            os.kill(pid, signal.SIGKILL)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


def begin(work: Callable[[], object]) -> int:
    """Begin the work in a process of its own; its number."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return pid


def deadly(act: int, work: Callable[[], object]) -> None:
    """Do the work until the act of this number, and die there.

    Acts are: before rows are written or deleted, before and after each commit, before and after a file is on disk, and
    before and after it is deleted.
    """
    past = count()

    def come_by() -> None:
        if next(past) == act:
            os.kill(os.getpid(), signal.SIGKILL)

    def executed(execute: Callable[..., Any], sql: str, *given: Any) -> Any:
        if sql.lstrip().startswith(WRITES):
            come_by()
        return execute(sql, *given)

    def stop_about(owner: Any, name: str) -> None:
        real = getattr(owner, name)

        def done(*given: Any) -> Any:
            come_by()
            found = real(*given)
            come_by()
            return found

        setattr(owner, name, done)

    stop_about(os, "fsync")
    stop_about(storages["archives"], "delete")
    stop_about(connections["default"], "_commit")
    with connection.execute_wrapper(executed):
        work()


if __name__ == "__main__":
    main(sys.argv[1])
