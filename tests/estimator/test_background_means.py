"""Linear regression of a number or a scale on background questions: means and their differences."""

from functools import cache

import numpy as np
import pytest

from collector.designs import Design
from collector.designs.services import close_design, freeze_design
from estimator.analyses import exports, presentation, services
from estimator.analyses.adjusted import adjusted_regression
from estimator.analyses.quantities import AnalysisError
from estimator.models import Analysis
from tests.factories import background, simulation

Kind = Analysis.Kind
REGION, AGE = "where_do_you_live", "how_old_are_you"
ITEMS = [
    {
        "key": "hours",
        "kind": "number",
        "wording": {"en": "How many hours?"},
        "choices": [],
        "minimum": "0",
        "maximum": "10",
        "step": "1",
        "channel": {"name": "one_bit", "truth": "1/2"},
    },
    {
        "key": "worry",
        "kind": "scale",
        "wording": {"en": "How worried are you?"},
        "choices": [{"en": str(point)} for point in range(1, 6)],
        "channel": {"name": "k_ary", "truth": "1/2"},
    },
    {
        "key": "pain",
        "kind": "scale",
        "wording": {"en": "How strong is the pain?"},
        "choices": [{"en": str(point)} for point in range(1, 4)],
        "prefer_not": True,
        "channel": {"name": "k_ary", "truth": "1/2"},
    },
]
MEANS = 10 * np.array(background.YES)
"""Of the hours in each region, and of those who do not tell theirs."""


@cache
def drawn() -> Design:
    return background.design(background.REGION, background.AGE, expected=2000, items=ITEMS)


def people(design: Design, n: int, random: np.random.Generator) -> simulation.People:
    shares = [[float(share) for share in question.shares] for question in design.background.questions]
    told = np.stack([random.choice(len(one), size=n, p=one) for one in shares], axis=1)
    cells = np.array([design.background.cell_of(answers) for answers in told.tolist()])
    chance = np.array(background.YES)[told[:, 0]]
    answers = {"hours": random.binomial(10, chance), "worry": random.binomial(4, chance), "pain": random.choice(4, n)}
    return simulation.People(cells, answers)


def inputs_of(seed: int, position: int, n: int = 2000) -> tuple[Design, dict[str, object]]:
    design, random = drawn(), np.random.default_rng(seed)
    who = people(design, n, random)
    exact = simulation.totals(design, who, simulation.symbols(design, who, random))
    return design, background.released_inputs(design, exact, position)


@pytest.mark.parametrize(("position", "factor"), [(0, 10), (1, 4)], ids=["a number", "a scale"])
def test_intervals_of_means_and_differences_hold_the_truth(position: int, factor: int) -> None:
    """160 differences from the first answer and 90 means in 10 samples of 2,000 responses.

    Were the intervals independent, fewer than 72 of 80 and 36 of 40 would hold in 1 % of seeds.
    """
    token = ("hours:mean", "worry:mean")[position]
    asked = {"outcome": token, "predictors": [REGION, AGE], "confidence": 0.95}
    base = 1 if position else 0
    differences, means = list[bool](), list[bool]()
    for seed in range(10):
        found = adjusted_regression(*_with(asked, seed, position))
        for row in found["rows"]:  # type: ignore[attr-defined]
            key, _, number = row["group"].partition("=")
            if row["quantity"] == "difference":
                truth = factor * (background.YES[int(number) - 1] - background.YES[0]) if key == REGION else 0.0
                differences.append(row["low"] <= truth <= row["high"])
            elif key == REGION:
                means.append(row["low"] <= base + factor * background.YES[int(number) - 1] <= row["high"])
    assert len(differences) == 80
    assert sum(differences) >= 71
    assert sum(means) >= 43


def _with(asked: dict[str, object], seed: int, position: int) -> tuple[Design, dict[str, object], dict[str, object]]:
    design, inputs = inputs_of(seed, position)
    return design, asked, inputs


def test_page_tells_differences_of_means(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "wake", lambda number: None)
    design = freeze_design(drawn().document)
    random = np.random.default_rng(5)
    who = people(design, 2000, random)
    simulation.store(design, who, simulation.symbols(design, who, random))
    close_design(design.digest)
    asked = {f"predictor-{REGION}": "yes", f"predictor-{AGE}": "yes", "outcome": "hours:mean"}
    found = services.execute(services.request(Kind.REGRESSION, asked, [design]).pk)
    assert found.state == Analysis.State.DONE, found.fault
    page = presentation.present(found)
    assert page.about[0] == "How many hours?"
    assert any(sentence.startswith("“Where do you live? West” is higher than") for sentence in page.sentences)
    assert page.sentences[-1].startswith("The groups differ (Wald statistic")
    assert [part.title for part in page.parts] == ["Mean in each group", "Differences of means"]
    assert "Linear regression" in str(page.methods[0])
    assert len(exports.rows_of(found)) == len(found.result["rows"])
    crossed = services.request(Kind.REGRESSION, asked | {f"interaction-{REGION}+{AGE}": "yes"}, [design])
    assert services.execute(crossed.pk).result["interaction"][0]["p_value"] > 0
    with pytest.raises(AnalysisError, match="no use for priors"):
        services.request(Kind.REGRESSION, asked | {"prior": "yes"}, [design])
    with pytest.raises(AnalysisError, match="cannot be regressed: some of those"):
        services.request(Kind.REGRESSION, asked | {"outcome": "pain:mean"}, [design])
