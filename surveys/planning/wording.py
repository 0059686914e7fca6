"""Formatting of a plan's numbers: each with its unit, none with more digits than are meaningful."""

import math
from fractions import Fraction

from django.utils.translation import gettext

from estimator.base import wording
from estimator.base.languages import figures, filled
from estimator.base.mechanisms.entry import PARTS
from surveys.planning.question import PlannedQuestion

SPACE = wording.SPACE


def amount(question: PlannedQuestion, value: float, *, bare: bool = False) -> str:
    """A width or an error: in percentage points, or in the answers' unit (for a scale, its points)."""
    if question.values:
        number = figures(f"{value:.3g}" if value < 1000 else f"{value:,.0f}")
        return (
            number
            if bare
            else gettext("{number} scale points").format(number=number)
            if question.kind == "scale"
            else gettext("{number} units").format(number=number)
        )
    points = figures(f"{100 * value:.1f}" if value >= 0.001 else f"{100 * value:.2f}")
    return points if bare else gettext("{points} points").format(points=points)


def each(question: PlannedQuestion, value: float) -> str:
    """The expected value: a share or a mean."""
    return filled(gettext("a mean of {value:.3g}"), value=value) if question.values else f"{whole(100 * value)}{SPACE}%"


def whole(value: float) -> str:
    """A number with at most four significant digits."""
    return figures(f"{value:.4g}")


def truth_text(truth: Fraction) -> str:
    """A truth probability as an author would write it: 1/3, 0.35; exact."""
    if truth.denominator <= 10 or PARTS % truth.denominator:
        return str(truth)
    return f"{float(truth):.4f}".rstrip("0")


def chance(probability: float) -> str:
    """A probability in per cent, never rounded to 0 or 100."""
    percent = 100 * probability
    if percent < 0.01:
        return gettext("less than 0.01{space}%").format(space=SPACE)
    if percent > 99.9:
        return gettext("more than 99.9{space}%").format(space=SPACE)
    places = 2 if percent < 1 else 1 if percent < 10 or percent > 99 else 0
    return figures(f"{percent:.{places}f}{SPACE}%")


def times(cost: float, *, bare: bool = False) -> str:
    """The number of responses worth one direct answer."""
    if math.isinf(cost):
        return "–" if bare else gettext("infinitely")
    number = figures(f"{cost:.1f}" if cost < 100 else f"{cost:,.0f}")
    return number if bare else gettext("{number} times").format(number=number)
