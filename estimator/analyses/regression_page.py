"""The page of a regression: of groups, or of the answers to several background questions."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.utils.translation import gettext

from estimator.analyses import figures as parts
from estimator.analyses import sentences as words
from estimator.analyses.cautions import cautions_of, released_key
from estimator.analyses.method_texts import METHODS
from estimator.analyses.pages import AnalysisPage, nothing_by_group, rows_of
from estimator.analyses.quantities import Score, Variable, outcome_of
from estimator.analyses.rows import EDGE, WALD, AnalysisRow
from estimator.analyses.sentences import RowDescriber, named
from estimator.analyses.weighting_page import unmet
from estimator.models import Analysis

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


def regression_page(analysis: Analysis, speaker: RowDescriber, rows: list[AnalysisRow]) -> AnalysisPage:
    """The shares or means of the answers and their odds ratios or differences, in words, charts and tables."""
    if "unmet" in analysis.result:
        return AnalysisPage([unmet(analysis.result["unmet"], speaker)], [], cautions_of(analysis, [], speaker))
    if not rows:
        return nothing_by_group(analysis, speaker)
    outcome = outcome_of(speaker.design, analysis.parameters["outcome"])
    effects, levels = rows_of(rows, "odds_ratio", "difference"), rows_of(rows, "share", "mean")
    answer = gettext("the mean") if isinstance(outcome, Score) else named(speaker.answers(outcome)[1])
    sentences = _sentences_of_regression(analysis, speaker, effects, answer)
    drawn = [_levels(levels, speaker, answer, linear=isinstance(outcome, Score))] if levels else []
    if isinstance(outcome, Score) and rows_of(rows, "difference"):
        drawn.append(_differences(rows_of(rows, "difference"), speaker))
    elif effects and not isinstance(outcome, Score):
        drawn.append(parts.ratios(effects, speaker, answer))
    return AnalysisPage(sentences, drawn, _cautions(analysis, effects, speaker), _methods(analysis, outcome))


def _levels(rows: list[AnalysisRow], speaker: RowDescriber, answer: str, *, linear: bool) -> parts.FigureWithTable:
    title = (
        gettext("Mean in each group") if linear else gettext("Share of {answer} in each group").format(answer=answer)
    )
    labels, headed = [speaker.group(row.group) for row in rows], [speaker.headed(row.group) for row in rows]
    return parts.estimates(rows, labels, "shares", title, gettext("Group"), headed)


def _differences(rows: list[AnalysisRow], speaker: RowDescriber) -> parts.FigureWithTable:
    labels = [f"{speaker.group(row.group)} {words.MINUS} {speaker.group(row.against)}" for row in rows]
    return parts.differences(rows, labels, words.STEPS, gettext("Differences of means"))


def _cautions(analysis: Analysis, effects: Sequence[AnalysisRow], speaker: RowDescriber) -> list[str]:
    cautions = cautions_of(analysis, effects, speaker)
    if EDGE in analysis.result["flags"]:
        cautions.append(gettext("In some group the most likely share is 0 or 100 %, so its odds ratio is infinite."))
        if "predictors" in analysis.parameters and "weighting" not in analysis.parameters:
            cautions.append(gettext("Weakly informative priors keep all odds ratios finite: run it again with them."))
    return cautions


def _methods(analysis: Analysis, outcome: Variable | Score) -> list["StrOrPromise"]:
    linear = isinstance(outcome, Score)
    of_parts = {
        "predictors": "means" if linear else "predictors",
        "interaction": "interaction",
        "weighting": "" if linear else "weighted_regression",
        "prior": "prior",
    }
    more = [METHODS[method] for name, method in of_parts.items() if method and name in analysis.parameters]
    note = gettext("Each interval holds by itself; the test of all groups is one test for all of them.")
    if not linear:
        note = gettext(
            "Each interval of an odds ratio holds by itself; the test of all groups is one test for all of them."
        )
    return [METHODS["linear" if linear else "regression"], *more, note]


def _sentences_of_regression(
    analysis: Analysis, speaker: RowDescriber, ratios: Sequence[AnalysisRow], answer: str
) -> list[str]:
    """A sentence on each odds ratio, then whether the groups differ; or why there are none."""
    sentences = [
        words.difference(row, named(speaker.group(row.group)), named(speaker.group(row.against)), words.STEPS)
        if row.quantity == "difference"
        else words.odds(row, answer, named(speaker.group(row.group)), named(speaker.group(row.against)))
        for row in ratios
        if row.known
    ]
    if "alike" in analysis.result:
        sentences.append(_alike(analysis))
        if "interaction" in analysis.result:
            sentences.append(_interaction(analysis, speaker))
    elif "predictors" in analysis.parameters:
        sentences.append(gettext("There are no odds ratios: each predictor needs two answers that enough people gave."))
    else:
        reference = speaker.group(released_key(analysis, analysis.parameters["reference"]))
        sentences.append(words.no_ratios(analysis.result["reference_n"], named(reference)))
    return sentences


def _alike(analysis: Analysis) -> str:
    """Whether the groups differ at all."""
    test = analysis.result["alike"]
    if test["p_value"] is None and test.get("test") == WALD:
        return gettext("Whether the groups differ cannot be tested: some share is 0 or 100 %.")
    differ = test["p_value"] is not None and test["p_value"] < 1 - analysis.parameters["confidence"]
    verdict = gettext("The groups differ") if differ else gettext("The data do not show that the groups differ")
    return f"{verdict} ({words.facts(test)})."


def _interaction(analysis: Analysis, speaker: RowDescriber) -> str:
    """Whether the effects of two predictors depend on each other."""
    test = analysis.result["interaction"]
    one, other = (named(speaker.background_question(key)) for key in analysis.parameters["interaction"])
    if test["p_value"] is None:
        return gettext("Whether {one} and {other} interact cannot be tested: some share is 0 or 100 %.").format(
            one=one, other=other
        )
    if test["p_value"] < 1 - analysis.parameters["confidence"]:
        text = gettext("{one} and {other} interact: the differences by one depend on the other ({test}).")
    else:
        text = gettext("The data do not show that {one} and {other} interact ({test}).")
    return text.format(one=one, other=other, test=words.facts(test))
