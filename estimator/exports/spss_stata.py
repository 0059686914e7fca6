"""SPSS (.sav) and Stata (.dta) files: the estimates, and the randomised reports with labelled codes."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

import numpy as np
import pandas as pd
import pyreadstat

from estimator.base.cells import Watch, no_progress
from estimator.exports import microdata
from estimator.exports.columns import Kind
from estimator.exports.microdata import Microdata
from estimator.exports.tables import estimates
from estimator.exports.variables import (
    STRATUM,
    WARNING,
    background_columns,
    distinct,
    strata_labels,
    stratum_wording,
)
from estimator.models import Run
from estimator.runs import results
from estimator.runs.results import ReportContext, Results

LABEL = 256
"""Maximum bytes of a column label; SPSS takes no more."""

LONGEST = 32_000
"""Maximum bytes of a text; SPSS takes 32,767."""

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(frozen=True)
class LabelledTable:
    """A table with a label for each column, and for each code of coded columns."""

    values: pd.DataFrame
    labels: dict[str, str]
    codes: dict[str, dict[int, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Program:
    """The limits of a program: names and labels of columns in characters, labels of codes and file in bytes.

    `stamp` says where in the file's first bytes is the time of its making, and what stands there for a moment.
    """

    suffix: str
    write: Callable[..., None]
    name: int
    label: int
    code_label: int
    file_label: int
    stamp: Callable[[bytes, datetime], tuple[int, bytes]]


def _sav_stamp(head: bytes, at: datetime) -> tuple[int, bytes]:
    """The SPSS timestamp: `21 Nov 26` and `18:26:09`, adjacent, after row count and bias."""
    return 92, f"{at:%d} {MONTHS[at.month - 1]} {at:%y%H:%M:%S}".encode()


def _dta_stamp(head: bytes, at: datetime) -> tuple[int, bytes]:
    """The Stata timestamp: `21 Nov 2026 18:26`, after a file label of any length."""
    mark = b"<timestamp>\x11"
    return head.index(mark) + len(mark), f"{at:%d} {MONTHS[at.month - 1]} {at:%Y %H:%M}".encode()


PROGRAMS = {
    ".sav": Program(".sav", pyreadstat.write_sav, 64, 256, 120, 64, _sav_stamp),
    ".dta": Program(".dta", partial(pyreadstat.write_dta, version=14), 32, 80, 30_000, 80, _dta_stamp),
}


def estimates_file(suffix: str, run: Run, context: ReportContext, out: BinaryIO, watch: Watch) -> None:
    """Write one row per estimate, with labelled columns."""
    read = results.read(run, context)
    _write(PROGRAMS[suffix], run, read.title, _of_estimates(read), out)
    watch(1.0)


def reports_file(suffix: str, run: Run, context: ReportContext, out: BinaryIO, watch: Watch) -> None:
    """One row for each report. Raises ExportError where there are more than fit into memory."""
    microdata.check_in_memory(run)
    program = PROGRAMS[suffix]
    with microdata.read(run, watch) as found:
        title = found.design.title[found.design.language]
        _write(program, run, f"{WARNING}: {title}", _of_reports(program, found), out)
    watch(1.0)


def _of_estimates(read: Results) -> LabelledTable:
    table = estimates(read)
    rows = list(table.rows)
    columns = {one.name: _series([row[one.name] for row in rows], one.kind) for one in table.columns}
    return LabelledTable(pd.DataFrame(columns), {one.name: one.label for one in table.columns})


def _series(values: list[Any], kind: Kind) -> pd.Series:
    if kind == "text":
        return pd.Series([cut(value or "", LONGEST) for value in values], dtype=object)
    if kind == "moment":
        moments = [None if value is None else datetime.fromisoformat(value).astimezone(UTC) for value in values]
        return pd.Series(pd.to_datetime(moments, utc=True)).dt.tz_localize(None)
    return pd.Series(values, dtype="Int64" if kind == "whole" else "float64")


def _of_reports(program: Program, found: Microdata) -> LabelledTable:
    variables = found.variables
    strata, symbols = map(np.concatenate, zip(*found.chunks(no_progress), strict=True))
    asked = background_columns(found.partition)
    wanted = (STRATUM, *(one.name for one in asked), *(one.name for one in variables))
    _, *names = distinct(wanted, most=program.name)
    openly = dict(zip(names, asked, strict=False))
    names = names[len(asked) :]
    groups = {STRATUM: strata_labels(found.partition)}
    codes_of_groups = np.array(list(groups[STRATUM]) or [0], dtype=np.int16)
    columns = {STRATUM: codes_of_groups[strata]} | {name: one.codes[strata] for name, one in openly.items()}
    unasked = ~found.asked[strata]
    columns |= {
        name: np.where(missing, np.nan, values) if missing.any() else values.astype("int16")
        for name, values, missing in zip(names, symbols.T, unasked.T, strict=True)
    }
    labels = {STRATUM: stratum_wording(found.design)} | {name: one.label for name, one in openly.items()}
    labels |= {name: one.label for name, one in zip(names, variables, strict=True)}
    codes = groups | {name: dict(one.labels) for name, one in openly.items()}
    codes |= {name: dict(one.labels) for name, one in zip(names, variables, strict=True)}
    return LabelledTable(pd.DataFrame(columns), labels, codes)


def _write(program: Program, run: Run, title: str, frame: LabelledTable, out: BinaryIO) -> None:
    """Write through a temporary file, as the library needs a path; the file's timestamp is the snapshot's."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"file{program.suffix}"
        program.write(
            frame.values,
            path,
            file_label=cut(title, program.file_label),
            column_labels={name: cut(label[: program.label], LABEL) for name, label in frame.labels.items()},
            variable_value_labels={
                name: {code: cut(label, program.code_label) for code, label in labels.items()}
                for name, labels in frame.codes.items()
                if labels
            },
        )
        with path.open("r+b") as file:
            assert run.snapshot_at is not None
            place, stamp = program.stamp(file.read(1024), run.snapshot_at.astimezone(UTC))
            file.seek(place)
            file.write(stamp)
            file.seek(0)
            shutil.copyfileobj(file, out)


def cut(text: str, most: int) -> str:
    """Truncate a text to this many bytes of UTF-8; replace zeros, at which these programs stop reading."""
    return text.replace("\0", "\ufffd").encode()[:most].decode("utf-8", "ignore")
