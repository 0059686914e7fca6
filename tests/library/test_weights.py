"""Calibration of weights and weighted estimates: R's survey package to 1e-8, the textbook's special cases, refusals.

Numbers of R: survey 4.1.1 in R 4.2.2, `tests/library/weights.R`, printed to 14 places.
"""

import numpy as np
import pandas
import pytest

from randomized_response import (
    Channel,
    EachOption,
    ParameterError,
    SubsetSelection,
    UnaryEncoding,
    bootstrap_weights,
    calibrate,
    estimate_proportions,
    estimate_total,
    estimate_weighted,
    forced_response,
    jackknife_weights,
    k_ary,
    simulate,
    trim_weights,
)
from randomized_response.calibration import effective_size

ROW = np.arange(200)
PEOPLE = {
    "sex": np.where((ROW * 7) % 3 > 0, "f", "m"),
    "age": (ROW * 17 + ROW // 7) % 4,
    "region": (ROW * 11 // 5) % 5,
    "hours": ((ROW * 29) % 83) / 10,
}
START = 1 + ((ROW * 37) % 50) / 10
YES = ((ROW * 13 + 5) % 7 < 3).astype(int)
MARGINS = {
    "sex": {"f": 0.55 * 690, "m": 0.45 * 690},
    "age": {0: 0.25 * 690, 1: 0.2 * 690, 2: 0.3 * 690, 3: 0.25 * 690},
    "region": {0: 0.3 * 690, 1: 0.15 * 690, 2: 0.2 * 690, 3: 0.25 * 690, 4: 0.1 * 690},
}
DIRECT, COINS = Channel(((1, 0), (0, 1))), forced_response(truth="1/2")
SHOWN = [0, 1, 2, 49, 99, 199]

R = {
    "linear": (
        {"method": "linear"},
        [1.90163913052524, 1.94302276363008, 0.94161491945288, 1.25838412991339, 2.23809477138402, 3.57729015051511],
        (0.47304289136789, 0.02687793391129),
    ),
    "raking": (
        {"method": "raking"},
        [1.93381112134813, 2.42504466799327, 1.32632485484701, 1.41098325365148, 1.95881451372063, 3.12068259891340],
        (0.47178091530837, 0.02559780947982),
    ),
    "logit": (
        {"method": "logit", "bounds": (0.4, 2.5)},
        [2.15438029323366, 2.16444228928214, 1.41173171106874, 1.14342758226257, 1.83025709847616, 3.85362935801453],
        (0.47197455105448, 0.02651869040601),
    ),
    "bounded": (
        {"method": "linear", "bounds": (0.4, 2.6)},
        [2.03544685683412, 1.88000000000000, 1.36000000000000, 0.95192341480513, 2.14435095151010, 3.71753410017562],
        (0.47156479933008, 0.02650007346463),
    ),
}
"""By method: `calibrate`'s options, the weights of the rows SHOWN, and `svymean` of the answers with its error."""


@pytest.mark.parametrize(("options", "weights", "mean"), R.values(), ids=R)
def test_calibration_equals_r(options, weights, mean):
    found = calibrate(PEOPLE, MARGINS, START, **options)
    np.testing.assert_allclose(found.weights[SHOWN], weights, rtol=1e-8)
    estimate = estimate_weighted(YES, DIRECT, found)
    np.testing.assert_allclose((estimate.unbiased[1], estimate.standard_error[1]), mean, rtol=1e-8)


def test_calibration_to_a_mean_equals_r():
    found = calibrate(PEOPLE, MARGINS | {"hours": 4.3}, START)
    weights = [
        1.58849992133739,
        2.09948271994603,
        1.37865904819421,
        1.09997228960991,
        2.03042908060920,
        3.05120468214689,
    ]
    np.testing.assert_allclose(found.weights[SHOWN], weights, rtol=1e-8)
    estimate = estimate_weighted(YES, DIRECT, found)
    np.testing.assert_allclose((estimate.unbiased[1], estimate.standard_error[1]), (0.47498758921519, 0.02571259505385))


@pytest.mark.parametrize(
    ("units", "error"),
    [({"clusters": ROW // 10}, 0.02331817581329), ({"strata": PEOPLE["region"]}, 0.02585349716231)],
    ids=["clusters", "strata"],
)
def test_errors_of_designs_equal_r(units, error):
    found = estimate_weighted(YES, DIRECT, calibrate(PEOPLE, MARGINS, START), **units)
    np.testing.assert_allclose(found.standard_error[1], error, rtol=1e-8)


def test_weighted_mean_without_calibration_equals_r():
    found = estimate_weighted(YES, DIRECT, START)
    np.testing.assert_allclose((found.unbiased[1], found.standard_error[1]), (0.42043478260870, 0.03788417548838))


@pytest.mark.parametrize(
    ("sex", "share", "error"), [("f", 0.46654631106964, 0.05110992020198), ("m", 0.47817876493348, 0.06377147195536)]
)
def test_estimates_of_a_part_equal_r(sex, share, error):
    found = estimate_weighted(YES, DIRECT, calibrate(PEOPLE, MARGINS, START), include=PEOPLE["sex"] == sex)
    np.testing.assert_allclose((found.unbiased[1], found.standard_error[1]), (share, error), rtol=1e-8)


def test_trimming_equals_r():
    weights = [1.50208333333333, 4.78541666666667, 3.48541666666666, 2.38541666666667, 2.38541666666667]
    trimmed = trim_weights(START, low=1.5, high=5)
    np.testing.assert_allclose(trimmed[SHOWN[:5]], weights, rtol=1e-12)
    assert trimmed.sum() == pytest.approx(START.sum(), rel=1e-14)
    assert (trimmed.min(), trimmed.max()) == pytest.approx((1.5, 5), abs=0.01)


@pytest.mark.parametrize("method", ["raking", "linear"])
def test_calibrated_weights_meet_their_margins(method):
    shares = {name: {label: count / 690 for label, count in margin.items()} for name, margin in MARGINS.items()}
    found = calibrate(PEOPLE, shares, START, method=method)
    for name, margin in shares.items():
        for label, share in margin.items():
            assert found.weights[PEOPLE[name] == label].sum() == pytest.approx(share * 200, rel=1e-10)
    assert found.total == 200
    assert found.design_effect == pytest.approx(200 * (found.weights @ found.weights) / 200**2)


def test_poststratification_multiplies_each_cell_by_one_number():
    shares = {("f", place): 0.11 for place in range(5)} | {("m", place): 0.09 for place in range(5)}
    found = calibrate(PEOPLE, {("sex", "region"): shares})
    for (sex, place), share in shares.items():
        here = (PEOPLE["sex"] == sex) & (PEOPLE["region"] == place)
        np.testing.assert_allclose(found.weights[here], 200 * share / here.sum(), rtol=1e-10)


def test_poststratified_error_is_that_of_the_cells():
    """With cells as strata whose sizes are known: sum W^2 s^2 / m, up to the factor n / (n - 1) of one design."""
    found = calibrate({"sex": PEOPLE["sex"]}, {"sex": {"f": 0.5, "m": 0.5}})
    reports = simulate(COINS, YES, np.random.default_rng(4))
    estimate = estimate_weighted(reports, COINS, found)
    parts = [2 * reports[PEOPLE["sex"] == sex] for sex in "fm"]
    by_hand = sum(0.25 * part.var() / part.size for part in parts) * 200 / 199
    assert estimate.standard_error[1] ** 2 == pytest.approx(by_hand, rel=1e-10)


def test_calibrating_twice_changes_nothing():
    once = calibrate(PEOPLE, MARGINS, START)
    again = calibrate(PEOPLE, MARGINS, once)
    np.testing.assert_allclose(again.weights, once.weights, rtol=1e-9)
    assert again.iterations == 0


def test_calibration_takes_a_data_frame_of_texts_and_categories():
    frame = pandas.DataFrame(PEOPLE)
    frame["region"] = frame["region"].astype("category")
    np.testing.assert_array_equal(calibrate(frame, MARGINS, START).weights, calibrate(PEOPLE, MARGINS, START).weights)


REFUSED = {
    "no margin": ({}, {}, "margins must have at least one margin; got none"),
    "unknown covariate": ({"height": 1.7}, {}, "margins names 'height', which is none of"),
    "different sums": (
        {"sex": {"f": 0.5, "m": 0.5}, "age": {0: 0.5, 1: 0.2, 2: 0.1, 3: 0.1}},
        {},
        r"margins\['age'\] must have the sum of margins\['sex'\], 1; got 0.9",
    ),
    "label of nobody": (
        {"sex": {"f": 0.5, "m": 0.4, "d": 0.1}},
        {},
        r"margins\['sex'\]\['d'\] is of nobody in the sample; put the label together",
    ),
    "label without share": ({"sex": {"f": 1.0}}, {}, r"margins\['sex'\] must have a share of '?m'?"),
    "share of zero": ({"sex": {"f": 1.0, "m": 0}}, {}, r"margins\['sex'\]\['m'\] must be a positive number; got 0"),
    "mean out of reach": ({"hours": 9}, {}, r"margins\['hours'\] must lie between the sample's 0 and 8.2; got 9"),
    "contradiction": (
        {"sex": {"f": 0.5, "m": 0.5}, ("sex",): {("f",): 0.4, ("m",): 0.6}},
        {},
        "is not reached by any weights, beside the other margins",
    ),
    "bounds too narrow": (
        {"sex": {"f": 0.1, "m": 0.9}},
        {"method": "logit", "bounds": (0.8, 1.2)},
        "is not reached by any weights within the bounds 0.8 and 1.2",
    ),
    "logit without bounds": ({"sex": {"f": 0.5, "m": 0.5}}, {"method": "logit"}, "bounds must be given"),
    "bounds not around 1": ({"sex": {"f": 0.5, "m": 0.5}}, {"bounds": (1.1, 2)}, "0 <= low < 1 < high"),
    "method": ({"sex": {"f": 0.5, "m": 0.5}}, {"method": "ipf"}, "method must be raking, linear or logit; got 'ipf'"),
    "weight of zero": ({"sex": {"f": 0.5, "m": 0.5}}, {"weights": START * 0}, r"weights\[0\] must be positive"),
    "too few weights": ({"sex": {"f": 0.5, "m": 0.5}}, {"weights": [1, 2]}, r"weights must have one entry per person"),
}


@pytest.mark.parametrize(("margins", "options", "words"), REFUSED.values(), ids=REFUSED)
def test_margins_that_cannot_be_met_are_refused(margins, options, words):
    with pytest.raises(ParameterError, match=words):
        calibrate(PEOPLE, margins, **options)


def test_missing_label_of_a_data_frame_is_refused():
    with pytest.raises(ParameterError, match="covariates must not be missing; got none for person 1"):
        calibrate(pandas.DataFrame({"sex": ["f", None, "m"]}), {"sex": {"f": 0.5, "m": 0.5}})


@pytest.mark.parametrize(("low", "high"), [(0, 1), (4, 9)])
def test_limits_that_no_weights_meet_are_refused(low, high):
    with pytest.raises(ParameterError, match=r"around the mean of the weights, 3\.45"):
        trim_weights(START, low=low, high=high)


MECHANISMS = {
    "two coins": COINS,
    "k-ary": k_ary(4, truth="1/2"),
    "unary": UnaryEncoding(4),
    "subset": SubsetSelection(4, size=2, truth="3/4"),
    "each option": EachOption(4, COINS),
}


def reports_of(mechanism, answers, generator):
    if isinstance(mechanism, Channel):
        return simulate(mechanism, answers, generator)
    if isinstance(mechanism, EachOption):
        return simulate(mechanism.channel, np.equal.outer(answers, np.arange(4)).astype(np.int64), generator)
    return mechanism.simulate(answers, generator)


@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=MECHANISMS)
def test_equal_weights_give_the_unweighted_estimate(mechanism):
    answers = np.random.default_rng(1).integers(0, 2 if mechanism is COINS else 4, 500)
    reports = reports_of(mechanism, answers, np.random.default_rng(2))
    weighted = estimate_weighted(reports, mechanism, np.full(500, 7.0))
    if isinstance(mechanism, Channel):
        plain = estimate_proportions(np.bincount(reports, minlength=mechanism.reports), mechanism, interval="score")
    else:
        plain = mechanism.estimate(reports.sum(axis=0), 500, interval="score")
    np.testing.assert_allclose(weighted.unbiased, plain.unbiased, atol=1e-12)
    np.testing.assert_allclose(weighted.constrained, plain.constrained, atol=1e-9)
    np.testing.assert_allclose(weighted.standard_error, plain.standard_error, rtol=1e-9)
    np.testing.assert_allclose(weighted.noise_standard_error, plain.noise_standard_error, rtol=0.1)
    np.testing.assert_allclose((weighted.low, weighted.high), (plain.low, plain.high), atol=0.002)
    assert weighted.exclusive == plain.exclusive
    assert weighted.interval == "score"


@pytest.mark.long
@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=MECHANISMS)
def test_noise_covariance_is_unbiased(mechanism):
    """Over 4,000 draws for fixed people the mean estimate of the tickets' part is the variance of the estimates.

    False alarm: 4.9 standard errors of a variance (2.2 %) in 4 of 5 x 4 numbers, below 1e-4.
    """
    generator = np.random.default_rng(3)
    answers = generator.integers(0, 2 if mechanism is COINS else 4, 60)
    weights = generator.uniform(0.5, 2, 60)
    found = [estimate_weighted(reports_of(mechanism, answers, generator), mechanism, weights) for _ in range(4000)]
    spread = np.var([one.unbiased for one in found], axis=0)
    np.testing.assert_allclose(np.mean([np.diag(one.noise_covariance) for one in found], axis=0), spread, rtol=0.11)


def test_weights_of_clusters_agree_with_totals():
    """`estimate_total` by Hajek with clusters is the same estimator, of 1 / inclusion probabilities."""
    reports = simulate(COINS, YES, np.random.default_rng(8))
    total = estimate_total(reports, COINS, 1 / START, target="mean", estimator="hajek", clusters=ROW // 10)
    found = estimate_weighted(reports, COINS, START, clusters=ROW // 10)
    np.testing.assert_allclose(found.unbiased, total.unbiased, rtol=1e-12)
    np.testing.assert_allclose(found.standard_error, total.standard_error, rtol=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("units", [{}, {"clusters": ROW // 4}, {"strata": PEOPLE["region"]}], ids=str)
def test_bootstrap_agrees_with_linearisation(units):
    """2,000 replicates: the standard error of a bootstrap error is 1.6 %, of few units linearisation is rough."""
    reports = simulate(COINS, YES, np.random.default_rng(5))
    weights = calibrate(PEOPLE, MARGINS, START)
    replicates = bootstrap_weights(weights, replicates=2000, **units)
    linear = estimate_weighted(reports, COINS, weights, **units)
    bootstrap = estimate_weighted(reports, COINS, weights, replicates=replicates, **units)
    np.testing.assert_allclose(bootstrap.standard_error, linear.standard_error, rtol=0.12)
    for name, margin in MARGINS.items():
        for label, count in margin.items():
            np.testing.assert_allclose(replicates[:, PEOPLE[name] == label].sum(axis=1), count, rtol=1e-9)


@pytest.mark.parametrize(
    ("calibrated", "units", "error"),
    [
        (False, {}, 0.03794061478032),
        (False, {"strata": PEOPLE["region"]}, 0.03824440437721),
        (True, {"clusters": ROW // 10}, 0.02424415554380),
    ],
    ids=["people", "strata", "calibrated clusters"],
)
def test_jackknife_equals_r(calibrated, units, error):
    weights = calibrate({name: PEOPLE[name] for name in MARGINS}, MARGINS, START) if calibrated else START
    replicates, scales = jackknife_weights(weights, **units)
    found = estimate_weighted(YES, DIRECT, weights, replicates=replicates, scales=scales)
    np.testing.assert_allclose(found.standard_error[1], error, rtol=1e-8)


def test_jackknife_of_equal_people_is_the_standard_error_of_a_mean():
    reports = simulate(COINS, YES, np.random.default_rng(5))
    replicates, scales = jackknife_weights(n=200)
    found = estimate_weighted(reports, COINS, replicates=replicates, scales=scales)
    np.testing.assert_allclose(found.standard_error, estimate_weighted(reports, COINS).standard_error, rtol=1e-12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 10_001}, "at most 10,000 units to be left out one by one; got 10,001"),
        ({"n": 3, "strata": [0, 0, 1]}, "at least two units each, to leave one out"),
    ],
    ids=str,
)
def test_jackknife_that_cannot_be_made_is_refused(arguments, message):
    with pytest.raises(ParameterError, match=message):
        jackknife_weights(**arguments)


def test_wrong_scales_are_refused():
    replicates, scales = jackknife_weights(n=200)
    with pytest.raises(ParameterError, match="scales must be 200 finite numbers"):
        estimate_weighted(YES, COINS, replicates=replicates, scales=scales[:-1])


def test_bootstrap_is_the_same_without_a_generator_and_differs_with_one():
    first, again = bootstrap_weights(START, replicates=3), bootstrap_weights(START, replicates=3)
    np.testing.assert_array_equal(first, again)
    other = bootstrap_weights(START, replicates=3, generator=np.random.default_rng(1))
    assert (other != first).any()
    np.testing.assert_array_equal(bootstrap_weights(n=200, replicates=3) * START, first)


def test_stratum_of_one_unit_has_no_variance():
    strata = np.where(ROW == 0, "alone", "others")
    found = estimate_weighted(YES, COINS, START, strata=strata)
    assert np.isnan(found.standard_error).all()
    assert (found.low.tolist(), found.high.tolist()) == ([0, 0], [1, 1])
    with pytest.raises(ParameterError, match="at least two units"):
        bootstrap_weights(START, strata=strata)


def test_weights_follow_the_labels_of_the_reports():
    order = np.random.default_rng(6).permutation(200)
    reports, weights = pandas.Series(YES), pandas.Series(START)
    found = estimate_weighted(reports, COINS, weights.iloc[order])
    np.testing.assert_array_equal(found.unbiased, estimate_weighted(YES, COINS, START).unbiased)


WRONG = {
    "symbol": ([0, 1, 2], COINS, {}, r"reports\[2\] must be a whole number from 0 to 1; got 2"),
    "bits": ([[0, 1], [1, 0]], UnaryEncoding(4), {}, r"reports must have shape \(n, 4\)"),
    "texts": (["no", "yes"], COINS, {}, "reports must be whole numbers from 0 to 1"),
    "weight": ([0, 1], COINS, {"weights": [1, 0]}, r"weights\[1\] must be positive and finite; got 0"),
    "weights": ([0, 1], COINS, {"weights": [1]}, "weights must have one entry per report"),
    "part": ([0, 1], COINS, {"include": [False, False]}, "include must be True for at least one person"),
    "part of numbers": ([0, 1], COINS, {"include": [0, 1]}, "include must be 2 booleans"),
    "replicates": ([0, 1], COINS, {"replicates": [[1, 1, 1]]}, r"replicates must have shape \(R, 2\)"),
    "strata": ([0, 1], COINS, {"strata": [1]}, "strata must have one label per report"),
}


@pytest.mark.parametrize(("reports", "mechanism", "options", "words"), WRONG.values(), ids=WRONG)
def test_wrong_arguments_are_refused_by_name(reports, mechanism, options, words):
    with pytest.raises(ParameterError, match=words):
        estimate_weighted(reports, mechanism, **options)


def test_effective_size_counts_people_of_equal_weights():
    assert effective_size([3, 3, 3]) == pytest.approx(3)
    assert effective_size([1, 1, 2]) == pytest.approx(16 / 6)


def test_calibration_matches_weights_by_their_labels():
    frame, order = pandas.DataFrame(PEOPLE), np.random.default_rng(1).permutation(200)
    found = calibrate(frame, MARGINS, pandas.Series(START).iloc[order])
    np.testing.assert_array_equal(found.weights, calibrate(frame, MARGINS, START).weights)


def test_mean_is_met_in_a_large_sample_too():
    """What is left of a sum of distances from a mean is judged beside the sum of the weights, not beside 0."""
    ages = np.arange(20_000) % 7919 / 100
    found = calibrate({"age": ages}, {"age": 41.3})
    assert np.average(ages, weights=found.weights) == pytest.approx(41.3, rel=1e-10)
