"""Means from shares, of those who have a value, over strata; and what false reports can do to a mean."""

import math
from itertools import product

import numpy as np
import pytest

from randomized_response import (
    Channel,
    EachOption,
    SubsetSelection,
    UnaryEncoding,
    combine_means,
    combine_strata,
    discrete_laplace,
    estimate_mean,
    estimate_proportions,
    forced_response,
    k_ary,
    mean_of_shares,
    one_bit,
    poisoning_bound,
    poisoning_bound_of_mean,
    simulate,
)
from randomized_response.means import STEADY, scores_of
from tests.tools.gate import few

SCALE = k_ary(5, truth="1/2")
COUNTS = [150, 200, 250, 300, 100]
REFUSED = (1, 2, 3, 4, None)


def test_mean_of_shares_all_values_equals_mean_of_counts() -> None:
    mean, direct = mean_of_shares(estimate_proportions(COUNTS, SCALE), range(5)), estimate_mean(COUNTS, SCALE)
    for name in ("unbiased", "constrained", "standard_error", "noise_standard_error", "low", "high",
                 "noise_low", "noise_high", "minimum", "maximum", "direct_variance", "direct_question_n"):  # fmt: skip
        assert getattr(mean, name) == pytest.approx(getattr(direct, name), rel=1e-9), name
    assert (mean.interval, mean.noise_interval) == ("wald", "wald")


def test_mean_of_shares_ratio_error_is_linearised() -> None:
    """Each report y adds e[y] = (c[y] - R d[y]) / D: the delta method without any covariance of shares."""
    mean = mean_of_shares(estimate_proportions(COUNTS, SCALE), REFUSED)
    values, having = scores_of(SCALE, [1, 2, 3, 4, 0]), scores_of(SCALE, [1, 1, 1, 1, 0])
    tally, n = np.array(COUNTS), sum(COUNTS)
    share = having @ tally / n
    assert mean.unbiased == pytest.approx(values @ tally / n / share)
    scores = (values - mean.unbiased * having) / share
    assert mean.standard_error == pytest.approx(math.sqrt(tally @ scores**2 / n / (n - 1)))
    assert (mean.minimum, mean.maximum, mean.interval, mean.noise_interval) == (1, 4, "delta", "delta")


def test_mean_of_shares_direct_n_counts_all_asked() -> None:
    """Without a coin, 600 of 1000 have a value: n times the variance of their mean is the values' variance over 0.6."""
    shares = estimate_proportions([300, 300, 400], k_ary(3, truth="999999/1000000"))
    mean = mean_of_shares(shares, [0, 1, None])
    assert mean.direct_variance == pytest.approx(0.25 / 0.6, rel=1e-4)
    assert mean.direct_question_n == pytest.approx(1000, rel=1e-3)


@pytest.mark.long
def test_mean_of_shares_ratio_coverage_by_simulation() -> None:
    """800 surveys of 500, 15 % without a value: at least 95 % less 4 standard errors; false alarm 3e-5 each.

    The wider interval is held against the population's mean, the narrower against that of the 500 who took part.
    """
    generator, theta = np.random.default_rng(77), np.array([0.1, 0.2, 0.3, 0.25, 0.15])
    truth, whole, noise = float(theta[:4] @ range(1, 5)) / 0.85, 0, 0
    for _ in range(800):
        answers = generator.choice(5, size=500, p=theta)
        counts = np.bincount(simulate(SCALE, answers, generator), minlength=5)
        mean = mean_of_shares(estimate_proportions(counts, SCALE), REFUSED)
        whole += mean.low <= truth <= mean.high
        noise += mean.noise_low <= float(1 + answers[answers < 4].mean()) <= mean.noise_high
    assert min(whole, noise) / 800 >= 0.95 - 4 * math.sqrt(0.95 * 0.05 / 800)


@pytest.mark.long
def test_mean_noise_interval_coverage_by_simulation() -> None:
    """800 surveys of the same 400 people: as above. The coin's error of `one_bit` is an upper bound."""
    generator, answers = np.random.default_rng(78), np.repeat([2, 5, 9], [200, 150, 50])
    for channel in (one_bit(11, truth="1/2"), discrete_laplace(11, epsilon=2.0)):
        held = 0
        for _ in range(800):
            mean = estimate_mean(np.bincount(simulate(channel, answers, generator), minlength=channel.reports), channel)
            held += mean.noise_low <= answers.mean() <= mean.noise_high
        assert held / 800 >= 0.95 - 4 * math.sqrt(0.95 * 0.05 / 800)


