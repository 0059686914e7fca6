"""The number of yes to several questions: its distribution, its mean, and what is refused."""

from typing import Any

import numpy as np
import pytest

from collector.designs import Design
from collector.designs.services import close_design, freeze_design
from estimator.analyses import exports, presentation, requests, scores, services
from estimator.analyses.quantities import AnalysisError
from estimator.models import Analysis
from surveys.definition import definitions
from tests.factories import payloads, simulation
from tests.factories.background import done

Kind = Analysis.Kind
FORCED = {"name": "forced_response", "truth": "3/5", "yes": "1/2"}
LITTLE = {"name": "forced_response", "truth": "1/5", "yes": "1/2"}
KEYS = ("cannabis", "cocaine", "speed")
SHARES = np.array([0.55, 0.25, 0.15, 0.05])
"""Of people who took none, one, two and all three, each of them as likely."""


def design(**more: Any) -> Design:
    items = [
        {"key": key, "kind": "yes_no", "wording": f"Have you taken {key}?", "choices": ["No", "Yes"], "channel": FORCED}
        for key in KEYS
    ]
    drinks = {
        "key": "drinks",
        "kind": "several_choices",
        "wording": "Which drinks?",
        "choices": ["Tea", "Beer", "Wine"],
        "channel": LITTLE,
    }
    mood = {
        "key": "mood",
        "kind": "one_choice",
        "wording": "Mood?",
        "choices": ["Well", "So-so", "Low"],
        "channel": {"name": "k_ary", "truth": "1/2"},
    }
    raw = payloads.definition(strata={"wording": "", "groups": []}, items=[*items, drinks, mood], **more)
    return definitions.design_of(definitions.complete(raw), version=1)


def people(n: int, random: np.random.Generator) -> simulation.People:
    took = random.choice(4, size=n, p=SHARES)
    order = random.permuted(np.tile(np.arange(3), (n, 1)), axis=1)
    said = (order < took[:, None]).astype(np.int64)
    answers = {key: said[:, place] for place, key in enumerate(KEYS)}
    answers |= {"drinks": random.integers(0, 2, (n, 3)), "mood": random.integers(0, 3, n)}
    return simulation.People(np.zeros(n, dtype=np.int64), answers)


@pytest.fixture
def taken(db: None, monkeypatch: pytest.MonkeyPatch) -> Design:
    monkeypatch.setattr(services, "wake", lambda number: None)
    made, random = freeze_design(design().document), np.random.default_rng(8)
    who = people(3000, random)
    simulation.store(made, who, simulation.symbols(made, who, random))
    close_design(made.digest)
    return made


def fields(*tokens: str) -> dict[str, str]:
    return {f"item-{token}": "yes" for token in tokens}


def test_intervals_of_numbers_and_mean_hold_the_truth() -> None:
    """Four shares and a mean in each of 20 samples of 1,500: fewer than 69 of 80 and 16 of 20 in 1 % of seeds."""
    made, shares, means = design(), list[bool](), list[bool]()
    parameters = {"items": list(KEYS), "confidence": 0.95}
    counted = scores.variables(made, parameters)
    for seed in range(20):
        random = np.random.default_rng(seed)
        symbols = simulation.symbols(made, people(1500, random), random)
        codes = np.stack([np.array(one.codes)[symbols[:, one.column]] for one in counted], axis=1)
        patterns, counts = np.unique(codes, axis=0, return_counts=True)
        inputs = {"patterns": np.column_stack([patterns, counts]).tolist()}
        for row in scores.scores(made, parameters, inputs)["rows"]:  # type: ignore[attr-defined]
            if row["quantity"] == "share":
                shares.append(row["low"] <= SHARES[row["choice"]] <= row["high"])
            elif row["quantity"] == "mean":
                means.append(row["low"] <= SHARES @ np.arange(4) <= row["high"])
    assert (len(shares), len(means)) == (80, 20)
    assert sum(shares) >= 69
    assert sum(means) >= 16


def test_page_tells_numbers_mean_and_associations(taken: Design) -> None:
    found = done(Kind.SCORES, taken, **fields(*KEYS))
    assert found.reports == 3000
    page = presentation.present(found)
    assert page.about == tuple(f"Have you taken {key}?" for key in KEYS)
    assert page.sentences[0].startswith("An estimated ")
    assert page.sentences[0].endswith("would truthfully say Yes to none of the 3 questions.")
    assert page.sentences[2].startswith("The answers go together more than chance explains (likelihood ratio")
    assert [row[0] for row in page.parts[0].table.rows] == ["None", "1 of 3", "2 of 3", "3 of 3"]
    assert len(page.parts[1].table.rows) == 3
    labels = [row["choice_label"] for row in exports.rows_of(found)]
    assert labels[:4] == ["None", "1 of 3", "2 of 3", "3 of 3"]
    shares = [row["estimate"] for row in found.result["rows"] if row["quantity"] == "share"]
    assert sum(shares) == pytest.approx(1)
    assert services.execute(services.repeat(found).pk).result_digest == found.result_digest


def test_options_and_choices_are_counted_too(taken: Design) -> None:
    found = done(Kind.SCORES, taken, **fields("drinks:0", "drinks:1", "mood:2"))
    assert presentation.present(found).about[0] == "Which drinks? “Tea”"
    assert len(found.result["rows"]) == 4 + 1 + 3
    assert presentation.present(found).parts[1].table.rows[0][:2] == ("Which drinks? “Tea”", "Which drinks? “Beer”")
    told = [row for row in exports.rows_of(found) if row["quantity"] == "phi"]
    assert next((row["choice_label"], row["other_choice_label"]) for row in told) == ("Tea", "Beer")


def test_patterns_of_a_thousand_responses_are_all_of_them(taken: Design) -> None:
    counted = scores.variables(taken, {"items": list(KEYS)})
    patterns = scores.count_patterns(taken, counted)
    assert sum(row[-1] for row in patterns) == 3000
    assert len(patterns) == 8


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        (("cannabis",), "Choose 2 to 6 questions or options; 1 are chosen"),
        ((), "0 are chosen"),
        (("mood:0", "mood:1"), "with a single choice, one excludes the other"),
        ((*KEYS, "drinks:0", "drinks:1", "drinks:2", "mood:0"), "7 are chosen"),
    ],
)
def test_questions_that_cannot_be_counted_together_are_refused(tokens: tuple[str, ...], words: str) -> None:
    with pytest.raises(AnalysisError, match=words):
        requests.parameters(Kind.SCORES, fields(*tokens), [design()])


def test_unknown_field_is_refused() -> None:
    with pytest.raises(AnalysisError, match="has no field 'item-heroin'"):
        requests.require_known(Kind.SCORES, fields("heroin"), design())


def test_too_few_responses_have_no_numbers() -> None:
    found = scores.scores(
        design(), {"items": list(KEYS), "confidence": 0.95}, {"patterns": [[0, 0, 0, 12], [1, 1, 1, 9]]}
    )
    assert found == {"n": 21, "flags": ["too_few_reports"], "rows": []}
