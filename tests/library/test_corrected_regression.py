"""Least squares on corrected moments: known answers by statsmodels, expected counts, coverage of a skewed outcome."""

import numpy as np
import pytest
import statsmodels.api as sm

from randomized_response import Channel, corrected_regression, forced_response, k_ary, predictor_regression, simulate

COINS, CARDS = forced_response(truth="3/4"), k_ary(3, truth="3/4")
KNOWN = [Channel(((1, 0), (0, 1))), Channel(((1, 0, 0), (0, 1, 0), (0, 0, 1)))]
GENERATOR = np.random.default_rng(41)
N = 4000
X = GENERATOR.integers(0, 3, (N, 1)).astype(float)
FIRST = (GENERATOR.random(N) < 0.25 + 0.15 * X[:, 0]).astype(int)
SECOND = (FIRST + GENERATOR.choice(3, N, p=[0.4, 0.4, 0.2])) % 3
"""Goes together with the first answer: alone, each would take over a part of the other's effect."""
MEAN = 4 - 0.5 * X[:, 0] + 1.5 * FIRST + np.array([0, 0.5, -0.8])[SECOND]
OUTCOME = MEAN - 1 + GENERATOR.exponential(size=N)
"""Skewed: a mixture of normals would take the tail for another answer."""
REPORTS = np.column_stack([simulate(COINS, FIRST, GENERATOR), simulate(CARDS, SECOND, GENERATOR)])
EFFECTS = np.array([1.5, 0.5, -0.8])
ADDED = np.array([[0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0], [1, 1, 0], [1, 0, 1]])
"""Which effects each combination of both answers has."""


@pytest.mark.parametrize("weighted", [False, True])
def test_known_answers_are_least_squares(weighted):
    weights = np.random.default_rng(1).uniform(0.5, 2, N) if weighted else None
    fit = corrected_regression(
        OUTCOME, X, np.column_stack([FIRST, SECOND]), KNOWN, weights, labels=[["no", "yes"], ["a", "b", "c"]]
    )
    assert fit.names[:5] == ("intercept", "x1", "answer 1: yes", "answer 2: b", "answer 2: c")
    design = np.column_stack([np.ones(N), X, FIRST, np.equal.outer(SECOND, [1, 2])])
    plain = sm.WLS(OUTCOME, design, 1.0 if weights is None else weights).fit(cov_type="HC1")
    np.testing.assert_allclose(fit.coefficients[:5], plain.params, atol=1e-10)
    np.testing.assert_allclose(fit.covariance[:5, :5], plain.cov_params(), rtol=1e-9, atol=1e-14)
    each = 3 * FIRST + SECOND
    held = np.array([np.average(each == one, weights=weights) for one in range(1, 6)])
    assert fit.names[5:] == tuple(f"{label}: share" for label in ("no, b", "no, c", "yes, a", "yes, b", "yes, c"))
    np.testing.assert_allclose(fit.coefficients[5:], held, atol=1e-12)


def test_clusters_of_known_answers_are_least_squares():
    clusters = np.arange(N) // 40
    fit = corrected_regression(OUTCOME, X, FIRST, KNOWN[0], clusters=clusters)
    design = np.column_stack([np.ones(N), X, FIRST])
    plain = sm.OLS(OUTCOME, design).fit(cov_type="cluster", cov_kwds={"groups": clusters, "use_correction": False})
    np.testing.assert_allclose(fit.covariance[:3, :3], plain.cov_params() * 100 / 99, rtol=1e-9, atol=1e-14)


