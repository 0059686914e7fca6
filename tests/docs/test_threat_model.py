"""The threat model rests on tests that are there."""

from pathlib import Path

import pytest

from docs.make.threat_model import THREATS, Threat

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("threat", THREATS, ids=lambda one: one.who)
def test_threat_rests_on_tests_that_are_there(threat: Threat) -> None:
    assert threat.rests_on
    for name in threat.rests_on:
        file, _, function = name.partition("::")
        assert f"def {function}(" in (ROOT / file).read_text(encoding="utf-8"), name


def test_everybody_is_in_the_table_once() -> None:
    assert len({one.who for one in THREATS}) == len(THREATS)
