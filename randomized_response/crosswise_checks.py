"""Crosswise designs that check themselves: an anchor that nobody holds, and two arms that are each other's reverse."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from randomized_response import _scipy as scipy
from randomized_response._checks import FractionLike, as_count, as_level
from randomized_response._diagnostics import LikelihoodRatio, likelihood_ratio
from randomized_response._labels import matched
from randomized_response._limits import fieller
from randomized_response.errors import ParameterError
from randomized_response.estimation import estimate_proportions
from randomized_response.mechanisms import crosswise
from randomized_response.results import ProportionEstimate, Result
from randomized_response.weighted import Weights, read_mass

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class AnchoredEstimate(Result):
    """A share corrected for people who answer by chance. Made by `anchored_crosswise` and `without_random_answers`.

    Attributes
    ----------
    naive : float
        The estimate without a correction.
    attentive, attentive_standard_error : float
        Estimated share of the people who follow the instructions; may leave [0, 1].
    unbiased, constrained, standard_error : float
        The corrected share, the same within [0, 1], and its standard error (delta method).
    low, high : float
        Fieller's interval within [0, 1]; [0, 1] where the anchor does not tell attention from chance.
    n : int
    confidence : float
    """

    naive: float
    attentive: float
    attentive_standard_error: float
    unbiased: float
    constrained: float
    standard_error: float
    low: float
    high: float
    n: int
    confidence: float


@dataclass(frozen=True, eq=False)
class ExtendedCrosswiseEstimate(Result):
    """A share from two crosswise arms that are each other's reverse. Made by `extended_crosswise`.

    Attributes
    ----------
    prevalence : ProportionEstimate
        From both arms together, as if all followed the instructions.
    followed : LikelihoodRatio
        The test that both arms have one share: low p-values say that instructions were not followed.
    """

    prevalence: ProportionEstimate
    followed: LikelihoodRatio


def anchored_crosswise(
    reports: ArrayLike,
    anchors: ArrayLike,
    prevalence: FractionLike,
    anchor_prevalence: FractionLike,
    weights: Weights = None,
    *,
    confidence: float = 0.95,
) -> AnchoredEstimate:
    """Estimate a crosswise share that is corrected for people who answer by chance, from an anchor that nobody holds.

    Model: a share g of the respondents follows the instructions in both items, the others report 0 or 1 with 1/2 each.
    The anchor's sensitive statement is true of nobody, so that with u, v the known shares of the harmless statements

        P(report = 1) = g (share u + (1 - share) (1 - u)) + (1 - g) / 2,    P(anchor = 1) = g (1 - v) + (1 - g) / 2.

    Parameters
    ----------
    reports, anchors : arrays of shape (n,)
        1 where both statements have one answer, else 0, of the item and of the anchor, by the same people.
    prevalence, anchor_prevalence : exact fractions in (0, 1)
        u and v, neither 1/2.
    weights : CalibratedWeights, or array of shape (n,), optional
        Positive; only their proportions matter. What calibration explains is not taken off the standard error.
    confidence : float
        Level of the interval, in (0, 1).

    Returns
    -------
    AnchoredEstimate

    Raises
    ------
    ValueError
        Naming the argument, the bound and the value.

    Notes
    -----
    It fails where attention differs between the two items, where inattentive people choose one report more often, or
    where inattention goes with the sensitive statement. The corrected estimate is more variable than the naive one.

    References
    ----------
    Atsusaka, Y. & Stevenson, R. T. (2023). A bias-corrected estimator for the crosswise model with inattentive
    respondents. Political Analysis 31, 134-148, equations 3 to 5. Fieller, E. C. (1954). Some problems in interval
    estimation. JRSS B 16, 175-185.

    Examples
    --------
    >>> reports, anchors = [1] * 320 + [0] * 680, [1] * 140 + [0] * 200 + [1] * 60 + [0] * 600
    >>> found = anchored_crosswise(reports, anchors, "1/10", "9/10")
    >>> round(found.naive, 3), round(found.attentive, 3), round(found.constrained, 3)
    (0.725, 0.75, 0.8)
    """
    level = as_level(confidence)
    reports, anchors, weights = matched(reports=reports, anchors=anchors, weights=weights)
    y, a = _read_binary(reports, "reports"), _read_binary(anchors, "anchors")
    if y.shape != a.shape:
        raise ParameterError("anchors", f"must have one entry per report, shape {y.shape}; got shape {a.shape}")
    u, v = (float(crosswise(prevalence=one).matrix[1, 1]) for one in (prevalence, anchor_prevalence))
    rates, covariance = _moments(np.array([y, a]) - 0.5, read_mass(weights, y.size))
    factor = (0.5 - v) / (2 * u - 1)
    attentive = float(rates[1] / (0.5 - v))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = float(rates[0] / rates[1])
        slopes = np.array([1.0, -ratio]) / rates[1]
    unbiased = 0.5 + factor * ratio
    low, high = fieller(rates, covariance, float(scipy.special.ndtri((1 + level) / 2)), factor)
    constrained = float(np.clip(unbiased, 0, 1))
    return AnchoredEstimate(
        naive=float(0.5 + rates[0] / (2 * u - 1)),
        attentive=attentive,
        attentive_standard_error=float(np.sqrt(covariance[1, 1]) / abs(0.5 - v)),
        unbiased=unbiased,
        constrained=constrained,
        standard_error=float(abs(factor) * np.sqrt(slopes @ covariance @ slopes)),
        low=min(low, constrained),
        high=max(high, constrained),
        n=y.size,
        confidence=level,
    )


def extended_crosswise(
    reports: tuple[int, int],
    n: tuple[int, int],
    prevalence: FractionLike,
    *,
    confidence: float = 0.95,
) -> ExtendedCrosswiseEstimate:
    """Estimate a crosswise share from two random arms whose harmless statements are each other's reverse, and test it.

    Model: in the first arm the harmless statement is true with the known share u, in the second with 1 - u. Who follows
    the instructions reports 1 with lambda in the first and with 1 - lambda in the second, so that the sum tells.

    Parameters
    ----------
    reports, n : pairs of whole numbers
        Reports of 1 (both statements have one answer), and all reports, in the two arms.
    prevalence : exact fraction in (0, 1)
        u, not 1/2.
    confidence : float
        Level of the interval, in (0, 1).

    Returns
    -------
    ExtendedCrosswiseEstimate

    Raises
    ------
    ValueError
        Naming the argument, the bound and the value.

    Notes
    -----
    The test has one degree of freedom. It finds people who prefer one report whatever is true; it cannot find those who
    answer by chance with 1/2, who move both arms alike (`anchored_crosswise` does).

    References
    ----------
    Heck, D. W., Hoffmann, A. & Moshagen, M. (2018). Detecting nonadherence without loss in efficiency: a simple
    extension of the crosswise model. Behavior Research Methods 50, 1895-1905.

    Examples
    --------
    >>> found = extended_crosswise((350, 640), (1000, 1000), "1/4")
    >>> found.prevalence.unbiased.round(3), round(found.followed.p_value, 3)
    (array([0.21, 0.79]), 0.64)
    """
    ones = [as_count(count, name=f"reports[{arm}]") for arm, count in enumerate(reports)]
    sizes = [as_count(size, name=f"n[{arm}]", low=2) for arm, size in enumerate(n)]
    for arm, (one, size) in enumerate(zip(ones, sizes, strict=True)):
        if one > size:
            raise ParameterError(f"reports[{arm}]", f"must be from 0 to {size}; got {one}")
    same = ones[0] + sizes[1] - ones[1]
    total = sum(sizes)
    table = crosswise(prevalence=prevalence)
    pooled = estimate_proportions([total - same, same], table, confidence)
    rates = [ones[0] / sizes[0], 1 - ones[1] / sizes[1]]
    apart = sum(_height(rate * size, size) for rate, size in zip(rates, sizes, strict=True))
    return ExtendedCrosswiseEstimate(pooled, likelihood_ratio(apart, _height(same, total), 1))


def _moments(values: Floats, mass: Floats) -> tuple[Floats, Floats]:
    """The weighted means of variables, shape (variables, n), and the covariance of these means."""
    share, n = mass / mass.sum(), mass.size
    means = values @ share
    around = values - means[:, None]
    return means, n / (n - 1) * (around * share**2) @ around.T


def _read_binary(values: ArrayLike, name: str) -> Floats:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(name, f"must be 0 and 1; {error}") from None
    if array.ndim != 1 or array.size < 2:
        raise ParameterError(name, f"must have one dimension and at least 2 entries; got shape {array.shape}")
    wrong = np.flatnonzero((array != 0) & (array != 1))
    if wrong.size:
        raise ParameterError(f"{name}[{wrong[0]}]", f"must be 0 or 1; got {array[wrong[0]]:g}")
    return array


def _height(ones: float, n: int) -> float:
    return float(scipy.special.xlogy(ones, ones / n) + scipy.special.xlogy(n - ones, (n - ones) / n))
