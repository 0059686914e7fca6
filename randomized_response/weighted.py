"""Shares of answers from weighted reports: linearised or replicated variances, with strata, clusters, calibration."""

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from randomized_response._checks import as_level
from randomized_response._labels import matched
from randomized_response._limits import around, root_of_diagonal
from randomized_response._weighted_limits import constrained_of, limits_of, method_of, wald
from randomized_response.calibration import CalibratedWeights, read_weights
from randomized_response.channel import Channel
from randomized_response.encodings import EachOption
from randomized_response.errors import ParameterError
from randomized_response.questions import Mechanism
from randomized_response.results import ProportionEstimate

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
Weights = CalibratedWeights | ArrayLike | None


class Units(NamedTuple):
    """The first-stage unit of each person, and the stratum of each unit."""

    unit: Places
    stratum: Places

    @property
    def degrees_of_freedom(self) -> int:
        return self.stratum.size - len(np.unique(self.stratum))


def estimate_weighted(
    reports: ArrayLike,
    mechanism: Mechanism,
    weights: Weights = None,
    *,
    strata: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    include: ArrayLike | None = None,
    replicates: ArrayLike | None = None,
    scales: ArrayLike | None = None,
    confidence: float = 0.95,
) -> ProportionEstimate:
    """Estimate the shares of the true answers from weighted reports, of all people or of a part of them.

    With r_i the unbiased transform of report i (mean 1 at the answer of i, 0 elsewhere), theta = sum_i w_i r_i /
    sum_i w_i over the people included. Its covariance is that of sums of z_i = w_i e_i over first-stage units, with e_i
    = (r_i - theta) / sum w, or the residuals of that on the margins where weights are calibrated:

        sum_h m_h / (m_h - 1) sum_u (z_hu - mean z_h)(z_hu - mean z_h)^T,    m_h units in stratum h.

    Parameters
    ----------
    reports : array of shape (n,), or (n, k) for an encoding of k bits
        Symbols from 0; of encodings the bits 0 and 1. Pandas' objects, here and in what follows, are matched by index.
    mechanism : Channel, UnaryEncoding, SubsetSelection or EachOption
    weights : CalibratedWeights, or array of shape (n,), optional
        Positive; only their proportions matter. Equal by default.
    strata, clusters : arrays of shape (n,), optional
        Labels. Samples of different strata are independent; people of a cluster are drawn together.
    include : array of n booleans, optional
        The people whose shares are asked for; the variance is that of a part of the whole sample, whose size is random.
    replicates : array of shape (R, n), optional
        Replicate weights (`bootstrap_weights`, `jackknife_weights`); the covariance is then that of the R estimates.
    scales : array of shape (R,), optional
        What the square of each replicate's distance from the estimate counts; 1 / R, of a bootstrap, by default.
    confidence : float
        Level of the intervals, in (0, 1).

    Returns
    -------
    ProportionEstimate
        `low`, `high` are the score interval (Wilson's) of the weighted rate of a report with as many people as give its
        variance, and Student's quantile, mapped through the table: "score". "wald" where a table has no binomial.
        `noise_standard_error` is the tickets' part, about the weighted share of those who took part, with "wald".

    Raises
    ------
    ValueError
        Naming the argument, the bound and the value.

    Notes
    -----
    Units are taken as drawn with replacement (the variance is a little too large where many of them were drawn) and the
    tickets' part is in the variance, since reports are what is summed. A stratum of one unit has no variance: NaN, and
    the interval [0, 1]. Coverage of 95 % intervals in simulations: docs/evidence/weighting.md.

    References
    ----------
    Saerndal, C.-E., Swensson, B. & Wretman, J. (1992). Model assisted survey sampling, results 5.7.1, 6.6.1. Springer.
    Kott, P. S. & Carr, D. A. (1997). Developing an estimation strategy for a pesticide data program. Journal of
    Official Statistics 13, 367-383 (the interval). Rao, J. N. K. & Wu, C. F. J. (1988). JASA 83, 231-241.

    Examples
    --------
    >>> from randomized_response import forced_response
    >>> reports = [1] * 40 + [0] * 60 + [1] * 30 + [0] * 70
    >>> found = estimate_weighted(reports, forced_response(truth="1/2"), [3] * 100 + [1] * 100)
    >>> found.unbiased.round(6), found.standard_error.round(4)
    (array([0.75, 0.25]), array([0.0774, 0.0774]))
    """
    level = as_level(confidence)
    reports, weights, strata, clusters, include = matched(
        reports=reports, weights=weights, strata=strata, clusters=clusters, include=include
    )
    transformed = unbiased_transform(reports, mechanism)
    n = len(transformed)
    mass = read_mass(weights, n)
    inside = _read_include(include, n)
    units = read_units(strata, clusters, n)
    theta, influence = _mean(transformed, mass, inside)
    if replicates is None:
        covariance = _linearised(mass, weights, units, influence)
    else:
        covariance = _replicated(transformed, inside, theta, _read_replicates(replicates, n), scales)
    noise = _noise(transformed, mass * inside, several=isinstance(mechanism, EachOption))
    constrained, rates = constrained_of(theta, mechanism)
    errors, noise_errors = root_of_diagonal(covariance), root_of_diagonal(noise)
    freedom = units.degrees_of_freedom
    limits_at = partial(limits_of, theta, constrained, errors, mechanism, freedom)
    noise_low, noise_high = around(constrained, *wald(theta, noise_errors, level, None))
    low, high = limits_at(level)
    return ProportionEstimate(
        theta, constrained, errors, covariance, noise_errors, noise, low, high, noise_low, noise_high,
        int(inside.sum()), method_of(mechanism), "wald", level,
        exclusive=not isinstance(mechanism, EachOption), limits_at=limits_at, rates=rates,
        channel=mechanism if isinstance(mechanism, Channel) else None,
    )  # fmt: skip


