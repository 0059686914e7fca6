"""Workers by machine: real ones on a real Redis, named as on two machines."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest
from celery import Celery
from django.test import Client

from config import metrics
from estimator.runs import health
from surveys.panel import operations
from tests.system.installation import ROOT, wait_until
from tests.tools.redis import running_redis

WORKERS = ("worker@alpha", "folding@alpha", "worker@beta")


@pytest.fixture(scope="module")
def broker() -> Iterator[str]:
    """The address of a broker with three workers."""
    with running_redis() as server, tempfile.TemporaryDirectory(prefix="candor-workers-") as data:
        # The tests' own settings give each of their processes a database of Redis by itself.
        own = {"DJANGO_SETTINGS_MODULE": "config.settings", "REDIS_URL": server.url, "CANDOR_DATA": data}
        environment = {**os.environ, **own}
        environment.pop("DATABASE_URL", None)
        worker = ["celery", "-q", "-A", "config", "worker", "--pool", "solo", "--loglevel", "error"]
        command = [sys.executable, "-m", *worker]
        started = [
            subprocess.Popen([*command, "--hostname", name], env=environment, cwd=ROOT, stderr=subprocess.DEVNULL)
            for name in WORKERS
        ]
        yield server.url
        for one in started:
            one.kill()
            one.wait()


@pytest.mark.long
@pytest.mark.django_db
def test_workers_are_counted_by_machine(
    broker: str, monkeypatch: pytest.MonkeyPatch, settings: Any, admin_client: Client
) -> None:
    assert health.workers_by_node() == {} or settings.REDIS_URL, "a folder is the broker of one machine"
    settings.REDIS_URL = broker
    monkeypatch.setattr(health, "current_app", Celery("candor", broker=broker, set_as_current=False))
    wait_until(lambda: health.workers_by_node() == {"alpha": 2, "beta": 1}, 120)
    # On a busy machine a worker may miss a ping.
    wait_until(lambda: 'candor_workers{machine="alpha"} 2.0' in metrics.exposition().decode(), 60)
    row = '<th scope="row">alpha</th><td class="number">2</td>'
    wait_until(lambda: row in admin_client.get("/panel/operation/").content.decode(), 60)
    monkeypatch.setattr(operations.health, "workers_by_node", lambda: {"alpha": 3})
    assert "Workers by machine" not in admin_client.get("/panel/operation/").content.decode(), "one machine"


@pytest.mark.long
def test_workers_of_absent_broker_are_none(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    monkeypatch.setattr(health, "current_app", Celery("candor", broker=settings.REDIS_URL, set_as_current=False))
    assert health.workers_by_node() == {}
