"""What an estimate is worth if people did not answer, or answered by chance: bounds, curves, what it would be else."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from randomized_response import _scipy as scipy
from randomized_response._checks import FractionLike, as_count, as_fraction, as_level
from randomized_response._limits import fieller
from randomized_response.channel import Channel
from randomized_response.crosswise_checks import AnchoredEstimate
from randomized_response.errors import ParameterError
from randomized_response.estimation import estimate_proportions
from randomized_response.results import ProportionEstimate, Result, TableResult

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class BoundedEstimate(Result):
    """Bounds of a share among all who were asked. Made by `nonresponse_bounds`.

    Attributes
    ----------
    lowest, highest : float
        The share if none, or all, of those who did not answer held the answer.
    low, high : float
        Interval that holds the share, wherever it is between the bounds (Imbens & Manski 2004).
    response_rate, confidence : float
    """

    lowest: float
    highest: float
    low: float
    high: float
    response_rate: float
    confidence: float


@dataclass(frozen=True, eq=False, repr=False)
class RandomAnswerCurve(TableResult):
    """The share of yes for each assumed share of people who answer by chance. Made by `random_answer_curve`.

    Attributes
    ----------
    random, estimate, low, high : arrays
        Assumed shares of random answers; the corrected share of yes and its interval, within [0, 1].
    explains_all : float
        The share of random answers at which the corrected share of yes is 0: so many would explain all of it. NaN where
        no share below 1 would.
    confidence : float

    Examples
    --------
    >>> from randomized_response import forced_response
    >>> round(random_answer_curve([660, 340], forced_response(truth="1/2")).explains_all, 2)
    0.36
    """

    random: Floats
    estimate: Floats
    low: Floats
    high: Floats
    explains_all: float
    confidence: float

    def columns(self) -> Mapping[str, Sequence[Any] | Floats]:
        """A row for each assumed share."""
        return {"random": self.random, "estimate": self.estimate, "low": self.low, "high": self.high}

    def __str__(self) -> str:
        rows = zip(self.random, self.estimate, self.low, self.high, strict=True)
        lines = [f"{share:6.2f}  {estimate:8.4f}  {low:6.4f}  {high:6.4f}" for share, estimate, low, high in rows]
        all_of_it = f"{self.explains_all:.4f} random answers would explain all of it"
        return "\n".join(["random  estimate     low    high", *lines, all_of_it])

    __repr__ = __str__


def nonresponse_bounds(
    estimate: ProportionEstimate, response_rate: float, *, answer: int = 1, confidence: float = 0.95
) -> BoundedEstimate:
    """Bound the share of an answer among all who were asked, if nothing is known of those who did not answer.

    Parameters
    ----------
    estimate : ProportionEstimate
        Of those who answered.
    response_rate : float
        Share of those asked who answered, in (0, 1]; taken as known.
    answer : int
        Index of the answer.
    confidence : float
        Level of the interval, in (0, 1).

    Returns
    -------
    BoundedEstimate

    Raises
    ------
    ValueError
        Naming the argument, the bound and the value.

    Notes
    -----
    lowest = r share, highest = r share + 1 - r. Nothing is assumed, so with a response rate of 60 % the bounds are 40
    points apart: whoever says more assumes something of people who said nothing. The interval has the limits of the
    share's own method at the level that Imbens and Manski's quantile stands for: normal ones cover too little near 0.

    References
    ----------
    Manski, C. F. (1989). Anatomy of the selection problem. J. Human Resources 24, 343-360. Imbens, G. W. & Manski, C.
    F. (2004). Confidence intervals for partially identified parameters. Econometrica 72, 1845-1857.

    Examples
    --------
    >>> from randomized_response import estimate_proportions, forced_response
    >>> found = nonresponse_bounds(estimate_proportions([600, 400], forced_response(truth="1/2")), 0.8)
    >>> round(found.lowest, 3), round(found.highest, 3), round(found.low, 3), round(found.high, 3)
    (0.24, 0.44, 0.199, 0.481)
    """
    level, rate = as_level(confidence), float(response_rate)
    if not 0 < rate <= 1:
        raise ParameterError("response_rate", f"must be greater than 0 and at most 1; got {response_rate!r}")
    place = as_count(answer, name="answer", high=len(estimate.constrained) - 1)
    share, error = float(estimate.constrained[place]), rate * float(estimate.standard_error[place])
    lowest, highest = rate * share, rate * share + 1 - rate
    quantile = _imbens_manski((highest - lowest) / error, level) if error > 0 else 0.0
    low, high = _limits(estimate, place, quantile)
    return BoundedEstimate(lowest, highest, rate * low, rate * high + 1 - rate, rate, level)


def _limits(estimate: ProportionEstimate, place: int, quantile: float) -> tuple[float, float]:
    """Limits of a share at the confidence of so many standard errors: by its own method where that is known."""
    share, error = float(estimate.constrained[place]), float(estimate.standard_error[place])
    if estimate.limits_at is None or not quantile:
        return max(share - quantile * error, 0.0), min(share + quantile * error, 1.0)
    low, high = estimate.limits_at(float(2 * scipy.special.ndtr(quantile) - 1))
    return min(float(low[place]), share), max(float(high[place]), share)


def random_answer_curve(
    counts: ArrayLike, channel: Channel, random: ArrayLike | None = None, *, confidence: float = 0.95
) -> RandomAnswerCurve:
    """Correct a share of yes for each assumed share of people who report 0 or 1 by chance, whatever is true.

    With a share e of them the reports' rate is (1 - e) P(1 | answers) + e / 2. No data tell e; the curve says how much
    of an estimate would be left.

    Parameters
    ----------
    counts : 2 integers
        Reports of 0 and of 1.
    channel : Channel
        Two answers, two reports.
    random : array, optional
        Assumed shares, each in [0, 1); 0 to 0.3 in steps of 0.05 by default.
    confidence : float
        Level of the intervals, in (0, 1).

    Returns
    -------
    RandomAnswerCurve
        The interval is that of `estimate_proportions` with the table in which e of the tickets are replaced by chance.

    Raises
    ------
    ValueError
        Naming the argument, the bound and the value.

    References
    ----------
    Hoeglinger, M. & Jann, U. (2018). More is not always better: an experimental individual-level validation of the
    randomized response technique and the crosswise model. PLOS ONE 13(8), e0201770.

    Examples
    --------
    >>> from randomized_response import forced_response
    >>> print(random_answer_curve([600, 400], forced_response(truth="1/2"), [0, 0.2]))
    random  estimate     low    high
      0.00    0.3000  0.2397  0.3618
      0.20    0.2500  0.1746  0.3273
    0.6000 random answers would explain all of it
    """
    if channel.answers != 2 or channel.reports != 2:
        raise ParameterError("channel", f"must be a yes/no table; got {channel.answers} x {channel.reports}")
    shares = np.arange(7) / 20 if random is None else np.atleast_1d(np.asarray(random, dtype=np.float64))
    if shares.ndim != 1 or not ((shares >= 0) & (shares < 1)).all():
        raise ParameterError("random", f"must be shares of at least 0 and less than 1; got {shares.tolist()}")
    found = [estimate_proportions(counts, _by_chance(channel, share), confidence) for share in shares]
    no, yes = channel.matrix[:, 1]
    rate = float(np.asarray(counts, dtype=np.float64)[1] / np.asarray(counts, dtype=np.float64).sum())
    # The rate of people without the answer, mixed with chance, is the one seen: (1 - e) no + e / 2 = rate.
    explains = (rate - no) / (0.5 - no) if no != 0.5 else float("nan")
    return RandomAnswerCurve(
        shares,
        np.array([one.constrained[1] for one in found]),
        np.array([one.low[1] for one in found]),
        np.array([one.high[1] for one in found]),
        float(explains) if 0 <= explains < 1 and (rate - no) * (yes - no) >= 0 else float("nan"),
        as_level(confidence),
    )


def without_random_answers(
    estimate: ProportionEstimate, control: ProportionEstimate, known_share: FractionLike, *, confidence: float = 0.95
) -> AnchoredEstimate:
    """Estimate a share of yes that is corrected for people who answer at random, from a question of known share.

    Model: a share g of the respondents answers both questions truly, the others say yes or no with 1/2 each:
    said = g share + (1 - g) / 2 in both, and the share that truly says yes to the control question is known.

    Parameters
    ----------
    estimate, control : ProportionEstimate
        Of two answers, no and yes, by the same people: of a question, and of the control question.
    known_share : exact fraction in [0, 1]
        The share that truly says yes to the control question; not 1/2, which random answers do not move.
    confidence : float
        Level of the interval, in (0, 1).

    Returns
    -------
    AnchoredEstimate
        Its interval is Fieller's.

    Raises
    ------
    ValueError
        Naming the argument, the bound and the value.

    Notes
    -----
    The two estimates are taken as independent. People who answer at random make them go together, in the direction in
    which that widens the interval. It fails where people answer one question at random and not the other, where they
    prefer yes or no, or where those who do differ in what is true.

    References
    ----------
    Atsusaka, Y. & Stevenson, R. T. (2023). A bias-corrected estimator for the crosswise model with inattentive
    respondents. Political Analysis 31, 134-148, equations 3 to 5, here for any table and known share. Fieller, E. C.
    (1954). Some problems in interval estimation. JRSS B 16, 175-185.

    Examples
    --------
    >>> from randomized_response import estimate_proportions, forced_response
    >>> said, moon = (estimate_proportions(counts, forced_response(truth="1/2")) for counts in ([610, 390], [720, 280]))
    >>> found = without_random_answers(said, moon, 0)
    >>> round(found.naive, 3), round(found.attentive, 3), round(found.unbiased, 3)
    (0.28, 0.88, 0.25)
    """
    level, known = as_level(confidence), float(as_fraction(known_share, name="known_share"))
    if not 0 <= known <= 1 or known == 0.5:
        raise ParameterError("known_share", f"must be from 0 to 1, and not 1/2; got {known_share}")
    for name, one in (("estimate", estimate), ("control", control)):
        if len(one.unbiased) != 2:
            raise ParameterError(name, f"must be of two answers; got {len(one.unbiased)}")
    rates = np.array([estimate.unbiased[1], control.unbiased[1]]) - 0.5
    variances = np.array([estimate.standard_error[1], control.standard_error[1]]) ** 2
    factor = known - 0.5
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = float(rates[0] / rates[1])
        error = float(abs(factor / rates[1]) * np.sqrt(variances[0] + ratio**2 * variances[1]))
    unbiased = 0.5 + factor * ratio
    constrained = float(np.clip(unbiased, 0, 1))
    low, high = fieller(rates, np.diag(variances), float(scipy.special.ndtri((1 + level) / 2)), factor)
    return AnchoredEstimate(
        naive=float(estimate.unbiased[1]),
        attentive=float(rates[1] / factor),
        attentive_standard_error=float(np.sqrt(variances[1]) / abs(factor)),
        unbiased=unbiased,
        constrained=constrained,
        standard_error=error,
        low=min(low, constrained),
        high=max(high, constrained),
        n=estimate.n,
        confidence=level,
    )


def _by_chance(channel: Channel, share: float) -> Channel:
    """The table in which this share of the tickets, to a millionth, is drawn by chance."""
    parts = 10**6
    chance = round(share * parts)
    tickets = channel.denominator
    if 2 * parts * tickets > 2**32:
        parts, chance = 1000, round(share * 1000)
    weights = [[2 * weight * (parts - chance) + chance * tickets for weight in row] for row in channel.weights]
    return Channel(tuple(map(tuple, weights)))


def _imbens_manski(width: float, level: float) -> float:
    """c with Phi(c + width) - Phi(-c) = level, the bounds being `width` standard errors apart."""

    def excess(c: float) -> float:
        return float(scipy.special.ndtr(c + width) - scipy.special.ndtr(-c)) - level

    return float(scipy.optimize.brentq(excess, 0.0, float(scipy.special.ndtri((1 + level) / 2)) + 1e-9))
