"""Comparison of mechanisms for one choice of k at a given epsilon, by exact variance."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from randomized_response._checks import as_count, as_distribution
from randomized_response.results import Result, Vector


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
    """Compare the mechanisms for one choice of k at one epsilon, sorted by exact variance, the best first.

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
    expected = np.full(size, 1 / size) if shares is None else as_distribution(shares, name="shares", size=size)
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
