"""The page of a regression: of groups, or of the answers to several background questions."""

from collections.abc import Sequence

from django.utils.translation import gettext

from estimator.analyses import figures as parts
from estimator.analyses import sentences as words
from estimator.analyses.cautions import cautions_of, released_key
from estimator.analyses.method_texts import METHODS
from estimator.analyses.pages import AnalysisPage, nothing_by_group, rows_of
from estimator.analyses.quantities import variable_of
from estimator.analyses.rows import EDGE, WALD, AnalysisRow
from estimator.analyses.sentences import RowDescriber, named
from estimator.analyses.weighting_page import unmet
from estimator.models import Analysis


def regression_page(analysis: Analysis, speaker: RowDescriber, rows: list[AnalysisRow]) -> AnalysisPage:
    if "unmet" in analysis.result:
        return AnalysisPage([unmet(analysis.result["unmet"], speaker)], [], cautions_of(analysis, [], speaker))
    if not rows:
        return nothing_by_group(analysis, speaker)
    ratios, shares = rows_of(rows, "odds_ratio"), rows_of(rows, "share")
    outcome = variable_of(speaker.design, analysis.parameters["outcome"], binary=True)
    answer = named(speaker.answers(outcome)[1])
    sentences = _sentences_of_regression(analysis, speaker, ratios, answer)
    drawn = []
    if shares:
        labels = [speaker.group(row.group) for row in shares]
        drawn.append(
            parts.estimates(
                shares,
                labels,
                "shares",
                gettext("Share of {answer} in each group").format(answer=answer),
                gettext("Group"),
                [speaker.headed(row.group) for row in shares],
            )
        )
    if ratios:
        drawn.append(parts.ratios(ratios, speaker, answer))
    cautions = cautions_of(analysis, ratios, speaker)
    if EDGE in analysis.result["flags"]:
        cautions.append(gettext("In some group the most likely share is 0 or 100 %, so its odds ratio is infinite."))
        if "predictors" in analysis.parameters and "weighting" not in analysis.parameters:
            cautions.append(gettext("Weakly informative priors keep all odds ratios finite: run it again with them."))
    note = gettext(
        "Each interval of an odds ratio holds by itself; the test of all groups is one test for all of them."
    )
    parts_of_method = {
        "predictors": "predictors",
        "interaction": "interaction",
        "weighting": "weighted_regression",
        "prior": "prior",
    }
    more = [METHODS[method] for name, method in parts_of_method.items() if name in analysis.parameters]
    return AnalysisPage(sentences, drawn, cautions, [METHODS["regression"], *more, note])


def _sentences_of_regression(
    analysis: Analysis, speaker: RowDescriber, ratios: Sequence[AnalysisRow], answer: str
) -> list[str]:
    """A sentence on each odds ratio, then whether the groups differ; or why there are none."""
    sentences = [
        words.odds(row, answer, named(speaker.group(row.group)), named(speaker.group(row.against)))
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
