"""The released groups of a design: a group alone if it has enough reports, otherwise combined with others.

A group is sent openly, so a group of one would give its report away by name. This is the one place that decides which
groups are told of. Estimates, files and analyses are all made of the partition that it gives, so nothing that leaves
can be subtracted from something else that does: docs/adr/0028-groups-of-ten.md. A design with `participation` releases
how many people are in each group through a noised number alone, and nothing else by group:
docs/adr/0024-participation-counts.md.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from django.utils.translation import gettext, override
from numpy.typing import NDArray

from collector.designs import FEWEST_IN_GROUP, Design, Stratum
from collector.designs.arms import asked_in
from collector.reports.selectors import Totals
from estimator.runs.cells import FIRST_CODE, PER_QUESTION, Members, answer_groups, released_cells, row_answers
from randomized_response import collapse_strata

OTHER = "other groups"
"""The key of combined groups. No group can have it: a key has no space."""

AND = "+"
"""Between the keys of answers to two background questions, of the respondents with both."""

STEP = "step"
"""In place of an answer: of what changes with each further answer to a background question."""

UNTOLD = (
    "How many people are in each group of this survey is told through noised numbers alone, so nothing is estimated by "
    "group: it would tell how many they are."
)
"""The reason for refusing an analysis by group."""

ENOUGH_TO_WEIGHT = 30
"""Minimum reports to weight groups by known shares. Not a limit of privacy, but of the method: the interval
of a weighted sum covers at least .937 of 95 % from here on, and .927 with two groups of ten reports (enumerated:
`randomized_response.strata`)."""


@dataclass(frozen=True)
class ReleasedGroup:
    """A group, or several that are told of as one.

    - `code`: in rows and files: the index of the group in the design; of several together the number of all groups.
    - `key`, `label`: of the group; of several together OTHER, and "Other groups" in the survey's own language.
    - `names`: of the groups that it holds, as they were offered.
    - `share`: its known share of the population, exact.
    - `rows`: the rows of the released totals that it is made of.
    - `question`, `answer`: of those with one answer to a background question, in the survey's own language.
    - `withheld`: whether that answer is that they prefer not to say.
    """

    code: int
    key: str
    label: str
    names: tuple[str, ...]
    share: str | None
    rows: tuple[int, ...]
    question: str = ""
    answer: str = ""
    withheld: bool = False

    @property
    def full_label(self) -> str:
        """The label; of combined groups with their names."""
        return self.label if self.key != OTHER else f"{self.label}: {', '.join(self.names)}"


@dataclass(frozen=True)
class Partition:
    """The released groups of a design: totals have a row for each of `members`.

    Where that is one row there are no `parts`: nothing is told by group.
    """

    design: Design
    members: Members

    @cached_property
    def parts(self) -> tuple[ReleasedGroup, ...]:
        """The released groups, in the order of the rows: each report is in one of them."""
        if len(self.members) == 1:
            return ()
        make = _cell if self.design.background else _part
        return tuple(make(self.design, groups, row) for row, groups in enumerate(self.members))

    @cached_property
    def groups(self) -> tuple[ReleasedGroup, ...]:
        """The groups to make estimates of: the parts, or those with one answer to a background question.

        Groups by different background questions overlap.
        """
        return tuple(_answer_groups(self)) if self.design.background else self.parts

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the rows; only the empty key without groups."""
        return tuple(part.key for part in self.parts) or ("",)

    @property
    def other(self) -> ReleasedGroup | None:
        """The combined groups, if there are any."""
        return next((part for part in self.parts if part.key == OTHER), None)

    @property
    def is_suppressed(self) -> bool:
        """Return True if a group is not released by itself because it has too few reports."""
        grouped = self.design.strata != ("",) and not is_protected(self.design)
        return grouped and len(self.members) < len(self.design.strata)

    @cached_property
    def rows(self) -> NDArray[np.intp]:
        """For each group of the design, the row that contains it."""
        rows = np.zeros(len(self.design.strata), dtype=np.intp)
        for row, groups in enumerate(self.members):
            rows[list(groups)] = row
        return rows

    def row_of(self, key: str) -> int:
        """The row that contains the group with this key."""
        return int(self.rows[self.design.strata.index(key)])

    def merge(self, table: NDArray[Any], *positions: int) -> NDArray[Any]:
        """Sum counts with a row for each group into counts with a row for each of `members`.

        Each report is in a table once. Of fewer than FEWEST_IN_GROUP in all nothing is told, as if none had come; and
        nothing of a row in which somebody was not asked the questions at `positions`.
        """
        few = not self.design.rehearsal and table.sum() < FEWEST_IN_GROUP
        counted = np.zeros_like(table) if few else table
        rows = np.stack([counted[list(groups)].sum(axis=0) for groups in self.members])
        rows[~self.merge_asked(*positions)] = 0
        return rows

    def merge_asked(self, *positions: int) -> NDArray[np.bool_]:
        """For each of `members`, whether all its respondents were asked the questions at these places."""
        asked = strata_asked(self.design, *positions)
        return np.array([asked[list(groups)].all() for groups in self.members])

    def merge_all(self, totals: Totals) -> Totals:
        """`merge` for the totals of each symbol of a report, in their order."""
        positions = (place for place, field in enumerate(self.design.fields) for _ in range(field.symbols))
        return tuple(self.merge(table, position) for table, position in zip(totals, positions, strict=True))

    def merge_item(self, totals: Totals, position: int) -> Totals:
        """`merge` for the totals of the symbols of one question."""
        return tuple(self.merge(table, position) for table in totals)


