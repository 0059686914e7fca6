"""How commands end, and that what they write is whole or not there."""

import errno
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection

from collector.designs.selectors import get_design
from estimator.base.cells import Watch
from estimator.exports.formats import FORMATS, Format
from estimator.models import Run
from estimator.runs import services
from estimator.runs.results import ReportContext
from surveys.definition import definitions
from surveys.management.base import REFUSED, USAGE
from surveys.models import AuditEntry, Survey, Version
from surveys.opening.services import open_survey
from tests.factories import payloads
from tests.factories.runs import fill

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.django_db


@pytest.fixture
def run(version: Version) -> Run:
    return services.run_now(version.design_id)


def export(output: Path | str, *words: str) -> None:
    call_command("export_report", "campus", "--output", output, *words)


def ended(*words: Any) -> int:
    with pytest.raises(CommandError) as caught:
        call_command(*words)
    return caught.value.returncode


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="another process sees a copy of the test's file")
def test_command_exit_codes_in_own_process(run: Run, tmp_path: Path) -> None:
    """Done, refused and asked wrongly, in an installation that is a copy of the test's."""
    environment = {"PATH": os.environ["PATH"], "CANDOR_DATA": str(tmp_path)}
    (tmp_path / "candor.sqlite3").write_bytes(connection.connection.serialize())

    def manage(*words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "manage.py", *words]
        return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    report = ("export_report", "campus", "--output", "-")
    begun = [manage(*report), manage("close_survey", "missing", "--json"), manage(*report, "--format", "papyrus")]
    done, refused, wrong = [(*process.communicate(timeout=300), process.returncode) for process in begun]
    assert done == (FORMATS["csv"].whole(run), f"Run {run.key} of campus is written to -.\n".encode(), 0)
    told = "There is no survey 'missing'; there are: campus."
    assert json.loads(refused[0]) == {"error": told, "exit": REFUSED}
    assert refused[1:] == (f"CommandError: {told}\n".encode(), REFUSED)
    assert (wrong[0], wrong[2]) == (b"", USAGE)
    assert b"invalid choice: 'papyrus'" in wrong[1]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["close_survey", "campus"], REFUSED),
        (["open_survey", "missing"], REFUSED),
        (["import_survey", "/nowhere.yaml"], REFUSED),
        (["estimate", "campus", "--confidence", "1"], USAGE),
        (["rehearse", "campus", "--respondents", "0"], USAGE),
        (["rehearse", "campus", "--share", "cheated=many"], USAGE),
    ],
)
def test_command_exit_code_refused_or_usage(survey: Survey, words: list[str], code: int) -> None:
    if words[0] == "estimate":
        open_survey(survey)
    assert ended(*words) == code


def test_export_rows_format_is_logged_and_private(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(run: Run, context: ReportContext, out: BinaryIO, watch: Watch) -> None:
        out.write(b"rows")

    monkeypatch.setitem(FORMATS, "rows", Format("rows", ".rows", "text/x", "Rows", write, microdata=True))
    output = tmp_path / "out"
    for words in (["--format", "rows"], ["--format", "csv", "--with-reports"]):
        assert ended("export_report", "campus", "--output", output, *words) == USAGE
    assert list(tmp_path.iterdir()) == []
    export(output, "--format", "rows", "--with-reports")
    assert (output.read_bytes(), output.stat().st_mode & 0o777) == (b"rows", 0o600)
    (entry,) = AuditEntry.objects.filter(act="exported")
    assert entry.detail == f"run {run.key}, as rows, a row for each response"


@pytest.mark.parametrize("fault", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_export_failure_keeps_the_old_file(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: BaseException
) -> None:
    def write(run: Run, context: ReportContext, out: BinaryIO, watch: Watch) -> None:
        out.write(b"half of it")
        watch(0.5)
        raise fault

    monkeypatch.setitem(FORMATS, "csv", Format("csv", ".csv", "text/csv", "Estimates", write))
    output = tmp_path / "estimates.csv"
    output.write_bytes(b"of yesterday")
    with pytest.raises((CommandError, KeyboardInterrupt)):
        export(output)
    assert [path.name for path in tmp_path.iterdir()] == ["estimates.csv"]
    assert output.read_bytes() == b"of yesterday"
    monkeypatch.undo()
    export(output)
    assert output.read_bytes() == FORMATS["csv"].whole(run)


def test_export_follows_link_and_refuses_non_file(run: Run, tmp_path: Path) -> None:
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    link.symlink_to(real)
    export(link)
    assert link.is_symlink()
    assert real.read_bytes() == FORMATS["csv"].whole(run)
    for place in (tmp_path, Path("/dev/null")):
        assert ended("export_report", "campus", "--output", place) == REFUSED


def test_export_to_stdout_writes_only_the_file(run: Run, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    export("-", "--json")
    told = capfdbinary.readouterr()
    assert told.out == FORMATS["csv"].whole(run)
    assert json.loads(told.err)["run"] == run.key


def test_export_run_option_takes_one_run(run: Run, version: Version, tmp_path: Path) -> None:
    fill(get_design(version.design_id))
    services.run_now(version.design_id)
    output = tmp_path / "out.json"
    export(output, "--format", "json", "--run", run.key)
    assert json.loads(output.read_bytes())["run"]["key"] == run.key
    for key in ("0" * 32, "../x"):
        assert ended("export_report", "campus", "--output", output, "--run", key) == REFUSED


def test_export_language_option_of_data_format_is_usage(run: Run, tmp_path: Path) -> None:
    assert ended("export_report", "campus", "--output", tmp_path / "x", "--language", "de") == USAGE


def test_import_survey_reads_standard_input(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    written = definitions.dump(payloads.definition()).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(written)))
    call_command("import_survey", "-")
    assert Survey.objects.get().slug == "campus"


def test_import_survey_not_utf8_is_refused(survey: Survey, tmp_path: Path) -> None:
    file = tmp_path / "latin.yaml"
    file.write_bytes("title: Prüfung".encode("latin-1"))
    with pytest.raises(CommandError, match=r"latin\.yaml is not UTF-8: byte 10 cannot be read\."):
        call_command("import_survey", file)
