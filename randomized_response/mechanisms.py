"""Constructors: the named mechanisms of the literature, each as an exact channel.

Every probability is given as an exact fraction: text ("2/3"), a Fraction or a pair of integers.
"""

from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction
from math import comb, gcd, lcm

from randomized_response._checks import FractionLike, as_count, as_probability
from randomized_response.channel import LARGEST_DENOMINATOR, Channel
from randomized_response.errors import ParameterError


def forced_response(*, truth: FractionLike, yes: FractionLike = "1/2") -> Channel:
    """The answer with probability `truth`, else a forced yes with `yes` or a forced no.

        P(1 | 1) = p + (1 - p) q        P(1 | 0) = (1 - p) q

    Answers and reports are no = 0, yes = 1. Two fair coins are truth = yes = 1/2: weights [[3, 1], [1, 3]], epsilon
    ln 3; for yes = 1/2 epsilon is ln((1 + p) / (1 - p)).

    References
    ----------
    Boruch, R. F. (1971). Assuring confidentiality of responses in social research. American Sociologist 6, 308-311.
    Fox, J. A. & Tracy, P. E. (1986). Randomized Response. Sage.

    Examples
    --------
    >>> forced_response(truth="1/2").weights
    ((3, 1), (1, 3))
    """
    p = as_probability(truth, name="truth")
    q = as_probability(yes, name="yes", closed=True)
    forced_yes = (1 - p) * q
    return _yes_no(forced_yes, p + forced_yes, "forced_response", p)


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
        raise ParameterError("truth", "must differ from 1/2: the report would say nothing; got 1/2")
    return _yes_no(1 - p, p, "warner", p)


def unrelated_question(*, truth: FractionLike, prevalence: FractionLike) -> Channel:
    """The sensitive question with probability `truth`, else a harmless one whose share of yes is known.

        P(1 | 1) = p + (1 - p) u        P(1 | 0) = (1 - p) u

    Answers and reports are no = 0, yes = 1. Forced response with `yes` = u, the prevalence of the harmless yes. Wrong
    where the harmless answer goes with the sensitive one, or where its prevalence is not the stated one.

    References
    ----------
    Greenberg, B. G., Abul-Ela, A.-L. A., Simmons, W. R. & Horvitz, D. G. (1969). The unrelated question randomized
    response model: theoretical framework. JASA 64, 520-539.

    Examples
    --------
    >>> unrelated_question(truth="2/3", prevalence="1/4").weights
    ((11, 1), (3, 9))
    """
    p = as_probability(truth, name="truth")
    harmless_yes = (1 - p) * as_probability(prevalence, name="prevalence")
    return _yes_no(harmless_yes, p + harmless_yes, "unrelated_question", p)


def kuk(*, yes: FractionLike, no: FractionLike, draws: int = 1) -> Channel:
    """The number of red cards among `draws` from one of two decks, with replacement; the answer chooses the deck.

    Report y in 0..draws is binomial, with the share of red cards `yes` in the deck for yes = 1 and `no` in the deck
    for no = 0. With one draw the report is red = 1 or black = 0. epsilon = draws * max over the colours of the
    logarithm of their odds in the two decks.

    The table has L^draws tickets, L the least common denominator of `yes` and `no`, and may have at most 2^32: with
    halves 32 draws, with quarters 16, with tenths 9.

    References
    ----------
    Kuk, A. Y. C. (1990). Asking sensitive questions indirectly. Biometrika 77, 436-438.

    Examples
    --------
    >>> kuk(yes="3/4", no="1/4").weights
    ((3, 1), (1, 3))
    >>> kuk(yes="3/4", no="1/4", draws=2).weights
    ((9, 6, 1), (1, 6, 9))
    """
    red = [as_probability(no, name="no"), as_probability(yes, name="yes")]
    if red[0] == red[1]:
        raise ParameterError("yes", f"must differ from no: the report would say nothing; got {red[0]} for both")
    common = lcm(red[0].denominator, red[1].denominator)
    if common > LARGEST_DENOMINATOR:
        raise ValueError(f"yes and no must have a common denominator of at most 2**32; got {common}")
    most = next(cards for cards in range(1, 33) if common ** (cards + 1) > LARGEST_DENOMINATOR)
    cards = as_count(draws, name="draws", low=1, high=most)
    table = [[comb(cards, y) * p**y * (1 - p) ** (cards - y) for y in range(cards + 1)] for p in red]
    return _from_probabilities(table, "kuk", None)


def crosswise(*, prevalence: FractionLike) -> Channel:
    """Crosswise model: report 1 if the answers to the sensitive and a harmless question are the same, else 0.

        P(1 | 1) = u        P(1 | 0) = 1 - u

    u is the known share of yes to the harmless question, not 1/2. Warner's table with another way to draw, without a
    device: nobody draws a ticket, so wrong where the harmless answer goes with the sensitive one, or is guessed.

    References
    ----------
    Yu, J.-W., Tian, G.-L. & Tang, M.-L. (2008). Two new models for survey sampling with sensitive characteristic.
    Metrika 67, 251-263.

    Examples
    --------
    >>> crosswise(prevalence="1/4").weights
    ((1, 3), (3, 1))
    """
    u = as_probability(prevalence, name="prevalence")
    if u == Fraction(1, 2):
        raise ParameterError("prevalence", "must differ from 1/2: the report would say nothing; got 1/2")
    return _yes_no(1 - u, u, "crosswise", None)


