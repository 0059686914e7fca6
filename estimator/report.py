"""The report of a run as a page shows it: every number with its interval, in words, in a picture and in a table."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from estimator import pictures, privacy, results, wording
from estimator.computing import MINIMUM_REPORTS, TOO_FEW, WEIGHTED
from estimator.models import Run
from estimator.pictures import Row
from estimator.results import Cell, Item, Results


@dataclass(frozen=True)
class Line:
    """One estimate in a table: each number as text, or `missing`, which says why there are none."""

    choice: str
    group: str
    n: str
    missing: str = ""
    estimate: str = ""
    noise: str = ""
    whole: str = ""
    error: str = ""
    unclipped: str = ""
    direct: str = ""
    truth: str = ""
    holds: bool | None = None
    sentence: str = ""


@dataclass(frozen=True)
class Block:
    """Everything the report says of one question.

    `overall` and `by_group` are pictures. `of_one` is the choice that all estimates speak of, where it is one: Yes.
    """

    key: str
    wording: str
    choices: tuple[str, ...]
    of_one: str
    overall: SafeString
    by_group: SafeString
    lines: tuple[Line, ...]
    group_lines: tuple[Line, ...]
    flags: tuple[str, ...]
    methods: tuple[str, ...]
    bounds: tuple[privacy.Bound, ...]

    @property
    def joined(self) -> tuple[Line, ...]:
        """All respondents and the groups in one table, where that is a row for each of them; else nothing."""
        return self.lines + self.group_lines if self.group_lines and not self.by_group else ()

    @property
    def flag_words(self) -> list[str]:
        return [wording.FLAGS[flag] for flag in self.flags]


@dataclass(frozen=True)
class Report:
    """What the report's page is rendered from."""

    results: Results
    blocks: tuple[Block, ...]

    @property
    def run(self) -> Run:
        return self.results.run

    @cached_property
    def label(self) -> privacy.Label:
        return privacy.label(self.results)

    @property
    def document(self) -> dict[str, Any]:
        return self.results.design.document

    @property
    def introduction(self) -> str:
        return str(self.document["introduction"][self.results.language])

    @property
    def strata_wording(self) -> str:
        return str(self.document["strata"]["wording"][self.results.language])

    @property
    def confidence(self) -> str:
        return f"{100 * self.run.confidence:g}{wording.SPACE}%"

    @property
    def one_in(self) -> int:
        """Of so many intervals about one misses."""
        return round(1 / (1 - self.run.confidence))

    @property
    def methods(self) -> list[str]:
        return _distinct(wording.METHODS[method] for block in self.blocks for method in block.methods)

    @property
    def minimum(self) -> int:
        return MINIMUM_REPORTS

    @property
    def reports(self) -> str:
        return wording.count(self.run.reports)

    @property
    def coin_reports(self) -> str:
        """How many of the reports came from a real coin or die; empty where none did."""
        return wording.count(self.run.coin_reports) if self.run.coin_reports else ""

    @cached_property
    def truth_marked(self) -> bool:
        return any(cell.truth is not None for item in self.results.items for cell in item.shown)

    @cached_property
    def coverage(self) -> str:
        """How many intervals hold the known truth, in words; empty where none is known."""
        marked = [c for item in self.results.items for c in item.shown if c.known and c.truth is not None]
        if not marked:
            return ""
        whole = sum(_within(cell.truth, cell.estimate.low, cell.estimate.high) for cell in marked)
        noise = sum(_within(cell.truth, cell.estimate.noise_low, cell.estimate.noise_high) for cell in marked)
        return (
            f"{whole} of {len(marked)} intervals hold the known truth; of the narrower ones, for the tickets’ chance "
            f"alone, {noise} of {len(marked)}. About {self.confidence} of the narrower ones are expected to."
        )


def build(run: Run) -> Report:
    """The report of a finished run."""
    read = results.read(run)
    noun = "simulated respondents" if read.design.rehearsal else "respondents"
    return Report(read, tuple(_block(item, number, noun) for number, item in enumerate(read.items)))


def context(run: Run) -> dict[str, Any]:
    """What the templates of a report need, on its own page and in the panel."""
    report = build(run)
    marks = {name: mark_safe(pictures.legend(name)) for name in ("estimate", "noise", "whole", "truth")}  # noqa: S308
    return {
        "report": report,
        "marks": marks,
        # The words of the survey are in its language, whatever the language of the page.
        "said": format_html(' lang="{}" dir="auto"', report.results.language),
    }


