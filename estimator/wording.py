"""Numbers as people read them: rounded as far as their error supports, and in sentences that can be quoted."""

import math
from fractions import Fraction

from estimator.computing import CLIPPED, IMPOSSIBLE, MINIMUM_REPORTS, WEIGHTED

SPACE = "\u00a0"  # no line break between a number and its sign
MOST_DECIMALS = 2

FLAGS = {
    WEIGHTED: "Weighted by the known sizes of the groups.",
    CLIPPED: "Before it was kept within 0 to 100 %, the estimate lay outside: near the edge, chance alone does that.",
    IMPOSSIBLE: "The reports hold more of one answer than the table of this question can produce, by far more than "
    "chance explains. Somebody may have sent false reports.",
}
"""What the flags of an estimate mean; `too_few_reports` is said in place of the numbers."""

METHODS = {
    "exact": "exact binomial interval (Blaker 2000) mapped through the table",
    "clopper_pearson": "Clopper-Pearson interval mapped through the table",
    "score": "score interval (Wilson) mapped through the table",
    "mid_p": "mid-p interval mapped through the table",
    "jeffreys": "Jeffreys interval mapped through the table",
    "wald": "Wald interval: the estimate and its standard error, normal approximation",
    "likelihood": "profile likelihood interval on the simplex",
    "bayes": "densest part of the posterior under equally likely mixtures",
    "bootstrap": "bootstrap interval",
    "none": "no interval",
}


def decimals(standard_error: float | None) -> int:
    """How many decimals of a percentage its standard error supports."""
    if not standard_error:
        return 0
    return min(MOST_DECIMALS, max(0, math.ceil(-math.log10(100 * standard_error))))


def percent(share: float | None, places: int = 0) -> str:
    """A share as a percentage; a dash where there is none."""
    return "–" if share is None else f"{_unsigned(100 * share, places)}{SPACE}%"


def between(low: float | None, high: float | None, places: int = 0) -> str:
    """An interval in words, rounded outwards: what is shown is never narrower than what was computed."""
    if low is None or high is None:
        return "–"
    return f"between {_down(low, places)}{SPACE}% and {_up(high, places)}{SPACE}%"


def span(low: float | None, high: float | None, places: int = 0) -> str:
    """An interval as short as a table wants it, rounded outwards."""
    return "–" if low is None or high is None else f"{_down(low, places)} to {_up(high, places)}{SPACE}%"


def points(difference: float | None, places: int = 1) -> str:
    """A difference of shares in percentage points."""
    return "–" if difference is None else f"{100 * difference:.{places}f}"


def points_up(difference: float) -> str:
    """A bound in percentage points, rounded up to a tenth."""
    return f"{_ceil(difference * 1000) / 10:.1f}"


def count(number: float | None) -> str:
    return "–" if number is None else f"{number:,.0f}"


def epsilon(value: float) -> str:
    """Epsilon to two decimals, rounded up: protection is never overstated."""
    return "∞" if math.isinf(value) else f"{math.ceil(value * 100) / 100:.2f}"


def odds(ratio: Fraction | float) -> str:
    """e^epsilon as a factor, rounded up: to a tenth below ten, to a whole number from there."""
    if isinstance(ratio, float) and math.isinf(ratio):
        return "∞"
    tenths = math.ceil(Fraction(ratio) * 10)
    return f"{tenths / 10:g}" if tenths < 100 else f"{math.ceil(Fraction(ratio)):,}"


def not_enough(n: int) -> str:
    """Why there is no estimate."""
    if n < MINIMUM_REPORTS:
        return f"Not enough reports yet: {n} of {MINIMUM_REPORTS}"
    return "Not enough reports yet in every group"


def sentence(*, choice: str, group: str, respondents: str, n: int, estimate: str, interval: str, weighted: bool) -> str:
    """An estimate as somebody may quote it, never without its interval."""
    held = f"have “{choice}” as their true answer"
    if group:
        return f"In the group “{group}”, an estimated {estimate} of {count(n)} {respondents} ({interval}) {held}."
    if weighted:
        return f"Weighted by the known sizes of the groups, an estimated {estimate} ({interval}) {held}."
    return f"An estimated {estimate} of the {count(n)} {respondents} ({interval}) {held}."


def _down(share: float, places: int) -> str:
    return _unsigned(math.floor(share * 100 * 10**places + 1e-9) / 10**places, places)


def _up(share: float, places: int) -> str:
    return _unsigned(_ceil(share * 100 * 10**places) / 10**places, places)


def _ceil(value: float) -> int:
    return math.ceil(value - 1e-9)


def _unsigned(value: float, places: int) -> str:
    text = f"{value:.{places}f}"
    return text.lstrip("-") if float(text) == 0 else text
