"""Encodings of one answer into bits: their privacy and their moments by enumeration of every possible row."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from randomized_response import (
    Channel,
    EachOption,
    SubsetSelection,
    UnaryEncoding,
    estimate_proportions,
    forced_response,
)

UNARY = UnaryEncoding(4, on="2/3", off="1/5")
SUBSET = SubsetSelection(5, size=2, truth="3/4")


def table(encoding):
    """{row of bits: [probability for each answer]}, from the definition."""
    k, rows = encoding.k, {}
    for bits in itertools.product((0, 1), repeat=encoding.k):
        if isinstance(encoding, UnaryEncoding):
            rates = [[encoding.hit if x == y else encoding.miss for y in range(k)] for x in range(k)]
            rows[bits] = [math.prod(r if bit else 1 - r for r, bit in zip(row, bits, strict=True)) for row in rates]
        elif sum(bits) == encoding.size:
            inside = encoding.hit / math.comb(k - 1, encoding.size - 1)
            outside = (1 - encoding.hit) / math.comb(k - 1, encoding.size)
            rows[bits] = [inside if bits[x] else outside for x in range(k)]
    return rows


@pytest.mark.parametrize("encoding", [UNARY, SUBSET, SubsetSelection(2, size=1, truth="3/4"), UnaryEncoding(2)])
class TestByEnumeration:
    def test_encoding_rows_are_distribution_with_stated_rates(self, encoding):
        rows = table(encoding)
        for x in range(encoding.k):
            assert sum(row[x] for row in rows.values()) == 1
            for y in range(encoding.k):
                rate = sum(row[x] for bits, row in rows.items() if bits[y])
                assert rate == (encoding.hit if x == y else encoding.miss)

    def test_encoding_ratio_is_the_largest_of_rows(self, encoding):
        assert encoding.ratio == max(max(row) / min(row) for row in table(encoding).values())
        assert encoding.epsilon >= math.log(encoding.ratio) - 1e-15

    def test_encoding_covariance_is_that_of_rows(self, encoding):
        """n = 1 in the noise formula and n - 1 = 1 in the sampling one leave the covariance of a single row."""
        theta = np.arange(1, encoding.k + 1) / (encoding.k * (encoding.k + 1) / 2)
        rows = table(encoding)
        bits = np.array(list(rows), dtype=float)
        mass = np.array([[float(p) for p in row] for row in rows.values()])
        gain = float(encoding.hit - encoding.miss)
        mixed = mass @ theta
        mean = mixed @ bits
        total = (bits.T * mixed) @ bits - np.outer(mean, mean)
        assert encoding._covariance(theta, 2, sampling=True) == pytest.approx(total / gain**2, abs=1e-12)
        within = sum(
            share * ((bits.T * column) @ bits - np.outer(column @ bits, column @ bits))
            for share, column in zip(theta, mass.T, strict=True)
        )
        assert encoding._covariance(theta, 1, sampling=False) == pytest.approx(within / gain**2, abs=1e-12)


def test_subset_channel_equals_encoding():
    channel = SUBSET.channel()
    assert channel.ratio == SUBSET.ratio
    expected = [
        [float(p) for p in column]
        for column in zip(*[row for _, row in sorted(table(SUBSET).items(), reverse=True)], strict=True)
    ]
    assert channel.matrix == pytest.approx(np.array(expected))


def test_subset_of_one_is_k_ary_response():
    encoding = SubsetSelection(6, size=1, truth="1/2")
    counts = np.array([40, 20, 15, 10, 10, 5])
    as_bits, as_channel = encoding.estimate(counts, n=100), estimate_proportions(counts, encoding.channel())
    assert as_bits.unbiased == pytest.approx(as_channel.unbiased)
    assert as_bits.standard_error == pytest.approx(as_channel.standard_error)
    assert as_bits.covariance == pytest.approx(as_channel.covariance)
    assert as_bits.low == pytest.approx(as_channel.low, abs=1e-12)


def test_unary_estimate_equals_yes_no_per_bit():
    estimate = UNARY.estimate([60, 50, 40, 30], n=100)
    alone = estimate_proportions([40, 60], UNARY.bit)
    assert estimate.unbiased[0] == pytest.approx(alone.unbiased[1])
    assert (estimate.low[0], estimate.high[0]) == pytest.approx(
        (min(alone.low[1], estimate.constrained[0]), alone.high[1])
    )
    assert estimate.constrained.sum() == pytest.approx(1)
    assert np.all((estimate.low <= estimate.constrained) & (estimate.constrained <= estimate.high))


@pytest.mark.parametrize(
    "encoding", [UNARY, SUBSET, UnaryEncoding.optimised(8, epsilon=2.0), SubsetSelection.optimised(12, epsilon=1.0)]
)
def test_encoding_simulated_rows_have_stated_rates(encoding):
    """Chi-squared with one degree for each answer and bit; false alarm 1e-6, seeded."""
    answers = np.repeat(np.arange(encoding.k), 5000)
    rows = encoding.simulate(answers, np.random.default_rng(8))
    statistic = 0.0
    for x in range(encoding.k):
        rates = np.where(np.arange(encoding.k) == x, float(encoding.hit), float(encoding.miss))
        statistic = max(
            statistic, float((((rows[answers == x].mean(axis=0) - rates) ** 2) / (rates * (1 - rates) / 5000)).max())
        )
    assert statistic < stats.chi2.isf(1e-6 / encoding.k**2, 1)
    if isinstance(encoding, SubsetSelection):
        assert (rows.sum(axis=1) == encoding.size).all()


@pytest.mark.parametrize("epsilon", [0.25, 1.1, 4.0])
@pytest.mark.parametrize("k", [2, 10, 100])
@pytest.mark.parametrize("kind", [UnaryEncoding, SubsetSelection])
def test_optimised_stays_within_epsilon_and_close_to_it(kind, k, epsilon):
    encoding = kind.optimised(k, epsilon=epsilon)
    assert 0.995 * epsilon <= encoding.epsilon <= epsilon


def test_optimised_set_size_is_near_the_rule_of_ye_and_barg():
    """d near k / (e^epsilon + 1): 10 / (e^1.1 + 1) = 2.50, 100 / (e^2 + 1) = 11.9."""
    assert SubsetSelection.optimised(10, epsilon=1.1).size in (2, 3)
    assert SubsetSelection.optimised(100, epsilon=2.0).size in (11, 12)


class TestEachOption:
    channel = forced_response(truth="1/2")

    @pytest.mark.parametrize(
        ("k", "most", "times"), [(5, None, 5), (5, 1, 2), (5, 2, 4), (5, 3, 5), (1, None, 1), (1, 1, 1)]
    )
    def test_epsilon_counts_the_options_that_can_differ(self, k, most, times):
        question = EachOption(k, self.channel, most)
        assert question.ratio == 3**times
        assert question.epsilon == pytest.approx(times * math.log(3), abs=1e-12)

    def test_each_option_ratio_by_enumeration(self):
        """Every pair of sets of at most one option of four."""
        channel = forced_response(truth="1/2", yes="1/4")
        answers = [[int(y == x) for y in range(4)] for x in range(4)] + [[0] * 4]
        weights = [
            [
                math.prod(channel.weights[a][b] for a, b in zip(answer, report, strict=True))
                for report in itertools.product((0, 1), repeat=4)
            ]
            for answer in answers
        ]
        assert Channel(weights).ratio <= EachOption(4, channel, most=1).ratio

    def test_each_option_estimate_equals_single_questions(self):
        estimate = EachOption(3, self.channel).estimate([300, 400, 100], n=1000)
        alone = estimate_proportions([600, 400], self.channel)
        assert estimate.unbiased[1] == pytest.approx(alone.unbiased[1])
        assert estimate.standard_error[1] == pytest.approx(alone.standard_error[1])
        assert estimate.noise_standard_error[1] == pytest.approx(alone.noise_standard_error[1])
        assert (estimate.low[1], estimate.high[1]) == pytest.approx((alone.low[1], alone.high[1]))
        assert estimate.constrained[2] == 0
        assert np.isnan(estimate.covariance[0, 1])

    def test_each_option_infinite_ratio_stays_infinite(self):
        assert EachOption(3, forced_response(truth="1/2", yes="0")).epsilon == math.inf

    def test_each_option_other_channel_raises(self):
        with pytest.raises(ValueError, match="channel must be a yes/no table"):
            EachOption(3, SUBSET.channel())


@pytest.mark.parametrize("encoding", [UNARY, SUBSET, EachOption(4, forced_response(truth="1/2"))])
@pytest.mark.parametrize("n", [0, 1, 2])
def test_encoding_estimate_extreme_counts_stay_in_range(encoding, n):
    estimate = encoding.estimate([n] * encoding.k, n=n)
    assert np.all((estimate.low >= 0) & (estimate.high <= 1) & (estimate.low <= estimate.high))
    assert np.isnan(estimate.standard_error).all() == (n < 2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: UnaryEncoding(1), "k must be from 2 to 256; got 1"),
        (lambda: UnaryEncoding(4, on="1/4", off="1/4"), "on must be greater than off"),
        (lambda: UnaryEncoding(4, on="1"), "on must be greater than 0 and less than 1"),
        (lambda: UnaryEncoding(4, on=0.3), "on must be exact"),
        (lambda: SubsetSelection(4, size=4, truth="1/2"), "size must be from 1 to 3; got 4"),
        (lambda: SubsetSelection(4, size=2, truth="1/2"), "truth must be more than size / k = 1/2"),
        (lambda: SubsetSelection(60, size=20, truth="3/4").channel(), "at most 65536 sets"),
        (lambda: EachOption(3, forced_response(truth="1/2"), most=4), "most must be from 1 to 3; got 4"),
        (lambda: UNARY.estimate([1, 2, 3], n=5), r"totals must have one entry per report, shape \(4,\)"),
        (lambda: UNARY.estimate([1, 2, 3, 6], n=5), "totals must be at most n = 5; got 6"),
        (lambda: UNARY.estimate([1, 2, 3, 4], n=5, interval="no"), "interval must be one of"),
        (lambda: UNARY.simulate([4], np.random.default_rng(1)), "answers"),
    ],
)
def test_bad_input_is_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_exact_fractions_are_kept():
    assert UnaryEncoding(3, on=(2, 3), off="1/5").hit == Fraction(2, 3)


@pytest.mark.parametrize("ones", [0, 1000])
def test_encoding_constant_bits_have_no_variance(ones):
    """Rounding left 5e-9 of it, and a direct question of 10^15 people beside it."""
    estimate = SubsetSelection(6, size=2, truth="1/2").estimate([ones, 500, 300, 300, 300, 300], n=1000)
    assert estimate.standard_error[0] == 0
    assert np.isnan(estimate.direct_question_n[0])
    assert (estimate.standard_error[1:] > 0).all()
