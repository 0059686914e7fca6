"""Joint tables: closed forms, other programs, the maximum checked from outside, bad input."""

import itertools
import json

import numpy as np
import pytest
from scipy import optimize, stats

from randomized_response import Channel, custom, forced_response, k_ary, warner
from randomized_response.joint import estimate_joint

COINS = forced_response(truth="1/2")
DIE = forced_response(truth="2/3", yes="1/4")
DIRECT = custom([[1, 0], [0, 1]])
THREE = k_ary(3, truth="1/2")


def test_expected_counts_give_back_the_shares():
    shares = np.array([[0.6, 0.04], [0.1, 0.26]])
    table = COINS.matrix.T @ shares @ DIE.matrix * 48_000
    joint = estimate_joint(table.round(), COINS, DIE)
    np.testing.assert_allclose(joint.unbiased, shares, atol=1e-12)
    np.testing.assert_allclose(joint.constrained, shares, atol=1e-12)
    assert joint.phi.estimate == pytest.approx(0.152 / np.sqrt(0.36 * 0.64 * 0.3 * 0.7), abs=1e-12)
    assert joint.odds_ratio.estimate == pytest.approx(39, abs=1e-9)


def test_joint_margins_equal_single_questions():
    joint = estimate_joint([[300, 210], [250, 240]], COINS, DIE)
    rate_a, rate_b = 490 / 1000, 450 / 1000
    assert joint.unbiased[1].sum() == pytest.approx((rate_a - 1 / 4) * 2, abs=1e-12)
    assert joint.unbiased[:, 1].sum() == pytest.approx((rate_b - 1 / 12) * 1.5, abs=1e-12)
    to_row = np.array([0, 0, 1, 1])
    assert to_row @ joint.covariance @ to_row == pytest.approx(rate_a * (1 - rate_a) / 999 * 4, abs=1e-14)


def test_covariance_is_unbiased_over_every_sample():
    """All 4^3 samples of three respondents, each with its probability: mean and covariance exactly as promised."""
    shares = np.array([0.5, 0.1, 0.1, 0.3])
    rates = np.kron(COINS.matrix, DIE.matrix).T @ shares
    mean, covariance, second = np.zeros(4), np.zeros((4, 4)), np.zeros((4, 4))
    for cells in itertools.product(range(4), repeat=3):
        chance = np.prod(rates[list(cells)])
        joint = estimate_joint(np.bincount(cells, minlength=4).reshape(2, 2), COINS, DIE)
        estimate = joint.unbiased.ravel()
        mean += chance * estimate
        covariance += chance * joint.covariance
        second += chance * np.outer(estimate, estimate)
    np.testing.assert_allclose(mean, shares, atol=1e-12)
    np.testing.assert_allclose(covariance, second - np.outer(shares, shares), atol=1e-12)


class TestDirectQuestions:
    TABLE = np.array([[43, 9], [44, 4]])  # the right- and left-handed of Wikipedia's contingency table, men and women

    def test_independence_is_the_g_test(self):
        joint = estimate_joint(self.TABLE, DIRECT, DIRECT)
        other = stats.chi2_contingency(self.TABLE, correction=False, lambda_="log-likelihood")
        assert joint.independence.statistic == pytest.approx(other.statistic, abs=1e-10)
        assert joint.independence.p_value == pytest.approx(other.pvalue, rel=1e-9)
        assert joint.independence.degrees_of_freedom == 1

    def test_phi_is_pearsons_correlation(self):
        rows, columns = np.repeat([0, 0, 1, 1], self.TABLE.ravel()), np.repeat([0, 1, 0, 1], self.TABLE.ravel())
        joint = estimate_joint(self.TABLE, DIRECT, DIRECT)
        assert joint.phi.estimate == pytest.approx(np.corrcoef(rows, columns)[0, 1], abs=1e-12)

    def test_odds_ratio_error_is_woolfs(self):
        joint = estimate_joint(self.TABLE, DIRECT, DIRECT)
        log_error = np.sqrt((1 / self.TABLE).sum() * 100 / 99)  # n - 1 in place of n
        assert joint.odds_ratio.estimate == pytest.approx(43 * 4 / (9 * 44), rel=1e-12)
        assert joint.odds_ratio.standard_error == pytest.approx(joint.odds_ratio.estimate * log_error, rel=1e-12)
        reach = stats.norm.ppf(0.975) * log_error
        assert joint.odds_ratio.low == pytest.approx(joint.odds_ratio.estimate * np.exp(-reach), rel=1e-12)

    def test_phi_error_by_numerical_slopes(self):
        joint = estimate_joint([[380, 190], [220, 210]], COINS, DIE)

        def phi(p):
            row, column = p[2] + p[3], p[1] + p[3]
            return (p[0] * p[3] - p[1] * p[2]) / np.sqrt(row * (1 - row) * column * (1 - column))

        slope = optimize.approx_fprime(joint.constrained.ravel(), phi, 1e-7)
        # Shares sum to 1, so slopes are compared where they act: through the covariance.
        assert joint.phi.standard_error == pytest.approx(np.sqrt(slope @ joint.covariance @ slope), rel=1e-5)


