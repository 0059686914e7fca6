"""Weighted estimates from cells are those from the people one by one, whatever their question is reported with."""

import numpy as np
import pytest

from randomized_response import (
    EachOption,
    ParameterError,
    SubsetSelection,
    UnaryEncoding,
    calibrate,
    combine_weighted,
    combine_weighted_means,
    compare,
    estimate_mean,
    estimate_proportions,
    estimate_weighted,
    forced_response,
    k_ary,
    one_bit,
    warner,
    weighted_covariance,
)

CELL = np.repeat(np.arange(6), [1, 40, 12, 25, 90, 33])
REGION, AGE = np.arange(6) % 3, np.arange(6) // 3
MARGINS = {"region": {0: 0.2, 1: 0.5, 2: 0.3}, "age": {0: 0.55, 1: 0.45}}
BITS = [UnaryEncoding(4), SubsetSelection(4, size=2, truth="3/4"), EachOption(4, forced_response(truth="1/2"))]
GENERATOR = np.random.default_rng(20261128)


def cell_weights(method="raking"):
    sizes = np.bincount(CELL)
    return calibrate({"region": REGION, "age": AGE}, MARGINS, weights=sizes, method=method)


def person_weights(method="raking"):
    return calibrate({"region": REGION[CELL], "age": AGE[CELL]}, MARGINS, method=method)


def same(one, other):
    for name in ("unbiased", "constrained", "standard_error", "low", "high"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-9, atol=1e-12, err_msg=name)
    assert (one.n, one.interval, one.exclusive) == (other.n, other.interval, other.exclusive)


@pytest.mark.parametrize("method", ["raking", "linear"])
@pytest.mark.parametrize("channel", [forced_response(truth="1/2"), warner(truth="3/4"), k_ary(4, truth="3/5")], ids=str)
@pytest.mark.parametrize("part", [None, [True, False, True, False, True, True]])
def test_symbols_in_cells_give_the_estimate_of_single_reports(channel, method, part):
    reports = GENERATOR.integers(0, channel.reports, CELL.size)
    cells = [
        estimate_proportions(np.bincount(reports[cell == CELL], minlength=channel.reports), channel)
        for cell in range(6)
    ]
    include = None if part is None else np.array(part)
    found = combine_weighted(cells, cell_weights(method), channel, include=include)
    inside = None if part is None else include[CELL]
    same(found, estimate_weighted(reports, channel, person_weights(method), include=inside))


@pytest.mark.parametrize("mechanism", BITS, ids=lambda one: type(one).__name__)
def test_marks_in_cells_give_the_estimate_of_single_reports(mechanism):
    bits = GENERATOR.integers(0, 2, (CELL.size, mechanism.k))
    cells = [mechanism.estimate(bits[cell == CELL].sum(axis=0), int((cell == CELL).sum())) for cell in range(6)]
    found = combine_weighted(cells, cell_weights(), mechanism)
    same(found, estimate_weighted(bits, mechanism, person_weights()))


def test_means_in_cells_have_the_error_of_linearised_scores():
    scale = one_bit(11, truth="1/2")
    reports = GENERATOR.integers(0, 2, CELL.size)
    cells = [estimate_mean(np.bincount(reports[cell == CELL], minlength=2), scale) for cell in range(6)]
    found, weights = combine_weighted_means(cells, cell_weights()), person_weights()
    low, high = estimate_mean([1, 0], scale).unbiased, estimate_mean([0, 1], scale).unbiased
    scores = np.where(reports == 1, high, low)
    mean = np.average(scores, weights=weights.weights)
    left = weights.weights * weights.residuals((scores - mean) / weights.weights.sum())
    n = len(scores)
    assert found.unbiased == pytest.approx(mean)
    assert found.standard_error == pytest.approx(np.sqrt(n / (n - 1) * ((left - left.mean()) ** 2).sum()))
    assert found.n == n
    assert found.low < found.constrained < found.high


