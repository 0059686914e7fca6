"""Forecasts of a planned question, at the chosen point and along its curves."""

import math
from bisect import bisect_left
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from collector.designs import FEWEST_IN_GROUP
from estimator.base import verdict
from estimator.base.verdict import Precision, Range, Verdict
from randomized_response import plan
from randomized_response.plan import Forecast
from randomized_response.questions import Mechanism
from randomized_response.results import Vector
from surveys.planning.parameters import PlanParameters
from surveys.planning.question import ExpectedAnswers, PlannedQuestion, Setting, estimated_from, forecast

POWER = 0.8
RESPONDENTS = [round(10 ** (2 + place / 6)) for place in range(19)]
"""Numbers from 100 to 100,000, six for each factor of ten."""
EPSILONS = [place / 4 for place in range(1, 21)]
TRUTHS = [Fraction(place, 20) for place in range(1, 20)]
MIRRORED = [Fraction(place, 100) for place in range(52, 100, 3)]
LARGE_GRID = 64
"""Above this many points, the curve of a mechanism with a slow table has only every second point."""


@dataclass(frozen=True)
class ForecastComparison:
    """Telling this group from another one. `against` is a share or a mean."""

    against: float
    second: int
    power: float
    needed: int | None
    """Responses in each of two groups for a power of 80 %; None where the two are alike."""


@dataclass(frozen=True)
class PlanForecast:
    """The forecast at the chosen point. `needed` responses give an interval of plus and minus `margin`."""

    question: PlannedQuestion
    wanted: PlanParameters
    mechanism: Mechanism
    truth: Fraction | None
    ahead: Forecast
    margin: float
    needed: int
    comparison: ForecastComparison

    @property
    def precision(self) -> Precision:
        return precision_of(self.question, self.ahead)

    @property
    def epsilon(self) -> float:
        return self.mechanism.epsilon

    @property
    def ratio(self) -> Fraction | float:
        """e^epsilon, exact."""
        return self.mechanism.ratio

    @property
    def odds_exact(self) -> str:
        """The same as a fraction; empty where it is none."""
        return str(self.ratio) if isinstance(self.ratio, Fraction) else ""


@dataclass(frozen=True)
class CurvePoint:
    """One point of a curve: `x` is a truth probability, an epsilon or a number of responses."""

    x: float
    epsilon: float
    width: float
    below: float
    cost: float
    power: float


def forecast_of(question: PlannedQuestion, wanted: PlanParameters) -> PlanForecast:
    """The forecast at the chosen point. `wanted` is validated: its setting and expectations are possible."""
    mechanism, shares = question.at(wanted.setting), question.shares(wanted.expected)
    margin = _margin(question, wanted)
    needed = plan.respondents_needed(
        estimated_from(mechanism), shares, margin=margin, confidence=wanted.confidence, values=question.values or None
    )
    return PlanForecast(
        question,
        wanted,
        mechanism,
        question.truth_of(wanted.setting),
        forecast(question, mechanism, shares, wanted.respondents, wanted.confidence),
        margin,
        needed,
        _comparison(question, wanted, mechanism, shares),
    )


def precision_of(question: PlannedQuestion, ahead: Forecast) -> Precision:
    """How precise the estimate is expected to be, by the interval with sampling: that of a report is no wider."""
    return verdict.of_forecast(
        ahead.expected, ahead.width / 2, n=ahead.n, direct=ahead.direct_n, confidence=ahead.confidence,
        range_=range_of(question),
    )  # fmt: skip


