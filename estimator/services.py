"""What changes runs: asking for one, computing it, publishing its report."""

import logging
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from celery import current_app
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from collector import folding
from collector import selectors as reports
from estimator import computing, selectors
from estimator.models import Estimate, KnownShare, Run, new_key
from randomized_response import __version__

LEASE = timedelta(seconds=60)
MOST_TRIES = 3
BETWEEN_SCHEDULED = timedelta(seconds=60)
KEPT_SCHEDULED = 20

logger = logging.getLogger(__name__)


class LeaseLost(Exception):
    """Another worker has taken the run up; this one's results are dropped."""


def request_run(digest: str, *, trigger: str = Run.Trigger.DEMAND, confidence: float = 0.95) -> Run:
    """Write the run down and wake a worker once it is committed."""
    run = Run.objects.create(design_id=digest, trigger=trigger, confidence=confidence)
    transaction.on_commit(lambda: wake(run.pk))
    return run


def wake(run_id: int) -> None:
    """Send the wake-up. A broker that is away costs seconds, not the run: beat finds the waiting row."""
    try:
        current_app.send_task("estimator.execute_run", args=[run_id])
    except OSError:
        logger.warning("no broker; run %s waits for the next look", run_id)


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
    """Wake the runs that nobody computes: never begun, or whose worker died. The third death ends a run."""
    dead = Run.objects.filter(state=Run.State.RUNNING, lease_until__lt=timezone.now(), tries__gte=MOST_TRIES)
    dead.update(state=Run.State.FAILED, fault=f"The worker died {MOST_TRIES} times.", finished_at=timezone.now())
    waiting = list(Run.objects.filter(_free()).values_list("pk", flat=True))
    for run_id in waiting:
        wake(run_id)
    return waiting


def execute(run_id: int) -> Run:
    """Compute a run, unless another worker holds it or it is finished. Running it twice gives the same rows."""
    lease = _take_lease(run_id)
    if lease:
        try:
            _compute(run_id, lease)
        except LeaseLost:
            logger.warning("run %s was taken over", run_id)
        except Exception as error:
            _give_back(run_id, lease, error)
            raise
    return Run.objects.get(pk=run_id)


def publish(run: Run, *, published: bool = True) -> None:
    """Let whoever has the link read the report, or no longer."""
    Run.objects.filter(pk=run.pk, state=Run.State.DONE).update(published=published)


def record_known_shares(digest: str, shares: Iterable[KnownShare]) -> None:
    """Keep the true shares of a rehearsal's simulated respondents; a later rehearsal of the design replaces them."""
    with transaction.atomic():
        KnownShare.objects.filter(design_id=digest).delete()
        KnownShare.objects.bulk_create(shares)


def _free() -> Q:
    abandoned = Q(state=Run.State.RUNNING, lease_until__lt=timezone.now())
    return (Q(state=Run.State.QUEUED) | abandoned) & Q(tries__lt=MOST_TRIES)


def _take_lease(run_id: int) -> str:
    """A token where this worker may compute the run, empty where it may not."""
    token = new_key()
    taken = Run.objects.filter(_free(), pk=run_id).update(
        state=Run.State.RUNNING, lease=token, lease_until=timezone.now() + LEASE, tries=F("tries") + 1, progress=0
    )
    return token if taken else ""


def _compute(run_id: int, lease: str) -> None:
    run = Run.objects.get(pk=run_id)
    folding.fold(run.design_id)
    design, now = reports.get_design(run.design_id), timezone.now()
    with transaction.atomic():  # both from one state of the store
        totals, coin_reports = reports.totals(run.design_id), reports.folded_coin_report_count(run.design_id)
    rows: list[computing.Row] = []
    for position, field in enumerate(design.fields):
        rows += computing.estimate_item(design, position, totals[field.start : field.stop], run.confidence)
        progress = 100 * (position + 1) // len(design.fields)
        _update(run_id, lease, progress=progress, lease_until=timezone.now() + LEASE)
    with transaction.atomic():
        _update(
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


def _update(run_id: int, lease: str, **changes: Any) -> None:
    """Write to the run while holding it; LeaseLost where another worker has it by now."""
    if not Run.objects.filter(pk=run_id, lease=lease, state=Run.State.RUNNING).update(**changes):
        raise LeaseLost


def _give_back(run_id: int, lease: str, error: Exception) -> None:
    """Leave the run for another try, or as failed after the last one."""
    held = Run.objects.filter(pk=run_id, lease=lease, state=Run.State.RUNNING)
    fault = f"The computation ended with {type(error).__name__}."
    if held.filter(tries__gte=MOST_TRIES).update(state=Run.State.FAILED, fault=fault, finished_at=timezone.now()):
        return
    held.update(state=Run.State.QUEUED, fault=fault)
