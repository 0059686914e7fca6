"""The schedule goes by the monotonic clock: a clock that is set back stops nothing."""

import re
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from celery.beat import Scheduler
from celery.utils.imports import symbol_by_name
from django.utils.module_loading import import_string

from config import beat
from config.celery import app
from surveys import tasks

STEPS = 3


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a scheduler sends in place of messages."""
    found: list[str] = []
    monkeypatch.setattr(Scheduler, "apply_async", lambda self, entry, **given: found.append(entry.task))
    return found


def run(scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch, *, seconds: float) -> None:
    """Let time pass in `STEPS` looks: the monotonic clock alone."""
    now = beat.steady_now()
    for step in range(1, STEPS + 1):
        passed = timedelta(seconds=seconds * step / STEPS)
        monkeypatch.setattr(beat, "_STARTED_AT", now - (beat.steady_now() - beat._STARTED_AT) + passed)
        for _ in app.conf.beat_schedule:
            scheduler.tick()


@pytest.mark.parametrize("days", [-400, -3, 3, 400])
def test_beat_clock_set_sends_every_task(monkeypatch: pytest.MonkeyPatch, sent: list[str], days: int) -> None:
    scheduler: Any = symbol_by_name(beat.SCHEDULER)(app=app)
    scheduler.tick()
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + days * 86_400)
    monkeypatch.setattr(type(app), "now", lambda self: datetime.now(self.timezone) + timedelta(days=days))
    longest = max(entry["schedule"].run_every for entry in app.conf.beat_schedule.values())
    run(scheduler, monkeypatch, seconds=longest.total_seconds())
    assert set(sent) == {entry["task"] for entry in app.conf.beat_schedule.values()}


def test_beat_restart_reads_no_last_times(tmp_path: Any) -> None:
    scheduler: Any = symbol_by_name(beat.SCHEDULER)(app=app, schedule_filename=str(tmp_path / "kept"))
    scheduler.sync()
    scheduler.close()
    assert list(tmp_path.iterdir()) == []


def test_beat_tasks_of_surveys_name_services_that_exist() -> None:
    services = re.findall(r'"(surveys(?:\.\w+){2,})"', Path(str(tasks.__file__)).read_text(encoding="utf-8"))
    assert len(services) == 17
    assert all(callable(import_string(service)) for service in services)
