"""Closing that can be undone for an hour: what is refused at once, what waits, and what undoing brings back."""

import io
import json
import threading
from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.utils import timezone

from collector.designs import parts
from collector.designs.selectors import get_design, is_final, is_open
from collector.errors import Conflict
from collector.invitations import batches
from collector.invitations.codes import hash_of, new_code
from collector.models import FrozenDesign, Invitation
from collector.reports import folding, rewriting, selectors
from estimator.models import Run
from estimator.runs import services as estimator
from surveys.accounts.teams import home_team
from surveys.lifecycle import closing, services, signing_keys
from surveys.lifecycle.selectors import version_closing
from surveys.lifecycle.waves import waves_of
from surveys.models import Appointment, AuditEntry, SigningSecret, Survey, Version, Webhook
from surveys.opening import schedules
from surveys.opening.schedules import OpeningPlan
from surveys.opening.services import open_survey
from surveys.outreach.webhooks.events import pending_events
from surveys.tasks import run_schedules
from tests.factories import payloads
from tests.factories.runs import fill, fill_open
from tests.tools.refusals import refuses

pytestmark = pytest.mark.django_db


def pass_time(survey: Survey, minutes: int) -> None:
    """As if it had been closed so many minutes ago."""
    version = survey.versions.get()
    assert version.closed_at is not None
    ago = timezone.now() - timedelta(minutes=minutes)
    survey.appointments.filter(settled_at=version.closed_at).update(settled_at=ago)
    Version.objects.filter(pk=version.pk).update(closed_at=ago)


def acts(survey: Survey) -> list[str]:
    return list(AuditEntry.objects.filter(survey=survey.pk).order_by("pk").values_list("act", flat=True))


def test_closing_refuses_reports_at_once_and_waits_with_the_rest(version: Version) -> None:
    survey, digest = version.survey, version.design_id
    fill_open(get_design(digest))
    folding.fold(digest)
    counted = selectors.totals(digest)[0].sum()
    until = closing.begin_closing(survey)
    assert timedelta(minutes=59) < until - timezone.now() <= timedelta(hours=1)
    with refuses(410):
        fill(get_design(digest), count=1)
    run_schedules()
    folding.fold(digest)
    assert not rewriting.rewrite_closed()
    assert (is_open(digest), is_final(digest)) == (False, False)
    assert selectors.totals(digest)[0].sum() == counted, "in steps still: the last of each group are not told"
    assert not Run.objects.exists(), "no final estimate before it is final"
    pass_time(survey, 61)
    run_schedules()
    run_schedules()
    assert is_final(digest)
    (run,) = Run.objects.all()
    assert run.trigger == Run.Trigger.CLOSING
    folding.fold(digest)
    assert selectors.totals(digest)[0].sum() == counted + 20
    assert acts(survey)[-2:] == ["closed", "made the closing final"]


def test_undo_brings_back_the_same_survey(version: Version, alice: User) -> None:
    survey, digest = version.survey, version.design_id
    closing.begin_closing(survey)
    pass_time(survey, 59)
    closing.undo_closing(survey, by=alice)
    assert Survey.objects.get().state == "open"
    assert (is_open(digest), is_final(digest)) == (True, False)
    fill(get_design(digest), count=1)
    entry = AuditEntry.objects.order_by("pk").last()
    assert entry is not None
    assert (entry.act, entry.name) == ("undid the closing", "alice")
    run_schedules()
    assert is_open(digest)
    assert not Run.objects.exists()
    closing.begin_closing(survey)
    assert services.close_survey(survey).trigger == Run.Trigger.CLOSING, "for good, also where it could be undone still"


@pytest.mark.parametrize("how", ["late", "final", "at once", "open", "schedule"])
def test_undo_is_refused_once_it_is_too_late(version: Version, how: str) -> None:
    survey = version.survey
    if how == "at once":
        services.close_survey(survey)
    elif how != "open":
        closing.begin_closing(survey)
    if how in ("late", "schedule"):
        pass_time(survey, 60)
    if how == "schedule":
        closing.run_due()
    if how == "final":
        closing.finish_closing(survey)
    sentence = {"late": "could be undone until", "open": "campus is open; only a closing of the last hour"}
    with pytest.raises(Conflict, match=sentence.get(how, "campus is closed for good; only a closing of the last hour")):
        closing.undo_closing(survey)
    assert is_open(version.design_id) == (how == "open")


