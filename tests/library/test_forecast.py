"""What is foreseen of an estimate, against every count that can come and against simulated surveys."""

import math

import numpy as np
import pytest
from scipy import stats

from randomized_response import (
    SubsetSelection,
    UnaryEncoding,
    custom,
    discrete_laplace,
    estimate_mean,
    estimate_proportions,
    forced_response,
    k_ary,
    one_bit,
    plan,
    simulate,
    warner,
)
from randomized_response.means import scores_of
from tests.tools.gate import few

COINS = forced_response(truth="1/2")


@pytest.mark.parametrize(
    ("channel", "share", "n"),
    [(COINS, 0.02, 60), (COINS, 0.0, 40), (warner(truth="1/4"), 0.1, 80), (forced_response(truth="1/3"), 0.95, 50)],
)
def test_chances_outside_by_enumeration(channel, share, n):
    """Over every count; an estimate of exactly 0 or 1 is not outside."""
    counts = np.arange(n + 1)
    estimates = np.array([estimate_proportions([n - c, c], channel, interval="wald").unbiased[1] for c in counts])
    mass = stats.binom.pmf(counts, n, channel.matrix[0, 1] * (1 - share) + channel.matrix[1, 1] * share)
    ahead = plan.forecast(n, channel, [1 - share, share])
    assert ahead.below == pytest.approx(mass[estimates < -1e-12].sum(), abs=1e-12)
    assert ahead.above == pytest.approx(mass[estimates > 1 + 1e-12].sum(), abs=1e-12)


@pytest.mark.parametrize(
    ("channel", "share", "n", "level"),
    few([(COINS, 0.1, 200, 0.95), (COINS, 0.02, 800, 0.99), (warner(truth="3/10"), 0.5, 150, 0.9)], slice(0, None, 2)),
)
def test_width_is_the_mean_over_every_count(channel, share, n, level):
    counts = np.arange(n + 1)
    found = [estimate_proportions([n - c, c], channel, confidence=level) for c in counts]
    widths = np.array([one.high[1] - one.low[1] for one in found])
    mass = stats.binom.pmf(counts, n, channel.matrix[0, 1] * (1 - share) + channel.matrix[1, 1] * share)
    foreseen = plan.forecast(n, channel, [1 - share, share], confidence=level).width
    assert foreseen == pytest.approx(mass @ widths, rel=0.01)


@pytest.mark.parametrize("mechanism", [k_ary(4, truth="1/3"), UnaryEncoding(4), SubsetSelection(4, 2, "3/4")])
def test_forecast_four_choices_by_simulation(mechanism):
    """4,000 surveys of 300, seeded. Each of three checks has a false-alarm rate of 6e-5 (four standard errors)."""
    shares, n, rounds = np.array([0.55, 0.3, 0.1, 0.05]), 300, 4_000
    ahead = plan.forecast(n, mechanism, shares, answer=3)
    generator = np.random.default_rng(7)
    table = mechanism if isinstance(mechanism, type(COINS)) else mechanism.bit
    hit, miss = (table.matrix[-1, -1], table.matrix[0, -1])
    ones = generator.binomial(n, miss + (hit - miss) * shares[3], size=rounds)
    estimates = (ones / n - miss) / (hit - miss)
    assert ahead.exact
    assert estimates.mean() == pytest.approx(ahead.expected, abs=4 * ahead.standard_error / math.sqrt(rounds))
    assert estimates.std() == pytest.approx(ahead.standard_error, rel=4 / math.sqrt(2 * rounds))
    spread = 4 * math.sqrt(ahead.below * (1 - ahead.below) / rounds)
    assert (estimates < 0).mean() == pytest.approx(ahead.below, abs=spread)


@pytest.mark.long
def test_forecast_mean_without_binomial_by_simulation():
    """4,000 surveys of 500 with the interval of the mean's estimate, seeded; false-alarm rate 6e-5 a check."""
    channel, values, n, rounds = discrete_laplace(5, epsilon=1.0), np.arange(1.0, 6.0), 500, 4_000
    shares = plan.shares_around(5, mean=1.0, deviation=1.0)
    ahead = plan.forecast(n, channel, shares, values=values)
    counts = np.random.default_rng(8).multinomial(n, channel.matrix.T @ shares, size=rounds)
    estimates = counts @ scores_of(channel, values) / n
    assert not ahead.exact
    assert estimates.mean() == pytest.approx(2.0, abs=4 * ahead.standard_error / math.sqrt(rounds))
    assert estimates.std() == pytest.approx(ahead.standard_error, rel=4 / math.sqrt(2 * rounds))
    found = [estimate_mean(row, channel, values) for row in counts[:400]]
    widths = np.array([one.high - one.low for one in found])
    assert ahead.width == pytest.approx(widths.mean(), rel=0.02)


def test_forecast_mean_one_bit_by_enumeration():
    channel, values, n = one_bit(11, truth="1/4"), np.arange(0.0, 22.0, 2.0), 60
    shares = plan.shares_around(11, mean=1.0, deviation=1.5)
    ahead = plan.forecast(n, channel, shares, values=values)
    found = [estimate_mean([n - c, c], channel, values) for c in range(n + 1)]
    mass = stats.binom.pmf(range(n + 1), n, channel.matrix[:, 1] @ shares)
    estimates = np.array([one.unbiased for one in found])
    assert ahead.exact
    assert ahead.expected == pytest.approx(2.0)
    assert ahead.standard_error == pytest.approx(math.sqrt(mass @ (estimates - mass @ estimates) ** 2))
    assert ahead.below == pytest.approx(mass[estimates < -1e-12].sum(), abs=1e-12)
    assert ahead.width == pytest.approx(mass @ np.array([one.high - one.low for one in found]), rel=0.02)


