"""Regressions of an analysis, computed again: the models, and the numbers that are told of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from cells import STEP, Cells, Column
from counts import ENOUGH, Analysis, Array, Row, Variable, row, weights_of

from randomized_response import (
    CategoricalFit,
    Channel,
    CorrectedFit,
    LogisticFit,
    PredictorFit,
    categorical_regression,
    corrected_regression,
    linear_regression,
    logistic_regression,
    predictive_margins,
    predictor_regression,
)
from randomized_response.intervals import normal_quantile
from randomized_response.means import scores_of


def regression(one: Analysis) -> Iterator[Row]:
    if "predictors" in one.parameters:
        yield from on_background(one)
    else:
        yield from on_groups(one)


def on_groups(one: Analysis) -> Iterator[Row]:
    """A logistic regression with an indicator for each group but the reference."""
    outcome, level = one.variable(one.parameters["outcome"]), one.confidence
    if len(one.members) == 1:
        return
    reports, reference = one.reports(outcome.column, outcome.codes), one.row_of(one.parameters["reference"])
    others = [place for place, counts in enumerate(reports) if counts.sum() >= ENOUGH and place != reference]
    if reports[reference].sum() < ENOUGH or not others:
        return
    used, n = [reference, *others], reports.sum(axis=1)
    indicators = np.vstack([np.zeros(len(others)), np.eye(len(others))])
    places, codes = reports[used].nonzero()
    counts = reports[used][places, codes]
    fit = logistic_regression(indicators[places], codes, outcome.channel, counts=counts)
    found, limits = fit.predict(indicators, level), fit.intervals(level)
    for k, place in enumerate(used):
        numbers = (found.proportions[k], found.standard_errors[k], found.low[k], found.high[k])
        where = {"choice": outcome.choice, "group": one.keys[place]}
        yield row("share", outcome.item, int(n[place]), **where, **complete(*numbers))
        if k:
            ratio = complete(np.exp(fit.coefficients[k]), fit.standard_errors[k], *np.exp(limits[k]))
            total = int(n[place] + n[reference])
            yield row("odds_ratio", outcome.item, total, **where, against=one.keys[reference], **ratio)


def complete(*numbers: float) -> Row:
    """An estimate, its standard error and its limits; none where one of them is not finite."""
    if not np.isfinite(numbers).all():
        return {}
    return dict(zip(("estimate", "standard_error", "low", "high"), map(float, numbers), strict=True))


def on_background(one: Analysis) -> Iterator[Row]:
    """A regression on the answers to background questions: margins, their differences, odds ratios.

    Other randomised answers may be predictors, too; then reports are those of all together.
    """
    asked, crossed = predictors_of(one)
    item, part = one.parameters["outcome"].partition(":")[::2]
    scores, outcome, reports = outcome_of(one, item, part)
    latent = one.latent
    weights = ratios_of(one, reports.reshape(len(reports), -1).sum(axis=1))
    if weights is None:
        return
    whole, cells = (Cells(one, asked, reports, weights) for _ in range(2))
    cells.drop_rare(crossed)
    if cells.n.sum() < ENOUGH or any(len(cells.given(place)) < 2 for place in range(len(asked))):
        return
    pairs = [each for pair in crossed for each in cells.pairs(pair) if cells.size(each)]
    single = [place for place in range(len(asked)) if not any(place in pair for pair in crossed)]
    columns = cells.all_columns(crossed)
    fit = fitted(one, cells, columns, (outcome, latent), scores)
    told = {"weights": "entered" if "weighting" in one.parameters else ""}
    quantity = "mean" if outcome is None else "share"
    answers: list[Column] = [((place, answer),) for place in single for answer in cells.given(place)]
    scenarios = [each for each in answers + pairs if whole.size(each) >= ENOUGH]
    model = Model(one, asked, cells, columns, fit, choices_of(fit, outcome), scenarios)
    for kind, numbers in chain(*map(model.by_answer, range(len(latent)))):
        yield row(kind or quantity, item, choice=outcome and outcome.choice, **numbers, **told)
    if not asked:
        return
    # Predictors in steps alone may have no answer that enough gave.
    margins: Any = averaged(fit, cells, columns, scenarios) if scenarios else None
    limits: Any = margins.intervals(one.confidence) if scenarios else ()
    for at, scenario in enumerate(scenarios):
        for of, choice in enumerate(model.choices):
            numbers = complete(margins.estimates[at, of], margins.standard_errors[at, of], *limits[at, of])
            group = model.group(scenario)
            yield row(quantity, item, whole.size(scenario), choice=choice, group=group, **told, **numbers)
    for kind, choice, numbers, (n, where) in chain(model.differences(single, margins), model.ratios(single)):
        yield row(kind, item, n, choice=choice, **where, **told, **numbers)


Effect = tuple[str, int | None, Row, tuple[int, Row]]
"""A number: its kind, the choice that it is of, and of how many respondents it is and what it compares."""


@dataclass(frozen=True)
class Model:
    """A fitted regression, and the answers that all are taken to have given in its averages."""

    one: Analysis
    asked: Sequence[int]
    cells: Cells
    columns: Sequence[Column]
    fit: Any
    choices: Sequence[int | None]
    scenarios: Sequence[Column]

    def group(self, scenario: Column) -> str:
        return "+".join(f"{self.one.questions[self.asked[place]]['key']}={answer + 1}" for place, answer in scenario)

    def differences(self, single: Sequence[int], margins: Any) -> Iterator[Effect]:
        """From the first answer to each question; of those in steps of the last answer alone."""
        for place in single:
            known: list[Column] = [((place, each),) for each in self.cells.given(place)]
            known = [each for each in known if each in self.scenarios]
            for other in known[-1:] if place in self.cells.stepped else known[1:]:
                if other == known[0]:
                    continue
                where = {"group": self.group(other), "against": self.group(known[0])}
                places = (self.scenarios.index(other), self.scenarios.index(known[0]))
                estimates, errors = margins.difference(*places)
                for told in changes(self.choices, estimates, errors, self.one.confidence):
                    yield *told, (self.cells.size(other) + self.cells.size(known[0]), where)

    def ratios(self, single: Sequence[int]) -> Iterator[Effect]:
        """The odds ratio of each indicator of one answer, or of each step."""
        modified = modifier_of(self.one)
        for k, column in enumerate(self.columns):
            if len(column) == 1 and column[0][0] in single and column[0][0] != modified:
                places = odds_of(self.fit, self.choices, len(self.columns), k)
                for told in odds(self.fit, places, self.one.confidence):
                    yield *told, compared(self.one, self.cells, self.asked, column)

    def by_answer(self, place: int) -> Iterator[tuple[str, Row]]:
        """The outcome by the answers to a randomised predictor, which all are taken to have given; against the first.

        The kind of number is empty for the share or the mean itself. Everybody keeps her answers to the others. Where
        effects differ by the answers to a background question, the numbers with each of these follow.
        """
        cells, modifier = self.cells, modifier_of(self.one)
        whole: Row = {"n": int(cells.n.sum()), "other_item": self.one.latent[place].item}
        yield from self.levels_by_answer(place, cells.answers, whole)
        if modifier is None:
            yield from self.odds_by_answer(place, cells.answers, whole)
            return
        for answer in cells.given(modifier):
            answers, given = cells.answers.copy(), ((modifier, answer),)
            answers[:, modifier] = answer
            inside = whole | {"n": cells.size(given), "group": self.group(given)}
            yield from self.levels_by_answer(place, answers, inside)
            yield from self.odds_by_answer(place, answers, inside)

    def levels_by_answer(self, place: int, answers: Array, where: Row) -> Iterator[tuple[str, Row]]:
        """Averages over the respondents as if all had given an answer, and `answers` to the background questions."""
        cells, each = self.cells, range(self.fit.sizes[place])
        as_is, moved = cells.design(self.columns), cells.design(self.columns, answers)
        given = [[answer if at == place else None for at in range(len(self.fit.sizes))] for answer in each]
        margins = self.fit.margins(as_is, [(one, moved) for one in given], cells.n * cells.weights)
        limits = margins.intervals(self.one.confidence)
        for answer in each:
            numbers = complete(margins.estimates[answer, 0], margins.standard_errors[answer, 0], *limits[answer, 0])
            yield "", where | {"other_choice": answer} | numbers
        for answer in each[1:]:
            estimates, errors = margins.difference(answer, 0)
            for kind, _, numbers in changes([None], estimates, errors, self.one.confidence):
                yield kind, where | {"other_choice": answer} | numbers

    def odds_by_answer(self, place: int, answers: Array, where: Row) -> Iterator[tuple[str, Row]]:
        """The odds ratios of the answers against the first, on people with these `answers`."""
        if not is_logit(self.fit):
            return
        start = sum(self.fit.sizes[:place]) - place
        found = self.fit.effects_at(self.cells.design(self.columns, answers)[:1])
        limits = np.exp(found.intervals(self.one.confidence)[0])
        for answer in range(1, self.fit.sizes[place]):
            at = start + answer - 1
            numbers = complete(np.exp(found.estimates[0, at]), found.standard_errors[0, at], *limits[at])
            yield "odds_ratio", where | {"other_choice": answer} | numbers


def compared(one: Analysis, cells: Cells, asked: Sequence[int], column: Column) -> tuple[int, Row]:
    """The respondents whom an odds ratio is of, and what it compares: an answer with the first, or a step."""
    ((place, answer),) = column
    key, first = one.questions[asked[place]]["key"], cells.given(place)[0]
    if answer == STEP:
        return int(cells.n.sum()), {"group": f"{key}=step"}
    n = cells.size(column) + cells.size(((place, first),))
    return n, {"group": f"{key}={answer + 1}", "against": f"{key}={first + 1}"}


def choices_of(fit: Any, outcome: Variable | None) -> list[int | None]:
    """The choices whose shares are told; None for a mean."""
    if isinstance(fit, CategoricalFit):
        return list(range(len(fit.labels)))
    return [None if outcome is None else outcome.choice]


Told = Iterator[tuple[str, int | None, Row]]


def changes(choices: Sequence[int | None], estimates: Array, errors: Array, level: float) -> Told:
    reach = normal_quantile(level)
    for choice, estimate, error in zip(choices, estimates, errors, strict=True):
        yield "difference", choice, complete(estimate, error, estimate - reach * error, estimate + reach * error)


def odds(fit: Any, places: Sequence[tuple[int | None, int]], level: float) -> Told:
    for choice, k in places:
        low, high = np.exp(fit.intervals(level)[k])
        yield "odds_ratio", choice, complete(np.exp(fit.coefficients[k]), fit.standard_errors[k], low, high)


def ratios_of(one: Analysis, sizes: Array) -> Array | None:
    """What a response of each row counts, 1 on average; None where no weights meet the margins."""
    weights = np.ones(len(one.members))
    if "weighting" in one.parameters and len(one.members) > 1:
        found = weights_of(one, sizes, one.parameters["weighting"])
        if found is None:
            return None
        rows, calibrated = found
        weights[rows] = calibrated.weights / sizes[rows] * (sizes.sum() / calibrated.weights.sum())
    return weights


def outcome_of(one: Analysis, item: str, part: str) -> tuple[list[float], Variable | None, Array]:
    """The unbiased values of the reports of a number or a scale whose mean is the outcome, else a variable; the counts.

    The counts are of reports, by row; of all together where other randomised answers are predictors.
    """
    paired = "answer" in one.parameters
    if paired and part != "mean":
        return [], one.variable(one.parameters["outcome"]), one.pairs
    if part == "coin":
        return [], *one.kinds(item)
    if part != "mean":
        variable = one.variable(f"{item}:{part}" if part else item)
        return [], variable, one.reports(variable.column, variable.codes)
    question = one.question(item)
    assert isinstance(question.mechanism, Channel)
    scores = scores_of(question.mechanism, question.values).tolist()
    return scores, None, one.pairs if paired else one.reports(0, np.arange(len(scores)))


def fitted(
    one: Analysis,
    cells: Cells,
    columns: Sequence[Column],
    variables: tuple[Variable | None, Sequence[Variable]],
    scores: Any,
) -> Any:
    """The regression of the first of the variables, the outcome; the others are randomised predictors."""
    (outcome, latent), p, places = variables, one.parameters, cells.counts.nonzero()
    rows, codes, counts = cells.design(columns)[places[0]], places[1], cells.counts[places]
    weights, prior = cells.weights[places[0]] if "weighting" in p else None, p.get("prior")
    several = len(latent) > 1
    others: Any = np.array(places[2:]).T if several else places[-1]
    channels: Any = [answer.channel for answer in latent] if several else latent and latent[0].channel
    modified = modifier_of(one)
    modifiers = [at for at, column in enumerate(columns) if len(column) == 1 and column[0][0] == modified]
    if outcome is None and latent:
        values = np.array(scores)[codes]
        return corrected_regression(values, rows, others, channels, weights, counts=counts, modifiers=modifiers)
    if outcome is None:
        return linear_regression(rows, codes, None, weights, counts=counts, values=scores)
    if latent:
        return predictor_regression(
            codes, rows, others, channels, weights, counts=counts,
            model=p.get("model", "logit"), outcome_channel=outcome.channel, prior=prior, modifiers=modifiers,
        )  # fmt: skip
    if outcome.channel.answers > 2:
        model = p.get("model", "multinomial")
        return categorical_regression(rows, codes, outcome.channel, weights, counts=counts, model=model, prior=prior)
    link = p.get("model", "logit")
    return logistic_regression(rows, codes, outcome.channel, weights, counts=counts, prior=prior, link=link)


def averaged(fit: Any, cells: Cells, columns: Sequence[Column], scenarios: Sequence[Column]) -> Any:
    """The outcome averaged over the respondents, as if all had given the answers of a scenario."""
    designs = []
    for scenario in scenarios:
        answers = cells.answers.copy()
        for place, answer in scenario:
            answers[:, place] = answer
        designs.append(cells.design(columns, answers))
    if isinstance(fit, PredictorFit | CorrectedFit):
        return fit.margins(cells.design(columns), [(None, each) for each in designs], cells.n * cells.weights)
    return predictive_margins(fit, designs, cells.n * cells.weights)


def odds_of(fit: Any, choices: Sequence[int | None], p: int, column: int) -> list[tuple[int | None, int]]:
    """The coefficients of an indicator whose exponentials are odds ratios, each with the choice that it is of."""
    if isinstance(fit, CategoricalFit):
        if fit.model == "ordinal":
            return [(None, len(choices) - 1 + column)]
        return [(choice, 1 + column + number * (p + 1)) for number, choice in enumerate(choices[1:])]
    return [(choices[0], 1 + column)] if is_logit(fit) else []


def is_logit(fit: Any) -> bool:
    if isinstance(fit, PredictorFit):
        return fit.model == "logit"
    return isinstance(fit, LogisticFit) and fit.link == "logit"


def predictors_of(one: Analysis) -> tuple[list[int], list[tuple[int, int]]]:
    """The places of the predictors among the background questions, and of each two that interact among them."""
    p = one.parameters
    asked = [place for place, question in enumerate(one.questions) if question["key"] in p["predictors"]]
    named = [one.questions[at]["key"] for at in asked]
    places = [named.index(key) for key in p.get("interaction", ())]
    return asked, [(min(both), max(both)) for both in zip(places[::2], places[1::2], strict=True)]


def modifier_of(one: Analysis) -> int | None:
    """The place among the predictors of the one that the effects of randomised predictors differ by."""
    named = [question["key"] for question in one.questions if question["key"] in one.parameters["predictors"]]
    return named.index(one.parameters["modifier"]) if "modifier" in one.parameters else None
