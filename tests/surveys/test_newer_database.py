"""Old code on a newer database refuses with a sentence and changes nothing; so does opening without static files."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from collector.errors import Conflict
from surveys.maintenance.schema_version import check_database, unknown_migrations
from surveys.models import Survey, Version

ROOT = Path(__file__).parents[2]
WORKER = "import config.celery as worker, django; django.setup(); worker.refuse_newer_database()"


@pytest.fixture
def newer(db: None) -> None:
    """A database at which a newer version has been at work."""
    recorder = MigrationRecorder(connection)
    recorder.record_applied("collector", "9999_from_the_future")
    recorder.record_applied("otp_totp", "0099_of_somebody_else")


def test_check_database_own_version_passes(db: None) -> None:
    check_database()
    assert unknown_migrations() == []


def test_check_database_newer_version_raises_conflict(newer: None) -> None:
    with pytest.raises(Conflict, match=r"it has collector\.9999_from_the_future, which this version"):
        check_database()


@pytest.mark.parametrize("words", [["migrate"], ["open_survey", "campus"], ["export_survey", "campus"]])
def test_commands_refuse_a_newer_database(newer: None, words: list[str]) -> None:
    with pytest.raises(CommandError, match=r"The database is of a newer version of Candor: .* Nothing was changed\."):
        call_command(*words)


@pytest.mark.long
def test_every_process_refuses_a_newer_database(tmp_path: Path) -> None:
    own = {"CANDOR_DATA": str(tmp_path), "DATABASE_URL": "", "DJANGO_SETTINGS_MODULE": "config.settings"}
    future = "from django.db import connection; from django.db.migrations.recorder import MigrationRecorder as R; "
    apply = "R(connection).ensure_schema(); R(connection).record_applied('surveys', '9999_later')"
    runs = [
        ["-c", "import django; django.setup(); " + future + apply],
        ["-c", "import config.rsgi"],
        ["-c", WORKER],
        ["manage.py", "createsuperuser", "--noinput", "--username", "a", "--email", "a@example.org"],
        ["manage.py", "shell", "-c", "print(1)"],
    ]
    done = [
        subprocess.run(
            [sys.executable, "-W", "ignore", *words], cwd=ROOT, env=os.environ | own, capture_output=True, text=True
        )
        for words in runs
    ]
    assert [run.returncode for run in done] == [0, 1, 1, 1, 1], done
    for run in done[1:]:
        assert run.stderr.startswith("The database is of a newer version of Candor: it has surveys.9999_later")
        assert len(run.stderr.strip().splitlines()) == 1


def test_open_before_collectstatic_is_refused(survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storages["staticfiles"], "hashed_files", {})
    with pytest.raises(CommandError, match=r"not collected: .* Run 'manage\.py collectstatic --noinput'"):
        call_command("open_survey", survey.slug)
    survey.refresh_from_db()
    assert survey.state == Survey.State.DRAFT
    assert not Version.objects.exists()
