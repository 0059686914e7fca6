"""Dying at a named point, from within the process: the product knows nothing of it.

A point is a place where a death could matter: before a statement that writes, after one that is on disk at once, before
and after a commit, a message that is sent or acknowledged, a file that gets its name. Its name says the operation, the
side, the act, and the function that does it, as "folding: before COMMIT of _fold_chunk". Where one process comes first
to the point that is written in the file `armed`, it is killed by the signal that no process can catch.

Statements that read are no points of their own: nothing on disk changes between one of them and the next act.
"""

import os
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from tests.chaos import broken
from tests.chaos.points import OPERATIONS

PRODUCT = ("collector.", "estimator.", "surveys.", "config.")
WRITES = re.compile(
    r"\s*(?:(INSERT|UPDATE|DELETE|TRUNCATE|DROP TABLE|ALTER TABLE|ALTER INDEX|LOCK TABLE|VACUUM|ANALYZE|"
    r"CREATE UNIQUE INDEX|CREATE INDEX|CREATE TRIGGER|CREATE TEMPORARY TABLE|CREATE TABLE|WITH claimed|"
    r"CHECKPOINT|SELECT \* FROM(?= collector_store\b)))"
    r"\b(?: INTO| FROM|)(?: \(FULL, ANALYZE\)|)\s*\"?(\w*)"
)

HELPERS = {"_execute", "execute_rows"}
"""Functions that do what another one says."""

READ_ONLY = {"one_snapshot", "_one_state"}
"""Functions whose transactions write nothing."""

Notice = Callable[[str], None]


def folder() -> Path:
    """Where the driver writes which point it arms, and finds what was struck."""
    return Path(os.environ["CANDOR_TEST_FAULTS"])


def strike(point: str) -> None:
    """Die here if this point is armed, the first that comes to it alone: with all that the launcher started for it.

    Of a worker the process that computes dies together with the one that started it, as where the machine's memory or
    current ends; make audit-crashes kills them one by one too.
    """
    armed = folder() / "armed"
    try:
        if armed.read_text() != point:
            return
        armed.rename(folder() / "struck")
    except FileNotFoundError:
        return
    os.killpg(os.getpgrp(), signal.SIGKILL)


def install(notice: Notice = strike, put: Callable[[Any, str, Any], None] = setattr) -> None:
    """Have every new connection, every message and file of this process tell its points."""
    import kombu.message
    import kombu.messaging
    from django.db.backends.base.base import BaseDatabaseWrapper

    acts: list[tuple[Any, str, Callable[[tuple[Any, ...]], str]]] = [
        (kombu.messaging.Producer, "_publish", lambda args: f"message {args[5].get('task', '')}"),
        (kombu.message.Message, "ack", lambda args: f"acknowledging {args[0].headers.get('task', '')}"),
        (os, "link", lambda args: "naming the file" * (where()[0] == "backing up")),
        (BaseDatabaseWrapper, "_commit", lambda args: commit(where()[1])),
    ]
    for owner, name, act in acts:
        put(owner, name, around(getattr(owner, name), act, notice))
    connect = BaseDatabaseWrapper.connect

    def connect_and_watch(self: BaseDatabaseWrapper) -> None:
        connect(self)
        if notice is strike and (folder() / "broken").exists():
            broken.install(strike)
        if not any(isinstance(one, Statements) for one in self.execute_wrappers):
            self.execute_wrappers.append(Statements(notice))

    put(BaseDatabaseWrapper, "connect", connect_and_watch)


def commit(function: str) -> str:
    return "" if function in READ_ONLY else f"COMMIT of {function}"


class Statements:
    """What a connection executes: told before, and after where nothing is left to be committed."""

    def __init__(self, notice: Notice) -> None:
        self.notice = notice

    def __call__(self, execute: Callable[..., Any], sql: str, values: Any, many: bool, context: dict[str, Any]) -> Any:
        found = WRITES.match(sql)
        if found is None:
            return execute(sql, values, many, context)
        operation, function = where()
        act = " ".join(filter(None, found.groups()))
        self.notice(f"{operation}: before {act} in {function}")
        result = execute(sql, values, many, context)
        if not context["connection"].in_atomic_block:
            self.notice(f"{operation}: after {act} in {function}")
        return result


def around(honest: Callable[..., Any], act: Callable[[tuple[Any, ...]], str], notice: Notice) -> Callable[..., Any]:
    """A function or method that tells before and after it is called, unless what it does has no name."""

    def watched(*args: Any, **named: Any) -> Any:
        said, operation = act(args), where()[0]
        if not said:
            return honest(*args, **named)
        notice(f"{operation}: before {said}")
        result = honest(*args, **named)
        notice(f"{operation}: after {said}")
        return result

    return watched


def where() -> tuple[str, str]:
    """The operation, by the innermost function that is one, and the function of ours that acts."""
    operation, function = "", ""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not operation:
        module, name = _function(frame)
        if module.startswith(PRODUCT) and name not in HELPERS:
            function = function or name
        operation = OPERATIONS.get(f"{module}.{name}", "")
        frame = frame.f_back
    return operation or "elsewhere", function or "nobody"


def _function(frame: FrameType) -> tuple[str, str]:
    """A frame's module and function; for the end of a decorator's transaction those of what is decorated."""
    if frame.f_globals.get("__name__") == "contextlib" and (decorated := frame.f_locals.get("func")):
        return f"{decorated.__module__}", decorated.__name__
    return frame.f_globals.get("__name__", ""), frame.f_code.co_name