@pytest.mark.parametrize(
    ("cells", "include", "message"),
    [
        (5, None, "weights must be one per cell, 5; got 6"),
        (6, [False] * 6, "include must be 6 booleans, one of them True"),
        (6, [1] * 6, "include must be 6 booleans, one of them True"),
    ],
)
def test_cells_that_do_not_fit_are_refused(cells, include, message):
    channel = forced_response(truth="1/2")
    estimates = [estimate_proportions([5, 5], channel)] * cells
    with pytest.raises(ParameterError, match=message):
        combine_weighted(estimates, cell_weights(), channel, include=include)


@pytest.mark.parametrize("channel", [forced_response(truth="1/2"), k_ary(4, truth="3/5")], ids=str)
def test_covariance_of_two_parts_is_that_of_single_reports(channel):
    """Of the linearised scores of both parts, person by person; of a part and itself its own covariance."""
    reports = GENERATOR.integers(0, channel.reports, CELL.size)
    cells = [
        estimate_proportions(np.bincount(reports[cell == CELL], minlength=channel.reports), channel)
        for cell in range(6)
    ]
    weights, persons = cell_weights(), person_weights()
    parts = [REGION == 0, REGION != 0]
    transformed = channel.left_inverse.T[reports]
    left = []
    for part in parts:
        held = persons.weights * part[CELL]
        theta = held @ transformed / held.sum()
        influence = (transformed - theta) * (part[CELL] / held.sum())[:, None]
        left.append(persons.weights[:, None] * persons.residuals(influence))
    n = len(reports)
    one, other = (each - each.mean(axis=0) for each in left)
    found = weighted_covariance(cells, weights, *parts)
    np.testing.assert_allclose(found, one.T @ other * n / (n - 1), rtol=1e-9, atol=1e-14)
    whole = combine_weighted(cells, weights, channel, include=parts[1])
    np.testing.assert_allclose(weighted_covariance(cells, weights, parts[1], parts[1]), whole.covariance, rtol=1e-9)


def test_covariance_of_means_leaves_out_cells_without_a_mean():
    scale = one_bit(11, truth="1/2")
    reports = GENERATOR.integers(0, 2, CELL.size)
    cells = [estimate_mean(np.bincount(reports[cell == CELL], minlength=2), scale) for cell in range(6)]
    weights, part = cell_weights(), REGION == 1
    found = weighted_covariance(cells, weights, part, part)
    assert found.shape == (1, 1)
    assert np.sqrt(found[0, 0]) == pytest.approx(combine_weighted_means(cells, weights, include=part).standard_error)


def test_difference_of_two_parts_varies_as_its_covariance_says():
    """The margin of age ties the regions together: in 400 samples the difference's spread is the mean standard error.

    The spread of 400 has a standard error of 3.5 %: 12 % is left in one of 1,600 seeds.
    """
    generator, channel = np.random.default_rng(20261129), forced_response(truth="1/2")
    truth = np.array([0.1, 0.3, 0.5, 0.35, 0.6, 0.8])  # of the cells of two ages by three regions
    differences, errors = [], []
    for _ in range(400):
        sizes = generator.multinomial(1500, [0.2, 0.1, 0.2, 0.1, 0.3, 0.1])
        yes = generator.binomial(sizes, truth)
        ones = generator.binomial(yes, 0.75) + generator.binomial(sizes - yes, 0.25)
        cells = [estimate_proportions([n - k, k], channel) for n, k in zip(sizes, ones, strict=True)]
        weights = calibrate({"age": AGE}, {"age": MARGINS["age"]}, weights=sizes)
        parts = [REGION == 0, REGION == 2]
        one, other = (combine_weighted(cells, weights, channel, include=part) for part in parts)
        found = compare(one, other, covariance=weighted_covariance(cells, weights, *parts))
        differences.append(found.unbiased[1])
        errors.append(found.standard_error[1])
    assert np.std(differences) == pytest.approx(np.mean(errors), rel=0.12)


def test_wrong_parts_are_refused():
    channel = forced_response(truth="1/2")
    cells = [estimate_proportions([20, 20], channel)] * 6
    with pytest.raises(ParameterError, match="one of them True"):
        weighted_covariance(cells, cell_weights(), np.zeros(6, dtype=bool), REGION == 0)
    one = cells[0]
    with pytest.raises(ParameterError, match=r"must have shape \(2,\), one per answer; got shape \(3,\)"):
        compare(one, one, covariance=[0.0, 0.0, 0.0])
