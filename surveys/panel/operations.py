"""The operator's page: whether everything works, the jobs, and the stored data."""

import platform
from dataclasses import dataclass

import django
from django.conf import settings
from django.core import checks as system_checks
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from collector.database.servers import Server, Servers, database_servers
from collector.database.settings import size_in_bytes
from collector.designs.selectors import get_design
from collector.reports import selectors as reports
from estimator.base import wording
from estimator.base.jobs import Job
from estimator.base.languages import filled
from estimator.runs import health
from randomized_response import __version__
from surveys.maintenance import archives, scheduled_backups
from surveys.maintenance.signature import own_fingerprint
from surveys.models import Backup, Delivery, Version
from surveys.panel.views import panel_page

MOST = 20
"""Number of failed jobs and surveys listed."""

STATES = [
    (Job.State.QUEUED, "waiting"),
    (Job.State.RUNNING, "running"),
    (Job.State.DONE, "done"),
    (Job.State.FAILED, "failed"),
]
DATABASES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}


@dataclass(frozen=True)
class FailedJobRow:
    """A job that will not be retried."""

    kind: str
    title: str
    tries: int
    fault: str
    ago: str


@dataclass(frozen=True)
class StoredReportsRow:
    """A survey's responses: their number, and the length of its bar in per cent of the longest."""

    title: str
    stored: str
    waiting: str
    share: float


@dataclass(frozen=True)
class ServerRow:
    """A server of the database, in words."""

    server: Server
    role: str
    state: str
    shards: str


@require_safe
def operation(request: HttpRequest) -> HttpResponse:
    """Show whether everything works. The operator sees no survey that is not shared with them, only names."""
    if not request.user.is_superuser:
        raise PermissionDenied(gettext("This page is only for the people who run the site."))
    checks = health.checks()
    workers, there = health.workers_by_node(), servers()
    context = {
        "checks": checks,
        "works": all(check.works for check in checks),
        "jobs": jobs(),
        "states": [name for _, name in STATES],
        "failed": failed(),
        "stored": stored_reports(),
        "set_aside": reports.set_aside_in_all(),
        "servers": server_rows(there),
        "replicated": any(one.role == "replica" for one in there.servers),
        "sharded": any(one.shards is not None for one in there.servers),
        "confirmed": there.confirmed,
        "workers": list(workers.items()) if len(workers) > 1 else [],
        "warnings": warnings(),
        "backup": scheduled_backups.last_backup(),
        "facts": facts(),
        "now": timezone.now(),
    }
    return panel_page(request, "panel/operation.html", context, title=gettext("Operation"))


def warnings() -> list[str]:
    """The messages of the system checks of the database's settings and the data folder."""
    tags = [system_checks.Tags.database, system_checks.Tags.files]
    return [str(one.msg) for one in system_checks.run_checks(tags=tags, databases=["default"])]


def jobs() -> list[tuple[str, list[int]]]:
    """The number of jobs in each of STATES, by kind."""
    counts = health.job_counts()
    names = [health.name_of(kind) for kind in health.job_kinds()]
    return [(name.capitalize(), [counts.get((name, state), 0) for state, _ in STATES]) for name in names]


def failed() -> list[FailedJobRow]:
    """The newest failed jobs."""
    now, found = timezone.now(), []
    for kind in health.job_kinds():
        ended = kind._default_manager.filter(state=Job.State.FAILED).order_by("-finished_at")
        for job in ended[:MOST]:
            age, name = now - (job.finished_at or now), health.name_of(kind).capitalize()
            found.append(
                (
                    age,
                    FailedJobRow(
                        name, _slug_of(job), job.tries, job.fault, gettext("{age} ago").format(age=health.in_words(age))
                    ),
                )
            )
    return [one for _, one in sorted(found, key=lambda pair: pair[0])[:MOST]]


def servers() -> Servers:
    """The servers of the database; none if it does not answer, which the checks say."""
    try:
        return database_servers()
    except DatabaseError:
        return Servers()


def server_rows(there: Servers) -> list[ServerRow]:
    """The servers of the database in words; empty where it is one alone."""
    return [
        ServerRow(
            one,
            gettext("{role}, synchronous").format(role=one.role) if one.synchronous else one.role,
            _state(one),
            _shards(one),
        )
        for one in there.servers
    ]


def _state(server: Server) -> str:
    if server.lag_bytes is None:
        return server.state
    return filled(
        gettext("{state}, {value:,.0f} MB and {lag_seconds} s behind"),
        state=server.state,
        value=server.lag_bytes / 1e6,
        lag_seconds=server.lag_seconds,
    )


def _shards(server: Server) -> str:
    if server.shards is None or server.size is None:
        return "" if server.shards is None else wording.count(server.shards)
    return f"{wording.count(server.shards)}, {wording.count(server.size / 1e6)} MB"


def _slug_of(job: Job) -> str:
    if isinstance(job, Backup):
        return ""
    if isinstance(job, Delivery):
        return job.webhook.survey.slug
    return get_design(job.design_id).slug  # type: ignore[attr-defined]


def stored_reports() -> list[StoredReportsRow]:
    """The surveys with the most responses."""
    counts = reports.report_counts(list(Version.objects.values_list("design_id", flat=True)))
    titles = dict(Version.objects.values_list("design_id", "survey__slug"))
    most = sorted(
        ((count, titles[digest]) for digest, count in counts.items() if count.stored),
        key=lambda pair: (-pair[0].stored, pair[1]),
    )[:MOST]
    longest = most[0][0].stored if most else 1
    return [
        StoredReportsRow(title, wording.reports(count), wording.count(count.waiting), 100 * count.stored / longest)
        for count, title in most
    ]


def facts() -> list[tuple[str, str]]:
    """Versions and settings of this installation."""
    return [
        ("Candor", __version__),
        ("Python, Django", f"{platform.python_version()}, {django.get_version()}"),
        (gettext("Database"), f"{DATABASES[connection.vendor]}, {wording.count(size_in_bytes() / 1e6)} MB"),
        (gettext("Archived responses"), archives.summary()),
        (gettext("Messages"), "Redis" if settings.REDIS_URL else gettext("a folder")),
        (gettext("Address"), settings.CANDOR_URL),
        *([(gettext("Address for respondents"), theirs)] if (theirs := settings.CANDOR_RESPONDENT_URL) else []),
        (
            gettext("Ceiling of the privacy loss (epsilon)"),
            filled(
                gettext("{candor_epsilon_ceiling:g} for each person"),
                candor_epsilon_ceiling=settings.CANDOR_EPSILON_CEILING,
            ),
        ),
        (
            gettext("Second factor"),
            gettext("required") if settings.CANDOR_SECOND_FACTOR == "required" else gettext("optional"),
        ),
        (gettext("Backups are signed by"), own_fingerprint()),
        ("/metrics", gettext("only with the token") if settings.CANDOR_METRICS_TOKEN else "off"),
    ]
