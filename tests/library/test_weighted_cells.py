"""Weighted estimates from cells are those from the people one by one, whatever their question is reported with."""

import numpy as np
import pytest

from randomized_response import (
    Channel,
    EachOption,
    ParameterError,
    SubsetSelection,
    UnaryEncoding,
    calibrate,
    combine_weighted,
    combine_weighted_means,
    compare,
    estimate_joint,
    estimate_mean,
    estimate_proportions,
    estimate_weighted,
    forced_response,
    k_ary,
    one_bit,
    warner,
    weighted_covariance,
    weighted_joint,
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


@pytest.mark.long
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


def product_of(a, b):
    """The channel of both reports together, of both answers together."""
    return Channel(tuple(map(tuple, np.kron(np.array(a.weights), np.array(b.weights)).tolist())))


def test_weighted_joint_is_that_of_single_reports():
    """Of every pair of reports as one report of the product of both channels, person by person."""
    a, b = forced_response(truth="1/2"), k_ary(3, truth="3/5")
    one, other = GENERATOR.integers(0, 2, CELL.size), GENERATOR.integers(0, 3, CELL.size)
    tables = np.zeros((6, 2, 3), dtype=int)
    np.add.at(tables, (CELL, one, other), 1)
    found = weighted_joint(tables, cell_weights(), a, b)
    single = estimate_weighted(3 * one + other, product_of(a, b), person_weights())
    np.testing.assert_allclose(found.unbiased.ravel(), single.unbiased, rtol=1e-9)
    np.testing.assert_allclose(found.covariance, single.covariance, rtol=1e-8, atol=1e-15)
    assert found.phi is None
    assert found.n == CELL.size


def test_weighted_joint_of_some_cells_is_that_of_their_people():
    a, b = forced_response(truth="1/2"), k_ary(3, truth="3/5")
    one, other = GENERATOR.integers(0, 2, CELL.size), GENERATOR.integers(0, 3, CELL.size)
    tables, inside = np.zeros((6, 2, 3), dtype=int), REGION == 1
    np.add.at(tables, (CELL, one, other), 1)
    found = weighted_joint(tables, cell_weights(), a, b, include=inside)
    single = estimate_weighted(3 * one + other, product_of(a, b), person_weights(), include=inside[CELL])
    np.testing.assert_allclose(found.unbiased.ravel(), single.unbiased, rtol=1e-9)
    np.testing.assert_allclose(found.covariance, single.covariance, rtol=1e-8, atol=1e-15)
    assert found.n == tables[inside].sum()


def test_weights_of_all_alike_leave_the_joint_estimate_as_it_is():
    """Margins that the cells have already; the covariance is what they do not explain, at most that of one sample."""
    a = b = forced_response(truth="1/2")
    tables = np.array([[[36, 24], [22, 28]], [[72, 48], [44, 56]]])
    weights = calibrate({"place": [0, 1]}, {"place": 2 / 3}, weights=[110, 220])
    found, plain = weighted_joint(tables, weights, a, b), estimate_joint(tables.sum(axis=0), a, b)
    np.testing.assert_allclose(found.constrained, plain.constrained, atol=1e-9)
    np.testing.assert_allclose(found.standard_error, plain.standard_error, rtol=0.01)
    assert found.phi.estimate == pytest.approx(plain.phi.estimate)
    assert found.odds_ratio.low == pytest.approx(plain.odds_ratio.low, rel=0.02)


def test_weighted_independence_alarms_as_often_as_it_says():
    """Two answers that are independent in the population: of 300 samples 15 are expected to reject at 5 %.

    Fewer than 5 or more than 28 do in less than 0.3 % of seeds. Cells differ in both answers alike, so the population's
    association is not 0 in all; the answers to the second question are made independent of the cells.
    """
    generator, coins = np.random.default_rng(20261130), forced_response(truth="1/2")
    first, rejected = np.array([0.2, 0.6, 0.3, 0.5, 0.4, 0.1]), 0
    for _ in range(300):
        sizes = generator.multinomial(2500, [0.2, 0.1, 0.2, 0.1, 0.3, 0.1])
        tables = np.zeros((6, 2, 2), dtype=int)
        for cell, n in enumerate(sizes):
            answers = np.column_stack([generator.random(n) < first[cell], generator.random(n) < 0.4])
            forced = generator.random((n, 2))
            reports = np.where(forced < 0.5, answers, forced < 0.75).astype(int)
            np.add.at(tables[cell], (reports[:, 0], reports[:, 1]), 1)
        weights = calibrate({"region": REGION, "age": AGE}, MARGINS, weights=sizes)
        rejected += weighted_joint(tables, weights, coins, coins).independence.p_value < 0.05
    assert 5 <= rejected <= 28


def test_wrong_numbers_of_weights_are_refused():
    coins = forced_response(truth="1/2")
    with pytest.raises(ParameterError, match="weights must be one per cell, 2; got 6"):
        weighted_joint([[[4, 2], [2, 3]]] * 2, cell_weights(), coins, coins)
