"""The price of a draft's questions while they are written: privacy loss and precision, and tables for a given loss.

The author moves one slider a question; mechanism and table follow from it by the planner's formulas.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import cast

from django.utils.translation import gettext

from collector.designs import Kind
from collector.designs.items import MOST_ANSWERS
from estimator.base import wording
from estimator.base.languages import activated, formatted
from estimator.base.mechanisms import REGISTRY
from estimator.base.verdict import LABELS, Verdict
from randomized_response import Channel as TicketChannel
from randomized_response import epsilon_total
from randomized_response.questions import Mechanism
from surveys.definition.mechanisms import MECHANISMS, answers_of, fitting
from surveys.definition.parts import ItemPart
from surveys.planning.advice import advice
from surveys.planning.forecast import forecast_of, precision_of
from surveys.planning.parameters import PlanParameters
from surveys.planning.question import WRITTEN, PlannedQuestion, Setting, forecast
from surveys.planning.random_answers import responses_to_detect
from surveys.planning.survey_plan import written_setting
from surveys.planning.wording import amount

Channel = dict[str, object]

LEAST_LOSS, LARGEST_LOSS = 0.05, 8.0
"""Epsilon of one question that can be asked for."""

UNPRICED = ("key", "wording", "asked_if", "unasked", "sensitivity")
"""What the price of a question does not depend on."""

USUAL_LOSS = 1.0
"""Epsilon with which a question begins."""

WANTED = {"very": 0.5, "somewhat": USUAL_LOSS, "little": 2.0}
"""Epsilon of a question that is this sensitive, where the budget allows it."""

GRID = {"minimum": "0", "maximum": "10", "step": "1"}
"""What a number is planned with until its own bounds are there."""

NEARLY = 0.98
"""Part of a loss from which a table is left as it is: probabilities are rounded to parts of 10,000."""

AUTOMATIC = ("forced_response", "k_ary", "subset", "unary", "discrete_laplace", "one_bit")
"""Mechanisms that Candor chooses by itself, and may choose anew; others were somebody's choice."""

USUAL = {"yes_no": ("forced_response", "k_ary"), "several_choices": ("forced_response",), "scale": ("k_ary",)}
"""The mechanism that a question of the kind begins with, the first that fits; of other kinds the most precise."""


@dataclass(frozen=True)
class QuestionPrice:
    """What one question costs and gives: `width` is half of the expected interval, `half` the same as a number; `fault`
    says why there is none. The texts are in English. `detecting` is how many responses a control question needs to show
    random answers, None for others.
    """

    epsilon: float | None
    epsilon_text: str = "–"
    odds: str = "–"
    width: str = ""
    verdict: Verdict | None = None
    fault: str = ""
    half: float | None = None
    verdict_text: str = ""
    detecting: int | None = None


@dataclass(frozen=True)
class DraftPrice:
    """The price of all questions, and of each by its key."""

    questions: Mapping[str, QuestionPrice]
    epsilon: float
    epsilon_text: str
    odds: str
    complete: bool


def price_of(items: Sequence[ItemPart], respondents: int, versions: Sequence[Sequence[int]] = ()) -> DraftPrice:
    """The price of a draft's questions, of which some may be unfinished.

    `versions` has the places of the questions that each version of the page asks; where there are some, the total is
    that of the version that tells the most.
    """
    mechanisms: list[Mechanism | None] = []
    prices: dict[str, QuestionPrice] = {}
    for item in items:
        prices[item["key"]], mechanism = _priced(_without_texts(item), respondents, formatted())
        mechanisms.append(mechanism)
    asked = ([mechanisms[place] for place in version] for version in versions or [range(len(items))])
    total = max(epsilon_total(one for one in version if one is not None) for version in asked)
    odds = wording.odds(math.exp(min(total, 700.0)))
    return DraftPrice(prices, total, wording.epsilon(total), odds, None not in mechanisms)


