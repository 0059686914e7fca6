"""Confidence sequences: intervals that hold at all looks together, however often the data are inspected."""

from dataclasses import dataclass, replace
from math import isnan, log, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from randomized_response import _scipy as scipy
from randomized_response._checks import as_count, as_counts, as_level
from randomized_response._limits import Limits, around
from randomized_response.channel import Channel
from randomized_response.constrained import maximum_likelihood
from randomized_response.estimation import estimate_proportions
from randomized_response.means import MeanEstimate, clipped
from randomized_response.results import ProportionEstimate, Result, Vector, answer_table

BINOMIAL = "beta_binomial_mixture"
NORMAL = "normal_mixture"
"""The two methods of intervals at every look: exact for a binomial rate, and by the normal approximation."""

TIGHTEST_AT = 500
"""Reports at which the normal mixture is narrowest. It has to be fixed before there are any."""


@dataclass(frozen=True, eq=False)
class ConfidenceSequence(Result):
    """Intervals that hold at all looks together. Made by `confidence_sequence`.

    Attributes
    ----------
    unbiased, constrained, low, high : array (looks, k), or (k,) for one look
    n : array (looks,) of int, or int
        Reports at each look.
    confidence : float
        Probability that the interval of an answer holds at every look, past and to come.
    interval : str
    """

    unbiased: Vector
    constrained: Vector
    low: Vector
    high: Vector
    n: NDArray[np.int64] | int
    confidence: float
    interval: str = BINOMIAL

    def __str__(self) -> str:
        last = [np.atleast_2d(part)[-1] for part in (self.constrained, self.low, self.high)]
        head = f"{np.max(self.n)} reports; {100 * self.confidence:g} % at every look"
        return "\n".join([head, *answer_table({"estimate": "8.4f", "low": "6.4f", "high": "6.4f"}, *last)])


def confidence_sequence(counts: ArrayLike, channel: Channel, confidence: float = 0.95) -> ConfidenceSequence:
    """Intervals for the shares of the answers that hold at every look while reports come in.

    An interval of `estimate_proportions` holds at one look that was fixed in advance; watched while answers come in, it
    misses the truth sooner or later. These hold at all looks together: P(for every n, share in interval_n) >=
    confidence, answer by answer, whatever makes someone look or stop.

    Parameters
    ----------
    counts : m integers, or looks x m integers
        Number of reports of each symbol so far: one look, or one row per look.
    channel : Channel
        A table with one background (every yes/no table, k-ary response).
    confidence : float
        In (0, 1).

    Returns
    -------
    ConfidenceSequence
        Each interval is inside [0, 1] and holds its constrained estimate.

    Raises
    ------
    ValueError
        Where counts are no counts, or the table has no binomial rate for each answer.

    Notes
    -----
    With s reports of one symbol among n, the likelihood of rates mixed over Beta(1/2, 1/2), divided by that of the true
    rate, is a martingale of mean 1; by Ville's inequality it ever reaches 1 / (1 - confidence) with probability at most
    1 - confidence. The interval holds all rates for which it has not. With an unbiased share outside [0, 1], where all
    but a point might be cut off, it holds that of one look as well. Reports must come in an order that has nothing to
    do with the answers: where those who answer late differ, the share itself drifts.

    References
    ----------
    Robbins, H. (1970). Annals of Mathematical Statistics 41, 1397-1409. Howard, S. R., Ramdas, A., McAuliffe, J. &
    Sekhon, J. (2021). Annals of Statistics 49, 1055-1080. Waudby-Smith, I., Wu, S. & Ramdas, A. (2023). Nonparametric
    extensions of randomized response for private confidence sets. ICML.

    Examples
    --------
    >>> from randomized_response import forced_response
    >>> looks = confidence_sequence([[60, 40], [600, 400]], forced_response(truth="1/2"))
    >>> looks.low[:, 1].round(3), looks.high[:, 1].round(3)
    (array([0.   , 0.189]), array([0.631, 0.415]))
    """
    looks = np.atleast_2d(np.asarray(counts))
    tallies = np.array([as_counts(look, name="counts", size=channel.reports) for look in looks])
    level = as_level(confidence)
    if channel.background is None:
        raise ValueError(f"channel must have one background (yes/no or k-ary); got {channel.name!r} without one")
    low, high = _rates(tallies, level)
    limits = np.stack([low, high]) * channel.denominator - channel.background
    limits = np.clip(np.sort(limits / channel.gain, axis=0), 0, 1)
    constrained = np.array([maximum_likelihood(tally, channel) for tally in tallies])
    unbiased = np.array([channel.left_inverse @ (t / t.sum()) if t.sum() else constrained[0] * np.nan for t in tallies])
    low, high = np.fmin(limits[0], constrained), np.fmax(limits[1], constrained)
    for look in np.flatnonzero(((unbiased < 0) | (unbiased > 1)).any(axis=1)):
        once = estimate_proportions(tallies[look], channel, confidence=level)
        low[look], high[look] = np.minimum(low[look], once.low), np.maximum(high[look], once.high)
    n = tallies.sum(axis=1)
    if np.ndim(counts) == 1:
        return ConfidenceSequence(unbiased[0], constrained[0], low[0], high[0], int(n[0]), level)
    return ConfidenceSequence(unbiased, constrained, low, high, n, level)


