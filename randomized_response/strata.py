"""Estimates of strata put together with the known shares of the strata in the population."""

from collections.abc import Sequence

import numpy as np

from randomized_response._limits import around, root_of_diagonal, wald_limits
from randomized_response.constrained import nearest_on_simplex
from randomized_response.results import ProportionEstimate, Vector


def combine_strata(estimates: Sequence[ProportionEstimate], shares: Sequence[float]) -> ProportionEstimate:
    """Shares in a population from estimates in its strata: theta = sum_h W_h theta_h, covariance = sum_h W_h^2 Cov_h.

    Parameters
    ----------
    estimates : sequence of ProportionEstimate
        One per stratum, of the same answers at the same confidence.
    shares : sequence of float
        W_h, the known share of each stratum in the population; non-negative, sum 1 (to 1e-9).

    Returns
    -------
    ProportionEstimate
        Intervals are Wald intervals of the combined estimate, clipped to [0, 1] and holding the constrained one, which
        is the unbiased one moved to the nearest point of the simplex. A stratum without a standard error (n < 2) and
        with a share above 0 leaves the combination without one: NaN, interval [0, 1].

    Raises
    ------
    ValueError
        Where numbers of strata, answers or confidences differ, or shares are no shares.

    Notes
    -----
    Strata are taken as drawn independently, their shares as known without error. The interval relies on normality:
    with few reports or a share near 0 or 1 it covers less than its level.

    References
    ----------
    Cochran, W. G. (1977). Sampling Techniques, 3rd ed., chapter 5. Wiley.

    Examples
    --------
    >>> from randomized_response import estimate_proportions, forced_response
    >>> channel = forced_response(truth="1/2")
    >>> young, old = estimate_proportions([600, 400], channel), estimate_proportions([70, 30], channel)
    >>> combine_strata([young, old], [0.25, 0.75]).unbiased.round(12)
    array([0.85, 0.15])
    """
    weights = _strata_weights(estimates, shares)
    pairs = [(weight, estimate) for weight, estimate in zip(weights, estimates, strict=True) if weight > 0]
    unbiased = np.asarray(sum(weight * estimate.unbiased for weight, estimate in pairs))
    covariance = np.asarray(sum(weight**2 * estimate.covariance for weight, estimate in pairs))
    noise = np.asarray(sum(weight**2 * estimate.noise_covariance for weight, estimate in pairs))
    level = estimates[0].confidence
    constrained = nearest_on_simplex(unbiased)
    low, high = around(constrained, *wald_limits(unbiased, covariance, level))
    noise_low, noise_high = around(constrained, *wald_limits(unbiased, noise, level))
    return ProportionEstimate(
        unbiased, constrained, root_of_diagonal(covariance), covariance, root_of_diagonal(noise), noise,
        low, high, noise_low, noise_high,
        sum(estimate.n for estimate in estimates), "wald", "wald", level,
    )  # fmt: skip


def _strata_weights(estimates: Sequence[ProportionEstimate], shares: Sequence[float]) -> Vector:
    weights = np.asarray(shares, dtype=np.float64)
    if len(estimates) == 0 or weights.shape != (len(estimates),):
        raise ValueError(f"shares must have one value per estimate, {len(estimates)}; got shape {weights.shape}")
    if not np.all(weights >= 0) or abs(weights.sum() - 1) > 1e-9:
        raise ValueError(f"shares must be non-negative and sum to 1; got {weights.tolist()}")
    if len({(len(estimate.unbiased), estimate.confidence) for estimate in estimates}) > 1:
        raise ValueError("estimates must be of the same answers at the same confidence; got different ones")
    return weights
