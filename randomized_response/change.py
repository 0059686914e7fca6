"""Change of a share or a mean between two waves of a survey, with possibly overlapping respondents.

Two things make two waves go together. People who answered in both carry their answers along. And where each device
remembers its draws (`remembered`), the same answer is the same report in both waves, with the same error by chance.
"""

from dataclasses import dataclass
from math import isnan, sqrt

import numpy as np
from numpy.typing import ArrayLike

from randomized_response._checks import LARGEST_COUNT, as_count
from randomized_response._limits import correlation_of, recovered_distance
from randomized_response._stability import as_returned, as_stayed, bounds, largest
from randomized_response.channel import Channel
from randomized_response.encodings import EachOption
from randomized_response.intervals import normal_quantile
from randomized_response.means import MeanEstimate
from randomized_response.questions import Mechanism
from randomized_response.results import ProportionEstimate, Result, Vector


@dataclass(frozen=True, eq=False)
class ChangeEstimate(Result):
    """Changes of shares, second wave minus first, by answer; one entry for a mean. Made by `change_of_shares`.

    Attributes
    ----------
    difference : array (k,)
        Of the constrained estimates, the ones to show: inside both intervals.
    unbiased : array (k,)
        Of the unbiased estimates; may lie outside of both intervals.
    standard_error : array (k,)
        Of `unbiased`, sampling of respondents and coin together: the largest that what is known allows.
    narrowest_standard_error : array (k,)
        The smallest that it allows: where as many as possible came back and stayed with their answer. The same as
        `standard_error` where nothing is open.
    low, high : array (k,)
        Interval for the change in the population, made with `standard_error`.
    noise_standard_error, narrowest_noise_standard_error, noise_low, noise_high : array (k,)
        The coin's part alone: the error about the change among the people who took part.
    covariance, noise_covariance : array (k,)
        Of the two waves' estimates of one answer, as `standard_error` and `noise_standard_error` take it.
    n : tuple of int
        Reports of the first and the second wave.
    returned : int or None
        People who took part in both; None where it is not known, and they are taken as different people.
    remembered : bool
    confidence : float
    """

    difference: Vector
    unbiased: Vector
    standard_error: Vector
    narrowest_standard_error: Vector
    low: Vector
    high: Vector
    noise_standard_error: Vector
    narrowest_noise_standard_error: Vector
    noise_low: Vector
    noise_high: Vector
    covariance: Vector
    noise_covariance: Vector
    n: tuple[int, int]
    returned: int | None
    remembered: bool
    confidence: float


def noise_of_answers(mechanism: Mechanism) -> Vector:
    """The randomization variance of the unbiased share of each answer in one respondent's report.

    Parameters
    ----------
    mechanism : Channel, UnaryEncoding, SubsetSelection or EachOption
        A channel's rows must be linearly independent.

    Returns
    -------
    array (k, k)
        Entry [x, j]: the variance of the j-th share in the report of a person whose answer is x, her report alone.
        Of `EachOption` shape (2, k): the option j not ticked, ticked.

    Examples
    --------
    >>> from randomized_response import forced_response
    >>> noise_of_answers(forced_response(truth="1/2"))
    array([[0.75, 0.75],
           [0.75, 0.75]])
    """
    if isinstance(mechanism, Channel):
        inverse, matrix = mechanism.left_inverse, mechanism.matrix
        return np.asarray(matrix @ (inverse**2).T - np.eye(mechanism.answers))
    bit = mechanism.bit
    off, on = bit.matrix[:, 1]
    no, yes = np.array([off * (1 - off), on * (1 - on)]) / (on - off) ** 2
    if isinstance(mechanism, EachOption):
        return np.asarray(np.repeat([[no], [yes]], mechanism.k, axis=1))
    return np.asarray(np.where(np.eye(mechanism.k, dtype=bool), yes, no))


def noise_covariance(mechanism: Mechanism, stayed: ArrayLike, n: tuple[int, int]) -> Vector:
    """The covariance of two waves' shares due to remembered draws, for known numbers of unchanged answers.

    Who gave the same answer x in both waves sent the same report: her share of the one mean goes together with that of
    the other as with itself. All other reports are drawn independently. So, given the answers,

        Cov_j = sum over x of stayed[x] v[x, j] / (n1 n2),    v as `noise_of_answers` has it

    Parameters
    ----------
    mechanism :
        As for `noise_of_answers`.
    stayed : array (k,), of `EachOption` (2, k)
        How many people gave this answer in both waves; of several options, by option, how many left it unticked, and
        how many ticked it, in both.
    n : tuple of int
        Reports of the two waves, at least 1.

    Returns
    -------
    array (k,)

    Raises
    ------
    ValueError
        Where `stayed` has another shape, or more people stayed than took part in one of the waves.

    Examples
    --------
    >>> from randomized_response import forced_response
    >>> noise_covariance(forced_response(truth="1/2"), [60, 20], (100, 100)).round(6)
    array([0.006, 0.006])
    """
    sizes = [as_count(size, name="n", low=1, high=LARGEST_COUNT) for size in n]
    spread = noise_of_answers(mechanism)
    counts = as_stayed(stayed, mechanism, min(sizes))
    return np.asarray((counts * spread).sum(axis=0) / (sizes[0] * sizes[1]))


