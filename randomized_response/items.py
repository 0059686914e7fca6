"""Several randomized items of the same respondents: their joint distribution, independence, and the number of yes."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from randomized_response._checks import as_level
from randomized_response._diagnostics import LikelihoodRatio, likelihood_ratio
from randomized_response._labels import matched
from randomized_response._limits import around, root_of_diagonal, wald_limits
from randomized_response.channel import Channel
from randomized_response.constrained import interior_point, maximum_likelihood
from randomized_response.errors import ParameterError
from randomized_response.joint import JointEstimate, estimate_joint
from randomized_response.results import ProportionEstimate, Result
from randomized_response.weighted import Weights, read_mass, unbiased_transform

Floats = NDArray[np.float64]

MOST_CELLS = 1024
"""Largest number of combinations of answers."""


@dataclass(frozen=True, eq=False, repr=False)
class ItemsEstimate(Result):
    """The joint distribution of the answers to several items. Made by `estimate_items`.

    Attributes
    ----------
    unbiased : array (k_1, ..., k_J)
        Mean of the products of the unbiased transforms; sums to 1, may be negative in places.
    constrained : array (k_1, ..., k_J)
        Maximum likelihood, never negative, of sum 1.
    standard_error : array (k_1, ..., k_J)
        Of `unbiased`.
    scores : ProportionEstimate or None
        Shares of the people with 0, 1, ..., J answers yes; None unless every item has two answers.
    pairs : tuple of (int, int, JointEstimate)
        Every two items by themselves, with their association and its test; none with weights.
    independence : LikelihoodRatio
        The test of all answers being independent of each other; no p-value with weights.
    log_likelihood : float
    n : int
    confidence : float
    """

    unbiased: Floats
    constrained: Floats
    standard_error: Floats
    scores: ProportionEstimate | None
    pairs: tuple[tuple[int, int, JointEstimate], ...]
    independence: LikelihoodRatio
    log_likelihood: float
    n: int
    confidence: float

    def margin(self, *items: int) -> Floats:
        """The constrained shares of some of the items, in the order given, the others added up."""
        others = tuple(item for item in range(self.constrained.ndim) if item not in items)
        kept = [item for item in range(self.constrained.ndim) if item in items]
        if sorted(items) != kept:
            raise ParameterError("items", f"must be different, from 0 to {self.constrained.ndim - 1}; got {items}")
        return np.transpose(self.constrained.sum(axis=others), [kept.index(item) for item in items])

    def __str__(self) -> str:
        lines = [f"{self.n} respondents, {self.constrained.ndim} items; independence: {self.independence}"]
        for one, other, joint in self.pairs:
            phi = "" if joint.phi is None else f", phi = {joint.phi.estimate:.4f}"
            lines.append(f"items {one} and {other}: {joint.independence}{phi}")
        return "\n".join([*lines, *([] if self.scores is None else ["number of yes:", str(self.scores)])])

    __repr__ = __str__


def estimate_items(
    reports: ArrayLike,
    channels: Sequence[Channel],
    weights: Weights = None,
    *,
    confidence: float = 0.95,
) -> ItemsEstimate:
    """Estimate the joint distribution of the answers to several randomized items, and of the number of yes.

    Model: a respondent has one answer to each of J items, drawn together from theta, and reports each through a draw of
    its own: P(reports = y) = sum_x theta_x prod_j P_j(y_j | x_j).

    Parameters
    ----------
    reports : array of shape (n, J)
        Symbols, a row for each respondent.
    channels : sequence of J Channel
        2 to 10 items, with at most 1,024 combinations of answers.
    weights : CalibratedWeights, or array of shape (n,), optional
        Positive; only their proportions matter. Calibration is not taken off the standard errors.
    confidence : float
        Level of the intervals, in (0, 1).

    Returns
    -------
    ItemsEstimate
        `scores` has Wald intervals around the constrained share. Its standard errors are those of a mean of independent
        contributions, weighted as in `estimate_weighted`.

    Raises
    ------
    ValueError
        Naming the argument, the bound and the value.

    Notes
    -----
    The likelihood is maximised over all combinations, whatever their association, so the number of cells grows as the
    product of the answers and the noise with it: through two coins the standard error of the share of one combination
    of J answers grows about as 2^J. The number of yes is far more precise. Options of which several may apply are
    items, too: one channel for each.

    References
    ----------
    Cruyff, M. J. L. F., van den Hout, A. & van der Heijden, P. G. M. (2008). The analysis of randomized response sum
    score variables. JRSS B 70, 21-30. van den Hout, A. & van der Heijden, P. G. M. (2002). Randomized response,
    statistical disclosure control and misclassification: a review. International Statistical Review 70, 269-288.

    Examples
    --------
    >>> import numpy as np
    >>> from randomized_response import forced_response, simulate
    >>> coins, generator = forced_response(truth="1/2"), np.random.default_rng(3)
    >>> answers = np.repeat([[0, 0, 0], [1, 1, 0]], [3000, 1000], axis=0)
    >>> found = estimate_items(simulate(coins, answers, generator), [coins] * 3)
    >>> found.scores.constrained.round(1), found.independence.p_value < 0.001
    (array([0.7, 0.1, 0.2, 0. ]), True)
    """
    level = as_level(confidence)
    reports, weights = matched(reports=reports, weights=weights)
    codes = _read(reports, channels)
    n = len(codes)
    mass = read_mass(weights, n)
    if mass.min() <= 0:
        raise ParameterError("weights", "must be positive: calibrate by raking, or with bounds above 0")
    share = mass / mass.sum()
    mass = n * share
    parts = [unbiased_transform(codes[:, j], channel) for j, channel in enumerate(channels)]
    shape = tuple(channel.answers for channel in channels)
    contributions = reduce(_crossed, parts)
    unbiased = share @ contributions
    errors = np.sqrt(_variance_of_mean(contributions - unbiased, share))
    constrained, height = _most_likely(codes, channels, mass)
    apart = sum(_height_alone(codes[:, j], channel, mass) for j, channel in enumerate(channels))
    test = likelihood_ratio(height, apart, prod(shape) - 1 - sum(k - 1 for k in shape))
    pairs: tuple[tuple[int, int, JointEstimate], ...] = ()
    if weights is None:
        pairs = tuple((i, j, _pair(codes, channels, i, j, level)) for i, j in combinations(range(len(shape)), 2))
    else:
        test = LikelihoodRatio(test.statistic, test.degrees_of_freedom, float("nan"))
    scores = _scores(parts, share, constrained.reshape(shape), level) if set(shape) == {2} else None
    return ItemsEstimate(
        unbiased.reshape(shape), constrained.reshape(shape), errors.reshape(shape),
        scores, pairs, test, height, n, level,
    )  # fmt: skip


def _read(reports: ArrayLike, channels: Sequence[Channel]) -> NDArray[np.intp]:
    if not 2 <= len(channels) <= 10:
        raise ParameterError("channels", f"must be 2 to 10; got {len(channels)}")
    if (cells := prod(channel.answers for channel in channels)) > MOST_CELLS:
        raise ParameterError("channels", f"must have at most {MOST_CELLS} combinations of answers; got {cells}")
    try:
        table = np.asarray(reports, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError("reports", f"must be whole numbers from 0; {error}") from None
    if table.ndim != 2 or table.shape[1] != len(channels) or len(table) < 2:
        need = f"must have shape (n, {len(channels)}) with n at least 2"
        raise ParameterError("reports", f"{need}; got shape {table.shape}")
    sizes = np.array([channel.reports for channel in channels])
    wrong = np.argwhere(~((table >= 0) & (table < sizes) & (table == np.floor(table))))
    if wrong.size:
        i, j = wrong[0]
        need = f"must be a whole number from 0 to {sizes[j] - 1}"
        raise ParameterError(f"reports[{i}, {j}]", f"{need}; got {table[i, j]:g}")
    return table.astype(np.intp)


def _crossed(left: Floats, right: Floats) -> Floats:
    return np.asarray((left[:, :, None] * right[:, None]).reshape(len(left), -1))


def _variance_of_mean(around_mean: Floats, share: Floats) -> Floats:
    n = len(share)
    return np.asarray(n / (n - 1) * (share**2 @ around_mean**2))


def _most_likely(codes: NDArray[np.intp], channels: Sequence[Channel], mass: Floats) -> tuple[Floats, float]:
    """The most likely shares of the combinations of answers, and the log likelihood there."""
    sizes = tuple(channel.reports for channel in channels)
    patterns, place = np.unique(np.ravel_multi_index(tuple(codes.T), sizes), return_inverse=True)
    counts = np.bincount(place.ravel(), mass)
    rows = np.array(np.unravel_index(patterns, sizes))
    matrix = reduce(
        lambda left, right: (left[:, None] * right[None]).reshape(-1, left.shape[1]),
        [channel.matrix[:, rows[j]] for j, channel in enumerate(channels)],
    )
    shares = np.maximum(interior_point(counts / counts.sum(), matrix), 0)
    shares = np.where(shares < 1e-9, 0.0, shares)
    shares = shares / shares.sum()
    return shares, float(counts @ np.log(matrix.T @ shares))


def _height_alone(codes: NDArray[np.intp], channel: Channel, mass: Floats) -> float:
    counts = np.bincount(codes, mass, minlength=channel.reports)
    rates = channel.matrix.T @ maximum_likelihood(counts / counts.sum(), channel)
    seen = counts > 0
    return float(counts[seen] @ np.log(rates[seen]))


def _pair(codes: NDArray[np.intp], channels: Sequence[Channel], i: int, j: int, level: float) -> JointEstimate:
    table = np.zeros((channels[i].reports, channels[j].reports), dtype=np.int64)
    np.add.at(table, (codes[:, i], codes[:, j]), 1)
    return estimate_joint(table, channels[i], channels[j], confidence=level)


def _scores(parts: Sequence[Floats], share: Floats, joint: Floats, level: float) -> ProportionEstimate:
    """Shares of the numbers of yes: each respondent's contribution is the product of polynomials, one for each item."""
    n = len(share)
    made = np.ones((n, 1))
    for part in parts:
        longer = np.zeros((n, made.shape[1] + 1))
        longer[:, :-1] += made * part[:, :1]
        longer[:, 1:] += made * part[:, 1:]
        made = longer
    unbiased = share @ made
    around_mean = made - unbiased
    covariance = n / (n - 1) * (around_mean * (share**2)[:, None]).T @ around_mean
    noise = (made * (share**2)[:, None]).T @ made - np.diag(share**2 @ made)
    numbers = np.indices(joint.shape).sum(axis=0)
    constrained = np.asarray(np.bincount(numbers.ravel(), joint.ravel()), dtype=np.float64)
    low, high = around(constrained, *wald_limits(unbiased, covariance, level))
    noise_low, noise_high = around(constrained, *wald_limits(unbiased, noise, level))
    return ProportionEstimate(
        unbiased, constrained, root_of_diagonal(covariance), covariance, root_of_diagonal(noise), noise,
        low, high, noise_low, noise_high, n, "wald", "wald", level,
    )  # fmt: skip
