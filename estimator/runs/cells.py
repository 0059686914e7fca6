"""Released cells of background questions, and the groups of respondents by one answer that are made of them.

A cell is sent openly as a group is, so none of fewer than FEWEST_IN_GROUP responses is told of by itself. Cells that
are too small are combined with their neighbours: those that differ in the last question first, so that the first
questions stay as fine as can be (docs/adr/0049-background-questions.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from collector.designs import FEWEST_IN_GROUP, Background
from collector.designs.background import Answers

Members = tuple[tuple[int, ...], ...]
"""For each row of released totals, the indices of its cells."""

Row = tuple[Answers, ...]
"""What a row of released totals says: for each question the answers that it takes."""

FIRST_CODE = 8192
PER_QUESTION = 64
"""Codes of groups in stored estimates: FIRST_CODE + PER_QUESTION * question + answer; cells are below."""


@dataclass(frozen=True)
class AnswerGroup:
    """The respondents with one answer to a background question, as far as it was sent by itself: the rows they are in.

    `question` and `answer` are indices; `rows` index the released totals.
    """

    question: int
    answer: int
    rows: tuple[int, ...]

    @property
    def code(self) -> int:
        return FIRST_CODE + PER_QUESTION * self.question + self.answer


def released_cells(background: Background, sizes: Sequence[int]) -> Members:
    """The cells to release, combined until each row has FEWEST_IN_GROUP responses; one row where all have fewer.

    - `sizes`: the number of responses of each cell.
    """
    return tuple(tuple(sorted(row)) for row in _combined(background, sizes, list(range(len(sizes))), 0))


def _combined(background: Background, sizes: Sequence[int], cells: list[int], question: int) -> list[list[int]]:
    """The rows of these cells, which agree on the questions before this one."""

    def size(row: list[int]) -> int:
        return sum(sizes[cell] for cell in row)

    def answers(cell: int) -> Answers:
        return background.cells[cell][question]

    if question == len(background.questions) or size(cells) < 2 * FEWEST_IN_GROUP:
        return [cells]
    branches = [list(run) for _, run in groupby(sorted(cells, key=lambda cell: (answers(cell), cell)), key=answers)]
    large = sorted((branch for branch in branches if size(branch) >= FEWEST_IN_GROUP), key=size)
    joined = [cell for branch in branches if size(branch) < FEWEST_IN_GROUP for cell in branch]
    while joined and large and size(joined) < FEWEST_IN_GROUP:
        joined += large.pop(0)
    rows = [row for branch in sorted(large) for row in _combined(background, sizes, branch, question + 1)]
    return [*rows, joined] if joined else rows


def row_answers(background: Background, members: Sequence[int]) -> Row:
    """What a row of these cells says of each question: the answers that any of them takes."""
    cells = [background.cells[cell] for cell in members]
    return tuple(tuple(sorted({answer for one in taken for answer in one})) for taken in zip(*cells, strict=True))


def answer_groups(background: Background, members: Members) -> list[AnswerGroup]:
    """The groups by one answer to one question, in the order of questions and answers; none without rows."""
    rows = [row_answers(background, one) for one in members]
    found = [
        AnswerGroup(place, answer, tuple(row for row, told in enumerate(rows) if told[place] == (answer,)))
        for place, question in enumerate(background.questions)
        for answer in question.everyone
    ]
    return [group for group in found if group.rows]