def change_of_shares(
    first: ProportionEstimate,
    second: ProportionEstimate,
    mechanism: Mechanism,
    *,
    remembered: bool = False,
    returned: int | None = None,
    stayed: ArrayLike | None = None,
) -> ChangeEstimate:
    """Estimate the changes of the shares of the answers between two waves, allowing for their covariance.

    Model: n1 and n2 people report through one mechanism, `returned` of them in both waves, as if drawn at random among
    each wave's. Draws of two waves are independent, but where they are `remembered` and the answer stayed the same.

    Parameters
    ----------
    first, second : ProportionEstimate
        Of the same answers at the same confidence, the earlier wave first; of all reports, not of weighted strata.
    mechanism : Channel, UnaryEncoding, SubsetSelection or EachOption
        Of both waves.
    remembered : bool
        Whether the same answer of the same person is the same report in both waves; of several options, each by itself.
    returned : int or None
        People who took part in both. None: not known; they are then taken as different people, whose answers and draws
        are independent. Where draws are remembered, those whose device remembered them.
    stayed : array (k,), of `EachOption` (2, k), or None
        How many of them gave each answer in both waves, where that is known (of several options, by option: how many
        left it unticked, and ticked it, in both); else it is bounded by the estimates.

    Returns
    -------
    ChangeEstimate
        Where it is not known who stayed, `standard_error` and the intervals are those of the fewest who can have,
        max(0, m - (n1 - n1x) - (n2 - n2x)) of m who returned, n1x the estimated number with answer x;
        `narrowest_standard_error` is that of the most, min(n1x, n2x, m). The intervals recover variances from those of
        the two waves, with the correlation of the two estimates.

    Raises
    ------
    ValueError
        Where answers or confidences differ, `returned` is more than took part in a wave, or more stayed than returned.

    Notes
    -----
    With v[x, j] as in `noise_of_answers`, the sampling of respondents adds stayed[j] - returned share1[j] share2[j] to
    n1 n2 Cov_j. It may be negative: the fewest who can have stayed make an interval that is wider than that of
    different people. The estimated numbers are taken for the true ones.

    References
    ----------
    Kish, L. (1965). Survey Sampling, section 12.4 (overlapping samples). Wiley. Newcombe, R. G. (1998). Statistics in
    Medicine 17, 2635-2650. Zou, G. Y. (2007). Psychological Methods 12, 399-413.

    Examples
    --------
    The same 1000 people, and the same 400 reports of yes: nothing changed, or as many each way.

    >>> from randomized_response import estimate_proportions, forced_response
    >>> coins = forced_response(truth="1/2")
    >>> wave = estimate_proportions([600, 400], coins)
    >>> for returned in (None, 1000):
    ...     found = change_of_shares(wave, wave, coins, remembered=True, returned=returned)
    ...     print(found.standard_error[1].round(4), found.narrowest_standard_error[1].round(4))
    0.0438 0.0438
    0.0388 0.0014
    """
    if len(first.unbiased) != len(second.unbiased) or first.confidence != second.confidence:
        raise ValueError("first and second must be of the same answers at the same confidence; got different ones")
    m = as_returned(returned, first.n, second.n)
    spread, several = noise_of_answers(mechanism), isinstance(mechanism, EachOption)
    if len(spread[0]) != len(first.unbiased):
        raise ValueError(f"mechanism must be of {len(first.unbiased)} answers; got one of {len(spread[0])}")
    held = spread if remembered else np.zeros_like(spread)
    both = np.array([np.zeros_like(spread[0]), np.ones_like(spread[0])]) if several else np.eye(len(spread))
    if stayed is not None:
        known = as_stayed(stayed, mechanism, m)
        found = [((known * (held + both)).sum(axis=0), (known * held).sum(axis=0))] * 2
    else:
        fewest, most = bounds(first, second, m, several=several)
        found = [
            ((fewest * (held + both)).sum(axis=0), (fewest * held).sum(axis=0)),
            (largest(most, held + both, m), largest(most, held, m)),
        ]
    common = m * first.constrained * second.constrained
    pairs = max(first.n * second.n, 1)
    parts = [((whole - common) / pairs, noise / pairs) for whole, noise in found]
    one = (first.constrained, first.low, first.high), (first.constrained, first.noise_low, first.noise_high)
    two = (second.constrained, second.low, second.high), (second.constrained, second.noise_low, second.noise_high)
    limits = [
        _recovered(before, after, correlation_of(*pair, shared))
        for before, after, pair, shared in zip(one, two, _errors(first, second), parts[0], strict=True)
    ]
    return _change(first, second, parts, limits, returned, remembered)


