"""Effects of randomised predictors that differ by a background question: coverage, the size of the test, the page."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import special

from collector.designs import Design
from collector.designs.services import close_design, freeze_design
from estimator.analyses import exports, presentation, requests, services
from estimator.analyses.adjusted import adjusted_regression
from estimator.analyses.quantities import AnalysisError
from estimator.models import Analysis
from surveys.panel.analysis_forms import form_of
from tests.factories import background, simulation
from tests.factories.background import done

Kind = Analysis.Kind
AGE, JOB = "how_old_are_you", "do_you_have_a_job"
COINS = {"name": "forced_response", "truth": "3/4", "yes": "1/2"}
ITEMS = [
    {"key": "cheated", "kind": "yes_no", "wording": "Have you cheated?", "choices": ["No", "Yes"], "channel": COINS},
    {"key": "smokes", "kind": "yes_no", "wording": "Do you smoke?", "choices": ["No", "Yes"], "channel": COINS},
    {"key": "hours", "kind": "number", "wording": "Hours?", "choices": [], "minimum": "0", "maximum": "3", "step": "1",
     "channel": {"name": "one_bit", "truth": "1/4"}},
]  # fmt: skip
EFFECTS = np.array([1.8, 0.3, 0.3])
"""Of smoking on the logit of having cheated, of people with a job, without, and who prefer not to say."""
PARAMETERS = {"outcome": "cheated", "answer": "smokes", "predictors": [JOB], "modifier": JOB, "confidence": 0.95}
ASKED = {"outcome": "cheated", "answer": "smokes", "modifier": JOB}


@cache
def drawn() -> Design:
    return background.design(background.AGE, background.JOB, expected=4000, items=ITEMS)


def people(design: Design, random: np.random.Generator, effects: np.ndarray = EFFECTS) -> simulation.People:
    """4,000 people, of whom those without a job smoke more."""
    age, job = random.choice(5, 4000), random.choice(3, 4000, p=[0.4, 0.4, 0.2])
    smokes = (random.random(4000) < 0.3 + 0.1 * job).astype(np.int64)
    cheated = (random.random(4000) < special.expit(-1 + 0.4 * job + effects[job] * smokes)).astype(np.int64)
    cells = [design.background.cell_of(both) for both in zip(age.tolist(), job.tolist(), strict=True)]
    hours = random.integers(0, 2, 4000) + smokes * (1 + (job > 0))
    return simulation.People(np.array(cells), {"cheated": cheated, "smokes": smokes, "hours": hours})


def samples(outcome: int = 0, effects: np.ndarray = EFFECTS) -> Iterator[dict[str, Any]]:
    """The counts of 20 samples: of what people send to the outcome at a place, and to whether they smoke."""
    design = drawn()
    for seed in range(20):
        random = np.random.default_rng(seed)
        yield simulation.pairs(design, people(design, random, effects), random, outcome, 1)


def told(found: Mapping[str, Any], quantity: str, *, group: bool) -> list[dict[str, Any]]:
    """The rows of the randomised predictor, of everybody or with each answer to the background question."""
    rows = [row for row in found["rows"] if row["quantity"] == quantity and row["other_item"]]
    return [row for row in rows if bool(row["group"]) == group]


@pytest.mark.long
def test_intervals_with_each_answer_hold_the_truth() -> None:
    """Three odds ratios and six shares in 20 samples of 4,000.

    Were the intervals independent, fewer than 51 of 60 and 106 of 120 would hold in 0.1 % of seeds each.
    """
    ratios, shares, found_apart = list[bool](), list[bool](), 0
    for inputs in samples():
        found: Any = adjusted_regression(drawn(), PARAMETERS, inputs)
        assert not told(found, "odds_ratio", group=False)
        for row in told(found, "odds_ratio", group=True):
            ratios.append(row["low"] <= np.exp(EFFECTS[int(row["group"][-1]) - 1]) <= row["high"])
        for row in told(found, "share", group=True):
            job = int(row["group"][-1]) - 1
            truth = special.expit(-1 + 0.4 * job + EFFECTS[job] * row["other_choice"])
            shares.append(row["low"] <= truth <= row["high"])
        (test,) = found["modified"]
        assert test["degrees_of_freedom"] == 2
        assert found["alike"]["degrees_of_freedom"] == 3
        found_apart += test["p_value"] < 0.05
    assert (len(ratios), len(shares)) == (60, 120)
    assert sum(ratios) >= 51
    assert sum(shares) >= 106
    assert found_apart >= 10


@pytest.mark.long
def test_equal_effects_are_seldom_told_apart() -> None:
    """In at most 4 of 20 samples, as at 5 % more are in 0.3 % of seeds."""
    alarms = [
        adjusted_regression(drawn(), PARAMETERS, inputs)["modified"][0]["p_value"] < 0.05  # type: ignore[index]
        for inputs in samples(effects=np.full(3, 1.0))
    ]
    assert len(alarms) == 20
    assert sum(alarms) <= 4


def test_means_and_their_differences_hold_the_truth() -> None:
    """Hours of those who smoke are higher by 1 with a job, by 2 else: three differences and six means in 20 samples.

    Were the intervals independent, fewer than 51 of 60 and 106 of 120 would hold in 0.1 % of seeds each.
    """
    differences, means = list[bool](), list[bool]()
    for inputs in samples(outcome=2):
        found: Any = adjusted_regression(drawn(), PARAMETERS | {"outcome": "hours:mean"}, inputs)
        for row in told(found, "difference", group=True):
            differences.append(row["low"] <= min(int(row["group"][-1]), 2) <= row["high"])
        for row in told(found, "mean", group=True):
            truth = 0.5 + row["other_choice"] * min(int(row["group"][-1]), 2)
            means.append(row["low"] <= truth <= row["high"])
    assert (len(differences), len(means)) == (60, 120)
    assert sum(differences) >= 51
    assert sum(means) >= 106


@pytest.fixture
def asked(db: None, monkeypatch: pytest.MonkeyPatch) -> Design:
    monkeypatch.setattr(services, "wake", lambda number: None)
    made, random = freeze_design(drawn().document), np.random.default_rng(4)
    who = people(made, random)
    simulation.store(made, who, simulation.symbols(made, who, random))
    close_design(made.digest)
    return made


def test_page_tells_the_effect_with_each_answer(asked: Design) -> None:
    found = done(Kind.REGRESSION, asked, **ASKED)
    assert found.parameters["predictors"] == [JOB]
    page = presentation.present(found)
    text = " ".join(page.sentences)
    assert "The effect of the answer to “Do you smoke?” differs by “Do you have a job?” (Wald statistic" in text
    assert "The outcome depends on the answer to “Do you smoke?”" in text
    assert "in “Do you smoke? Yes · Do you have a job? Yes” are" in text.replace(": Yes”", " Yes”")
    assert "added to each effect" in " ".join(map(str, page.methods))
    headings = [row.heading for row in page.parts[0].drawn if row.heading]
    assert headings[0] == "Do you smoke?"
    assert len([one for one in headings if one.startswith("Do you smoke? · ")]) == 3
    rows = [row for row in exports.rows_of(found) if row["other_item"] and row["group"]]
    assert {row["quantity"] for row in rows} == {"share", "difference", "odds_ratio"}
    assert not [row for row in found.result["rows"] if row["quantity"] == "odds_ratio" and not row["other_item"]]
    assert {row["group_label"] for row in rows} == {row["group_label"] for row in rows if row["other_choice_label"]}


def test_numbers_without_the_answers_are_averages_of_those_with_them(asked: Design) -> None:
    """Without other predictors the difference of everybody is that of each answer's people, by their numbers."""
    found = done(Kind.REGRESSION, asked, **ASKED)
    (whole,) = told(found.result, "difference", group=False)
    apart = told(found.result, "difference", group=True)
    total = sum(row["n"] for row in apart)
    assert whole["estimate"] == pytest.approx(sum(row["estimate"] * row["n"] for row in apart) / total, abs=1e-9)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"modifier": "mood"}, "Choose one of the background questions that effects may differ by, or none"),
        ({"answer": ""}, "Choose a randomised predictor whose effect differs by a background question"),
        ({f"predictor-{JOB}": "steps"}, "“Do you have a job\\?” cannot enter in steps"),
    ],
)
def test_what_does_not_go_together_is_refused(fields: dict[str, str], words: str) -> None:
    with pytest.raises(AnalysisError, match=words):
        requests.parameters(Kind.REGRESSION, ASKED | fields, [drawn()])


@pytest.mark.django_db
def test_form_asks_what_effects_differ_by() -> None:
    fields = {field.name: field for field in form_of(Kind.REGRESSION, [drawn()], {}).fields}
    assert fields["modifier"].value == ""
    assert [[key for key, _ in options] for _, options in fields["modifier"].options or ()] == [[""], [AGE, JOB]]
