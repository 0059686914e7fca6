"""A plan for display: tiles, warnings, charts and tables, for the page and, by the API, for its script.

The script puts these texts where the page's own stand and draws the same parts, so each is made here alone.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from estimator.base import charts, wording
from estimator.base.verdict import LABELS
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
    epsilon: str
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
        epsilon=wording.epsilon(found.epsilon),
        summary=_summary(found),
        tiles=tuple(_tiles(found, cautions(found))),
        advice=advice(found),
        pictures=tuple(pictures_of(found, curves)),
        tables=tuple(_tables(found, curves)),
        curves=curves,
    )


def _summary(found: PlanForecast) -> str:
    """One sentence, which screen readers speak after each move."""
    dial = found.question.dial_label.lower()
    truth = "" if found.truth is None else f"{dial} {whole(100 * float(found.truth))}{SPACE}%, "
    sentence = f"{truth}epsilon {wording.epsilon(found.epsilon)} (odds at most {wording.odds(found.ratio)} to 1), "
    width = f"± {amount(found.question, found.ahead.width / 2)} ({_precision(found)})"
    sentence += f"{width} with {wording.count(found.ahead.n)} responses."
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
    question, ahead, comparison = found.question, found.ahead, found.comparison
    here, there = each(question, ahead.expected), each(question, comparison.against)
    odds = wording.odds(found.ratio)
    yield (
        "epsilon", "Protection: epsilon", wording.epsilon(found.epsilon),
        f"As odds: a response multiplies the odds of any guess about a person by {odds} at most, so that 1 to 1 "
        f"becomes {odds} to 1.",
    )  # fmt: skip
    yield (
        "width", f"Half-width of the {whole(100 * ahead.confidence)}{SPACE}% interval",
        f"± {amount(question, ahead.width / 2)}",
        f"Precision: {_precision(found)}. Sampling included, so the report’s main interval is no wider. "
        f"With {wording.count(ahead.n)} responses, where {here} is the truth. Standard error "
        f"{amount(question, ahead.standard_error)}.",
    )  # fmt: skip
    yield (
        "below", "Chance of a negative estimate" if not question.values else "Chance of an estimate outside the range",
        chance(ahead.below if not question.values else ahead.below + ahead.above),
        "Chance that the unbiased estimate is "
        f"{'below or above every answer' if question.values else f'below 0{SPACE}%'} "
        f"if {here} is true.",
    )  # fmt: skip
    yield (
        "direct", "Equivalent direct answers (n)", wording.count(max(1, round(ahead.direct_n))),
        f"give the same standard error if everyone answers honestly. Protection needs {times(ahead.cost)} as many.",
    )  # fmt: skip
    yield (
        "needed", f"For an interval of ± {amount(question, found.margin)}", f"{wording.count(found.needed)} responses",
        f"where {here} is the truth.",
    )  # fmt: skip
    if comparison.needed is None:
        grown = "The two values are equal, so there is no difference to detect."
    else:
        grown = f"For 80{SPACE}% each group needs {wording.count(comparison.needed)} responses."
    yield (
        "power", "Chance to see a difference", chance(comparison.power),
        f"between {here} and {there}, with {wording.count(ahead.n)} responses in one group or wave and "
        f"{wording.count(comparison.second)} in the other. {grown}",
    )  # fmt: skip


def _tables(found: PlanForecast, curves: dict[str, tuple[CurvePoint, ...]]) -> Iterable[PlanTable]:
    question = found.question
    width = "Half-width of the interval" + (", points" if not question.values else "")
    below = "Chance of an estimate below the range"
    if curves["setting"]:
        loss = "Privacy loss (epsilon)"
        name, first = (question.dial_label, (loss,)) if question.by_truth else (loss, ())
        rows = tuple(
            (
                wording.percent(one.x) if question.by_truth else f"{one.x:g}",
                *((wording.epsilon(one.epsilon),) if question.by_truth else ()),
                amount(question, one.width / 2, bare=True), chance(one.below), times(one.cost, bare=True),
            )
            for one in curves["setting"]
        )  # fmt: skip
        head = (name, *first, width, below, "Responses for one direct answer")
        yield PlanTable("setting", f"With {wording.count(found.ahead.n)} responses", head, rows)
    rows = tuple(
        (wording.count(one.x), amount(question, one.width / 2, bare=True), chance(one.below), chance(one.power))
        for one in curves["respondents"]
    )
    head = ("Responses", width, below, "Chance to see the difference")
    yield PlanTable("respondents", f"At epsilon {wording.epsilon(found.epsilon)}", head, rows)
