"""Shares and means in a population from estimates in cells, whose weights are calibrated to known margins."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from randomized_response._limits import around, root_of_diagonal
from randomized_response._weighted_limits import constrained_of, limits_of, method_of, wald
from randomized_response.calibration import CalibratedWeights
from randomized_response.channel import Channel
from randomized_response.encodings import EachOption
from randomized_response.errors import ParameterError
from randomized_response.means import MeanEstimate, around_mean, nothing_known
from randomized_response.questions import Mechanism
from randomized_response.results import ProportionEstimate

Floats = NDArray[np.float64]


def combine_weighted(
    estimates: Sequence[ProportionEstimate],
    weights: CalibratedWeights,
    mechanism: Mechanism,
    *,
    include: ArrayLike | None = None,
) -> ProportionEstimate:
    """Shares in a population from the estimates of cells of people who have the same calibrated weight.

    The same numbers as `estimate_weighted` gives for the people one by one, from their counts.

    Parameters
    ----------
    estimates : sequence of ProportionEstimate
        One per cell, of the same answers at the same confidence, each of one person or more.
    weights : CalibratedWeights
        One per cell: of `calibrate` with a row for each cell, and the number of its people as the weight before.
    mechanism : Channel, UnaryEncoding, SubsetSelection or EachOption
        What all reports went through.
    include : array of booleans, one per cell, optional
        The cells whose shares are asked for; the variance is that of a part of the whole sample, whose size is random.

    Returns
    -------
    ProportionEstimate
        With the intervals of `estimate_weighted`: "score", or "wald" where a table has no binomial. The tickets' part
        of the variance is the weighted sum of the cells'.

    Raises
    ------
    ValueError
        Where numbers of cells and weights differ, or no cell is included.

    Notes
    -----
    A cell's scatter around its own estimate is n (n - 1) times the estimate's covariance; what the margins do not
    explain of the differences between cells is added, as the sizes of cells are random.

    References
    ----------
    Deville, J.-C. & Saerndal, C.-E. (1992). Calibration estimators in survey sampling. JASA 87, 376-382, equation 3.4.

    Examples
    --------
    >>> from randomized_response import calibrate, estimate_proportions, forced_response
    >>> channel = forced_response(truth="1/2")
    >>> cells = [estimate_proportions([600, 400], channel), estimate_proportions([70, 30], channel)]
    >>> weights = calibrate({"old": [0, 1]}, {"old": 0.75}, weights=[1000, 100])
    >>> combine_weighted(cells, weights, channel).unbiased.round(12)
    array([0.85, 0.15])
    """
    inside = read_include(include, len(estimates), weights)
    level = estimates[0].confidence
    shares = shares_of(weights, inside)
    values, scatter = _values_of(estimates)
    theta = shares @ values
    covariance = linearised_covariance(
        weights, [inside, inside], np.array([one.n for one in estimates]), values, scatter
    )
    noise = np.tensordot(shares**2, np.array([one.noise_covariance for one in estimates]), 1)
    constrained, rates = constrained_of(theta, mechanism)
    errors, noise_errors = root_of_diagonal(covariance), root_of_diagonal(noise)
    n = sum(one.n for one, held in zip(estimates, inside, strict=True) if held)
    limits_at = partial(limits_of, theta, constrained, errors, mechanism, sum(one.n for one in estimates) - 1)
    low, high = limits_at(level)
    noise_low, noise_high = around(constrained, *wald(theta, noise_errors, level, None))
    return ProportionEstimate(
        theta, constrained, errors, covariance, noise_errors, noise, low, high, noise_low, noise_high,
        n, method_of(mechanism), "wald", level, exclusive=not isinstance(mechanism, EachOption), limits_at=limits_at,
        rates=rates, channel=mechanism if isinstance(mechanism, Channel) else None,
    )  # fmt: skip


def combine_weighted_means(
    estimates: Sequence[MeanEstimate], weights: CalibratedWeights, *, include: ArrayLike | None = None
) -> MeanEstimate:
    """A mean in a population from the means of cells of people who have the same calibrated weight.

    Parameters
    ----------
    estimates : sequence of MeanEstimate
        One per cell, of the same values at the same confidence, each of one person or more. (A mean of those who have a
        value is `mean_of_shares` of `combine_weighted`.)
    weights, include :
        As for `combine_weighted`.

    Returns
    -------
    MeanEstimate
        With normal intervals. Without numbers where an included cell has no mean.

    Raises
    ------
    ValueError
        Where numbers of cells and weights differ, or no cell is included.

    Examples
    --------
    >>> from randomized_response import calibrate, estimate_mean, one_bit
    >>> scale = one_bit(11, truth="1/2")
    >>> cells = [estimate_mean([450, 550], scale), estimate_mean([60, 40], scale)]
    >>> weights = calibrate({"old": [0, 1]}, {"old": 0.75}, weights=[1000, 100])
    >>> round(combine_weighted_means(cells, weights).unbiased, 9)
    3.75
    """
    inside = read_include(include, len(estimates), weights)
    level, ends = estimates[0].confidence, (estimates[0].minimum, estimates[0].maximum)
    n = sum(one.n for one, held in zip(estimates, inside, strict=True) if held)
    values, scatter = _values_of(estimates)
    shares = shares_of(weights, inside)
    if np.isnan(values[inside]).any():
        return nothing_known(ends, n, level)
    values = np.where(inside[:, None], values, 0.0)
    theta = shares @ values
    covariance = linearised_covariance(
        weights, [inside, inside], np.array([one.n for one in estimates]), values, scatter
    )
    noise = float(np.sqrt(shares**2 @ [np.nan_to_num(one.noise_standard_error) ** 2 for one in estimates]))
    unbiased = float(theta[0])
    constrained = min(max(unbiased, ends[0]), ends[1])
    errors = (float(np.sqrt(covariance[0, 0])), noise)
    return around_mean(unbiased, constrained, errors, ends, n, level, interval="wald")


def weighted_covariance(
    estimates: Sequence[ProportionEstimate] | Sequence[MeanEstimate],
    weights: CalibratedWeights,
    first: ArrayLike,
    second: ArrayLike,
) -> Floats:
    """The covariance of the estimates of two parts of the people, whose weights are calibrated together.

    Parameters
    ----------
    estimates, weights :
        As for `combine_weighted`, or `combine_weighted_means`.
    first, second : arrays of booleans, one per cell
        The cells of each part: `include` of the two estimates.

    Returns
    -------
    array of shape (k, k), of means (1, 1)
        Between the estimates of `first` in rows and of `second` in columns; of a part and itself its own covariance.

    Raises
    ------
    ValueError
        Where numbers of cells and weights differ, or a part has no cell.

    Notes
    -----
    Sums over people of the products of both residuals on the margins. Parts without a person in common are nearly
    independent, but where a margin ties them together.

    Examples
    --------
    >>> from randomized_response import calibrate, compare, estimate_proportions, forced_response
    >>> channel = forced_response(truth="1/2")
    >>> counts = [[600, 400], [70, 30], [200, 200], [90, 60]]
    >>> cells = [estimate_proportions(one, channel) for one in counts]
    >>> weights = calibrate({"old": [0, 1, 0, 1]}, {"old": 0.5}, weights=[1000, 100, 400, 150])
    >>> women, men = [True, True, False, False], [False, False, True, True]
    >>> one, two = (combine_weighted(cells, weights, channel, include=part) for part in (women, men))
    >>> found = compare(one, two, covariance=weighted_covariance(cells, weights, women, men))
    >>> found.difference.round(3), found.standard_error.round(3)
    (array([-0.136,  0.136]), array([0.069, 0.069]))
    """
    parts = [read_include(part, len(estimates), weights) for part in (first, second)]
    values, scatter = _values_of(estimates)
    return linearised_covariance(weights, parts, np.array([one.n for one in estimates]), values, scatter)


def _values_of(estimates: Sequence[ProportionEstimate] | Sequence[MeanEstimate]) -> tuple[Floats, Floats]:
    """The values of each cell, shape (cells, k), and their scatter in it, shape (cells, k, k)."""
    values = np.array([np.atleast_1d(one.unbiased) for one in estimates])
    return values, np.array([_scatter(one) for one in estimates])


def read_include(include: ArrayLike | None, cells: int, weights: CalibratedWeights) -> NDArray[np.bool_]:
    """Which cells are asked for, all by default."""
    if len(weights) != cells:
        raise ParameterError("weights", f"must be one per cell, {cells}; got {len(weights)}")
    inside = np.ones(cells, dtype=bool) if include is None else np.asarray(include)
    if inside.shape != (cells,) or inside.dtype != bool or not inside.any():
        raise ParameterError("include", f"must be {cells} booleans, one of them True; got {inside.tolist()}")
    return inside


def shares_of(weights: CalibratedWeights, inside: NDArray[np.bool_]) -> Floats:
    """The share of each included cell in the weighted sample."""
    held = weights.weights * inside
    return np.asarray(held / held.sum())


def _scatter(estimate: ProportionEstimate | MeanEstimate) -> Floats:
    """Sum over a cell's people of the squares around its estimate; of one person nothing."""
    n = estimate.n
    if isinstance(estimate, MeanEstimate):
        covariance = np.array([[estimate.standard_error**2]])
    else:
        covariance = estimate.covariance
    return np.asarray(n * (n - 1) * covariance if n > 1 else np.zeros_like(covariance))


def linearised_covariance(
    weights: CalibratedWeights,
    parts: Sequence[NDArray[np.bool_]],
    sizes: NDArray[np.int64],
    values: Floats,
    scatter: Floats,
) -> Floats:
    """Of the weighted means of the cells' values in two parts: of the residuals on the margins, person by person."""
    held = [part / (weights.weights * part).sum() for part in parts]
    theta = [(weights.weights * one) @ np.where(one[:, None] > 0, values, 0.0) for one in held]
    centred = [np.where(one[:, None] > 0, values - mean, 0.0) for one, mean in zip(held, theta, strict=True)]
    left = [weights.residuals(about * one[:, None]) for about, one in zip(centred, held, strict=True)]
    each, n = weights.weights / sizes, sizes.sum()
    both = held[0] * held[1]
    within = np.tensordot(each**2 * both, np.where(both[:, None, None] > 0, scatter, 0.0), 1)
    between = (left[0] * (sizes * each**2)[:, None]).T @ left[1]
    means = [(sizes * each) @ one / n for one in left]
    return np.asarray((within + between - n * np.outer(*means)) * n / (n - 1))
