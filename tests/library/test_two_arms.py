"""Designs with two arms: the closed forms of RRreg, maxima found by search, coverage, bad input."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from randomized_response import Channel, cheater_channel, forced_response, warner
from randomized_response.two_arms import cheater_detection, stochastic_lie_detector, unknown_prevalence

ARMS = {"yes": (650, 350), "n": (1000, 1000), "truth": ("1/4", "3/4")}
DESIGNS = [cheater_detection, stochastic_lie_detector, unknown_prevalence]


def moments(yes, n):
    rates = np.array(yes) / np.array(n)
    return rates, rates * (1 - rates) / (np.array(n) - 1)


@pytest.mark.parametrize(("yes", "n"), [((403, 708), (1000, 1000)), ((120, 190), (300, 250))])
class TestClosedFormsOfRRreg:
    """Formulas of RRuni in R's package RRreg (Heck & Moshagen 2018, J. Stat. Software 85), p there the forced side."""

    def test_cheater_detection(self, yes, n):
        forced = (Fraction(3, 10), Fraction(7, 10))
        found = cheater_detection(yes, n, tuple(1 - p for p in forced))
        (l1, l2), (v1, v2) = moments(yes, n)
        p1, p2 = map(float, forced)
        pairs = [
            (found.honest_yes, (p2 * l1 - p1 * l2) / (p2 - p1), np.sqrt(p1**2 * v2 + p2**2 * v1) / (p2 - p1)),
            (found.honest_no, (l2 - l1) / (p2 - p1), np.sqrt(v1 + v2) / (p2 - p1)),
            (
                found.cheaters,
                1 + ((p2 - 1) * l1 + (1 - p1) * l2) / (p1 - p2),
                np.sqrt((p2 - 1) ** 2 * v1 + (1 - p1) ** 2 * v2) / (p2 - p1),
            ),
        ]
        for share, value, error in pairs:
            assert share.unbiased == pytest.approx(value, abs=1e-12)
            assert share.standard_error == pytest.approx(error, rel=1e-12)

    def test_stochastic_lie_detector(self, yes, n):
        found = stochastic_lie_detector(yes, n, ("7/10", "3/10"))
        (l1, l2), (v1, v2) = moments(yes, n)
        p1, p2 = 0.7, 0.3
        assert found.prevalence.unbiased == pytest.approx((l2 - l1 + p2 - p1) / (p2 - p1), abs=1e-12)
        assert found.prevalence.standard_error == pytest.approx(np.sqrt((v1 + v2) / (p1 - p2) ** 2), rel=1e-12)
        honesty = (l2 * (1 - p1) - l1 * (1 - p2)) / (l2 - l1 + p2 - p1)
        below = (p1 - p2 + l1 - l2) ** 2
        slopes = (p1 - p2) * (p2 + l2 - 1) / below, (p1 - p2) * (p1 + l1 - 1) / below
        assert found.honesty.unbiased == pytest.approx(honesty, abs=1e-12)
        assert found.honesty.standard_error == pytest.approx(
            np.sqrt(v1 * slopes[0] ** 2 + v2 * slopes[1] ** 2), rel=1e-10
        )

    def test_unknown_prevalence(self, yes, n):
        found = unknown_prevalence(yes, n, ("2/3", "1/3"))
        (l1, l2), (v1, v2) = moments(yes, n)
        p1, p2 = 2 / 3, 1 / 3
        assert found.sensitive.unbiased == pytest.approx((l1 * (1 - p2) - l2 * (1 - p1)) / (p1 - p2), abs=1e-12)
        assert found.sensitive.standard_error == pytest.approx(
            np.sqrt(v1 * (1 - p2) ** 2 + v2 * (1 - p1) ** 2) / (p1 - p2), rel=1e-12
        )
        assert found.unrelated.unbiased == pytest.approx((p2 * l1 - p1 * l2) / (p2 - p1), abs=1e-12)
        assert found.unrelated.standard_error == pytest.approx(np.sqrt(p2**2 * v1 + p1**2 * v2) / (p1 - p2), rel=1e-12)


