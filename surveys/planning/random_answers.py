"""How many responses a control question needs to show people who answer at random."""

from fractions import Fraction

from randomized_response import Channel, plan
from surveys.planning.forecast import POWER

AT_RANDOM = 0.08
"""Share of people who answer at random that a control question is to show; a half of them says yes."""
MOST = 10_000_000


def responses_to_detect(channel: Channel, known: str, at_random: float = AT_RANDOM) -> int | None:
    """The fewest responses with which so many random answers are found in POWER of surveys, by a test at 5 %.

    - `channel`: of a yes/no question.
    - `known`: the share that truly says yes, as text; not a half.

    None where more than MOST are needed.
    """
    share = float(Fraction(known))
    if not 0 <= share <= 1 or share == 0.5:
        return None  # which opening refuses
    said = share + at_random * (0.5 - share)

    def found(n: int) -> bool:
        return plan.power(n, channel, said, share) >= POWER

    if not found(MOST):
        return None
    low, high = 0, 1
    while not found(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if found(middle) else (middle, high)
    return high
