"""Opening again: what a wave is, what keeps one from opening, and that the budget never resets."""

import threading
from datetime import timedelta
from fractions import Fraction
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from collector.designs.selectors import get_design
from collector.errors import Conflict
from collector.invitations import batches
from collector.invitations import codes as invitations
from collector.reports import purging
from collector.reports import selectors as reports
from surveys.accounts.teams import home_team
from surveys.definition.ceilings import with_reason
from surveys.definition.privacy_budget import spent
from surveys.lifecycle import selectors, services, transitions
from surveys.lifecycle.waves import spending, waves_of
from surveys.maintenance import retention
from surveys.models import Appointment, Survey, Version
from surveys.opening import schedules
from surveys.opening.schedules import OpeningPlan
from surveys.opening.services import open_survey, open_wave
from tests.factories import payloads
from tests.factories.reports import store_one, store_report
from tests.tools.designs import stored_page
from tests.tools.refusals import refuses

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)
REASON = "The same people agreed to be asked again."
"""Two waves of the tests' survey are above epsilon 4 together."""


def go_round(survey: Survey, *, answered: bool = True, **wave: Any) -> Version:
    """One more wave, answered and closed again."""
    version = open_wave(survey, reason=REASON, **wave)
    if answered:
        store_one(version)
    services.close_survey(survey)
    return version


@pytest.fixture
def closed(version: Version) -> Survey:
    """Closed after its first wave, in which somebody has spent 12 to 1."""
    store_one(version)
    services.close_survey(version.survey)
    return version.survey


def test_wave_has_new_design_of_same_questions(closed: Survey, version: Version) -> None:
    wave = open_wave(closed, reason=REASON)
    assert (wave.number, closed.state) == (2, "open")
    design = get_design(wave.design_id)
    assert design.document == payloads.document(
        version=2,
        waves={"repeats": "fresh", "spent": "12/1"},
        ceilings={"question": "3", "total": "4", "reason": REASON},
    )
    assert wave.design_id.encode() in stored_page(wave)
    assert selectors.version_on_the_web("campus") == wave
    assert (selectors.report_count(closed), reports.received_count(version.design_id)) == (0, 1)
    assert [(one.name, one.counted.stored) for one in waves_of(closed)] == [("wave 1", 1), ("wave 2", 0)]
    services.close_survey(closed)
    assert selectors.opening_of(closed).spent == 12, "nobody answered the second wave, so nobody spent anything"


def test_wave_unconfirmed_design_is_refused(closed: Survey) -> None:
    with pytest.raises(Conflict, match="not what was shown"):
        open_wave(closed, confirmed="0" * 64)
    assert (Survey.objects.get().state, closed.versions.count()) == ("closed", 1)
    design, number = selectors.wave_to_open(closed)
    wave = open_wave(closed, confirmed=design.digest, reason=REASON)
    assert wave.design_id == with_reason(design, REASON).digest
    assert number == 2


def test_wave_above_ceiling_cannot_open(closed: Survey) -> None:
    """12 to 1 a wave: 3 of them are 7.4547, a fourth would be 9.9396."""
    for _ in range(2):
        go_round(closed)
    said = selectors.next_wave_fault(closed)
    assert "epsilon 9.9396, 7.4547 of it from earlier waves; at most 7.9997 per person is allowed" in said
    with pytest.raises(Conflict, match=r"9\.9396"):
        open_wave(closed)
    services.revise_survey(closed)
    with pytest.raises(Conflict, match=r"9\.9396, 7\.4547 of it from earlier waves"):
        open_survey(closed)
    closed.items.filter(key="cheated").delete()
    closed.items.update(truth="1/10")
    assert open_survey(closed, reason=REASON).number == 4
    assert Survey.objects.get().state == "open"


def test_wave_epsilon_counts_after_purge(closed: Survey, version: Version) -> None:
    purging.purge(version.design_id)
    assert selectors.opening_of(closed).spent == 12


def test_earlier_wave_is_purged_on_its_own_date(closed: Survey, version: Version) -> None:
    """Its reports stay until its own days are over, while the next one is in the field under the same address."""
    Survey.objects.update(purge_after=30)
    wave = open_wave(Survey.objects.get(), reason=REASON)
    store_one(wave)
    retention.purge_due()
    assert reports.received_count(version.design_id) == 1
    assert not Version.objects.exclude(purged_at=None).exists()
    Version.objects.filter(pk=version.pk).update(closed_at=timezone.now() - timedelta(days=31))
    retention.purge_due()
    assert [one.number for one in Version.objects.exclude(purged_at=None)] == [1]
    store_one(wave)
    assert selectors.received_count(closed) == 2
    assert {page.kind for page in wave.pages.all()} == {page.kind for page in version.pages.all()}
    services.close_survey(closed)
    assert selectors.opening_of(closed).spent == 144