class TestConstrained:
    @pytest.mark.parametrize(
        ("table", "a", "b"),
        [
            ([[400, 100], [400, 100]], COINS, COINS),
            ([[900, 30], [40, 30]], warner(truth="3/4"), DIE),
            ([[50, 20, 10], [20, 60, 5], [30, 5, 50]], THREE, THREE),
            ([[50, 2, 40], [20, 3, 45]], COINS, THREE),
            ([[30, 20, 12, 8], [10, 10, 20, 25]], COINS, Channel(((5, 3, 2, 0), (1, 2, 3, 4)))),
        ],
    )
    def test_joint_constrained_is_the_maximum(self, table, a, b):
        """The slope toward any corner is at most 0, which for a concave function proves the maximum (1e-9 a head)."""
        joint = estimate_joint(table, a, b)
        matrix, rates = np.kron(a.matrix, b.matrix), np.ravel(table) / np.sum(table)
        slopes = matrix @ (rates / (matrix.T @ joint.constrained.ravel())) - 1
        assert slopes.max() < 1e-9
        assert joint.constrained.min() >= 0
        assert joint.constrained.sum() == pytest.approx(1, abs=1e-12)

    def test_joint_boundary_is_named_without_errors(self):
        joint = estimate_joint([[900, 30], [40, 30]], COINS, COINS)
        assert joint.unbiased.min() < 0
        assert (joint.constrained == 0).any()
        assert [each.name for each in joint.diagnostics] == ["boundary"]
        assert np.isnan([joint.phi.standard_error, joint.odds_ratio.standard_error]).all()
        assert -0.01 < joint.phi.low < 0
        assert joint.phi.high == 1
        assert (joint.odds_ratio.low, joint.odds_ratio.high) == (0, np.inf)

    def test_independent_answers_have_no_statistic(self):
        shares = np.outer([0.7, 0.3], [0.4, 0.6])
        joint = estimate_joint((COINS.matrix.T @ shares @ COINS.matrix * 40_000).round(), COINS, COINS)
        assert joint.independence.statistic == pytest.approx(0, abs=1e-8)
        assert joint.phi.estimate == pytest.approx(0, abs=1e-12)

    def test_three_answers_have_four_degrees_and_no_phi(self):
        joint = estimate_joint([[50, 20, 10], [20, 60, 5], [30, 5, 50]], THREE, THREE)
        assert joint.independence.degrees_of_freedom == 4
        assert joint.phi is None
        assert joint.odds_ratio is None


def with_odds(r, s, odds):
    """Tables of these shares of the second row and column with an odds ratio (Plackett 1965, JASA 60, 516-522)."""
    whole = 1 + (r + s) * (odds - 1)
    both = (whole - np.sqrt(whole**2 - 4 * odds * (odds - 1) * r * s)) / (2 * (odds - 1))
    return np.stack([1 - r - s + both, s - both, r - both, both])


