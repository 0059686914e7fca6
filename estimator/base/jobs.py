"""Jobs: work whose row is the truth. A message only wakes a worker, and any worker can take up what another left."""

import logging
import secrets
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from celery import current_app
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from kombu.exceptions import OperationalError

LEASE = timedelta(seconds=60)
FURTHEST = 2 * LEASE
"""No worker writes a lease so far ahead: whoever meets one knows that a clock was set back, and does not believe it. Of
this two minutes one is for clocks of several machines that differ."""

MOST_TRIES = 3

logger = logging.getLogger(__name__)


class LeaseLost(Exception):
    """Another worker has taken the job up, or somebody ended it; this one's results are dropped."""


def new_key() -> str:
    return secrets.token_hex(16)


class Job(models.Model):
    """What every kind of job has in its row."""

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    state = models.CharField(max_length=16, choices=State.choices, default=State.QUEUED)
    progress = models.PositiveSmallIntegerField(default=0, help_text="per cent")
    requested_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)
    lease = models.CharField(max_length=32, default="", help_text="held by the worker that computes")
    lease_until = models.DateTimeField(null=True)
    tries = models.PositiveSmallIntegerField(default=0)
    fault = models.CharField(max_length=200, default="", help_text="why it failed, in words")

    class Meta:
        abstract = True

    @property
    def waits(self) -> bool:
        """Whether there is more to come of it."""
        return self.state in (Job.State.QUEUED, Job.State.RUNNING)


Jobs = type[Job]


def wake(task: str, job_id: int) -> None:
    """Send the wake-up. A broker that is away costs seconds, not the job: beat finds the waiting row."""
    try:
        current_app.send_task(task, args=[job_id], retry=False)
    except (OSError, OperationalError):
        logger.warning("no broker; %s %s waits for the next look", task, job_id)


def take(kind: Jobs, job_id: int, **changes: Any) -> str:
    """A token where this worker may do the job, empty where it may not."""
    token = new_key()
    held = {"state": Job.State.RUNNING, "lease": token, "lease_until": timezone.now() + LEASE}
    taken = kind._default_manager.filter(_free(), pk=job_id).update(**held, tries=F("tries") + 1, **changes)
    return token if taken else ""


def perform(kind: Jobs, job_id: int, work: Callable[[int, str], None]) -> None:
    """Do a job under a lease, unless another worker holds it or it is finished; `work` gets its id and the lease."""
    lease = take(kind, job_id, progress=0)
    if not lease:
        return
    try:
        work(job_id, lease)
    except LeaseLost:
        logger.warning("%s %s was taken over", kind.__name__, job_id)
    except Exception as error:
        release_lease(kind, job_id, lease, error)
        raise


def acquire_lease(kind: Jobs, job_id: int, lease: str, **changes: Any) -> None:
    """Write to the job while holding it; LeaseLost where another worker has it by now."""
    if not _held(kind, job_id, lease).update(**changes):
        raise LeaseLost


def renew(kind: Jobs, job_id: int, lease: str, **changes: Any) -> None:
    """Hold it for another while; raises as `hold` does."""
    acquire_lease(kind, job_id, lease, lease_until=timezone.now() + LEASE, **changes)


def release_lease(kind: Jobs, job_id: int, lease: str, error: Exception) -> None:
    """Leave the job for another try, or as failed after the last one. The error's own words may hold anything."""
    held, fault = _held(kind, job_id, lease), f"The computation ended with {type(error).__name__}."
    if held.filter(tries__gte=MOST_TRIES).update(state=Job.State.FAILED, fault=fault, finished_at=timezone.now()):
        return
    held.update(state=Job.State.QUEUED, fault=fault)


def resume(kind: Jobs, wake_up: Callable[[int], None]) -> list[int]:
    """Wake the jobs that nobody does: never begun, or whose worker died. The third death ends a job."""
    dead = kind._default_manager.filter(_abandoned(), tries__gte=MOST_TRIES)
    dead.update(state=Job.State.FAILED, fault=f"The worker died {MOST_TRIES} times.", finished_at=timezone.now())
    waiting = list(kind._default_manager.filter(_free()).values_list("pk", flat=True))
    for job_id in waiting:
        wake_up(job_id)
    return waiting


def _held(kind: Jobs, job_id: int, lease: str) -> models.QuerySet[Any]:
    return kind._default_manager.filter(pk=job_id, lease=lease, state=Job.State.RUNNING)


def _free() -> Q:
    return (Q(state=Job.State.QUEUED) | _abandoned()) & Q(tries__lt=MOST_TRIES)


def _abandoned() -> Q:
    now = timezone.now()
    held = Q(lease_until__gte=now, lease_until__lte=now + FURTHEST)
    return Q(state=Job.State.RUNNING) & ~held
