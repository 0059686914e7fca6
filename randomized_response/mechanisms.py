"""Constructors: the named mechanisms of the literature, each as an exact channel.

Every probability is given as an exact fraction: text ("2/3"), a Fraction or a pair of integers.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm

from randomized_response._checks import FractionLike, as_count, as_probability
from randomized_response.channel import Channel


def forced_response(*, truth: FractionLike, yes: FractionLike = "1/2") -> Channel:
    """The answer with probability `truth`, else a forced yes with `yes` or a forced no.

        P(1 | 1) = p + (1 - p) q        P(1 | 0) = (1 - p) q

    Answers and reports are no = 0, yes = 1. Two fair coins are truth = yes = 1/2: weights [[3, 1], [1, 3]], epsilon
    ln 3; for yes = 1/2 epsilon is ln((1 + p) / (1 - p)).

    References
    ----------
    Boruch, R. F. (1971). Assuring confidentiality of responses in social research. American Sociologist 6, 413-430.
    Fox, J. A. & Tracy, P. E. (1986). Randomized Response. Sage.

    Examples
    --------
    >>> forced_response(truth="1/2").weights
    ((3, 1), (1, 3))
    """
    p = as_probability(truth, name="truth")
    q = as_probability(yes, name="yes", closed=True)
    forced_yes = (1 - p) * q
    return _from_probabilities(
        [[1 - forced_yes, forced_yes], [1 - p - forced_yes, p + forced_yes]], "forced_response", p
    )


def warner(*, truth: FractionLike) -> Channel:
    """The answer with probability `truth`, its opposite otherwise; truth is not 1/2. epsilon = abs ln(p / (1 - p)).

    References
    ----------
    Warner, S. L. (1965). Randomized response. JASA 60, 63-69.

    Examples
    --------
    >>> warner(truth="3/4").weights
    ((3, 1), (1, 3))
    """
    p = as_probability(truth, name="truth")
    if p == Fraction(1, 2):
        raise ValueError("truth must differ from 1/2: the report would say nothing; got 1/2")
    return _from_probabilities([[p, 1 - p], [1 - p, p]], "warner", p)


def k_ary(k: int, *, truth: FractionLike) -> Channel:
    """The answer with probability `truth`, else uniform over all k (2 to 256): P(x | x) = p + (1 - p) / k.

    epsilon = ln(1 + k p / (1 - p)).

    References
    ----------
    Kairouz, P., Bonawitz, K. & Ramage, D. (2016). Discrete distribution estimation under local privacy. ICML.

    Examples
    --------
    >>> k_ary(3, truth="1/2").weights
    ((4, 1, 1), (1, 4, 1), (1, 1, 4))
    """
    size = as_count(k, name="k", low=2, high=256)
    p = as_probability(truth, name="truth")
    other = (1 - p) / size
    table = [[p + other if x == y else other for y in range(size)] for x in range(size)]
    return _from_probabilities(table, "k_ary", p)


def custom(weights: Sequence[Sequence[int]]) -> Channel:
    """Any table of integers whose rows have one sum and are linearly independent.

    Raises
    ------
    ValueError
        Where the table is malformed, or where some mixture of answers cannot be told from another (dependent rows).

    Examples
    --------
    >>> custom([[9, 1], [0, 10]]).epsilon
    inf
    """
    channel = Channel(tuple(tuple(row) for row in weights))
    channel.require_independent_rows()
    return channel


def _from_probabilities(table: list[list[Fraction]], name: str, truth: Fraction) -> Channel:
    """The smallest integer table with exactly these probabilities."""
    denominator = lcm(*(entry.denominator for row in table for entry in row))
    weights = [[int(entry * denominator) for entry in row] for row in table]
    common = gcd(*(weight for row in weights for weight in row))
    return Channel(tuple(tuple(weight // common for weight in row) for row in weights), name, truth)
