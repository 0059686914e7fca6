"""Control questions: what the report says where people followed their tickets, and where some answered at random."""

from typing import Any

import numpy as np
import pytest
from django.utils import translation

from collector.designs import Design
from collector.designs.services import freeze_design
from collector.errors import ValidationError
from estimator.base.languages import LANGUAGES, activated
from estimator.models import Run
from estimator.reports import paper
from estimator.reports import report as reports
from surveys.definition import definitions
from tests.factories import payloads, simulation
from tests.factories.runs import run_of

pytestmark = pytest.mark.django_db
K_ARY = {"name": "k_ary", "truth": "1/2"}
FORCED = {"name": "forced_response", "truth": "1/2", "yes": "1/2"}


def question(key: str, wording: str, **more: Any) -> dict[str, Any]:
    choices = [{"en": "No"}, {"en": "Yes"}]
    return {"key": key, "kind": "yes_no", "wording": {"en": wording}, "choices": choices, "channel": FORCED} | more


def definition(known: object = "0", **more: Any) -> Any:
    items = [question("moon", "Have you been to the moon?", known_share=known, **more), question("drugs", "Drugs?")]
    return payloads.definition(strata={"wording": "", "groups": []}, items=items)


def design(known: object = "0") -> Design:
    return definitions.design_of(definitions.complete(definition(known)), version=1)


def run(*, random: float, known: str = "0", drugs: float = 0.2, n: int = 2000, seed: int = 1) -> Run:
    """A run over n people of whom this share answered both questions at random."""
    made, source = freeze_design(design(known).document), np.random.default_rng(seed)
    chance = source.random(n) < random
    moon = np.where(chance, source.random(n) < 0.5, source.random(n) < float(known))
    took = np.where(chance, source.random(n) < 0.5, source.random(n) < drugs)
    answers = {"moon": moon.astype(np.int64), "drugs": took.astype(np.int64)}
    who = simulation.People(np.zeros(n, dtype=np.int64), answers)
    simulation.store(made, who, simulation.symbols(made, who, source))
    return run_of(made)


def test_honest_answers_do_not_contradict_the_known_share() -> None:
    (found,) = reports.build(run(random=0.0)).protection
    (sentence,) = found.sentences
    assert sentence.startswith("“Have you been to the moon?”: an estimated ")
    assert sentence.endswith("is known, and nothing contradicts it.")
    assert found.following is None
    assert found.figure is not None
    assert found.figure.rows[0].truth == 0


def test_random_answers_are_found_and_their_consequence_is_shown() -> None:
    """Of 2,000 people 20 % answered at random: 10 % say yes to what nobody is, and 26 % to drugs instead of 20 %."""
    (found,) = reports.build(run(random=0.2)).protection
    assert "of the respondents answered at random, that would explain it" in found.sentences[0]
    assert found.following is not None
    (row,) = found.following.rows
    wording, estimate, corrected, _ = (cell.text for cell in row)
    assert wording == "Drugs?"
    assert abs(_number(estimate) - 26) <= 6
    assert abs(_number(corrected) - 20) <= 7
    assert _number(corrected) < _number(estimate)


def _number(text: str) -> float:
    return float(text.partition("\u00a0")[0])


def test_too_few_yes_are_not_called_random() -> None:
    (found,) = reports.build(run(random=0.0, known="0.9", seed=3)).protection
    assert found.following is None
    made, source = freeze_design(design("0.4").document), np.random.default_rng(4)
    who = simulation.People(
        np.zeros(900, dtype=np.int64), dict.fromkeys(("moon", "drugs"), np.zeros(900, dtype=np.int64))
    )
    simulation.store(made, who, simulation.symbols(made, who, source))
    (low,) = reports.build(run_of(made)).protection
    assert "Random answers do not explain that" in low.sentences[0]


@pytest.mark.long
def test_eight_per_cent_of_random_answers_are_found_in_eight_of_ten_samples() -> None:
    """Of 4,000 people 8 % answer at random, so 4 % say yes to what nobody is, with a standard error of 1.5 %.

    The interval of randomisation leaves 0 out if the estimate is two of its errors above: 78 % of samples. In twelve
    fewer than 6 would be found in 1 % of seeds.
    """
    found = 0
    for seed in range(12):
        (check,) = reports.build(run(random=0.08, n=4000, seed=seed)).protection
        found += "answered at random" in check.sentences[0]
    assert found >= 6


def test_check_is_in_the_report_in_every_language_and_in_the_pdf() -> None:
    made = run(random=0.3)
    for language in LANGUAGES:
        with activated(language), translation.override(language):
            built = reports.build(made)
            (check,) = built.protection
            assert built.words["protection"]
            assert dict(built.contents)["protection"] == built.words["protection"]
            assert language == "en" or "answered" not in check.sentences[0]
            data = paper.data(built)
            assert data is not None
            assert data["protection"][0]["sentences"]  # type: ignore[index]


def test_report_without_control_questions_has_no_check() -> None:
    made = freeze_design(payloads.document())
    assert "known_share" not in str(made.document)


@pytest.mark.parametrize(("written", "known"), [("0", "0"), (0, "0"), (0.25, "0.25"), ("1/3", "1/3"), ("25 %", "0.25")])
def test_known_share_is_frozen_exactly(written: object, known: str) -> None:
    assert design(written).items[0].known_share == known
    assert "known_share" not in design(written).document["items"][1]


@pytest.mark.parametrize(
    ("known", "more", "message"),
    [
        ("1/2", {}, r"items\[0\].known_share must not be 1/2"),
        ("2", {}, r"items\[0\].known_share must be a fraction from 0 to 1"),
        ("many", {}, r"items\[0\].known_share"),
        ([], {}, r"items\[0\].known_share must be a fraction"),
        (
            "0",
            {"prefer_not": True, "channel": K_ARY},
            r"items\[0\].known_share is for yes/no questions without prefer_not",
        ),
    ],
)
def test_wrong_known_share_is_refused(known: object, more: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        definitions.design_of(definitions.complete(definition(known, **more)), version=1)


def test_empty_known_share_is_none() -> None:
    assert design("").items[0].known_share is None
