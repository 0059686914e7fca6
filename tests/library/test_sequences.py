"""Confidence sequences: valid at every look, by the martingale that they are made of."""

import math

import numpy as np
import pytest
from scipy import special

from randomized_response import (
    Channel,
    EachOption,
    Question,
    SubsetSelection,
    UnaryEncoding,
    confidence_sequence,
    discrete_laplace,
    errors_at_every_look,
    estimate_mean,
    estimate_proportions,
    forced_response,
    k_ary,
    mean_at_every_look,
    one_bit,
    shares_at_every_look,
    warner,
)

COINS = forced_response(truth="1/2")


def log_martingale(yes, n, rate):
    """Mixture over Beta(1/2, 1/2) against the rate itself."""
    mixture = special.betaln(yes + 0.5, n - yes + 0.5) - special.betaln(0.5, 0.5)
    return mixture - yes * math.log(rate) - (n - yes) * math.log(1 - rate)


@pytest.mark.parametrize(("yes", "n"), [(0, 5), (3, 10), (400, 1000), (10**6, 4 * 10**6)])
def test_sequence_limits_are_where_martingale_is_twenty(yes, n):
    sequence = confidence_sequence([n - yes, yes], COINS)
    for limit, inside in ((sequence.low[1], 1e-9), (sequence.high[1], -1e-9)):
        if 0 < limit < 1:
            assert log_martingale(yes, n, (limit + 0.5) / 2) == pytest.approx(math.log(20), abs=1e-3)
            assert log_martingale(yes, n, (limit + inside + 0.5) / 2) <= math.log(20)


@pytest.mark.parametrize("rate", [0.25, 0.3, 0.5])
def test_sequence_coverage_at_every_look_by_simulation(rate):
    """300 surveys looked at after each of 10,000 reports: at most 5 % plus 4 standard errors (10 %) are ever missed;
    false alarm 3e-5. The interval holds the rate exactly where the martingale is below 20 (previous test)."""
    generator = np.random.default_rng(31)
    yes = np.cumsum(generator.random((300, 10_000)) < rate, axis=1)
    missed = (log_martingale(yes, np.arange(1, 10_001), rate) >= math.log(20)).any(axis=1)
    assert missed.mean() <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / 300)


def test_single_look_intervals_fail_at_every_look():
    """Why this exists: a score interval looked at after each of 10,000 reports misses at some look in many surveys."""
    yes = np.cumsum(np.random.default_rng(32).random((300, 10_000)) < 0.4, axis=1)
    n = np.arange(1, 10_001)
    missed = (np.abs(yes / n - 0.4) > 1.96 * np.sqrt(0.24 / n))[:, 30:].any(axis=1)
    assert missed.mean() > 0.35


def test_sequence_many_looks_equal_single_looks():
    rows = [[60, 40], [600, 400], [0, 0], [6, 0]]
    together = confidence_sequence(rows, COINS)
    for place, row in enumerate(rows):
        alone = confidence_sequence(row, COINS)
        assert together.low[place].tolist() == alone.low.tolist()
        assert together.high[place].tolist() == alone.high.tolist()
    assert together.n.tolist() == [100, 1000, 0, 6]


@pytest.mark.parametrize("channel", [COINS, warner(truth="1/4"), k_ary(4, truth="1/2")])
def test_sequence_contains_single_look_interval(channel):
    counts = [500, 300, 150, 50][: channel.reports]
    sequence, look = confidence_sequence(counts, channel), estimate_proportions(counts, channel)
    assert np.all((sequence.low <= look.low + 1e-12) & (look.high <= sequence.high + 1e-12))
    assert np.all((sequence.low <= sequence.constrained) & (sequence.constrained <= sequence.high))
    assert sequence.unbiased == pytest.approx(look.unbiased)


def test_sequence_at_border_is_no_point():
    """Two coins let a quarter say yes of whom nobody holds it; fewer came."""
    sequence, look = confidence_sequence([780, 220], COINS), estimate_proportions([780, 220], COINS)
    assert sequence.low[1] == 0
    assert sequence.high[1] >= look.high[1] > 0.01


def test_sequence_no_reports_is_whole_range():
    nothing = confidence_sequence([0, 0], COINS)
    assert (nothing.low.tolist(), nothing.high.tolist()) == ([0, 0], [1, 1])


@pytest.mark.parametrize(
    ("counts", "channel", "message"),
    [
        ([1, -1], COINS, r"counts\[1\]"),
        ([[1, 2], [1, 0.5]], COINS, r"counts\[1\]"),
        ([1, 2, 3], COINS, "shape"),
        ([1, 2, 3], Channel([[5, 2, 1], [1, 6, 1], [0, 3, 5]]), "channel must have one background"),
    ],
)
def test_bad_input_is_named(counts, channel, message):
    with pytest.raises(ValueError, match=message):
        confidence_sequence(counts, channel)


