"""Calibration of weights to known margins of a population: poststratification, raking, linear, logit, bounded."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from randomized_response._calibration_cells import Cells, read_cells
from randomized_response._labels import matched
from randomized_response.errors import ParameterError
from randomized_response.results import Result

Floats = NDArray[np.float64]
Method = Literal["raking", "linear", "logit"]
Margin = Mapping[Any, float] | float
Margins = Mapping[Any, Margin]

_STEPS = 100
_EXACT = 1e-11
_DEPENDENT = 1e-10


@dataclass(frozen=True, eq=False, repr=False)
class CalibratedWeights(Result):
    """Weights that meet known margins. Made by `calibrate`; numpy takes it as the array `weights`.

    Attributes
    ----------
    weights : array (n,)
        Positive (with the method "linear" without bounds possibly not), of sum `total`.
    ratios : array (n,)
        Each weight divided by the one it began with, both scaled to the sum `total`: what calibration did.
    total : float
        Sum of the margins; the number of people where the margins are shares of sum 1.
    method : str
    bounds : pair of float, or None
        Of `ratios`.
    iterations : int
        Newton steps taken.

    Examples
    --------
    >>> calibrate({"sex": ["f", "f", "m"]}, {"sex": {"f": 0.5, "m": 0.5}})
    3 weights by raking: from 0.75 to 1.5, effective size 2.7, design effect 1.125
    """

    weights: Floats
    ratios: Floats
    total: float
    method: Method
    bounds: tuple[float, float] | None
    iterations: int
    cells: Cells = field(repr=False)
    start: Floats = field(repr=False)

    @property
    def effective_size(self) -> float:
        """Number of people with equal weights who would tell as much: (sum w)^2 / sum w^2 (Kish 1965)."""
        return float(self.weights.sum() ** 2 / (self.weights @ self.weights))

    @property
    def design_effect(self) -> float:
        """Number of people divided by `effective_size`; 1 for equal weights."""
        return self.weights.size / self.effective_size

    def residuals(self, values: ArrayLike) -> Floats:
        """What the margins do not explain of values of shape (n,) or (n, k): their variance is left after calibration.

        Residuals of the regression on the margins' columns, weighted by the weights before calibration (Deville &
        Saerndal 1992, equation 3.4).
        """
        table = np.asarray(values, dtype=np.float64)
        flat = table.reshape(len(table), -1)
        columns = self.cells.columns
        gram = (columns * self.cells.sums(self.start)[:, None]).T @ columns
        moments = columns.T @ np.column_stack([self.cells.sums(self.start * one) for one in flat.T])
        fitted = columns @ np.linalg.lstsq(gram, moments, rcond=_DEPENDENT)[0]
        return np.asarray(table - fitted[self.cells.place].reshape(table.shape))

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.weights, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        return int(self.weights.size)

    def __str__(self) -> str:
        bounds = "" if self.bounds is None else f", ratios from {self.bounds[0]:g} to {self.bounds[1]:g}"
        return (
            f"{len(self)} weights by {self.method}{bounds}: from {self.weights.min():.4g} to {self.weights.max():.4g}, "
            f"effective size {self.effective_size:.1f}, design effect {self.design_effect:.3f}"
        )

    __repr__ = __str__


class _Distance(NamedTuple):
    """F of Deville & Saerndal (1992): ratios as a function of u = x lambda, their slope, and their integral."""

    method: Method
    low: float
    high: float

    def ratios(self, u: Floats) -> Floats:
        if self.method == "linear":
            return np.clip(1 + u, self.low, self.high)
        if self.method == "raking":
            return np.asarray(np.exp(np.clip(u, *np.log([max(self.low, 1e-300), min(self.high, 1e300)]))))
        share = self._logistic(u)
        return np.asarray(self.low + (self.high - self.low) * share)

    def slopes(self, u: Floats) -> Floats:
        if self.method == "logit":
            share = self._logistic(u)
            return np.asarray((self.high - self.low) * self._steepness * share * (1 - share))
        found = self.ratios(u)
        inside = (found > self.low) & (found < self.high)
        return np.where(inside, 1.0 if self.method == "linear" else found, 0.0)

    def integrals(self, u: Floats) -> Floats:
        if self.method == "logit":
            above = np.logaddexp(np.log(self.high - 1), np.log(1 - self.low) + self._steepness * u)
            return np.asarray(self.low * u + (self.high - self.low) / self._steepness * above)
        found = self.ratios(u)
        if self.method == "linear":
            return np.asarray(found * (1 + u) - found**2 / 2)
        return np.asarray(found + found * (u - np.log(found)))

    @property
    def _steepness(self) -> float:
        return (self.high - self.low) / ((1 - self.low) * (self.high - 1))

    def _logistic(self, u: Floats) -> Floats:
        eta = self._steepness * u + np.log((1 - self.low) / (self.high - 1))
        return np.asarray(1 / (1 + np.exp(-np.clip(eta, -700, 700))))


def calibrate(
    covariates: Mapping[Any, ArrayLike],
    margins: Margins,
    weights: ArrayLike | None = None,
    *,
    method: Method = "raking",
    bounds: tuple[float, float] | None = None,
) -> CalibratedWeights:
    """Find the weights nearest to given ones under which a sample has the known margins of its population.

    With d_i the weight of person i before and x_i her columns of the margins, w_i = d_i F(x_i lambda), lambda such that
    sum_i w_i x_i are the margins. F is exp(u) ("raking"), 1 + u ("linear", the regression estimator's) or the
    logistic curve between the bounds ("logit").

    Parameters
    ----------
    covariates : data frame, or mapping from names to arrays of shape (n,)
        What is known of each person, by name: labels for a margin of counts or shares, numbers for a mean.
    margins : mapping
        By name of a covariate, or by a tuple of names for their combinations (poststratification): a mapping from each
        label, or tuple of labels, to its number of people or its share in the population; or for a numeric covariate
        its mean in the population. All margins of labels have the same sum.
    weights : array of shape (n,), optional
        Positive weights before calibration, 1 / inclusion probability for instance; equal ones by default.
    method : {"raking", "linear", "logit"}
        Raking keeps every weight positive. "logit" needs bounds.
    bounds : pair of float, optional
        Least and largest ratio of a weight to the one before (both of the same sum); 0 <= low < 1 < high.

    Returns
    -------
    CalibratedWeights
        Of the sum of the margins; of sum n where the margins are shares, of sum 1, or means alone.

    Raises
    ------
    ValueError
        Naming the margin and the value: sums that differ, a label of nobody in the sample or of no margin, a share that
        is not positive, margins that contradict each other, bounds within which none is met.

    Notes
    -----
    People of equal covariates are put together, so the time does not grow with the sample but by that. Raking is what
    iterative proportional fitting ends at (Deming & Stephan 1940), found by Newton's method on the dual, to 1e-11 of
    the margins. Weights correct for who took part as far as the margins explain it, and for no more.

    References
    ----------
    Deville, J.-C. & Saerndal, C.-E. (1992). Calibration estimators in survey sampling. JASA 87, 376-382. Deville,
    J.-C., Saerndal, C.-E. & Sautory, O. (1993). Generalized raking procedures in survey sampling. JASA 88, 1013-1020.
    Deming, W. E. & Stephan, F. F. (1940). On a least squares adjustment of a sampled frequency table. Annals of
    Mathematical Statistics 11, 427-444.

    Examples
    --------
    60 % of a population are women and half of it is old; the sample has 3 women and 1 man, and 2 old people.

    >>> people = {"sex": ["f", "f", "f", "m"], "age": ["old", "young", "young", "old"]}
    >>> found = calibrate(people, {"sex": {"f": 0.6, "m": 0.4}, "age": {"old": 0.5, "young": 0.5}})
    >>> found.weights.round(6)
    array([0.4, 1. , 1. , 1.6])
    """
    covariates, weights = matched(covariates=covariates, weights=weights)
    distance = _read_distance(method, bounds)
    cells = read_cells(covariates, margins)
    start = _read_start(weights, cells)
    found, iterations = _solve(cells, cells.sums(start), distance)
    ratios = found[cells.place]
    return CalibratedWeights(start * ratios, ratios, cells.total, method, bounds, iterations, cells, start)


def effective_size(weights: ArrayLike) -> float:
    """(sum w)^2 / sum w^2: the number of people with equal weights who would tell as much (Kish 1965).

    Examples
    --------
    >>> effective_size([1, 1, 2])
    2.6666666666666665
    """
    array = read_weights(weights)
    return float(array.sum() ** 2 / (array @ array))


def trim_weights(weights: ArrayLike, *, low: float = 0.0, high: float = np.inf) -> Floats:
    """Cut weights to limits and spread what was cut evenly over the others, until all are within the limits.

    Parameters
    ----------
    weights : array of shape (n,)
        Positive.
    low, high : float
        The limits, on the scale of the weights, around their mean: low < mean < high.

    Returns
    -------
    array of shape (n,)
        Of the same sum.

    Raises
    ------
    ValueError
        Where no weights of this sum are within the limits.

    Notes
    -----
    Trimmed weights do not meet the margins any more: calibrating with `bounds` cuts extremes and keeps them. Trimming
    lowers the variance for a bias that nobody knows; the limits should be chosen before the answers are looked at.
    The rule is that of R's package survey.

    References
    ----------
    Potter, F. J. (1990). A study of procedures to identify and trim extreme sampling weights. Proc. ASA Section on
    Survey Research Methods, 225-230.

    Examples
    --------
    >>> trim_weights([1, 1, 1, 5], high=3).round(4)
    array([1.6667, 1.6667, 1.6667, 3.    ])
    """
    array = read_weights(weights)
    if not low < array.mean() < high:
        need = f"and high must lie around the mean of the weights, {array.mean():g}; got {low:g} and {high:g}"
        raise ParameterError("low", need)
    while (outside := (array < low) | (array > high)).any():
        cut = np.clip(array, low, high)
        array = np.where(outside, cut, array + (array - cut).sum() / (~outside).sum())
    return array


def _read_distance(method: Method, bounds: tuple[float, float] | None) -> _Distance:
    if method not in ("raking", "linear", "logit"):
        raise ParameterError("method", f"must be raking, linear or logit; got {method!r}")
    if bounds is None:
        if method == "logit":
            raise ParameterError("bounds", "must be given with the method logit; got None")
        return _Distance(method, 0.0 if method == "raking" else -np.inf, np.inf)
    low, high = (float(bound) for bound in bounds)
    if not (0 <= low < 1 < high and isfinite(high)):
        raise ParameterError("bounds", f"must be a pair with 0 <= low < 1 < high; got {bounds!r}")
    return _Distance(method, low, high)


def recalibrated(found: CalibratedWeights, factors: Floats) -> Floats | None:
    """The weights from `found` multiplied by these factors before calibration; None where the margins are not met."""
    start = found.start * factors
    start *= found.total / start.sum()
    mass = found.cells.sums(start)
    try:
        ratios, _ = _solve(found.cells, mass, _read_distance(found.method, found.bounds))
    except ParameterError:
        return None
    return start * ratios[found.cells.place]


def read_weights(weights: ArrayLike) -> Floats:
    """Positive, finite weights; ParameterError names the first that is not."""
    try:
        array = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError("weights", f"must be numbers; {error}") from None
    if array.ndim != 1 or array.size == 0:
        raise ParameterError("weights", f"must have one entry per person; got shape {array.shape}")
    wrong = np.flatnonzero(~(np.isfinite(array) & (array > 0)))
    if wrong.size:
        raise ParameterError(f"weights[{wrong[0]}]", f"must be positive and finite; got {array[wrong[0]]:g}")
    return array


def _read_start(weights: ArrayLike | None, cells: Cells) -> Floats:
    """The weights before calibration, of the sum of the margins."""
    n = cells.place.size
    array = np.ones(n) if weights is None else read_weights(weights)
    if array.size != n:
        raise ParameterError("weights", f"must have one entry per person, shape ({n},); got shape {array.shape}")
    return np.asarray(array * (cells.total / array.sum()))


def _solve(cells: Cells, mass: Floats, distance: _Distance) -> tuple[Floats, int]:
    """The ratio of each cell, by Newton's method on the concave dual t lambda - sum d G(x lambda), and the steps."""
    columns = cells.columns
    # A mean is met where the weighted sum of the distances from it is 0 beside the sum of the weights.
    scale = np.where(cells.targets == 0, cells.total, np.maximum(np.abs(cells.targets), cells.total * 1e-6))
    at: Floats = np.zeros(len(cells.targets))
    step: Floats = np.zeros_like(at)
    height, length = -np.inf, 1.0
    for iteration in range(_STEPS):
        u = columns @ (at + length * step)
        new = float(cells.targets @ (at + length * step) - mass @ distance.integrals(u))
        if new < height - 1e-13 * abs(height) and length > 1e-12:
            length /= 2
            continue
        at, height = at + length * step, new
        gap = cells.targets - columns.T @ (mass * distance.ratios(u))
        if np.max(np.abs(gap) / scale) < _EXACT:
            return distance.ratios(u), iteration
        curve = (columns * (mass * distance.slopes(u))[:, None]).T @ columns
        step, length = np.asarray(np.linalg.lstsq(curve, gap, rcond=_DEPENDENT)[0], dtype=np.float64), 1.0
    worst = int(np.argmax(np.abs(gap) / scale))
    reached = cells.targets[worst] - gap[worst]
    within = "" if distance.high == np.inf else f" within the bounds {distance.low:g} and {distance.high:g}"
    raise ParameterError(
        cells.titles[worst],
        f"is not reached by any weights{within}, beside the other margins: at best {reached / cells.unit:.6g} of "
        f"{cells.targets[worst] / cells.unit:.6g}; margins may contradict each other, or a combination lacks people",
    )
