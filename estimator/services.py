"""What changes runs: asking for one, computing it, publishing its report."""

import logging
from collections.abc import Iterable
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from collector import folding
from collector import selectors as reports
from estimator import computing, jobs, selectors
from estimator.models import Estimate, KnownShare, Run
from randomized_response import __version__

BETWEEN_SCHEDULED = timedelta(seconds=60)
KEPT_SCHEDULED = 20

logger = logging.getLogger(__name__)


def request_run(digest: str, *, trigger: str = Run.Trigger.DEMAND, confidence: float = 0.95) -> Run:
    """Write the run down and wake a worker once it is committed."""
    run = Run.objects.create(design_id=digest, trigger=trigger, confidence=confidence)
    transaction.on_commit(lambda: wake(run.pk))
    return run


def wake(run_id: int) -> None:
    jobs.wake("estimator.execute_run", run_id)


def estimate_changed() -> list[Run]:
    """Ask for a run of every design whose totals changed since its last one, at most one a minute and design."""
    recently = timezone.now() - BETWEEN_SCHEDULED
    asked = []
    for digest in selectors.designs_with_totals():
        last = selectors.last_run(digest)
        if last is not None and (last.requested_at > recently or selectors.is_current(last)):
            continue
        asked.append(request_run(digest, trigger=Run.Trigger.SCHEDULE))
        prune(digest)
    return asked


def prune(digest: str) -> None:
    """Forget scheduled runs of a design beyond the newest; what somebody asked for or published stays."""
    scheduled = Run.objects.filter(design_id=digest, trigger=Run.Trigger.SCHEDULE, published=False)
    kept = scheduled.order_by("-pk").values_list("pk", flat=True)[:KEPT_SCHEDULED]
    scheduled.exclude(pk__in=list(kept)).delete()


def resume_waiting() -> list[int]:
    """Wake the runs that nobody computes."""
    return jobs.resume(Run, wake)


def execute(run_id: int) -> Run:
    """Compute a run, unless another worker holds it or it is finished. Running it twice gives the same rows."""
    lease = jobs.take(Run, run_id, progress=0)
    if lease:
        try:
            _compute(run_id, lease)
        except jobs.LeaseLost:
            logger.warning("run %s was taken over", run_id)
        except Exception as error:
            jobs.give_back(Run, run_id, lease, error)
            raise
    return Run.objects.get(pk=run_id)


def run_now(digest: str, *, confidence: float = 0.95) -> Run:
    """Compute a run here and now: it is held from the beginning, so that no other worker takes it up."""
    lease = jobs.new_key()
    until = timezone.now() + jobs.LEASE
    held = {"state": Run.State.RUNNING, "lease": lease, "lease_until": until, "tries": jobs.MOST_TRIES}
    run = Run.objects.create(design_id=digest, trigger=Run.Trigger.DEMAND, confidence=confidence, **held)
    _compute(run.pk, lease)
    return Run.objects.get(pk=run.pk)


def forget_rehearsal(digest: str) -> None:
    """Delete the runs and the known shares of a rehearsal's design; those of any other stay."""
    for rows in (Run, KnownShare):
        rows.objects.filter(design_id=digest, design__rehearsal=True).delete()


def publish(run: Run, *, published: bool = True) -> None:
    """Let whoever has the link read the report, or no longer."""
    Run.objects.filter(pk=run.pk, state=Run.State.DONE).update(published=published)


def record_known_shares(digest: str, shares: Iterable[KnownShare]) -> None:
    """Keep the true shares of a rehearsal's simulated respondents; a later rehearsal of the design replaces them."""
    with transaction.atomic():
        KnownShare.objects.filter(design_id=digest).delete()
        KnownShare.objects.bulk_create(shares)


def _compute(run_id: int, lease: str) -> None:
    run = Run.objects.get(pk=run_id)
    folding.fold(run.design_id)
    design, now = reports.get_design(run.design_id), timezone.now()
    with transaction.atomic():  # both from one state of the store
        totals, coin_reports = reports.totals(run.design_id), reports.folded_coin_report_count(run.design_id)
    rows: list[computing.Row] = []
    for position, field in enumerate(design.fields):
        rows += computing.estimate_item(design, position, totals[field.start : field.stop], run.confidence)
        jobs.renew(Run, run_id, lease, progress=100 * (position + 1) // len(design.fields))
    with transaction.atomic():
        jobs.hold(
            Run,
            run_id,
            lease,
            state=Run.State.DONE,
            finished_at=timezone.now(),
            snapshot_at=now,
            reports=int(totals[0].sum()),
            coin_reports=coin_reports,
            input_digest=computing.input_digest(design, totals),
            tallies=[table.tolist() for table in totals],
            version=__version__,
        )
        Estimate.objects.bulk_create(Estimate(run_id=run_id, **vars(row)) for row in rows)
