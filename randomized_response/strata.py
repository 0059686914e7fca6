"""Combination of the estimates of strata by the strata's known population shares."""

from collections.abc import Callable, Iterable, Sequence, Set
from functools import partial
from math import hypot, isnan

import numpy as np

from randomized_response._checks import as_distribution
from randomized_response._limits import Limits, around, root_of_diagonal, wald_limits
from randomized_response.channel import Channel
from randomized_response.constrained import maximum_likelihood, nearest_on_simplex
from randomized_response.means import MeanEstimate, around_mean, nothing_known
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
        The interval, "recovered", recovers the variances from the strata's own exact limits (MOVER): with estimates e
        and limits l, u of equal tails, low = e - sqrt(sum_h W_h^2 (e_h - l_h)^2), high = e + sqrt(sum_h W_h^2 (u_h -
        e_h)^2). e is the unbiased estimate, brought into [0, 1] after the sum: it is never a point, within [0, 1] and
        holds the constrained estimate. The limits are Clopper and Pearson's where a stratum's interval is exact, else
        of its own method; where a stratum has none of equal tails (`likelihood`, `wald`, ...) all take part with
        standard errors, and the interval is "wald". The constrained estimate are the shares that make the weighted
        shares of the reports, sum_h W_h c_h / n_h, most likely, where all strata used one table; else the unbiased one
        moved to the nearest point of the simplex (of options of which several may apply: each clipped). A stratum
        without reports and with a share above 0 leaves the combination without an estimate: NaN, interval [0, 1].
        `noise_low`, `noise_high` are made alike, "recovered_score", from score limits (Wilson's, by the coin's part of
        the variance alone) with a continuity correction of half a report; "wald" where a table has no binomial.

    Raises
    ------
    ValueError
        Where numbers of strata, answers or confidences differ, or shares are no shares.

    Notes
    -----
    Strata are taken as drawn independently, their shares as known without error. Recovering variances is an
    approximation: of 95 % the interval covered at least .937 where there were 30 reports or more in two or three
    strata of at least 10 (enumerated: six yes/no tables), where Wald's fell to .26; at least .927 with fewer, so
    a report weights groups from 30 reports in all on. Cutting the strata's limits to [0, 1] before the sum, or centring
    at constrained estimates, would not do (.52): what chance takes below 0 in one stratum makes up for what it adds in
    another. A "wald" one relies on normality: with few reports or a share near 0 or 1 it covers less than its level.
    That of the coin's part covered at least .965 in the same strata and tables, where Wald's fell to .845 and was a
    point in up to 2.7 % of surveys; without the correction it would have covered .880. Where nobody is forced to
    say no, it covered at least .960, Wald's .50.

    The likelihood of weighted counts is the pseudo-likelihood of Skinner (1989): its maximum is that of
    the reports themselves where the strata are one. A table whose reports tell answers apart very unevenly (discrete
    Laplace) gives unbiased shares far outside [0, 1], whose nearest shares may be those of nobody.

    References
    ----------
    Zou, G. Y., Huang, W. & Zhang, X. (2009). A note on confidence interval estimation for a linear function of binomial
    proportions. Computational Statistics and Data Analysis 53, 1080-1085. Donner, A. & Zou, G. Y. (2012). Closed-form
    confidence intervals for functions of the normal mean and standard deviation. Statistical Methods in Medical
    Research 21, 347-359. Skinner, C. J. (1989). Domain means, regression and multivariate analysis. In Analysis of
    Complex Surveys. Wiley. Cochran, W. G. (1977). Sampling Techniques, 3rd ed., chapter 5. Wiley.

    Examples
    --------
    >>> from randomized_response import estimate_proportions, forced_response
    >>> channel = forced_response(truth="1/2")
    >>> young, old = estimate_proportions([600, 400], channel), estimate_proportions([70, 30], channel)
    >>> combine_strata([young, old], [0.25, 0.75]).unbiased.round(12)
    array([0.85, 0.15])
    """
    _require(ProportionEstimate, estimates)
    kinds = {(len(estimate.unbiased), estimate.exclusive, estimate.confidence) for estimate in estimates}
    weights = _strata_weights(shares, len(estimates), kinds)
    pairs = [(weight, estimate) for weight, estimate in zip(weights, estimates, strict=True) if weight > 0]
    unbiased = np.asarray(sum(weight * estimate.unbiased for weight, estimate in pairs))
    covariance = np.asarray(sum(weight**2 * estimate.covariance for weight, estimate in pairs))
    noise = np.asarray(sum(weight**2 * estimate.noise_covariance for weight, estimate in pairs))
    level, exclusive = estimates[0].confidence, estimates[0].exclusive
    rates, channel = _weighted_rates(pairs)
    if channel is not None and rates is not None:
        constrained = maximum_likelihood(rates, channel)
    else:
        constrained = nearest_on_simplex(unbiased) if exclusive else np.clip(unbiased, 0, 1)
    tails, noise_tails = [one.tails_at for _, one in pairs], [one.noise_tails_at for _, one in pairs]
    limits_at = partial(_recovered, pairs, tails, unbiased, constrained, covariance)
    low, high = limits_at(level)
    noise_low, noise_high = _recovered(pairs, noise_tails, unbiased, constrained, noise, level)
    return ProportionEstimate(
        unbiased, constrained, root_of_diagonal(covariance), covariance, root_of_diagonal(noise), noise,
        low, high, noise_low, noise_high,
        sum(estimate.n for estimate in estimates), _method(tails), _method(noise_tails, "recovered_score"), level,
        exclusive=exclusive, limits_at=limits_at, rates=rates, channel=channel,
    )  # fmt: skip


def combine_means(estimates: Sequence[MeanEstimate], shares: Sequence[float]) -> MeanEstimate:
    """A mean in a population from means in its strata: sum_h W_h mean_h, with variance sum_h W_h^2 variance_h.

    Parameters
    ----------
    estimates : sequence of MeanEstimate
        One per stratum, of the same values at the same confidence. (A mean of those who have a value, over strata in
        which different shares have one, is `mean_of_shares` of `combine_strata`.)
    shares : sequence of float
        W_h, the known share of each stratum in the population; non-negative, sum 1 (to 1e-9).

    Returns
    -------
    MeanEstimate
        The interval is made as that of `combine_strata`, "recovered" from the strata's exact limits where all have
        such (`one_bit`), else "wald"; within the range of the values and holding the constrained mean, which is the
        unbiased one clipped. A stratum without a mean, or without a standard error, and with a share above 0 leaves
        the combination without one.

    Raises
    ------
    ValueError
        Where numbers of strata, ranges or confidences differ, or shares are no shares.

    Notes
    -----
    Strata are taken as drawn independently, their shares as known without error.

    References
    ----------
    Cochran, W. G. (1977). Sampling Techniques, 3rd ed., chapter 5. Wiley.

    Examples
    --------
    >>> from randomized_response import estimate_mean, one_bit
    >>> scale = one_bit(11, truth="1/2")
    >>> young, old = estimate_mean([450, 550], scale), estimate_mean([60, 40], scale)
    >>> print(combine_means([young, old], [0.25, 0.75]))
    mean 3.75, std. error 0.7427, 95 % interval 2.29093 to 5.29971 (recovered), 1100 reports
    """
    _require(MeanEstimate, estimates)
    kinds = {(estimate.minimum, estimate.maximum, estimate.confidence) for estimate in estimates}
    weights = _strata_weights(shares, len(estimates), kinds)
    pairs = [(weight, estimate) for weight, estimate in zip(weights.tolist(), estimates, strict=True) if weight > 0]
    n, level = sum(estimate.n for estimate in estimates), estimates[0].confidence
    ends = (estimates[0].minimum, estimates[0].maximum)
    unbiased = sum(weight * estimate.unbiased for weight, estimate in pairs)
    if isnan(unbiased):
        return nothing_known(ends, n, level)
    error = hypot(*(weight * estimate.standard_error for weight, estimate in pairs))
    noise = hypot(*(weight * estimate.noise_standard_error for weight, estimate in pairs))
    centre = sum(weight * estimate.constrained for weight, estimate in pairs)
    within = sum(weight * (one.direct_variance + (one.constrained - centre) ** 2) for weight, one in pairs)
    constrained = min(max(unbiased, ends[0]), ends[1])
    limits = None
    if all(estimate.tails for _, estimate in pairs):
        parts = [(weight, estimate.unbiased, estimate.tails) for weight, estimate in pairs if estimate.tails]
        below, above = (hypot(*(weight * (tails[end] - one) for weight, one, tails in parts)) for end in (0, 1))
        limits = (constrained - below, constrained + above)
    return around_mean(
        unbiased, constrained, (error, noise), ends, n, level,
        interval=_method(estimate.tails for _, estimate in pairs), binomial=limits, direct_variance=within,
    )  # fmt: skip


def _require(kind: type, estimates: Sequence[object]) -> None:
    for h, each in enumerate(estimates):
        if not isinstance(each, kind):
            raise ValueError(f"estimates[{h}] must be a {kind.__name__}; got {type(each).__name__}")


def collapse_strata(sizes: Sequence[int], fewest: int) -> tuple[tuple[int, ...], ...]:
    """Combine strata that are too small to be estimated alone; return the indices in each new stratum.

    Parameters
    ----------
    sizes : sequence of int
        Number of reports of each stratum.
    fewest : int
        Reports that a stratum must have to stay alone, at least 1.

    Returns
    -------
    tuple of tuples of int
        Strata that stay alone in their order, then the one of the small ones, where there are such. Where the small
        ones have fewer than `fewest` reports together, the smallest of the others joins them, of equal ones the first.

    Raises
    ------
    ValueError
        Where there is no stratum, a size is negative, or `fewest` is below 1.

    Notes
    -----
    A collapsed stratum has the sum of the known shares of those it holds. Within it nobody is weighted: it is biased
    where its strata differ and took part at different rates (Cochran 1977, section 5A.12).

    References
    ----------
    Cochran, W. G. (1977). Sampling Techniques, 3rd ed., section 5A.12 (collapsed strata). Wiley.

    Examples
    --------
    >>> collapse_strata([400, 3, 250, 4, 80], fewest=10)
    ((0,), (2,), (1, 3, 4))
    """
    if not sizes or min(sizes) < 0 or fewest < 1:
        raise ValueError(f"sizes must be non-negative, at least one, and fewest at least 1; got {sizes!r}, {fewest!r}")
    small = [place for place, size in enumerate(sizes) if size < fewest]
    others = sorted(set(range(len(sizes))) - set(small), key=lambda place: (sizes[place], place))
    while small and others and sum(sizes[place] for place in small) < fewest:
        small.append(others.pop(0))
    alone = tuple((place,) for place in sorted(others))
    return (*alone, tuple(sorted(small))) if small else alone


def _method(tails: Iterable[object | None], recovered: str = "recovered") -> str:
    return "wald" if None in tuple(tails) else recovered


def _recovered(
    pairs: Sequence[tuple[float, ProportionEstimate]],
    tails_at: Sequence[Callable[[float], Limits] | None],
    unbiased: Vector,
    constrained: Vector,
    covariance: Vector,
    level: float,
) -> Limits:
    """The interval of the sum from those of the strata (MOVER), or from its standard errors."""
    found = [(weight, one.unbiased, at(level)) for (weight, one), at in zip(pairs, tails_at, strict=True) if at]
    if len(found) < len(pairs):
        return around(constrained, *wald_limits(unbiased, covariance, level))
    below, above = (
        np.sqrt(sum((weight * (tails[end] - estimate)) ** 2 for weight, estimate, tails in found)) for end in (0, 1)
    )
    within = np.clip(unbiased, 0, 1)
    return around(constrained, within - below, within + above)


def _weighted_rates(pairs: Sequence[tuple[float, ProportionEstimate]]) -> tuple[Vector | None, Channel | None]:
    """The weighted shares of the reports, and their table; None if the strata have no table in common."""
    rates = [weight * one.rates for weight, one in pairs if one.rates is not None]
    channel = pairs[0][1].channel
    if channel is None or any(one.channel is None or one.channel.weights != channel.weights for _, one in pairs):
        return None, None
    return np.sum(rates, axis=0), channel


def _strata_weights(shares: Sequence[float], strata: int, kinds: Set[object]) -> Vector:
    """Validate shares as weights; `kinds` shows whether all estimates have the same answers and confidence."""
    weights = as_distribution(shares, name="shares", size=strata, per="estimate")
    if len(kinds) > 1:
        raise ValueError("estimates must be of the same answers at the same confidence; got different ones")
    return weights
