"""The planned question: its mechanism at any truth probability or epsilon, and the expected answers."""

import json
import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TypedDict

import numpy as np
from django.utils.translation import gettext

from collector.designs import Kind
from estimator.base.languages import filled
from estimator.base.mechanisms import PARAMETERS, REGISTRY, Dial
from randomized_response import EachOption, ParameterError, plan
from randomized_response.plan import Forecast
from randomized_response.questions import Mechanism
from randomized_response.results import Vector
from surveys.definition.mechanisms import answers_of, mechanism_of, numbers_of
from surveys.definition.parts import ItemPart
from surveys.labels import translated

LARGEST_TABLE = 16
"""Maximum choices for a plan by table, where the mechanism can be planned without one."""


@dataclass(frozen=True)
class Setting:
    """The slider's setting: the question's truth probability or epsilon; neither for that of the draft."""

    truth: Fraction | None = None
    epsilon: float | None = None


@dataclass(frozen=True)
class ExpectedAnswers:
    """The expected answers: the share of one of them, or a mean and its spread in the answers' unit."""

    share: float = 0.2
    mean: float | None = None
    spread: float | None = None


AS_USUAL = ExpectedAnswers()
WRITTEN = Setting()
"""The setting of the mechanism as in the draft."""


class Estimand(TypedDict, total=False):
    """What is estimated: arguments of `plan.forecast` and its kin."""

    values: tuple[float, ...]
    answer: int


class PlannedQuestion:
    """A question as its author writes it (docs/reference/survey-file.md), mainly `kind`, `choices` and `channel`."""

    def __init__(self, item: ItemPart) -> None:
        self.item = item
        self.kind = item["kind"]
        self.name: str = item["channel"]["name"]
        self.entry = REGISTRY[self.name]
        self.dial = self.entry.dial
        number = self.kind == "number"
        self.answers = len(numbers_of(item)) if number else len(answers_of(item))
        self.values = tuple(map(float, numbers_of(item))) if number else self._points()
        self._identity = json.dumps([item["channel"], self.kind, self.answers, self.values, item.get("most")])

    def __eq__(self, other: object) -> bool:
        """True if both are planned alike: wordings do not matter."""
        return isinstance(other, PlannedQuestion) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    def _points(self) -> tuple[float, ...]:
        """1, 2, 3, ... for a scale on which everybody gives a point; its mean is then the estimate."""
        whole = self.kind == "scale" and "prefer_not" not in self.item
        return tuple(map(float, range(1, self.answers + 1))) if whole else ()

    @property
    def fixed(self) -> bool:
        """True if the author wrote the table; then it has no slider."""
        return self.name == "custom"

    @property
    def by_truth(self) -> bool:
        """True if the author sets a probability of the mechanism, and its epsilon follows."""
        return self.dial is not None

    @property
    def dial_label(self) -> str:
        """The name of that probability: truth probability, prevalence; empty for a mechanism without."""
        return translated(PARAMETERS[self.dial.parameter].label) if self.dial else ""

    @property
    def below_half(self) -> bool:
        """True if that probability is below 1/2 and protects the less the smaller it is, as a prevalence does."""
        return self.dial is not None and self.dial.above_half and self.dial.usual < Fraction(1, 2)

    @property
    def usual(self) -> Setting:
        """The slider's initial setting: two coins, or about their epsilon."""
        return Setting(truth=self.dial.usual) if self.dial else Setting(epsilon=1.0)

    def truth_of(self, setting: Setting) -> Fraction | None:
        """The truth probability at the setting; None for a mechanism without."""
        if self.dial is None:
            return None
        return Fraction(self.item["channel"][self.dial.parameter]) if setting == WRITTEN else self.truth_at(setting)

    @property
    def most_differing(self) -> int:
        """The number of options of several choices in which two people can differ; 1 for every other kind."""
        if self.kind != "several_choices":
            return 1
        most = self.item.get("most")
        return self.answers if most is None else min(self.answers, 2 * most)

    def at(self, setting: Setting) -> Mechanism:
        """The mechanism at the setting. Raises ValueError naming argument, bound and value."""
        if self.fixed or setting == WRITTEN:
            return mechanism_of(self.item)
        if self.dial:
            return self._at_truth(self.dial, self.truth_at(setting))
        if setting.epsilon is None:
            kind = gettext("{name}, which has no truth probability").format(name=self.name)
            raise ParameterError(
                "epsilon", gettext("must be given for {kind}; got a truth probability").format(kind=kind)
            )
        return _by_epsilon(self.name, self.answers, round(setting.epsilon, 6))

    def truth_at(self, setting: Setting) -> Fraction:
        """The truth probability, or the largest one in parts of 10,000 that is within the epsilon."""
        if setting.truth is not None:
            return setting.truth
        assert setting.epsilon is not None
        assert self.dial is not None
        odds = math.exp(setting.epsilon / self.most_differing)
        return self.dial.within(odds, self.answers, self.item["channel"])

    def _at_truth(self, dial: Dial, truth: Fraction) -> Mechanism:
        if self.entry.untabled and self.answers > LARGEST_TABLE and not self.values:
            return self.entry.untabled(self.answers, truth)
        return mechanism_of(self.item | {"channel": {**self.item["channel"], dial.parameter: str(truth)}})

    def shares(self, expected: ExpectedAnswers) -> Vector:
        """The shares of the answers to plan for; for several choices, those of one option, not ticked and ticked."""
        if self.values:
            return self._around(expected)
        answers = 2 if self.kind == "several_choices" else self.answers
        shares = np.full(answers, (1 - expected.share) / (answers - 1))
        shares[self.answer] = expected.share
        return shares

    @property
    def answer(self) -> int:
        """The answer whose share is planned: yes, or one choice like every other."""
        return 1 if self.kind in ("yes_no", "several_choices") else 0

    def _around(self, expected: ExpectedAnswers) -> Vector:
        low, high = self.values[0], self.values[-1]
        step = (high - low) / (self.answers - 1)
        mean = self.middle if expected.mean is None else expected.mean
        if not low < mean < high:
            raise ParameterError(
                "mean",
                filled(
                    gettext("must be greater than {low:g} and less than {high:g}; got {mean:g}"),
                    low=low,
                    high=high,
                    mean=mean,
                ),
            )
        least, most = self.spreads(mean)
        spread = max(least, most / 2) if expected.spread is None else expected.spread
        if not least * 0.9995 <= spread <= most * 1.0005:
            bounds = filled(
                gettext("from {least:.4g} to {most:.4g} around a mean of {mean:g}"), least=least, most=most, mean=mean
            )
            raise ParameterError(
                "spread", filled(gettext("must be {bounds}; got {spread:g}"), bounds=bounds, spread=spread)
            )
        spread = min(max(spread, least), most)
        return plan.shares_around(self.answers, mean=(mean - low) / step, deviation=spread / step)

    @property
    def middle(self) -> float:
        return (self.values[0] + self.values[-1]) / 2

    def spreads(self, mean: float) -> tuple[float, float]:
        """The least and the largest standard deviation around a mean for which a plan exists."""
        low, high = self.values[0], self.values[-1]
        most = math.sqrt((mean - low) * (high - mean))
        return most / math.sqrt(self.answers - 1), most

    def options(self) -> Estimand:
        """The target of the estimate, as arguments of `plan.forecast` etc."""
        return {"values": self.values} if self.values else {"answer": self.answer}


