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
    estimate_mean,
    estimate_proportions,
    estimate_weighted,
    forced_response,
    k_ary,
    one_bit,
    warner,
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
