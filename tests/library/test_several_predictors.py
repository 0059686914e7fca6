"""Several randomised answers as predictors: known answers by statsmodels, a likelihood by hand, coverage."""

from itertools import product

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import optimize, special

from randomized_response import Channel, forced_response, k_ary, predictor_regression, simulate
from tests.tools.derivatives import first_derivatives, second_derivatives

COINS, CARDS = forced_response(truth="3/4"), k_ary(3, truth="3/4")
GENERATOR = np.random.default_rng(31)
N = 4000
X = GENERATOR.integers(0, 2, (N, 1)).astype(float)
FIRST = (GENERATOR.random(N) < 0.3 + 0.2 * X[:, 0]).astype(int)
SECOND = (FIRST + GENERATOR.choice(3, N, p=[0.4, 0.4, 0.2])) % 3
"""Goes together with the first answer: alone, each would take over a part of the other's effect."""
EFFECTS = np.array([1.0, 0.5, -0.8])
"""Of the first answer, then of the second one's two."""
LINE = -0.5 + 0.4 * X[:, 0] + 1.0 * FIRST + np.array([0, 0.5, -0.8])[SECOND]
OUTCOME = (GENERATOR.random(N) < special.expit(LINE)).astype(int)
REPORTS = np.column_stack([simulate(COINS, FIRST, GENERATOR), simulate(CARDS, SECOND, GENERATOR)])
COMBINATIONS = list(product(range(2), range(3)))


def test_known_answers_are_a_logistic_regression_and_a_multinomial():
    both = [Channel(((1, 0), (0, 1))), Channel(((1, 0, 0), (0, 1, 0), (0, 0, 1)))]
    second = np.random.default_rng(2).integers(0, 3, N)
    fit = predictor_regression(
        OUTCOME, X, np.column_stack([FIRST, second]), both, model="logit", labels=[["no", "yes"], ["a", "b", "c"]]
    )
    assert fit.names[2:7] == ("answer 1: yes", "answer 2: b", "answer 2: c", "no, b: intercept", "no, b: x1")
    assert fit.labels == ("no, a", "no, b", "no, c", "yes, a", "yes, b", "yes, c")
    design = np.column_stack([np.ones(N), X, FIRST, np.equal.outer(second, [1, 2])])
    logit = sm.Logit(OUTCOME, design).fit(disp=0)
    np.testing.assert_allclose(fit.coefficients[:5], logit.params, atol=1e-6)
    np.testing.assert_allclose(fit.standard_errors[:5], logit.bse, rtol=1e-6)
    other = sm.MNLogit(3 * FIRST + second, sm.add_constant(X)).fit(disp=0)
    np.testing.assert_allclose(fit.coefficients[5:], other.params.T.ravel(), atol=1e-5)
    assert fit.log_likelihood == pytest.approx(logit.llf + other.llf, rel=1e-9)


def log_likelihood(at):
    gamma = np.vstack([np.zeros(2), at[5:].reshape(5, 2)])
    shares = special.softmax(sm.add_constant(X) @ gamma.T, axis=1)
    total = np.zeros(N)
    for place, (one, other) in enumerate(COMBINATIONS):
        yes = special.expit(at[0] + at[1] * X[:, 0] + at[2] * (one == 1) + at[3] * (other == 1) + at[4] * (other == 2))
        reported = COINS.matrix[one, REPORTS[:, 0]] * CARDS.matrix[other, REPORTS[:, 1]]
        total += shares[:, place] * reported * np.where(OUTCOME, yes, 1 - yes)
    return float(np.log(total).sum())


@pytest.mark.long
def test_fit_is_the_maximum_with_its_second_derivatives():
    fit = predictor_regression(OUTCOME, X, REPORTS, [COINS, CARDS], model="logit")
    best = optimize.minimize(lambda at: -log_likelihood(at), fit.coefficients + 0.02, options={"gtol": 1e-4})
    assert fit.log_likelihood == pytest.approx(-best.fun, abs=1e-5)
    assert fit.log_likelihood == pytest.approx(log_likelihood(fit.coefficients), rel=1e-12)
    covariance = np.linalg.inv(-second_derivatives(log_likelihood, fit.coefficients))
    np.testing.assert_allclose(fit.covariance, covariance, rtol=2e-3, atol=1e-6)
    assert (np.abs(fit.effects - EFFECTS) < 4 * fit.standard_errors[2:5]).all()


@pytest.mark.long
def test_effects_do_not_depend_on_the_order_of_predictors_and_references():
    fit = predictor_regression(OUTCOME, X, REPORTS, [COINS, CARDS], model="logit")
    turned = predictor_regression(OUTCOME, X, REPORTS[:, ::-1], [CARDS, COINS], model="logit", reference=[0, 1])
    assert turned.names[2:5] == ("answer 1: 1", "answer 1: 2", "answer 2: 0")
    np.testing.assert_allclose(turned.effects, [*fit.effects[1:], -fit.effects[0]], atol=1e-5)
    assert turned.log_likelihood == pytest.approx(fit.log_likelihood, rel=1e-9)


