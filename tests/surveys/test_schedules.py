"""What a survey does by itself: opening and closing at a time or at a number of reports, each exactly once."""

import threading
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.utils import timezone

from collector.designs.selectors import get_design
from collector.errors import Conflict
from estimator.models import Run
from surveys.lifecycle import closing, selectors, services
from surveys.models import Appointment, Survey, Version
from surveys.opening import schedules
from surveys.opening.schedules import OpeningPlan
from surveys.opening.services import open_survey
from surveys.tasks import run_schedules
from tests.factories.runs import fill

pytestmark = pytest.mark.django_db

State = Appointment.State
HOUR = timedelta(hours=1)


def ahead(hours: float = 1) -> datetime:
    return timezone.now() + hours * HOUR


def agree(survey: Survey, **terms: object) -> Version | None:
    return schedules.open_on(survey, OpeningPlan(**terms), confirmed=selectors.design_to_open(survey)[0].digest)  # type: ignore[arg-type]


def make_due(survey: Survey, move: str) -> None:
    """As if the time had come a minute ago."""
    survey.appointments.filter(move=move, due_at__isnull=False).update(due_at=timezone.now() - timedelta(minutes=1))


def states(survey: Survey) -> dict[str, str]:
    return {f"{one.move} {one.at_reports or 'at'}": one.state for one in survey.appointments.order_by("pk")}


def state_of(survey: Survey) -> str:
    return Survey.objects.get(pk=survey.pk).state


def test_schedule_opens_and_closes_survey(survey: Survey) -> None:
    assert agree(survey, opens_at=ahead(1), closes_at=ahead(2)) is None
    assert schedules.run_due() == []
    assert state_of(survey) == "draft"
    make_due(survey, "open")
    run_schedules()
    assert state_of(survey) == "open"
    make_due(survey, "close")
    run_schedules()
    assert state_of(survey) == "closed"
    assert states(survey) == {"open at": "kept", "close at": "kept"}
    assert not Run.objects.exists(), "that can be undone for an hour"
    closing.finish_closing(survey)
    assert Run.objects.get().trigger == Run.Trigger.CLOSING
    assert not any(one.settled_at is None for one in survey.appointments.all())


def test_schedule_due_twice_is_done_once(survey: Survey) -> None:
    """The message came twice: the second look holds an old list of what is due."""
    agree(survey, opens_at=ahead())
    make_due(survey, "open")
    due = schedules._due()
    assert [schedules._carried_out(one) for one in (*due, *due)] == [True, False]
    assert survey.versions.count() == 1


def test_schedule_changed_draft_is_refused(survey: Survey) -> None:
    with pytest.raises(Conflict, match="The draft has changed"):
        schedules.open_on(survey, OpeningPlan(), confirmed="0" * 64)
    with pytest.raises(Conflict, match="The draft has changed"):
        schedules.open_on(survey, OpeningPlan(opens_at=ahead()), confirmed="0" * 64)
    assert state_of(survey) == "draft"
    assert not survey.appointments.exists(), "nothing is half done"


def test_schedule_draft_changed_later_fails_with_reason(survey: Survey) -> None:
    agree(survey, opens_at=ahead(1), closes_at=ahead(2))
    survey.items.filter(key="mood").update(truth="1/5")
    make_due(survey, "open")
    schedules.run_due()
    assert state_of(survey) == "draft"
    assert states(survey) == {"open at": "failed", "close at": "off"}
    assert "The draft has changed" in survey.appointments.get(move="open").outcome


def test_schedule_after_closing_time_does_not_open(survey: Survey) -> None:
    agree(survey, opens_at=ahead(1), closes_at=ahead(2))
    survey.appointments.update(due_at=timezone.now() - HOUR)
    schedules.run_due()
    assert state_of(survey) == "draft"
    assert survey.appointments.get(move="open").outcome == "Its closing time had passed before it could open."


def test_schedule_cap_reached_closes_survey(survey: Survey) -> None:
    version = agree(survey, cap=30)
    assert version is not None
    design = get_design(version.design_id)
    fill(design, count=29)
    assert schedules.run_due() == []
    fill(design, count=2)
    assert len(schedules.run_due()) == 1
    assert state_of(survey) == "closed"
    services.close_survey(survey)
    assert selectors.report_count(survey) == 31, "what was told that it is stored is kept, also beyond the cap"


