"""Planning a survey: the error to expect, the people needed, the power of a test, the best mechanism at an epsilon."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from randomized_response._checks import as_count, as_level
from randomized_response.channel import Channel
from randomized_response.encodings import SubsetSelection, UnaryEncoding
from randomized_response.intervals import normal_quantile
from randomized_response.results import Result, Vector

Mechanism = Channel | UnaryEncoding | SubsetSelection


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
    return np.asarray(np.sqrt(_unit_variance(mechanism, _as_shares(shares, _answers(mechanism))) / size))


def respondents_needed(
    mechanism: Mechanism, shares: ArrayLike, *, margin: float, confidence: float = 0.95, simultaneous: bool = False
) -> int:
    """Number of reports for which every share gets a margin of at most `margin`: z standard errors.

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
    expected = _as_shares(shares, _answers(mechanism))
    half = float(margin)
    if not half > 0 or math.isinf(half):
        raise ValueError(f"margin must be greater than 0; got {margin!r}")
    level = as_level(confidence)
    if simultaneous and len(expected) > 2:
        level = 1 - (1 - level) / len(expected)
    variance = float(_unit_variance(mechanism, expected).max())
    return max(1, math.ceil(variance * (normal_quantile(level) / half) ** 2))


def power(
    n: int,
    mechanism: Mechanism,
    share: float,
    against: float,
    *,
    against_n: int | None = None,
    confidence: float = 0.95,
) -> float:
    """Probability that a two-sided test tells a yes share (answer 1 of two) from another one.

    Parameters
    ----------
    n : int
        Number of reports of the group.
    mechanism : Channel, UnaryEncoding or SubsetSelection
        Of two answers.
    share : float
        The group's true share of answer 1, in [0, 1].
    against : float
        A known share to test against, or the true share in a second, independent group.
    against_n : int or None
        Number of reports of that second group; None where `against` is known without error.
    confidence : float
        1 - the level of the test.

    Returns
    -------
    float
        Normal approximation: standard errors under the null (pooled share) for the limit of the test, under the
        alternative for its chance. With few reports the exact power differs by some points.

    Examples
    --------
    >>> from randomized_response import forced_response
    >>> round(power(1000, forced_response(truth="1/2"), 0.3, 0.2), 3)
    0.906
    """
    size = as_count(n, name="n", low=1)
    other = None if against_n is None else as_count(against_n, name="against_n", low=1)
    if _answers(mechanism) != 2:
        raise ValueError(f"mechanism must have two answers; got {_answers(mechanism)}")
    one, two = (_as_share(value, name) for value, name in ((share, "share"), (against, "against")))
    pooled = two if other is None else (size * one + other * two) / (size + other)
    limit = normal_quantile(as_level(confidence)) * _error_of_difference(mechanism, pooled, pooled, size, other)
    spread = _error_of_difference(mechanism, one, two, size, other)
    if spread == 0:
        return float(abs(one - two) > limit)
    return float(special.ndtr((one - two - limit) / spread) + special.ndtr((two - one - limit) / spread))


@dataclass(frozen=True)
class MechanismComparison(Result):
    """One mechanism at one epsilon. Made by `compare_mechanisms`.

    Attributes
    ----------
    name : str
        "k_ary", "optimised unary" or "subset selection".
    noise_variance : float
        n times the variance that the coin adds to a share, on average over the k shares.
    variance : float
        The same with the sampling of respondents.
    truth : float
        k_ary: the truth probability. Subset selection: the probability that the set holds the answer. Unary: that the
        bit of the answer stays on.
    size : int
        Number of choices in a set (1 for k_ary); for unary encoding the k bits.
    epsilon : float
    """

    name: str
    noise_variance: float
    variance: float
    truth: float
    size: int
    epsilon: float

    def __str__(self) -> str:
        return f"{self.name}: n Var = {self.variance:.4g}, of which the coin {self.noise_variance:.4g}"


