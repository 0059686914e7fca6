"""Confidence sequences: intervals that hold at every look, however often and whenever a page is looked at."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from randomized_response._checks import as_counts, as_level
from randomized_response.channel import Channel
from randomized_response.constrained import maximum_likelihood
from randomized_response.results import Result, Vector


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
    interval: str = "beta-binomial mixture"

    def __str__(self) -> str:
        last = [np.atleast_2d(part)[-1] for part in (self.constrained, self.low, self.high)]
        lines = [
            f"{np.max(self.n)} reports; {100 * self.confidence:g} % at every look",
            "answer  estimate     low    high",
        ]
        lines += [
            f"{x:>6}  {e:8.4f}  {low:6.4f}  {high:6.4f}" for x, (e, low, high) in enumerate(zip(*last, strict=True))
        ]
        return "\n".join(lines)


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
    1 - confidence. The interval holds all rates for which it has not. Reports must come in an order that has nothing
    to do with the answers: where those who answer late differ, the share itself drifts.

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
    n = tallies.sum(axis=1)
    if np.ndim(counts) == 1:
        return ConfidenceSequence(unbiased[0], constrained[0], low[0], high[0], int(n[0]), level)
    return ConfidenceSequence(unbiased, constrained, low, high, n, level)


def _rates(tallies: NDArray[np.int64], level: float) -> tuple[Vector, Vector]:
    """All rates whose mixture martingale is below 1 / (1 - level), by bisection for all looks and symbols at once."""
    yes = tallies.astype(np.float64)
    no = tallies.sum(axis=1, keepdims=True) - yes
    mixture = special.betaln(yes + 0.5, no + 0.5) - special.betaln(0.5, 0.5) + np.log(1 - level)
    centre = np.divide(yes, yes + no, out=np.full_like(yes, 0.5), where=yes + no > 0)
    ends = [_bisected(np.full_like(yes, end), centre, mixture, yes, no) for end in (0.0, 1.0)]
    return ends[0], ends[1]


def _bisected(outside: Vector, inside: Vector, mixture: Vector, yes: Vector, no: Vector) -> Vector:
    for _ in range(64):
        middle = (outside + inside) / 2
        kept = mixture <= special.xlogy(yes, middle) + special.xlog1py(no, -middle)
        inside, outside = np.where(kept, middle, inside), np.where(kept, outside, middle)
    return outside
