"""How large a difference between versions of the page has to be, for a survey to find it."""

from fractions import Fraction

from collector.designs.arms import shares_of
from randomized_response import Channel, plan
from surveys.definition.mechanisms import mechanism_of
from surveys.definition.parts import BackgroundPart, ItemPart
from surveys.planning.forecast import POWER

SHARE = 0.5
"""Of yes with the first version, at which an estimate is least precise."""
STEPS = 20


def smallest_difference(item: ItemPart, background: BackgroundPart) -> float | None:
    """The smallest difference of a yes/no question's share, from SHARE, that is found with a power of POWER.

    Between the first version and the rarest of the others, by a test at 5 %, of as many responses as are expected.
    None where no difference is found so often.
    """
    first, *others = (int(share * background["expected_responses"]) for share in _shares(background))
    mechanism, n = mechanism_of(item), min(others)
    if not first or not n or not isinstance(mechanism, Channel):
        return None

    def found(difference: float) -> float:
        return plan.power(n, mechanism, SHARE - difference, SHARE, against_n=first)

    low, high = 0.0, SHARE
    if found(high) < POWER:
        return None
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if found(middle) >= POWER else (middle, high)
    return high


def _shares(background: BackgroundPart) -> tuple[Fraction, ...]:
    return shares_of(background["questions"][0]["arms"])