def compare_mechanisms(k: int, *, epsilon: float, shares: ArrayLike | None = None) -> list[MechanismComparison]:
    """The mechanisms for one choice of k at one epsilon, the most precise first, by the exact variance.

    Parameters
    ----------
    k : int
        Number of choices, 2 to 256.
    epsilon : float
        Privacy loss of the question, greater than 0.
    shares : k numbers or None
        The shares that are expected; equal ones where not given.

    Returns
    -------
    list of MechanismComparison
        k-ary response, optimised unary encoding, and subset selection at its best set size, with real-valued
        probabilities exactly at epsilon; a table of integers comes as near as its denominator allows.

    Notes
    -----
    Variance of the unbiased estimates. After moving them to the simplex rare shares gain from all of them.

    References
    ----------
    Ye, M. & Barg, A. (2018). IEEE Transactions on Information Theory 64, 5662-5676. Wang, T., Blocki, J., Li, N. &
    Jha, S. (2017). USENIX Security.

    Examples
    --------
    >>> [(row.name, round(row.noise_variance, 2)) for row in compare_mechanisms(10, epsilon=1.1)]
    [('subset selection', 2.37), ('optimised unary', 3.09), ('k_ary', 3.14)]
    """
    size = as_count(k, name="k", low=2, high=256)
    if not 0 < epsilon < 700:
        raise ValueError(f"epsilon must be greater than 0 and less than 700; got {epsilon!r}")
    expected = np.full(size, 1 / size) if shares is None else _as_shares(shares, size)
    odds = math.exp(epsilon)
    sets = [_row("subset selection", *_set_rates(size, d, odds), expected, d, epsilon) for d in range(1, size)]
    rows = [
        _row("k_ary", *_set_rates(size, 1, odds), expected, 1, epsilon),
        _row("optimised unary", 0.5, 1 / (odds + 1), expected, size, epsilon),
        min(sets, key=lambda row: (row.variance, row.size)),
    ]
    return sorted(rows, key=lambda row: row.variance)


def _row(name: str, hit: float, miss: float, shares: Vector, size: int, epsilon: float) -> MechanismComparison:
    noise = float(np.mean(shares * hit * (1 - hit) + (1 - shares) * miss * (1 - miss))) / (hit - miss) ** 2
    truth = (hit - miss) if name == "k_ary" else hit
    return MechanismComparison(name, noise, noise + float(np.mean(shares * (1 - shares))), truth, size, epsilon)


def _set_rates(k: int, size: int, odds: float) -> tuple[float, float]:
    """P(in the set) for the answer and for another choice, with sets that hold the answer `odds` times as likely."""
    hit = size * odds / (size * odds + k - size)
    return hit, (size - hit) / (k - 1)


def _unit_variance(mechanism: Mechanism, shares: Vector) -> Vector:
    """n times the variance of each unbiased share."""
    if not isinstance(mechanism, Channel):
        hit, miss = float(mechanism.hit), float(mechanism.miss)
        rates = miss + (hit - miss) * shares
        return np.asarray(rates * (1 - rates) / (hit - miss) ** 2)
    rates, inverse = mechanism.matrix.T @ shares, mechanism.left_inverse
    return np.asarray((inverse**2) @ rates - (inverse @ rates) ** 2)


def _error_of_difference(mechanism: Mechanism, one: float, two: float, n: int, other: int | None) -> float:
    variance = float(_unit_variance(mechanism, np.array([1 - one, one]))[1]) / n
    if other is not None:
        variance += float(_unit_variance(mechanism, np.array([1 - two, two]))[1]) / other
    return math.sqrt(variance)


def _answers(mechanism: Mechanism) -> int:
    return mechanism.answers if isinstance(mechanism, Channel) else mechanism.k


def _as_share(value: float, name: str) -> float:
    share = float(value)
    if not 0 <= share <= 1:
        raise ValueError(f"{name} must be in [0, 1]; got {value!r}")
    return share


def _as_shares(shares: ArrayLike, answers: int) -> Vector:
    expected = np.asarray(shares, dtype=np.float64)
    if expected.shape != (answers,):
        raise ValueError(f"shares must have one value per answer, shape ({answers},); got shape {expected.shape}")
    if not np.all(expected >= 0) or abs(expected.sum() - 1) > 1e-9:
        raise ValueError(f"shares must be non-negative and sum to 1; got {expected.tolist()}")
    return expected
