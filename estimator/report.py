"""The report of a run as a page shows it: every number with its interval, in words, in a picture and in a table."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from estimator import pictures, privacy, results, wording
from estimator.computing import MEAN, MINIMUM_REPORTS, TOO_FEW_VALUES, WEIGHTED
from estimator.models import Run
from estimator.pictures import Row
from estimator.results import Cell, Item, Results

FITTING = {
    "table": "Shares: the unbiased estimate from the inverted table; shown is the maximum-likelihood estimate within 0 "
    "to 100 %.",
    "bits": "Where marks or a set are sent: each share from the count of its marks; shown are the nearest shares that "
    "are not negative and sum to 100 %.",
    "options": "Of several choices: each share from its own count, kept within 0 to 100 %.",
    "scale": "The mean of a scale: of the points, weighted by their estimated shares.",
    "number": "The mean of a number: of scores of the reports, whose mean over the tickets is the answer itself; kept "
    "within the range.",
}
"""How estimates are made, by what there is in the survey."""


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
    direct: str = ""
    truth: str = ""
    holds: bool | None = None
    sentence: str = ""


@dataclass(frozen=True)
class Part:
    """The shares of a question, or its mean: sentences, pictures and tables.

    `overall` and `by_group` are pictures. `about` is what every line speaks of where they all speak of one thing: the
    mean, or the share of Yes; then one picture shows all groups.
    """

    title: str
    caption: str
    error: str
    about: str
    overall: SafeString
    by_group: SafeString
    lines: tuple[Line, ...]
    group_lines: tuple[Line, ...]

    @property
    def joined(self) -> tuple[Line, ...]:
        """All respondents and the groups in one table, where that is a row for each of them; else nothing."""
        return self.lines + self.group_lines if self.group_lines and self.about else ()


@dataclass(frozen=True)
class Block:
    """Everything the report says of one question. `section` is the key of its section, or nothing."""

    key: str
    number: int
    wording: str
    section: str
    offered: str
    choices: tuple[str, ...]
    notes: tuple[str, ...]
    parts: tuple[Part, ...]
    flags: tuple[str, ...]
    methods: tuple[str, ...]
    bounds: tuple[str, ...]

    @property
    def flag_words(self) -> list[str]:
        return [wording.FLAGS[flag] for flag in self.flags]


@dataclass(frozen=True)
class Section:
    """Questions under one title; all of them, under none, where the design has no sections."""

    title: str
    introduction: str
    blocks: tuple[Block, ...]

    @property
    def deeper(self) -> int:
        """By how many levels the headings of its questions are below those of questions without a section."""
        return 1 if self.title else 0


@dataclass(frozen=True)
class Report:
    """What the report's page is rendered from."""

    results: Results
    blocks: tuple[Block, ...]

    @cached_property
    def sections(self) -> list[Section]:
        """The questions in their order, under the titles of the design."""
        titles, language = self.document.get("sections", []), self.results.language
        if not titles:
            return [Section("", "", self.blocks)]
        return [
            Section(
                title["title"][language],
                title["introduction"][language],
                tuple(block for block in self.blocks if block.section == title["key"]),
            )
            for title in titles
        ]

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
    def fitting(self) -> list[str]:
        """How the estimates are made of the kinds of questions that there are, in words."""
        return [FITTING[name] for name in FITTING if any(name in _fitted_by(item) for item in self.results.items)]

    @property
    def every_look(self) -> str:
        """What the intervals of a run made before closing are; empty of one made after."""
        return wording.EVERY_LOOK if self.run.anytime else ""

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
            f"{whole} of {len(marked)} intervals for a larger population hold the known truth; of those for the "
            f"tickets’ chance alone {noise} of {len(marked)}. About {self.confidence} of the latter are expected to."
        )


def build(run: Run, *, most: int | None = None) -> Report:
    """The report of a finished run; of its first questions alone where `most` says how many."""
    read = results.read(run, most=most)
    noun = "simulated respondents" if read.design.rehearsal else "respondents"
    return Report(read, tuple(_block(item, number, noun) for number, item in enumerate(read.items)))


def context(run: Run, *, most: int | None = None) -> dict[str, Any]:
    """What the templates of a report need, on its own page and in the panel; `most` as for `build`."""
    report = build(run, most=most)
    marks = {name: mark_safe(pictures.legend(name)) for name in ("estimate", "noise", "whole", "truth")}  # noqa: S308
    return {
        "report": report,
        "marks": marks,
        # The words of the survey are in its language, whatever the language of the page.
        "said": format_html(' lang="{}" dir="auto"', report.results.language),
    }


def _block(item: Item, number: int, noun: str) -> Block:
    shares = [_part(item, item.shares, f"item-{number}", noun)] if item.shares else []
    means = [_part(item, item.means, f"item-{number}-mean", noun)] if item.means else []
    return Block(
        key=re.sub(r"[^a-z0-9-]", "-", item.key),
        number=number + 1,
        wording=item.wording,
        section=item.frozen.get("section", ""),
        offered=_offered(item),
        choices=item.choices,
        notes=tuple(_notes(item)),
        parts=tuple(means + shares),
        flags=tuple(_distinct(flag for cell in item.shown for flag in cell.estimate.flags if flag in wording.FLAGS)),
        methods=tuple(_distinct(cell.estimate.interval for cell in item.shown if cell.known)),
        bounds=tuple(privacy.bounds_in_words(item)),
    )