def estimated_from(mechanism: Mechanism) -> plan.Mechanism:
    """The mechanism of one estimate: for several choices, that of one option."""
    return mechanism.channel if isinstance(mechanism, EachOption) else mechanism


def forecast(question: PlannedQuestion, mechanism: Mechanism, shares: Vector, n: int, confidence: float) -> Forecast:
    """The forecast for n responses to the question."""
    return plan.forecast(n, estimated_from(mechanism), shares, confidence=confidence, **question.options())


@lru_cache(maxsize=512)
def _by_epsilon(name: str, answers: int, epsilon: float) -> Mechanism:
    """Make a mechanism, cached: an exact table or the best set size can take 0.1 s, and a curve has twenty."""
    return REGISTRY[name].make(answers, {"epsilon": f"{epsilon:.6f}"})


def free_question(
    kind: Kind, name: str, *, choices: int = 2, grid: tuple[str, str, str] = ("0", "10", "1"), most: int | None = None
) -> PlannedQuestion:
    """A question that is in no survey. Raises ParameterError, or ValidationError if its grid is not valid."""
    item: ItemPart = {
        "key": "",
        "kind": kind,
        "wording": {},
        "choices": [{} for _ in range(choices)],
        "channel": {"name": name, **REGISTRY[name].assumed},
    }
    if kind == "number":
        item |= {"choices": [], "minimum": grid[0], "maximum": grid[1], "step": grid[2]}
    if kind == "several_choices" and most is not None:
        item["most"] = most
    return PlannedQuestion(item)
