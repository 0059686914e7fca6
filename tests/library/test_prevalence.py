"""Prevalence from data frames: the same numbers as by hand, every encoding, refusals by the name of the column."""

import pickle
import sys

import numpy as np
import pandas
import polars
import pytest

from randomized_response import (
    Channel,
    EachOption,
    ParameterError,
    SubsetSelection,
    UnaryEncoding,
    calibrate,
    estimate_proportions,
    estimate_weighted,
    forced_response,
    k_ary,
    logistic_regression,
    prevalence,
    simulate,
)

COINS = forced_response(truth="1/2")
GENERATOR = np.random.default_rng(11)
N = 400
ANSWERS = GENERATOR.integers(0, 4, N)
BITS = np.equal.outer(ANSWERS, np.arange(4)).astype(np.int64)
FRAME = pandas.DataFrame(
    {
        "q1": simulate(COINS, (ANSWERS > 2).astype(int), GENERATOR),
        "q2": simulate(k_ary(4, truth="1/2"), ANSWERS, GENERATOR),
        "age": GENERATOR.choice(["old", "young"], N),
        "region": GENERATOR.integers(1, 4, N),
        "w": GENERATOR.uniform(0.5, 2, N),
        "school": GENERATOR.integers(0, 20, N),
    }
)
MECHANISMS = {
    "unary": (UnaryEncoding(4), UnaryEncoding(4).simulate(ANSWERS, GENERATOR)),
    "subset": (
        SubsetSelection(4, size=2, truth="3/4"),
        SubsetSelection(4, size=2, truth="3/4").simulate(ANSWERS, GENERATOR),
    ),
    "each option": (EachOption(4, COINS), simulate(COINS, BITS, GENERATOR)),
}


def test_prevalence_of_everybody_is_that_of_the_counts():
    found = prevalence(FRAME, "q1", COINS)
    plain = estimate_proportions(np.bincount(FRAME["q1"]), COINS)
    ((group, estimate),) = found
    assert group == ()
    np.testing.assert_array_equal((estimate.low, estimate.high), (plain.low, plain.high))
    assert (len(found), found.dropped) == (1, 0)


def test_groups_are_estimated_one_by_one():
    found = prevalence(FRAME, "q2", k_ary(4, truth="1/2"), by=["age", "region"])
    assert found.groups == tuple((age, region) for age in ("old", "young") for region in (1, 2, 3))
    here = FRAME[(FRAME["age"] == "old") & (FRAME["region"] == 2)]
    plain = estimate_proportions(np.bincount(here["q2"], minlength=4), k_ary(4, truth="1/2"))
    np.testing.assert_array_equal(found["old", 2].unbiased, plain.unbiased)
    with pytest.raises(KeyError):
        found["middle", 2]


@pytest.mark.parametrize(("mechanism", "reports"), MECHANISMS.values(), ids=MECHANISMS)
def test_encodings_of_bits_take_a_column_each(mechanism, reports):
    frame = pandas.DataFrame(reports, columns=["a", "b", "c", "d"])
    found = prevalence(frame, ["a", "b", "c", "d"], mechanism, labels=["A", "B", "C", "D"])
    plain = mechanism.estimate(reports.sum(axis=0), N)
    np.testing.assert_array_equal(found[()].unbiased, plain.unbiased)
    assert found.to_frame()["answer"].tolist() == ["A", "B", "C", "D"]


def test_weights_strata_and_clusters_are_columns():
    found = prevalence(FRAME, "q1", COINS, by="age", weights="w", strata="region", clusters="school")
    by_hand = estimate_weighted(
        FRAME["q1"], COINS, FRAME["w"], strata=FRAME["region"], clusters=FRAME["school"], include=FRAME["age"] == "old"
    )
    np.testing.assert_array_equal(found["old"].standard_error, by_hand.standard_error)


def test_calibrated_weights_are_taken_whole():
    weights = calibrate(FRAME, {"age": {"old": 0.3, "young": 0.7}})
    found = prevalence(FRAME, "q1", COINS, weights=weights)
    np.testing.assert_array_equal(
        found[()].standard_error, estimate_weighted(FRAME["q1"], COINS, weights).standard_error
    )


@pytest.mark.parametrize("frame", [FRAME, polars.from_pandas(FRAME), {name: FRAME[name].tolist() for name in FRAME}])
def test_every_kind_of_table_gives_the_same(frame):
    found = prevalence(frame, "q1", COINS, by="age", weights="w")
    expected = prevalence(FRAME, "q1", COINS, by="age", weights="w")
    np.testing.assert_array_equal(found["young"].low, expected["young"].low)
    assert str(found) == str(expected)