def test_close_by_hand_cancels_schedule(survey: Survey) -> None:
    agree(survey, closes_at=ahead(), cap=30)
    services.close_survey(survey)
    assert states(survey) == {"close at": "off", "close 30": "off"}
    make_due(survey, "close")
    assert schedules.run_due() == []
    assert Run.objects.count() == 1


@pytest.mark.parametrize(
    ("terms", "fault"),
    [
        ({"opens_at": datetime(2020, 1, 1, tzinfo=UTC)}, "opening time must be in the future"),
        ({"closes_at": datetime(2020, 1, 1, tzinfo=UTC)}, "must close after it opens"),
        ({"opens_at": ahead(2), "closes_at": ahead(1)}, "must close after it opens"),
        ({"cap": 9}, "10 to 100,000,000 responses; got 9"),
    ],
)
def test_schedule_impossible_terms_are_refused(survey: Survey, terms: dict[str, object], fault: str) -> None:
    with pytest.raises(Conflict, match=fault):
        agree(survey, **terms)
    assert state_of(survey) == "draft"


def test_schedule_new_confirmation_replaces_old(survey: Survey) -> None:
    agree(survey, opens_at=ahead(1), closes_at=ahead(5), cap=40)
    agree(survey, opens_at=ahead(2))
    assert [(one.move, one.state) for one in schedules.waiting(survey)] == [("open", "waiting")]
    schedules.cancel(survey)
    assert schedules.waiting(survey) == []
    with pytest.raises(Conflict, match="no opening to cancel"):
        schedules.cancel(survey)


def test_open_by_hand_cancels_scheduled_opening(survey: Survey) -> None:
    agree(survey, opens_at=ahead(1))
    open_survey(survey)
    make_due(survey, "open")
    assert schedules.run_due() == []
    assert survey.versions.count() == 1


def test_closing_date_moves_only_later(survey: Survey) -> None:
    agree(survey, closes_at=ahead(2))
    for sooner in (ahead(1), ahead(-1)):
        with pytest.raises(Conflict, match="can only be moved later"):
            schedules.extend(survey, sooner)
    later = ahead(9)
    schedules.extend(survey, later)
    assert [one.due_at for one in schedules.waiting(survey)] == [later]


def test_extend_without_closing_date_is_refused(survey: Survey) -> None:
    with pytest.raises(Conflict, match="campus is a draft"):
        schedules.extend(survey, ahead())
    agree(survey)
    with pytest.raises(Conflict, match="opened without one"):
        schedules.extend(survey, ahead())


def test_schedule_one_fails_others_are_done(
    survey: Survey, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    other = services.duplicate_survey(survey, slug="other", same_people=False)
    for one in (survey, other):
        agree(one, closes_at=ahead())
        make_due(one, "close")
    close = closing.begin_closing

    def breaks(survey: Survey) -> datetime:
        if survey.slug == "campus":
            raise OSError("disk")
        return close(survey)

    monkeypatch.setattr(closing, "begin_closing", breaks)
    assert [one.survey.slug for one in schedules.run_due()] == ["other"]
    assert "could not be kept" in caplog.text
    assert state_of(survey) == "open"
    monkeypatch.undo()
    assert [one.survey.slug for one in schedules.run_due()] == ["campus"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("move", ["open", "close"])
def test_schedule_many_workers_make_one_transition(survey: Survey, move: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four workers, and a person who presses the button at the same time."""
    monkeypatch.setattr("estimator.runs.services.wake", lambda run_id: None)
    if move == "open":
        agree(survey, opens_at=ahead())
    else:
        agree(survey, closes_at=ahead())
    make_due(survey, move)
    together, refused = threading.Barrier(5), []

    def by_hand() -> None:
        try:
            (open_survey if move == "open" else services.close_survey)(Survey.objects.get())
        except Conflict as refusal:
            refused.append(str(refusal))

    def one(work: object) -> None:
        try:
            together.wait()
            work()  # type: ignore[operator]
        finally:
            connection.close()

    workers = [threading.Thread(target=one, args=[work]) for work in (by_hand, *[schedules.run_due] * 4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert state_of(survey) == ("open" if move == "open" else "closed")
    assert survey.versions.count() == 1
    if move == "open":
        assert not Run.objects.exists()
        assert states(survey) == {"open at": "kept" if refused else "off"}
    else:
        assert Run.objects.count() == 1, "for good by hand, whichever came first"
        assert refused == []
        assert states(survey)["close at"] in ("kept", "off")
