"""Data frames and series: columns go by their names, rows by their index, counts by their reports, or are refused."""

import numpy as np
import pandas
import pytest
from scipy import special

from randomized_response import (
    estimate_joint,
    estimate_proportions,
    estimate_total,
    forced_response,
    linear_regression,
    logistic_regression,
    warner,
)

COINS, OTHER = forced_response(truth="1/2"), warner(truth="9/10")
REGRESSIONS = pytest.mark.parametrize("regression", [logistic_regression, linear_regression])


def people(n=150):
    """Rows with labels: two covariates, reports through two channels, and weights, all of them telling."""
    generator = np.random.default_rng(7)
    frame = pandas.DataFrame(
        {"age": generator.normal(size=n), "female": generator.integers(0, 2, n)}, index=[f"p{i}" for i in range(n)]
    )
    yes = generator.random(n) < special.expit(1.5 * frame["age"] - frame["female"])
    channel = pandas.Series([(COINS, OTHER)[i % 2] for i in range(n)], index=frame.index)
    chances = [each.matrix[int(x), 1] for each, x in zip(channel, yes, strict=True)]
    reports = pandas.Series((generator.random(n) < chances).astype(int), index=frame.index)
    return frame, reports, channel, pandas.Series(generator.random(n) + 0.2, index=frame.index)


@REGRESSIONS
def test_prediction_takes_columns_by_their_names(regression):
    frame, reports, channel, _ = people()
    fit = regression(frame, reports, list(channel))
    new = pandas.DataFrame({"female": [0, 1], "age": [2.0, -1.0]})
    expected = fit.predict([[2.0, 0], [-1.0, 1]])
    np.testing.assert_array_equal(fit.predict(new).low, expected.low)
    np.testing.assert_array_equal(fit.predict(new[["age", "female"]]).low, expected.low)


@REGRESSIONS
@pytest.mark.parametrize("columns", [["age", "sex"], ["age"], ["age", "female", "place"]])
def test_prediction_from_other_columns_is_refused(regression, columns):
    frame, reports, channel, _ = people()
    fit = regression(frame, reports, list(channel))
    with pytest.raises(ValueError, match=f"covariates must have the columns age, female; got {', '.join(columns)}"):
        fit.predict(pandas.DataFrame([[1.0] * len(columns)], columns=columns))


@REGRESSIONS
def test_names_in_another_order_than_the_columns_are_refused(regression):
    frame, reports, _, _ = people()
    with pytest.raises(ValueError, match="names must stand in the order of the columns, age, female; got female, age"):
        regression(frame, reports, COINS, names=["female", "age"])


@REGRESSIONS
@pytest.mark.parametrize("moved", [(0,), (1,), (2,), (3,), (1, 2, 3), (0, 1, 3)])
def test_rows_in_another_order_are_matched_by_index(regression, moved):
    given = list(people())
    expected = regression(*given).coefficients
    for place in moved:
        given[place] = given[place].sample(frac=1, random_state=place)
    np.testing.assert_allclose(regression(*given).coefficients, expected, rtol=1e-9)


@REGRESSIONS
def test_regression_duplicate_labels_go_by_position(regression):
    frame, reports, _, _ = people()
    frame.index = reports.index = [1] * len(frame)
    expected = regression(frame.to_numpy(), reports.to_numpy(), COINS).coefficients
    np.testing.assert_array_equal(regression(frame, reports, COINS).coefficients, expected)


@REGRESSIONS
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"reports": lambda y: y.reset_index(drop=True)},
            "reports must have the index of covariates; got none with 'p0'",
        ),
        ({"weights": lambda w: w.rename({"p3": "p2"})}, "weights must have each label .* got 'p2' again"),
        ({"reports": lambda y: y[::-1], "weights": np.asarray}, "weights must have an index too where .*; got ndarray"),
        ({"reports": lambda y: y[::-1], "channel": list}, "channel must have an index too where .*; got list"),
        ({"reports": lambda y: y[:-1]}, "reports must have one entry per row of covariates"),
    ],
)
def test_rows_that_cannot_be_matched_are_refused(regression, change, message):
    given = dict(zip(("covariates", "reports", "channel", "weights"), people(), strict=True))
    given |= {name: to(given[name]) for name, to in change.items()}
    with pytest.raises(ValueError, match=message):
        regression(**given)


def test_totals_match_chances_strata_and_clusters_by_index():
    generator = np.random.default_rng(3)
    frame = pandas.DataFrame(
        {
            "reports": generator.integers(0, 2, 60),
            "inclusion_probabilities": generator.uniform(0.1, 0.9, 60),
            "strata": np.repeat(["a", "b"], 30),
            "clusters": np.repeat(np.arange(12), 5),
        }
    )
    expected = estimate_total(**{name: frame[name].to_numpy() for name in frame}, channel=COINS)
    for name in frame:
        columns = {each: frame[each][::-1] if each == name else frame[each] for each in frame}
        found = estimate_total(**columns, channel=COINS)
        np.testing.assert_allclose(found.unbiased, expected.unbiased, rtol=1e-12)
        np.testing.assert_allclose(found.standard_error, expected.standard_error, rtol=1e-12)
    with pytest.raises(ValueError, match="strata must have the index of reports; got none with 0"):
        estimate_total(frame["reports"], COINS, 0.5, strata=frame["strata"].rename(lambda place: place + 1))


def test_estimate_counts_go_by_label():
    """`value_counts` begins with the most frequent report, here yes."""
    reports = pandas.Series([1] * 60 + [0] * 40)
    assert list(reports.value_counts()) == [60, 40]
    np.testing.assert_array_equal(
        estimate_proportions(reports.value_counts(), COINS).unbiased, estimate_proportions([40, 60], COINS).unbiased
    )
    with pytest.raises(ValueError, match=r"counts must have the index 0 to 1, or none .*; got \['yes', 'no'\]"):
        estimate_proportions(pandas.Series({"yes": 60, "no": 40}), COINS)


def test_joint_table_goes_by_labels():
    table = pandas.DataFrame([[210, 220], [190, 380]], index=[1, 0], columns=[1, 0])
    expected = estimate_joint([[380, 190], [220, 210]], COINS, COINS)
    np.testing.assert_array_equal(estimate_joint(table, COINS, COINS).unbiased, expected.unbiased)
    with pytest.raises(ValueError, match=r"table must have the columns 0 to 1, or none .*; got \['no', 'yes'\]"):
        estimate_joint(table.set_axis(["no", "yes"], axis=1), COINS, COINS)
