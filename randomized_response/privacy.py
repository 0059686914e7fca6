"""What a design costs its respondents and what false reports cost the researcher, as exact as the tables are."""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Protocol, runtime_checkable

import numpy as np

from randomized_response._checks import FractionLike, as_count, as_probability
from randomized_response._exact import log_exceeds, log_up
from randomized_response.channel import Channel
from randomized_response.means import scores_of, values_or_none
from randomized_response.results import ProportionEstimate


@runtime_checkable
class HasBit(Protocol):
    """An encoding into bits: `bit` is the yes/no table of each of them, seen alone."""

    @property
    def bit(self) -> Channel: ...


class HasRatio(Protocol):
    """A channel or an encoding: anything that knows its exact e^epsilon."""

    @property
    def ratio(self) -> Fraction | float: ...


def epsilon_total(channels: Iterable[HasRatio]) -> float:
    """Privacy loss of one person who reports through all of `channels`: the sum of their epsilons.

    Computed as the logarithm of the exact product of the ratios, rounded up once: never below the exact sum.

    Parameters
    ----------
    channels : iterable of Channel or encodings
        One entry for each question that a person may be asked; a question asked in two waves is two entries.

    Returns
    -------
    float
        Natural logarithm; inf where one of them protects nothing, 0.0 for none at all.

    References
    ----------
    Dwork, C. & Roth, A. (2014). The Algorithmic Foundations of Differential Privacy, theorem 3.14.

    Examples
    --------
    >>> from randomized_response import forced_response
    >>> epsilon_total([forced_response(truth="1/2")] * 2) >= 2 * math.log(3)
    True
    """
    product = Fraction(1)
    for channel in channels:
        if isinstance(channel.ratio, float):
            return math.inf
        product *= channel.ratio
    return log_up(product)


def exceeds_epsilon(channels: Iterable[HasRatio], epsilon: Fraction | int | str) -> bool:
    """Whether the epsilons of `channels` add up to more than `epsilon`, exactly: never decided by a rounded logarithm.

    Parameters
    ----------
    channels : iterable of Channel or encodings
        As for `epsilon_total`.
    epsilon : Fraction, int or str
        The bound, at least 0, exact: "3" or "0.5".

    Examples
    --------
    >>> from randomized_response import forced_response
    >>> exceeds_epsilon([forced_response(truth="9/10")], 3)  # 19 to 1; e^3 is 20.09
    False
    """
    bound, product = Fraction(epsilon), Fraction(1)
    if bound < 0:
        raise ValueError(f"epsilon must be at least 0; got {epsilon}")
    for channel in channels:
        if isinstance(channel.ratio, float):
            return True
        product *= channel.ratio
    return log_exceeds(product, bound)


def posterior(prior: float, protection: Channel | float) -> tuple[float, float]:
    """The least and the most that anyone may believe after seeing a report, who believed `prior` before.

    Reports multiply the odds of two answers by e^-epsilon to e^epsilon, and no prior knowledge changes that. For the
    belief after one particular report, see `Channel.posterior`.

    Parameters
    ----------
    prior : float
        Belief that the person holds an answer (or is in any set of answers), in [0, 1].
    protection : Channel or float
        The channel, or an epsilon >= 0, such as the total of several channels.

    Returns
    -------
    (low, high) : tuple of float

    References
    ----------
    Kifer, D. & Machanavajjhala, A. (2014). Pufferfish: a framework for mathematical privacy definitions. ACM TODS 39.

    Examples
    --------
    >>> [round(bound, 2) for bound in posterior(0.5, Channel(((3, 1), (1, 3))))]
    [0.25, 0.75]
    """
    belief = float(prior)
    if not 0 <= belief <= 1:
        raise ValueError(f"prior must be in [0, 1]; got {prior!r}")
    epsilon = protection.epsilon if isinstance(protection, Channel) else float(protection)
    if not epsilon >= 0:
        raise ValueError(f"epsilon must be at least 0; got {protection!r}")
    if belief in (0.0, 1.0):
        return belief, belief
    shrink = math.exp(-epsilon)
    return belief * shrink / (belief * shrink + 1 - belief), belief / (belief + (1 - belief) * shrink)