def test_expected_reports_give_the_true_coefficients():
    """Of each group, answer and outcome as many reports as the two coins have expected."""
    rows = []
    for group, answer, people in ((0, 0, 9600), (0, 1, 3200), (1, 0, 6400), (1, 1, 12800)):
        for noise in (-1, 3):  # a quarter and three quarters: a mean of 0
            share = 3 / 4 if noise < 0 else 1 / 4
            number = 2 - 0.5 * group + 1.25 * answer + noise
            rows += [(number, group, report, people * share * COINS.matrix[answer, report]) for report in (0, 1)]
    numbers, groups, reports, counts = np.array(rows).T
    fit = corrected_regression(numbers, groups, reports, COINS, counts=counts)
    np.testing.assert_allclose(fit.coefficients, [2, -0.5, 1.25, 0.5], atol=1e-12)
    assert (fit.n, fit.identified, fit.diagnostics) == (32_000, True, ())


def test_counts_are_rows_that_repeat():
    counts = np.random.default_rng(2).integers(1, 4, 300)
    few = [one[:300] for one in (OUTCOME, X, FIRST)]
    counted = corrected_regression(*few, COINS, counts=counts)
    repeated = corrected_regression(*(np.repeat(one, counts, axis=0) for one in few), COINS)
    np.testing.assert_allclose(counted.coefficients, repeated.coefficients, rtol=1e-10)
    np.testing.assert_allclose(counted.covariance, repeated.covariance, rtol=1e-10)


def test_randomized_outcome_enters_as_its_unbiased_value():
    values, channel = [0.0, 2.0, 5.0], k_ary(3, truth="2/3")
    said = simulate(channel, SECOND, np.random.default_rng(3))
    fit = corrected_regression(said, X, REPORTS[:, 0], COINS, outcome_channel=channel, values=values)
    number = np.array(values) @ channel.left_inverse
    np.testing.assert_array_equal(
        fit.coefficients, corrected_regression(number[said], X, REPORTS[:, 0], COINS).coefficients
    )


def test_margins_are_predictions_averaged_over_people():
    fit = corrected_regression(OUTCOME, X, REPORTS, [COINS, CARDS])
    moved, weights = np.full_like(X, 2.0), np.arange(1.0, N + 1)
    scenarios = [(0, None), (5, None), (None, moved), (None, None), ((1, None), None)]
    found = fit.margins(X, scenarios, weights)
    base = fit.coefficients[0] + fit.coefficients[1] * np.average(X[:, 0], weights=weights)
    shares = fit.coefficients[5:]
    effect = shares @ (ADDED[1:] @ fit.effects)
    at_two = fit.coefficients[0] + 2 * fit.coefficients[1] + effect
    second = [shares[0] + shares[3], shares[1] + shares[4]] @ fit.effects[1:]
    expected = [base, base + fit.effects[0] + fit.effects[2], at_two, base + effect, base + fit.effects[0] + second]
    np.testing.assert_allclose(found.estimates.ravel(), expected, rtol=1e-12)
    assert found.difference(1, 0)[1][0] == pytest.approx(
        np.sqrt(np.array([1, 1]) @ fit.covariance[np.ix_([2, 4], [2, 4])] @ np.array([1, 1])), rel=1e-9
    )
    step = 1e-6
    for place, error in enumerate(found.standard_errors.ravel()):
        slopes = []
        for number in range(len(fit.names)):
            ends = []
            for by in (-step, step):
                other = corrected_regression(OUTCOME, X, REPORTS, [COINS, CARDS])
                at = fit.coefficients.copy()
                at[number] += by
                object.__setattr__(other, "coefficients", at)
                ends.append(other.margins(X, scenarios, weights).estimates)
            slopes.append((ends[1] - ends[0])[place, 0] / (2 * step))
        assert error == pytest.approx(np.sqrt(np.array(slopes) @ fit.covariance @ np.array(slopes)), rel=1e-5)


