"""The page Export: what it offers to whom, what a press does, and who gets which file."""

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from estimator.base import jobs as leases
from estimator.base.cells import Watch
from estimator.exports import services, storage
from estimator.exports.formats import FORMATS, Format
from estimator.models import Export, Run
from estimator.runs.results import ReportContext
from surveys.accounts.teams import home_team
from surveys.lifecycle import exports
from surveys.lifecycle.services import write_survey
from surveys.models import AuditEntry, Membership, Role, Survey
from tests.factories import payloads
from tests.panel.conftest import SignIn
from tests.panel.pages import outcome

pytestmark = pytest.mark.django_db
ADDRESS = "/panel/survey/campus/export/"


def rows(run: Run, context: ReportContext, out: BinaryIO, watch: Watch) -> None:
    out.write(b"a row for each report")


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of the test's own, a format with rows and languages of its own, and nobody to wake."""
    settings.CANDOR_EXPORTS = tmp_path / "exports"
    monkeypatch.setattr(leases, "wake", lambda task, job_id: None)
    form = Format("rows", ".rows", "application/x-rows", "Rows", rows, microdata=True, about="One row for each report.")
    monkeypatch.setitem(FORMATS, "rows", form)


@pytest.fixture
def as_a(survey: Survey, sign_in: SignIn) -> Callable[[Role], Client]:
    def member(role: Role) -> Client:
        user = User.objects.create_user(role.label, is_staff=True)
        Membership.objects.create(team=survey.team, user=user, role=role)
        return sign_in(user)

    return member


def post(client: Client, run: Run, *formats: str, **more: str) -> Any:
    return client.post(ADDRESS, {"run": run.key, "format": formats, **more})


def text(client: Client, address: str = ADDRESS) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", client.get(address).content.decode()))


def made(export: Export) -> Export:
    exports.execute_export(export.pk)
    return Export.objects.get(pk=export.pk)


def test_export_from_page_to_file_is_logged(run: Run, her: Client, alice: User) -> None:
    assert "No files yet." in text(her)
    answer = post(her, run, "csv", "json")
    assert (answer.status_code, answer["Location"]) == (302, f"{ADDRESS}?run={run.key}#exports")
    assert {(one.format, one.asked_by, one.microdata) for one in Export.objects.all()} == {
        ("csv", alice, False), ("json", alice, False),
    }  # fmt: skip
    assert text(her).count("Waiting for a worker") == 2
    export = made(Export.objects.get(format="csv"))
    page = text(her)
    assert f"SHA-256 {export.sha256}" in page
    assert page.count("Waiting for a worker") == 1
    file = her.get(reverse("panel:export-file", args=[export.key]))
    content = b"".join(file.streaming_content)  # type: ignore[attr-defined]
    assert content == storage.path_of(export.key).read_bytes()
    assert {name: file[name] for name in ("Content-Type", "Content-Disposition", "ETag", "Cache-Control")} == {
        "Content-Type": "text/csv; charset=utf-8",
        "Content-Disposition": f'attachment; filename="campus-1-{run.key[:8]}.csv"',
        "ETag": f'"{export.sha256}"',
        "Cache-Control": "private, no-cache",
    }
    again = her.get(reverse("panel:export-file", args=[export.key]), headers={"If-None-Match": f'"{export.sha256}"'})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", file["ETag"])
    acts = [(entry.act, entry.detail) for entry in AuditEntry.objects.filter(act__contains="export")]
    assert acts == [
        ("exported", f"run {run.key}, as csv"),
        ("requested an export", f"run {run.key}, as json"),
        ("requested an export", f"run {run.key}, as csv"),
    ]


def test_export_same_request_reuses_file(run: Run, her: Client) -> None:
    post(her, run, "csv")
    first = made(Export.objects.get())
    post(her, run, "csv", "json")
    levels = [message.level_tag for message in her.get(ADDRESS).context["messages"]]
    assert levels[-2:] == ["success", "info"], "one is on its way, one was asked for before"
    assert Export.objects.get(format="csv") == first


def test_export_rows_need_tick_and_editor(run: Run, her: Client, as_a: Callable[[Role], Client]) -> None:
    refused = post(her, run, "csv", "rows")
    assert refused.status_code == 400
    assert refused.context["fault"] in refused.content.decode()
    assert 'value="csv" checked' in refused.content.decode()
    assert not Export.objects.exists()
    analyst = as_a(Role.ANALYST)
    assert 'value="rows"' not in analyst.get(ADDRESS).content.decode()
    assert post(analyst, run, "csv", "rows", microdata="yes").status_code == 403
    assert not Export.objects.exists()
    assert post(her, run, "rows", microdata="yes").status_code == 302
    assert AuditEntry.objects.filter(detail=f"run {run.key}, as rows, individual responses").exists()


