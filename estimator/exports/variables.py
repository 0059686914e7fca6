"""The variables of a file with one row per report: their names, labels, and the labels of their values."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from collector.designs import Design, Item
from estimator.base import wording
from estimator.base.questions import question_of
from estimator.base.tickets import sent_names
from estimator.runs.cells import row_answers
from estimator.runs.groups import Partition

WARNING = "Randomised, not the true answer"
PREFIX = "randomised"
STRATUM = "stratum"
NOT_TOLD = 0


@dataclass(frozen=True)
class ExportVariable:
    """A column of such a file.

    `symbol` is the number of the symbol within the reports of its item, from 0. `labels` says of each code what the
    respondent's page sent it for, in the survey's own language.
    """

    name: str
    label: str
    item: str
    symbol: int
    labels: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class BackgroundColumn:
    """A column with the answers to a background question: the place of an answer from 1, NOT_TOLD where it is coarser.

    `codes` has one for each row of the partition.
    """

    name: str
    label: str
    codes: NDArray[np.int16]
    labels: Mapping[int, str]


def background_columns(partition: Partition) -> list[BackgroundColumn]:
    """The columns of the background questions, in their order; none where there are none or nothing is told of them."""
    design, language = partition.design, partition.design.language
    if not partition.parts or not design.background:
        return []
    rows = [row_answers(design.background, members) for members in partition.members]
    names = distinct((STRATUM, *(question.key for question in design.background.questions)), most=64)[1:]
    return [
        BackgroundColumn(
            name,
            question.wording[language],
            np.array([row[place][0] + 1 if len(row[place]) == 1 else NOT_TOLD for row in rows], dtype=np.int16),
            {NOT_TOLD: "not told by itself"}
            | {place: choice[language] for place, choice in enumerate(question.choices, start=1)},
        )
        for place, (name, question) in enumerate(zip(names, design.background.questions, strict=True))
    ]


def stratum_wording(design: Design) -> str:
    """What was asked to know the stratum, in the survey's own language; empty where nothing was."""
    asked = [question.wording[design.language] for question in design.background.questions]
    return " · ".join(asked) or design.strata_wording[design.language]


def variables_of(design: Design) -> list[ExportVariable]:
    """One variable for each symbol of a report, in their order."""
    found = [variable for item in design.items for variable in _of_an_item(design, item)]
    names = distinct((variable.name for variable in found), most=64)
    return [replace(one, name=name) for name, one in zip(names, found, strict=True)]


def distinct(names: Iterable[str], *, most: int) -> list[str]:
    """Make names unique and valid: letters, digits and underscores, at most `most` characters."""
    taken: dict[str, None] = {}
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
        short, number = plain[:most], 1
        while short.lower() in taken:
            number += 1
            short = f"{plain[: most - len(str(number)) - 1]}_{number}"
        taken[short.lower()] = None
    return list(taken)


def strata_labels(partition: Partition) -> dict[int, str]:
    """The label of each group by its code; empty if no group was asked for, or nothing is released by group.

    Groups that are told of together have one code, and a label that names them.
    """
    return {part.code: part.full_label for part in partition.parts}


def _of_an_item(design: Design, item: Item) -> Iterator[ExportVariable]:
    language, key = design.language, item.key
    choices = [str(choice[language]) for choice in item.choices]
    label = f"{WARNING}: {item.wording[language]}"
    if item.encoding == "single":
        yield ExportVariable(f"{PREFIX}_{key}", label, key, 0, dict(enumerate(choices or _of_a_number(item))))
        return
    for symbol, choice in enumerate(choices):
        marks = {0: "not marked", 1: "marked"}
        yield ExportVariable(f"{PREFIX}_{key}_{symbol}", f"{label} [{choice}]", key, symbol, marks)


def _of_a_number(item: Item) -> list[str]:
    points = [wording.point(value or 0.0) for value in question_of(item).values]
    return sent_names(points, len(item.channel.weights[0]))