def with_phi(r, s, phi):
    both = r * s + phi * np.sqrt(r * (1 - r) * s * (1 - s))
    return np.stack([1 - r - s + both, s - both, r - both, both])


def drop(counts, matrix, best, tables, value):
    """2 (log L at the maximum - log L at the best table with that value), by a grid of both margins that closes in."""
    top, centre, reach = np.ravel(counts) @ np.log(best.ravel() @ matrix), (0.5, 0.5), 0.5
    for _ in range(8):
        r, s = np.meshgrid(*(np.linspace(max(c - reach, 1e-7), min(c + reach, 1 - 1e-7), 81) for c in centre))
        found = tables(r, s, value)
        rates = np.einsum("xij,xy->yij", np.clip(found, 0, 1), matrix)
        heights = np.where(found.min(axis=0) >= 0, np.einsum("y,yij->ij", np.ravel(counts), np.log(rates)), -np.inf)
        place = np.unravel_index(heights.argmax(), heights.shape)
        centre, reach = (r[place], s[place]), reach / 4
    return 2 * (top - heights.max())


@pytest.mark.parametrize(
    ("truth", "other", "table"),
    [
        ("1/2", "1/2", [[1092, 375], [275, 258]]),
        ("1/2", "1/2", [[1180, 260], [420, 140]]),
        ("1/2", "1/2", [[54, 17], [12, 17]]),
        ("1/2", "1/2", [[20, 50], [12, 18]]),
        ("9/10", "1/2", [[19, 6], [3, 2]]),
        ("3/4", "3/4", [[640, 90], [200, 70]]),
        ("3/4", "3/4", [[280, 60], [30, 30]]),
        ("3/4", "3/4", [[330, 30], [35, 5]]),
    ],
)
def test_joint_zero_cell_limits_follow_profile_likelihood(truth, other, table):
    """At each end inside the range the drop is chi-squared's quantile; at an end of the range it is below."""
    first, second = forced_response(truth=truth), forced_response(truth=other)
    matrix = np.kron(first.matrix, second.matrix)
    joint = estimate_joint(table, first, second)
    assert joint.constrained.min() == 0
    for tables, found, least, most in ((with_odds, joint.odds_ratio, 0, np.inf), (with_phi, joint.phi, -1, 1)):
        for end in (found.low, found.high):
            if end in (least, most):
                near = {0: 1e-6, np.inf: 1e6, -1: -1 + 1e-6, 1: 1 - 1e-6}[end]
                assert drop(table, matrix, joint.constrained, tables, near) < 3.8415 + 0.05
            else:
                assert drop(table, matrix, joint.constrained, tables, end) == pytest.approx(3.8415, abs=0.05)


@pytest.mark.long
def test_joint_rare_trait_coverage_by_simulation():
    """Of 80 tables of 300, most of them with a zero cell, 70 intervals hold the truth but for a chance below .01.

    Binomial at .95. None of these had an interval before where a cell was 0.
    """
    channel, truth = forced_response(truth="1/2"), np.array([0.9, 0.04, 0.04, 0.02])
    rates = truth @ np.kron(channel.matrix, channel.matrix)
    phi, odds = 0.9 * 0.02 - 0.04**2, 0.9 * 0.02 / 0.04**2
    phi /= 0.94 * 0.06
    joints = [
        estimate_joint(table, channel, channel)
        for table in np.random.default_rng(5).multinomial(300, rates, size=80).reshape(-1, 2, 2)
    ]
    assert sum(joint.constrained.min() == 0 for joint in joints) >= 50
    assert sum(joint.phi.low <= phi <= joint.phi.high for joint in joints) >= 70
    assert sum(joint.odds_ratio.low <= odds <= joint.odds_ratio.high for joint in joints) >= 70


def test_independence_is_rejected_at_its_level():
    # 2000 tables of 1000 under independence, inside the simplex: at 5 % between 71 and 130 rejections but for a chance
    # of about 0.003 (binomial, 3 standard deviations).
    generator = np.random.default_rng(3)
    rates = np.kron(COINS.matrix, COINS.matrix).T @ np.kron([0.6, 0.4], [0.5, 0.5])
    tables = generator.multinomial(1000, rates, size=2000).reshape(-1, 2, 2)
    rejected = sum(estimate_joint(t, COINS, COINS).independence.p_value < 0.05 for t in tables)
    assert 71 <= rejected <= 130