def test_closing_is_made_final_once(version: Version) -> None:
    closing.begin_closing(version.survey)
    closing.finish_closing(version.survey)
    with pytest.raises(Conflict, match="closed for good"):
        closing.finish_closing(version.survey)
    with pytest.raises(Conflict, match="needs a survey that is open"):
        closing.begin_closing(version.survey)
    assert Run.objects.count() == 1


@pytest.mark.parametrize("act", [services.revise_survey, services.archive_survey])
def test_what_follows_closing_waits_until_it_is_final(version: Version, act: object) -> None:
    survey = version.survey
    closing.begin_closing(survey)
    with pytest.raises(Conflict, match="Its closing can be undone until"):
        act(survey)  # type: ignore[operator]
    with pytest.raises(Conflict, match="Its closing can be undone until"):
        schedules.open_again_on(survey, OpeningPlan(), confirmed="0" * 64)
    run = closing.finish_closing(survey)
    estimator.execute(run.pk)
    act(survey)  # type: ignore[operator]


def test_estimate_meanwhile_is_one_of_an_open_survey(version: Version) -> None:
    """It may come again after an undo, so that no single look is its only one."""
    digest = version.design_id
    fill_open(get_design(digest))
    closing.begin_closing(version.survey)
    meanwhile = estimator.execute(estimator.request_run(digest).pk)
    final = estimator.execute(closing.finish_closing(version.survey).pk)
    assert (meanwhile.anytime, meanwhile.reports) == (True, 90)
    assert (final.anytime, final.reports) == (False, 110)


def test_wave_counts_as_answered_while_its_reports_are_not_told(version: Version) -> None:
    fill(get_design(version.design_id), count=3)
    closing.begin_closing(version.survey)
    assert waves_of(version.survey)[0].answered
    closing.finish_closing(version.survey)
    assert waves_of(version.survey)[0].answered


def test_wave_without_a_report_costs_nothing_once_it_is_final(version: Version) -> None:
    closing.begin_closing(version.survey)
    assert waves_of(version.survey)[0].answered, "nobody can tell yet"
    closing.finish_closing(version.survey)
    assert not waves_of(version.survey)[0].answered


def agreed(survey: Survey, **terms: datetime | int) -> Survey:
    digest = services.selectors.design_to_open(survey)[0].digest
    schedules.open_on(survey, OpeningPlan(**terms), confirmed=digest)  # type: ignore[arg-type]
    return survey


def waiting(survey: Survey) -> list[tuple[str, int | None]]:
    return [(one.move, one.at_reports) for one in schedules.waiting(survey)]


def test_undo_brings_back_what_was_to_close_it(survey: Survey) -> None:
    agreed(survey, closes_at=timezone.now() + timedelta(hours=2), cap=100)
    before = waiting(survey)
    closing.begin_closing(survey)
    assert waiting(survey) == []
    closing.undo_closing(survey)
    assert waiting(survey) == before == [("close", None), ("close", 100)]
    closing.begin_closing(survey)
    survey.appointments.filter(due_at__isnull=False).update(due_at=timezone.now())
    closing.undo_closing(survey)
    assert waiting(survey) == [("close", 100)], "a time that has passed would close it at once"
    run_schedules()
    assert is_open(survey.versions.get().design_id)


@pytest.mark.parametrize("by", ["time", "cap"])
def test_automatic_closing_can_be_undone_too(survey: Survey, by: str) -> None:
    agreed(survey, closes_at=timezone.now() + timedelta(hours=2), cap=10)
    if by == "time":
        survey.appointments.filter(due_at__isnull=False).update(due_at=timezone.now())
    else:
        fill(get_design(survey.versions.get().design_id), count=10)
    run_schedules()
    survey.refresh_from_db()
    assert version_closing(survey)
    closing.undo_closing(survey)
    run_schedules()
    survey.refresh_from_db()
    assert survey.state == "open", "what closed it is done, and closes it no more"
    assert waiting(survey) == [("close", 10) if by == "time" else ("close", None)]
    assert survey.appointments.get(state=Appointment.State.KEPT).move == "close"


