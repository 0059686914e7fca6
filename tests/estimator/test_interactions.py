"""Several interactions in one regression: the columns, the shares, the tests, the page, and what is refused."""

import re
from typing import Any

import numpy as np
import pytest

from collector.designs import Design
from estimator.analyses import presentation, requests
from estimator.analyses.adjusted import adjusted_regression
from estimator.analyses.predictors import Table, crossed_columns, design_matrix, single_columns
from estimator.analyses.quantities import AnalysisError
from estimator.analyses.regression_requests import interaction_fields
from estimator.models import Analysis
from tests.factories import background
from tests.factories.background import done

Kind = Analysis.Kind
REGION, AGE, GENDER = "where_do_you_live", "how_old_are_you", "what_is_your_gender"
BOTH = {
    "outcome": "cheated", "predictors": [REGION, AGE, GENDER], "interaction": [REGION, GENDER, AGE, GENDER],
    "confidence": 0.95,
}  # fmt: skip
FIELDS: dict[str, Any] = {
    "outcome": "cheated",
    f"interaction-{REGION}+{GENDER}": "yes",
    f"interaction-{AGE}+{GENDER}": "yes",
}


def table_of(answers: np.ndarray[Any, np.dtype[np.int64]]) -> Table:
    return Table(answers, np.full((len(answers), 2), 40), np.ones(len(answers)))


def every_answer(*sizes: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.stack(np.meshgrid(*map(np.arange, sizes), indexing="ij"), axis=-1).reshape(-1, len(sizes))


def rank(table: Table, columns: Any) -> int:
    return int(np.linalg.matrix_rank(np.insert(design_matrix(table.answers, columns), 0, 1, axis=1)))


def test_products_of_indicators_are_the_columns_where_every_two_answers_were_given() -> None:
    table = table_of(every_answer(3, 2, 4))
    single = single_columns(table, range(3), [])
    found = crossed_columns(table, [(0, 1), (1, 2)], single)
    assert found == [
        *(((0, one), (1, 1)) for one in (1, 2)),
        *(((1, 1), (2, one)) for one in (1, 2, 3)),
    ]
    assert rank(table, [*single, *found]) == 1 + 2 + 1 + 3 + 2 + 3


@pytest.mark.parametrize("seed", range(8))
def test_columns_are_independent_and_tell_every_two_answers_that_were_given(seed: int) -> None:
    """Of a random part of the combinations: as many as there are shares of two answers, whatever was not given."""
    every = every_answer(3, 3, 3)
    table = table_of(every[np.random.default_rng(seed).random(len(every)) < 0.5])
    single = single_columns(table, range(3), [])
    columns = [*single, *crossed_columns(table, [(0, 1), (1, 2)], single)]
    pairs = [((a, one), (b, other)) for a, b in ((0, 1), (1, 2)) for one in range(3) for other in range(3)]
    assert rank(table, columns) == rank(table, [*single, *pairs])
    before = rank(table, single)
    assert rank(table, columns) == before + len(columns) - len(single)


def test_shares_and_tests_are_those_of_products() -> None:
    design, inputs = background.inputs_of(3, 6000)
    found: Any = adjusted_regression(design, BOTH, inputs)
    assert len(found["interaction"]) == 2
    shares = {row["group"]: row for row in found["rows"] if row["quantity"] == "share"}
    assert {key.count("+") for key in shares} == {1}
    assert not [row for row in found["rows"] if row["quantity"] in ("difference", "odds_ratio")]  # all interact
    plain: Any = adjusted_regression(design, BOTH | {"interaction": []}, inputs)
    freedom = [one["degrees_of_freedom"] for one in found["interaction"]]
    statistic = 2 * (found["log_likelihood"] - plain["log_likelihood"])
    assert found["alike"]["degrees_of_freedom"] == plain["alike"]["degrees_of_freedom"] + sum(freedom)
    assert 0 < statistic < 60  # nothing interacts in this population: chi-square of about 20


@pytest.mark.long
def test_tests_of_interactions_alarm_as_often_as_they_say() -> None:
    """Nothing interacts in this population: of 2 x 20 tests at 5 % more than 6 reject in 1.4 % of seeds."""
    tests = []
    for seed in range(20):
        found: Any = adjusted_regression(*arguments(seed, 4000))
        tests += [one["p_value"] for one in found["interaction"]]
    assert len(tests) == 40
    assert sum(p is not None and p < 0.05 for p in tests) <= 6


def arguments(seed: int, n: int) -> tuple[Design, dict[str, object], dict[str, object]]:
    design, inputs = background.inputs_of(seed, n)
    return design, BOTH, inputs


def test_page_says_of_each_whether_effects_add_up(answered: Design) -> None:
    page = presentation.present(done(Kind.REGRESSION, answered, **FIELDS))
    for one in ("Where do you live?", "How old are you?"):
        pair = f"“{one}” and “What is your gender?”"
        assert any(pair in sentence and "interact" in sentence for sentence in page.sentences)
    assert any("nobody gave together are taken to add up" in str(method) for method in page.methods)


def test_analysis_of_before_there_could_be_several_is_still_told(answered: Design) -> None:
    """Its result has the one test itself, not a list."""
    found = done(Kind.REGRESSION, answered, outcome="cheated", **{f"interaction-{REGION}+{AGE}": "yes"})
    found.result["interaction"] = found.result["interaction"][0]
    sentences = presentation.present(found).sentences
    assert sum("“Where do you live?” and “How old are you?”" in one for one in sentences) == 1


def test_chosen_interactions_bring_their_predictors(answered: Design) -> None:
    found = requests.parameters(Kind.REGRESSION, FIELDS, [answered])
    assert found["predictors"] == [REGION, AGE, GENDER]
    assert found["interaction"] == [REGION, GENDER, AGE, GENDER]


def test_more_than_three_interactions_are_refused() -> None:
    four = background.design(*background.SIX[:4], expected=4000)
    fields = dict.fromkeys(list(interaction_fields(four))[:4], "yes")
    with pytest.raises(AnalysisError, match="A regression has at most 3 interactions; 4 are chosen"):
        requests.parameters(Kind.REGRESSION, {"outcome": "cheated", **fields}, [four])


def test_field_of_two_questions_is_named_in_their_order(answered: Design) -> None:
    for name in (f"interaction-{AGE}+{REGION}", f"interaction-{REGION}+x", "interaction"):
        with pytest.raises(AnalysisError, match=f"has no field '{re.escape(name)}'"):
            requests.require_known(Kind.REGRESSION, {"outcome": "cheated", name: "yes"}, answered)