def errors_at_every_look(n: int, confidence: float = 0.95) -> float:
    """Half-width, in standard errors, of an interval that holds at all looks, by the normal approximation.

    Parameters
    ----------
    n : int
        Reports, at least 1.
    confidence : float
        In (0, 1).

    Returns
    -------
    float
        In place of the normal quantile: 3.04 for 95 % at 500 reports, where it is least, against 1.96 at one look.

    Notes
    -----
    The mixture of a Gaussian random walk over N(0, rho^2) reaches 1 / (1 - confidence) when the walk's mean is
    sqrt(2 (n rho^2 + 1) / (n rho^2) log(sqrt(n rho^2 + 1) / (1 - confidence))) standard errors from 0. By a strong
    approximation the same holds of any mean of many independent terms with an estimated standard error, whether the
    terms are alike or differ from person to person: an asymptotic confidence sequence.

    References
    ----------
    Robbins, H. (1970). Annals of Mathematical Statistics 41, 1397-1409. Waudby-Smith, I., Arbour, D., Sinha, R.,
    Kennedy, E. H. & Ramdas, A. (2024). Time-uniform central limit theory and asymptotic confidence sequences. Annals of
    Statistics 52, 2613-2640, theorems 2.2 and 2.5.

    Examples
    --------
    >>> [round(errors_at_every_look(n), 2) for n in (30, 500, 10**6)]
    [4.29, 3.04, 3.97]
    """
    size, missed = as_count(n, name="n", low=1), 1 - as_level(confidence)
    scaled = size * (1 - 2 * log(missed) + log(1 - 2 * log(missed))) / TIGHTEST_AT
    return sqrt(2 * (scaled + 1) / scaled * log(sqrt(scaled + 1) / missed))


def shares_at_every_look(estimate: ProportionEstimate, exact: Limits | None = None) -> ProportionEstimate:
    """The same estimate with intervals that hold at all looks together.

    Parameters
    ----------
    estimate : ProportionEstimate
        Of at least one report.
    exact : pair of array (k,), or None
        Lower and upper ends of `confidence_sequence` where there are such; else standard errors are multiplied by
        `errors_at_every_look`, as those of the tickets' chance always are.

    Returns
    -------
    ProportionEstimate
        `interval` is "beta_binomial_mixture" or "normal_mixture", `noise_interval` "normal_mixture".

    Examples
    --------
    >>> from randomized_response import estimate_proportions, forced_response
    >>> once = estimate_proportions([612, 388], forced_response(truth="1/2"))
    >>> always = shares_at_every_look(once)
    >>> [(float(one.low[1].round(3)), float(one.high[1].round(3))) for one in (once, always)]
    [(0.216, 0.338), (0.181, 0.371)]
    """
    many = errors_at_every_look(estimate.n, estimate.confidence)
    # A standard error of nothing, where all reports are alike, says nothing; the tickets' part is never nothing.
    error = np.fmax(estimate.standard_error, estimate.noise_standard_error)
    whole = exact or _reach(estimate, many * error)
    noise = _reach(estimate, many * estimate.noise_standard_error)
    low, high = around(estimate.constrained, *_no_shorter(whole, estimate.low, estimate.high))
    noise_low, noise_high = around(estimate.constrained, *_no_shorter(noise, estimate.noise_low, estimate.noise_high))
    return replace(
        estimate, low=low, high=high, interval=BINOMIAL if exact else NORMAL,
        noise_low=noise_low, noise_high=noise_high, noise_interval=NORMAL, limits_at=None,
    )  # fmt: skip


