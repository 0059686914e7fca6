"""Privacy loss of a design, and bounds on the effect of false reports, as exact as the tables are."""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Protocol, runtime_checkable

import numpy as np

from randomized_response._checks import FractionLike, as_count, as_probability
from randomized_response._exact import log_exceeds, log_up
from randomized_response.channel import Channel
from randomized_response.encodings import SubsetSelection, UnaryEncoding
from randomized_response.means import scores_of, values_or_none
from randomized_response.results import ProportionEstimate


@runtime_checkable
class HasBit(Protocol):
    """An encoding into bits: `bit` is the yes/no table of each of them, seen alone."""

    @property
    def bit(self) -> Channel: ...


class HasRatio(Protocol):
    """A channel or an encoding: any object with its exact e^epsilon."""

    @property
    def ratio(self) -> Fraction | float: ...


def epsilon_total(channels: Iterable[HasRatio]) -> float:
    """Privacy loss of a respondent who reports through all of `channels`: the sum of their epsilons.

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
    product = _product(channels)
    return math.inf if isinstance(product, float) else log_up(product)


def exceeds_epsilon(channels: Iterable[HasRatio], epsilon: Fraction | int | str) -> bool:
    """Return True if the epsilons of `channels` sum to more than `epsilon`, exactly, without rounding.

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
    bound, product = Fraction(epsilon), _product(channels)
    if bound < 0:
        raise ValueError(f"epsilon must be at least 0; got {epsilon}")
    return True if isinstance(product, float) else log_exceeds(product, bound)


def posterior(prior: float, protection: Channel | float) -> tuple[float, float]:
    """Bounds on anyone's posterior belief after seeing a report, for the prior belief `prior`.

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


def false_reports_needed(
    n: int,
    shift: float,
    truth: FractionLike | Channel | HasBit,
    shares: ProportionEstimate | None = None,
    weight: float = 1.0,
) -> int:
    """The smallest number of false reports among n that could move a constrained share by at least `shift`.

    The inverse of `poisoning_bound`: with fewer, a conclusion that is `shift` away from changing cannot have been made.

    Parameters
    ----------
    n : int
        Number of reports, at least 1.
    shift : float
        Distance of the estimate from the value that would change the conclusion; at least 0.
    truth, shares, weight :
        As for `poisoning_bound`.

    Returns
    -------
    int
        May exceed n: then no number of false reports can. Of a table without a bound for so many, the first number
        that has none: with fewer it cannot have happened.

    Examples
    --------
    >>> false_reports_needed(1000, 0.05, "1/2")
    25
    """
    distance = float(shift)
    if not 0 <= distance < math.inf:
        raise ValueError(f"shift must be at least 0 and finite; got {shift!r}")
    size = as_count(n, name="n", low=1)
    each, room = _lever(truth) * Fraction(weight) / size, _room(truth, shares)
    needed = math.ceil(distance / each - 1e-9)
    return needed if room == math.inf else min(needed, math.floor(room / each + 1e-9) + 1)


def poisoning_bound(
    n: int,
    false_reports: int,
    truth: FractionLike | Channel | HasBit,
    shares: ProportionEstimate | None = None,
    weight: float = 1.0,
) -> float:
    """Upper bound on the shift of any constrained share, the one to show, by arbitrary `false_reports` among n.

    m / (n p) for truth probability p: each false report moves the share of one symbol by at most 1 / n and the
    estimate multiplies by 1 / p. For a channel, m / n times the widest row of its left inverse. For an encoding into
    bits that of the table of one bit, since a report holds one bit for each share, times 2 (k - 1) / k of k
    marks, and 2 a / (a + 1) of sets, a = min(size, k - size): where shares are moved to the simplex, one goes further
    than by itself. Holds with certainty against any strategy, and is
    reached for some reports. The unbiased shares of an encoding move by at most the bound of its `bit`.

    Parameters
    ----------
    n : int
        Number of reports, at least 1, the false ones among them.
    false_reports : int
        m, from 0 to n.
    truth : exact fraction in (0, 1), Channel or encoding
        Truth probability of a forced-response or k-ary design, or the table or encoding itself.
    shares : ProportionEstimate or None
        The estimated shares. Needed for a table that is neither one of yes/no nor k-ary: it has a bound only where so
        many false reports bring no share below 0, so that the constrained ones are the unbiased ones.
    weight : float
        The largest weight of a report, as for `poisoning_bound_of_mean`.

    Returns
    -------
    float
        A difference of shares; may exceed 1, then the bound says nothing. inf where there is none.

    Notes
    -----
    Maximum likelihood gives each share of a k-ary table that is above 0 the same part of its count, at most 1 / p, so
    that it moves no further than the unbiased share. The nearest point of the simplex subtracts the same amount from
    all shares above 0: the move of one less the mean move of all of them, at its largest over their choice.

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
    shift = Fraction(false, size) * _lever(truth) * Fraction(weight)
    return float(shift) if shift <= _room(truth, shares) + 1e-12 else math.inf


def poisoning_bound_of_mean(
    n: int,
    false_reports: int,
    channel: Channel,
    values: Sequence[float | None],
    shares: ProportionEstimate | None = None,
    weight: float = 1.0,
) -> float:
    """Upper bound on the shift of an estimated mean, in its unit, by arbitrary `false_reports` among n.

    m / n times the distance of the least and the largest score of a report (`estimate_mean`). Where some answers have
    no value the mean is a ratio C / D, and the bound is m / n range(c - C / D d) / (D - m / n range(d)) with the scores
    c of the values and d of having one. Holds with certainty, for the unbiased estimate, against any strategy.

    Parameters
    ----------
    n, false_reports :
        As for `poisoning_bound`.
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


def _product(channels: Iterable[HasRatio]) -> Fraction | float:
    """The product of the ratios, exact; inf where one of them is."""
    ratios = [channel.ratio for channel in channels]
    return math.inf if any(isinstance(ratio, float) for ratio in ratios) else math.prod(ratios, start=Fraction(1))


def _lever(truth: FractionLike | Channel | HasBit) -> Fraction:
    """n times the largest move by one report: 1 / p, or the widest row of the left inverse."""
    if isinstance(truth, HasBit):
        return _lever(truth.bit) * _spill(truth)
    if not isinstance(truth, Channel):
        return 1 / as_probability(truth, name="truth")
    inverse = truth.left_inverse
    return Fraction(float((inverse.max(axis=1) - inverse.min(axis=1)).max()))


def _spill(encoding: HasBit) -> Fraction:
    """Largest ratio of the shifts of a constrained and an unbiased share by false reports.

    Marks: one goes to 1 and all others to 0, which is worst where no share is 0. Sets: one choice comes in and a others
    go, as many as a set can drop for others; worst where these a + 1 have shares above 0, and what comes in their place
    has none. Several options stand alone.
    """
    if isinstance(encoding, UnaryEncoding):
        return Fraction(2 * (encoding.k - 1), encoding.k)
    if isinstance(encoding, SubsetSelection):
        dropped = min(encoding.size, encoding.k - encoding.size)
        return Fraction(2 * dropped, dropped + 1)
    return Fraction(1)


def _room(truth: FractionLike | Channel | HasBit, shares: ProportionEstimate | None) -> float:
    """Largest shift at which shares surely move as the unbiased ones do; inf if projection never adds to it."""
    if not isinstance(truth, Channel) or truth.reports == truth.answers == 2:
        return math.inf
    if truth.background is not None and truth.gain > 0:
        return math.inf
    if shares is None or truth.reports > truth.answers:
        return 0.0
    return float(np.fmax(shares.unbiased.min(), 0.0))
