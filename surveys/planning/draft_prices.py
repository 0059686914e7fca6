"""The price of a draft's questions while they are written: privacy loss and precision, and tables for a given loss.

The author moves one slider a question; mechanism and table follow from it by the planner's formulas.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from collector.designs import Kind
from estimator.base import wording
from estimator.base.mechanisms import REGISTRY
from estimator.runs.estimation import is_of_use
from randomized_response import epsilon_total
from randomized_response.questions import Mechanism
from surveys.definition.mechanisms import MECHANISMS, fitting
from surveys.definition.parts import ItemPart
from surveys.planning.advice import advice
from surveys.planning.forecast import forecast_of, reach
from surveys.planning.parameters import PlanParameters
from surveys.planning.question import WRITTEN, PlannedQuestion, Setting, forecast
from surveys.planning.survey_plan import written_setting
from surveys.planning.wording import amount

Channel = dict[str, object]

LEAST_LOSS, LARGEST_LOSS = 0.1, 8.0
"""Epsilon of one question that the slider can ask for."""

USUAL_LOSS = 1.0
"""Epsilon with which a question begins."""

GRID = {"minimum": "0", "maximum": "10", "step": "1"}
"""What a number is planned with until its own bounds are there."""

USUAL = {"yes_no": ("forced_response", "k_ary"), "several_choices": ("forced_response",), "scale": ("k_ary",)}
"""The mechanism that a question of the kind begins with, the first that fits; of other kinds the most precise."""


@dataclass(frozen=True)
class QuestionPrice:
    """What one question costs and gives: `width` is half of the expected interval; `fault` says why there is none."""

    epsilon: float | None
    epsilon_text: str = "–"
    odds: str = "–"
    width: str = ""
    of_use: bool = False
    fault: str = ""


@dataclass(frozen=True)
class DraftPrice:
    """The price of all questions, and of each by its key."""

    questions: Mapping[str, QuestionPrice]
    epsilon: float
    epsilon_text: str
    odds: str
    complete: bool


def price_of(items: Sequence[ItemPart], respondents: int) -> DraftPrice:
    """The price of a draft's questions, of which some may be unfinished."""
    mechanisms: list[Mechanism] = []
    prices: dict[str, QuestionPrice] = {}
    for item in items:
        try:
            question = PlannedQuestion(plannable(item))
            mechanism = question.at(WRITTEN)
            prices[item["key"]] = _price(question, mechanism, respondents)
            mechanisms.append(mechanism)
        except KeyError as missing:
            prices[item["key"]] = QuestionPrice(None, fault=f"The mechanism needs {missing.args[0]}.")
        except (ValueError, TypeError) as error:
            prices[item["key"]] = QuestionPrice(None, fault=str(error))
    total = epsilon_total(mechanisms)
    odds = wording.odds(math.exp(min(total, 700.0)))
    return DraftPrice(prices, total, wording.epsilon(total), odds, len(mechanisms) == len(items))


def channel_at(item: ItemPart, epsilon: float, *, choose: bool) -> Channel:
    """The channel with which a question has at most this loss.

    Parameters
    ----------
    item
        The question, complete or not.
    epsilon
        Its privacy loss, brought within the bounds of the slider.
    choose
        Whether the mechanism is chosen anew; one that does not fit the question is in any case.
    """
    item, epsilon = plannable(item), min(max(epsilon, LEAST_LOSS), LARGEST_LOSS)
    if choose or item["channel"]["name"] not in fitting(item["kind"], prefer_not="prefer_not" in item):
        item = item | {"channel": _begin(_best(item, epsilon))}
    question = PlannedQuestion(item)
    if question.fixed:
        return dict(item["channel"])
    kept = {name: value for name, value in item["channel"].items() if question.dial or name == "name"}
    return kept | written_setting(question, Setting(epsilon=math.floor(epsilon * 10_000) / 10_000))


@lru_cache
def first_channel(kind: Kind) -> Channel:
    """The channel with which a question of this kind begins: with two options and "prefer not to say", or the numbers
    from 0 to 10.
    """
    item: ItemPart = {"key": "", "kind": kind, "wording": {}, "choices": [], "channel": {"name": MECHANISMS[kind][0]}}
    if kind != "number":
        item["prefer_not"] = {}
    return channel_at(item, USUAL_LOSS, choose=True)


def fitted(items: Sequence[ItemPart], budget: float) -> dict[str, Channel]:
    """Channels by key with which all questions together lose at most `budget`; each gives way by the same factor.

    A question with a table by hand stays as it is, and so does one that is unfinished.
    """
    losses = {key: one.epsilon for key, one in price_of(items, 1000).questions.items() if one.epsilon}
    fixed = {item["key"] for item in items if item["channel"]["name"] == "custom"}
    given = sum(loss for key, loss in losses.items() if key in fixed)
    free = sum(losses.values()) - given
    if free <= 0 or given + free <= budget or budget <= given:
        return {}
    factor = (budget - given) / free
    return {
        item["key"]: channel_at(item, losses[item["key"]] * factor, choose=False)
        for item in items
        if item["key"] in losses and item["key"] not in fixed
    }


def plannable(item: ItemPart) -> ItemPart:
    """The question with two empty choices where it has fewer, and with bounds for a number without."""
    if item["kind"] == "number":
        return cast("ItemPart", {**GRID, **{name: value for name, value in item.items() if value != ""}})
    short = 2 - len(item["choices"])
    return item | {"choices": [*item["choices"], *({} for _ in range(short))]}


def _best(item: ItemPart, epsilon: float) -> str:
    names: Iterable[str] = fitting(item["kind"], prefer_not="prefer_not" in item)
    if usual := [name for name in USUAL.get(item["kind"], ()) if name in names]:
        return usual[0]
    first = next(name for name in names if name != "custom")
    question = PlannedQuestion(item | {"channel": _begin(first)})
    return advice(forecast_of(question, PlanParameters(setting=Setting(epsilon=epsilon)))).name


def _begin(name: str) -> Channel:
    entry = REGISTRY[name]
    return {"name": name, **entry.defaults, **entry.assumed}


def _price(question: PlannedQuestion, mechanism: Mechanism, respondents: int) -> QuestionPrice:
    wanted = PlanParameters(respondents=respondents)
    ahead = forecast(question, mechanism, question.shares(wanted.expected), respondents, wanted.confidence)
    return QuestionPrice(
        mechanism.epsilon,
        wording.epsilon(mechanism.epsilon),
        wording.odds(mechanism.ratio),
        amount(question, ahead.width / 2),
        is_of_use(ahead.width, reach(question)),
    )