def channel_at(item: ItemPart, epsilon: float, *, choose: bool) -> Channel:
    """The channel with which a question has at most this loss.

    Parameters
    ----------
    item
        The question, complete or not.
    epsilon
        Its privacy loss, brought within the bounds of what can be asked for.
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


def fitted(items: Sequence[ItemPart], budget: float, versions: Sequence[Sequence[int]] = ()) -> dict[str, Channel]:
    """Channels by key with which all questions of each version lose at most `budget` together; `versions` as above.

    Each gives way by the same factor: one that is said to be sensitive from the loss that is wanted for it, another one
    from what it has. A question with a table by hand stays as it is, and so does one that is unfinished.
    """
    losses = _losses(items)
    wanted = _wanted(items, losses)
    asked = [one for one in _asked(items, versions) if sum(losses.get(item["key"], 0) for item in one) > budget]
    lefts = [_left(one, losses, wanted, budget) for one in asked]
    if not lefts or min(lefts) <= 0:
        return {}
    return _channels(items, losses, wanted, min(1.0, *lefts))


def divided(items: Sequence[ItemPart], budget: float, versions: Sequence[Sequence[int]] = ()) -> dict[str, Channel]:
    """Channels by key with which the questions that are said to be sensitive share what the others leave of `budget`.

    Each has the loss that is wanted for it or, where all of them would be too much in a version of the page, the same
    part of it. Where the others leave less than half of what is due if all gave way, it is this: the overdraft is then
    `fitted` to repair. `versions` as above.
    """
    losses = _losses(items)
    wanted = _wanted(items, losses)
    marked = {item["key"]: wanted[item["key"]] for item in items if item.get("sensitivity") and item["key"] in wanted}
    asked = _asked(items, versions)
    lefts = [_left(one, losses, marked, budget) for one in asked if any(item["key"] in marked for item in one)]
    if not lefts:
        return {}
    left, due = min(lefts), max(min(_left(one, losses, wanted, budget) for one in asked), 0.0)
    return _channels(items, losses, marked, min(1.0, left if left >= due / 2 else due))


def _asked(items: Sequence[ItemPart], versions: Sequence[Sequence[int]]) -> list[list[ItemPart]]:
    """The questions of each version of the page; all of them without versions."""
    return [[items[place] for place in version] for version in versions or [range(len(items))]]


def _left(asked: Sequence[ItemPart], losses: Mapping[str, float], wanted: Mapping[str, float], budget: float) -> float:
    """The part of their wanted losses that others leave of the budget to the questions of a version that have some."""
    others = sum(losses.get(item["key"], 0) for item in asked if item["key"] not in wanted)
    together = sum(wanted.get(item["key"], 0) for item in asked)
    return (budget - others) / together if together else math.inf


def _losses(items: Sequence[ItemPart]) -> dict[str, float]:
    return {key: one.epsilon for key, one in price_of(items, 1000).questions.items() if one.epsilon}


def _wanted(items: Sequence[ItemPart], losses: Mapping[str, float]) -> dict[str, float]:
    """The loss of each other question if nothing had to give way."""
    return {
        item["key"]: WANTED.get(item.get("sensitivity", ""), losses[item["key"]])
        for item in items
        if item["key"] in losses and item["channel"]["name"] != "custom"
    }


def _channels(
    items: Sequence[ItemPart], losses: Mapping[str, float], wanted: Mapping[str, float], factor: float
) -> dict[str, Channel]:
    """The channels at this part of the wanted losses, of those that change; nearly the same loss stays as it is."""
    found: dict[str, Channel] = {}
    for item in (item for item in items if item["key"] in wanted):
        key, choose = item["key"], "sensitivity" in item and item["channel"]["name"] in AUTOMATIC
        target = wanted[key] * factor
        channel = channel_at(item, target, choose=choose)
        near = NEARLY * target <= losses[key] <= target + 1e-9
        if channel != item["channel"] and not (near and channel["name"] == item["channel"]["name"]):
            found[key] = channel
    return found


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


def _without_texts(item: ItemPart) -> str:
    """What the price of a question depends on, as JSON."""
    asked = {name: value for name, value in item.items() if name not in UNPRICED}
    asked["choices"] = [{} for _ in item["choices"]]
    return json.dumps(asked | ({"prefer_not": {}} if "prefer_not" in item else {}), sort_keys=True)


@lru_cache(maxsize=4096)
def _priced(written: str, respondents: int, language: str) -> tuple[QuestionPrice, Mechanism | None]:
    """The price of a question; kept, as at each change of a draft all its other questions stay as they are."""
    try:
        item = plannable(cast("ItemPart", {"key": "", "wording": {}, **json.loads(written)}))
        if len(answers_of(item)) > MOST_ANSWERS:
            return QuestionPrice(
                None,
                fault=gettext("At most {most_answers} answers can be randomised.").format(most_answers=MOST_ANSWERS),
            ), None
        question = PlannedQuestion(item)
        mechanism = question.at(WRITTEN)
        with activated(language):  # in which it is kept
            price = _price(question, mechanism, respondents)
        known = item.get("known_share")
        if known and isinstance(mechanism, TicketChannel):
            price = replace(price, detecting=responses_to_detect(mechanism, known))
        return price, mechanism
    except KeyError as missing:
        return QuestionPrice(
            None, fault=gettext("The randomisation method needs {args}.").format(args=missing.args[0])
        ), None
    except (ValueError, TypeError) as error:
        return QuestionPrice(None, fault=str(error)), None


def _price(question: PlannedQuestion, mechanism: Mechanism, respondents: int) -> QuestionPrice:
    wanted = PlanParameters(respondents=respondents)
    ahead = forecast(question, mechanism, question.shares(wanted.expected), respondents, wanted.confidence)
    found = precision_of(question, ahead).verdict
    return QuestionPrice(
        mechanism.epsilon,
        wording.epsilon(mechanism.epsilon),
        wording.odds(mechanism.ratio),
        amount(question, ahead.width / 2),
        found,
        half=ahead.width / 2,
        verdict_text=str(LABELS[found]),
    )