def _reach(estimate: ProportionEstimate, half: Vector) -> Limits:
    return estimate.unbiased - half, estimate.unbiased + half


def _no_shorter(limits: Limits, low: Vector, high: Vector) -> Limits:
    """Extend limits to those for one look: where the unbiased estimate lies far outside of [0, 1], nothing else
    would be left of the other one."""
    return np.minimum(limits[0], low), np.maximum(limits[1], high)


def mean_at_every_look(estimate: MeanEstimate, exact: tuple[float, float] | None = None) -> MeanEstimate:
    """The same mean with intervals that hold at all looks together; `exact` as for `shares_at_every_look`.

    Examples
    --------
    >>> from randomized_response import estimate_mean, one_bit
    >>> once = estimate_mean([450, 550], one_bit(11, truth="1/2"))
    >>> print(mean_at_every_look(once))
    mean 6, std. error 0.3148, 95 % interval 5.03337 to 6.96663 (normal_mixture), 1000 reports
    """
    if isnan(estimate.unbiased):
        return estimate
    ends, many = (estimate.minimum, estimate.maximum), errors_at_every_look(estimate.n, estimate.confidence)
    half = many * max(estimate.standard_error, estimate.noise_standard_error)
    low, high = clipped(exact or (estimate.unbiased - half, estimate.unbiased + half), estimate.constrained, ends)
    half = many * estimate.noise_standard_error
    noise = clipped((estimate.unbiased - half, estimate.unbiased + half), estimate.constrained, ends)
    return replace(
        estimate, low=low, high=high, interval=BINOMIAL if exact else NORMAL,
        noise_low=noise[0], noise_high=noise[1], noise_interval=NORMAL,
    )  # fmt: skip


def rates_at_every_look(yes: ArrayLike, n: int, confidence: float = 0.95) -> Limits:
    """Lower and upper limits, shape (k,), of binomial rates with `yes` of n observed, at all looks together.

    Examples
    --------
    >>> low, high = rates_at_every_look([388], 1000)
    >>> low.round(3), high.round(3)
    (array([0.333]), array([0.445]))
    """
    ones = np.asarray(yes, dtype=np.int64)
    low, high = _rates(np.stack([n - ones, ones], axis=1), as_level(confidence))
    return low[:, 1], high[:, 1]


def _rates(tallies: NDArray[np.int64], level: float) -> tuple[Vector, Vector]:
    """All rates whose mixture martingale is below 1 / (1 - level), by bisection for all looks and symbols at once."""
    yes = tallies.astype(np.float64)
    no = tallies.sum(axis=1, keepdims=True) - yes
    mixture = scipy.special.betaln(yes + 0.5, no + 0.5) - scipy.special.betaln(0.5, 0.5) + np.log(1 - level)
    centre = np.divide(yes, yes + no, out=np.full_like(yes, 0.5), where=yes + no > 0)
    ends = [_bisected(np.full_like(yes, end), centre, mixture, yes, no) for end in (0.0, 1.0)]
    return ends[0], ends[1]


def _bisected(outside: Vector, inside: Vector, mixture: Vector, yes: Vector, no: Vector) -> Vector:
    for _ in range(64):
        middle = (outside + inside) / 2
        holds = mixture <= scipy.special.xlogy(yes, middle) + scipy.special.xlog1py(no, -middle)
        inside, outside = np.where(holds, middle, inside), np.where(holds, outside, middle)
    return outside
