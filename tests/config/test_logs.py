"""Lines of the log, for people and as JSON: the fault and its place, and no value."""

import json
import logging
import logging.config
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
CANARY = "c4n4ry"


def written(settings: Any, format_: str) -> StringIO:
    """What the console would show, of loggers set as an installation sets them."""
    written = StringIO()
    logging.config.dictConfig(settings.LOGGING)
    (handler,) = logging.getLogger().handlers[-1:]
    assert isinstance(handler, logging.StreamHandler)
    made = settings.LOGGING["formatters"][format_]
    handler.setFormatter(logging.config.DictConfigurator({"version": 1}).configure_formatter(dict(made)))  # type: ignore[attr-defined]
    handler.setStream(written)
    return written


@pytest.fixture(autouse=True)
def _as_before() -> Any:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = handlers, level


def fail() -> None:
    try:
        raise KeyError(f"Key (nonce)=({CANARY}) already exists")
    except KeyError as error:
        raise ValueError(f"failing row contains ({CANARY})") from error


@pytest.mark.parametrize("format_", ["line", "json"])
def test_log_error_names_place_without_values(settings: Any, format_: str) -> None:
    lines = written(settings, format_)
    try:
        fail()
    except ValueError:
        logging.getLogger("django.request").error("Internal Server Error: %s", "/panel/", exc_info=True)
    said = lines.getvalue()
    assert CANARY not in said
    assert all(word in said for word in ("builtins.KeyError", "builtins.ValueError", "in fail", "/panel/"))
    if format_ == "json":
        assert set(json.loads(said)) == {"time", "level", "logger", "message", "places"}


@pytest.mark.parametrize("format_", ["line", "json"])
def test_log_failed_task_quotes_no_value(settings: Any, format_: str) -> None:
    from config.celery import app

    @app.task(name=f"tests.fails_{format_}")  # type: ignore[untyped-decorator]
    def fails(given: str) -> None:
        fail()

    lines = written(settings, format_)
    fails.apply(args=[CANARY])
    said = lines.getvalue()
    assert CANARY not in said
    assert f"tests.fails_{format_}" in said
    assert "ValueError" in said


def test_log_json_setting_writes_json(tmp_path: Path) -> None:
    code = "import django; django.setup(); import logging; logging.getLogger('candor').warning('a %s', 'word')"
    environment = os.environ | {"CANDOR_DATA": str(tmp_path), "CANDOR_LOG": "json"}
    environment["DJANGO_SETTINGS_MODULE"] = "config.settings"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True)
    line = json.loads(done.stderr)
    assert (line["level"], line["logger"], line["message"]) == ("WARNING", "candor", "a word")
