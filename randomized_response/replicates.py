"""Replicate weights for the variance of weighted estimates: the rescaled bootstrap, and the jackknife."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from randomized_response._checks import as_count
from randomized_response._labels import matched
from randomized_response.calibration import CalibratedWeights, recalibrated
from randomized_response.errors import ParameterError
from randomized_response.weighted import Units, Weights, read_mass, read_units

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

_REDRAWS = 10
_MOST_REPLICATES = 10_000


def bootstrap_weights(
    weights: Weights = None,
    *,
    replicates: int = 500,
    n: int | None = None,
    strata: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    generator: np.random.Generator | None = None,
) -> Floats:
    """Replicate weights of the rescaled bootstrap: in each stratum all but one of its units are drawn, with repeats.

    Parameters
    ----------
    weights : CalibratedWeights, or array of shape (n,), optional
        Those of `estimate_weighted`. Calibrated ones are calibrated again in every replicate, to the same margins.
    replicates : int
        R, 2 to 10,000.
    n : int, optional
        Number of people where neither weights, strata nor clusters tell.
    strata, clusters :
        As for `estimate_weighted`.
    generator : numpy.random.Generator or None
        Source of chance; without one the replicates are always the same (seed 0).

    Returns
    -------
    array of shape (R, n)
        For `estimate_weighted(..., replicates=...)`; 0 for people who are not drawn.

    Raises
    ------
    ValueError
        Where a stratum has one unit, or the margins are not met in nine of ten replicates.

    Notes
    -----
    Reports are drawn with their people, so replicates vary by sampling and by tickets, as reports do. A replicate in
    which margins cannot be met (nobody of a label is drawn) is drawn again.

    References
    ----------
    Rao, J. N. K., Wu, C. F. J. & Yue, K. (1992). Some recent work on resampling methods for complex surveys. Survey
    Methodology 18, 209-217.

    Examples
    --------
    >>> bootstrap_weights([1, 1, 2, 2], replicates=2).sum(axis=1) > 0
    array([ True,  True])
    """
    rounds = as_count(replicates, name="replicates", low=2, high=10_000)
    mass, units, counts = _read(weights, n, strata, clusters, " to be drawn from")
    source = np.random.default_rng(0) if generator is None else generator
    found = np.empty((rounds, mass.size))
    done = 0
    for _ in range(_REDRAWS * rounds):
        drawn = mass * _times(units, counts, source)[units.unit]
        if isinstance(weights, CalibratedWeights):
            again = recalibrated(weights, drawn / mass)
            if again is None:
                continue
            drawn = again
        found[done] = drawn
        done += 1
        if done == rounds:
            return found
    raise ParameterError("weights", f"must be calibrated to margins that replicates can meet; {done} of {rounds} did")


def jackknife_weights(
    weights: Weights = None, *, n: int | None = None, strata: ArrayLike | None = None, clusters: ArrayLike | None = None
) -> tuple[Floats, Floats]:
    """Replicate weights of the jackknife: each leaves out one unit, for which the others of its stratum make up.

    Parameters
    ----------
    weights, n, strata, clusters :
        As for `bootstrap_weights`. Calibrated weights are calibrated again in every replicate, to the same margins.

    Returns
    -------
    replicates : array of shape (R, n)
        One replicate for each unit, at most 10,000 of them.
    scales : array of shape (R,)
        (m - 1) / m for units of strata of m. Both go to `estimate_weighted(..., replicates=..., scales=...)`.

    Raises
    ------
    ValueError
        Where a stratum has one unit, there are more than 10,000 units, or a replicate cannot meet the margins.

    Notes
    -----
    The covariance is sum_u (m - 1) / m (theta_u - theta)(theta_u - theta)^T, about the estimate of all. Reports are
    left out with their people, so it has the tickets' part, too.

    References
    ----------
    Wolter, K. M. (2007). Introduction to Variance Estimation, 2nd ed., section 4.5. Springer.

    Examples
    --------
    >>> replicates, scales = jackknife_weights([1, 1, 2, 2])
    >>> replicates[0].round(6), scales.tolist()
    (array([0.      , 1.333333, 2.666667, 2.666667]), [0.75, 0.75, 0.75, 0.75])
    """
    mass, units, counts = _read(weights, n, strata, clusters, ", to leave one out")
    if units.stratum.size > _MOST_REPLICATES:
        need = f"must leave at most {_MOST_REPLICATES:,} units to be left out one by one; got {units.stratum.size:,}"
        raise ParameterError("clusters", f"{need}; bootstrap_weights draws fewer")
    found = np.empty((units.stratum.size, mass.size))
    for left_out, stratum in enumerate(units.stratum):
        factor = np.where(units.stratum == stratum, counts[stratum] / (counts[stratum] - 1), 1.0)
        factor[left_out] = 0.0
        times = factor[units.unit]
        again = recalibrated(weights, times) if isinstance(weights, CalibratedWeights) else mass * times
        if again is None:
            raise ParameterError("weights", f"must be calibrated to margins that meet without unit {left_out}; none do")
        found[left_out] = again
    return found, (counts[units.stratum] - 1) / counts[units.stratum]


def _read(
    weights: Weights, n: int | None, strata: ArrayLike | None, clusters: ArrayLike | None, purpose: str
) -> tuple[Floats, Units, Places]:
    """The weight of each person, the units, and how many there are in each stratum: at least two."""
    size = _size(weights, n, strata, clusters)
    strata, clusters = matched(strata=strata, clusters=clusters)
    units = read_units(strata, clusters, size)
    counts = np.bincount(units.stratum)
    if (counts == 1).any():
        raise ParameterError("strata", f"must have at least two units each{purpose}; got one with one")
    return read_mass(weights, size), units, counts


def _size(weights: Weights, n: int | None, *labels: ArrayLike | None) -> int:
    for given in (weights, *labels):
        if given is not None:
            return len(np.asarray(given))
    if n is None:
        raise ParameterError("n", "must be given where no weights, strata or clusters are; got None")
    return as_count(n, name="n", low=2)


def _times(units: Units, counts: Places, source: np.random.Generator) -> Floats:
    """How often each unit is drawn, scaled by m / (m - 1)."""
    times = np.empty(units.stratum.size)
    for stratum, m in enumerate(counts):
        here = units.stratum == stratum
        drawn = np.bincount(source.integers(0, m, m - 1), minlength=m)
        times[here] = drawn * (m / (m - 1))
    return times