def kernel(yes, n, rates):
    yes, n = np.array(yes), np.array(n)
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(
            np.sum(np.where(yes > 0, yes * np.log(rates), 0) + np.where(n > yes, (n - yes) * np.log1p(-rates), 0))
        )


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 40), st.integers(0, 40))
def test_two_arms_constrained_estimate_is_the_maximum(first, second):
    found = cheater_detection((first, second), (40, 40), ("1/4", "3/4"))
    grid = np.linspace(0, 1, 41)
    best = max(
        kernel((first, second), (40, 40), np.array([a + 0.75 * b, a + 0.25 * b]))
        for a in grid
        for b in grid
        if a + b <= 1
    )
    assert found.log_likelihood >= best - 1e-9
    kept = found.honest_yes.constrained, found.honest_no.constrained, found.cheaters.constrained
    assert sum(kept) == pytest.approx(1, abs=1e-12)
    assert min(kept) >= 0
    rates = np.array([kept[0] + 0.75 * kept[1], kept[0] + 0.25 * kept[1]])
    assert kernel((first, second), (40, 40), np.clip(rates, 0, 1)) == pytest.approx(found.log_likelihood, abs=1e-6)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 30), st.integers(0, 50), st.sampled_from(DESIGNS))
def test_two_arms_interval_holds_estimate(first, second, design):
    found = design((first, second), (30, 50), ("1/4", "3/4"))
    shares = [getattr(found, name) for name in vars(found) if hasattr(getattr(found, name), "constrained")]
    for share in shares:
        assert 0 <= share.low <= share.high <= 1
        if not np.isnan(share.constrained):
            assert share.low - 1e-9 <= share.constrained <= share.high + 1e-9


def test_two_arms_limits_follow_profile_likelihood():
    found = cheater_detection(**ARMS)
    drop = stats.chi2.ppf(0.95, 1) / 2
    for limit in (found.cheaters.low, found.cheaters.high):
        grid = np.linspace(0, 1 - limit, 20_001)
        heights = [kernel((650, 350), (1000, 1000), np.array([a + 0.75 * b, a + 0.25 * b])) for a, b in
                   zip(grid, 1 - limit - grid, strict=True)]  # fmt: skip
        assert max(heights) == pytest.approx(found.log_likelihood - drop, abs=1e-5)


class TestCheaterDetection:
    def test_expected_counts_give_back_the_shares(self):
        found = cheater_detection(**ARMS)
        assert found.honest_yes.unbiased == pytest.approx(0.2, abs=1e-12)
        assert found.honest_no.constrained == pytest.approx(0.6, abs=1e-12)
        assert found.cheaters.constrained == pytest.approx(0.2, abs=1e-12)

    def test_cheater_detection_no_cheaters_has_statistic_0(self):
        # 30 % yes, 70 % no, all honest: rates 0.3 + 0.75 * 0.7 and 0.3 + 0.25 * 0.7.
        found = cheater_detection((825, 475), (1000, 1000), ("1/4", "3/4"))
        assert found.no_cheaters.statistic == pytest.approx(0, abs=1e-9)
        assert found.no_cheaters.p_value == 1

    def test_cheater_detection_test_of_no_cheaters_by_grid(self):
        found = cheater_detection(**ARMS)
        grid = np.linspace(0, 1, 200_001)
        best = max(
            kernel((650, 350), (1000, 1000), np.array([a + 0.75 * (1 - a), a + 0.25 * (1 - a)])) for a in grid[::20]
        )
        assert found.no_cheaters.statistic == pytest.approx(2 * (found.log_likelihood - best), abs=1e-3)
        assert found.no_cheaters.p_value == pytest.approx(stats.chi2.sf(found.no_cheaters.statistic, 1) / 2)

    @pytest.mark.long
    def test_cheater_detection_coverage_by_simulation(self):
        # 500 experiments without cheaters: at 5 %, 11 to 39 rejections but for 3 standard deviations (0.003); with
        # 15 % of them: an interval at 95 % covers 461 to 489 times (the same).
        generator = np.random.default_rng(1998)
        rates = np.array([0.3 + 0.75 * 0.7, 0.3 + 0.25 * 0.7])
        draws = generator.binomial(500, rates, size=(500, 2)).tolist()
        rejected = sum(
            cheater_detection(tuple(d), (500, 500), ("1/4", "3/4")).no_cheaters.p_value < 0.05 for d in draws
        )
        assert 11 <= rejected <= 39
        rates = np.array([0.25 + 0.75 * 0.6, 0.25 + 0.25 * 0.6])
        draws = generator.binomial(500, rates, size=(500, 2)).tolist()
        found = [cheater_detection(tuple(d), (500, 500), ("1/4", "3/4")).cheaters for d in draws]
        assert 461 <= sum(share.low <= 0.15 <= share.high for share in found) <= 489


