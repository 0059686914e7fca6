"""Small areas: a share in each of many, drawn towards the others, and poststratified to a census."""

import numpy as np
import pytest

from collector.designs import Design
from estimator.analyses import presentation, requests, services
from estimator.analyses.areas import small_areas
from estimator.analyses.quantities import AnalysisError
from estimator.models import Analysis
from tests.factories import background
from tests.tools.gate import few

Kind = Analysis.Kind
DISTRICT, AGE = "in_which_district_do_you_live", "how_old_are_you"
ASKED = {"outcome": "cheated", "area": DISTRICT, "predictors": [AGE], "census": [], "confidence": 0.95}
OLD = np.array([0.1, 0.1, 0.3, 0.5])
"""The ages of a population that is older than the respondents."""
CENSUS = [[area, age + 1, int(1000 * OLD[age])] for area in range(1, 13) for age in range(4)]


@pytest.fixture
def design(answered: Design) -> Design:
    return answered


def inputs_of(seed: int, n: int = 2400, spread: float = 0.8) -> tuple[Design, dict[str, object], np.ndarray]:
    design, exact, shares = background.districts(n, seed, spread)
    return design, background.released_inputs(design, exact, 0), shares


@pytest.mark.long
def test_intervals_of_areas_hold_their_shares_in_the_census() -> None:
    """120 intervals of 12 areas in 10 samples of 2,400 responses, poststratified to an older population.

    Were they independent, fewer than 106 of 95 % intervals would hold in 0.1 % of seeds.
    """
    held, wholes = 0, 0
    for seed in range(10):
        design, inputs, shares = inputs_of(seed)
        found = small_areas(design, ASKED | {"census": CENSUS}, inputs)
        rows = {row["group"]: row for row in found["rows"]}  # type: ignore[attr-defined]
        truth = shares @ OLD
        for area in range(12):
            row = rows[f"{DISTRICT}={area + 1}"]
            held += row["low"] <= truth[area] <= row["high"]
        whole = rows[""]
        wholes += whole["low"] <= truth.mean() <= whole["high"]
    assert held >= 106
    assert wholes >= 7


@pytest.mark.long
def test_areas_are_nearer_to_the_truth_than_their_own_responses() -> None:
    """The mean squared error over 12 areas and 8 samples, of which each area has 100 responses."""
    modelled, direct = list[float](), list[float]()
    for seed in range(8):
        design, inputs, shares = inputs_of(seed, n=1200)
        found = small_areas(design, ASKED | {"predictors": []}, inputs)
        truth = shares.mean(axis=1)
        for row in found["rows"][:-1]:  # type: ignore[index]
            area = int(row["group"].rpartition("=")[2]) - 1
            modelled.append((row["estimate"] - truth[area]) ** 2)
            direct.append((found["direct"][str(area + 1)] - truth[area]) ** 2)  # type: ignore[index]
    assert np.mean(modelled) < 0.8 * np.mean(direct)


@pytest.mark.long
def test_areas_that_do_not_differ_are_hardly_told_apart() -> None:
    """Of 40 samples without differences the test at 5 % alarms in at most 6, but for 1.4 % of seeds."""
    tests = []
    for seed in range(40):
        design, inputs, _ = inputs_of(seed, n=1200, spread=0.0)
        tests.append(small_areas(design, ASKED, inputs)["alike"]["p_value"])  # type: ignore[index]
    assert sum(p < 0.05 for p in tests) <= 6


def test_area_without_responses_is_estimated_from_the_others() -> None:
    """As uncertain as the areas differ: its interval is wider than most."""
    design, inputs, _ = inputs_of(1)
    first = [row for row, cells in enumerate(inputs["groups"]) if design.background.cells[cells[0]][0] == (0,)]  # type: ignore[arg-type]
    totals = np.array(inputs["totals"])
    totals[first] = 0
    found = small_areas(design, ASKED | {"census": CENSUS}, inputs | {"totals": totals.tolist()})
    areas = {row["group"]: row for row in found["rows"][:-1]}  # type: ignore[index]
    widths = {key: row["high"] - row["low"] for key, row in areas.items()}
    assert areas[f"{DISTRICT}=1"]["n"] == 0
    assert widths[f"{DISTRICT}=1"] > np.median(list(widths.values()))