def _offered(item: Item) -> str:
    """What could be answered; the choices stand after it."""
    if item.kind == "number":
        low, high, step = (item.frozen["grid"][name] for name in ("minimum", "maximum", "step"))
        return f"A number from {low} to {high}, in steps of {step}"
    return "Any of" if item.kind == "several_choices" else "Choices"


def _notes(item: Item) -> Iterator[str]:
    if item.condition:
        yield wording.asked_only(item.condition.wording, item.condition.answers, item.condition.unasked)
    if item.kind == "several_choices":
        yield "More than one could be ticked: the shares need not sum to 100 %."
    if item.means and item.shares:
        points = [value for value in item.question.values if value is not None]
        some = f"; who chose “{item.choices[-1]}” has no point" if None in item.question.values else ""
        yield f"For the mean the choices count as 1 to {len(points)}{some}."


def _part(item: Item, cells: tuple[Cell, ...], key: str, noun: str) -> Part:
    mean = cells[0].estimate.measure == MEAN
    overall, by_group = ([c for c in cells if bool(c.group_key) == grouped] for grouped in (False, True))
    single = mean or bool(item.of_one)  # one row per group: a single picture shows all of them
    rows = [_row(cell, by_group=single and bool(by_group)) for cell in overall + (by_group if single else [])]
    group_rows = [] if single else _grouped(item, by_group)
    axis = _axis_of_mean(item) if mean else pictures.axis_for(rows + group_rows)
    caption = "Estimated mean" if mean else "Estimated shares"
    of_one = f" of those whose true answer is “{item.of_one}”" if item.of_one else ""
    return Part(
        title=("Mean" if mean else "Shares") if item.means and item.shares else "",
        caption=caption + of_one,
        error="Standard error" if mean else "Standard error, points",
        about="Mean" if mean else item.of_one,
        overall=_drawn(rows, key, f"{caption}: {item.wording}", axis),
        by_group=_drawn(group_rows, f"{key}-groups", f"{caption} by group: {item.wording}", axis),
        lines=tuple(_line(item, cell, noun) for cell in overall),
        group_lines=tuple(_line(item, cell, noun) for cell in by_group),
    )


def _axis_of_mean(item: Item) -> pictures.Axis:
    points = [value for value in item.question.values if value is not None]
    return pictures.axis_of_range(points[0], points[-1], points[1] - points[0] if len(points) > 1 else 1.0)


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


def _unit(cell: Cell) -> wording.Unit:
    return wording.PLAIN if cell.estimate.measure == MEAN else wording.PERCENT


def _missing(cell: Cell) -> str:
    return wording.not_enough(cell.estimate.n, values=TOO_FEW_VALUES in cell.estimate.flags)


def _row(cell: Cell, *, by_group: bool, heading: str = "") -> Row:
    estimate, unit = cell.estimate, _unit(cell)
    places = wording.decimals(estimate.standard_error, unit)
    label = (cell.group or "All respondents") if by_group else (cell.choice or "Mean")
    if not cell.known:
        return Row(label, _missing(cell), heading=heading)
    interval = wording.span(estimate.noise_low, estimate.noise_high, places, unit)
    return Row(
        label=label,
        text=f"{wording.value(estimate.constrained, places, unit)} ({interval})",
        estimate=estimate.constrained,
        low=estimate.low,
        high=estimate.high,
        noise_low=estimate.noise_low,
        noise_high=estimate.noise_high,
        truth=cell.truth,
        heading=heading,
    )


def _line(item: Item, cell: Cell, noun: str) -> Line:
    estimate, n, unit = cell.estimate, wording.count(cell.estimate.n), _unit(cell)
    if not cell.known:
        return Line(cell.choice, cell.group, n, missing=_missing(cell))
    places = wording.decimals(estimate.standard_error, unit)
    return Line(
        choice=cell.choice,
        group=cell.group,
        n=n,
        estimate=wording.value(estimate.constrained, places, unit),
        noise=wording.span(estimate.noise_low, estimate.noise_high, places, unit),
        whole=wording.span(estimate.low, estimate.high, places, unit),
        error=wording.error(estimate.standard_error, places + 1, unit),
        direct=wording.count(estimate.direct_question_n),
        truth=wording.value(cell.truth, max(places, 1), unit) if cell.truth is not None else "",
        holds=None if cell.truth is None else _within(cell.truth, estimate.low, estimate.high),
        sentence=_sentence(item, cell, noun, places),
    )


def _sentence(item: Item, cell: Cell, noun: str, places: int) -> str:
    estimate, unit = cell.estimate, _unit(cell)
    said: dict[str, Any] = {
        "group": cell.group,
        "respondents": noun,
        "n": estimate.n,
        "estimate": wording.value(estimate.constrained, places, unit),
        "interval": wording.between(estimate.noise_low, estimate.noise_high, places, unit),
        "weighted": WEIGHTED in estimate.flags,
    }
    if estimate.measure == MEAN:
        return wording.mean_sentence(**said, some=None in item.question.values)
    return wording.sentence(**said, held=wording.held(cell.choice, several=item.kind == "several_choices"))


def _fitted_by(item: Item) -> Iterator[str]:
    """Which ways of estimating this question needs."""
    if item.question.reports_shares:
        yield {"one_hot": "bits", "subset": "bits", "each_option": "options"}.get(item.frozen["encoding"], "table")
    if item.question.reports_mean:
        yield "scale" if item.question.reports_shares else "number"


def _within(truth: float | None, low: float | None, high: float | None) -> bool:
    return truth is not None and low is not None and high is not None and low <= truth <= high


def _distinct(words: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(words))
