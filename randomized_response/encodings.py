"""Encodings of one answer into several bits, with exact privacy and estimates from the totals of the bits.

The respondent's device sends k bits; the collector adds them up; `estimate` needs the k totals and the number of
respondents. Which encoding is best at a given epsilon is computed by `plan.compare_mechanisms`.
"""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from randomized_response._checks import FractionLike, as_codes, as_count, as_counts, as_level, as_probability
from randomized_response._exact import log_up
from randomized_response._limits import CONVOLUTION, Limits, around, limits_of_bits, root_of_diagonal, tails_of_bits
from randomized_response.channel import LARGEST_DENOMINATOR, Channel
from randomized_response.constrained import nearest_on_simplex
from randomized_response.errors import ParameterError
from randomized_response.intervals import BINOMIAL_INTERVALS, DEFAULT_INTERVAL
from randomized_response.results import ProportionEstimate, Vector
from randomized_response.sampling import draw_tickets, simulate


@dataclass(frozen=True)
class _OneHot:
    """One choice of k as k bits: bit y is 1 with probability `hit` if the answer is y, otherwise with `miss`."""

    k: int

    @property
    def hit(self) -> Fraction:
        raise NotImplementedError

    @property
    def miss(self) -> Fraction:
        raise NotImplementedError

    @property
    def ratio(self) -> Fraction:
        raise NotImplementedError

    def _both(self) -> tuple[Fraction, Fraction]:
        """P(bits y and z are 1) where the answer is one of the two, and where it is neither."""
        raise NotImplementedError

    @property
    def epsilon(self) -> float:
        """Privacy loss of all k bits together, natural logarithm, rounded up."""
        return log_up(self.ratio)

    @cached_property
    def bit(self) -> Channel:
        """The yes/no table of one bit, seen alone: rows "another answer" and "this answer"."""
        denominator = math.lcm(self.hit.denominator, self.miss.denominator)
        ones = [int(rate * denominator) for rate in (self.miss, self.hit)]
        return Channel(tuple((denominator - one, one) for one in ones))

    def estimate(
        self, totals: ArrayLike, n: int, confidence: float = 0.95, interval: str = DEFAULT_INTERVAL
    ) -> ProportionEstimate:
        """Estimate the shares of the k answers from the number of ones in each bit.

        Bit by bit the number of ones is binomial with a rate linear in the share, so intervals are those of
        `estimate_proportions`. `constrained` is the point of the simplex nearest to the unbiased estimate (the totals
        do not determine the likelihood of the rows). Standard errors: binomial variance, n - 1 convention; covariances
        from the design, at the unbiased shares.

        Parameters
        ----------
        totals : k integers
            Number of ones in each bit, 0 to n.
        n : int
            Number of respondents.
        confidence, interval :
            As for `estimate_proportions`.
        """
        ones, size, unbiased = _read_totals(totals, n, self.k, self.bit)
        constrained = nearest_on_simplex(unbiased)
        moment = self._covariance(unbiased, size, sampling=True)
        # Where all bits are alike the variance is 0, and not what rounding leaves of it.
        np.fill_diagonal(moment, np.where((ones > 0) & (ones < size), moment.diagonal(), moment.diagonal() * 0))
        noise = self._covariance(constrained, size, sampling=False)
        return _estimate(unbiased, constrained, moment, noise, self.bit, ones, size, confidence, interval)

    def _covariance(self, theta: Vector, n: int, *, sampling: bool) -> Vector:
        if n < 1 + sampling:
            return np.full((self.k, self.k), np.nan)
        a, b = float(self.hit), float(self.miss)
        one, neither = (float(rate) for rate in self._both())
        pairs = theta[:, None] + theta
        spread = pairs * (one - a * b) + (1 - pairs) * (neither - b * b)
        np.fill_diagonal(spread, theta * a * (1 - a) + (1 - theta) * b * (1 - b))
        noise = spread / (a - b) ** 2
        drawn = np.diag(theta) - np.outer(theta, theta)
        return np.asarray((noise + drawn) / (n - 1) if sampling else noise / n)