def released(design: Design, sizes: Sequence[int]) -> Partition:
    """The partition for the release of numbers, from the number of reports of each group.

    Groups of fewer than FEWEST_IN_GROUP reports are told of together; while these are too few as well, the smallest of
    the others joins them (complementary suppression): else all respondents less the others would give them away. Of
    equal ones the first in the design joins. A rehearsal's respondents are simulated, and each of its groups is told.
    Groups whose shares are known are all together while there are too few reports to weight them.
    """
    if is_protected(design) or (has_shares(design) and sum(sizes) < ENOUGH_TO_WEIGHT):
        return Partition(design, (tuple(range(len(design.strata))),))
    if design.rehearsal:
        return ungrouped(design)
    if design.background:
        return Partition(design, released_cells(design.background, sizes))
    return Partition(design, collapse_strata(sizes, FEWEST_IN_GROUP))


def strata_asked(design: Design, *positions: int) -> NDArray[np.bool_]:
    """For each group or cell, whether its version of the page asks all questions at these places."""
    if len(design.versions) == 1:
        return np.ones(len(design.strata), dtype=np.bool_)
    return np.array([set(positions) <= set(asked_in(design, stratum)) for stratum in range(len(design.strata))])


def ungrouped(design: Design) -> Partition:
    """Each group by itself; all combined if sizes are released only with noise."""
    groups = tuple(range(len(design.strata)))
    return Partition(design, (groups,) if is_protected(design) else tuple((group,) for group in groups))


def strata_by_code(design: Design) -> dict[int, tuple[int, ...]]:
    """The strata behind each code of a rehearsal's estimates: a group, or the cells with one background answer."""
    if design.background:
        return {group.code: group.rows for group in ungrouped(design).groups}
    return {place: (place,) for place in range(len(design.groups))}


def of_totals(design: Design, totals: Totals, *, final: bool = True) -> Partition:
    """The partition of a design with these exact totals, each of shape (groups, m).

    Of background questions nothing is told by cell before all responses are in (`final`): their cells would be combined
    in other ways from time to time, and the differences could tell of a few people.
    """
    if design.background and not final and not design.rehearsal:
        return Partition(design, (tuple(range(len(design.strata))),))
    return released(design, totals[0].sum(axis=1).tolist())


def stored(design: Design, members: Sequence[Sequence[int]]) -> Partition:
    """The partition stored in a database row."""
    return Partition(design, tuple(tuple(groups) for groups in members))