def test_lie_detector_mirrors_cheater_detection():
    cheats, lies = cheater_detection(**ARMS), stochastic_lie_detector(**ARMS)
    assert lies.prevalence.unbiased == pytest.approx(1 - cheats.honest_no.unbiased, abs=1e-12)
    assert lies.prevalence.low == pytest.approx(1 - cheats.honest_no.high, abs=1e-8)
    assert lies.log_likelihood == pytest.approx(cheats.log_likelihood, abs=1e-9)
    assert lies.all_honest == cheats.no_cheaters


def test_lie_detector_prevalence_zero_has_no_honesty():
    # Rates of exactly 1 - p: everyone says what people without the trait say.
    found = stochastic_lie_detector((750, 250), (1000, 1000), ("1/4", "3/4"))
    assert found.prevalence.constrained == 0
    assert np.isnan(found.honesty.unbiased)
    assert (found.honesty.low, found.honesty.high) == (0, 1)


def test_unknown_prevalence_direct_and_forced_arm():
    found = unknown_prevalence((30, 40), (100, 100), ("1", "0"))
    assert found.sensitive.unbiased == pytest.approx(0.3, abs=1e-12)
    assert found.unrelated.unbiased == pytest.approx(0.4, abs=1e-12)


@pytest.mark.parametrize("design", DESIGNS)
def test_results_are_plain_and_readable(design):
    found = design(**ARMS)
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["confidence"] == 0.95
    assert "interval" in str(found)
    with pytest.raises(AttributeError):
        found.confidence = 0.5


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"yes": (1, 2, 3)}, "yes must be a pair, one entry per arm"),
        ({"n": 1000}, "n must be a pair, one entry per arm; got 1000"),
        ({"yes": (1001, 350)}, r"yes\[0\] must be from 0 to 1000; got 1001"),
        ({"yes": (650, -1)}, r"yes\[1\] must be from 0 to 1000; got -1"),
        ({"yes": (650.5, 350)}, r"yes\[0\] must be an integer; got 650.5"),
        ({"n": (1000, 1)}, r"n\[1\] must be at least 2; got 1"),
        ({"truth": ("1/4", "1/4")}, "truth must differ between the arms; got 1/4 in both"),
        ({"truth": ("1/4", "5/4")}, r"truth\[1\] must be in \[0, 1\]; got 5/4"),
        ({"truth": (0.1, 0.75)}, r"truth\[0\] must be exact, which the float 0\.1 is not"),
        ({"confidence": 0}, "confidence must be greater than 0 and less than 1; got 0"),
    ],
)
def test_bad_input_names_argument_bound_and_value(design, change, message):
    with pytest.raises(ValueError, match=message):
        design(**(ARMS | change))


def test_cheating_detection_triangular_model_is_the_cheaters():
    """Rates of "yes to at least one" by the triangular model: honest yes + u honest no, in two arms of their own u."""
    honest_yes, honest_no, harmless = 0.2, 0.65, (0.25, 0.75)
    yes = tuple(round(100_000 * (honest_yes + u * honest_no)) for u in harmless)
    found = cheater_detection(yes, (100_000, 100_000), ("3/4", "1/4"))
    assert found.honest_yes.unbiased == pytest.approx(0.2, abs=1e-4)
    assert found.cheaters.unbiased == pytest.approx(0.15, abs=1e-4)


BOTH_FORCED = (forced_response(truth="1/2", yes="1/2"), forced_response(truth="3/4", yes="1/2"))
MIRRORED = (warner(truth="1/4"), warner(truth="3/4"))
YES_FORCED = (forced_response(truth="1/4", yes="1"), forced_response(truth="3/4", yes="1"))
TABLES = pytest.mark.parametrize("tables", [BOTH_FORCED, MIRRORED, YES_FORCED], ids=["both", "mirrored", "yes"])


