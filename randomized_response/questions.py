"""Questions of a frozen design for estimation: their mechanisms, and the numeric values of their answers.

The one place that knows which encoding of docs/reference/formats.md is which mechanism; reports, exports and exported
files that are read back all compute through it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from randomized_response._limits import Limits
from randomized_response.channel import Channel
from randomized_response.encodings import EachOption, SubsetSelection, UnaryEncoding
from randomized_response.estimation import estimate_proportions
from randomized_response.means import MeanEstimate, estimate_mean, mean_of_shares, scores_of
from randomized_response.results import ProportionEstimate
from randomized_response.sequences import (
    confidence_sequence,
    mean_at_every_look,
    rates_at_every_look,
    shares_at_every_look,
)

Mechanism = Channel | UnaryEncoding | SubsetSelection | EachOption
"""Every mechanism has its exact `ratio` (e^epsilon) and its `epsilon`."""

Values = tuple[float | None, ...]


@dataclass(frozen=True)
class Question:
    """The inputs of a question's estimation. Made by `question_of`.

    Attributes
    ----------
    kind : str
        yes_no, one_choice, several_choices, scale or number.
    mechanism : Channel, UnaryEncoding, SubsetSelection or EachOption
    values : tuple of float or None
        The number that each answer stands for: 1, 2, 3, ... of a scale, the grid of a number; None for "prefer not to
        say". Empty where answers are no numbers.

    Counts are of shape (symbols, m): for each symbol of a report how often each of its m values was sent. One symbol
    where the mechanism is a Channel, else one for each choice, of value 0 or 1.

    Examples
    --------
    >>> from randomized_response import k_ary
    >>> scale = Question("scale", k_ary(4, truth="1/2"), (1, 2, 3, None))
    >>> round(scale.estimate_mean([[200, 250, 300, 250]]).constrained, 4)
    2.2667
    """

    kind: str
    mechanism: Mechanism
    values: Values = ()

    @property
    def fits_shares(self) -> bool:
        """True if answers are estimated as shares, from which a mean is made; a number's mean is one of scores."""
        return self.kind != "number"

    @property
    def reports_shares(self) -> bool:
        """True if shares of answers are reported; for a number, or a scale by `discrete_laplace`, only the mean is.

        The shares of such a scale are too uncertain to be read: docs/evidence/intervals.md.
        """
        table = self.mechanism.name if isinstance(self.mechanism, Channel) else ""
        return self.fits_shares and (self.kind, table) != ("scale", "discrete_laplace")

    @property
    def reports_mean(self) -> bool:
        return bool(self.values)

    def sent(self, counts: ArrayLike) -> NDArray[np.int64]:
        """The number of reports of each value of the one symbol, or with a 1 for each choice."""
        table = np.asarray(counts)
        return np.asarray(table[0] if isinstance(self.mechanism, Channel) else table[:, 1])

    def estimate(self, counts: ArrayLike, **options: Any) -> ProportionEstimate:
        """Estimate the shares of the answers. `options` as for `estimate_proportions` or the encoding's `estimate`."""
        if isinstance(self.mechanism, Channel):
            return estimate_proportions(self.sent(counts), self.mechanism, **options)
        return self.mechanism.estimate(self.sent(counts), int(np.asarray(counts)[0].sum()), **options)

    def estimate_mean(self, counts: ArrayLike, **options: Any) -> MeanEstimate:
        """Estimate the mean of the values: of a scale by `mean_of_shares`, of a number by `estimate_mean`."""
        if not self.reports_mean:
            raise ValueError(f"only a scale and a number have a mean; got a question of kind {self.kind}")
        if self.fits_shares:
            return mean_of_shares(self.estimate(counts, **options), self.values)
        assert isinstance(self.mechanism, Channel)
        grid = [value for value in self.values if value is not None]
        return estimate_mean(self.sent(counts), self.mechanism, grid, **options)

    def shares_at_every_look(self, estimate: ProportionEstimate, counts: ArrayLike | None = None) -> ProportionEstimate:
        """The same shares with anytime-valid intervals, exact from `counts` where possible.

        Without counts, as for strata put together, by the normal approximation.
        """
        return shares_at_every_look(estimate, None if counts is None else self._share_limits(counts, estimate))

    def mean_at_every_look(self, estimate: MeanEstimate, counts: ArrayLike | None = None) -> MeanEstimate:
        """The same mean with anytime-valid intervals; `counts` as for `shares_at_every_look`."""
        exact = None
        if counts is not None and not self.fits_shares and self._one_bit:
            exact = self._mean_limits(counts, estimate)
        return mean_at_every_look(estimate, exact)

    @property
    def _one_bit(self) -> bool:
        """True if a report has one of two values, so that its count is binomial."""
        return isinstance(self.mechanism, Channel) and self.mechanism.reports == 2

    def _share_limits(self, counts: ArrayLike, estimate: ProportionEstimate) -> Limits | None:
        sent, level = self.sent(counts), estimate.confidence
        if not isinstance(self.mechanism, Channel):
            looks = np.stack([estimate.n - sent, sent], axis=1)
            bits = confidence_sequence(looks, self.mechanism.bit, level)
            return bits.low[:, 1], bits.high[:, 1]
        if self.mechanism.background is None:
            return None
        sequence = confidence_sequence(sent, self.mechanism, level)
        return sequence.low, sequence.high

    def _mean_limits(self, counts: ArrayLike, estimate: MeanEstimate) -> tuple[float, float]:
        assert isinstance(self.mechanism, Channel)
        scores = scores_of(self.mechanism, [value for value in self.values if value is not None])
        rates = rates_at_every_look(self.sent(counts)[1:], estimate.n, estimate.confidence)
        low, high = sorted(float(scores[0] + (scores[1] - scores[0]) * rate[0]) for rate in rates)
        return low, high