def test_forecast_below_zero_by_simulation():
    """The share of simulated surveys with a negative estimate; seeded, four standard errors (6e-5)."""
    answers = np.repeat([0, 1], [380, 20])
    generator = np.random.default_rng(9)
    ones = np.array([simulate(COINS, answers, generator).sum() for _ in range(2_000)])
    fixed = (ones < 100).mean()  # the people are fixed here: the coin alone, so the spread is a little smaller
    ahead = plan.forecast(400, COINS, [0.95, 0.05])
    assert fixed == pytest.approx(ahead.below, abs=0.01 + 4 * math.sqrt(ahead.below / 2_000))


def test_forecast_direct_question_by_hand():
    """Two coins, 10 %: rate .3, variance .21 / .25 = .84 against .09."""
    ahead = plan.forecast(1000, COINS, [0.9, 0.1])
    assert ahead.cost == pytest.approx(0.84 / 0.09)
    assert ahead.direct_n == pytest.approx(1000 * 0.09 / 0.84)
    nobody = plan.forecast(1000, COINS, [1, 0])
    assert (nobody.direct_n, nobody.cost) == (0, math.inf)
    assert plan.forecast(500, custom([[1, 0], [0, 1]]), [0.9, 0.1]).cost == pytest.approx(1)


def test_forecast_direct_n_equals_reported():
    reported = estimate_proportions([70_000, 30_000], COINS).direct_question_n[1]
    assert plan.forecast(100_000, COINS, [0.9, 0.1]).direct_n == pytest.approx(reported, rel=0.001)


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_respondents_for_power_are_just_enough(confidence):
    n = plan.respondents_for_power(COINS, 0.3, 0.2, confidence=confidence)
    assert plan.power(n, COINS, 0.3, 0.2, against_n=n, confidence=confidence) >= 0.8
    assert plan.power(n - 1, COINS, 0.3, 0.2, against_n=n - 1, confidence=confidence) < 0.8


@pytest.mark.parametrize(("share", "alternative"), [(0.3, "two-sided"), (0.3, "greater"), (0.1, "less")])
@pytest.mark.parametrize("groups", [1, 2])
def test_respondents_for_power_of_one_group_or_side_are_just_enough(groups, share, alternative):
    n = plan.respondents_for_power(COINS, share, 0.2, groups=groups, alternative=alternative)
    reached = [
        plan.power(size, COINS, share, 0.2, against_n=size if groups == 2 else None, alternative=alternative)
        for size in (n - 1, n)
    ]
    assert reached[0] < 0.8 <= reached[1]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"alternative": "less"}, r'against must be greater than share with "less"; got 0\.3 against 0\.2'),
        ({"alternative": "larger"}, "alternative must be one of two-sided, greater, less; got 'larger'"),
        ({"groups": 3}, "groups must be"),
    ],
)
def test_respondents_for_power_wrong_question_is_refused(changes, words):
    with pytest.raises(ValueError, match=words):
        plan.respondents_for_power(COINS, 0.3, 0.2, **changes)


def test_power_one_answer_of_several_equals_its_bit():
    encoding = UnaryEncoding(4, on="1/2", off="1/4")
    one, two = [0.4, 0.3, 0.2, 0.1], [0.5, 0.1, 0.2, 0.2]
    of_all = plan.power(600, encoding, one, two, answer=1, against_n=900)
    assert of_all == pytest.approx(plan.power(600, encoding.bit, 0.3, 0.1, against_n=900))


def test_power_between_two_means_by_simulation():
    """Means of 4,000 pairs of groups, seeded; the normal approximation may be off by 2 points, chance by 3."""
    channel, values, n = one_bit(21, truth="1/2"), np.arange(21.0), 800
    groups = [plan.shares_around(21, mean=mean, deviation=4) for mean in (5.0, 6.5)]
    foreseen = plan.power(n, channel, *groups, values=values, against_n=n)
    generator = np.random.default_rng(10)
    rates = [generator.binomial(n, channel.matrix[:, 1] @ shares, size=4_000) / n for shares in groups]
    pooled = (rates[0] + rates[1]) / 2
    found = np.abs(rates[0] - rates[1]) > 1.959964 * np.sqrt(2 * pooled * (1 - pooled) / n)
    assert found.mean() == pytest.approx(foreseen, abs=0.05)


def test_respondents_for_mean_is_the_smallest():
    channel, shares = one_bit(11, truth="1/2"), plan.shares_around(11, mean=3, deviation=2)
    n = plan.respondents_needed(channel, shares, margin=0.5, values=range(11))
    aheads = [plan.forecast(size, channel, shares, values=range(11)) for size in (n - 1, n)]
    assert 1.959964 * aheads[0].standard_error > 0.5 >= 1.959964 * aheads[1].standard_error


@pytest.mark.parametrize(
    ("k", "mean", "deviation"), [(5, 1.5, 1.2), (41, 3.0, 5.0), (11, 5.0, 5.0), (11, 2.0, 1.2649111)]
)
def test_shares_around_have_that_mean_and_deviation(k, mean, deviation):
    shares, points = plan.shares_around(k, mean=mean, deviation=deviation), np.arange(k)
    assert shares.sum() == pytest.approx(1)
    assert shares @ points == pytest.approx(mean)
    assert math.sqrt(shares @ (points - mean) ** 2) == pytest.approx(deviation, rel=1e-6)


def test_shares_around_are_the_beta_binomial():
    """Against scipy's betabinom with alike = 1 / (a + b + 1) solved by hand: a = 1.5, b = 3, ten tries."""
    expected = stats.betabinom(10, 1.5, 3.0)
    found = plan.shares_around(11, mean=expected.mean(), deviation=expected.std())
    assert found == pytest.approx(expected.pmf(range(11)), rel=1e-9)
