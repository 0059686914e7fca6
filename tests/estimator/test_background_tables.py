"""Cross-tables of a background question and a randomised answer: shares, tests, correlation, words, refusals."""

from typing import Any

import numpy as np
import pytest

from collector.designs import Design
from collector.designs.services import close_design, freeze_design
from estimator.analyses import exports, presentation, requests
from estimator.analyses.cross_tables import cross_table
from estimator.analyses.quantities import AnalysisError
from estimator.models import Analysis
from tests.factories import background, simulation
from tests.factories.background import done

Kind = Analysis.Kind
REGION, AGE, GENDER = "where_do_you_live", "how_old_are_you", "what_is_your_gender"


def table_of(design: Design, inputs: Any, rows: str, columns: str = "cheated") -> Any:
    return cross_table(design, {"rows": rows, "columns": columns, "group": "", "confidence": 0.95}, inputs)


def of(found: Any, quantity: str, **places: int) -> list[Any]:
    rows = (row for row in found["rows"] if row["quantity"] == quantity)
    return [row for row in rows if all(row[name] == place for name, place in places.items())]


@pytest.mark.long
def test_shares_among_those_of_each_answer_hold_the_truth() -> None:
    """Of five answers in 40 samples: were their intervals independent, fewer than 179 would hold in 0.1 % of seeds."""
    held = 0
    for seed in range(40):
        found = table_of(*background.inputs_of(seed), rows=REGION)
        rows = of(found, "row_share", other_choice=1)
        assert [row["choice"] for row in rows] == [0, 1, 2, 3, 4]
        held += sum(row["low"] <= background.YES[row["choice"]] <= row["high"] for row in rows)
    assert 179 <= held <= 200


def test_responses_that_do_not_tell_the_answer_are_left_out() -> None:
    design, inputs = background.inputs_of(1)
    found = table_of(design, inputs, GENDER)
    assert found["n"] + found["left_out"] == 2000
    assert found["left_out"] > 0
    assert {row["n"] for row in found["rows"]} == {found["n"]}
    found, in_steps = (table_of(design, inputs, rows) for rows in (REGION, f"{REGION}:steps"))
    silent = of(found, "joint_share", choice=4)
    assert in_steps["n"] < found["n"]
    assert silent
    assert not of(in_steps, "joint_share", choice=4)


def test_correlation_is_that_of_the_answers() -> None:
    """More have cheated further down the regions; by age there is nothing. Within 4 standard errors (6e-5)."""
    shares, yes = np.array([0.4, 0.3, 0.2, 0.1]), np.array(background.YES[:4])
    place = np.arange(4)
    cheated = shares @ yes
    spread = (shares @ place**2 - (shares @ place) ** 2) * cheated * (1 - cheated)
    truth = (shares @ (place * yes) - (shares @ place) * cheated) / np.sqrt(spread)
    (row,) = of(table_of(*background.inputs_of(2, 20_000), rows=f"{REGION}:steps"), "correlation")
    assert row["estimate"] == pytest.approx(truth, abs=4 * row["standard_error"])
    assert row["low"] > 0
    assert not of(table_of(*background.inputs_of(2), rows=REGION), "correlation")


@pytest.mark.long
def test_answers_that_do_not_go_together_alarm_seldom() -> None:
    """At 5 %, of 100 samples more than 12 alarm in 0.2 % of seeds: the test, and the interval of the correlation."""
    rejected = excluded = 0
    for seed in range(100):
        found = table_of(*background.inputs_of(seed), rows=f"{AGE}:steps")
        (row,) = of(found, "correlation")
        rejected += found["independence"]["p_value"] < 0.05
        excluded += row["low"] > 0 or row["high"] < 0
    assert max(rejected, excluded) <= 12


def test_fewer_than_two_answers_with_enough_responses_have_no_table() -> None:
    assert table_of(*background.inputs_of(1, 60), rows=REGION)["rows"] == []


