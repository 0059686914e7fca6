"""The input files of `rebuild.R`: counts, tables, answers and groups of a run as CSV, without free text.

Exact fractions are written as fractions, and numbers to their last digit.
"""

import csv
import io
from collections.abc import Iterable, Iterator
from typing import Any

from estimator.exports.json_document import bound_rows
from estimator.reports import privacy
from estimator.runs.results import QuestionResults, Results
from randomized_response import Channel

Table = tuple[tuple[str, ...], Iterable[tuple[Any, ...]]]
"""The column names, and the rows."""


BOUNDS = ("item", "measure", "n", "false_share", "false_reports", "largest_shift")


def tables(read: Results) -> dict[str, bytes]:
    """The files by name."""
    return {name: _sheet(*table) for name, table in _tables(read).items()}


def _tables(read: Results) -> dict[str, Table]:
    return {
        "items.csv": _items(read),
        "channels.csv": (("item", "row", "column", "weight"), _in_all(read, _channel)),
        "values.csv": (("item", "answer", "value"), _in_all(read, lambda item: enumerate(item.question.values))),
        "tallies.csv": (("item", "stratum", "symbol", "value", "count"), _in_all(read, _tallies)),
        "strata.csv": _strata(read),
        "odds.csv": (("item", "epsilon", "odds"), _odds(read)),
        "bounds.csv": (BOUNDS, [tuple(bound.values()) for item in read.items for bound in bound_rows(item)]),
    }


def _items(read: Results) -> Table:
    """The questions; where versions of the page ask different ones, with the numbers of those that ask each."""
    names, rows = ("item", "kind", "mechanism", "encoding", "answers", "size", "most"), map(_item, read.items)
    if len(set(read.design.versions)) == 1:
        return names, rows
    asking = ["|".join(map(str, item.versions)) for item in read.items]
    return (*names, "versions"), [(*row, versions) for row, versions in zip(rows, asking, strict=True)]


def _strata(read: Results) -> Table:
    """The groups that estimates are made of; by background questions, with the rows of tallies.csv that each sums."""
    groups, keys = read.partition.groups, read.partition.keys
    if not read.design.background:
        return ("stratum", "share"), [(group.key, group.share) for group in groups]
    rows = [(group.key, group.share, "|".join(keys[row] for row in group.rows)) for group in groups]
    return ("stratum", "share", "rows"), rows


def _sheet(names: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> bytes:
    sheet = io.StringIO(newline="")
    writer = csv.writer(sheet, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)
    return sheet.getvalue().encode()


def _in_all(read: Results, of: Any) -> Iterator[tuple[Any, ...]]:
    for item in read.items:
        yield from ((item.key, *row) for row in of(item))


def _item(item: QuestionResults) -> tuple[Any, ...]:
    mechanism = item.mechanism
    answers = mechanism.answers if isinstance(mechanism, Channel) else mechanism.k
    frozen, channel = item.frozen, item.frozen.channel
    return item.key, item.kind, channel.name, frozen.encoding, answers, channel.size, frozen.most


def _channel(item: QuestionResults) -> Iterator[tuple[Any, ...]]:
    for x, row in enumerate(item.frozen.channel.weights):
        yield from ((x, y, weight) for y, weight in enumerate(row))


def _tallies(item: QuestionResults) -> Iterator[tuple[Any, ...]]:
    for stratum, key in enumerate(item.partition.keys):
        for symbol, table in enumerate(item.totals):
            yield from ((key, symbol, value, count) for value, count in enumerate(table[stratum].tolist()))


def _odds(read: Results) -> Iterator[tuple[Any, ...]]:
    label = privacy.label(read)
    for item in label.items:
        yield item.key, item.mechanism.epsilon, item.mechanism.ratio
    yield "", label.epsilon, label.ratio
