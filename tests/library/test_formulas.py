"""Formulas: the same fit as by hand, predictions for other people, and what cannot be read."""

import sys

import numpy as np
import pandas
import polars
import pytest

from randomized_response import (
    categorical_regression,
    forced_response,
    linear_regression,
    logistic_regression,
    model_matrix,
    simulate,
)

COINS = forced_response(truth="1/2")
GENERATOR = np.random.default_rng(7)
N = 600
FRAME = pandas.DataFrame(
    {
        "q1": simulate(COINS, GENERATOR.integers(0, 2, N), GENERATOR),
        "age": GENERATOR.normal(size=N),
        "region": GENERATOR.choice(["east", "north", "west"], N),
        "school": GENERATOR.integers(0, 30, N),
    }
)
BY_HAND = np.column_stack([FRAME["age"], FRAME["region"] == "north", FRAME["region"] == "west"]).astype(float)


@pytest.mark.parametrize("regression", [logistic_regression, linear_regression, categorical_regression])
def test_formula_gives_the_fit_of_its_columns(regression):
    found = model_matrix("q1 ~ age + C(region)", FRAME)
    fit = regression(found.covariates, found.reports, COINS)
    np.testing.assert_allclose(fit.coefficients, regression(BY_HAND, FRAME["q1"], COINS).coefficients, rtol=1e-9)
    assert "C(region)[T.north]" in str(fit)


def test_interactions_and_functions():
    found = model_matrix("q1 ~ age * region + np.exp(age)", FRAME)
    assert list(found.covariates) == [
        "age", "region[T.north]", "region[T.west]", "np.exp(age)", "age:region[T.north]", "age:region[T.west]",
    ]  # fmt: skip
    np.testing.assert_allclose(found.covariates["age:region[T.west]"], BY_HAND[:, 0] * BY_HAND[:, 2])


def test_polars_gives_the_same_columns():
    ours = model_matrix("q1 ~ age * C(region)", polars.from_pandas(FRAME))
    pandas.testing.assert_frame_equal(ours.covariates, model_matrix("q1 ~ age * C(region)", FRAME).covariates)


def test_prediction_for_other_people_has_the_levels_of_the_fit():
    found = model_matrix("q1 ~ age + C(region)", FRAME)
    fit = logistic_regression(found.covariates, found.reports, COINS)
    new = pandas.DataFrame({"age": [0.0], "region": ["west"]})
    np.testing.assert_array_equal(
        fit.predict(found.of(new)).proportions, fit.predict(np.array([[0.0, 0.0, 1.0]])).proportions
    )
    with pytest.raises(ValueError, match=r"data must have the variables and levels of the formula; .*south"):
        found.of(pandas.DataFrame({"age": [0.0], "region": ["south"]}))
    with pytest.raises(ValueError, match=r"data must have the variables and levels of the formula; .*region"):
        found.of(pandas.DataFrame({"age": [0.0]}))


@pytest.mark.parametrize("kind", [pandas.DataFrame, polars.from_pandas])
def test_missing_values_are_an_error_or_dropped(kind):
    frame = FRAME.copy()
    frame.loc[3, "age"] = np.nan
    frame.loc[5, "region"] = None
    with pytest.raises(ValueError, match="data must have 'age' in every row, or missing=\"drop\"; row 3 has none"):
        model_matrix("q1 ~ age + C(region)", kind(frame))
    found = model_matrix("q1 ~ age + C(region)", kind(frame), missing="drop")
    assert np.flatnonzero(~found.kept).tolist() == [3, 5]
    fit = logistic_regression(found.covariates, found.reports, COINS, clusters=frame["school"].to_numpy()[found.kept])
    assert fit.n == N - 2


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("age + region", "formula must have the report on its left side"),
        ("q1 ~ age +* 2", "formula cannot be read"),
        ("q1 ~ 0 + age", "formula must keep the constant"),
        ("q1 ~ height", "data must have a column 'height', which the formula names"),
        ("region ~ age", "formula must have one report on its left side"),
        ("q1 ~ age.upper()", "formula cannot be computed from the data"),
    ],
)
def test_formulas_that_cannot_be_used_are_refused(formula, words):
    with pytest.raises(ValueError, match=words):
        model_matrix(formula, FRAME)


def test_other_data_is_refused():
    with pytest.raises(ValueError, match="data must be a data frame; got list"):
        model_matrix("q1 ~ age", [1, 2])
    with pytest.raises(ValueError, match='missing must be "error" or "drop"'):
        model_matrix("q1 ~ age", FRAME, missing="ignore")
    with pytest.raises(ValueError, match="at least one row with every variable"):
        model_matrix("q1 ~ age", FRAME.assign(age=np.nan), missing="drop")


def test_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "formulaic", None)
    with pytest.raises(ModuleNotFoundError, match="formulaic"):
        model_matrix("q1 ~ age", FRAME)
