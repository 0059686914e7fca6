"""A restore brings surveys by invitation back closed; an owner reopens one, and the log says so."""

import io
import json
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.urls import reverse

from collector.designs.selectors import get_design, is_open
from collector.designs.services import close_design, freeze_design, reopen_design
from collector.errors import Conflict
from collector.invitations import batches
from collector.invitations.codes import hash_of, new_code
from collector.models import FrozenDesign, Invitation, UsedToken
from collector.reports import purging, rewriting
from estimator.models import Run
from estimator.runs import services as estimator
from surveys.accounts.teams import home_team
from surveys.lifecycle.closing import begin_closing, undo_closing
from surveys.lifecycle.selectors import final_run
from surveys.lifecycle.services import archive_survey, close_survey, restore_survey, write_survey
from surveys.maintenance import backup, reopening
from surveys.models import AuditEntry, Survey, Version
from surveys.opening.services import open_survey
from tests.factories import payloads
from tests.factories.reports import store_report
from tests.tools.backups import empty_database
from tests.tools.refusals import refuses

pytestmark = pytest.mark.django_db(transaction=True)


def invited(alice: User, slug: str = "campus") -> tuple[Version, list[str]]:
    """An open survey by invitation, and its codes."""
    survey = write_survey(payloads.definition(slug=slug, invitations="secret"), team=home_team(alice))
    version, codes = open_survey(survey), [new_code() for _ in range(10)]
    batches.add(version.design_id, [hash_of(code) for code in codes], stratum=None, kind="file")
    return version, codes


def send(digest: str, code: str) -> bool:
    body = payloads.body(get_design(digest), invitation=code)
    return store_report(body)


def test_restore_closes_invited_survey_owner_reopens(alice: User, tmp_path: Path) -> None:
    version, codes = invited(alice)
    link = open_survey(write_survey(payloads.definition(slug="link"), team=home_team(alice)))
    send(version.design_id, codes[0])
    backup.back_up(tmp_path / "candor.zip")
    send(version.design_id, codes[1])
    empty_database()
    said = io.StringIO()
    call_command("restore", tmp_path / "candor.zip", "--json", stdout=said)
    assert json.loads(said.getvalue())["closed"] == ["campus"]
    survey = Survey.objects.get(slug="campus")
    assert survey.state == Survey.State.CLOSED
    assert is_open(link.design_id), "a survey with an open link is open as before"
    with refuses(410):
        send(version.design_id, codes[2])
    rewriting.rewrite_closed()
    assert Invitation.objects.count() == 9, "they are kept for a reopening"

    owner = Client()
    owner.force_login(User.objects.get(username="alice"))
    page = owner.get(reverse("panel:survey", args=["campus"])).content.decode()
    assert "whoever used it can answer a second time" in page
    owner.post(reverse("panel:reopen", args=["campus"]))
    survey.refresh_from_db()
    assert survey.state == Survey.State.OPEN
    assert Version.objects.get(design=version.design_id).closed_at is None
    assert send(version.design_id, codes[2])
    assert send(version.design_id, codes[1]), "which was used after the backup: what the button says"
    with refuses(403):
        send(version.design_id, codes[0])
    acts = dict(AuditEntry.objects.filter(slug="campus").values_list("act", "name"))
    assert (acts["closed"], acts["reopened"]) == ("", "alice")
    close_survey(survey)
    rewriting.rewrite_closed()
    assert not Invitation.objects.exists()
    assert "panel:reopen" not in owner.get(reverse("panel:survey", args=["campus"])).content.decode()
    with pytest.raises(Conflict, match="a restore closed"):
        reopening.reopen(survey)
    empty_database()


def test_reopened_survey_final_run_is_of_last_closing(alice: User) -> None:
    version, codes = invited(alice)
    reopening.close_invitation_surveys()
    survey = Survey.objects.get()
    estimator.execute(Run.objects.get().pk)
    reopening.reopen(survey)
    send(version.design_id, codes[0])
    survey.refresh_from_db()
    last = close_survey(survey)
    estimator.execute(last.pk)
    assert final_run(version) == last
    empty_database()


def test_reopen_archived_or_purged_survey_is_rejected(alice: User) -> None:
    version, _ = invited(alice)
    reopening.close_invitation_surveys()
    survey = Survey.objects.get()
    archive_survey_without_its_estimate(survey)
    with pytest.raises(Conflict, match="campus is archived"):
        reopening.reopen(survey)
    restore_survey(survey)
    purging.purge(version.design_id)
    with pytest.raises(Conflict):
        reopening.reopen(survey)
    assert not Invitation.objects.exists()
    assert not reopening.may_be_reopened(survey)
    empty_database()