def test_codes_and_keys_stay_until_it_is_final(alice: User) -> None:
    for kind in ("secret", "blind"):
        survey = write(alice, kind)
        digest = open_survey(survey).design_id
        codes = [new_code() for _ in range(10)]
        if kind == "secret":
            batches.add(digest, [hash_of(code) for code in codes], stratum=None, kind="file")
        closing.begin_closing(survey)
        with pytest.raises(ValueError, match=r"open one|by code"):
            batches.add(digest, [hash_of(new_code()) for _ in range(10)], stratum=None, kind="file")
        rewriting.rewrite_closed()
        closing.undo_closing(survey)
    assert Invitation.objects.count() == 10
    blind = Survey.objects.get(slug="blind")
    (key,) = [signing_keys.key_of(version) for version in blind.versions.all()]
    assert key is not None
    assert SigningSecret.objects.filter(key=key).exists()
    services.close_survey(blind)
    assert not SigningSecret.objects.filter(key=key).exists()


def write(alice: User, kind: str) -> Survey:
    return services.write_survey(payloads.definition(slug=kind, invitations=kind), team=home_team(alice))


def test_all_parts_are_closed_reopened_and_final_together(version: Version) -> None:
    parts.split_design(version.design_id, 3)

    def days() -> set[tuple[bool, bool]]:
        found = FrozenDesign.objects.values_list("closed_on", "final_on")
        return {(closed is not None, final is not None) for closed, final in found}

    closing.begin_closing(version.survey)
    assert days() == {(True, False)}
    closing.undo_closing(version.survey)
    assert days() == {(False, False)}
    closing.begin_closing(version.survey)
    closing.finish_closing(version.survey)
    assert days() == {(True, True)}


@pytest.mark.parametrize("broken", ["signing_keys.delete", "signing_keys.prepare", "estimator.request_run"])
def test_final_closing_that_breaks_changes_nothing_and_is_tried_again(
    version: Version, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    closing.begin_closing(version.survey)
    pass_time(version.survey, 61)
    module, name = broken.split(".")

    def die(*_: object, **__: object) -> None:
        raise OSError("the machine went away")

    with monkeypatch.context() as patched:
        patched.setattr(getattr(closing, module), name, die)
        closing.run_due()
    assert not is_final(version.design_id)
    assert not Run.objects.exists()
    assert acts(version.survey)[-1] == "closed"
    closing.run_due()
    assert is_final(version.design_id)
    assert Run.objects.count() == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("late", [False, True])
def test_undo_beside_the_schedule_one_of_them_wins(version: Version, late: bool) -> None:
    survey = version.survey
    closing.begin_closing(survey)
    pass_time(survey, 61 if late else 59)
    start, refused = threading.Barrier(4), []

    def run(act: object) -> None:
        start.wait()
        try:
            act()  # type: ignore[operator]
        except Conflict as refusal:
            refused.append(str(refusal))
        finally:
            connection.close()

    threads = [
        threading.Thread(target=run, args=[act]) for act in 2 * [closing.run_due, lambda: closing.undo_closing(survey)]
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert is_final(version.design_id) == late
    assert is_open(version.design_id) == (not late)
    assert len(refused) == (2 if late else 1)
    assert Run.objects.count() == late


def test_webhook_hears_of_a_closing_that_is_final(version: Version) -> None:
    made = timezone.now() - timedelta(days=1)
    webhook = Webhook.objects.create(
        survey=version.survey, url="https://example.org/", events=["closed"], thresholds=[]
    )
    Webhook.objects.filter(pk=webhook.pk).update(made_at=made)
    webhook.refresh_from_db()
    closing.begin_closing(version.survey)
    assert list(pending_events(webhook)) == []
    closing.finish_closing(version.survey)
    assert [one.event for one in pending_events(webhook)] == ["closed"]


def command(*words: str) -> dict[str, object]:
    said = io.StringIO()
    call_command("close_survey", *words, "--json", stdout=said)
    found: dict[str, object] = json.loads(said.getvalue())
    return found


def test_command_closes_undoes_and_closes_for_good(version: Version) -> None:
    first = command("campus")
    assert (first["state"], first["run"]) == ("closed", None)
    assert datetime.fromisoformat(str(first["final_at"])) > timezone.now()
    assert command("campus", "--undo")["state"] == "open"
    command("campus")
    last = command("campus", "--now")
    assert (last["state"], last["run"], last["final_at"]) == ("closed", str(Run.objects.get().key), None)
    with pytest.raises(CommandError, match="closed for good"):
        command("campus", "--undo")