def rates_of(tables, honest_yes, honest_no):
    return np.array([honest_yes * one.matrix[1, 1] + honest_no * one.matrix[0, 1] for one in tables])


class TestTablesOfTheArms:
    """A coin that may also force a no (Ostapczuk, Musch & Moshagen 2009), or ask for the opposite."""

    @pytest.mark.parametrize("design", DESIGNS[:2])
    def test_tables_that_force_a_yes_are_truth_probabilities(self, design):
        assert design(**(ARMS | {"truth": YES_FORCED})) == design(**ARMS)

    @TABLES
    def test_expected_counts_give_back_the_shares(self, tables):
        yes = tuple(round(rate) for rate in 80_000 * rates_of(tables, 0.25, 0.55))
        cheats = cheater_detection(yes, (80_000, 80_000), tables)
        assert cheats.honest_yes.unbiased == pytest.approx(0.25, abs=1e-9)
        assert cheats.cheaters.constrained == pytest.approx(0.2, abs=1e-9)
        lies = stochastic_lie_detector(yes, (80_000, 80_000), tables)
        assert lies.prevalence.unbiased == pytest.approx(0.45, abs=1e-9)
        assert lies.honesty.constrained == pytest.approx(0.25 / 0.45, abs=1e-9)

    @TABLES
    def test_constrained_estimate_is_the_maximum(self, tables):
        grid = [(a, b) for a in np.linspace(0, 1, 41) for b in np.linspace(0, 1, 41) if a + b <= 1]
        for first in range(0, 41, 8):
            for second in range(0, 41, 8):
                found = cheater_detection((first, second), (40, 40), tables)
                best = max(kernel((first, second), (40, 40), rates_of(tables, a, b)) for a, b in grid)
                assert found.log_likelihood >= best - 1e-9
                kept = (found.honest_yes.constrained, found.honest_no.constrained)
                rates = np.clip(rates_of(tables, *kept), 0, 1)
                assert kernel((first, second), (40, 40), rates) == pytest.approx(found.log_likelihood, abs=1e-6)

    @pytest.mark.long
    @pytest.mark.parametrize("tables", [BOTH_FORCED, MIRRORED], ids=["both", "mirrored"])
    def test_intervals_and_test_by_simulation(self, tables):
        """500 samples without and with cheaters, 1,500 people an arm.

        At 5 %, 11 to 39 rejections but for 3 standard deviations (0.003); 95 % of 500 is 461 to 489 (the same).
        """
        generator = np.random.default_rng(2009)
        draws = generator.binomial(1500, rates_of(tables, 0.3, 0.7), size=(500, 2)).tolist()
        found = [cheater_detection(tuple(one), (1500, 1500), tables).no_cheaters.p_value for one in draws]
        assert 11 <= sum(p < 0.05 for p in found) <= 39
        draws = generator.binomial(1500, rates_of(tables, 0.3, 0.5), size=(500, 2)).tolist()
        shares = [cheater_detection(tuple(one), (1500, 1500), tables) for one in draws]
        assert 461 <= sum(one.cheaters.low <= 0.2 <= one.cheaters.high for one in shares) <= 489
        assert 461 <= sum(one.honest_yes.low <= 0.3 <= one.honest_yes.high for one in shares) <= 489

    @pytest.mark.parametrize(
        ("truth", "message"),
        [
            ((BOTH_FORCED[0], BOTH_FORCED[0]), "truth must differ between the arms"),
            ((Channel(((4, 0), (2, 2))), Channel(((4, 0), (0, 4)))), "tables that tell nothing more together in both"),
            (
                ("1/4", cheater_channel("1/4")),
                r"truth\[1\] must be a channel of two answers and two reports; got 3 x 2",
            ),
        ],
    )
    def test_tables_that_tell_nothing_are_refused(self, truth, message):
        with pytest.raises(ValueError, match=message):
            cheater_detection(**(ARMS | {"truth": truth}))

    def test_unknown_prevalence_takes_no_tables(self):
        with pytest.raises(ValueError, match=r"truth\[0\] must be a fraction as text"):
            unknown_prevalence(**(ARMS | {"truth": YES_FORCED}))
