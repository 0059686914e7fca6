"""Numbers of other tools as numbers within bounds, in steps."""

import math
import re
from fractions import Fraction

from django.utils.translation import gettext

from surveys.exchange.source import Question, shown

MOST_POINTS = 256
WITHOUT_BOUNDS = (Fraction(0), Fraction(100))


def grid_of(question: Question) -> tuple[dict[str, str], list[str]]:
    """Minimum, maximum and step of a number, and what was changed to have them, in sentences."""
    said: list[str] = []
    low, high = _bounds(question, said)
    if low >= high:
        said.append(
            gettext("The limits {low} and {high} are not a range; 0 to 100 is used.").format(
                low=_decimal(low), high=_decimal(high)
            )
        )
        low, high = WITHOUT_BOUNDS
    return _stepped(question, low, high, said), said


def _bounds(question: Question, said: list[str]) -> tuple[Fraction, Fraction]:
    found: list[Fraction] = []
    for name, written, usual in (
        ("minimum", question.minimum, WITHOUT_BOUNDS[0]), ("maximum", question.maximum, WITHOUT_BOUNDS[1]),
    ):  # fmt: skip
        number = _number(written)
        if number is None:
            told = (
                gettext("The {name} {written} could not be read").format(name=name, written=shown(written))
                if written
                else gettext("It has no {name}").format(name=name)
            )
            said.append(gettext("{told}: {usual} is used, check it.").format(told=told, usual=_decimal(usual)))
        found.append(usual if number is None else number)
    if found[1] <= found[0] and not question.maximum.strip():
        found[1] = found[0] + 100
    return found[0], found[1]


def _stepped(question: Question, low: Fraction, high: Fraction, said: list[str]) -> dict[str, str]:
    """The range in steps that are few enough; the end moves up where the last step would not fit."""
    wanted = _number(question.step) or Fraction(1)
    wanted = wanted if wanted > 0 else Fraction(1)
    step = wanted
    if (high - low) / step >= MOST_POINTS:
        step = _round_step((high - low) / (MOST_POINTS - 1), wanted)
        said.append(
            gettext("A number has at most {most_points} points: it is asked in steps of {step}.").format(
                most_points=MOST_POINTS, step=_decimal(step)
            )
        )
    steps = math.ceil((high - low) / step)
    if low + steps * step != high:
        high = low + steps * step
        said.append(gettext("The maximum is {high}, a whole number of steps.").format(high=_decimal(high)))
    return {"minimum": _decimal(low), "maximum": _decimal(high), "step": _decimal(step)}


def _round_step(least: Fraction, unit: Fraction) -> Fraction:
    """The smallest of 1, 2, 5, 10, 20, ... units that is at least this."""
    power = unit
    while True:
        for factor in (1, 2, 5):
            if power * factor >= least:
                return power * factor
        power *= 10


def _number(written: str) -> Fraction | None:
    """A decimal number of at most nine digits before and six behind the point."""
    written = written.strip().replace(",", ".") if written.count(",") == 1 and "." not in written else written.strip()
    return Fraction(written) if re.fullmatch(r"-?[0-9]{1,9}(\.[0-9]{1,6})?", written) else None


def _decimal(number: Fraction) -> str:
    if number.denominator == 1:
        return str(number.numerator)
    return f"{float(number):.6f}".rstrip("0").rstrip(".")