def test_age_in_which_nobody_says_yes_keeps_the_areas() -> None:
    """The coefficient of such an age has no end; areas keep their shares, lower where more people have this age."""
    design, inputs, _ = inputs_of(1)
    youngest = [row for row, cells in enumerate(inputs["groups"]) if design.background.cells[cells[0]][1] == (0,)]  # type: ignore[arg-type]
    totals = np.array(inputs["totals"])
    totals[youngest] = totals[youngest].sum(axis=2, keepdims=True) * [1, 0]
    young = [[area, age, 900 if age == 1 else 100] for area, age, _ in CENSUS]
    few_yes, usual = (
        small_areas(design, ASKED | {"census": census}, inputs | {"totals": totals.tolist()})["rows"]
        for census in (young, CENSUS)
    )
    assert len(few_yes) == len(usual) == 13  # type: ignore[arg-type]
    assert 0 < few_yes[-1]["low"] < few_yes[-1]["high"] < usual[-1]["low"]  # type: ignore[index]


def test_page_names_ends_and_cautions(design: Design) -> None:
    page = presentation.present(background.done(Kind.AREAS, design, outcome="cheated", area="where_do_you_live"))
    assert page.about == ("Have you cheated?", "Where do you live?")
    assert "in all areas together" in page.sentences[0]
    assert "highest in “West”" in page.sentences[1]
    assert "lowest in “North”" in page.sentences[1]
    assert page.sentences[2].startswith("The areas differ (standard deviation")
    assert any("4 areas say little" in caution for caution in page.cautions)
    assert any("No census" in caution for caution in page.cautions)
    (part,) = page.parts
    assert part.drawn[0].truth is not None
    assert part.table.rows[-1][0] == "All areas"


def test_census_answer_that_nobody_told_is_named(design: Design) -> None:
    table = "area,gender,people\nNorth,Woman,10\nNorth,Another,1"
    found = background.done(
        Kind.AREAS,
        design,
        outcome="cheated",
        area="where_do_you_live",
        table=table,
        **{"predictor-what_is_your_gender": "yes"},
    )
    assert found.result["unmet"] == {"question": "what_is_your_gender", "answer": 3, "reason": "unmodelled"}
    (sentence,) = presentation.present(found).sentences
    assert "The census has people with “Another”" in sentence


@pytest.mark.parametrize(
    ("fields", "fault"),
    few(
        [
            ({}, "Choose the background question whose answers are the areas"),
            ({"area": "where"}, "Choose the background question"),
            (
                {"area": "where_do_you_live", "table": "North,1,2"},
                "must have 2 cells: Where do you live.*; it has 3",
            ),
            ({"area": "where_do_you_live", "table": "Here,20"}, "Line 1 .* “Here”"),
            ({"area": "where_do_you_live", "table": "x,y\nNorth,many"}, "Line 2 .* whole number of people; got “many”"),
            ({"area": "where_do_you_live", "table": "North,2\n1,3"}, "Line 2 .* answers of an earlier one"),
            ({"area": "where_do_you_live", "table": "North,0"}, "at least one person"),
        ]
    ),
)
def test_wrong_areas_are_refused(design: Design, fields: dict[str, str], fault: str) -> None:
    with pytest.raises(AnalysisError, match=fault):
        services.request(Kind.AREAS, {"outcome": "cheated", **fields}, [design])


def test_fields_of_programs_are_known(design: Design) -> None:
    requests.require_known(Kind.AREAS, {"area": "x", "predictor-how_old_are_you": "yes", "table": ""}, design)
    with pytest.raises(AnalysisError, match="no field 'weights'"):
        requests.require_known(Kind.AREAS, {"weights": "x"}, design)