@pytest.mark.parametrize("counts", [[0] * 5, [10, 10, 10, 10, 160], [1, 0, 0, 0, 0]])
def test_mean_of_shares_hardly_any_value_is_nan(counts: list[int]) -> None:
    mean = mean_of_shares(estimate_proportions(counts, SCALE), REFUSED)
    assert all(math.isnan(value) for value in (mean.unbiased, mean.constrained, mean.standard_error, mean.misfit))
    assert (mean.low, mean.high, mean.noise_low, mean.noise_high, mean.interval) == (1, 4, 1, 4, "none")
    assert mean.to_dict()["unbiased"] is None


def test_mean_of_shares_steady_limit_both_sides() -> None:
    """The share of those with a value against its standard error, just above and just below the limit."""
    table = k_ary(2, truth="1/2")
    found = {}
    for first in range(250, 400):
        shares = estimate_proportions([first, 1000 - first], table)
        known = not math.isnan(mean_of_shares(shares, [1, None]).unbiased)
        assert known == (shares.unbiased[0] >= STEADY * shares.standard_error[0])
        found[known] = found.get(known, 0) + 1
    assert set(found) == {True, False}


def test_mean_misfit_counts_noise_errors_outside_range() -> None:
    """400 of 1000 say 0 where nobody could make more than 3/4 of them: -2.5 in 10 per 0.05 of the rate."""
    mean = estimate_mean([850, 150], one_bit(11, truth="1/2"))
    assert mean.unbiased == pytest.approx(-2.0)
    assert mean.misfit == pytest.approx(2.0 / mean.noise_standard_error)
    assert mean.misfit > 4
    assert estimate_mean([500, 500], one_bit(11, truth="1/2")).misfit == 0


class TestStrata:
    channel = one_bit(11, truth="1/2")
    young, old = estimate_mean([450, 550], channel), estimate_mean([60, 40], channel)

    def test_combine_means_is_the_weighted_sum(self) -> None:
        both = combine_means([self.young, self.old], [0.25, 0.75])
        assert both.unbiased == pytest.approx(0.25 * 6 + 0.75 * 3)
        error = math.hypot(0.25 * self.young.standard_error, 0.75 * self.old.standard_error)
        assert both.standard_error == pytest.approx(error)
        exact = [estimate_mean([c, d], self.channel, interval="clopper_pearson") for c, d in ((450, 550), (60, 40))]
        above = math.hypot(0.25 * (exact[0].high - 6), 0.75 * (exact[1].high - 3))
        assert both.high - both.unbiased == pytest.approx(above, rel=1e-6)
        noise = math.hypot(0.25 * self.young.noise_standard_error, 0.75 * self.old.noise_standard_error)
        assert both.noise_standard_error == pytest.approx(noise)
        assert (both.n, both.interval, both.minimum, both.maximum) == (1100, "recovered", 0, 10)

    def test_combine_means_equals_combined_shares(self) -> None:
        strata = [estimate_proportions(counts, SCALE) for counts in (COUNTS, COUNTS[::-1])]
        by_shares = mean_of_shares(combine_strata(strata, [0.3, 0.7]), range(5))
        by_means = combine_means([mean_of_shares(one, range(5)) for one in strata], [0.3, 0.7])
        for name in ("unbiased", "constrained", "standard_error", "low", "high", "direct_variance"):
            assert getattr(by_means, name) == pytest.approx(getattr(by_shares, name)), name

    def test_combine_means_stays_in_range(self) -> None:
        low = estimate_mean([80, 20], self.channel)
        both = combine_means([low, low], [0.5, 0.5])
        assert both.unbiased < 0
        assert (both.constrained, both.low) == (0, 0)

    def test_combine_means_stratum_without_mean_is_nan(self) -> None:
        nobody = estimate_mean([0, 0], self.channel)
        assert math.isnan(combine_means([self.young, nobody], [0.5, 0.5]).unbiased)
        assert combine_means([self.young, nobody], [1, 0]).unbiased == pytest.approx(6)

    @pytest.mark.parametrize("shares", [[0.5], [0.5, 0.6], [-0.5, 1.5]])
    def test_combine_means_invalid_shares_raise(self, shares: list[float]) -> None:
        with pytest.raises(ValueError, match="shares must"):
            combine_means([self.young, self.old], shares)

    def test_combine_means_different_questions_raise(self) -> None:
        with pytest.raises(ValueError, match="same answers"):
            combine_means([self.young, estimate_mean([1, 1], one_bit(3, truth="1/2"))], [0.5, 0.5])

    def test_combine_options_need_not_sum_to_one(self) -> None:
        question = EachOption(3, forced_response(truth="1/2"))
        strata = [question.estimate(ones, n=1000) for ones in ([700, 720, 240], [650, 740, 230])]
        both = combine_strata(strata, [0.5, 0.5])
        assert not both.exclusive
        assert both.constrained == pytest.approx(np.clip(both.unbiased, 0, 1))
        assert both.constrained.sum() > 1.5
        with pytest.raises(ValueError, match="same answers"):
            combine_strata([strata[0], estimate_proportions(COUNTS[:3], k_ary(3, truth="1/2"))], [0.5, 0.5])
        with pytest.raises(ValueError, match="exclude each other"):
            mean_of_shares(strata[0], [1, 2, 3])


