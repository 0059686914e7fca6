"""The content of a finished analysis's page, and what pages of several kinds have in common."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext

from collector.designs import FEWEST_IN_GROUP
from estimator.analyses.cautions import cautions_of
from estimator.analyses.figures import FigureWithTable
from estimator.analyses.rows import AnalysisRow
from estimator.analyses.sentences import RowDescriber
from estimator.models import Analysis
from estimator.runs.groups import ENOUGH_TO_WEIGHT, has_shares

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


@dataclass(frozen=True)
class AnalysisPage:
    """The content of a finished analysis's page. `about` quotes the survey's texts."""

    sentences: Sequence[str]
    parts: Sequence[FigureWithTable]
    cautions: Sequence[str]
    methods: Sequence["StrOrPromise"] = ()
    about: tuple[str, ...] = ()


def rows_of(rows: Sequence[AnalysisRow], *quantities: str) -> list[AnalysisRow]:
    return [row for row in rows if row.quantity in quantities]


def nothing_by_group(analysis: Analysis, speaker: RowDescriber) -> AnalysisPage:
    reason = gettext("No estimates by group: too few groups have {fewest_in_group} responses.").format(
        fewest_in_group=FEWEST_IN_GROUP
    )
    if has_shares(speaker.design):
        reason = gettext(
            "No estimates by group: they need at least two groups of {fewest_in_group} responses "
            "and, because the groups’ population shares are known, {enough_to_weight} responses in "
            "total."
        ).format(fewest_in_group=FEWEST_IN_GROUP, enough_to_weight=ENOUGH_TO_WEIGHT)
    return AnalysisPage([reason], [], cautions_of(analysis, [], speaker))
