"""A finished run as tables, for the sheets of a workbook and the files of statistics programs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from estimator.base.tickets import row_names
from estimator.exports import columns
from estimator.exports.columns import Column
from estimator.exports.estimates import estimate_rows
from estimator.exports.json_document import bound_rows, label_rows, tally_rows
from estimator.exports.variables import variables_of
from estimator.reports import earlier_waves, privacy
from estimator.runs import group_sizes
from estimator.runs.results import QuestionResults, Results

Row = Mapping[str, Any]


@dataclass(frozen=True)
class ExportTable:
    """Rows under described columns; a value that a row does not name is empty."""

    name: str
    about: str
    columns: tuple[Column, ...]
    rows: Iterable[Row]


def tables(read: Results) -> Iterator[ExportTable]:
    """All tables of a run, the estimates first."""
    yield estimates(read)
    yield ExportTable("questions", "Each question with its choices", columns.QUESTIONS, _choices(read))
    if read.design.groups:
        yield ExportTable("groups", "The groups that respondents chose from", columns.GROUPS, _groups(read))
    yield ExportTable(
        "tallies",
        "How many responses hold which symbol: randomised, not true answers. Every estimate is computed from them",
        columns.TALLIES,
        _tallies(read),
    )
    yield ExportTable("privacy", "The protection of each question", columns.PRIVACY, _privacy(read))
    yield ExportTable("tickets", "The randomisation scheme of each question, in tickets", *_tickets(read))
    yield ExportTable(
        "poisoning",
        "How far false responses could shift an estimate",
        columns.POISONING,
        (row for item in read.items for row in bound_rows(item)),
    )
    if changes := list(earlier_waves.rows(read)):
        yield ExportTable("changes", "How much each number has changed since earlier waves", columns.CHANGES, changes)


def estimates(read: Results) -> ExportTable:
    rows = estimate_rows(read)
    return ExportTable("estimates", "One row for each estimate", columns.ESTIMATES, rows)


def _choices(read: Results) -> Iterator[Row]:
    for item in read.items:
        about = {"kind": item.kind, "encoding": item.frozen.encoding, "item": item.key, "wording": item.wording}
        labels = item.choices or row_names(item.frozen, item.question, item.language)
        values = item.question.values or (None,) * len(labels)
        for choice, (label, value) in enumerate(zip(labels, values, strict=True)):
            yield about | {"choice": choice, "choice_label": label, "value": value}


def _groups(read: Results) -> Iterator[Row]:
    groups = read.design.groups
    sizes: Sequence[int | None] = group_sizes.released(read.run, read.design) or [None] * len(groups)
    keys, rows = read.partition.keys, read.partition.rows.tolist()
    for group, size, row in zip(groups, sizes, rows, strict=True):
        about = {"stratum": group.key, "stratum_label": group.label[read.language], "share": group.share}
        yield about | {"told_as": keys[row], "about": size}


def _tallies(read: Results) -> Iterator[Row]:
    labels = {(one.item, one.symbol): one.labels for one in variables_of(read.design)}
    for item in read.items:
        for row in tally_rows(item):
            place = {"item": row["item"], "stratum": row["stratum"], "symbol": row["symbol"]}
            for value, count in enumerate(row["counts"]):
                label = labels[item.key, row["symbol"]][value]
                yield place | {"value": value, "value_label": label, "count": count}


def _privacy(read: Results) -> Iterator[Row]:
    for item, label in zip(read.items, label_rows(privacy.label(read)), strict=True):
        names = {"wording": item.wording, "mechanism": item.frozen.channel.name, "tickets": label["denominator"]}
        yield label | names


def _tickets(read: Results) -> tuple[tuple[Column, ...], Iterator[Row]]:
    width = max(len(item.frozen.channel.weights[0]) for item in read.items)
    return columns.tickets(width), (row for item in read.items for row in _ticket_rows(item))


def _ticket_rows(item: QuestionResults) -> Iterator[Row]:
    names = row_names(item.frozen, item.question, item.language)
    for row, (name, weights) in enumerate(zip(names, item.frozen.channel.weights, strict=True)):
        counts = {f"tickets_{y}": weight for y, weight in enumerate(weights)}
        yield {"item": item.key, "row": row, "row_label": name} | counts
