"""Simultaneous comparisons of independent groups: the level that each interval needs so that all hold."""

import numpy as np
from numpy.typing import ArrayLike

from randomized_response import _scipy as scipy
from randomized_response._checks import as_level
from randomized_response.results import Vector

_REACH, _POINTS = 9.0, 6001
_FLOOR = 1e-6


def simultaneous_level(standard_errors: ArrayLike, *, confidence: float = 0.95, reference: int | None = None) -> float:
    """Level of each comparison's interval at which all comparisons hold simultaneously with `confidence`.

    Parameters
    ----------
    standard_errors : array of shape (k,)
        Of the k independent estimates that are compared, k at least 2; finite and not negative.
    confidence : float
        Of all comparisons together, in (0, 1).
    reference : int or None
        The place of the estimate that each other one is compared with; None where every pair is compared.

    Returns
    -------
    float
        In [confidence, 1). The same comparison differs where its interval at this level does not hold 0, and the chance
        that any of several true equalities is called a difference is at most 1 - confidence.

    Raises
    ------
    ValueError
        Naming the argument, the bound and the value.

    Notes
    -----
    Estimates are taken as normal. Every pair: the range of k normal variables, exact where standard errors are equal
    and never below `confidence` where they are not (Hayter 1984). One reference: the comparisons share its estimate
    and are independent given it, so the chance that all hold is an integral over it alone, for any standard errors.

    References
    ----------
    Tukey, J. W. (1953). The problem of multiple comparisons. Princeton. Kramer, C. Y. (1956). Biometrics 12, 307-310.
    Hayter, A. J. (1984). Annals of Statistics 12, 61-75. Dunnett, C. W. (1955). JASA 50, 1096-1121.

    Examples
    --------
    Two groups are one comparison; of three groups three pairs or two comparisons with the first.

    >>> errors = [0.02, 0.02, 0.02]
    >>> [round(simultaneous_level(errors[:2]), 4), round(simultaneous_level(errors), 4)]
    [0.95, 0.9809]
    >>> round(simultaneous_level(errors, reference=0), 4)
    0.973
    """
    level = as_level(confidence)
    errors = np.asarray(standard_errors, dtype=np.float64)
    if errors.ndim != 1 or errors.size < 2:
        raise ValueError(f"standard_errors must have one dimension and at least 2 entries; got shape {errors.shape}")
    if not np.all(np.isfinite(errors) & (errors >= 0)):
        raise ValueError(f"standard_errors must be finite and not negative; got {errors.tolist()}")
    if reference is not None and not 0 <= reference < errors.size:
        raise ValueError(f"reference must be from 0 to {errors.size - 1}; got {reference}")
    if errors.size == 2:
        return level
    if reference is None:
        return _two_sided(float(scipy.stats.studentized_range.ppf(level, errors.size, np.inf)) / np.sqrt(2))
    # An estimate without an error is compared like one with a very small one.
    errors = np.maximum(errors, _FLOOR * errors.max()) if errors.max() > 0 else np.ones_like(errors)
    alone, every = (
        float(scipy.special.ndtri((1 + level) / 2)),
        float(scipy.special.ndtri(1 - (1 - level) / 2 / (errors.size - 1))),
    )
    critical = scipy.optimize.brentq(lambda c: _all_hold(c, errors, reference) - level, alone - 1e-6, every + 1e-6)
    return max(level, _two_sided(float(critical)))


def _all_hold(critical: float, errors: Vector, reference: int) -> float:
    """P(every other estimate is within `critical` standard errors of the reference), all expectations being equal."""
    others = np.delete(errors, reference)[:, None]
    spread = np.hypot(errors[reference], others)
    z = np.linspace(-_REACH, _REACH, _POINTS)
    centre = errors[reference] * z
    inside = scipy.special.ndtr((centre + critical * spread) / others) - scipy.special.ndtr(
        (centre - critical * spread) / others
    )
    density = np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
    return float(np.trapezoid(density * inside.prod(axis=0), z))


def _two_sided(critical: float) -> float:
    return float(1 - 2 * scipy.special.ndtr(-critical))
