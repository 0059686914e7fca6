"""The page of numbers of yes: the distribution, the mean, and which questions go together."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from django.utils.safestring import SafeString
from django.utils.translation import gettext

from estimator.analyses import figures as parts
from estimator.analyses import sentences as words
from estimator.analyses.cautions import cautions_of
from estimator.analyses.method_texts import METHODS
from estimator.analyses.pages import AnalysisPage, rows_of
from estimator.analyses.quantities import variable_of
from estimator.analyses.rows import ENOUGH_FOR_NORMAL, AnalysisRow
from estimator.analyses.sentences import RowDescriber
from estimator.base import wording
from estimator.base.languages import figures
from estimator.models import Analysis


def scores_page(analysis: Analysis, speaker: RowDescriber, rows: list[AnalysisRow]) -> AnalysisPage:
    """The content of the page of a finished count of yes."""
    if not rows:
        few = f"{wording.not_enough(analysis.result['n'], minimum=ENOUGH_FOR_NORMAL)}."
        return AnalysisPage([few], [], cautions_of(analysis, [], speaker))
    shares, (mean,) = rows_of(rows, "share"), rows_of(rows, "mean")
    title = gettext("Number of yes")
    drawn = parts.estimates(shares, labels(len(shares) - 1), "scores", title, title)
    pairs = rows_of(rows, "phi")
    table = _phi(pairs, list(combinations(about_of(analysis, speaker), 2)))
    figures_ = [drawn, parts.FigureWithTable(gettext("Association"), SafeString(""), table)]
    methods = [METHODS["scores"], METHODS["association"]]
    return AnalysisPage(_sentences(analysis, shares, mean), figures_, cautions_of(analysis, [], speaker), methods)


def labels(most: int) -> list[str]:
    """What each number of yes is called, from none on."""
    found = [gettext("None")]
    return found + [gettext("{count} of {most}").format(count=count, most=most) for count in range(1, most + 1)]


def _sentences(analysis: Analysis, shares: Sequence[AnalysisRow], mean: AnalysisRow) -> list[str]:
    most = len(shares) - 1
    text = gettext("An estimated {share} would truthfully say Yes to none of the {most} questions.")
    sentences = [text.format(share=parts.quoted(shares[0]), most=most)]
    text = gettext("On average people would truthfully say Yes to {mean} of them.")
    sentences.append(text.format(mean=parts.quoted(replace(mean, quantity="mean"))))
    test = analysis.result["independence"]
    related = test["p_value"] is not None and test["p_value"] < 1 - analysis.parameters["confidence"]
    verdict = (
        gettext("The answers go together more than chance explains")
        if related
        else gettext("The data do not show that the answers go together")
    )
    return [*sentences, f"{verdict} ({words.facts(test)})."]


def _phi(rows: Sequence[AnalysisRow], named: Sequence[tuple[str, str]]) -> parts.FigureTable:
    cells = tuple(
        (
            *names,
            words.missing(row) if row.estimate is None else words.signed(figures(f"{row.estimate:.2f}")),
            "–" if row.low is None or row.high is None else _ends(row.low, row.high),
        )
        for row, names in zip(rows, named, strict=True)
    )
    head = (gettext("Question"), gettext("Question"), gettext("Phi, from −1 to 1"), gettext("Interval"))
    return parts.FigureTable(gettext("How strongly every two answers are associated"), head, cells, names=2)


def _ends(low: float, high: float) -> str:
    text = gettext("{low} to {high}")
    return words.signed(text.format(low=figures(f"{max(low, -1):.2f}"), high=figures(f"{min(high, 1):.2f}")))


def about_of(analysis: Analysis, speaker: RowDescriber) -> tuple[str, ...]:
    """The questions whose yes are counted."""
    return tuple(
        speaker.variable(variable_of(speaker.design, token, binary=True)) for token in analysis.parameters["items"]
    )