def test_margins_add_the_effects_of_a_combination():
    numbers = LINE + np.random.default_rng(3).normal(size=N)
    fit = predictor_regression(numbers, X, REPORTS, [COINS, CARDS])
    found = fit.margins(X, [(0, None), (5, None)])
    assert fit.labels[5] == "1, 2"
    assert found.difference(1, 0)[0][0] == pytest.approx(fit.effects[0] + fit.effects[2])


def test_margins_of_one_answer_keep_the_other():
    """The average of the outcome if all gave the first answer 1 and kept the second, and its errors, by hand."""
    fit = predictor_regression(OUTCOME, X, REPORTS, [COINS, CARDS], model="logit")

    def average(at, first):
        gamma = np.vstack([np.zeros(2), at[5:].reshape(5, 2)])
        shares = special.softmax(sm.add_constant(X) @ gamma.T, axis=1)
        line = at[0] + at[1] * X[:, 0]
        levels = [special.expit(line + at[2] * first + by) for by in (0, at[3], at[4])]
        return float(sum((shares[:, place] + shares[:, place + 3]) @ one for place, one in enumerate(levels)) / N)

    found = fit.margins(X, [((1, None), None), ((0, None), None), ((1, 2), None), (5, None)])
    by_hand = [average(fit.coefficients, first) for first in (1, 0)]
    np.testing.assert_allclose(found.estimates[:2, 0], by_hand, rtol=1e-12)
    slopes = np.array(
        [first_derivatives(lambda at, first=first: average(at, first), fit.coefficients) for first in (1, 0)]
    )
    np.testing.assert_allclose(found.covariance[:2, :2], slopes @ fit.covariance @ slopes.T, rtol=1e-5)
    assert found.estimates[2, 0] == found.estimates[3, 0]
    for answers, words in (
        ((1,), r"each of 2 predictors; got \(1,\)"),
        ((1, 3), r"scenarios\[0\] must be from 0 to 2"),
    ):
        with pytest.raises(ValueError, match=words):
            fit.margins(X, [(answers, None)])


@pytest.mark.long
def test_intervals_of_effects_cover_at_their_level():
    """200 samples of 4,000: outside of 90 to 99 % is one of three 95 % intervals in 2 % of seeds."""
    generator, held = np.random.default_rng(32), np.zeros(3)
    for _ in range(200):
        outcome = (generator.random(N) < special.expit(LINE)).astype(int)
        reports = np.column_stack([simulate(COINS, FIRST, generator), simulate(CARDS, SECOND, generator)])
        fit = predictor_regression(outcome, X, reports, [COINS, CARDS], model="logit")
        low, high = fit.intervals()[2:5].T
        held += (low <= EFFECTS) & (high >= EFFECTS)
    assert ((held / 200 >= 0.90) & (held / 200 <= 0.99)).all(), held / 200


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"channel": [COINS]},
            "channel must be one, or at least 2 with up to 36 combinations of answers; got 1 with 2",
        ),
        ({"channel": [CARDS] * 4}, "up to 36 combinations of answers; got 4 with 81"),
        ({"reports": REPORTS[:, 0]}, r"reports must have a column per channel, shape \(n, 2\)"),
        ({"reports": REPORTS + np.array([0, 5])}, r"reports\[0, 1\] must be a whole number from 0 to 2"),
        ({"labels": [["no", "yes"]]}, "must be of 2 predictors; got 1 and 2"),
        ({"reference": [0, 3]}, "reference must be from 0 to 2; got 3"),
    ],
    ids=str,
)
def test_wrong_arguments_are_refused_by_name(change, words):
    arguments = {"reports": REPORTS, "channel": [COINS, CARDS]} | change
    with pytest.raises(ValueError, match=words):
        predictor_regression(OUTCOME, X, model="logit", **arguments)


def test_missing_report_leaves_the_row_out():
    reports = REPORTS.astype(float)
    reports[:3, 1] = np.nan
    fit = predictor_regression(OUTCOME, X, reports, [COINS, CARDS], model="logit", missing="drop")
    assert (fit.n, fit.dropped) == (N - 3, 3)
    with pytest.raises(ValueError, match="reports"):
        predictor_regression(OUTCOME, X, reports, [COINS, CARDS], model="logit")


@pytest.mark.parametrize(("truth", "error"), [("1/2", 1.5), ("3/4", 0.4)])
def test_effects_that_differ_by_another_randomised_answer_are_hardly_told(truth, error):
    """The standard errors that ADR 58 names: of the log ratio of two odds ratios, of 4,000, by the delta method."""
    channel = forced_response(truth=truth).matrix
    table = np.kron(np.kron(channel, channel), channel)
    shares = [
        (0.3 if one else 0.7) * (0.3 if other else 0.7) * special.expit((2 * yes - 1) * (0.8 * one + 0.8 * other - 1))
        for one, other, yes in product(range(2), repeat=3)
    ]
    seen, back = table.T @ shares, np.linalg.inv(table.T)
    covariance = back @ (np.diag(seen) - np.outer(seen, seen)) @ back.T / 4000
    slopes = [(-1) ** (sum(answers) + 1) for answers in product(range(2), repeat=3)] / np.array(shares)
    assert np.sqrt(slopes @ covariance @ slopes) == pytest.approx(error, rel=0.05)
