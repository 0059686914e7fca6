"""Several items together: two of them, three by hand, the number of yes, and what cannot be read."""

from itertools import product

import numpy as np
import pandas
import pytest
from scipy import stats

from randomized_response import (
    Channel,
    ParameterError,
    estimate_items,
    estimate_joint,
    estimate_weighted,
    forced_response,
    k_ary,
    simulate,
    warner,
)

COINS, WARNER, TERNARY = forced_response(truth="1/2"), warner(truth="4/5"), k_ary(3, truth="2/3")
KNOWN = Channel(((1, 0), (0, 1)))


def sample(n, generator, channels=(COINS, WARNER, COINS)):
    """Reports of three items that go together."""
    trait = generator.normal(size=n)
    answers = np.array([trait + generator.normal(size=n) > cut for cut in (0.3, 0.8, 1.2)]).T.astype(int)
    reports = np.column_stack([simulate(channel, answers[:, j], generator) for j, channel in enumerate(channels)])
    return answers, reports


def test_two_items_are_their_joint_table():
    generator = np.random.default_rng(1)
    answers = generator.integers(0, 3, 800)
    reports = np.column_stack(
        [simulate(TERNARY, answers, generator), simulate(COINS, np.minimum(answers, 1), generator)]
    )
    found = estimate_items(reports, [TERNARY, COINS])
    table = np.zeros((3, 2), dtype=int)
    np.add.at(table, tuple(reports.T), 1)
    joint = estimate_joint(table, TERNARY, COINS)
    np.testing.assert_allclose(found.unbiased, joint.unbiased, atol=1e-12)
    np.testing.assert_allclose(found.constrained, joint.constrained, atol=1e-6)
    np.testing.assert_allclose(found.standard_error, joint.standard_error, rtol=1e-9)
    assert found.independence.statistic == pytest.approx(joint.independence.statistic, abs=1e-5)
    assert found.independence.degrees_of_freedom == 2
    assert found.scores is None


def test_three_items_by_the_inverse_of_their_product():
    _, reports = sample(900, np.random.default_rng(2))
    found = estimate_items(reports, [COINS, WARNER, COINS])
    counts = np.zeros((2, 2, 2))
    np.add.at(counts, tuple(reports.T), 1)
    left = np.kron(np.kron(COINS.left_inverse, WARNER.left_inverse), COINS.left_inverse)
    np.testing.assert_allclose(found.unbiased.ravel(), left @ counts.ravel() / 900, atol=1e-12)
    matrix = np.kron(np.kron(COINS.matrix, WARNER.matrix), COINS.matrix)
    assert found.log_likelihood == pytest.approx(counts.ravel() @ np.log(matrix.T @ found.constrained.ravel()))
    for move in np.random.default_rng(0).dirichlet(np.ones(8), 200):
        near = 0.98 * found.constrained.ravel() + 0.02 * move
        assert counts.ravel() @ np.log(matrix.T @ near) <= found.log_likelihood + 1e-9
    assert len(found.pairs) == 3
    assert found.independence.degrees_of_freedom == 4
    assert found.independence.p_value < 1e-4


def test_scores_are_sums_over_the_joint_distribution():
    _, reports = sample(700, np.random.default_rng(3))
    found = estimate_items(reports, [COINS, WARNER, COINS])
    for number in range(4):
        cells = [cell for cell in product((0, 1), repeat=3) if sum(cell) == number]
        assert found.scores.unbiased[number] == pytest.approx(sum(found.unbiased[cell] for cell in cells), abs=1e-12)
        assert found.scores.constrained[number] == pytest.approx(sum(found.constrained[cell] for cell in cells))
    assert found.scores.unbiased.sum() == pytest.approx(1)
    np.testing.assert_allclose(found.margin(2, 0), found.margin(0, 2).T)
    np.testing.assert_allclose(found.margin(1), found.constrained.sum(axis=(0, 2)))
    assert "number of yes" in str(found)


