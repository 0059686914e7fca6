"""The operator's page: what works, what the jobs do, what is kept."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from collector.designs.services import close_design
from collector.models import FrozenDesign, WaitingReport
from estimator import tasks
from estimator.base import jobs
from estimator.exports import services as exporting
from estimator.models import Run
from estimator.runs import services
from surveys.maintenance.signature import own_fingerprint
from surveys.models import Backup, Version
from surveys.outreach.webhooks import services as webhooks
from surveys.times import day, moment
from tests.panel.conftest import SignIn
from tests.panel.pages import marks

ADDRESS = "/panel/operation/"

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(sign_in: SignIn) -> Client:
    return sign_in(User.objects.create_superuser("root", password="a long passphrase"))


def words(client: Client) -> str:
    answer = client.get(ADDRESS)
    assert answer.status_code == 200
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


def test_operation_page_is_for_operators_only(her: Client) -> None:
    assert her.get(ADDRESS).status_code == 403
    assert "Operation" not in her.get("/panel/teams/").content.decode()


def test_operation_page_shows_what_works(operator: Client) -> None:
    before = operator.get(ADDRESS).content.decode()
    assert (marks(before, "works"), "No worker was" in before) == (["no"], True)
    tasks.fold_waiting()
    after = operator.get(ADDRESS).content.decode()
    assert (marks(after, "works"), after.count("✓")) == (["yes"], 4)


def test_operation_page_shows_failed_job(operator: Client, version: Version) -> None:
    run = services.request_run(version.design_id)
    assert "No job has failed." in words(operator)
    Run.objects.filter(pk=run.pk).update(tries=jobs.MOST_TRIES, state="running", lease="lost")
    jobs.release_lease(Run, run.pk, "lost", ZeroDivisionError("a value"))
    shown = words(operator)
    assert re.search(r"Run campus \d+ seconds? ago 3 The computation ended with ZeroDivisionError\.", shown)
    assert "a value" not in shown


def test_operation_page_shows_failed_export_and_webhook(operator: Client, version: Version) -> None:
    run = services.execute(services.request_run(version.design_id).pk)
    export, _ = exporting.request(run, "csv")
    delivery = webhooks.send_test(webhooks.add(version.survey, "https://example.org/path", ["closed"], [])[0])
    for job in (export, delivery):
        type(job).objects.filter(pk=job.pk).update(
            state="failed", finished_at=timezone.now(), fault="It failed.", tries=3
        )
    shown = words(operator)
    for job in ("Export", "Webhook delivery"):
        assert re.search(rf"{job} campus \d+ seconds? ago 3 It failed\.", shown)
    assert "example.org" not in shown


def test_operation_page_counts_reports_set_aside(operator: Client, version: Version) -> None:
    assert marks(operator.get(ADDRESS).content.decode(), "aside") == []
    number = FrozenDesign.objects.get(digest=version.design_id).number
    WaitingReport.objects.create(design_id=number, nonce=b"n" * 16, stratum=0, report=b"\x63\x61", mode=0)
    close_design(version.design_id)
    tasks.fold_waiting()
    assert marks(operator.get(ADDRESS).content.decode(), "aside") == ["1"]


def test_operation_page_counts_stored_reports(operator: Client, run: Run) -> None:
    stored = f"{run.reports:,}"
    assert f"campus {stored} 0" in words(operator)


def test_operation_data_folder_open_to_others_is_named(operator: Client, settings: Any) -> None:
    assert "Others can read or change" not in words(operator)
    settings.DATA.chmod(0o755)
    try:
        shown = words(operator)
    finally:
        settings.DATA.chmod(0o700)
    assert f"Others can read or change what is kept in {settings.DATA}: {settings.DATA} (1 in all)." in shown


def test_operation_shows_the_fingerprint_of_backups(operator: Client) -> None:
    assert own_fingerprint() in words(operator)


def test_operation_shows_the_last_backup(operator: Client, settings: Any) -> None:
    assert "No automatic backups" in words(operator)
    settings.CANDOR_BACKUP_EVERY = 12
    assert "No backup is stored yet." in words(operator)
    now = timezone.now()
    done = {"state": "done", "finished_at": now, "size": 12_300_001, "name": "a", "place": "s3://bucket/backups"}
    made = Backup.objects.create(**done)
    shown = words(operator)
    assert f"{moment(now)}, at most 13 MB" in shown
    assert "s3://bucket/backups" in shown
    assert "Test restore not yet" in shown
    Backup.objects.filter(pk=made.pk).update(checked_at=now)
    assert f"Test restore on {day(now)}" in words(operator)
    assert marks(operator.get(ADDRESS).content.decode(), "overdue") == ["no"]
    Backup.objects.filter(pk=made.pk).update(requested_at=now - timedelta(hours=24, seconds=1))
    Backup.objects.create(state="failed", finished_at=timezone.now(), fault="The store is full.", tries=1)
    shown = words(operator)
    assert "No backup was stored for more than twice the hours" in shown
    assert "The latest attempt failed: The store is full." in shown
    assert re.search(r"Backup \d+ seconds? ago 1 The store is full", shown)
