"""Jobs, defined by their database rows: a message only wakes a worker, and any worker can resume a job."""

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
"""Furthest valid end of a lease: one further ahead shows that a clock was set back, and is ignored. Of
this two minutes one is for clocks of several machines that differ."""

MOST_TRIES = 3

logger = logging.getLogger(__name__)


class LeaseLost(Exception):
    """Error: another worker took the job over, or it was cancelled; the results are dropped."""


def new_key() -> str:
    return secrets.token_hex(16)


class Job(models.Model):
    """Abstract model with the fields of every kind of job."""

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
        """Return True if the job is queued or running."""
        return self.state in (Job.State.QUEUED, Job.State.RUNNING)


Jobs = type[Job]


def wake(task: str, job_id: int) -> None:
    """Send the wake-up message. A missing broker costs seconds, not the job: beat finds the waiting row."""
    try:
        current_app.send_task(task, args=[job_id], retry=False)
    except (OSError, OperationalError):
        logger.warning("no broker; %s %s waits for the next look", task, job_id)


def take(kind: Jobs, job_id: int, **changes: Any) -> str:
    """Acquire the lease of a job; return its token, empty if it is not free."""
    token = new_key()
    held = {"state": Job.State.RUNNING, "lease": token, "lease_until": timezone.now() + LEASE}
    taken = kind._default_manager.filter(_free(), pk=job_id).update(**held, tries=F("tries") + 1, **changes)
    return token if taken else ""


def perform(kind: Jobs, job_id: int, work: Callable[[int, str], None]) -> None:
    """Run a job under a lease, unless another worker holds it or it is finished; `work` gets its id and lease."""
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
    """Update the job while holding its lease; raise LeaseLost if another worker has it by now."""
    if not _held(kind, job_id, lease).update(**changes):
        raise LeaseLost


def renew(kind: Jobs, job_id: int, lease: str, **changes: Any) -> None:
    """Renew the lease; raises as `acquire_lease` does."""
    acquire_lease(kind, job_id, lease, lease_until=timezone.now() + LEASE, **changes)


def release_lease(kind: Jobs, job_id: int, lease: str, error: Exception) -> None:
    """Release the job for another try, or as failed after the last one; only the error's type is stored."""
    held, fault = _held(kind, job_id, lease), f"The computation ended with {type(error).__name__}."
    if held.filter(tries__gte=MOST_TRIES).update(state=Job.State.FAILED, fault=fault, finished_at=timezone.now()):
        return
    held.update(state=Job.State.QUEUED, fault=fault)


def resume(kind: Jobs, wake_up: Callable[[int], None]) -> list[int]:
    """Wake the jobs without a worker: never started, or whose worker died. The third death fails a job."""
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