@pytest.mark.long
def test_errors_of_scores_are_right():
    """400 samples: standard errors within 15 % of the spread (4 standard errors of a standard deviation, 3.5 %)."""
    generator = np.random.default_rng(4)
    found = [estimate_items(sample(400, generator)[1], [COINS, WARNER, COINS]) for _ in range(400)]
    spread = np.std([one.scores.unbiased for one in found], axis=0)
    np.testing.assert_allclose(np.mean([one.scores.standard_error for one in found], axis=0), spread, rtol=0.15)
    cells = np.std([one.unbiased for one in found], axis=0)
    np.testing.assert_allclose(np.mean([one.standard_error for one in found], axis=0), cells, rtol=0.15)


@pytest.mark.long
def test_noise_of_scores_is_the_tickets_part():
    """The same answers 600 times: the tickets' standard errors within 15 % of the spread."""
    generator = np.random.default_rng(5)
    answers, _ = sample(300, generator)
    found = []
    for _ in range(600):
        reports = np.column_stack([simulate(COINS, answers[:, j], generator) for j in range(3)])
        found.append(estimate_items(reports, [COINS] * 3).scores)
    spread = np.var([one.unbiased for one in found], axis=0)
    np.testing.assert_allclose(np.mean([one.noise_covariance.diagonal() for one in found], axis=0), spread, rtol=0.3)


@pytest.mark.long
def test_independent_items_are_found_dependent_at_the_level():
    """500 samples at 5 %: 13 to 38 rejections (binomial, false alarm 1 %)."""
    generator, rejected = np.random.default_rng(6), 0
    for _ in range(500):
        answers = (generator.random((500, 3)) < [0.4, 0.5, 0.3]).astype(int)
        reports = np.column_stack([simulate(WARNER, answers[:, j], generator) for j in range(3)])
        rejected += estimate_items(reports, [WARNER] * 3).independence.p_value < 0.05
    assert stats.binom.ppf(0.005, 500, 0.05) <= rejected <= stats.binom.ppf(0.995, 500, 0.05)


def test_weighted_margins_are_weighted_estimates():
    _, reports = sample(500, np.random.default_rng(7))
    weights = np.linspace(0.5, 2, 500)
    found = estimate_items(reports, [COINS, WARNER, COINS], weights)
    alone = estimate_weighted(reports[:, 0], COINS, weights)
    np.testing.assert_allclose(found.unbiased.sum(axis=(1, 2)), alone.unbiased, atol=1e-12)
    both = estimate_items(reports[:, [0, 1]], [KNOWN, KNOWN], weights)
    share = weights / weights.sum()
    np.testing.assert_allclose(both.constrained[1, 1], share[(reports[:, :2] == 1).all(axis=1)].sum(), atol=1e-9)
    assert found.pairs == ()
    assert np.isnan(found.independence.p_value)


@pytest.mark.parametrize(
    ("reports", "channels", "options", "words"),
    [
        ([[0], [1]], [COINS], {}, "channels must be 2 to 10; got 1"),
        ([[0] * 7] * 2, [k_ary(3, truth="1/2")] * 7, {}, "at most 1024 combinations of answers; got 2187"),
        ([[0, 1, 1]] * 2, [COINS, COINS], {}, r"reports must have shape \(n, 2\)"),
        ([[0, 1], [0, 2]], [COINS, COINS], {}, r"reports\[1, 1\] must be a whole number from 0 to 1; got 2"),
        ([["a", "b"]] * 2, [COINS, COINS], {}, "reports must be whole numbers"),
        ([[0, 1], [0, 1]], [COINS, COINS], {"weights": [1, 0]}, r"weights\[1\] must be positive and finite; got 0"),
    ],
)
def test_wrong_arguments_are_refused_by_name(reports, channels, options, words):
    with pytest.raises(ParameterError, match=words):
        estimate_items(reports, channels, **options)


def test_margin_of_no_such_item_is_refused():
    _, reports = sample(50, np.random.default_rng(8))
    with pytest.raises(ParameterError, match="items must be different, from 0 to 2"):
        estimate_items(reports, [COINS] * 3).margin(0, 0)


def test_weights_follow_the_labels_of_the_reports():
    _, reports = sample(200, np.random.default_rng(9))
    weights = np.linspace(0.5, 2, 200)
    turned = estimate_items(pandas.DataFrame(reports), [COINS] * 3, pandas.Series(weights).iloc[::-1])
    np.testing.assert_allclose(turned.unbiased, estimate_items(reports, [COINS] * 3, weights).unbiased)