def _block(item: Item, number: int, noun: str) -> Block:
    overall = [cell for cell in item.shown if not cell.group_key]
    by_group = [cell for cell in item.shown if cell.group_key]
    both = item.kind == "yes_no"  # one row per group: a single picture shows all of them
    rows = [_row(cell, by_group=both and bool(by_group)) for cell in overall + (by_group if both else [])]
    group_rows = [] if both else _grouped(item, by_group)
    axis = pictures.axis_for(rows + group_rows)
    key = re.sub(r"[^a-z0-9-]", "-", item.key)
    return Block(
        key=key,
        wording=item.wording,
        choices=item.choices,
        of_one=item.choices[1] if both else "",
        overall=_drawn(rows, f"item-{number}", f"Estimated shares: {item.wording}", axis),
        by_group=_drawn(group_rows, f"item-{number}-groups", f"Estimated shares by group: {item.wording}", axis),
        lines=tuple(_line(cell, noun) for cell in overall),
        group_lines=tuple(_line(cell, noun) for cell in by_group),
        flags=tuple(_distinct(flag for cell in item.shown for flag in cell.estimate.flags if flag != TOO_FEW)),
        methods=tuple(_distinct(cell.estimate.interval for cell in item.shown if cell.known)),
        bounds=privacy.bounds(item),
    )


def _drawn(rows: list[Row], key: str, title: str, axis: pictures.Axis) -> SafeString:
    """The picture in both layouts; the style sheet shows the one that the page has room for."""
    layouts = (pictures.NARROW, pictures.WIDE) if rows else ()
    drawn = (pictures.picture(rows, key=f"{key}-{x.name}", title=title, axis=axis, layout=x) for x in layouts)
    return mark_safe("".join(drawn))  # noqa: S308 - the writer escapes


def _grouped(item: Item, cells: list[Cell]) -> list[Row]:
    """The rows of a picture by group: a block for each choice."""
    rows = []
    for choice in range(len(item.choices)):
        mine = [cell for cell in cells if cell.estimate.choice == choice]
        rows += [_row(cell, by_group=True, heading="" if place else cell.choice) for place, cell in enumerate(mine)]
    return rows


def _row(cell: Cell, *, by_group: bool, heading: str = "") -> Row:
    estimate, places = cell.estimate, wording.decimals(cell.estimate.standard_error)
    label = (cell.group or "All respondents") if by_group else cell.choice
    if not cell.known:
        return Row(label, wording.not_enough(estimate.n), heading=heading)
    interval = wording.span(estimate.noise_low, estimate.noise_high, places)
    return Row(
        label=label,
        text=f"{wording.percent(estimate.constrained, places)} ({interval})",
        estimate=estimate.constrained,
        low=estimate.low,
        high=estimate.high,
        noise_low=estimate.noise_low,
        noise_high=estimate.noise_high,
        truth=cell.truth,
        heading=heading,
    )


def _line(cell: Cell, noun: str) -> Line:
    estimate, n = cell.estimate, wording.count(cell.estimate.n)
    if not cell.known:
        return Line(cell.choice, cell.group, n, missing=wording.not_enough(estimate.n))
    places = wording.decimals(estimate.standard_error)
    share = wording.percent(estimate.constrained, places)
    return Line(
        choice=cell.choice,
        group=cell.group,
        n=n,
        estimate=share,
        noise=wording.span(estimate.noise_low, estimate.noise_high, places),
        whole=wording.span(estimate.low, estimate.high, places),
        error=wording.points(estimate.standard_error, places + 1),
        unclipped=wording.percent(estimate.unbiased, places),
        direct=wording.count(estimate.direct_question_n),
        truth=wording.percent(cell.truth, max(places, 1)) if cell.truth is not None else "",
        holds=None if cell.truth is None else _within(cell.truth, estimate.low, estimate.high),
        sentence=wording.sentence(
            choice=cell.choice,
            group=cell.group,
            respondents=noun,
            n=estimate.n,
            estimate=share,
            interval=wording.between(estimate.noise_low, estimate.noise_high, places),
            weighted=WEIGHTED in estimate.flags,
        ),
    )


def _within(truth: float | None, low: float | None, high: float | None) -> bool:
    return truth is not None and low is not None and high is not None and low <= truth <= high


def _distinct(words: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(words))
