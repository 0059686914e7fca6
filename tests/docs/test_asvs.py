"""The table of OWASP ASVS: every requirement once, and what it rests on is there."""

import re
from collections import Counter
from pathlib import Path

import pytest

from docs.make.asvs import KINDS, Requirement, requirements

ROOT = Path(__file__).parents[2]
OF_ASVS = {"1": 70, "2": 183}
"""Requirements of ASVS 5.0.0 by level."""
NAMES = {
    name
    for path in (ROOT / "tests").rglob("*.py")
    for name in re.findall(r"^(?:async )?def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
}
FOUND = requirements()


def test_every_requirement_is_there_once() -> None:
    assert Counter(one.level for one in FOUND) == OF_ASVS
    assert len({one.number for one in FOUND}) == len(FOUND)


@pytest.mark.parametrize("one", FOUND, ids=lambda one: one.number)
def test_requirement_rests_on_what_is_there(one: Requirement) -> None:
    assert [name for name in one.tests if name not in NAMES] == []
    pages = re.findall(r"[\w./-]+\.(?:md|py)\b", one.answer)
    assert [name for name in pages if not (ROOT / name).is_file()] == []
    assert one.tests or one.kind in "=-!"
    assert one.kind in KINDS


def test_ninety_five_of_a_hundred_have_a_test_or_a_reason() -> None:
    missing = [one.number for one in FOUND if one.kind == "!"]
    assert len(missing) / len(FOUND) <= 0.05
