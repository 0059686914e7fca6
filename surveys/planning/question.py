"""The question that is planned: its mechanism at any truth probability or epsilon, and the answers to expect."""

import json
import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypedDict

import numpy as np

from estimator.base.mechanisms import REGISTRY, Dial
from randomized_response import EachOption, ParameterError, plan
from randomized_response.plan import Forecast
from randomized_response.questions import Mechanism
from randomized_response.results import Vector
from surveys.definition.mechanisms import answers_of, mechanism_of, numbers_of

LARGEST_TABLE = 16
"""More choices than these are planned without their table, where the mechanism can be."""


@dataclass(frozen=True)
class Setting:
    """Where the slider stands: the truth probability or the epsilon of the question; neither for what is written."""

    truth: Fraction | None = None
    epsilon: float | None = None


@dataclass(frozen=True)
class ExpectedAnswers:
    """What is expected of the answers: the share of one of them, or a mean and its spread in the answers' own unit."""

    share: float = 0.2
    mean: float | None = None
    spread: float | None = None


AS_USUAL = ExpectedAnswers()
WRITTEN = Setting()
"""The mechanism just as the draft has it."""


class Estimand(TypedDict, total=False):
    """What is estimated: arguments of `plan.forecast` and its kin."""

    values: tuple[float, ...]
    answer: int


class PlannedQuestion:
    """A question as its author writes it (docs/surveys.md), `kind`, `choices` and `channel` above all."""

    def __init__(self, item: dict[str, Any]) -> None:
        self.item = item
        self.kind: str = item["kind"]
        self.name: str = item["channel"]["name"]
        self.entry = REGISTRY[self.name]
        self.dial = self.entry.dial
        number = self.kind == "number"
        self.answers = len(numbers_of(item)) if number else len(answers_of(item))
        self.values = tuple(map(float, numbers_of(item))) if number else self._points()
        self._identity = json.dumps([item["channel"], self.kind, self.answers, self.values, item.get("most")])

    def __eq__(self, other: object) -> bool:
        """Whether they are planned alike: wordings do not matter."""
        return isinstance(other, PlannedQuestion) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    def _points(self) -> tuple[float, ...]:
        """1, 2, 3, ... for a scale on which everybody gives a point; then its mean is what is estimated."""
        whole = self.kind == "scale" and "prefer_not" not in self.item
        return tuple(map(float, range(1, self.answers + 1))) if whole else ()

    @property
    def fixed(self) -> bool:
        """Whether the author wrote the table; then there is no slider for it."""
        return self.name == "custom"

    @property
    def by_truth(self) -> bool:
        """Whether an author says a probability of the mechanism, and its epsilon follows."""
        return self.dial is not None

    @property
    def usual(self) -> Setting:
        """Where a slider begins that nobody has moved: two coins, or about their epsilon."""
        return Setting(truth=self.dial.usual) if self.dial else Setting(epsilon=1.0)

    def truth_of(self, setting: Setting) -> Fraction | None:
        """The truth probability there; None for a mechanism that has none."""
        if self.dial is None:
            return None
        return Fraction(self.item["channel"][self.dial.parameter]) if setting == WRITTEN else self.truth_at(setting)

    @property
    def most_differing(self) -> int:
        """How many options of several choices two people's answers can differ in; 1 for every other kind."""
        if self.kind != "several_choices":
            return 1
        most = self.item.get("most")
        return self.answers if most is None else min(self.answers, 2 * most)

    def at(self, setting: Setting) -> Mechanism:
        """The mechanism there. Raises ValueError naming the argument, the bound and the value."""
        if self.fixed or setting == WRITTEN:
            return mechanism_of(self.item)
        if self.dial:
            return self._at_truth(self.dial, self.truth_at(setting))
        if setting.epsilon is None:
            kind = f"{self.name}, which has no truth probability"
            raise ParameterError("epsilon", f"must be given for {kind}; got a truth")
        return _by_epsilon(self.name, self.answers, round(setting.epsilon, 6))

    def truth_at(self, setting: Setting) -> Fraction:
        """The truth probability, or the largest one in parts of 10,000 that keeps within the epsilon."""
        if setting.truth is not None:
            return setting.truth
        assert setting.epsilon is not None
        assert self.dial is not None
        odds = math.exp(setting.epsilon / self.most_differing)
        return self.dial.within(odds, self.answers, self.item["channel"])

    def _at_truth(self, dial: Dial, truth: Fraction) -> Mechanism:
        if self.entry.untabled and self.answers > LARGEST_TABLE and not self.values:
            return self.entry.untabled(self.answers, truth)
        said = self.item["channel"] | {dial.parameter: str(truth)}
        return mechanism_of(self.item | {"channel": said})

    def shares(self, expected: ExpectedAnswers) -> Vector:
        """The shares of the answers to plan for; of several choices those of one option, not ticked and ticked."""
        if self.values:
            return self._around(expected)
        answers = 2 if self.kind == "several_choices" else self.answers
        shares = np.full(answers, (1 - expected.share) / (answers - 1))
        shares[self.answer] = expected.share
        return shares

    @property
    def answer(self) -> int:
        """The answer whose share is planned for: yes, or one choice like every other."""
        return 1 if self.kind in ("yes_no", "several_choices") else 0

    def _around(self, expected: ExpectedAnswers) -> Vector:
        low, high = self.values[0], self.values[-1]
        step = (high - low) / (self.answers - 1)
        mean = self.middle if expected.mean is None else expected.mean
        if not low < mean < high:
            raise ParameterError("mean", f"must be greater than {low:g} and less than {high:g}; got {mean:g}")
        least, most = self.spreads(mean)
        spread = max(least, most / 2) if expected.spread is None else expected.spread
        if not least * 0.9995 <= spread <= most * 1.0005:
            bounds = f"from {least:.4g} to {most:.4g} around a mean of {mean:g}"
            raise ParameterError("spread", f"must be {bounds}; got {spread:g}")
        spread = min(max(spread, least), most)
        return plan.shares_around(self.answers, mean=(mean - low) / step, deviation=spread / step)

    @property
    def middle(self) -> float:
        return (self.values[0] + self.values[-1]) / 2

    def spreads(self, mean: float) -> tuple[float, float]:
        """The least and the largest standard deviation around a mean that a plan can have."""
        low, high = self.values[0], self.values[-1]
        most = math.sqrt((mean - low) * (high - mean))
        return most / math.sqrt(self.answers - 1), most

    def options(self) -> Estimand:
        """What is estimated, as arguments of `plan.forecast` and its kin."""
        return {"values": self.values} if self.values else {"answer": self.answer}