@pytest.mark.long
def test_intervals_of_a_skewed_outcome_cover_at_their_level():
    """300 samples of 4,000: outside of 91.5 to 98.5 % is one of four 95 % intervals in 2 % of seeds."""
    generator, held, truth = np.random.default_rng(42), np.zeros(4), np.array([-0.5, *EFFECTS])
    for _ in range(300):
        outcome = MEAN - 1 + generator.exponential(size=N)
        reports = np.column_stack([simulate(COINS, FIRST, generator), simulate(CARDS, SECOND, generator)])
        low, high = corrected_regression(outcome, X, reports, [COINS, CARDS]).intervals()[1:5].T
        held += (low <= truth) & (high >= truth)
    assert ((held / 300 >= 0.915) & (held / 300 <= 0.985)).all(), held / 300


@pytest.mark.long
def test_normal_mixture_misses_the_effect_on_a_skewed_outcome():
    """Why there is this function: the mean of 20 samples is far from the effect in its standard errors, or near."""
    generator, found, two_coins = np.random.default_rng(43), [], forced_response(truth="1/2")
    for _ in range(20):
        outcome, reports = FIRST / 2 + generator.lognormal(sigma=0.6, size=N), simulate(two_coins, FIRST, generator)
        fits = [fit(outcome, X[:, :0], reports, two_coins) for fit in (corrected_regression, predictor_regression)]
        found.append([fit.effects[0] for fit in fits])
    corrected, mixture = np.abs(np.mean(found, axis=0) - 0.5) / (np.std(found, axis=0, ddof=1) / np.sqrt(20))
    assert corrected < 5 < mixture


def test_answer_that_hardly_anybody_gives_is_named():
    few = (np.arange(N) < 20).astype(int)
    reports = simulate(COINS, few, np.random.default_rng(5))
    fit = corrected_regression(OUTCOME, X, reports, COINS, labels=["no", "yes"])
    (only,) = fit.diagnostics
    assert only.name in ("rare answer", "not identified")
    assert "yes" in only.message or not fit.identified


def test_reports_that_show_nobody_of_an_answer_have_no_effects():
    fit = corrected_regression(OUTCOME, X, np.zeros(N, dtype=int), COINS)
    assert not fit.identified
    assert not fit.converged
    assert np.isnan(fit.coefficients).all()
    assert fit.diagnostics[0].message.startswith("the reports do not show that every answer is given")


def test_collinear_covariates_are_named():
    fit = corrected_regression(OUTCOME, np.hstack([X, 2 * X]), FIRST, COINS)
    assert not fit.identified
    assert "x2 is determined" in fit.diagnostics[0].message


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"outcome": OUTCOME[:5]}, r"outcome must have one entry per report, shape \(4000,\); got shape \(5,\)"),
        ({"outcome": np.where(np.arange(N) == 7, np.inf, OUTCOME)}, r"outcome\[7\] must be finite"),
        ({"outcome_channel": COINS}, r"outcome\[0\] must be a whole number from 0 to 1"),
        ({"values": [0, 1]}, "values must be left out without outcome_channel"),
        ({"reports": FIRST + 1}, r"reports\[\d+\] must be a whole number from 0 to 1; got 2"),
        ({"outcome": FIRST, "outcome_channel": COINS, "values": [1, 2, 3]}, "values must be 2 finite numbers"),
        ({"reference": 2}, "reference must be from 0 to 1; got 2"),
    ],
    ids=["length", "infinity", "symbols", "values", "reports", "size", "reference"],
)
def test_wrong_arguments_are_refused_by_name(change, words):
    arguments = {"outcome": OUTCOME, "reports": FIRST} | change
    with pytest.raises(ValueError, match=words):
        corrected_regression(covariates=X, channel=COINS, **arguments)


def test_fewer_rows_than_coefficients_are_refused():
    with pytest.raises(ValueError, match="covariates must have more than 3 rows; got 3"):
        corrected_regression(OUTCOME[:3], X[:3], FIRST[:3], COINS)


def test_missing_outcome_leaves_the_row_out():
    outcome = OUTCOME.copy()
    outcome[:3] = np.nan
    fit = corrected_regression(outcome, X, FIRST, COINS, missing="drop")
    assert (fit.n, fit.dropped) == (N - 3, 3)
