"""The accessibility conformance report: every criterion is there once, and rests on tests that are."""

from collections import Counter
from pathlib import Path

import pytest
import yaml

from docs.make.conformance import CRITERIA, LEVELS, Criterion, openacr, text

ROOT = Path(__file__).parents[2]
OF_WCAG_22 = {"A": 31, "AA": 24}
"""How many criteria WCAG 2.2 has at each level, without 4.1.1, which it removed."""


def test_every_criterion_is_there_once() -> None:
    assert Counter(one.grade for one in CRITERIA) == OF_WCAG_22
    assert len({one.number for one in CRITERIA}) == sum(OF_WCAG_22.values())


@pytest.mark.parametrize("criterion", CRITERIA, ids=lambda one: one.number)
def test_criterion_rests_on_tests_that_are_there(criterion: Criterion) -> None:
    for part in (criterion.respondents, criterion.panel):
        assert bool(part.tests) != bool(part.absent), "a part has tests, or a reason why there is nothing to test"
        for name in part.tests:
            file, _, function = name.partition("::")
            assert f"def {function}(" in (ROOT / file).read_text(encoding="utf-8"), name


def test_whole_is_no_better_than_its_parts() -> None:
    by_number = {one.number: one for one in CRITERIA}
    assert by_number["4.1.3"].level == "partially-supports"  # the panel's announcements were not tried by ear
    assert by_number["1.3.5"].level == "supports"
    assert by_number["1.2.1"].level == "not-applicable"
    assert {one.level for one in CRITERIA} == set(LEVELS)


def test_openacr_has_every_criterion_with_its_level() -> None:
    chapters = yaml.safe_load(openacr())["chapters"]
    found = {
        one["num"]: one["components"][0]["adherence"]["level"]
        for grade in ("a", "aa")
        for one in chapters[f"success_criteria_level_{grade}"]["criteria"]
    }
    assert found == {one.number: one.level for one in CRITERIA}


def test_page_counts_the_levels() -> None:
    counts = Counter(one.level for one in CRITERIA)
    assert f"{counts['supports']} criteria are supported, {counts['partially-supports']} in part" in text()
