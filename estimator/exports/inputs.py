"""The input files of `rebuild.R`: counts, tables, answers and groups of a run as CSV, without free text.

Exact fractions are written as fractions, and numbers to their last digit.
"""

import csv
import io
from collections.abc import Iterable, Iterator
from typing import Any

from estimator.reports import privacy
from estimator.runs.results import QuestionResults, Results
from randomized_response import Channel

Table = tuple[tuple[str, ...], Iterable[tuple[Any, ...]]]
"""The column names, and the rows."""


def tables(read: Results) -> dict[str, bytes]:
    """The files by name."""
    return {name: _sheet(*table) for name, table in _tables(read).items()}


def _tables(read: Results) -> dict[str, Table]:
    return {
        "items.csv": (
            ("item", "kind", "mechanism", "encoding", "answers", "size", "most"),
            [_item(item) for item in read.items],
        ),
        "channels.csv": (("item", "row", "column", "weight"), _in_all(read, _channel)),
        "values.csv": (("item", "answer", "value"), _in_all(read, _values)),
        "tallies.csv": (("item", "stratum", "symbol", "value", "count"), _in_all(read, _tallies)),
        "strata.csv": (("stratum", "share"), [(part.key, part.share) for part in read.partition.parts]),
        "odds.csv": (("item", "epsilon", "odds"), _odds(read)),
        "bounds.csv": (
            ("item", "measure", "n", "false_share", "false_reports", "largest_shift"),
            _in_all(read, _bounds),
        ),
    }


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
    return (
        item.key,
        item.kind,
        item.frozen.channel.name,
        item.frozen.encoding,
        answers,
        item.frozen.channel.size,
        item.frozen.most,
    )


def _channel(item: QuestionResults) -> Iterator[tuple[Any, ...]]:
    for x, row in enumerate(item.frozen.channel.weights):
        yield from ((x, y, weight) for y, weight in enumerate(row))


def _values(item: QuestionResults) -> Iterator[tuple[Any, ...]]:
    """The numeric value of each answer; empty if it has none."""
    yield from enumerate(item.question.values)


def _tallies(item: QuestionResults) -> Iterator[tuple[Any, ...]]:
    for stratum, key in enumerate(item.partition.keys):
        for symbol, table in enumerate(item.totals):
            yield from ((key, symbol, value, count) for value, count in enumerate(table[stratum].tolist()))


def _odds(read: Results) -> Iterator[tuple[Any, ...]]:
    label = privacy.label(read)
    for item in label.items:
        yield item.key, item.mechanism.epsilon, item.mechanism.ratio
    yield "", label.epsilon, label.ratio


def _bounds(item: QuestionResults) -> Iterator[tuple[Any, ...]]:
    for bound in privacy.bounds(item):
        yield bound.measure, bound.n, float(bound.share), bound.false_reports, bound.shift