@pytest.mark.django_db
def test_page_tells_the_table_and_the_correlation() -> None:
    design = background.of_four_kinds()
    found = done(Kind.CROSS_TABLE, design, rows=f"{REGION}:steps", columns="tired")
    page = presentation.present(found)
    assert page.about == ("Where do you live?", "How tired are you?")
    assert "the two answers" in page.sentences[0]
    assert "correlation" in page.sentences[1]
    assert any("responses are left out" in caution for caution in page.cautions)
    told = " ".join(map(str, page.methods))
    assert "Kwan, So & Tam" in told
    assert "count 1, 2, 3" in told
    first = page.parts[0].table
    assert all(sum(span for _, span in row) == len(first.head) for row in first.spanned)
    (association,) = [part.table for part in page.parts if part.title == "Association"]
    assert association.rows[0][0] == "Correlation, from −1 to 1"
    first, *_ = exports.rows_of(found)
    assert (first["wording"], first["choice_label"]) == ("Where do you live?", "North")
    assert (first["other_wording"], first["other_choice_label"]) == ("How tired are you?", "Not")


@pytest.mark.long
@pytest.mark.django_db
def test_answer_that_rises_with_the_region_is_said_to() -> None:
    made = background.answered(8000)
    close_design(made.digest)
    by_steps = presentation.present(done(Kind.CROSS_TABLE, made, rows=f"{REGION}:steps", columns="cheated"))
    assert by_steps.sentences[1].startswith("Where one number is higher, so is the other: the correlation is 0.")
    by_answer = presentation.present(done(Kind.CROSS_TABLE, made, rows=REGION, columns="cheated"))
    assert "are associated, more than chance explains" in by_answer.sentences[0]
    assert len(by_answer.sentences) == 1


@pytest.mark.django_db
def test_nothing_is_told_while_the_survey_is_open() -> None:
    found = done(Kind.CROSS_TABLE, background.answered(), rows=REGION, columns="cheated")
    assert found.result["rows"] == []
    assert presentation.present(found).sentences[0].startswith("No estimates by group")


@pytest.mark.django_db
def test_scarce_answers_are_said_to_be_too_few() -> None:
    made = background.answered(60)
    close_design(made.digest)
    (sentence,) = presentation.present(done(Kind.CROSS_TABLE, made, rows=REGION, columns="cheated")).sentences
    assert sentence == "At least two answers to “Where do you live?” need 30 responses each."


def test_scales_correlate_by_their_points() -> None:
    """A scale and age in steps: of people whose tiredness rises with age."""
    tired = background.FOUR_KINDS[2]
    made = background.design(background.AGE, expected=3000, items=[tired])
    random = np.random.default_rng(3)
    age = random.integers(0, 4, 6000)
    points = np.clip(age - 1 + random.integers(0, 2, 6000), 0, 2)
    cells = np.array([made.background.cell_of((one,)) for one in age.tolist()])
    who = simulation.People(cells, {"tired": points})
    exact = simulation.totals(made, who, simulation.symbols(made, who, random))
    inputs = background.released_inputs(made, exact, 0)
    (row,) = of(table_of(made, inputs, f"{AGE}:steps", "tired"), "correlation")
    assert row["estimate"] == pytest.approx(np.corrcoef(age, points)[0, 1], abs=4 * row["standard_error"])


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"rows": "cheated", "columns": REGION}, "Choose a question of this survey"),
        ({"rows": f"{REGION}:2", "columns": "cheated"}, "Choose a question of this survey"),
        ({"rows": f"{REGION}:mean", "columns": "cheated"}, "Choose a question of this survey"),
        ({"rows": REGION, "columns": ""}, "Choose a question of this survey"),
        ({"rows": "in_which_year_were_you_born", "columns": "mood"}, "has 123 cells; at most 100 are possible"),
    ],
)
@pytest.mark.django_db
def test_impossible_tables_are_refused(fields: dict[str, str], words: str) -> None:
    born = {"wording": "In which year were you born?", "choices": [str(year) for year in range(1960, 2000)]}
    made = freeze_design(background.design(background.REGION, born, expected=4000).document)
    with pytest.raises(AnalysisError, match=words):
        requests.parameters(Kind.CROSS_TABLE, fields, [made])