@dataclass(frozen=True)
class UnaryEncoding(_OneHot):
    """One choice of k as k independent bits: the chosen bit is 1 with probability `on`, every other with `off`.

    epsilon = ln(on (1 - off) / (off (1 - on))). on = 1/2, off = 1 / (e^epsilon + 1) is optimised unary encoding.

    Parameters
    ----------
    k : int
        Number of choices, 2 to 256.
    on, off : exact fractions in (0, 1)
        on > off.

    References
    ----------
    Wang, T., Blocki, J., Li, N. & Jha, S. (2017). Locally differentially private protocols for frequency estimation.
    USENIX Security.

    Examples
    --------
    >>> encoding = UnaryEncoding(10, on="1/2", off="1/4")
    >>> encoding.ratio, encoding.bit.weights
    (Fraction(3, 1), ((3, 1), (2, 2)))
    >>> encoding.estimate([300, 350, 250, 250, 250, 250, 250, 250, 250, 250], n=1000).unbiased[:2].round(12)
    array([0.2, 0.4])
    """

    on: FractionLike = "1/2"
    off: FractionLike = "1/4"

    def __post_init__(self) -> None:
        as_count(self.k, name="k", low=2, high=256)
        object.__setattr__(self, "on", as_probability(self.on, name="on"))
        object.__setattr__(self, "off", as_probability(self.off, name="off"))
        if self.hit <= self.miss:
            raise ParameterError("on", f"must be greater than off; got on = {self.on} and off = {self.off}")
        assert self.bit.denominator <= LARGEST_DENOMINATOR

    @classmethod
    def optimised(cls, k: int, *, epsilon: float) -> "UnaryEncoding":
        """The encoding with on = 1/2 and the smallest `off`, in parts of 2**16, within `epsilon`.

        Examples
        --------
        >>> UnaryEncoding.optimised(10, epsilon=1.1).epsilon <= 1.1
        True
        """
        parts = 2**16
        off = math.floor(parts / (math.exp(epsilon) + 1))
        encoding = cls(k, on=Fraction(1, 2), off=Fraction(max(off, 1), parts))
        while encoding.epsilon > epsilon:
            off += 1
            encoding = cls(k, on=Fraction(1, 2), off=Fraction(off, parts))
        return encoding

    @property
    def hit(self) -> Fraction:
        return Fraction(self.on)  # type: ignore[arg-type]

    @property
    def miss(self) -> Fraction:
        return Fraction(self.off)  # type: ignore[arg-type]

    @property
    def ratio(self) -> Fraction:
        """e^epsilon, exact: two answers differ in two bits, each of which counts."""
        return self.hit * (1 - self.miss) / (self.miss * (1 - self.hit))

    def _both(self) -> tuple[Fraction, Fraction]:
        return self.hit * self.miss, self.miss**2

    def simulate(self, answers: ArrayLike, generator: np.random.Generator) -> NDArray[np.int64]:
        """Simulate rows of k bits for known answers, exactly from the table of one bit: shape (n, k)."""
        codes = as_codes(answers, name="answers", size=self.k)
        return simulate(self.bit, np.equal.outer(codes, np.arange(self.k)).astype(np.int64), generator)


