"""The tables of a report: the same cells on a page and on paper."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from estimator.base.verdict import LABELS, Verdict
from estimator.runs import targets
from estimator.runs.targets import EstimateMeta


@dataclass(frozen=True)
class TableRow:
    """One estimate in a table: each number as text, or `missing`, the reason why there are none.

    `sampled` is the interval for a larger population; empty where the author does not declare a simple random sample.
    `means` is what is to be said of the number. `question` and `answer` are those to a background question that make
    the group.
    """

    choice: str
    group: str
    n: str
    means: EstimateMeta
    question: str = ""
    answer: str = ""
    missing: str = ""
    estimate: str = ""
    noise: str = ""
    sampled: str = ""
    error: str = ""
    direct: str = ""
    verdict: Verdict | None = None
    truth: str = ""
    holds: bool | None = None
    sentence: str = ""

    @property
    def quote(self) -> str:
        """The text to quote: the estimate with its interval, or the reason why there is none."""
        if not self.missing:
            return self.sentence
        of = self.group or self.choice
        return f"“{of}”: {self.missing}." if of else f"{self.missing}."


@dataclass(frozen=True)
class Cell:
    """A cell: its text, its kind (see KINDS), its number of columns, and whether it quotes the survey.

    `note` stands small after the text; `stands_out` where it is to be noticed. `verdict` is the key of the verdict that
    the text says.
    """

    text: str
    kind: str = "number"
    span: int = 1
    quoted: bool = False
    note: str = ""
    stands_out: bool = False
    verdict: str = ""


KINDS = ("heading", "head", "words", "number", "strong", "missing", "verdict")


@dataclass(frozen=True)
class TableColumn:
    """The head of a column."""

    text: str
    number: bool = True


@dataclass(frozen=True)
class ReportTable:
    """Rows of cells under their columns; the first cell of a row is its head, or one alone a heading of those below."""

    caption: str
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[Cell, ...], ...]


def table(
    lines: tuple[TableRow, ...], *, caption: str, about: str, grouped: bool, error: str, confidence: str,
    sampling: bool, truth: bool,
) -> ReportTable:  # fmt: skip
    """Build the table of these lines.

    `about`: what all of them speak of, where it is one thing. `grouped`: a row names its group. `sampling`, `truth`:
    whether there are columns for the interval of a larger population, and for the known truth.
    """
    by_group, by_choice = grouped or bool(about), not about
    columns = [TableColumn(_("Group") if grouped else _("Respondents"), number=False)] * by_group
    columns += [TableColumn(_("True answer"), number=False)] * by_choice
    columns += [TableColumn(_("Responses")), TableColumn(_("Estimate")), TableColumn(_("Precision"), number=False)]
    found = {False: [line.means.noise_target for line in lines], True: [line.means.target for line in lines]}
    mixed = targets.common(found[False]) == targets.MIXED
    columns += [
        TableColumn(targets.heading(found[sampled], sampled=sampled, confidence=confidence))
        for sampled in (False, *[True] * sampling)
    ]
    columns += [TableColumn(error), TableColumn(_("Equivalent direct answers (n)"))]
    columns += [TableColumn(_("True value"))] * truth
    numbers = 5 + sampling
    rows: list[tuple[Cell, ...]] = []
    for line, before in zip(lines, ("", *(line.question for line in lines)), strict=False):
        if line.question != before:
            rows.append((Cell(line.question, "heading", span=len(columns), quoted=True),))
        rows.append(_row(line, by_group=by_group, by_choice=by_choice, numbers=numbers, truth=truth, mixed=mixed))
    return ReportTable(caption, tuple(columns), tuple(rows))


def all_respondents(means: EstimateMeta, *, mixed: bool) -> str:
    """The label of all respondents beside their groups: `mixed` if they are weighted, and the groups are not."""
    return _("All respondents, weighted") if mixed and targets.is_weighted(means.noise_target) else _("All respondents")


def verdict_cell(verdict: Verdict | None) -> Cell:
    """How precise an estimate is, in words; a dash for one without an interval."""
    return Cell(str(LABELS[verdict]), "verdict", verdict=verdict.value) if verdict else Cell("–", "words")


def _row(
    line: TableRow, *, by_group: bool, by_choice: bool, numbers: int, truth: bool, mixed: bool
) -> tuple[Cell, ...]:
    group = line.answer or line.group or all_respondents(line.means, mixed=mixed)
    named = [Cell(group, "head", quoted=bool(line.group))] * by_group
    named += [Cell(line.choice, "words" if by_group else "head", quoted=True)] * by_choice
    if line.missing:
        values = [Cell(line.missing, "missing", span=numbers)]
    else:
        values = [Cell(line.estimate, "strong"), verdict_cell(line.verdict), Cell(line.noise)]
        values += [Cell(line.sampled)] * (numbers == 6)
        values += [Cell(line.error), Cell(line.direct)]
    inside = {True: _("inside the interval"), False: _("outside the interval"), None: ""}[line.holds]
    known = [Cell(line.truth or "–", note=inside, stands_out=line.holds is False)] * truth
    return (*named, Cell(line.n), *values, *known)
