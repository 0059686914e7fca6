"""Did the protection work? What control questions, whose true share of yes is known, say of the answers.

A control question shows how often people answered it wrongly: by chance, by mistake, or because they did not follow
their ticket. People who answer at random say yes to a half, so a share between the known one and a half tells how many
of them would explain it (Atsusaka & Stevenson 2023); what the other estimates would then be is shown, not claimed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from django.utils.translation import gettext as _

from estimator.base import charts, wording
from estimator.reports.question_blocks import Figure
from estimator.reports.tables import Cell, ReportTable, TableColumn
from estimator.runs.results import QuestionResults, Results

MOST_RANDOM = 0.99


@dataclass(frozen=True)
class ProtectionCheck:
    """A part of the section: sentences, their chart and table, a table of what follows, and what it does not tell."""

    sentences: tuple[str, ...]
    figure: Figure | None
    table: ReportTable
    following: ReportTable | None
    limits: str

    @property
    def wording(self) -> str:
        """What its tables are of."""
        return self.table.caption


@dataclass(frozen=True)
class _Control:
    """A control question with its estimate and the interval to compare with the known share."""

    item: QuestionResults
    known: float
    estimate: float
    low: float
    high: float

    @property
    def agrees(self) -> bool:
        return self.low <= self.known <= self.high

    @property
    def random(self) -> tuple[float, float, float] | None:
        """The share of random answers that would explain the estimate, and its interval; None if none would."""
        ends = [random_share(share, self.known) for share in (self.low, self.estimate, self.high)]
        least, share, most = sorted(ends)
        return (share, least, most) if least > 0 else None


def check_of_controls(results: Results) -> ProtectionCheck | None:
    """The check by control questions; None without any that have an estimate."""
    controls = [found for item in results.items if (found := _control(item)) is not None]
    if not controls:
        return None
    title = _("Control questions")
    rows = tuple(map(_row, controls))
    random = max((one.random for one in controls if one.random is not None), default=None)
    return ProtectionCheck(
        tuple(_sentence(one) for one in controls),
        Figure(rows, "protection-check", title, charts.axis_for(rows)),
        _table(controls, title),
        _corrected(results, random) if random else None,
        _(
            "A control question shows wrong answers to itself. Whether people answered the other questions honestly, "
            "or said No to protect themselves, it does not tell."
        ),
    )


def _row(one: _Control) -> charts.ChartRow:
    text = _quoted(one.estimate, one.low, one.high)
    heading, label = one.item.wording, one.item.of_one
    return charts.ChartRow(label, text, one.estimate, one.low, one.high, truth=one.known, heading=heading)


def _control(item: QuestionResults) -> _Control | None:
    if item.frozen.known_share is None:
        return None
    found = next((cell.estimate for cell in item.shares if not cell.group_key), None)
    if found is None or found.constrained is None:
        return None
    known = float(Fraction(item.frozen.known_share))
    # Where nobody or everybody holds the answer, who took part is no matter of chance.
    ends = (found.noise_low, found.noise_high) if known in (0, 1) else (found.low, found.high)
    low, high = ends
    if low is None or high is None:
        return None
    return _Control(item, known, found.constrained, low, high)


def random_share(share: float, known: float) -> float:
    return min(max((share - known) / (0.5 - known), 0.0), 1.0)


def _sentence(one: _Control) -> str:
    words = {
        "question": one.item.wording,
        "share": _quoted(one.estimate, one.low, one.high),
        "known": wording.percent(one.known),
    }
    if one.agrees:
        text = _("“%(question)s”: an estimated %(share)s say Yes; %(known)s is known, and nothing contradicts it.")
        return text % words
    if one.random is None:
        text = _(
            "“%(question)s”: an estimated %(share)s say Yes, and %(known)s is known. Random answers do not explain "
            "that: others took part than is thought, or people did not say what is true."
        )
        return text % words
    share, low, high = one.random
    text = _(
        "“%(question)s”: an estimated %(share)s say Yes, and %(known)s is known. If %(random)s of the respondents "
        "answered at random, that would explain it."
    )
    return text % (words | {"random": _quoted(share, low, high)})


def _table(controls: Sequence[_Control], title: str) -> ReportTable:
    columns = (
        TableColumn(_("Question"), number=False), TableColumn(_("Responses")), TableColumn(_("Estimate")),
        TableColumn(_("Known share (diamond)")), TableColumn(_("Random answers that would explain it")),
    )  # fmt: skip
    rows = tuple(
        (
            Cell(one.item.wording, kind="head", quoted=True),
            Cell(wording.count(one.item.n)),
            Cell(_quoted(one.estimate, one.low, one.high)),
            Cell(wording.percent(one.known)),
            Cell("–" if one.random is None else _quoted(*one.random)),
        )
        for one in controls
    )
    return ReportTable(title, columns, rows)


def _corrected(results: Results, random: tuple[float, float, float]) -> ReportTable | None:
    """What the other yes/no questions would say if as many had answered them at random; None where there are none."""
    rows = tuple(_rows(results, random))
    if not rows:
        return None
    least, most = (f"{end}{wording.SPACE}%" for end in wording.ends(random[1], random[2]))
    ends = {"low": least, "high": most}
    columns = (
        TableColumn(_("Question"), number=False), TableColumn(_("Estimate")),
        TableColumn(_("If %(share)s answered at random") % {"share": wording.percent(random[0])}),
        TableColumn(_("From %(low)s to %(high)s") % ends),
    )  # fmt: skip
    caption = _("Share of Yes if as many people had answered the other questions at random")
    return ReportTable(caption, columns, rows)


def _rows(results: Results, random: tuple[float, float, float]) -> Iterator[tuple[Cell, ...]]:
    for item in results.items:
        found = next((cell.estimate for cell in item.shares if not cell.group_key), None)
        if item.frozen.known_share is not None or not item.of_one or found is None or found.constrained is None:
            continue
        share, low, high = random
        estimate, least, most = (
            _without(number, share) for number in (found.constrained, found.noise_low or 0.0, found.noise_high or 0.0)
        )
        ends = sorted((_without(found.constrained, low), _without(found.constrained, high)))
        yield (
            Cell(item.wording, kind="head", quoted=True),
            Cell(wording.percent(found.constrained)),
            Cell(_quoted(estimate, least, most)),
            Cell(_("%(low)s to %(high)s") % {"low": wording.percent(ends[0]), "high": wording.percent(ends[1])}),
        )


def _without(share: float, random: float) -> float:
    """The share of yes among the others, if so many of all answered at random."""
    return min(max((share - random / 2) / (1 - min(random, MOST_RANDOM)), 0.0), 1.0)


def _quoted(estimate: float, low: float, high: float) -> str:
    span = wording.span(low, high, 0, wording.unit_of(mean=False))
    return f"{wording.percent(estimate)} ({span})"