def test_export_download_by_role(
    run: Run, her: Client, as_a: Callable[[Role], Client], sign_in: SignIn, bob: User
) -> None:
    numbers, microdata = (made(services.request(run, name, microdata=True)[0]) for name in ("csv", "rows"))
    people = {role.label: as_a(role) for role in Role} | {"stranger": sign_in(bob)}
    found = {
        who: [client.get(reverse("panel:export-file", args=[one.key])).status_code for one in (numbers, microdata)]
        for who, client in people.items()
    }
    assert found == {
        "viewer": [403, 403], "analyst": [200, 403], "editor": [200, 200], "owner": [200, 200], "stranger": [404, 404],
    }  # fmt: skip
    assert people["analyst"].post(reverse("panel:export-delete", args=[microdata.key])).status_code == 403
    assert Export.objects.count() == 2
    taken = AuditEntry.objects.filter(act="exported", detail__endswith="individual responses")
    assert [entry.name for entry in taken] == ["owner", "editor"]
    answer = her.get(reverse("panel:export-file", args=[microdata.key]))
    assert answer["Cache-Control"] == "private, no-store"
    assert answer["Content-Disposition"].endswith(f'-{run.key[:8]}.rows"')
    listed = people["analyst"].get(ADDRESS).content.decode()
    shown = [reverse("panel:export-file", args=[one.key]) in listed for one in (numbers, microdata)]
    assert shown == [True, False]


def test_export_cancel_and_delete(run: Run, her: Client) -> None:
    waiting = exports.request_export(run, "csv")[0]
    assert "Cancel" in text(her)
    assert outcome(her, "export-delete", waiting.key) == "success"
    assert not Export.objects.filter(state="queued").exists()
    done = made(exports.request_export(run, "csv")[0])
    assert "Delete" in text(her)
    her.post(reverse("panel:export-delete", args=[done.key]))
    assert not Export.objects.exists()
    acts = AuditEntry.objects.values_list("act", flat=True)
    assert ("cancelled an export" in acts, "deleted an export" in acts) == (True, True)


def test_export_missing_file_answers_404(run: Run, her: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    export = services.request(run, "csv")[0]
    address = reverse("panel:export-file", args=[export.key])
    assert her.get(address).status_code == 404
    made(export)
    assert her.get(address).status_code == 200
    storage.path_of(export.key).unlink()
    assert her.get(address).status_code == 404
    assert address not in her.get(ADDRESS).content.decode()


def test_export_expired_file_answers_404(run: Run, her: Client) -> None:
    export = made(services.request(run, "csv")[0])
    Export.objects.update(kept_until=timezone.now() - timedelta(seconds=1))
    assert her.get(reverse("panel:export-file", args=[export.key])).status_code == 404


def test_export_progress_endpoint(run: Run, her: Client) -> None:
    address = reverse("panel:export-progress", args=["campus"])
    export = services.request(run, "csv")[0]
    before = her.get(address)
    assert before.json()["exports"] == {export.key: {"progress": 0, "words": "waiting for a worker"}}
    assert f'data-page="{before.json()["page"]}" data-waits' in her.get(ADDRESS).content.decode()
    assert her.get(address, headers={"If-None-Match": before["ETag"]}).status_code == 304
    Export.objects.update(state="running", progress=40)
    assert her.get(address).json()["exports"][export.key] == {"progress": 40, "words": "40 % written"}
    Export.objects.update(state="queued")
    made(export)
    after = her.get(address).json()
    assert after["exports"] == {}
    assert after["page"] != before.json()["page"]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({}, "Choose at least one format."),
        ({"format": "csv", "run": "0" * 32}, "Choose one of the estimates."),
        ({"format": "no-such"}, "format must be one of"),
    ],
)
def test_export_invalid_request_answers_400(run: Run, her: Client, said: dict[str, str], words: str) -> None:
    answer = her.post(ADDRESS, {"run": run.key} | said)
    assert answer.status_code == 400
    assert words in answer.content.decode()
    assert not Export.objects.exists()


def test_export_run_of_other_survey_is_refused(run: Run, sign_in: SignIn, bob: User, survey: Survey) -> None:
    write_survey(payloads.definition(slug="theirs"), team=home_team(bob))
    client = sign_in(bob)
    address = "/panel/survey/theirs/export/"
    assert run.key not in client.get(f"{address}?run={run.key}").content.decode()
    assert client.post(address, {"run": run.key, "format": "csv"}).status_code == 400
    assert not Export.objects.exists()
