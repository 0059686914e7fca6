"""Logging of error types and code locations only, never of values.

An error's own words may quote what was being stored (a database names the row that it refused), and a line has a time
beside it. So the words of errors are left out, in lines for people and in JSON alike.
"""

import logging
import traceback
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from pythonjsonlogger.json import JsonFormatter

ExceptionInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class ValueFilter(logging.Filter):
    """Removes the error text and task arguments from Celery's records of failed tasks."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name == "celery.app.trace" and isinstance(record.args, Mapping):
            task = {name: record.args.get(name) for name in ("id", "name")}
            fault = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else "an error"
            record.msg, record.args = f"Task {task['name']} [{task['id']}] ended with {fault}", ()
            record.__dict__.pop("data", None)
        return True


class LocationFormatter(logging.Formatter):
    """Formats an exception as its code locations, without the error's message."""

    def formatException(self, ei: Any) -> str:  # noqa: N802 - logging names it so
        return places(ei)


class LocationJsonFormatter(JsonFormatter):
    """Formats the same as JSON, one line per record."""

    def formatException(self, ei: Any) -> str:  # noqa: N802 - logging names it so
        return places(ei)


def places(given: ExceptionInfo) -> str:
    """The chain of errors, first cause first: where each was raised, and its type."""
    lines: list[str] = []
    error = given[1]
    while error is not None:
        kind = type(error)
        lines[:0] = [*traceback.format_tb(error.__traceback__), f"{kind.__module__}.{kind.__qualname__}\n"]
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return "".join(lines).rstrip("\n")