def test_reports_may_be_words():
    words = FRAME["q1"].map({0: "no", 1: "yes"})
    found = prevalence({"q1": words}, "q1", COINS, labels=["no", "yes"])
    np.testing.assert_array_equal(found[()].unbiased, prevalence(FRAME, "q1", COINS)[()].unbiased)


def test_missing_reports_are_dropped_where_asked():
    frame = FRAME.assign(q1=FRAME["q1"].where(FRAME.index >= 10))
    found = prevalence(frame, "q1", COINS, by="age", weights="w", missing="drop")
    expected = prevalence(FRAME.iloc[10:], "q1", COINS, by="age", weights="w")
    assert found.dropped == 10
    np.testing.assert_array_equal(found["old"].low, expected["old"].low)
    with pytest.raises(ParameterError, match='must have a report in every row, or missing="drop"; row 0 has none'):
        prevalence(frame, "q1", COINS)
    weights = calibrate(FRAME, {"age": {"old": 0.3, "young": 0.7}})
    with pytest.raises(ParameterError, match="weights must be calibrated among those with a report"):
        prevalence(frame, "q1", COINS, weights=weights, missing="drop")


REFUSED = {
    "column": ("q9", COINS, {}, "data must have a column 'q9'; got none"),
    "group": ("q1", COINS, {"by": "sex"}, "data must have a column 'sex'; got none"),
    "symbol": ("q2", COINS, {}, "reports must be whole numbers from 0 to 1; got"),
    "words": ("age", COINS, {}, "reports must be numbers or labels"),
    "columns": (["q1", "q2"], COINS, {}, "question must be one column for a table of single reports"),
    "bits": (["q1", "q2"], UnaryEncoding(4), {}, "question must name the 4 columns of the bits; got 2"),
    "labels": ("q1", COINS, {"labels": ["no"]}, "labels must be 2 different words"),
    "weights": ("q1", COINS, {"weights": [1, 2]}, r"weights must have one entry per row, shape \(400,\)"),
    "confidence": ("q1", COINS, {"confidence": 95}, "confidence must be greater than 0 and less than 1; got 95"),
}


@pytest.mark.parametrize(("question", "mechanism", "options", "words"), REFUSED.values(), ids=REFUSED)
def test_wrong_columns_are_refused_by_name(question, mechanism, options, words):
    with pytest.raises(ParameterError, match=words):
        prevalence(FRAME, question, mechanism, **options)


def test_results_are_tables_in_notebooks_and_data_frames():
    found = prevalence({"a<b": ["x"] * 4, "q": [0, 1, 1, 0]}, "q", COINS, by="a<b")
    assert found._repr_html_().startswith("<table><tr><th>a&lt;b</th><th>answer</th><th>estimate</th>")
    assert "<td>0.5000</td>" in found._repr_html_()
    frame = found.to_frame()
    assert list(frame.columns) == ["a<b", "answer", "estimate", "standard_error", "low", "high", "unbiased", "n"]
    assert found[("x",)].to_frame()["estimate"].tolist() == [0.5, 0.5]
    fit = logistic_regression(FRAME[["w"]], FRAME["q1"], COINS)
    assert fit.to_frame()["coefficient"].tolist() == fit.coefficients.tolist()
    assert "<td>intercept</td>" in fit._repr_html_()


def test_data_frame_without_pandas_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ModuleNotFoundError, match="pandas"):
        prevalence({"q": [0, 1]}, "q", COINS).to_frame()


def test_results_and_errors_go_to_other_processes():
    with pytest.raises(ParameterError) as caught:
        Channel(((1, 2), (2, 2)))
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.name) == (str(caught.value), caught.value.name)


def test_weights_follow_the_labels_of_the_rows():
    order = np.random.default_rng(9).permutation(N)
    expected = prevalence(FRAME, "q1", COINS, weights="w")[()]
    np.testing.assert_array_equal(prevalence(FRAME, "q1", COINS, weights=FRAME["w"].iloc[order])[()].low, expected.low)
    with pytest.raises(ValueError, match="weights must have the index of data"):
        prevalence(FRAME, "q1", COINS, weights=FRAME["w"].set_axis(range(1000, 1000 + N)))