def test_normal_mixture_is_where_martingale_is_twenty():
    """Of a Gaussian walk: exp(S^2 r / (2 (n r + 1))) / sqrt(n r + 1), r = rho^2, S the sum, in standard deviations."""
    odds = 1 - 2 * math.log(0.05)
    for n in (30, 500, 10**5):
        size = n * (odds + math.log(odds)) / 500
        walk = errors_at_every_look(n) * math.sqrt(n)
        martingale = math.exp(walk**2 * size / n / (2 * (size + 1))) / math.sqrt(size + 1)
        assert martingale == pytest.approx(20)


@pytest.mark.parametrize("whole", [True, False], ids=["population", "those who took part"])
def test_mean_sequence_coverage_by_simulation(whole):
    """200 surveys of 5,000 numbers through discrete Laplace, looked at after every report from the 30th on: at most 5 %
    plus 4 standard errors are ever missed (false alarm 3e-5), of the population and of those who took part so far.
    The same looks with 1.96 standard errors miss in more than a third."""
    generator, surveys, n = np.random.default_rng(41), 200, 5_000
    channel, grid = discrete_laplace(11, epsilon=2), np.arange(11)
    answers = generator.binomial(10, 0.3, size=(surveys, n))
    reports = (generator.random((surveys, n, 1)) > np.cumsum(channel.matrix, axis=1)[answers]).sum(axis=2)
    scores = np.linalg.lstsq(channel.matrix, grid, rcond=None)[0]
    looks = np.arange(1, n + 1)
    mean = np.cumsum(scores[reports], axis=1) / looks
    if whole:
        truth, error = 3.0, np.sqrt(np.maximum(np.cumsum(scores[reports] ** 2, axis=1) / looks - mean**2, 0) / looks)
    else:
        spread = channel.matrix @ scores**2 - (channel.matrix @ scores) ** 2
        truth = np.cumsum(answers, axis=1) / looks
        error = np.sqrt(np.cumsum(spread[answers], axis=1) / looks / looks)
    many = np.array([errors_at_every_look(int(look)) for look in looks])
    far = np.abs(mean - truth)[:, 29:] / error[:, 29:]
    assert (far > many[29:]).any(axis=1).mean() <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / surveys)
    assert (far > 1.96).any(axis=1).mean() > 1 / 3


EXACT = "beta_binomial_mixture"
QUESTIONS = {
    "table": (Question("yes_no", COINS), [[600, 400]], EXACT),
    "k-ary": (Question("one_choice", k_ary(3, truth="1/2")), [[500, 300, 200]], EXACT),
    "one-hot": (Question("one_choice", UnaryEncoding(2)), [[600, 400], [700, 300]], EXACT),
    "subset": (Question("one_choice", SubsetSelection(3)), [[640, 360], [660, 340], [700, 300]], EXACT),
    "options": (Question("several_choices", EachOption(2, COINS)), [[600, 400], [700, 300]], EXACT),
    "own table": (
        Question("one_choice", Channel([[5, 2, 1], [1, 6, 1], [0, 3, 5]])), [[300, 400, 300]], "normal_mixture",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", QUESTIONS)
def test_sequence_exists_for_every_encoding(name):
    question, counts, method = QUESTIONS[name]
    once = question.estimate(counts)
    always = question.shares_at_every_look(once, counts)
    assert (always.interval, always.noise_interval) == (method, "normal_mixture")
    assert np.all((always.low < once.low) | (once.low == 0))
    assert np.all((once.high < always.high) | (once.high == 1))
    assert np.all((always.noise_low <= once.noise_low + 1e-12) & (once.noise_high <= always.noise_high + 1e-12))
    assert always.unbiased.tolist() == once.unbiased.tolist()
    assert question.shares_at_every_look(once).interval == "normal_mixture", "strata put together have no counts"


def test_mean_sequence_one_bit_exact_others_normal():
    bit = Question("number", one_bit(11, truth="1/2"), tuple(map(float, range(11))))
    once = bit.estimate_mean([[450, 550]])
    always = bit.mean_at_every_look(once, [[450, 550]])
    rates = confidence_sequence([450, 550], warner(truth="1/4"))
    assert always.interval == EXACT
    assert always.low < once.low < once.high < always.high
    assert always.low == pytest.approx(10 * (0.55 - (0.55 - _rate(rates, "high")) - 0.25) / 0.5, abs=1e-6)
    laplace = discrete_laplace(5, epsilon=2)
    mean = mean_at_every_look(estimate_mean([100, 200, 300, 200, 100][: laplace.reports], laplace))
    assert (mean.interval, mean.noise_interval) == ("normal_mixture", "normal_mixture")


def _rate(sequence, side):
    """Warner's low share of yes is its high rate of yes: rate = 3/4 - share / 2."""
    return 0.75 - getattr(sequence, side)[1] / 2


def test_sequence_identical_reports_is_no_point():
    table = Channel([[5, 2, 1], [1, 6, 1], [0, 3, 5]])
    alike = shares_at_every_look(estimate_proportions([40, 0, 0], table))
    assert np.all(alike.high - alike.low > 0)
