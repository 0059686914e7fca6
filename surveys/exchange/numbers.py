"""Numbers of other tools as numbers within bounds, in steps."""

import math
import re
from fractions import Fraction

from surveys.exchange.source import Question, shown

MOST_POINTS = 256
WITHOUT_BOUNDS = (Fraction(0), Fraction(100))


def grid_of(question: Question) -> tuple[dict[str, str], list[str]]:
    """Minimum, maximum and step of a number, and what was changed to have them, in sentences."""
    said: list[str] = []
    low, high = _bounds(question, said)
    if low >= high:
        said.append(f"The bounds {_decimal(low)} and {_decimal(high)} are no range; 0 to 100 were put in.")
        low, high = WITHOUT_BOUNDS
    return _stepped(question, low, high, said), said


def _bounds(question: Question, said: list[str]) -> tuple[Fraction, Fraction]:
    found: list[Fraction] = []
    for name, written, usual in (
        ("minimum", question.minimum, WITHOUT_BOUNDS[0]), ("maximum", question.maximum, WITHOUT_BOUNDS[1]),
    ):  # fmt: skip
        number = _number(written)
        if number is None:
            told = f"The {name} {shown(written)} could not be read" if written else f"It has no {name}"
            said.append(f"{told}: {_decimal(usual)} was put in, check it.")
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
        said.append(f"A number has at most {MOST_POINTS} points: it is asked in steps of {_decimal(step)}.")
    steps = math.ceil((high - low) / step)
    if low + steps * step != high:
        high = low + steps * step
        said.append(f"The maximum is {_decimal(high)}, a whole number of steps.")
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