def archive_survey_without_its_estimate(survey: Survey) -> None:
    survey.refresh_from_db()
    with pytest.raises(Conflict, match="final estimate"):
        archive_survey(survey)
    Survey.objects.filter(pk=survey.pk).update(state=Survey.State.ARCHIVED)


def raw(statement: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"UPDATE collector_frozendesign SET {statement}")


def test_database_reopens_restored_designs_only() -> None:
    design = freeze_design(payloads.document(invitations={"kind": "secret"}))
    reopened = "closed_on = NULL, final_on = NULL, restored_on = NULL"
    for refused in ("restored_on = '2026-01-01'", "final_on = '2026-01-01'"):
        with pytest.raises(IntegrityError, match="cannot be opened again"):
            raw(refused)
    close_design(design.digest)
    refusals = (
        "closed_on = NULL",
        "final_on = NULL",
        "closed_on = NULL, final_on = NULL",
        "restored_on = '2026-01-01'",
    )
    for refused in (*refusals, reopened, "closed_on = '2026-01-01'"):
        with pytest.raises(IntegrityError, match="cannot be opened again"):
            raw(refused)
    with pytest.raises(ValueError, match="can still be reopened"):
        reopen_design(design.digest)
    other = freeze_design(payloads.document(version=2, invitations={"kind": "secret"}))
    close_design(other.digest, by_a_restore=True)
    for refused in ("closed_on = NULL", "final_on = NULL", "restored_on = NULL", "closed_on = '2026-01-01'"):
        with pytest.raises(IntegrityError, match="cannot be opened again"):
            raw(f"{refused} WHERE digest = '{other.digest}'")
    reopen_design(other.digest)
    assert is_open(other.digest)
    with pytest.raises(ValueError, match="can still be reopened"):
        reopen_design(other.digest)


def test_database_reopens_design_until_its_closing_is_final() -> None:
    design = freeze_design(payloads.document())
    close_design(design.digest, undoable=True)
    assert not is_open(design.digest)
    with pytest.raises(IntegrityError, match="cannot be opened again"):
        raw("restored_on = '2026-01-01'")
    raw("closed_on = NULL")
    close_design(design.digest, undoable=True)
    reopen_design(design.digest)
    assert is_open(design.digest)
    close_design(design.digest, undoable=True)
    close_design(design.digest)
    with pytest.raises(IntegrityError, match="cannot be opened again"):
        raw("closed_on = NULL, final_on = NULL")


def test_restore_makes_a_closing_final_and_says_so(alice: User, tmp_path: Path) -> None:
    """Undone and used after the backup: an invitation would be good again by undoing it in the restored place."""
    version, codes = invited(alice)
    begin_closing(version.survey)
    backup.back_up(tmp_path / "candor.zip")
    undo_closing(version.survey)
    send(version.design_id, codes[1])
    empty_database()
    assert backup.restore(tmp_path / "candor.zip")["closed"] == ["campus"]
    survey = Survey.objects.get()
    with pytest.raises(Conflict, match="closed for good"):
        undo_closing(survey)
    rewriting.rewrite_closed()
    assert Invitation.objects.count() == 10
    reopening.reopen(survey)
    assert send(version.design_id, codes[1]), "by an owner, below the words of what that means"
    empty_database()


def test_restore_leaves_a_closing_of_an_open_link(alice: User, tmp_path: Path) -> None:
    version = open_survey(write_survey(payloads.definition(), team=home_team(alice)))
    begin_closing(version.survey)
    backup.back_up(tmp_path / "candor.zip")
    empty_database()
    assert backup.restore(tmp_path / "candor.zip")["closed"] == []
    undo_closing(Survey.objects.get())
    assert is_open(version.design_id)
    empty_database()


def test_rewrite_closed_deletes_invitations_and_tokens() -> None:
    design = freeze_design(payloads.document(invitations={"kind": "secret"}))
    batches.add(design.digest, [hash_of(new_code()) for _ in range(10)], stratum=None, kind="file")
    batches.delete(design.digest)
    assert Invitation.objects.count() == 10, "it is open"
    UsedToken.objects.create(design=FrozenDesign.objects.get(), hash=b"\1" * 32)
    close_design(design.digest)
    rewriting.rewrite_closed()
    assert not Invitation.objects.exists()
    assert not UsedToken.objects.exists()
    assert batches.batches(design.digest)[0].count == 10
