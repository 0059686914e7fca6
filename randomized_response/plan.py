"""Survey planning: expected properties of an estimate, sample sizes, power of a test, the best mechanism."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from randomized_response import _scipy as scipy
from randomized_response._checks import as_count, as_distribution, as_level
from randomized_response._mechanism_comparison import MechanismComparison, compare_mechanisms
from randomized_response._planning_targets import (
    Alternative,
    Mechanism,
    answers_of,
    as_alternative,
    as_share,
    chance_to_tell,
    require_difference,
    target,
    unit_variance,
)
from randomized_response.intervals import normal_quantile
from randomized_response.results import Result, Vector

__all__ = [
    "Forecast",
    "Mechanism",
    "MechanismComparison",
    "compare_mechanisms",
    "forecast",
    "power",
    "respondents_for_power",
    "respondents_needed",
    "shares_around",
    "standard_error",
]


def standard_error(n: int, mechanism: Mechanism, shares: ArrayLike) -> Vector:
    """The standard error of the unbiased estimate of each share that n reports will have.

    sqrt(diag B (diag(lambda) - lambda lambda^T) B^T / n), lambda = P^T shares: sampling of respondents and coin
    together, for a large population.

    Parameters
    ----------
    n : int
        Number of reports, at least 1.
    mechanism : Channel, UnaryEncoding or SubsetSelection
    shares : k numbers
        The shares that are expected; non-negative, of sum 1.

    Returns
    -------
    array (k,)

    Examples
    --------
    >>> from randomized_response import forced_response
    >>> standard_error(1000, forced_response(truth="1/2"), [0.7, 0.3]).round(4)
    array([0.031, 0.031])
    """
    size = as_count(n, name="n", low=1)
    return np.asarray(
        np.sqrt(unit_variance(mechanism, as_distribution(shares, name="shares", size=answers_of(mechanism))) / size)
    )


def respondents_needed(
    mechanism: Mechanism,
    shares: ArrayLike,
    *,
    margin: float,
    confidence: float = 0.95,
    simultaneous: bool = False,
    values: ArrayLike | None = None,
) -> int:
    """Number of reports for which every share, or the mean, gets a margin of at most `margin`: z standard errors.

    Parameters
    ----------
    mechanism : Channel, UnaryEncoding or SubsetSelection
    shares : k numbers
        The shares that are expected. For a cautious plan of a yes/no question take 1/2.
    margin : float
        Half the width of the interval that is wanted, greater than 0.
    confidence : float
        In (0, 1).
    simultaneous : bool
        Whether all k intervals shall hold at once (Bonferroni), for k > 2.
    values : k numbers or None
        What the answers stand for, where it is their mean that is estimated; `margin` is in the same unit.

    Returns
    -------
    int
        From the normal approximation; exact intervals are a few per cent wider where n is in the hundreds.

    Examples
    --------
    >>> from randomized_response import forced_response
    >>> respondents_needed(forced_response(truth="1/2"), [0.7, 0.3], margin=0.05)
    1476
    """
    expected = as_distribution(shares, name="shares", size=answers_of(mechanism))
    half = float(margin)
    if not half > 0 or math.isinf(half):
        raise ValueError(f"margin must be greater than 0; got {margin!r}")
    level = as_level(confidence)
    if values is not None:
        variance = target(mechanism, expected, 0, values).variance
    else:
        level = 1 - (1 - level) / len(expected) if simultaneous and len(expected) > 2 else level
        variance = float(unit_variance(mechanism, expected).max())
    return max(1, math.ceil(variance * (normal_quantile(level) / half) ** 2))


@dataclass(frozen=True)
class Forecast(Result):
    """Expected properties of one estimate from n reports. Made by `forecast`.

    Attributes
    ----------
    expected : float
        The share in [0, 1], or the mean in the units of the values, that is expected.
    standard_error : float
        Of the unbiased estimate, in the same unit: respondents and coin together.
    width : float
        Mean width of the default interval, cut to the range of what is estimated.
    below, above : float
        Chances that the unbiased estimate lies below its range (a share: is negative) and above it.
    direct_n : float
        Number of honest respondents whom a direct question needs for the same standard error; 0 where all are alike.
    cost : float
        Number of reports that are worth one honest direct answer, n / direct_n; inf where all are alike.
    exact : bool
        Whether width and chances come from the binomial of the reports; else from the normal approximation.
    n : int
    confidence : float
    """

    expected: float
    standard_error: float
    width: float
    below: float
    above: float
    direct_n: float
    cost: float
    exact: bool
    n: int
    confidence: float


def forecast(
    n: int,
    mechanism: Mechanism,
    shares: ArrayLike,
    *,
    answer: int = 1,
    values: ArrayLike | None = None,
    confidence: float = 0.95,
) -> Forecast:
    """Forecast an estimate: error, interval, chance of lying out of range, and direct sample size.

    Parameters
    ----------
    n : int
        Number of reports, at least 1.
    mechanism : Channel, UnaryEncoding or SubsetSelection
        Of several choices: the table of one option, with the shares of those who would not and would tick it.
    shares : k numbers
        The shares that are expected; non-negative, of sum 1.
    answer : int
        The answer whose share is estimated.
    values : k numbers or None
        What the answers stand for, where it is their mean that is estimated (`estimate_mean`); then any table that the
        mean can be told from will do.
    confidence : float
        Level of the interval, in (0, 1).

    Returns
    -------
    Forecast

    Notes
    -----
    A yes/no table, k-ary response, a bit of an encoding and `one_bit` leave one binomial count. The chances are then
    exact, and `width` is the mean over the binomial of the default interval (Feldman and Cousins'), computed at 17
    counts, with its limits on straight lines between them: within 1 % of the sum over every count.
    For other tables the interval is taken to be Wald's. What keeps an interval around a constrained estimate is left
    out.

    References
    ----------
    Feldman, G. J. & Cousins, R. D. (1998). Physical Review D 57, 3873-3889.

    Examples
    --------
    >>> from randomized_response import forced_response
    >>> ahead = forecast(1000, forced_response(truth="1/2"), [0.9, 0.1])
    >>> round(ahead.width, 3), round(ahead.below, 5), round(ahead.direct_n), round(ahead.cost, 1)
    (0.112, 0.0002, 107, 9.3)
    """
    size, level = as_count(n, name="n", low=1), as_level(confidence)
    aim = target(mechanism, as_distribution(shares, name="shares", size=answers_of(mechanism)), answer, values)
    below, above = aim.outside(size)
    direct = size * aim.direct_variance / aim.variance if aim.variance > 0 else math.nan
    return Forecast(
        aim.expected, math.sqrt(aim.variance / size), aim.width(size, level), below, above,
        direct, size / direct if direct > 0 else math.inf, aim.rate is not None, size, level,
    )  # fmt: skip


def power(
    n: int,
    mechanism: Mechanism,
    share: float | ArrayLike,
    against: float | ArrayLike,
    *,
    answer: int = 1,
    values: ArrayLike | None = None,
    against_n: int | None = None,
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
) -> float:
    """Power of a test that distinguishes a share, or a mean, from another one.

    Parameters
    ----------
    n : int
        Number of reports of the group.
    mechanism : Channel, UnaryEncoding or SubsetSelection
    share : float or k numbers
        The group's true share of answer 1 of two, in [0, 1]; or its true shares of all answers.
    against : float or k numbers
        What is known to test against, or is true in a second, independent group.
    answer, values :
        As for `forecast`: whose share is compared, or the values whose means are.
    against_n : int or None
        Number of reports of that second group; None where `against` is known without error.
    alternative : {"two-sided", "greater", "less"}
        What the test is to show: that the share, or mean, is another one than `against`, is greater, or is less.
    confidence : float
        1 - the level of the test.

    Returns
    -------
    float
        Normal approximation: standard errors under the null (pooled shares) for the limit of the test, under the
        alternative for its chance. With few reports the exact power differs by some points.

    Examples
    --------
    >>> from randomized_response import forced_response
    >>> round(power(1000, forced_response(truth="1/2"), 0.3, 0.2), 3)
    0.906
    """
    size = as_count(n, name="n", low=1)
    other = None if against_n is None else as_count(against_n, name="against_n", low=1)
    one, two = _all_shares(mechanism, share, "share"), _all_shares(mechanism, against, "against")
    pooled = two if other is None else (size * one + other * two) / (size + other)
    aims = [target(mechanism, shares, answer, values) for shares in (one, two, pooled)]
    return chance_to_tell(aims, size, other, as_level(confidence), as_alternative(alternative))


def respondents_for_power(
    mechanism: Mechanism,
    share: float | ArrayLike,
    against: float | ArrayLike,
    *,
    power: float = 0.8,
    answer: int = 1,
    values: ArrayLike | None = None,
    groups: int = 2,
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
) -> int:
    """Number of reports that each group needs for a test to distinguish two, or one group from what is known.

    Parameters
    ----------
    mechanism, share, against, answer, values, alternative, confidence :
        As for the function `power`.
    power : float
        The probability that is wanted, in (0, 1).
    groups : 1 or 2
        Two groups of equal size, or one where `against` is known without error.

    Returns
    -------
    int
        Reports in each of the groups; the smallest number for which the function `power` gives that much.

    Raises
    ------
    ValueError
        Where an argument is out of range, the two groups are alike, or the difference is not the `alternative`.

    Examples
    --------
    >>> from randomized_response import forced_response
    >>> respondents_for_power(forced_response(truth="1/2"), 0.3, 0.2)
    1471
    >>> respondents_for_power(forced_response(truth="1/2"), 0.3, 0.2, groups=1, alternative="greater")
    573
    """
    wanted, level = as_level(power, name="power"), as_level(confidence)
    one, two = _all_shares(mechanism, share, "share"), _all_shares(mechanism, against, "against")
    single, side = as_count(groups, name="groups", low=1, high=2) == 1, as_alternative(alternative)
    aims = [target(mechanism, shares, answer, values) for shares in (one, two, two if single else (one + two) / 2)]
    require_difference(aims[0].expected, aims[1].expected, side)

    def is_enough(n: int) -> bool:
        return chance_to_tell(aims, n, None if single else n, level, side) >= wanted

    low, high = 0, 1
    while not is_enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def shares_around(k: int, *, mean: float, deviation: float) -> Vector:
    """Shares of the k points of a scale or grid with exactly this mean and standard deviation: the beta-binomial.

    For plans of a mean, where shares are seldom at hand.

    Parameters
    ----------
    k : int
        Number of points 0, 1, ... k - 1; 2 to 256.
    mean : float
        In points, greater than 0 and less than k - 1.
    deviation : float
        Standard deviation in points: from that of the binomial, sqrt(mean (1 - mean / (k - 1))), up to that of a crowd
        at the two ends, sqrt(mean (k - 1 - mean)).

    Returns
    -------
    array (k,)

    References
    ----------
    Johnson, N. L., Kemp, A. W. & Kotz, S. (2005). Univariate Discrete Distributions, 3rd ed., section 6.2.2. Wiley.

    Examples
    --------
    >>> shares_around(5, mean=1.5, deviation=1.2).round(3)
    array([0.247, 0.29 , 0.243, 0.156, 0.064])
    """
    last = as_count(k, name="k", low=2, high=256) - 1
    if not 0 < mean < last:
        raise ValueError(f"mean must be greater than 0 and less than {last}; got {mean!r}")
    rate = mean / last
    least, most = (math.sqrt(size * rate * (1 - rate)) for size in (last, last * last))
    if not least * (1 - 1e-9) <= deviation <= most * (1 + 1e-9):
        raise ValueError(f"deviation must be from {least:.4g} to {most:.4g} around that mean; got {deviation!r}")
    alike = 0.0 if last == 1 else ((deviation / least) ** 2 - 1) / (last - 1)
    points = np.arange(last + 1)
    if alike <= 1e-9:
        weights = scipy.special.xlogy(points, rate) + scipy.special.xlog1py(last - points, -rate)
    elif alike >= 1 - 1e-9:
        return np.where(points == 0, 1 - rate, np.where(points == last, rate, 0.0))
    else:
        one, two = rate * (1 / alike - 1), (1 - rate) * (1 / alike - 1)
        weights = scipy.special.betaln(points + one, last - points + two)
    weights = weights - scipy.special.gammaln(points + 1) - scipy.special.gammaln(last - points + 1)
    shares = np.exp(weights - weights.max())
    return np.asarray(shares / shares.sum())


def _all_shares(mechanism: Mechanism, share: float | ArrayLike, name: str) -> Vector:
    """The shares of all answers; a single number is that of answer 1 of two."""
    answers = answers_of(mechanism)
    if np.ndim(share):
        return as_distribution(share, name=name, size=answers)
    if answers != 2:
        raise ValueError(f"mechanism must have two answers; got {answers}: {name} is one number")
    one = as_share(share, name)  # type: ignore[arg-type]
    return np.array([1 - one, one])