@dataclass(frozen=True)
class SubsetSelection(_OneHot):
    """One choice of k as a uniformly random set of `size` of the choices that holds the answer with `truth`.

    epsilon = ln(t (k - d) / (d (1 - t))). d near k / (e^epsilon + 1) is minimax-optimal (Ye & Barg 2018); d = 1 is
    k-ary response.

    Parameters
    ----------
    k : int
        Number of choices, 2 to 256.
    size : int
        Number d of choices in the set, 1 to k - 1.
    truth : exact fraction in (0, 1)
        Probability t that the set holds the answer; more than d / k.

    References
    ----------
    Ye, M. & Barg, A. (2018). Optimal schemes for discrete distribution estimation under locally differential privacy.
    IEEE Transactions on Information Theory 64, 5662-5676.

    Examples
    --------
    >>> encoding = SubsetSelection(10, size=3, truth="9/16")
    >>> encoding.ratio, encoding.miss
    (Fraction(3, 1), Fraction(13, 48))
    """

    size: int = 1
    truth: FractionLike = "1/2"

    def __post_init__(self) -> None:
        as_count(self.k, name="k", low=2, high=256)
        as_count(self.size, name="size", low=1, high=self.k - 1)
        object.__setattr__(self, "truth", as_probability(self.truth, name="truth"))
        if self.hit <= (least := Fraction(self.size, self.k)):
            raise ParameterError("truth", f"must be more than size / k = {least}; got {self.truth}")
        if self.hit.denominator > LARGEST_DENOMINATOR:
            raise ParameterError("truth", f"must have a denominator of at most 2**32; got {self.hit.denominator}")

    @classmethod
    def optimised(cls, k: int, *, epsilon: float) -> "SubsetSelection":
        """The set size of least variance at equal shares, with the largest allowed `truth`, in parts of 2**16.

        Examples
        --------
        >>> SubsetSelection.optimised(10, epsilon=1.1).size
        3
        """
        return min(
            (cls._within(k, size, epsilon) for size in range(1, k)), key=lambda one: one._noise_at_equal_shares()
        )

    @classmethod
    def _within(cls, k: int, size: int, epsilon: float) -> "SubsetSelection":
        parts, odds = 2**16, size * math.exp(epsilon)
        truth = math.floor(parts * odds / (odds + k - size))
        encoding = cls(k, size=size, truth=Fraction(truth, parts))
        while encoding.epsilon > epsilon:
            truth -= 1
            encoding = cls(k, size=size, truth=Fraction(truth, parts))
        return encoding

    def _noise_at_equal_shares(self) -> float:
        a, b = float(self.hit), float(self.miss)
        return (a * (1 - a) + (self.k - 1) * b * (1 - b)) / (a - b) ** 2

    @property
    def hit(self) -> Fraction:
        return Fraction(self.truth)  # type: ignore[arg-type]

    @property
    def miss(self) -> Fraction:
        return (self.hit * (self.size - 1) + (1 - self.hit) * self.size) / (self.k - 1)

    @property
    def ratio(self) -> Fraction:
        """e^epsilon, exact: a set that holds the answer against one that does not."""
        return self.hit * (self.k - self.size) / (self.size * (1 - self.hit))

    def _both(self) -> tuple[Fraction, Fraction]:
        t, k, d = self.hit, self.k, self.size
        neither = (t * (d - 1) * (d - 2) + (1 - t) * d * (d - 1)) / ((k - 1) * (k - 2)) if k > 2 else Fraction(0)
        return t * Fraction(d - 1, k - 1), neither

    def channel(self) -> Channel:
        """The full table, one report per set in lexicographic order; only for at most 65,536 sets.

        Examples
        --------
        >>> SubsetSelection(4, size=2, truth="3/4").channel().weights[0]
        (3, 3, 3, 1, 1, 1)
        """
        if (got := comb(self.k, self.size)) > 2**16:
            raise ParameterError("size", f"must leave at most 65536 sets to write a table of; got {got}")
        holds, lacks = self.hit / comb(self.k - 1, self.size - 1), (1 - self.hit) / comb(self.k - 1, self.size)
        denominator = math.lcm(holds.denominator, lacks.denominator)
        tickets = {True: int(holds * denominator), False: int(lacks * denominator)}
        sets = list(combinations(range(self.k), self.size))
        return Channel(tuple(tuple(tickets[x in chosen] for chosen in sets) for x in range(self.k)))

    def simulate(self, answers: ArrayLike, generator: np.random.Generator) -> NDArray[np.int64]:
        """Simulate rows of k bits, `size` of them 1, for answers: shape (n, k)."""
        codes = np.atleast_1d(as_codes(answers, name="answers", size=self.k))
        held = draw_tickets(self.hit.denominator, codes.size, generator) < self.hit.numerator
        order = generator.permuted(np.tile(np.arange(self.k), (codes.size, 1)), axis=1)
        place = np.arange(codes.size)
        others = order[order != codes[:, None]].reshape(codes.size, self.k - 1)
        bits = np.zeros((codes.size, self.k), dtype=np.int64)
        chosen = np.arange(self.k - 1) < (self.size - held)[:, None]
        bits[np.broadcast_to(place[:, None], chosen.shape)[chosen], others[chosen]] = 1
        bits[place, codes] = held
        return bits