def test_result_is_plain_and_readable():
    joint = estimate_joint([[900, 30], [40, 30]], COINS, COINS)
    plain = json.loads(json.dumps(joint.to_dict(), allow_nan=False))
    assert plain["n"] == 1000
    assert plain["phi"]["standard_error"] is None
    assert "independence: LR" in str(joint)
    assert "! boundary" in str(joint)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([[1, 2, 3], [4, 5, 6]], r"table must have one row and column per report, shape \(2, 2\); got shape \(2, 3\)"),
        ([[1, 2], [3]], "table must have rows of equal length"),
        ([[1, -2], [3, 4]], "table.*from 0 to .*; got -2"),
        ([[1, 2.5], [3, 4]], "table.*from 0 to .*; got 2.5"),
        ([[1, np.nan], [3, 4]], "table.*from 0 to .*; got nan"),
        ([[1, 0], [0, 0]], "table must hold at least 2 respondents; got 1"),
    ],
)
def test_bad_input_names_argument_bound_and_value(table, message):
    with pytest.raises(ValueError, match=message):
        estimate_joint(table, COINS, COINS)


def test_impossible_reports_and_dependent_channels_are_refused():
    never = custom([[1, 0, 1], [0, 0, 2]])
    with pytest.raises(ValueError, match=r"table\[0, 1\] must be 0: .*; got 3"):
        estimate_joint([[5, 3, 1], [5, 0, 1]], COINS, never)
    with pytest.raises(ValueError, match="linearly"):
        estimate_joint([[5, 3], [5, 1]], COINS, Channel(((1, 1), (1, 1))))


class TestIntervalsOfShares:
    def test_joint_share_intervals_by_hand(self):
        """Wald: the unbiased share and 1.96 of its standard errors, inside [0, 1]."""
        joint = estimate_joint([[380, 190], [220, 210]], COINS, COINS)
        half = stats.norm.ppf(0.975) * joint.standard_error
        np.testing.assert_allclose(joint.high, joint.unbiased + half, atol=1e-12)
        np.testing.assert_allclose(joint.low, np.maximum(joint.unbiased - half, 0), atol=1e-12)

    def test_joint_interval_holds_constrained_share(self):
        joint = estimate_joint([[30, 2], [4, 3]], COINS, COINS)
        assert (joint.unbiased < 0).any()
        assert ((joint.low <= joint.constrained) & (joint.constrained <= joint.high)).all()

    def test_conditional_direct_question_is_binomial(self):
        table = np.array([[43, 9], [44, 4]])
        found = estimate_joint(table, DIRECT, DIRECT).conditional()
        rows = table.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(found.shares, table / rows, atol=1e-12)
        binomial = np.sqrt(table / rows * (1 - table / rows) / rows * 100 / 99)
        np.testing.assert_allclose(found.standard_error, binomial, atol=1e-12)

    def test_conditional_coverage_by_simulation(self):
        """400 surveys of 4,000: 95 % of intervals hold it, and at the least 92.5 % (four of their errors below)."""
        shares, generator, held = np.array([[0.5, 0.1], [0.1, 0.3]]), np.random.default_rng(11), 0
        rates = (COINS.matrix.T @ shares @ DIE.matrix).ravel()
        for table in generator.multinomial(4_000, rates, size=400):
            found = estimate_joint(table.reshape(2, 2), COINS, DIE).conditional()
            held += found.low[1, 1] <= 0.75 <= found.high[1, 1]
        assert 0.925 <= held / 400 <= 0.985

    def test_conditional_row_that_may_be_empty_is_nan(self):
        found = estimate_joint([[300, 150], [102, 52]], COINS, COINS).conditional()
        assert np.isnan(found.shares[1]).all()
        assert (found.low[1] == 0).all()
        assert (found.high[1] == 1).all()
        assert np.isfinite(found.shares[0]).all()