def question_of(item: Mapping[str, Any]) -> Question:
    """Return the question of an item of a frozen design (docs/reference/formats.md).

    Parameters
    ----------
    item : mapping
        `kind`, `encoding`, `channel`, `choices` and what else it may have, as the design says it. It is not checked
        beyond what the mechanism itself checks.

    Returns
    -------
    Question

    Raises
    ------
    ValueError
        Where the table is not one of the encoding's mechanism.

    Examples
    --------
    >>> weights = {"name": "unary", "on": "1/2", "off": "1/4", "weights": [[6, 2], [4, 4]]}
    >>> question_of({"kind": "one_choice", "encoding": "one_hot", "channel": weights, "choices": ["a", "b"]}).mechanism
    UnaryEncoding(k=2, on=Fraction(1, 2), off=Fraction(1, 4))
    """
    return Question(item["kind"], _mechanism(item), _values(item))


def _mechanism(item: Mapping[str, Any]) -> Mechanism:
    weights, k = item["channel"]["weights"], len(item["choices"])
    tickets = sum(weights[0])
    match item["encoding"]:
        case "single":
            return _channel(item["channel"])
        case "one_hot":
            return UnaryEncoding(k, on=Fraction(weights[1][1], tickets), off=Fraction(weights[0][1], tickets))
        case "subset":
            return SubsetSelection(k, size=item["channel"]["size"], truth=Fraction(weights[0][1], tickets))
        case "each_option":
            return EachOption(k, _channel(item["channel"]), item.get("most"))
        case encoding:
            raise ValueError(f"encoding must be single, one_hot, subset or each_option; got {encoding!r}")


def _channel(channel: Mapping[str, Any]) -> Channel:
    truth = channel.get("truth")
    return Channel(tuple(map(tuple, channel["weights"])), channel["name"], Fraction(truth) if truth else None)


def _values(item: Mapping[str, Any]) -> Values:
    if item["kind"] == "number":
        low, high, step = (Fraction(item["grid"][name]) for name in ("minimum", "maximum", "step"))
        return tuple(float(low + place * step) for place in range(int((high - low) / step) + 1))
    if item["kind"] != "scale":
        return ()
    points = len(item["choices"]) - bool(item.get("prefer_not"))
    return (*map(float, range(1, points + 1)), *((None,) if item.get("prefer_not") else ()))
