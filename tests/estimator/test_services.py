"""Runs as jobs: the row is the truth, any worker can take it up, nothing is computed twice or lost."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone

from collector.designs import Design
from collector.designs.services import close_design, freeze_design
from collector.reports import folding
from collector.reports.moving import move
from estimator import tasks
from estimator.base import jobs
from estimator.models import Estimate, KnownShare, Run, Worker
from estimator.runs import estimation, selectors, services, worker_records
from tests.factories import payloads
from tests.factories.reports import store_report
from tests.factories.runs import fill

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Wake-ups are written down here in place of a broker; the system tests use the real one."""
    messages: list[int] = []
    monkeypatch.setattr(services, "wake", messages.append)
    return messages


@pytest.fixture
def filled(design: Design) -> Design:
    for number in range(40):
        stratum, report = ("y1", "y2")[number % 2], ("0100", "0002", "0101")[number % 3]
        store_report(payloads.body(design, stratum=stratum, report=report))
    return design


def test_run_design_closed_meanwhile_counts_all(design: Design, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else it could tell all but one of them, and the final one the rest."""
    fill(design)
    honest, closing = folding.fold, [True]

    def fold(digest: str) -> int:
        if not closing:
            return honest(digest)
        closing.pop()
        honest(digest)
        close_design(digest)
        folding._fold_chunk(digest, partial(move, most=19, wait=False), steps=False)
        return 0

    monkeypatch.setattr(folding, "fold", fold)
    run = services.execute(services.request_run(design.digest).pk)
    assert run.reports == 90
    assert sum(map(sum, run.tallies[0])) == 90


def test_run_folds_and_estimates(filled: Design) -> None:
    close_design(filled.digest)
    run = services.execute(services.request_run(filled.digest).pk)
    assert (run.state, run.progress, run.reports, run.tries) == (Run.State.DONE, 100, 40, 1)
    assert run.estimates.count() == (2 + 3) * 3, "choices of both items, overall and in two strata"
    assert run.input_digest == estimation.input_digest(filled, services.reports.totals(filled.digest))
    assert run.version


def test_run_task_is_sent_after_commit(
    filled: Design, sent: list[int], django_capture_on_commit_callbacks: object
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        run = services.request_run(filled.digest)
        assert sent == []
    assert sent == [run.pk]


def test_run_executed_twice_is_unchanged(filled: Design) -> None:
    run = services.execute(services.request_run(filled.digest).pk)
    before = list(run.estimates.values_list())
    again = services.execute(run.pk)
    assert (again.tries, again.finished_at) == (1, run.finished_at)
    assert list(again.estimates.values_list()) == before


def test_run_leased_by_other_worker_is_skipped(filled: Design) -> None:
    run = services.request_run(filled.digest)
    Run.objects.filter(pk=run.pk).update(state=Run.State.RUNNING, lease="other", lease_until=timezone.now() + MINUTE)
    assert services.execute(run.pk).lease == "other"
    assert not Estimate.objects.exists()


def test_run_of_dead_worker_is_resumed(filled: Design, sent: list[int]) -> None:
    run = services.request_run(filled.digest)
    Run.objects.filter(pk=run.pk).update(
        state=Run.State.RUNNING, lease="dead", lease_until=timezone.now() - MINUTE, tries=1
    )
    assert services.resume_waiting() == [run.pk]
    assert sent == [run.pk]
    assert services.execute(run.pk).state == Run.State.DONE


@pytest.mark.parametrize("days", [-3, 3])
def test_run_of_dead_worker_clock_set_back_is_resumed(
    filled: Design, sent: list[int], monkeypatch: pytest.MonkeyPatch, days: int
) -> None:
    """Set back, the lease of the dead one ends in days; nobody believes it."""
    run, now = services.request_run(filled.digest), timezone.now
    assert jobs.take(Run, run.pk)
    assert services.resume_waiting() == []
    monkeypatch.setattr(timezone, "now", lambda: now() + timedelta(days=days))
    assert services.resume_waiting() == [run.pk]
    assert services.execute(run.pk).state == Run.State.DONE


@pytest.mark.parametrize("seconds", [-30, 30])
def test_run_lease_tolerates_small_clock_difference(
    filled: Design, monkeypatch: pytest.MonkeyPatch, seconds: int
) -> None:
    run, now = services.request_run(filled.digest), timezone.now
    lease = jobs.take(Run, run.pk)
    monkeypatch.setattr(timezone, "now", lambda: now() + timedelta(seconds=seconds))
    assert services.resume_waiting() == []
    assert services.execute(run.pk).lease == lease


def test_run_lost_lease_writes_no_results(filled: Design, monkeypatch: pytest.MonkeyPatch) -> None:
    run = services.request_run(filled.digest)
    honest = estimation.input_digest

    def taken_over(*arguments: object) -> str:
        Run.objects.filter(pk=run.pk).update(lease="other")
        return honest(*arguments)

    monkeypatch.setattr(estimation, "input_digest", taken_over)
    assert services.execute(run.pk).state == Run.State.RUNNING
    assert not Estimate.objects.exists()


def test_run_that_always_fails_stops_after_last_try(filled: Design, monkeypatch: pytest.MonkeyPatch) -> None:
    def poison(*arguments: object, **named: object) -> None:
        raise ZeroDivisionError("a secret in the message")

    monkeypatch.setattr(estimation, "estimate_item", poison)
    run = services.request_run(filled.digest)
    for _ in range(jobs.MOST_TRIES):
        with pytest.raises(ZeroDivisionError):
            services.execute(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.FAILED
    assert run.fault == "The computation ended with ZeroDivisionError."
    assert services.resume_waiting() == []


def test_run_now_is_not_resumed_by_workers(filled: Design, sent: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    honest = estimation.input_digest

    def others_look(*arguments: object) -> str:
        assert services.resume_waiting() == []
        assert services.execute(Run.objects.get().pk).state == Run.State.RUNNING
        return honest(*arguments)

    monkeypatch.setattr(estimation, "input_digest", others_look)
    run = services.run_now(filled.digest)
    assert (run.state, run.reports, sent) == (Run.State.DONE, 20, [])


def test_run_now_failure_is_not_retried(filled: Design, monkeypatch: pytest.MonkeyPatch) -> None:
    def poison(*arguments: object, **named: object) -> None:
        raise ZeroDivisionError("a secret in the message")

    monkeypatch.setattr(estimation, "estimate_item", poison)
    with pytest.raises(ZeroDivisionError):
        services.run_now(filled.digest)
    run = Run.objects.get()
    assert (run.state, run.fault) == (Run.State.FAILED, "The computation ended with ZeroDivisionError.")


def test_run_that_killed_three_workers_fails(filled: Design) -> None:
    run = services.request_run(filled.digest)
    Run.objects.filter(pk=run.pk).update(
        state=Run.State.RUNNING, lease_until=timezone.now() - MINUTE, tries=jobs.MOST_TRIES
    )
    assert services.resume_waiting() == []
    run.refresh_from_db()
    assert (run.state, run.fault) == (Run.State.FAILED, "The worker died 3 times.")


def test_schedule_estimates_changed_designs_only(filled: Design) -> None:
    tasks.fold_waiting()
    (run,) = services.estimate_changed()
    services.execute(run.pk)
    assert services.estimate_changed() == [], "a run was asked for within the last minute"
    Run.objects.update(requested_at=timezone.now() - 2 * MINUTE)
    assert services.estimate_changed() == [], "nothing was folded since"
    for number in range(1, 11):
        store_report(payloads.body(filled))
        tasks.fold_waiting()
        assert len(services.estimate_changed()) == (number == 10), "a step is ten reports of a group"


def test_prune_deletes_replaced_scheduled_runs_only(filled: Design) -> None:
    """Two snapshots a minute apart tell what came in that minute."""
    asked = services.execute(services.request_run(filled.digest).pk)
    first, second, newest = (
        services.execute(services.request_run(filled.digest, trigger=Run.Trigger.SCHEDULE).pk) for _ in range(3)
    )
    services.publish(first)
    services.prune()
    assert Run.objects.count() == 4, "somebody may be reading the one that was just replaced"
    Run.objects.update(finished_at=timezone.now() - services.READABLE - MINUTE)
    services.prune()
    assert set(Run.objects.values_list("pk", flat=True)) == {asked.pk, first.pk, newest.pk}
    assert second.pk not in (asked.pk, first.pk, newest.pk)


def test_schedule_runs_constant_number_of_queries(
    filled: Design, django_assert_num_queries: Callable[[int], AbstractContextManager[object]]
) -> None:
    """However many designs there are, and none of them is counted anew: a fold keeps the count."""
    tasks.fold_waiting()
    services.execute(services.request_run(filled.digest).pk)
    for number in range(5):
        freeze_design(payloads.document(slug=f"more-{number}"))
    with django_assert_num_queries(2):
        assert services.estimate_changed() == []


def test_schedule_retries_failed_run_within_minutes(filled: Design) -> None:
    tasks.fold_waiting()
    run = services.request_run(filled.digest)
    old = timezone.now() - 2 * MINUTE
    Run.objects.filter(pk=run.pk).update(state=Run.State.FAILED, requested_at=old, finished_at=old)
    assert len(services.estimate_changed()) == 1


def test_run_intervals_hold_at_every_look_until_closed(design: Design) -> None:
    for number in range(200):
        store_report(payloads.body(design, report=("0100", "0002", "0101")[number % 3]))
    filled = design
    watched = services.execute(services.request_run(filled.digest).pk)
    close_design(filled.digest)
    final = services.execute(services.request_run(filled.digest, trigger=Run.Trigger.CLOSING).pk)
    assert (watched.anytime, final.anytime) == (True, False)
    before, after = (run.estimates.get(position=0, choice=1, stratum=None) for run in (watched, final))
    assert (before.interval, before.noise_interval) == ("beta_binomial_mixture", "normal_mixture")
    assert (after.interval, after.noise_interval) == ("feldman_cousins", "convolution")
    assert (before.high or 0) - (before.low or 0) > (after.high or 0) - (after.low or 0)
    assert (before.noise_high or 0) - (before.noise_low or 0) > (after.noise_high or 0) - (after.noise_low or 0)


def test_run_requested_open_computed_closed_is_final(filled: Design) -> None:
    run = services.request_run(filled.digest)
    close_design(filled.digest)
    assert services.execute(run.pk).anytime is False


def test_worker_seen_is_recorded_seldom(
    db: None, django_assert_num_queries: Callable[[int], AbstractContextManager[object]]
) -> None:
    assert selectors.worker_seen() is None
    tasks.fold_waiting()
    seen = selectors.worker_seen()
    assert seen is not None
    with django_assert_num_queries(1):
        worker_records.record_worker_seen()
    Worker.objects.update(seen_at=seen - MINUTE)
    worker_records.record_worker_seen()
    assert (selectors.worker_seen() or seen - MINUTE) >= seen


def test_scheduled_tasks_are_registered(settings: object) -> None:
    from config.celery import app

    app.loader.import_default_modules()
    scheduled = {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}
    assert scheduled | {"estimator.execute_run"} <= set(app.tasks)


def test_publish_unfinished_run_is_ignored(filled: Design) -> None:
    run = services.request_run(filled.digest)
    services.publish(run)
    assert not Run.objects.get().published
    services.publish(services.execute(run.pk))
    assert Run.objects.get().published


def test_known_shares_are_replaced(design: Design) -> None:
    for holders in (1, 2):
        share = KnownShare(design_id=design.digest, position=0, choice=1, stratum=None, respondents=4, holders=holders)
        services.record_known_shares(design.digest, [share])
    assert selectors.known_shares(design.digest) == {(0, 1, None): 0.5}


@pytest.mark.parametrize(
    ("shares", "mean"),
    [({0: 0.25, 1: 0.25, 2: 0.5}, 1.5), ({2: 1.0}, None), ({0: 0.5, 2: 0.5}, 1.0), ({0: 0.5}, None), ({}, None)],
    ids=["of those with a value", "nobody has one", "left out is nobody", "not all known", "none known"],
)
def test_known_mean_of_known_shares(shares: dict[int, float], mean: float | None) -> None:
    assert selectors.known_mean(shares, (1.0, 2.0, None)) == mean
