"""Analyses of a survey: the designs to analyse, and requests for analyses."""

from collections.abc import Mapping

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from collector.designs import Design, selectors
from collector.errors import Conflict
from estimator.analyses import services as analyses
from estimator.models import Analysis
from surveys.accounts.audit_log import record_event
from surveys.models import Survey

MOST_WAITING = 5


def designs_of(survey: Survey) -> list[Design]:
    """The frozen designs of a survey's versions, the newest first; empty if it was never opened."""
    return [selectors.get_design(digest) for digest in survey.versions.values_list("design", flat=True)]


@transaction.atomic
def ask(survey: Survey, kind: str, values: Mapping[str, str], *, by: User | None) -> Analysis:
    """Request an analysis of the newest version.

    Raises
    ------
    AnalysisError
        Saying what cannot be analysed and why.
    Conflict
        Where the survey was never opened, or has too many analyses waiting.
    """
    designs = designs_of(survey)
    if not designs:
        raise Conflict(gettext("There is nothing to analyse: this survey was never opened."))
    _require_room(designs)
    analysis = analyses.request(kind, values, designs)
    record_event(by, "requested an analysis", survey=survey, detail=analysis.get_kind_display())
    return analysis


@transaction.atomic
def ask_again(survey: Survey, analysis: Analysis, *, by: User | None) -> Analysis:
    """Ask the same of the totals as they are now. Raises Conflict where too many analyses wait."""
    _require_room(designs_of(survey))
    again = analyses.repeat(analysis)
    record_event(by, "repeated an analysis", survey=survey, detail=analysis.get_kind_display())
    return again


def keep(survey: Survey, analysis: Analysis, name: str, *, published: bool, by: User | None) -> None:
    """Name an analysis, and show it in the reports of its version or not. Raises AnalysisError."""
    before = analysis.published
    analyses.keep(analysis, name=name, published=published)
    if published != before:
        record_event(
            by,
            "published an analysis" if published else "withdrew an analysis",
            survey=survey,
            detail=f"{analysis.get_kind_display()} {analysis.key}",
        )


def _require_room(designs: list[Design]) -> None:
    waiting = Analysis.objects.filter(
        design__in=[design.digest for design in designs], state__in=(Analysis.State.QUEUED, Analysis.State.RUNNING)
    ).count()
    if waiting >= MOST_WAITING:
        raise Conflict(
            gettext("{waiting} analyses of this survey are waiting or running. Wait until one is done.").format(
                waiting=waiting
            )
        )
