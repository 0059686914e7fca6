"""Commands for runs: request, compute, publish."""

from collections.abc import Iterable, Iterator
from datetime import timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from collector.designs.selectors import get_design, is_final
from collector.reports import folding
from collector.reports import selectors as reports
from estimator.base import jobs
from estimator.base.cells import Watch, no_progress
from estimator.models import Estimate, Export, KnownShare, Run
from estimator.runs import estimation, group_sizes, groups, selectors
from randomized_response import __version__

BETWEEN_SCHEDULED = timedelta(seconds=60)
READABLE = timedelta(minutes=15)


def request_run(digest: str, *, trigger: str = Run.Trigger.DEMAND, confidence: float = 0.95) -> Run:
    """Create a run and wake a worker after the commit."""
    run = Run.objects.create(design_id=digest, trigger=trigger, confidence=confidence)
    transaction.on_commit(lambda: wake(run.pk))
    return run


def wake(run_id: int) -> None:
    jobs.wake("estimator.execute_run", run_id)


def estimate_changed() -> list[Run]:
    """Request a run of every design whose totals changed since its last one, at most one a minute and design."""
    changed = selectors.changed_designs(before=timezone.now() - BETWEEN_SCHEDULED)
    prune()
    return [request_run(digest, trigger=Run.Trigger.SCHEDULE) for digest in changed]


def prune() -> None:
    """Delete the scheduled runs that a newer one has replaced; requested and published runs are retained.

    Two of them side by side tell in which minute, and with which symbols, the reports between them came. So they stay
    only as long as somebody may be reading the older one.
    """
    newer = Run.objects.filter(design=OuterRef("design"), state=Run.State.DONE, pk__gt=OuterRef("pk"))
    ended = Run.objects.filter(state__in=(Run.State.DONE, Run.State.FAILED), finished_at__lt=timezone.now() - READABLE)
    # A file that somebody asked for is kept with its run, for as long as the file.
    exported = Export.objects.filter(run=OuterRef("pk"))
    ended.filter(Exists(newer), ~Exists(exported), trigger=Run.Trigger.SCHEDULE, published=False).delete()


def resume_waiting() -> list[int]:
    """Wake workers for the runs that no worker is computing."""
    return jobs.resume(Run, wake)


def execute(run_id: int) -> Run:
    """Compute a run, unless another worker holds it or it is finished. Running it twice gives the same rows."""
    jobs.perform(Run, run_id, _compute)
    return Run.objects.get(pk=run_id)


def run_now(digest: str, *, confidence: float = 0.95, watch: Watch = no_progress) -> Run:
    """Compute a run synchronously: it is leased from the beginning, so that no worker ever takes it up.

    `watch` is told how much is computed, in [0, 1].
    """
    lease = jobs.new_key()
    until = timezone.now() + jobs.LEASE
    held = {"state": Run.State.RUNNING, "lease": lease, "lease_until": until, "tries": jobs.MOST_TRIES}
    run = Run.objects.create(design_id=digest, trigger=Run.Trigger.DEMAND, confidence=confidence, **held)
    try:
        _compute(run.pk, lease, watch)
    except Exception as error:
        jobs.release_lease(Run, run.pk, lease, error)
        raise
    return Run.objects.get(pk=run.pk)


def delete_rehearsal(digest: str) -> None:
    """Delete the runs and the known shares of a rehearsal's design; other designs are not affected."""
    for rows in (Run, KnownShare):
        rows.objects.filter(design_id=digest, design__rehearsal=True).delete()


def publish(run: Run, *, published: bool = True) -> None:
    """Publish the report for everybody with the link, or withdraw it."""
    Run.objects.filter(pk=run.pk, state=Run.State.DONE).update(published=published)


def record_known_shares(digest: str, shares: Iterable[KnownShare]) -> None:
    """Store the true shares of a rehearsal's simulated respondents, replacing those of an earlier rehearsal."""
    with transaction.atomic():
        KnownShare.objects.filter(design_id=digest).delete()
        KnownShare.objects.bulk_create(shares)


def _compute(run_id: int, lease: str, watch: Watch = no_progress) -> None:
    run = Run.objects.get(pk=run_id)
    design, waits = get_design(run.design_id), True
    while waits:  # one that was closed behind the fold may be half folded, and differ from the whole by one report
        folding.fold(run.design_id)
        with reports.one_snapshot():
            now = reports.released_moment(run.design_id)
            exact, coin_reports = reports.totals(run.design_id), reports.folded_coin_report_count(run.design_id)
            taking = not is_final(run.design_id)
            waits = reports.report_counts([run.design_id])[run.design_id].waiting > 0
    # Nobody watches a rehearsal grow: it is estimated as a survey that is closed.
    anytime = taking and not design.rehearsal
    partition = groups.of_totals(design, exact, final=not taking)
    totals = partition.merge_all(exact)
    rows = list(_estimates(run, partition, totals, lease=lease, anytime=anytime, watch=watch))
    with transaction.atomic():
        jobs.acquire_lease(
            Run,
            run_id,
            lease,
            state=Run.State.DONE,
            finished_at=timezone.now(),
            snapshot_at=now,
            reports=int(exact[0].sum()),
            coin_reports=coin_reports,
            anytime=anytime,
            input_digest=estimation.input_digest(design, totals),
            tallies=[table.tolist() for table in totals],
            groups=partition.members,
            version=__version__,
        )
        if not taking:
            group_sizes.release(design, exact)
        Estimate.objects.bulk_create(rows)


def _estimates(
    run: Run, partition: groups.Partition, totals: reports.Totals, *, lease: str, anytime: bool, watch: Watch
) -> Iterator[Estimate]:
    """The rows of a run, item by item; the lease is renewed after each."""
    fields = get_design(run.design_id).fields
    for position, field in enumerate(fields):
        mine = totals[field.start : field.stop]
        for row in estimation.estimate_item(partition, position, mine, run.confidence, anytime=anytime):
            row.run = run
            yield row
        jobs.renew(Run, run.pk, lease, progress=100 * (position + 1) // len(fields))
        watch((position + 1) / len(fields))
