"""The joint distribution of two randomized answers in a population, from cells with calibrated weights."""

from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from randomized_response import _scipy as scipy
from randomized_response._checks import as_level
from randomized_response._diagnostics import WaldTest
from randomized_response.calibration import CalibratedWeights
from randomized_response.channel import Channel
from randomized_response.joint import JointEstimate, joint_of, most_likely, read_table
from randomized_response.weighted_cells import linearised_covariance, read_include, shares_of

Floats = NDArray[np.float64]


def weighted_joint(
    tables: ArrayLike,
    weights: CalibratedWeights,
    channel_a: Channel,
    channel_b: Channel,
    *,
    include: ArrayLike | None = None,
    confidence: float = 0.95,
) -> JointEstimate:
    """Estimate the joint distribution of two answers in a population from the counts of both reports in cells.

    Parameters
    ----------
    tables : array of shape (cells, m_a, m_b) of whole numbers
        As `table` of `estimate_joint` for the people of each cell, who have the same weight; one person or more.
    weights : CalibratedWeights
        One per cell, as for `combine_weighted`.
    channel_a, channel_b, confidence :
        As for `estimate_joint`.
    include : array of booleans, one per cell, optional
        As for `combine_weighted`: the cells whose joint distribution is asked for.

    Returns
    -------
    JointEstimate
        `covariance` is linearised on the margins of the weights; `constrained` is the most likely table of the weighted
        reports. `phi` and `odds_ratio` are None where that has a zero.

    Raises
    ------
    ValueError
        As of `estimate_joint`; and where the numbers of cells and weights differ.

    Notes
    -----
    Independence is Wald's test of theta_ij - theta_i. theta_.j = 0 for all i and j but the last, at the unbiased
    shares, with their covariance by the delta method (Koch, Freeman & Freeman 1975).

    References
    ----------
    Koch, G. G., Freeman, D. H. & Freeman, J. L. (1975). Strategies in the multivariate analysis of data from complex
    surveys. International Statistical Review 43, 59-78. Deville, J.-C. & Saerndal, C.-E. (1992). JASA 87, 376-382.

    Examples
    --------
    >>> from randomized_response import calibrate, forced_response
    >>> coins = forced_response(truth="1/2")
    >>> tables = [[[380, 190], [220, 210]], [[38, 19], [22, 21]]]
    >>> weights = calibrate({"old": [0, 1]}, {"old": 0.5}, weights=[1000, 100])
    >>> weighted_joint(tables, weights, coins, coins).unbiased.round(12)
    array([[0.6 , 0.04],
           [0.1 , 0.26]])
    """
    level = as_level(confidence)
    counts = np.array([read_table(table, channel_a, channel_b, fewest=1) for table in np.asarray(tables)])
    sizes = counts.sum(axis=(1, 2))
    inside = read_include(include, len(counts), weights)
    left = np.kron(channel_a.left_inverse, channel_b.left_inverse)
    rates = counts.reshape(len(counts), -1) / sizes[:, None]
    values = rates @ left.T
    # Of the people of a cell the sum of squares around their mean.
    scatter = np.array(
        [n * ((left * row) @ left.T - np.outer(at, at)) for n, row, at in zip(sizes, rates, values, strict=True)]
    )
    covariance = linearised_covariance(weights, [inside, inside], sizes, values, scatter)
    share = shares_of(weights, inside)
    unbiased, weighted = share @ values, (share @ rates).reshape(counts.shape[1:])
    constrained, _ = most_likely(weighted, channel_a, channel_b, unbiased)
    independence = _wald_of_independence(unbiased.reshape(constrained.shape), covariance)
    n = int(sizes[inside].sum())
    return joint_of(unbiased, covariance, constrained, n, level, independence, float("nan"))


def _wald_of_independence(shares: Floats, covariance: Floats) -> WaldTest:
    rows, columns = shares.shape
    by_row, by_column = shares.sum(axis=1), shares.sum(axis=0)
    distances, slopes = list[float](), list[Floats]()
    for i, j in product(range(rows - 1), range(columns - 1)):
        slope = np.zeros_like(shares)
        slope[i, :] -= by_column[j]
        slope[:, j] -= by_row[i]
        slope[i, j] += 1
        distances.append(float(shares[i, j] - by_row[i] * by_column[j]))
        slopes.append(slope.ravel())
    values, spread = np.array(distances), np.array(slopes) @ covariance @ np.array(slopes).T
    statistic = float(values @ np.linalg.solve(spread, values))
    return WaldTest(statistic, values.size, float(scipy.special.chdtrc(values.size, statistic)))
