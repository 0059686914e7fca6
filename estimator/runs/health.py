"""Health of the installation, for /readyz, the metrics and the operator's page."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from celery import current_app
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models import Count
from django.utils import timezone
from kombu.exceptions import OperationalError

from collector.reports import selectors as reports
from estimator.base.jobs import Job
from estimator.runs import selectors

AWAY = timedelta(minutes=1)
"""A worker not seen for this long is considered down: it looks for work every two seconds."""

LATE = timedelta(minutes=1)
"""If reports wait this long to be counted, there are too many, or no worker counts them."""

BROKER_SECONDS = 1.0
"""Seconds to wait for the broker."""

PING_SECONDS = 0.5
"""Seconds in which workers have to answer to be listed."""


@dataclass(frozen=True)
class HealthCheck:
    """The status of one part, and a sentence that states it."""

    name: str
    works: bool
    words: str


def checks() -> list[HealthCheck]:
    """Check every part that has to work: database, broker, worker, counting."""
    database, broker = database_works(), broker_works()
    silent = "It does not answer: responses are refused until it does."
    away = "It does not answer. Reports are stored all the same; jobs begin when it is back."
    return [
        HealthCheck("database", database, "It answers." if database else silent),
        HealthCheck("broker", broker, "It takes messages." if broker else away),
        _worker(),
        _counting(),
    ]


def database_works() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        # A connection that broke stays broken; the next question makes a new one.
        connection.close()
        return False
    return True


def broker_works() -> bool:
    try:
        with current_app.connection_for_write(connect_timeout=BROKER_SECONDS) as broker:
            broker.ensure_connection(max_retries=1, timeout=BROKER_SECONDS)
            broker.default_channel.queue_declare(current_app.conf.task_default_queue, passive=False)
    except (OSError, OperationalError):
        return False
    return True


def workers_by_node() -> dict[str, int]:
    """The number of workers that answer, by the machine or container that their name ends in.

    Empty where messages go through a folder, which is one machine, and where the broker is away.
    """
    if not settings.REDIS_URL or not broker_works():
        return {}
    try:
        answers = current_app.control.ping(timeout=PING_SECONDS)
    except (OSError, OperationalError):
        return {}
    names = [name for answer in answers for name in answer]
    return dict(sorted(Counter(name.rpartition("@")[2] for name in names).items()))


def lag() -> timedelta | None:
    """The time that reports have waited to be counted, to a quarter of a minute; None if none ever were."""
    if not reports.waiting_designs():
        return timedelta(0)
    since = selectors.caught_up()
    return timezone.now() - since if since else None


def job_counts() -> dict[tuple[str, str], int]:
    """The number of jobs by kind and state, without zeros."""
    return {
        (name_of(kind), state): count
        for kind in job_kinds()
        for state, count in kind._default_manager.order_by().values_list("state").annotate(count=Count("pk"))
    }


def job_kinds() -> Iterator[type[Job]]:
    yield from sorted(Job.__subclasses__(), key=name_of)


def name_of(kind: type[Job]) -> str:
    return str(kind._meta.verbose_name)


def _worker() -> HealthCheck:
    try:
        seen = selectors.worker_seen()
    except DatabaseError:
        return HealthCheck("worker", False, "The database does not answer.")
    if seen is None:
        return HealthCheck("worker", False, "No worker was ever seen. Responses are stored all the same.")
    ago = timezone.now() - seen
    words = f"It looked for work {in_words(ago)} ago."
    if ago < AWAY:
        return HealthCheck("worker", True, words)
    return HealthCheck("worker", False, f"{words} Responses are stored all the same.")


def _counting() -> HealthCheck:
    try:
        late = lag()
    except DatabaseError:
        return HealthCheck("counting", False, "The database does not answer.")
    if late is None:
        return HealthCheck("counting", False, "Responses wait, and none was ever counted.")
    waits = f"Responses have waited {in_words(late)} to be counted."
    return HealthCheck("counting", late < LATE, waits if late else "No response waits to be counted.")


def in_words(time: timedelta) -> str:
    """Format a time in the unit that fits it."""
    seconds = max(0, round(time.total_seconds()))
    for unit, size in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= 2 * size:
            return f"{seconds // size} {unit}s"
    return f"{seconds} second{'' if seconds == 1 else 's'}"