def false_reports_needed(n: int, shift: float, truth: FractionLike | Channel | HasBit) -> int:
    """The smallest number of false reports among n that could move an estimated share by at least `shift`.

    The inverse of `poisoning_bound`: with fewer, a conclusion that is `shift` away from changing cannot have been made.

    Parameters
    ----------
    n : int
        Number of reports, at least 1.
    shift : float
        Distance of the estimate from the value that would change the conclusion; at least 0.
    truth : exact fraction in (0, 1), Channel or encoding

    Returns
    -------
    int
        May exceed n: then no number of false reports can.

    Examples
    --------
    >>> false_reports_needed(1000, 0.05, "1/2")
    25
    """
    distance = float(shift)
    if not 0 <= distance < math.inf:
        raise ValueError(f"shift must be at least 0 and finite; got {shift!r}")
    size = as_count(n, name="n", low=1)
    return math.ceil(distance * size / _lever(truth) - 1e-9)


def poisoning_bound(n: int, false_reports: int, truth: FractionLike | Channel | HasBit) -> float:
    """By how much, at most, `false_reports` chosen freely among n can move any estimated share.

    m / (n p) for truth probability p: each false report moves the share of one symbol by at most 1 / n and the
    estimate multiplies by 1 / p. For a channel, m / n times the widest row of its left inverse; for an encoding into
    bits that of the table of one bit, since a report holds one bit for each share. Holds with certainty, for the
    unbiased estimate, against any strategy.

    Parameters
    ----------
    n : int
        Number of reports, at least 1, the false ones among them.
    false_reports : int
        m, from 0 to n.
    truth : exact fraction in (0, 1), Channel or encoding
        Truth probability of a forced-response or k-ary design, or the table or encoding itself.

    Returns
    -------
    float
        A difference of shares; may exceed 1, then the bound says nothing.

    References
    ----------
    Cheu, A., Smith, A. & Ullman, J. (2021). Manipulation attacks in local differential privacy. IEEE S&P.

    Examples
    --------
    >>> poisoning_bound(1000, 10, "1/2")
    0.02
    """
    size = as_count(n, name="n", low=1)
    false = as_count(false_reports, name="false_reports", high=size)
    return float(Fraction(false, size) * _lever(truth))


def poisoning_bound_of_mean(
    n: int,
    false_reports: int,
    channel: Channel,
    values: Sequence[float | None],
    shares: ProportionEstimate | None = None,
    weight: float = 1.0,
) -> float:
    """By how much, at most, `false_reports` chosen freely among n can move an estimated mean, in its own unit.

    m / n times the distance of the least and the largest score of a report (`estimate_mean`). Where some answers have
    no value the mean is a ratio C / D, and the bound is m / n range(c - C / D d) / (D - m / n range(d)) with the scores
    c of the values and d of having one. Holds with certainty, for the unbiased estimate, against any strategy.

    Parameters
    ----------
    n : int
        Number of reports, at least 1, the false ones among them.
    false_reports : int
        m, from 0 to n.
    channel : Channel
        A table that tells the mean.
    values : sequence of k numbers or None
        As for `mean_of_shares`; None for an answer without a value.
    shares : ProportionEstimate or None
        The estimated shares; needed where some answers have no value.
    weight : float
        The largest weight of a report, as a multiple of 1 / n: of strata with known shares W_h the largest W_h n / n_h,
        since all false reports may stand in that stratum.

    Returns
    -------
    float
        A difference of means; inf where the ratio could become any number.

    Raises
    ------
    ValueError
        Where the table does not tell the mean, numbers are out of range, or shares are needed and not given.

    References
    ----------
    Cheu, A., Smith, A. & Ullman, J. (2021). Manipulation attacks in local differential privacy. IEEE S&P.

    Examples
    --------
    >>> from randomized_response import one_bit
    >>> round(poisoning_bound_of_mean(1000, 10, one_bit(11, truth="1/2"), range(11)), 12)
    0.2
    """
    size = as_count(n, name="n", low=1)
    moved = as_count(false_reports, name="false_reports", high=size) / size * weight
    grid, valued = values_or_none(values, channel.answers)
    scores = scores_of(channel, grid)
    if valued.all():
        return moved * float(np.ptp(scores))
    if shares is None:
        raise ValueError("shares must be given where an answer has no value; got None")
    having = scores_of(channel, valued)
    share = float(shares.unbiased @ valued)
    left = share - moved * float(np.ptp(having))
    if not (left > 0 and share > 0):
        return math.inf
    return moved * float(np.ptp(scores - float(shares.unbiased @ grid) / share * having)) / left


def _lever(truth: FractionLike | Channel | HasBit) -> Fraction:
    """n times the largest move by one report: 1 / p, or the widest row of the left inverse."""
    table = truth.bit if isinstance(truth, HasBit) else truth
    if not isinstance(table, Channel):
        return 1 / as_probability(table, name="truth")
    inverse = table.left_inverse
    return Fraction(float((inverse.max(axis=1) - inverse.min(axis=1)).max()))
