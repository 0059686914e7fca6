"""The randomisation that imported questions begin with: other tools have none, so each gets an equal share of a budget.

The tables are exact. With odds o = e^epsilon of a question, a truth probability t is the largest with
t / (1 - t) = (o - 1) / 2 for forced response and one bit, and (o - 1) / k for one of k answers.
"""

import math
from fractions import Fraction

from surveys.definition.ceilings import TOTAL
from surveys.definition.parts import ItemPart

USUAL = Fraction(3)
"""e^epsilon of a question where the budget allows it: two coins, epsilon 1.1."""

FEWEST_SUBSET = 7
"""Number of answers from which a random set tells more than one answer of them."""

LONGEST_SCALE = 9
"""Points from which a scale is moved by steps."""


def odds_of_each(questions: int) -> Fraction:
    """e^epsilon that each of so many questions may spend so that all together stay within the usual total."""
    share = math.exp(float(TOTAL) / max(questions, 1))
    return min(USUAL, _rounded_down(share))


def channel_of(item: ItemPart, odds: Fraction) -> dict[str, object]:
    """The channel, as an author would write it, for a question that may multiply odds by this much."""
    # An unfinished question, with too few options yet, gets the table of two.
    answers = max(len(item["choices"]) + ("prefer_not" in item), 2)
    match item["kind"]:
        case "number":
            return {"name": "one_bit", "truth": str(_truth(odds, 2))}
        case "several_choices":
            steps = min(answers, 2 * item.get("most", answers))
            each = _rounded_down(float(odds) ** (1 / steps))
            return {"name": "forced_response", "truth": str(_truth(each, 2)), "yes": "1/2"}
        case "yes_no" if answers == 2:
            return {"name": "forced_response", "truth": str(_truth(odds, 2)), "yes": "1/2"}
        case "scale" if answers > LONGEST_SCALE and "prefer_not" not in item:
            return {"name": "discrete_laplace", "epsilon": _epsilon(odds)}
        case "one_choice" if answers >= FEWEST_SUBSET:
            return {"name": "subset", "epsilon": _epsilon(odds)}
        case _:
            return {"name": "k_ary", "truth": str(_truth(odds, answers))}


def _truth(odds: Fraction, answers: int) -> Fraction:
    against = (odds - 1) / answers
    return against / (1 + against)


def _rounded_down(odds: float) -> Fraction:
    """The odds in few digits, never more than they are: 1.649 is 8/5, 1.0408 is 51/49 or so."""
    excess = odds - 1
    parts = 10 if excess >= 0.5 else 10 ** math.ceil(1 - math.log10(excess) + 1)
    return max(Fraction(math.floor(excess * parts), parts), Fraction(1, 10_000)) + 1


def _epsilon(odds: Fraction) -> str:
    """Epsilon in a decimal number, rounded down."""
    return f"{max(math.floor(math.log(odds) * 1000), 1) / 1000:g}"
