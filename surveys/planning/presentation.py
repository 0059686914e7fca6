"""A plan for display: tiles, warnings, charts and tables, for the page and, by the API, for its script.

The script puts these texts where the page's own stand and draws the same parts, so each is made here alone.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext

from estimator.base import charts, wording
from estimator.base.verdict import LABELS
from surveys.labels import in_sentence
from surveys.planning.advice import Advice, Caution, advice, cautions
from surveys.planning.forecast import CurvePoint, PlanForecast, along_respondents, along_setting, forecast_of
from surveys.planning.parameters import PlanParameters
from surveys.planning.plan_charts import pictures_of
from surveys.planning.question import PlannedQuestion
from surveys.planning.wording import amount, chance, each, times, truth_text, whole

SPACE = wording.SPACE


@dataclass(frozen=True)
class Tile:
    """A number with its name, its meaning, and its warnings."""

    key: str
    name: str
    value: str
    note: str
    cautions: tuple[str, ...]


@dataclass(frozen=True)
class PlanTable:
    """The numbers of the curves, as texts; one row per point."""

    key: str
    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class PlanPresentation:
    """The plan of one question for display."""

    found: PlanForecast
    truth: str
    """As a field has it, exact."""
    epsilon: str
    """As a field has it, rounded up."""
    summary: str
    tiles: tuple[Tile, ...]
    advice: Advice
    pictures: tuple[charts.Curve, ...]
    tables: tuple[PlanTable, ...]
    curves: dict[str, tuple[CurvePoint, ...]]

    @property
    def over_setting(self) -> list[charts.Curve]:
        return [picture for picture in self.pictures if picture.over == "setting"]

    @property
    def over_respondents(self) -> list[charts.Curve]:
        return [picture for picture in self.pictures if picture.over == "respondents"]

    @property
    def setting_table(self) -> PlanTable:
        """The table over the setting; empty for a mechanism without a slider."""
        return next((table for table in self.tables if table.key == "setting"), PlanTable("setting", "", (), ()))

    @property
    def respondents_table(self) -> PlanTable:
        return self.tables[-1]


def present(question: PlannedQuestion, wanted: PlanParameters) -> PlanPresentation:
    """The plan of a question for display. `wanted` has been validated by `parameters`."""
    found = forecast_of(question, wanted)
    curves = {"setting": along_setting(question, wanted), "respondents": along_respondents(question, wanted)}
    return PlanPresentation(
        found=found,
        truth="" if found.truth is None else truth_text(found.truth),
        epsilon=f"{math.ceil(found.epsilon * 100) / 100:.2f}",
        summary=_summary(found),
        tiles=tuple(_tiles(found, cautions(found))),
        advice=advice(found),
        pictures=tuple(pictures_of(found, curves)),
        tables=tuple(_tables(found, curves)),
        curves=curves,
    )


def _summary(found: PlanForecast) -> str:
    """One sentence, which screen readers speak after each move."""
    dial = in_sentence(found.question.dial_label)
    truth = "" if found.truth is None else f"{dial} {whole(100 * float(found.truth))}{SPACE}%, "
    sentence = gettext("{truth}epsilon {epsilon} (odds at most {ratio} to 1), ").format(
        truth=truth, epsilon=wording.epsilon(found.epsilon), ratio=wording.odds(found.ratio)
    )
    width = f"± {amount(found.question, found.ahead.width / 2)} ({_precision(found)})"
    sentence += gettext("{width} with {n} responses.").format(width=width, n=wording.count(found.ahead.n))
    return sentence[0].upper() + sentence[1:]


def _precision(found: PlanForecast) -> str:
    return str(LABELS[found.precision.verdict])


def _tiles(found: PlanForecast, warnings: Iterable[Caution]) -> Iterable[Tile]:
    about: dict[str, list[str]] = {}
    for caution in warnings:
        about.setdefault(caution.about, []).append(caution.sentence)
    for key, name, value, note in _facts(found):
        yield Tile(key, name, value, note, tuple(about.get(key, ())))


def _facts(found: PlanForecast) -> Iterable[tuple[str, str, str, str]]:
    yield from _precision_facts(found)
    yield from _respondent_facts(found)


def _precision_facts(found: PlanForecast) -> Iterable[tuple[str, str, str, str]]:
    question, ahead = found.question, found.ahead
    here, odds = each(question, ahead.expected), wording.odds(found.ratio)
    outside = (
        gettext("below or above every answer") if question.values else gettext("below 0{space}%").format(space=SPACE)
    )
    yield (
        "epsilon",
        gettext("Protection: epsilon"),
        wording.epsilon(found.epsilon),
        gettext(
            "As odds: a response multiplies the odds of any guess about a person by at most "
            "{odds}, so that 1 to 1 becomes {odds} to 1."
        ).format(odds=odds),
    )
    yield (
        "width",
        gettext("Half-width of the {whole}{space}% interval").format(whole=whole(100 * ahead.confidence), space=SPACE),
        f"± {amount(question, ahead.width / 2)}",
        gettext(
            "Precision: {verdict}. Sampling included, so the report’s main interval is no wider. "
            "With {n} responses, if {here} is the true value. Standard error {error}."
        ).format(
            verdict=_precision(found), n=wording.count(ahead.n), here=here, error=amount(question, ahead.standard_error)
        ),
    )
    yield (
        "below",
        gettext("Chance of a negative estimate")
        if not question.values
        else gettext("Chance of an estimate outside the range"),
        chance(ahead.below if not question.values else ahead.below + ahead.above),
        gettext("That the unbiased estimate falls {where} although the true value is {here}.").format(
            where=outside, here=here
        ),
    )


def _respondent_facts(found: PlanForecast) -> Iterable[tuple[str, str, str, str]]:
    question, ahead, comparison = found.question, found.ahead, found.comparison
    here, there = each(question, ahead.expected), each(question, comparison.against)
    yield (
        "direct",
        gettext("A direct question would need"),
        gettext("{count} respondents").format(count=wording.count(max(1, round(ahead.direct_n)))),
        gettext(
            "for the same standard error, if all of them answered honestly. Protection needs {cost} as many."
        ).format(cost=times(ahead.cost)),
    )
    yield (
        "needed",
        gettext("For an interval of ± {width}").format(width=amount(question, found.margin)),
        gettext("{needed} responses").format(needed=wording.count(found.needed)),
        gettext("if {here} is the true value.").format(here=here),
    )
    if comparison.needed is None:
        grown = gettext("The two are equal: there is nothing to detect.")
    else:
        grown = gettext("For 80{space}% each group needs {needed} responses.").format(
            space=SPACE, needed=wording.count(comparison.needed)
        )
    yield (
        "power",
        gettext("Chance of detecting a difference"),
        chance(comparison.power),
        gettext(
            "between {here} and {there}, with {n} responses in one group or wave and {second} in the other. {grown}"
        ).format(
            here=here, there=there, n=wording.count(ahead.n), second=wording.count(comparison.second), grown=grown
        ),
    )


def _tables(found: PlanForecast, curves: dict[str, tuple[CurvePoint, ...]]) -> Iterable[PlanTable]:
    question = found.question
    width = gettext("Half-width of the interval") + (gettext(", points") if not question.values else "")
    below = gettext("Chance of an estimate below the range")
    if curves["setting"]:
        name, first = (question.dial_label, ("Epsilon",)) if question.by_truth else (gettext("Epsilon"), ())
        rows = tuple(
            (
                wording.percent(one.x) if question.by_truth else f"{one.x:g}",
                *((wording.epsilon(one.epsilon),) if question.by_truth else ()),
                amount(question, one.width / 2, bare=True),
                chance(one.below),
                times(one.cost, bare=True),
            )
            for one in curves["setting"]
        )
        head = (name, *first, width, below, gettext("Responses for one direct answer"))
        yield PlanTable("setting", gettext("With {n} responses").format(n=wording.count(found.ahead.n)), head, rows)
    rows = tuple(
        (wording.count(one.x), amount(question, one.width / 2, bare=True), chance(one.below), chance(one.power))
        for one in curves["respondents"]
    )
    head = (gettext("Responses"), width, below, gettext("Chance of detecting the difference"))
    yield PlanTable(
        "respondents", gettext("At epsilon {epsilon}").format(epsilon=wording.epsilon(found.epsilon)), head, rows
    )