def triangular(*, prevalence: FractionLike, truth: FractionLike = "1") -> Channel:
    """No to both the sensitive and a harmless question = 0, yes to at least one = 1; so with `truth`, else a fair coin.

        P(1 | 1) = (1 + p) / 2        P(1 | 0) = p u + (1 - p) / 2

    u is the known share of yes to the harmless question. epsilon = ln(1 + 2 p (1 - u) / (1 - p)): infinite for p = 1,
    the model of the literature, whose report 0 proves the answer no. That one is here to estimate from surveys that
    were made with it; a design must not open with it.

    References
    ----------
    Yu, J.-W., Tian, G.-L. & Tang, M.-L. (2008). Metrika 67, 251-263.

    Examples
    --------
    >>> triangular(prevalence="1/4").weights
    ((3, 1), (0, 4))
    >>> triangular(prevalence="1/4", truth="1/2").weights
    ((5, 3), (2, 6))
    """
    u = as_probability(prevalence, name="prevalence")
    p = as_probability(truth, name="truth", closed=True)
    if p == 0:
        raise ParameterError("truth", "must be greater than 0: the report would say nothing; got 0")
    coin = (1 - p) / 2
    return _yes_no(p * u + coin, p + coin, "triangular", None if p == 1 else p)


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
    same, another = _tickets([p + other, other])
    return Channel(tuple((another,) * x + (same,) + (another,) * (size - 1 - x) for x in range(size)), "k_ary", p)


def one_bit(k: int, *, truth: FractionLike) -> Channel:
    """A number on the grid 0..k-1 as one bit: rounded to an end at random, then sent with probability `truth`.

        P(1 | x) = (1 - p) / 2 + p x / (k - 1)

    Only the mean can be estimated (`estimate_mean`): for k > 2 the rows are dependent. epsilon = ln((1 + p) / (1 - p)).

    References
    ----------
    Duchi, J. C., Jordan, M. I. & Wainwright, M. J. (2018). Minimax optimal procedures for locally private estimation.
    JASA 113, 182-201.

    Examples
    --------
    >>> one_bit(3, truth="1/2").weights
    ((3, 1), (2, 2), (1, 3))
    """
    size = as_count(k, name="k", low=2, high=256)
    p = as_probability(truth, name="truth")
    ones = [(1 - p) / 2 + p * Fraction(x, size - 1) for x in range(size)]
    return _from_probabilities([[1 - one, one] for one in ones], "one_bit", p)


def discrete_laplace(k: int, *, epsilon: float) -> Channel:
    """A number on the grid 0..k-1 plus two-sided geometric noise, clamped to the grid, as a table of 2**32 tickets.

        P(y | x) = (1 - a) / (1 + a) a^|x - y| inside,  a^|x - y| / (1 + a) at the ends,  a = exp(-epsilon / (k - 1))

    The probabilities are rounded to the table, and the table is the mechanism: its own epsilon is measured, and is
    never above the one asked for (the noise is widened by parts in a million where rounding would exceed it).

    Parameters
    ----------
    k : int
        Number of grid points, 2 to 256.
    epsilon : float
        Privacy loss between the two ends of the grid, greater than 0 and at most 16.

    References
    ----------
    Ghosh, A., Roughgarden, T. & Sundararajan, M. (2012). Universally utility-maximizing privacy mechanisms. SIAM J.
    Computing 41, 1673-1693.

    Examples
    --------
    >>> channel = discrete_laplace(5, epsilon=1.0)
    >>> 0.999 < channel.epsilon <= 1.0, channel.denominator == 2**32
    (True, True)
    """
    size = as_count(k, name="k", low=2, high=256)
    wanted = float(epsilon)
    if not 0 < wanted <= 16:
        raise ParameterError("epsilon", f"must be greater than 0 and at most 16; got {epsilon!r}")
    shrink = Fraction(0)
    while True:
        channel = Channel(_geometric_table(size, Fraction(wanted) * (1 - shrink)), "discrete_laplace", None)
        if channel.epsilon <= wanted:
            return channel
        shrink = max(2 * shrink, Fraction(1, 2**30))


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


def _yes_no(yes_given_no: Fraction, yes_given_yes: Fraction, name: str, truth: Fraction | None) -> Channel:
    rows = [[1 - yes_given_no, yes_given_no], [1 - yes_given_yes, yes_given_yes]]
    return _from_probabilities(rows, name, truth)


def _from_probabilities(table: list[list[Fraction]], name: str, truth: Fraction | None) -> Channel:
    """The smallest integer table with exactly these probabilities."""
    tickets = iter(_tickets([entry for row in table for entry in row]))
    return Channel(tuple(tuple(next(tickets) for _ in row) for row in table), name, truth)


def _tickets(probabilities: list[Fraction]) -> list[int]:
    """The smallest whole numbers in these proportions."""
    denominator = lcm(*(entry.denominator for entry in probabilities))
    weights = [entry.numerator * (denominator // entry.denominator) for entry in probabilities]
    common = gcd(*weights)
    return [weight // common for weight in weights]


def _geometric_table(size: int, epsilon: Fraction) -> tuple[tuple[int, ...], ...]:
    """Clamped two-sided geometric noise in tickets of 2**32; rounding remainders go to the answer itself."""
    context = Context(prec=40)
    exponent = context.divide(Decimal(epsilon.numerator), Decimal(epsilon.denominator * (size - 1)))
    decay = [Fraction(context.exp(-exponent * distance)) for distance in range(size)]
    inside = [round(LARGEST_DENOMINATOR * (1 - decay[1]) / (1 + decay[1]) * factor) for factor in decay]
    ends = [round(LARGEST_DENOMINATOR / (1 + decay[1]) * factor) for factor in decay]
    rows = []
    for x in range(size):
        row = [ends[x], *(inside[abs(x - y)] for y in range(1, size - 1)), ends[size - 1 - x]]
        row[x] += LARGEST_DENOMINATOR - sum(row)
        rows.append(tuple(row))
    return tuple(rows)
