"""Rows of the list of surveys, read for a whole page in as many queries as for one."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import OuterRef, Subquery, prefetch_related_objects

from collector.reports import selectors as reports
from estimator.base import wording
from surveys.lifecycle import links, selectors
from surveys.models import Survey, Version
from surveys.panel.frame import epsilon_of

ROWS = 50
"""Surveys per page of the list: the questions of drafts are read for their epsilon."""


@dataclass(frozen=True)
class SurveyListRow:
    """A survey's row: the number of responses, its total epsilon, and its link if it can be answered."""

    reports: str
    epsilon: str
    link: str


def survey_rows(surveys: Sequence[Survey]) -> dict[int, SurveyListRow]:
    """The row of each survey, by its key."""
    newest = Version.objects.filter(survey=OuterRef("survey")).order_by("-number").values("pk")[:1]
    found = Version.objects.filter(survey__in=list(surveys), pk=Subquery(newest)).select_related("survey")
    versions = {version.survey_id: version for version in found}
    counts = reports.report_counts([version.design_id for version in versions.values()])
    prefetch_related_objects([survey for survey in surveys if survey.state == Survey.State.DRAFT], "items")
    return {survey.pk: _line(survey, versions.get(survey.pk), counts) for survey in surveys}


def _line(survey: Survey, version: Version | None, counts: dict[str, reports.ReportCounts]) -> SurveyListRow:
    counted = counts[version.design_id] if version else reports.ReportCounts(0, 0)
    link = links.respondent_link(version) if version and selectors.takes_answers(survey) else ""
    return SurveyListRow(wording.reports(counted), epsilon_of(survey, version), link)