def is_protected(design: Design) -> bool:
    """Return True if group sizes are released only with noise."""
    return epsilon_of(design) is not None


def has_shares(design: Design) -> bool:
    """Return True if the groups' shares of the population are known."""
    return any(group.share is not None for group in design.groups)


def epsilon_of(design: Design) -> Fraction | None:
    """The epsilon with which group sizes are released; None if they are exact, or there are no groups."""
    return Fraction(design.participation) if design.participation and design.groups else None


def groups_of(design: Design) -> tuple[Stratum, ...]:
    """The groups that estimates may be made of, in the order of the design."""
    return () if is_protected(design) else design.groups


def label_in(design: Design, code: int, language: str) -> str:
    """The label of a group by its code in stored estimates, in a language of the survey; not of combined groups."""
    if not design.background:
        return design.groups[code].label[language]
    place, answer = divmod(code - FIRST_CODE, PER_QUESTION)
    question = design.background.questions[place]
    return f"{question.wording[language]} {question.choices[answer][language]}"


def answer_key(design: Design, question: int, answer: int) -> str:
    """The key of the group with one answer to a background question, from the places of both."""
    return f"{design.background.questions[question].key}={answer + 1}"


def step_key(design: Design, question: int) -> str:
    """The key of what changes with each further answer to a background question, from its place."""
    return f"{design.background.questions[question].key}={STEP}"


def label_of_key(design: Design, key: str, language: str) -> str:
    """The label of such a group, or of the respondents with several answers, by its key; empty for another key."""
    if AND in key:
        labels = [label_of_key(design, one, language) for one in key.split(AND)]
        return ", ".join(labels) if all(labels) else ""
    for place, question in enumerate(design.background.questions):
        if step_key(design, place) == key:
            return f"{question.wording[language]} {further_answer(language)}"
        for answer in question.everyone:
            if answer_key(design, place, answer) == key:
                return label_in(design, FIRST_CODE + PER_QUESTION * place + answer, language)
    return ""


def other_label(language: str) -> str:
    """The label of combined groups, in a language of a survey."""
    with override(language):
        return gettext("Other groups")


def further_answer(language: str) -> str:
    """The label of a step from one answer to the next, in a language of a survey."""
    with override(language):
        return gettext("each further answer")


def _part(design: Design, groups: tuple[int, ...], row: int) -> ReleasedGroup:
    offered, language = design.groups, design.language
    names = tuple(offered[group].label[language] for group in groups)
    if len(groups) == 1:
        (group,) = groups
        return ReleasedGroup(group, offered[group].key, names[0], names, offered[group].share, (row,))
    shares = [share for group in groups if (share := offered[group].share) is not None]
    share = str(sum(map(Fraction, shares), Fraction(0))) if len(shares) == len(groups) else None
    return ReleasedGroup(len(offered), OTHER, other_label(language), names, share, (row,))


def _cell(design: Design, cells: tuple[int, ...], row: int) -> ReleasedGroup:
    """The row of some cells of background questions, labelled by what they have in common."""
    background, language = design.background, design.language
    names = tuple(background.label(cell, language) for cell in cells)
    label = background.in_words(row_answers(background, cells), language)
    if len(cells) == 1:
        return ReleasedGroup(cells[0], background.keys[cells[0]], label, names, None, (row,))
    return ReleasedGroup(len(background.cells) + row, f"{background.keys[cells[0]]}-", label, names, None, (row,))


def _answer_groups(partition: Partition) -> Iterator[ReleasedGroup]:
    background, language = partition.design.background, partition.design.language
    for group in answer_groups(background, partition.members):
        label = label_in(partition.design, group.code, language)
        key = answer_key(partition.design, group.question, group.answer)
        question = background.questions[group.question]
        yield ReleasedGroup(
            group.code, key, label, (label,), None, group.rows, question.wording[language],
            question.choices[group.answer][language], withheld=group.answer not in question.offered,
        )  # fmt: skip
