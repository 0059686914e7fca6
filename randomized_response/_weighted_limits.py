"""The parts of estimates from weighted reports that depend on the table alone: constrained shares and intervals."""

import numpy as np
from numpy.typing import NDArray

from randomized_response import _scipy as scipy
from randomized_response._limits import Limits, around
from randomized_response.channel import Channel
from randomized_response.constrained import maximum_likelihood, nearest_on_simplex
from randomized_response.encodings import EachOption
from randomized_response.questions import Mechanism

Floats = NDArray[np.float64]


def method_of(mechanism: Mechanism) -> str:
    """The name of the interval of `limits_of`."""
    return "wald" if _slopes(mechanism) is None else "score"


def constrained_of(theta: Floats, mechanism: Mechanism) -> tuple[Floats, Floats | None]:
    if isinstance(mechanism, Channel):
        rates = np.clip(mechanism.matrix.T @ theta, 0, None)
        return maximum_likelihood(rates / rates.sum(), mechanism), rates
    return (np.clip(theta, 0, 1) if isinstance(mechanism, EachOption) else nearest_on_simplex(theta)), None


def _slopes(mechanism: Mechanism) -> tuple[Floats, Floats] | None:
    """P(the report of an answer) of those who hold another one and of those who hold it; None without a binomial."""
    if not isinstance(mechanism, Channel):
        miss, hit = mechanism.bit.matrix[:, 1]
        return np.full(mechanism.k, miss), np.full(mechanism.k, hit)
    if mechanism.background is None:
        return None
    miss = mechanism.background / mechanism.denominator
    return miss, miss + mechanism.gain / mechanism.denominator


def limits_of(
    theta: Floats, constrained: Floats, errors: Floats, mechanism: Mechanism, freedom: int, level: float
) -> Limits:
    slopes = _slopes(mechanism)
    if slopes is None:
        return around(constrained, *wald(theta, errors, level, freedom))
    miss, hit = slopes
    rates = np.clip(miss + (hit - miss) * theta, 0, 1)
    variance = (errors * (hit - miss)) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        share = _quantile(level, freedom) ** 2 * variance / (rates * (1 - rates))
    centre = (rates + share / 2) / (1 + share)
    reach = np.sqrt(share * rates * (1 - rates) + share**2 / 4) / (1 + share)
    ends = np.sort((np.array([centre - reach, centre + reach]) - miss) / (hit - miss), axis=0)
    return around(constrained, ends[0], ends[1])


def wald(theta: Floats, errors: Floats, level: float, freedom: int | None) -> Limits:
    reach = _quantile(level, freedom) * errors
    return theta - reach, theta + reach


def _quantile(level: float, freedom: int | None) -> float:
    """Student's quantile, the normal one without a number of degrees; NaN for none of them."""
    if freedom is None:
        return float(scipy.special.ndtri((1 + level) / 2))
    return float(scipy.special.stdtrit(freedom, (1 + level) / 2)) if freedom > 0 else float("nan")
