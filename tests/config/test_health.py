"""Alive, ready, and what else whoever watches the machine is told: which part is away, and nothing of a respondent."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from collector.designs import Design
from collector.models import ReportArchive
from collector.reports import steps
from config import metrics
from estimator import tasks
from estimator.models import Run, Worker
from estimator.runs import health, services
from surveys.models import Backup
from tests.factories import payloads
from tests.factories.reports import store_report

pytestmark = pytest.mark.django_db
ALL_WELL = {"ready": True, "database": "ok", "broker": "ok", "worker": "ok", "counting": "ok"}


def ready() -> tuple[int, dict[str, Any]]:
    answer = Client().get("/readyz")
    return answer.status_code, answer.json()


def numbers(settings: Any) -> dict[str, float]:
    settings.CANDOR_METRICS_TOKEN = "a token"
    answer = Client().get("/metrics", headers={"Authorization": "Bearer a token"})
    assert answer.status_code == 200
    samples = [one for family in text_string_to_metric_families(answer.content.decode()) for one in family.samples]
    return {" ".join([sample.name, *sample.labels.values()]): sample.value for sample in samples}


def cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the database answer nothing."""

    def refused(*_given: object, **_named: object) -> None:
        raise OperationalError("the database is away")

    monkeypatch.setattr(connection, "cursor", refused)


def test_healthz_database_down_answers_200(monkeypatch: pytest.MonkeyPatch) -> None:
    cut_off(monkeypatch)
    assert (Client().get("/healthz").status_code, Client().post("/healthz").status_code) == (200, 405)


def test_ready_needs_a_worker_check() -> None:
    assert ready() == (503, {**ALL_WELL, "ready": False, "worker": "failed"})
    tasks.fold_waiting()
    assert ready() == (200, ALL_WELL)


def test_ready_missing_worker_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    now = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now)
    Worker.objects.create(seen_at=now - health.AWAY - timedelta(seconds=5))
    assert ready()[1]["worker"] == "failed"
    worker = next(check for check in health.checks() if check.name == "worker")
    assert worker.words == "It looked for work 65 seconds ago. Responses are stored all the same."


def test_ready_late_counting_is_reported(design: Design) -> None:
    tasks.fold_waiting()
    for _ in range(19):
        store_report(payloads.body(design))
    Worker.objects.update(caught_up_at=timezone.now() - health.LATE - timedelta(seconds=30))
    assert ready() == (200, ALL_WELL), "these wait for the next step"
    Worker.objects.update(caught_up_at=timezone.now())
    store_report(payloads.body(design))
    assert ready() == (200, ALL_WELL), "it came just now"
    Worker.objects.update(caught_up_at=timezone.now() - health.LATE - timedelta(seconds=30))
    assert ready() == (503, {**ALL_WELL, "ready": False, "counting": "failed"})
    tasks.fold_waiting()
    assert ready() == (200, ALL_WELL)


def test_worker_caught_up_at_hides_report_arrival(design: Design) -> None:
    """Else it would tell when each report came."""
    tasks.fold_waiting()
    before = Worker.objects.get().caught_up_at
    store_report(payloads.body(design))
    tasks.fold_waiting()
    assert Worker.objects.get().caught_up_at == before


@pytest.mark.long
@pytest.mark.parametrize("broken", ["redis://127.0.0.1:1/0", "folder"])
def test_ready_broker_down_answers_503(monkeypatch: pytest.MonkeyPatch, broken: str) -> None:
    tasks.fold_waiting()
    if broken == "folder":
        monkeypatch.setattr(health, "broker_works", lambda: False)
    else:
        monkeypatch.setattr(health.current_app.conf, "broker_write_url", broken)
    assert ready() == (503, {**ALL_WELL, "ready": False, "broker": "failed"})


def test_ready_database_down_answers_503(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    cut_off(monkeypatch)
    failed = {"ready": False, "database": "failed", "broker": "ok", "worker": "failed", "counting": "failed"}
    assert ready() == (503, failed)
    assert numbers(settings)["candor_up database"] == 0


@pytest.mark.parametrize("given", ["", "Bearer", "Bearer another", "a token", "Basic a token"])
def test_metrics_without_token_answers_404(settings: Any, given: str) -> None:
    settings.CANDOR_METRICS_TOKEN = "a token"
    refused = Client().get("/metrics", headers={"Authorization": given})
    settings.CANDOR_METRICS_TOKEN = ""
    off = Client().get("/metrics", headers={"Authorization": "Bearer "})
    assert (refused.status_code, off.status_code) == (404, 404)


def test_metrics_list_state_of_parts(design: Design, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "wake", lambda run_id: None)
    tasks.fold_waiting()
    services.request_run(design.digest)
    services.execute(services.request_run(design.digest).pk)
    told = numbers(settings)
    assert {part: told[f"candor_up {part}"] for part in ("database", "broker", "worker", "counting")} == {
        "database": 1, "broker": 1, "worker": 1, "counting": 1,
    }  # fmt: skip
    assert (told["candor_jobs run queued"], told["candor_jobs run done"]) == (1, 1)
    assert told["candor_database_bytes"] > 10_000
    assert 0 <= told["candor_worker_seen_seconds"] < 60
    Run.objects.all().delete()


def test_metrics_one_report_changes_no_number(design: Design, settings: Any) -> None:
    """Whoever keeps the metrics of every second would else know when each came."""
    for number in range(metrics.STEP + steps.STEP - 1):
        store_report(payloads.body(design, nonce=f"{number:032x}"))
    tasks.fold_waiting()
    still = ("candor_worker_seen_seconds", "candor_database_bytes")
    before = {name: value for name, value in numbers(settings).items() if name not in still}
    assert before["candor_reports"] == 0
    store_report(payloads.body(design, nonce="f" * 32))
    waiting = {name: value for name, value in numbers(settings).items() if name not in still}
    assert waiting.pop("candor_counting_lag_seconds") < 60
    assert waiting == {name: value for name, value in before.items() if name != "candor_counting_lag_seconds"}
    tasks.fold_waiting()
    assert numbers(settings)["candor_reports"] == metrics.STEP


def test_metrics_tell_archives_by_state(design: Design, settings: Any) -> None:
    assert not {name for name in numbers(settings) if name.startswith("candor_archives")}
    ReportArchive.objects.create(design_id=design.digest, name="a", state="returning", size=17_000)
    told = numbers(settings)
    assert (told["candor_archives returning"], told["candor_archives_bytes"]) == (1, 17_000)


def test_metrics_tell_whole_hours_since_the_last_backup(settings: Any) -> None:
    assert "candor_last_backup_age_hours" not in numbers(settings)
    made_at = timezone.now() - timedelta(hours=5, minutes=50)
    Backup.objects.create(state="done", finished_at=made_at, size=1, name="a")
    assert numbers(settings)["candor_last_backup_age_hours"] == 5
