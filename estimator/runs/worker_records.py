"""When a worker was last seen, and when all reports were last counted.

A module of its own: the worker that only folds writes these, in an image without what estimates are computed with.
"""

from datetime import timedelta

from django.utils import timezone

from estimator.models import Worker

BETWEEN_SEEN = timedelta(seconds=15)


def record_worker_seen() -> None:
    """Record that a worker looks for work: at most every few seconds, since it is a write."""
    _note("seen_at")


def record_caught_up() -> None:
    """Record that all reports are counted: as seldom, so that it does not reveal when a report came."""
    _note("caught_up_at")


def _note(moment: str) -> None:
    now = timezone.now()
    if not Worker.objects.filter(**{f"{moment}__gt": now - BETWEEN_SEEN}).exists():
        Worker.objects.update_or_create(pk=1, defaults={moment: now}, create_defaults={"seen_at": now, moment: now})
