"""The curves that are drawn of a plan, and their axes."""

from collections.abc import Callable, Iterator

from django.utils.translation import gettext

from estimator.base import charts, wording
from estimator.base.charts import Curve, Scale, by_factors, linear
from surveys.labels import in_sentence
from surveys.planning.advice import EPSILON_OF_AN_ITEM
from surveys.planning.forecast import POWER, CurvePoint, PlanForecast, chosen_x, reach
from surveys.planning.wording import amount, chance, times, whole

CHANCES = Scale(0.0, 1.0, tuple((part / 4, f"{25 * part} %") for part in range(5)))
SMALL_CHANCES = Scale(0.0, 0.5, tuple((part / 10, f"{10 * part} %") for part in range(6)))
RESPONSES = Scale(100, 100_000, ((100, "100"), (1000, "1,000"), (10_000, "10,000"), (100_000, "100,000")), True)
EPSILONS = Scale(0.0, 5.0, tuple((float(part), str(part)) for part in range(6)))

Value = Callable[[CurvePoint], float]
Level = tuple[float, str]


def pictures_of(found: PlanForecast, curves: dict[str, tuple[CurvePoint, ...]]) -> Iterator[Curve]:
    """The curves over the mechanism's slider, then over the respondents."""
    if curves["setting"]:
        yield from _over_setting(found, curves["setting"])
    yield from _over_respondents(found, curves["respondents"])


def _over_setting(found: PlanForecast, points: tuple[CurvePoint, ...]) -> Iterator[Curve]:
    question, ahead, at = found.question, found.ahead, chosen_x(found)
    across = CHANCES if question.by_truth else EPSILONS
    below = in_sentence(question.dial_label or gettext("Epsilon"))
    place = f"{whole(100 * at)} %" if question.by_truth else wording.epsilon(at)

    def curve(
        key: str, title: str, value: Value, here: float, text: str, up: Scale, *, limit: Level | None = None
    ) -> Curve:
        ends = [(one.x, value(one)) for one in points]
        words = gettext("At a {what} of {place}: {text}.").format(what=below, place=place, text=text)
        chosen, named = ((at, here), text), _named(below, limit)
        return charts.curve(key, "setting", title, ends, chosen, (across, up), named, words, limit)

    if question.by_truth:
        high = max(5.0, min(1.2 * found.epsilon, 16.0))
        limit = (EPSILON_OF_AN_ITEM, gettext("weak above the dashed line"))
        text = wording.epsilon(found.epsilon)
        yield curve("epsilon", "Epsilon", lambda one: one.epsilon, found.epsilon, text, linear(high), limit=limit)
    for drawn in _of_both(found, points):
        yield curve(*drawn)
    costs = [one.cost for one in points if one.cost < 1e300]
    if costs and ahead.cost < 1e300:
        yield curve(
            "cost", gettext("Responses equivalent to one direct answer"), lambda one: one.cost, ahead.cost,
            times(ahead.cost, bare=True), by_factors(1, min(max(*costs, ahead.cost), 1e6)),
        )  # fmt: skip


def _over_respondents(found: PlanForecast, points: tuple[CurvePoint, ...]) -> Iterator[Curve]:
    n = found.ahead.n

    def curve(
        key: str, title: str, value: Value, here: float, text: str, up: Scale, *, limit: Level | None = None
    ) -> Curve:
        ends = [(one.x, value(one)) for one in points]
        words = gettext("With {n} responses: {text}.").format(n=wording.count(n), text=text)
        below = _named("responses" if limit is None else gettext("responses in each group"), limit)
        chosen = ((n, here), text)
        return charts.curve(f"{key}-n", "respondents", title, ends, chosen, (RESPONSES, up), below, words, limit)

    for drawn in _of_both(found, points):
        yield curve(*drawn)
    comparison = found.comparison
    if comparison.second == n and comparison.needed is not None:
        yield curve(
            "power", gettext("Chance of detecting the difference"),
            lambda one: one.power, comparison.power, chance(comparison.power), CHANCES, limit=(POWER, "dashed: 80 %"),
        )  # fmt: skip


def _of_both(
    found: PlanForecast, points: tuple[CurvePoint, ...]
) -> Iterator[tuple[str, str, Value, float, str, Scale]]:
    """What is drawn over either: half of the interval's width, and the chance of an estimate that cannot be."""
    question, ahead = found.question, found.ahead
    unit = {"scale": gettext("scale points"), "number": "units"}.get(question.kind if question.values else "", "points")
    # An axis that shows where the curve bends: the widest end may leave the picture.
    half = ahead.width / 2
    up = linear(_shown(found, max(half, min(max(one.width / 2 for one in points), reach(question) * 0.3))))
    text, title = f"± {amount(question, half)}", gettext("Half-width of the interval, {unit}").format(unit=unit)
    yield "width", title, lambda one: _shown(found, one.width / 2), _shown(found, half), text, up
    title = (
        gettext("Chance of an estimate below the range")
        if question.values
        else gettext("Chance of a negative estimate")
    )
    yield "below", title, lambda one: one.below, ahead.below, chance(ahead.below), SMALL_CHANCES


def _named(below: str, limit: Level | None) -> str:
    """The label of the horizontal axis, and of the dashed line."""
    return below if limit is None else f"{below}; {limit[1]}"


def _shown(found: PlanForecast, half: float) -> float:
    """A half-width as drawn: in points, or in the answers' unit."""
    return half if found.question.values else 100 * half