@dataclass(frozen=True)
class EachOption:
    """Several of k options may apply: each is asked through its own yes/no channel.

    epsilon = min(k, 2 s) times that of the channel where at most s options may be ticked, else k times: two sets of at
    most s options differ in at most 2 s of them.

    Parameters
    ----------
    k : int
        Number of options, 1 to 256.
    channel : Channel
        The yes/no table of every option.
    most : int or None
        s, the largest number of options that may be ticked; None where there is no limit.

    Examples
    --------
    >>> from randomized_response import forced_response
    >>> question = EachOption(5, forced_response(truth="1/2"), most=1)
    >>> question.ratio, question.estimate([400, 250, 250, 250, 250], n=1000).unbiased.round(12)
    (Fraction(9, 1), array([0.3, 0. , 0. , 0. , 0. ]))
    """

    k: int
    channel: Channel
    most: int | None = None

    def __post_init__(self) -> None:
        as_count(self.k, name="k", low=1, high=256)
        if self.channel.answers != 2 or self.channel.reports != 2:
            raise ValueError(f"channel must be a yes/no table; got {self.channel.answers} x {self.channel.reports}")
        if self.most is not None:
            as_count(self.most, name="most", low=1, high=self.k)

    @property
    def bit(self) -> Channel:
        """The yes/no table of one option, seen alone."""
        return self.channel

    @property
    def ratio(self) -> Fraction | float:
        """e^epsilon, exact."""
        differ = self.k if self.most is None else min(self.k, 2 * self.most)
        return self.channel.ratio**differ

    @property
    def epsilon(self) -> float:
        """Privacy loss of all options together, natural logarithm, rounded up."""
        return math.inf if isinstance(self.ratio, float) else log_up(self.ratio)

    def estimate(
        self, totals: ArrayLike, n: int, confidence: float = 0.95, interval: str = DEFAULT_INTERVAL
    ) -> ProportionEstimate:
        """Estimate the share of each option from its number of yes reports; the shares need not sum to 1.

        As `estimate_proportions` for each option alone. Covariances between options are NaN: totals do not tell them
        (which options go together is asked of `estimate_joint`).
        """
        ones, size, unbiased = _read_totals(totals, n, self.k, self.channel)
        b, a = self.channel.matrix[:, 1]
        constrained = np.clip(unbiased, 0, 1)
        moment = ones / size * (1 - ones / size) / (size - 1) if size > 1 else np.full(self.k, np.nan)
        noise = (constrained * a * (1 - a) + (1 - constrained) * b * (1 - b)) / max(size, 1)
        alone = np.where(np.eye(self.k, dtype=bool), 1.0, np.nan) / (a - b) ** 2
        estimate = _estimate(
            unbiased, constrained, alone * moment, alone * noise, self.channel, ones, size, confidence, interval
        )
        return replace(estimate, exclusive=False)

    def simulate(self, answers: ArrayLike, generator: np.random.Generator) -> NDArray[np.int64]:
        """Simulate rows of k reports for known rows of k answers 0 or 1."""
        return simulate(self.channel, answers, generator)


def _read_totals(totals: ArrayLike, n: int, k: int, bit: Channel) -> tuple[NDArray[np.int64], int, Vector]:
    """The number of ones in each bit, that of respondents, and the unbiased shares; NaN without respondents."""
    size = as_count(n, name="n")
    ones = as_counts(totals, name="totals", size=k)
    if (ones > size).any():
        raise ValueError(f"totals must be at most n = {size}; got {ones.max()}")
    b, a = bit.matrix[:, 1]
    return ones, size, (ones / size - b) / (a - b) if size else np.full(k, np.nan)


def _estimate(
    unbiased: Vector, constrained: Vector, moment: Vector, noise: Vector, bit: Channel, ones: NDArray[np.int64],
    n: int, confidence: float, interval: str,
) -> ProportionEstimate:  # fmt: skip
    """Intervals bit by bit from the binomial of each total of ones, in the row "this answer" of the bit's table."""
    level = as_level(confidence)
    if interval not in BINOMIAL_INTERVALS:
        raise ValueError(f"interval must be one of {', '.join(BINOMIAL_INTERVALS)}; got {interval!r}")
    limits_at = partial(_limits, interval, constrained, bit, ones, n, 1.0)
    (low, high), (noise_low, noise_high) = limits_at(level), _limits(CONVOLUTION, constrained, bit, ones, n, 0.0, level)
    return ProportionEstimate(
        unbiased, constrained, root_of_diagonal(moment), moment, root_of_diagonal(noise), noise,
        low, high, noise_low, noise_high, n, interval, CONVOLUTION, level, limits_at=limits_at,
        tails_at=tails_of_bits(interval, bit, ones, n, 1.0),
        noise_tails_at=tails_of_bits(CONVOLUTION, bit, ones, n, 0.0),
    )  # fmt: skip


def _limits(
    method: str, constrained: Vector, bit: Channel, ones: NDArray[np.int64], n: int, fpc: float, level: float
) -> Limits:
    return around(constrained, *limits_of_bits(method, bit, ones, n, fpc, level))
