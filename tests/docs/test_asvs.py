"""The tables of OWASP ASVS and of HECVAT: every requirement once, and what each row rests on is there."""

import re
from collections import Counter
from pathlib import Path

import pytest

from docs.make import vendor_assessment
from docs.make.asvs import KINDS, Requirement, requirements
from docs.make.markdown import TEST

ROOT = Path(__file__).parents[2]
OF_ASVS = {"1": 70, "2": 183}
"""Requirements of ASVS 5.0.0 by level."""
NAMES = {
    name
    for path in (ROOT / "tests").rglob("*.py")
    for name in re.findall(r"^(?:async )?def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
}
FOUND = requirements()


def gone(answer: str) -> list[str]:
    """The tests and pages that an answer names and that are not there."""
    pages = re.findall(r"[\w./-]+\.(?:md|py)\b", answer)
    return [name for name in TEST.findall(answer) if name not in NAMES] + [
        name for name in pages if not (ROOT / name).is_file()
    ]


def test_every_requirement_is_there_once() -> None:
    assert Counter(one.level for one in FOUND) == OF_ASVS
    assert len({one.number for one in FOUND}) == len(FOUND)


@pytest.mark.parametrize("one", FOUND, ids=lambda one: one.number)
def test_requirement_rests_on_what_is_there(one: Requirement) -> None:
    assert gone(one.answer) == []
    assert one.tests or one.kind in "=-!"
    assert one.kind in KINDS


def test_ninety_five_of_a_hundred_have_a_test_or_a_reason() -> None:
    missing = [one.number for one in FOUND if one.kind == "!"]
    assert len(missing) / len(FOUND) <= 0.05


@pytest.mark.parametrize("one", vendor_assessment.answers(), ids=lambda one: one.question)
def test_answer_for_it_departments_rests_on_what_is_there(one: vendor_assessment.Answer) -> None:
    assert gone(one.said) == []
    assert one.short in vendor_assessment.SHORT
    assert one.said
