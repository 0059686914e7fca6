"""Rows of the list of surveys, read for a whole page in as many queries as for one."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import OuterRef, Subquery, prefetch_related_objects
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from collector.models import DailyCount
from collector.reports import selectors as reports
from collector.reports.selectors import ReportCounts
from estimator.base import wording
from estimator.models import Run
from surveys.accounts.access import Role
from surveys.lifecycle import links, selectors
from surveys.models import Appointment, Membership, Survey, Version
from surveys.panel.field_days import spark_of
from surveys.panel.frame import epsilon_of
from surveys.times import moment

ROWS = 50
"""Surveys per page of the list: the questions of drafts are read for their epsilon."""

DRAFT, OPEN, CLOSED, ARCHIVED = Survey.State


@dataclass(frozen=True)
class SurveyListRow:
    """A survey's row: how many responses came, by day and in all; what is due; and what its reader does next."""

    survey: Survey
    reports: str
    days: SafeString
    epsilon: str
    link: str
    due: str
    next: str
    address: str


@dataclass(frozen=True)
class _Facts:
    """What is read of all surveys of a page."""

    version: Version | None
    counted: ReportCounts
    days: list[DailyCount]
    due: Appointment | None
    role: Role
    estimated: bool


def survey_rows(surveys: Sequence[Survey], user: User) -> list[SurveyListRow]:
    """The row of each survey, in their order."""
    newest = Version.objects.filter(survey=OuterRef("survey")).order_by("-number").values("pk")[:1]
    found = Version.objects.filter(survey__in=list(surveys), pk=Subquery(newest)).select_related("survey")
    versions = {version.survey_id: version for version in found}
    digests = [version.design_id for version in versions.values()]
    counts, days = reports.report_counts(digests), reports.daily_counts_of(digests)
    done = set(Run.objects.filter(design__in=digests, state=Run.State.DONE).values_list("design", flat=True))
    waiting = Appointment.objects.filter(survey__in=list(surveys), state=Appointment.State.WAITING)
    due = {one.survey_id: one for one in waiting.order_by("-due_at", "-pk")}
    roles = dict(Membership.objects.filter(user=user.pk).values_list("team", "role"))
    prefetch_related_objects(list(surveys), "tags")
    prefetch_related_objects([survey for survey in surveys if survey.state == DRAFT], "items")
    return [_row(survey, _facts(survey, versions, counts, days, due, roles, done, user)) for survey in surveys]


def _facts(
    survey: Survey,
    versions: dict[int, Version],
    counts: dict[str, ReportCounts],
    days: dict[str, list[DailyCount]],
    due: dict[int, Appointment],
    roles: dict[int, int],
    done: set[str],
    user: User,
) -> _Facts:
    version = versions.get(survey.pk)
    digest = version.design_id if version else ""
    role = Role.OWNER if user.is_superuser else Role(roles.get(survey.team_id, Role.VIEWER))
    counted = counts.get(digest, ReportCounts(0, 0))
    return _Facts(version, counted, days.get(digest, []), due.get(survey.pk), role, digest in done)


def _row(survey: Survey, facts: _Facts) -> SurveyListRow:
    link = links.respondent_link(facts.version) if facts.version and selectors.takes_answers(survey) else ""
    act, page = _next(survey, facts)
    return SurveyListRow(
        survey=survey,
        reports=wording.reports(facts.counted) if facts.version else "",
        days=spark_of(facts.days),
        epsilon=epsilon_of(survey, facts.version),
        link=link,
        due=_due(facts.due) if facts.due else "",
        next=act,
        address=reverse(f"panel:{page}", args=[survey.slug]),
    )


def _next(survey: Survey, facts: _Facts) -> tuple[str, str]:
    """What is to be done now, and the page for it."""
    if survey.state == DRAFT:
        if facts.role < Role.EDITOR:
            return gettext("Preview"), "preview"
        return (gettext("Continue writing"), "edit") if survey.items.all() else (gettext("Write questions"), "edit")
    if survey.state == OPEN:
        came = facts.counted.folded or facts.counted.waiting
        return (
            (gettext("Watch estimates"), "survey-watch")
            if came or survey.rehearsal
            else (gettext("Share the link"), "share")
        )
    if survey.state == CLOSED and facts.estimated:
        return gettext("Read results"), "survey"
    return gettext("View it"), "survey"


def _due(one: Appointment) -> str:
    act = {"open": gettext("Opens"), "close": gettext("Closes"), "wave": gettext("Opens again")}[one.move]
    if one.due_at is None:
        return gettext("{act} at {count} responses").format(act=act, count=wording.count(one.at_reports or 0))
    return f"{act} {moment(one.due_at)}"