def unbiased_transform(reports: ArrayLike, mechanism: Mechanism) -> Floats:
    """r of shape (n, k): for each report a vector whose mean is 1 at the true answer and 0 elsewhere.

    Examples
    --------
    >>> from randomized_response import forced_response
    >>> unbiased_transform([0, 1], forced_response(truth="1/2")).tolist()
    [[1.5, -0.5], [-0.5, 1.5]]
    """
    if isinstance(mechanism, Channel):
        codes = _read_symbols(reports, (1,), mechanism.reports)
        return np.ascontiguousarray(mechanism.left_inverse.T[codes])
    bits = _read_symbols(reports, (2, mechanism.k), 2)
    miss, hit = mechanism.bit.matrix[:, 1]
    return np.asarray((bits - miss) / (hit - miss))


def _read_symbols(reports: ArrayLike, shape: tuple[int, ...], symbols: int) -> Places:
    try:
        given = np.asarray(reports, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError("reports", f"must be whole numbers from 0 to {symbols - 1}; {error}") from None
    wide = len(shape) > 1
    if given.ndim != shape[0] or given.size == 0 or (wide and given.shape[1] != shape[1]):
        need = f"(n, {shape[1]})" if wide else "(n,)"
        raise ParameterError("reports", f"must have shape {need} with n at least 1; got shape {given.shape}")
    wrong = np.argwhere(~((given >= 0) & (given < symbols) & (given == np.floor(given))))
    if wrong.size:
        place = ", ".join(map(str, wrong[0]))
        value = given[tuple(wrong[0])]
        raise ParameterError(f"reports[{place}]", f"must be a whole number from 0 to {symbols - 1}; got {value:g}")
    return given.astype(np.intp)


def read_mass(weights: Weights, n: int) -> Floats:
    """The weight of each report, 1 where there are none."""
    mass = np.ones(n) if weights is None else np.asarray(weights, dtype=np.float64)
    if mass.shape != (n,):
        raise ParameterError("weights", f"must have one entry per report, shape ({n},); got shape {mass.shape}")
    return mass if isinstance(weights, CalibratedWeights) else read_weights(mass)


def _read_include(include: ArrayLike | None, n: int) -> NDArray[np.bool_]:
    inside = np.ones(n, dtype=bool) if include is None else np.asarray(include)
    if inside.shape != (n,) or inside.dtype != bool:
        raise ParameterError("include", f"must be {n} booleans; got {inside.dtype} of shape {inside.shape}")
    if not inside.any():
        raise ParameterError("include", "must be True for at least one person; got none")
    return inside


def read_units(strata: ArrayLike | None, clusters: ArrayLike | None, n: int) -> Units:
    stratum, cluster = (_read_labels(labels, name, n) for labels, name in ((strata, "strata"), (clusters, "clusters")))
    if cluster is None:
        return Units(np.arange(n), np.zeros(n, dtype=np.intp) if stratum is None else stratum)
    joint = cluster if stratum is None else stratum * (int(cluster.max()) + 1) + cluster
    _, first, unit = np.unique(joint, return_index=True, return_inverse=True)
    return Units(unit.ravel(), np.zeros(first.size, dtype=np.intp) if stratum is None else stratum[first])


def _read_labels(labels: ArrayLike | None, name: str, n: int) -> Places | None:
    if labels is None:
        return None
    array = np.asarray(labels)
    if array.shape != (n,):
        raise ParameterError(name, f"must have one label per report, shape ({n},); got shape {array.shape}")
    return np.unique(array, return_inverse=True)[1].ravel()


def _read_replicates(replicates: ArrayLike | None, n: int) -> Floats:
    table = np.asarray(replicates, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] != n or len(table) < 2:
        raise ParameterError("replicates", f"must have shape (R, {n}) with R at least 2; got shape {table.shape}")
    return table


def _mean(transformed: Floats, mass: Floats, inside: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """The weighted mean of those included, and each person's influence on it, 0 of the others."""
    held = mass * inside
    theta = held @ transformed / held.sum()
    return theta, (transformed - theta) * (inside / held.sum())[:, None]


def _linearised(mass: Floats, weights: Weights, units: Units, influence: Floats) -> Floats:
    left = weights.residuals(influence) if isinstance(weights, CalibratedWeights) else influence
    sums = np.column_stack([np.bincount(units.unit, weights=mass * one) for one in left.T])
    sizes = np.bincount(units.stratum)
    means = np.column_stack([np.bincount(units.stratum, weights=one) for one in sums.T]) / sizes[:, None]
    around_means = sums - means[units.stratum]
    factor = np.divide(sizes, sizes - 1, out=np.full(sizes.size, np.nan), where=sizes > 1)
    return np.asarray((around_means * factor[units.stratum][:, None]).T @ around_means)


def _read_scales(scales: ArrayLike | None, rounds: int) -> Floats:
    if scales is None:
        return np.full(rounds, 1 / rounds)
    given = np.asarray(scales, dtype=np.float64)
    if given.shape != (rounds,) or not (np.isfinite(given) & (given >= 0)).all():
        raise ParameterError("scales", f"must be {rounds} finite numbers, not negative; got shape {given.shape}")
    return given


def _replicated(
    transformed: Floats, inside: NDArray[np.bool_], theta: Floats, replicates: Floats, scales: ArrayLike | None
) -> Floats:
    held = replicates * inside
    sums = held.sum(axis=1)
    if not (sums > 0).all():
        raise ParameterError("replicates", f"must hold people included; replicate {int(np.argmin(sums))} has none")
    spread = held @ transformed / sums[:, None] - theta
    return np.asarray((spread * _read_scales(scales, len(spread))[:, None]).T @ spread)


def _noise(transformed: Floats, held: Floats, *, several: bool) -> Floats:
    """The tickets' part, unbiased: E[r r^T | answer] less the answer's own square, which is its diagonal.

    Of options of which several may apply the tickets are drawn one by one: nothing beside the diagonal.
    """
    shares = held / held.sum()
    second = (transformed * (shares**2)[:, None]).T @ transformed
    first = np.diag(shares**2 @ transformed)
    return np.diag(np.diag(second - first)) if several else second - first