def change_of_means(
    first: MeanEstimate, second: MeanEstimate, *, remembered: bool = False, returned: int | None = None
) -> ChangeEstimate:
    """Estimate the change of a mean between two waves; unknown quantities are taken at their widest.

    Parameters
    ----------
    first, second : MeanEstimate
        Of the same range at the same confidence, the earlier wave first; of all reports, not of weighted strata.
    remembered, returned :
        As for `change_of_shares`.

    Returns
    -------
    ChangeEstimate
        Of one entry, in the unit of the mean. The values of those who `returned` may go together in any way from one
        wave to the next: `standard_error` takes the correlation -1 for them, `narrowest_standard_error` 1, and where
        draws are remembered the same correlation of their errors by chance, which is never negative.

    Raises
    ------
    ValueError
        Where ranges or confidences differ, or `returned` is more than took part in a wave.

    References
    ----------
    As for `change_of_shares`.

    Examples
    --------
    >>> from randomized_response import estimate_mean, one_bit
    >>> scale = one_bit(11, truth="1/2")
    >>> found = change_of_means(estimate_mean([450, 550], scale), estimate_mean([400, 600], scale))
    >>> found.difference.round(3), found.low.round(3), found.high.round(3)
    (array([1.]), array([0.134]), array([1.866]))
    """
    ends = [(wave.minimum, wave.maximum, wave.confidence) for wave in (first, second)]
    if ends[0] != ends[1]:
        raise ValueError("first and second must be of the same range at the same confidence; got different ones")
    m = as_returned(returned, first.n, second.n)
    part = m / max(first.n * second.n, 1)
    people = part * sqrt(_spread(first) * _spread(second))
    coins = part * sqrt(first.n * second.n) * first.noise_standard_error * second.noise_standard_error * remembered
    parts = [(np.array([-people]), np.zeros(1)), (np.array([people + coins]), np.array([coins]))]
    limits = [_normal(first, second, float(error[0])) for error in _errors_of_change(first, second, parts)[0]]
    return _change(first, second, parts, limits, returned, bool(remembered))


Estimate = ProportionEstimate | MeanEstimate
Ends = tuple[Vector, Vector]
Limits = tuple[Vector, Vector, Vector]
"""An estimate, and the ends of its interval."""

Parts = list[tuple[Vector, Vector]]
"""Covariances, total and from randomization, for the fewest and most unchanged answers."""


def _change(
    first: Estimate, second: Estimate, parts: Parts, limits: list[Ends], returned: int | None, remembered: bool
) -> ChangeEstimate:
    errors = _errors_of_change(first, second, parts)
    return ChangeEstimate(
        np.atleast_1d(second.constrained - first.constrained), np.atleast_1d(second.unbiased - first.unbiased),
        errors[0][0], errors[1][0], *limits[0], errors[0][1], errors[1][1], *limits[1],
        *parts[0], (first.n, second.n), returned, remembered, first.confidence,
    )  # fmt: skip


def _errors(first: Estimate, second: Estimate) -> list[tuple[Vector, Vector]]:
    """Standard errors of the two waves: total, and from randomization."""
    return [
        (np.atleast_1d(first.standard_error), np.atleast_1d(second.standard_error)),
        (np.atleast_1d(first.noise_standard_error), np.atleast_1d(second.noise_standard_error)),
    ]


def _errors_of_change(first: Estimate, second: Estimate, parts: Parts) -> list[list[Vector]]:
    """Standard errors of the difference, total and from randomization, for both extremes of unchanged answers."""
    pairs = _errors(first, second)
    return [
        [
            np.sqrt(np.maximum(one**2 + other**2 - 2 * shared, 0.0))
            for (one, other), shared in zip(pairs, both, strict=True)
        ]
        for both in parts
    ]


def _recovered(before: Limits, after: Limits, correlation: Vector) -> Ends:
    """The interval of a difference from those of its two parts, with this correlation (MOVER)."""
    (one, one_low, one_high), (two, two_low, two_high) = before, after
    difference = two - one
    low = difference - recovered_distance(two - two_low, one_high - one, correlation)
    high = difference + recovered_distance(two_high - two, one - one_low, correlation)
    unknown = np.isnan(low) | np.isnan(high)
    return np.where(unknown, -1.0, np.clip(low, -1, 1)), np.where(unknown, 1.0, np.clip(high, -1, 1))


def _normal(first: MeanEstimate, second: MeanEstimate, error: float) -> Ends:
    """The normal interval, clipped to the range and extended to the estimate; the whole range if unknown."""
    difference, estimate = second.unbiased - first.unbiased, second.constrained - first.constrained
    widest = first.maximum - first.minimum
    if isnan(error) or isnan(difference):
        return np.array([-widest]), np.array([widest])
    reach = normal_quantile(first.confidence) * error
    low, high = min(difference - reach, estimate), max(difference + reach, estimate)
    return np.array([max(low, -widest)]), np.array([min(high, widest)])


def _spread(mean: MeanEstimate) -> float:
    """Upper bound on the variance of the values among respondents: as estimated, else as their range allows."""
    if not isnan(mean.direct_variance):
        return mean.direct_variance
    within = (mean.maximum - mean.constrained) * (mean.constrained - mean.minimum)  # Bhatia & Davis 2000
    return min(within, mean.n * mean.standard_error**2)