@lru_cache(maxsize=256)
def enough_responses(question: PlannedQuestion, wanted: PlanParameters, at_least: Verdict = Verdict.ROUGH) -> int:
    """The fewest responses for which this verdict is expected, or a better one; `wanted.respondents` is ignored."""
    mechanism, shares = question.at(wanted.setting), question.shares(wanted.expected)
    good = {Verdict.USABLE, at_least}

    def enough(n: int) -> bool:
        ahead = forecast(question, mechanism, shares, n, wanted.confidence)
        return precision_of(question, ahead).verdict in good

    most = plan.respondents_needed(
        estimated_from(mechanism), shares, margin=verdict.WIDEST * reach(question), confidence=wanted.confidence,
        values=question.values or None,
    )  # fmt: skip
    most = max(most, FEWEST_IN_GROUP)
    while not enough(most):
        most *= 2
    tried = range(FEWEST_IN_GROUP, most, max(1, most // 200))  # of many, to half a per cent
    place = bisect_left(tried, True, key=enough)
    return tried[place] if place < len(tried) else most


def along_setting(question: PlannedQuestion, wanted: PlanParameters) -> tuple[CurvePoint, ...]:
    """The curve over the truth probability, or over epsilon if the mechanism has none; empty for a fixed table."""
    return _along_setting(question, wanted.expected, wanted.respondents, wanted.confidence)


@lru_cache(maxsize=256)
def _along_setting(
    question: PlannedQuestion, expected: ExpectedAnswers, n: int, confidence: float
) -> tuple[CurvePoint, ...]:
    """Compute the curve, cached: the same for every slider position."""
    shares = question.shares(expected)
    points = []
    for x, setting in _settings(question):
        mechanism = question.at(setting)
        ahead = forecast(question, mechanism, shares, n, confidence)
        points.append(CurvePoint(x, mechanism.epsilon, ahead.width, ahead.below, ahead.cost, math.nan))
    return tuple(points)


def _settings(question: PlannedQuestion) -> list[tuple[float, Setting]]:
    if question.fixed:
        return []
    if question.dial:
        truths = MIRRORED if question.dial.above_half else TRUTHS
        truths = sorted(1 - truth for truth in truths) if question.below_half else truths
        return [(float(truth), Setting(truth=truth)) for truth in truths]
    thin = question.entry.slow and question.answers > LARGE_GRID
    return [(epsilon, Setting(epsilon=epsilon)) for epsilon in EPSILONS[:: 2 if thin else 1]]


def along_respondents(question: PlannedQuestion, wanted: PlanParameters) -> tuple[CurvePoint, ...]:
    """The curve over the number of responses; power is between two groups of that many each."""
    return _along_respondents(question, replace(wanted, respondents=RESPONDENTS[0], second=None, margin=None))


@lru_cache(maxsize=256)
def _along_respondents(question: PlannedQuestion, wanted: PlanParameters) -> tuple[CurvePoint, ...]:
    """Compute the curve, cached: the same for every number of respondents."""
    mechanism, shares = question.at(wanted.setting), question.shares(wanted.expected)
    aim, other = estimated_from(mechanism), _other_shares(question, wanted)
    points = []
    for n in RESPONDENTS:
        ahead = forecast(question, mechanism, shares, n, wanted.confidence)
        found = plan.power(n, aim, shares, other, against_n=n, confidence=wanted.confidence, **question.options())
        points.append(CurvePoint(n, mechanism.epsilon, ahead.width, ahead.below, ahead.cost, found))
    return tuple(points)


def chosen_x(found: PlanForecast) -> float:
    """The slider's position on the first curve."""
    return found.epsilon if found.truth is None else float(found.truth)


def reach(question: PlannedQuestion) -> float:
    """The length of the range of the estimate: 1 for a share."""
    return range_of(question).length


def range_of(question: PlannedQuestion) -> Range:
    """The possible values of the estimate."""
    return verdict.of_values(tuple(question.values)) if question.values else verdict.SHARE


def against(question: PlannedQuestion, wanted: PlanParameters) -> float:
    """The share or mean to compare with: as given, else one a tenth of the range away."""
    if wanted.against is not None:
        return wanted.against if question.values else wanted.against / 100
    here = question.shares(wanted.expected) @ question.values if question.values else wanted.expected.share
    low = question.values[0] if question.values else 0.0
    step = reach(question) / 10
    return float(here + step if here - low + step < reach(question) else here - step)


def _comparison(
    question: PlannedQuestion, wanted: PlanParameters, mechanism: Mechanism, shares: Vector
) -> ForecastComparison:
    other, second = _other_shares(question, wanted), wanted.second or wanted.respondents
    options, confidence = question.options(), wanted.confidence
    aim = estimated_from(mechanism)
    found = plan.power(wanted.respondents, aim, shares, other, against_n=second, confidence=confidence, **options)
    alike = bool((abs(shares - other) < 1e-9).all())
    needed = (
        None if alike else plan.respondents_for_power(aim, shares, other, power=POWER, confidence=confidence, **options)
    )
    return ForecastComparison(against(question, wanted), second, found, needed)


def _other_shares(question: PlannedQuestion, wanted: PlanParameters) -> Vector:
    """The other group's shares: another share, or another mean with the same spread as far as possible."""
    there = against(question, wanted)
    if not question.values:
        return question.shares(ExpectedAnswers(share=there))
    mean = wanted.expected.mean if wanted.expected.mean is not None else question.middle
    least, most = question.spreads(mean)
    spread = wanted.expected.spread or max(least, most / 2)
    least, most = question.spreads(there)
    return question.shares(ExpectedAnswers(mean=there, spread=min(max(spread, least), most)))


def _margin(question: PlannedQuestion, wanted: PlanParameters) -> float:
    """The margin, as a share or in the answers' unit: as given, else a twentieth of the range."""
    if wanted.margin is None:
        return reach(question) / 20
    return wanted.margin if question.values else wanted.margin / 100
