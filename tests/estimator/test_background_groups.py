"""Estimates by background question: made of released cells, of which none has fewer than ten responses."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector.designs import FEWEST_IN_GROUP, Design
from estimator.runs.cells import released_cells, row_answers
from estimator.runs.estimation import estimate_item
from estimator.runs.groups import of_totals, stored
from tests.factories import background


@pytest.fixture(scope="module")
def design() -> Design:
    return background.design(background.REGION, background.AGE, background.JOB, expected=2000)


def totals(design: Design, sizes: Any, yes: float = 0.4) -> Any:
    """Tables of a survey with so many responses in each cell, a share of them Yes."""
    sizes = np.asarray(sizes)
    ones = np.round(sizes * yes).astype(np.int64)
    second = np.stack([sizes - 2 * (sizes // 3), sizes // 3, sizes // 3], axis=1)
    return np.stack([sizes - ones, ones], axis=1), second


@given(st.lists(st.integers(0, 40), min_size=34, max_size=34))
def test_released_rows_have_ten_responses_and_hold_each_cell_once(sizes: list[int]) -> None:
    made = background.design(background.REGION, background.AGE, background.JOB, expected=1000).background
    sizes = (sizes * 3)[: len(made.cells)]
    members = released_cells(made, sizes)
    assert sorted(cell for row in members for cell in row) == list(range(len(made.cells)))
    counts = [sum(sizes[cell] for cell in row) for row in members]
    assert len(members) == 1 or min(counts) >= FEWEST_IN_GROUP


def test_neighbours_are_combined_first(design: Design) -> None:
    """One thin cell joins others with the same region and age; every other cell stays."""
    sizes = [100] * len(design.strata)
    sizes[0] = 3
    members = released_cells(design.background, sizes)
    (joined,) = [row for row in members if 0 in row]
    told = row_answers(design.background, joined)
    assert len(joined) == 2
    assert told[:2] == design.background.cells[0][:2]
    assert len(members) == len(sizes) - 1


def test_groups_by_answer_are_sums_of_rows(design: Design) -> None:
    sizes = np.arange(20, 20 + len(design.strata))
    exact = totals(design, sizes)
    partition = of_totals(design, exact)
    rows = list(estimate_item(partition, 0, partition.merge_all(exact)[:1], 0.95))
    everyone, *groups = [row for row in rows if row.choice == 1]
    assert everyone.n == sizes.sum()
    by_label = {group.label: row for group, row in zip(partition.groups, groups, strict=True)}
    north = [cell for cell, answers in enumerate(design.background.cells) if answers[0] == (0,)]
    assert by_label["Where do you live? North"].n == sizes[north].sum()
    regions = sum(row.n for label, row in by_label.items() if label.startswith("Where"))
    assert regions <= everyone.n


def test_nothing_is_told_by_cell_while_responses_come(design: Design) -> None:
    exact = totals(design, [50] * len(design.strata))
    partition = of_totals(design, exact, final=False)
    assert (partition.parts, partition.groups, len(partition.members)) == ((), (), 1)


def test_group_codes_are_the_same_after_storing(design: Design) -> None:
    partition = of_totals(design, totals(design, [50] * len(design.strata)))
    again = stored(design, [list(row) for row in partition.members])
    assert [group.code for group in again.groups] == [group.code for group in partition.groups]
    assert [part.code for part in again.parts] == [part.code for part in partition.parts]
