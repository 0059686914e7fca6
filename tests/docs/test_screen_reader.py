"""The page on the screen reader says what the tests demand."""

from pathlib import Path

from tests.browser.states import KINDS, STATES, UNASKED

PAGE = (Path(__file__).parents[2] / "docs/evidence/screen-reader.md").read_text()
LOADED = "Finished loading"
"""Orca's own words for a page that has come."""


def test_page_has_what_must_be_heard_unasked() -> None:
    demanded = {state: said for state, said in UNASKED.items() if said and not said.startswith(LOADED)}
    del demanded["kept"]  # is sending, seen later
    assert [state for state, said in demanded.items() if f"| {state} | {said} |" not in PAGE] == []


def test_page_counts_the_states() -> None:
    assert (len(STATES), len(KINDS)) == (14, 5)
    assert "in fourteen states, and in five with every kind of question" in PAGE
    assert set(UNASKED) == set(STATES)
