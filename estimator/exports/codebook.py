"""The codebook as a page: questions, tables, variables with their codes, and columns of the estimates.

The page stands alone: no script, no other file, and texts of the survey are escaped and marked with their language.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.template.loader import render_to_string

from estimator.exports.columns import ESTIMATES
from estimator.exports.variables import (
    STRATUM,
    WARNING,
    BackgroundColumn,
    ExportVariable,
    background_columns,
    stratum_wording,
    variables_of,
)
from estimator.models import Run
from estimator.reports import privacy
from estimator.reports.privacy import QuestionPrivacy
from estimator.runs import results
from estimator.runs.results import QuestionResults, ReportContext, Results

TEMPLATE = "estimator/codebook.html"


@dataclass(frozen=True)
class CodeLabel:
    """A value of a variable, its label, and the number of reports with it."""

    value: object
    label: str
    count: int


@dataclass(frozen=True)
class CodedVariable:
    """A variable of the report files with its codes."""

    variable: ExportVariable
    codes: tuple[CodeLabel, ...]


@dataclass(frozen=True)
class CodebookQuestion:
    """A question with its protection and its variables."""

    item: QuestionResults
    label: QuestionPrivacy
    variables: tuple[CodedVariable, ...]

    @property
    def marks(self) -> list[tuple[ExportVariable, str, CodeLabel, CodeLabel]]:
        """For a question sent as marks: each column, its choice, and its codes 0 and 1, for one table."""
        if self.item.frozen.encoding == "single":
            return []
        pairs = zip(self.variables, self.item.choices, strict=True)
        return [(one.variable, choice, one.codes[0], one.codes[1]) for one, choice in pairs]


def codebook_file(run: Run, context: ReportContext) -> bytes:
    """The codebook page, in UTF-8."""
    read = results.read(run, context)
    shown = {
        "read": read,
        "run": run,
        "warning": WARNING,
        "label": privacy.label(read),
        "stratum": STRATUM,
        "groups": tuple(_groups(read)),
        "strata_wording": stratum_wording(read.design),
        "background": tuple(_background(read)),
        "questions": tuple(_questions(read)),
        "columns": ESTIMATES,
    }
    return render_to_string(TEMPLATE, shown).encode()


def _background(read: Results) -> Iterator[tuple[BackgroundColumn, tuple[CodeLabel, ...]]]:
    """The columns of the background questions, each with its codes."""
    sizes = read.items[0].totals[0].sum(axis=1)
    for column in background_columns(read.partition):
        counts = {code: int(sizes[column.codes == code].sum()) for code in column.labels}
        yield column, tuple(CodeLabel(code, label, counts[code]) for code, label in column.labels.items())


def _groups(read: Results) -> Iterator[CodeLabel]:
    sizes = read.items[0].totals[0].sum(axis=1).tolist()
    for part, size in zip(read.partition.parts, sizes, strict=bool(read.partition.parts)):
        yield CodeLabel(part.key, part.full_label, size)


def _questions(read: Results) -> Iterator[CodebookQuestion]:
    variables = variables_of(read.design)
    for item, label in zip(read.items, privacy.label(read).items, strict=True):
        coded = []
        for one in (one for one in variables if one.item == item.key):
            counts = item.totals[one.symbol].sum(axis=0).tolist()
            codes = (CodeLabel(code, text, counts[code]) for code, text in one.labels.items())
            coded.append(CodedVariable(one, tuple(codes)))
        yield CodebookQuestion(item, label, tuple(coded))