def test_invitations_belong_to_one_wave(alice: User) -> None:
    survey = services.write_survey(payloads.definition(invitations="secret"), team=home_team(alice))
    codes = [invitations.new_code() for _ in range(10)]
    first = open_survey(survey)
    batches.add(first.design_id, [invitations.hash_of(code) for code in codes], stratum=None, kind="secret")
    services.close_survey(survey)
    wave = open_wave(survey)
    assert batches.batches(wave.design_id) == []
    design = get_design(wave.design_id)
    with refuses(403):
        store_report(payloads.body(design, invitation=codes[0]))
    batches.add(wave.design_id, [invitations.hash_of(code) for code in codes], stratum=None, kind="secret")
    assert store_report(payloads.body(design, invitation=codes[0]))


def test_wave_remembered_fits_where_fresh_would_not(alice: User) -> None:
    """Two answers: ln 4 counts twice at most, 2.7726 for ever, and each wave once more as it opens."""
    strong = payloads.definition()["items"][:1]
    strong[0]["channel"]["truth"] = "3/5"
    survey = services.write_survey(payloads.definition(repeats="remember", items=strong), team=home_team(alice))
    store_one(open_survey(survey))
    services.close_survey(survey)
    for _ in range(6):
        go_round(survey)
    assert spent(spending(waves_of(survey))).most == 4**2
    assert spent(spending(waves_of(survey))).least == 4
    design = get_design(survey.versions.all()[0].design_id).document
    assert design["waves"] == {"repeats": "remember", "spent": "16/1"}


def test_wave_rehearsal_adds_no_epsilon(alice: User) -> None:
    survey = services.write_survey(payloads.definition(rehearsal=True), team=home_team(alice))
    open_survey(survey)
    for _ in range(6):
        services.close_survey(survey)
        open_wave(survey)
    assert selectors.opening_of(survey).spent == Fraction(1)


def test_schedule_opens_and_closes_wave(closed: Survey) -> None:
    design = selectors.wave_to_open(closed)[0]
    digest = design.digest
    now = timezone.now()
    terms = OpeningPlan(opens_at=now + HOUR, closes_at=now + 2 * HOUR)
    assert schedules.open_again_on(closed, terms, confirmed=digest, reason=REASON) is None
    with pytest.raises(Conflict, match="not what was shown"):
        schedules.open_again_on(closed, terms, confirmed="0" * 64)
    closed.appointments.filter(move="wave").update(due_at=now - HOUR)
    schedules.run_due()
    assert closed.versions.all()[0].design_id == with_reason(design, REASON).digest
    assert Survey.objects.get().state == "open"
    closed.appointments.filter(move="close").update(due_at=now - HOUR)
    schedules.run_due()
    assert Survey.objects.get().state == "closed"
    assert {one.state for one in closed.appointments.all()} == {"kept"}


def test_schedule_wave_cancelled_by_revision(closed: Survey) -> None:
    now = timezone.now()
    terms = OpeningPlan(opens_at=now + HOUR, closes_at=now + 2 * HOUR)
    digest = selectors.wave_to_open(closed)[0].digest
    schedules.open_again_on(closed, terms, confirmed=digest, reason=REASON)
    services.revise_survey(closed)
    assert {one.state for one in Appointment.objects.all()} == {"off"}


@pytest.mark.django_db(transaction=True)
def test_wave_two_openings_at_once_one_is_refused(survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last wave that fits, a revision and the button pressed twice: one wave opens, or one draft is made."""
    monkeypatch.setattr("estimator.runs.services.wake", lambda run_id: None)
    open_survey(survey)
    services.close_survey(survey)
    together, refused = threading.Barrier(4), []

    def one(act: Any) -> None:
        together.wait()
        try:
            act(Survey.objects.get())
        except Conflict as refusal:
            refused.append(str(refusal))
        connection.close()

    acts = [open_wave, open_wave, open_wave, services.revise_survey]
    workers = [threading.Thread(target=one, args=[act]) for act in acts]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(refused) == 3
    state = Survey.objects.get().state
    assert (state, survey.versions.count()) in (("open", 2), ("draft", 1))


def test_wave_only_closed_survey_opens_again(survey: Survey) -> None:
    with pytest.raises(Conflict, match="campus is a draft; only a closed survey can open its next wave"):
        schedules.open_again_on(survey, OpeningPlan(), confirmed="0" * 64)
    assert transitions.MOVES["wave"].role == transitions.MOVES["open"].role
