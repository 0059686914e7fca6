"""The page of a regression: of groups, or of the answers to several background questions."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from django.utils.safestring import SafeString
from django.utils.translation import gettext

from estimator.analyses import figures as parts
from estimator.analyses import sentences as words
from estimator.analyses.cautions import cautions_of, released_key
from estimator.analyses.method_texts import METHODS
from estimator.analyses.pages import AnalysisPage, nothing_by_group, rows_of
from estimator.analyses.quantities import CoinKinds, Score, Variable, outcome_of
from estimator.analyses.rows import EDGE, RARE, SEVERAL, WALD, AnalysisRow
from estimator.analyses.sentences import RowDescriber, named
from estimator.analyses.weighting_page import unmet
from estimator.base import wording
from estimator.base.languages import figures
from estimator.models import Analysis
from estimator.runs.groups import STEP
from randomized_response.intervals import normal_quantile

COARSE = 0.2
"""The difference of shares that is mostly missed, from which a caution says so."""
FOUND = 0.8416
"""The normal quantile of 80 %."""
MISFIT = 0.01
"""The p-value of the fit below which a caution says so: where the model holds, one analysis in a hundred."""

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


def regression_page(analysis: Analysis, speaker: RowDescriber, rows: list[AnalysisRow]) -> AnalysisPage:
    """The shares or means of the answers and their odds ratios or differences, in words, charts and tables."""
    if "unmet" in analysis.result:
        return AnalysisPage([unmet(analysis.result["unmet"], speaker)], [], cautions_of(analysis, [], speaker))
    if not rows:
        return nothing_by_group(analysis, speaker)
    outcome = outcome_of(speaker.design, analysis.parameters["outcome"])
    sentences = _sentences_of_regression(analysis, speaker, rows, outcome)
    effects = rows_of(rows, "odds_ratio", "difference")
    drawn = list(_figures(rows, speaker, outcome))
    if "criteria" in analysis.result:
        drawn.append(_fit(analysis))
    return AnalysisPage(sentences, drawn, _cautions(analysis, effects, speaker), _methods(analysis, outcome))


def _figures(
    rows: Sequence[AnalysisRow], speaker: RowDescriber, outcome: Variable | Score
) -> Iterator[parts.FigureWithTable]:
    """The shares or means, then the differences, then the odds ratios, of each choice by itself."""
    several = not isinstance(outcome, Score) and outcome.channel.answers > 2
    for draw, *quantities in ((_levels, "share", "mean"), (_differences, "difference"), (_ratios, "odds_ratio")):
        found = rows_of(rows, *quantities)
        for choice in dict.fromkeys(row.choice for row in found):
            answer = _answer(speaker, outcome, choice)
            key = f"-{choice}" if several else ""
            yield draw([row for row in found if row.choice == choice], speaker, answer, key)


def _fit(analysis: Analysis) -> parts.FigureWithTable:
    """The criteria that tell models of the same responses apart, and whether this one describes them."""
    result = analysis.result
    found, likelihood = result["criteria"], result["log_likelihood"]
    numbers: tuple[tuple[str, str], ...] = (
        (gettext("Coefficients"), wording.count(found["parameters"])),
        (gettext("Log likelihood"), _plain(likelihood)),
        (gettext("AIC, the smaller the better"), _plain(found["aic"])),
        (gettext("BIC, the smaller the better"), _plain(found["bic"])),
    )
    if found["goodness"]:
        numbers += ((gettext("Fit, against a share of its own for each combination"), words.facts(found["goodness"])),)
    head = (gettext("Number"), gettext("Value"))
    return parts.FigureWithTable(
        gettext("Model"), SafeString(""), parts.FigureTable(gettext("Criteria of the model"), head, numbers)
    )


def _plain(number: float | None) -> str:
    return "–" if number is None else words.signed(figures(f"{number:.2f}"))


def _answer(speaker: RowDescriber, outcome: Variable | Score, choice: int | None) -> str:
    """What is told of the outcome: the mean, the choice, or a higher choice."""
    if isinstance(outcome, Score):
        return gettext("the mean")
    if outcome.channel.answers == 2:
        return named(speaker.answers(outcome)[1])
    return gettext("a higher choice") if choice is None else named(speaker.answers(outcome)[choice])


def _levels(rows: list[AnalysisRow], speaker: RowDescriber, answer: str, key: str) -> parts.FigureWithTable:
    title = gettext("Share of {answer} in each group").format(answer=answer)
    if rows[0].quantity == "mean":
        title = gettext("Mean in each group")
    labels, headed = [speaker.sides(row)[0] for row in rows], [speaker.placed(row) for row in rows]
    return parts.estimates(rows, labels, f"shares{key}", title, gettext("Group"), headed)


def _differences(rows: list[AnalysisRow], speaker: RowDescriber, answer: str, key: str) -> parts.FigureWithTable:
    labels = [f" {words.MINUS} ".join(speaker.sides(row)) for row in rows]
    unit, title = words.POINTS, gettext("Differences of the share of {answer}").format(answer=answer)
    if rows[0].choice is None:
        unit, title = words.STEPS, gettext("Differences of means")
    return parts.differences(rows, labels, unit, title, key=f"differences{key}", headed=parts.compared(rows, speaker))


def _ratios(rows: list[AnalysisRow], speaker: RowDescriber, answer: str, key: str) -> parts.FigureWithTable:
    return parts.ratios(rows, speaker, answer, f"ratios{key}")


def _cautions(analysis: Analysis, effects: Sequence[AnalysisRow], speaker: RowDescriber) -> list[str]:
    cautions = cautions_of(analysis, effects, speaker)
    if EDGE in analysis.result["flags"]:
        cautions.append(gettext("In some group the most likely share is 0 or 100 %, so its odds ratio is infinite."))
        if "predictors" in analysis.parameters and "prior" not in analysis.parameters:
            cautions.append(gettext("Weakly informative priors keep all odds ratios finite: run it again with them."))
    if SEVERAL in analysis.result["flags"]:
        text = gettext(
            "Quite different numbers describe these responses about as well, as they are few for the noise of the "
            "randomisation: quote intervals, not estimates alone."
        )
        cautions.append(text)
    if RARE in analysis.result["flags"]:
        text = gettext(
            "So few give some answer to {question} that its share is hardly told from zero: no number that compares "
            "with it can be trusted."
        )
        questions = ", ".join(named(speaker.variable(one)) for one in speaker.predictors.values())
        cautions.append(text.format(question=questions))
    cautions += _coarse(effects, speaker)
    goodness = analysis.result.get("criteria", {}).get("goodness")
    if goodness and goodness["p_value"] is not None and goodness["p_value"] < MISFIT:
        text = gettext(
            "The model does not describe the shares of all combinations ({test}); one with an interaction may."
        )
        cautions.append(text.format(test=words.facts(goodness)))
    return cautions


def _coarse(effects: Sequence[AnalysisRow], speaker: RowDescriber) -> Iterator[str]:
    """Where responses are too few for the noise: the largest difference that is mostly missed.

    What is found in 80 % of surveys is the quantile of the level and of 80 % times the standard error (Cohen 1988).
    """
    found = [
        ((normal_quantile(row.level) + FOUND) * row.standard_error, row)
        for row in effects
        if row.quantity == "difference" and row.choice is not None and row.known and not row.differs
        if row.level is not None and row.standard_error is not None
    ]
    largest, row = max(found, key=lambda pair: pair[0], default=(0.0, None))
    if row is None or largest < COARSE:
        return
    one, other = map(named, speaker.sides(row))
    text = gettext(
        "These responses tell little of {one} and {other}: a difference of their shares would be found in four of five "
        "surveys only from about {points} percentage points."
    )
    if largest >= 1:
        text = gettext(
            "These responses tell nothing of {one} and {other}: even the largest difference of their shares would be "
            "found in fewer than four of five surveys."
        )
    yield text.format(one=one, other=other, points=wording.count(100 * largest))


def _methods(analysis: Analysis, outcome: Variable | Score) -> list["StrOrPromise"]:
    linear = isinstance(outcome, Score)
    of_parts = {
        "answer": "" if linear else "latent",
        "predictors": "means" if linear else "predictors",
        "steps": "steps",
        "interaction": "interaction",
        "weighting": "" if linear else "weighted_regression",
        "prior": "prior",
    }
    coin = [METHODS["coin"]] if isinstance(outcome, CoinKinds) else []
    more = [METHODS[method] for name, method in of_parts.items() if method and name in analysis.parameters]
    more += [METHODS["answers"]] * ("further_answers" in analysis.parameters)
    more += [METHODS["modified"]] * ("modifier" in analysis.parameters)
    more += [METHODS["interactions"]] * (len(analysis.parameters.get("interaction", ())) > 2)
    note = gettext("Each interval holds by itself; the test of all groups is one test for all of them.")
    if "answer" in analysis.parameters:
        note = gettext("Each interval holds by itself; a test is one of all answers to a randomised predictor.")
    return [METHODS[_model(analysis, outcome)], *coin, *more, note]


def _model(analysis: Analysis, outcome: Variable | Score) -> str:
    if isinstance(outcome, Score):
        return "corrected" if "answer" in analysis.parameters else "linear"
    usual = "multinomial" if outcome.channel.answers > 2 else "regression"
    return str(analysis.parameters.get("model", usual))


def _sentences_of_regression(
    analysis: Analysis, speaker: RowDescriber, rows: Sequence[AnalysisRow], outcome: Variable | Score
) -> list[str]:
    """A sentence on each odds ratio, else each difference, then whether the groups differ; or why there are none."""
    effects = rows_of(rows, "odds_ratio") or rows_of(rows, "difference")
    sentences = [_effect(row, speaker, _answer(speaker, outcome, row.choice)) for row in effects if row.known]
    if "alike" in analysis.result:
        sentences += _answers_alike(analysis, speaker) if "answer" in analysis.parameters else [_alike(analysis)]
        sentences += [*_modified(analysis, speaker), *_interactions(analysis, speaker)]
    elif "predictors" in analysis.parameters:
        sentences.append(gettext("There are no odds ratios: each predictor needs two answers that enough people gave."))
    else:
        reference = speaker.group(released_key(analysis, analysis.parameters["reference"]))
        sentences.append(words.no_ratios(analysis.result["reference_n"], named(reference)))
    return sentences


def _effect(row: AnalysisRow, speaker: RowDescriber, answer: str) -> str:
    """A sentence on one answer to a predictor against another, or on each further answer."""
    question, _, end = row.group.rpartition("=")
    if end == STEP:
        return words.odds_of_step(row, answer, named(speaker.background_question(question)))
    one, other = map(named, speaker.sides(row))
    if row.quantity == "odds_ratio":
        return words.odds(row, answer, one, other)
    return words.difference(row, one, other, words.STEPS if row.choice is None else words.POINTS)


def _alike(analysis: Analysis) -> str:
    """Whether the groups differ at all."""
    test = analysis.result["alike"]
    if test["p_value"] is None and test.get("test") == WALD:
        return gettext("Whether the groups differ cannot be tested: some share is 0 or 100 %.")
    differ = test["p_value"] is not None and test["p_value"] < 1 - analysis.parameters["confidence"]
    verdict = gettext("The groups differ") if differ else gettext("The data do not show that the groups differ")
    return f"{verdict} ({words.facts(test)})."


def _answers_alike(analysis: Analysis, speaker: RowDescriber) -> Iterator[str]:
    """Of each randomised predictor whether the outcome depends on it at all."""
    tests = analysis.result.get("answers", [analysis.result["alike"]])
    for one, test in zip(speaker.predictors.values(), tests, strict=True):
        if test["p_value"] is None:
            text = gettext(
                "Whether the outcome depends on the answer to {question} cannot be tested: some share is 0 or 100 %."
            )
        elif test["p_value"] < 1 - analysis.parameters["confidence"]:
            text = gettext("The outcome depends on the answer to {question} ({test}).")
        else:
            text = gettext("The data do not show that the outcome depends on the answer to {question} ({test}).")
        yield text.format(question=named(speaker.variable(one)), test=words.facts(test))


def _modified(analysis: Analysis, speaker: RowDescriber) -> Iterator[str]:
    """Of each randomised predictor whether its effects differ by the answers to a background question."""
    tests = analysis.result.get("modified", [])
    for one, test in zip(speaker.predictors.values(), tests, strict=bool(tests)):
        if test["p_value"] is None:
            text = gettext(
                "Whether the effect of the answer to {one} differs by {other} cannot be tested: some share is 0 or "
                "100 %."
            )
        elif test["p_value"] < 1 - analysis.parameters["confidence"]:
            text = gettext("The effect of the answer to {one} differs by {other} ({test}).")
        else:
            text = gettext("The data do not show that the effect of the answer to {one} differs by {other} ({test}).")
        other = named(speaker.background_question(analysis.parameters["modifier"]))
        yield text.format(one=named(speaker.variable(one)), other=other, test=words.facts(test))


def _interactions(analysis: Analysis, speaker: RowDescriber) -> Iterator[str]:
    """Of each two predictors that interact whether the effect of one depends on the other."""
    keys, found = analysis.parameters.get("interaction", ()), analysis.result.get("interaction", [])
    # Before there could be several, the one test stood there itself.
    tests = found if isinstance(found, list) else [found]
    for test, *pair in zip(tests, keys[::2], keys[1::2], strict=bool(tests)):
        one, other = (named(speaker.background_question(key)) for key in pair)
        if test["p_value"] is None:
            text = gettext("Whether {one} and {other} interact cannot be tested: some share is 0 or 100 %.")
        elif test["p_value"] < 1 - analysis.parameters["confidence"]:
            text = gettext("{one} and {other} interact: the differences by one depend on the other ({test}).")
        else:
            text = gettext("The data do not show that {one} and {other} interact ({test}).")
        yield text.format(one=one, other=other, test="" if test["p_value"] is None else words.facts(test))