@pytest.mark.parametrize(
    "values", [[1, 2], [1, 2, 3, 4, math.nan], [None] * 5, [1, 2, 3, 4, math.inf]], ids=["few", "nan", "none", "inf"]
)
def test_mean_of_shares_invalid_values_raise(values: list[float | None]) -> None:
    with pytest.raises(ValueError, match="values must be 5 finite numbers or None"):
        mean_of_shares(estimate_proportions(COUNTS, SCALE), values)


def replacements(n: int, reports: int, most: int) -> list[tuple[np.ndarray, np.ndarray, int]]:
    totals = [np.array(t) for t in product(range(n + 1), repeat=reports) if sum(t) == n]
    pairs = [(a, b, int(np.maximum(a - b, 0).sum())) for a, b in product(totals, totals)]
    return [pair for pair in pairs if pair[2] <= most]


@pytest.mark.parametrize(
    "channel", few([one_bit(4, truth="1/2"), k_ary(3, truth="1/2"), discrete_laplace(3, epsilon=1.0)])
)
def test_poisoning_of_mean_bound_is_reached_not_passed(channel: Channel) -> None:
    values, reached = range(channel.answers), 0.0
    for honest, false, moved in replacements(6, channel.reports, 2):
        shift = abs(estimate_mean(false, channel).unbiased - estimate_mean(honest, channel).unbiased)
        assert shift <= poisoning_bound_of_mean(6, moved, channel, values) + 1e-9
        reached = max(reached, shift)
    assert reached == pytest.approx(poisoning_bound_of_mean(6, 2, channel, values))


@pytest.mark.long
def test_poisoning_of_ratio_bound_is_not_passed() -> None:
    channel, values, checked = k_ary(3, truth="9/10"), (1, 2, None), 0
    for honest, false, moved in replacements(12, 3, 2):
        shares = estimate_proportions(false, channel)
        before, after = (one.unbiased for one in (estimate_proportions(honest, channel), shares))
        bound = poisoning_bound_of_mean(12, moved, channel, values, shares)
        if math.isfinite(bound):
            ratios = [float(theta[:2] @ (1, 2)) / float(theta[:2].sum()) for theta in (before, after)]
            assert abs(ratios[0] - ratios[1]) <= bound + 1e-9
            checked += 1
    assert checked > 200


def test_poisoning_of_ratio_over_zero_is_unbounded() -> None:
    shares = estimate_proportions([5, 5, 990], k_ary(3, truth="1/2"))
    assert poisoning_bound_of_mean(1000, 10, k_ary(3, truth="1/2"), (1, 2, None), shares) == math.inf
    with pytest.raises(ValueError, match="shares must be given"):
        poisoning_bound_of_mean(1000, 10, k_ary(3, truth="1/2"), (1, 2, None))


@pytest.mark.parametrize(
    "encoding",
    [UnaryEncoding(3), SubsetSelection(4, size=2, truth="3/4"), EachOption(3, forced_response(truth="1/2"))],
    ids=lambda encoding: type(encoding).__name__,
)
def test_poisoning_of_bits_is_at_most_one_bit_per_report(
    encoding: UnaryEncoding | SubsetSelection | EachOption,
) -> None:
    ones = np.full(encoding.k, 40)
    shifts = []
    for choice in range(encoding.k):
        moved = ones + (np.arange(encoding.k) == choice)
        shifts.append(np.abs(encoding.estimate(moved, n=100).unbiased - encoding.estimate(ones, n=100).unbiased).max())
    assert shifts == pytest.approx([poisoning_bound(100, 1, encoding.bit)] * encoding.k)


class TestStrataOfDifferentKinds:
    shares, mean = (
        estimate_proportions([600, 400], k_ary(2, truth="1/2")),
        estimate_mean([450, 550], one_bit(11, truth="1/2")),
    )

    def test_combine_strata_mean_among_shares_raises(self):
        with pytest.raises(ValueError, match=r"estimates\[1\] must be a ProportionEstimate; got MeanEstimate"):
            combine_strata([self.shares, self.mean], [0.5, 0.5])

    def test_combine_means_share_among_means_raises(self):
        with pytest.raises(ValueError, match=r"estimates\[1\] must be a MeanEstimate; got ProportionEstimate"):
            combine_means([self.mean, self.shares], [0.5, 0.5])

    def test_combine_means_of_shares_raises(self):
        with pytest.raises(ValueError, match=r"estimates\[0\] must be a MeanEstimate; got ProportionEstimate"):
            combine_means([self.shares, self.shares], [0.5, 0.5])