def estimated_from(mechanism: Mechanism) -> plan.Mechanism:
    """The mechanism of one estimate: of several choices that of one option."""
    return mechanism.channel if isinstance(mechanism, EachOption) else mechanism


def forecast(asked: PlannedQuestion, mechanism: Mechanism, shares: Vector, n: int, confidence: float) -> Forecast:
    """What n reports will tell of the question."""
    return plan.forecast(n, estimated_from(mechanism), shares, confidence=confidence, **asked.options())


@lru_cache(maxsize=512)
def _by_epsilon(name: str, answers: int, epsilon: float) -> Mechanism:
    """Kept, because an exact table or the best size of a set can take a tenth of a second and a curve has twenty."""
    return REGISTRY[name].make(answers, {"epsilon": f"{epsilon:.6f}"})


def free_question(
    kind: str, name: str, *, choices: int = 2, grid: tuple[str, str, str] = ("0", "10", "1"), most: int | None = None
) -> PlannedQuestion:
    """A question that is in no survey. Raises ParameterError, or ValidationError where its grid is none."""
    item: dict[str, Any] = {
        "kind": kind,
        "choices": [{} for _ in range(choices)],
        "channel": {"name": name, **REGISTRY[name].assumed},
    }
    if kind == "number":
        item |= {"choices": [], **dict(zip(("minimum", "maximum", "step"), grid, strict=True))}
    if kind == "several_choices" and most is not None:
        item["most"] = most
    return PlannedQuestion(item)
