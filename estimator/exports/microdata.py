"""Microdata, the randomised reports of a finished run: conditions of release, row order, memory use.

Rows stand in the order of a keyed hash of their nonces, which tells neither when a report came nor how it is stored.
No nonce, no time, and not whether a page or a coin randomised it: few take the coin, and of a row that says so somebody
who saw a person toss it knows whose it is.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from django.conf import settings
from django.utils.crypto import salted_hmac
from numpy.typing import NDArray

from collector.designs import Design, selectors
from collector.errors import Conflict
from collector.reports import rewriting
from collector.reports import selectors as store
from estimator.base.cells import ExportError, Watch
from estimator.exports.variables import ExportVariable, variables_of
from estimator.models import Run
from estimator.runs.estimation import MINIMUM_MICRODATA
from estimator.runs.groups import Partition, stored

MOST_CELLS = 50_000_000
"""Maximum of reports times variables for an SPSS or Stata file of single reports, which is put together
in memory, a byte for each."""

CHUNK = 131_072
"""Rows put into order and written at a time."""

READING = 0.5
"""Fraction of the work that reading and sorting the reports takes."""


@dataclass(frozen=True)
class Microdata:
    """The reports of a run, `strata` of shape (n,) and `symbols` (n, symbols), and their order.

    Strata are rows of the run's partition, as numbers are told of groups.

    Made by `read`. 1 byte for each symbol, 2 for the group and 8 for the place of each report are in memory, and
    8 more while they are sorted.
    """

    run: Run
    partition: Partition
    strata: NDArray[np.uint16]
    symbols: NDArray[np.uint8]
    order: NDArray[np.intp]

    @property
    def design(self) -> Design:
        return self.partition.design

    @property
    def variables(self) -> list[ExportVariable]:
        return variables_of(self.design)

    def __len__(self) -> int:
        return len(self.order)

    def chunks(self, watch: Watch) -> Iterator[tuple[NDArray[np.uint16], NDArray[np.uint8]]]:
        """Yield strata and symbols of the reports in order, CHUNK at a time; call `watch` after each is written."""
        for first in range(0, len(self), CHUNK):
            rows = self.order[first : first + CHUNK]
            yield self.strata[rows], self.symbols[rows]
            watch(READING + (1 - READING) * (first + len(rows)) / len(self))


def check(run: Run) -> None:
    """Raise ExportError where the reports of this run cannot be given out one by one, or may not."""
    reports = run.reports or 0
    if reports < MINIMUM_MICRODATA:
        raise ExportError(
            f"Reports are given out one by one from {MINIMUM_MICRODATA} of them on; this run counted {reports:,}. "
            "Among fewer it is too easy to guess whose a row is."
        )
    try:
        store.require_reports(run.design_id)
    except Conflict as gone:
        raise ExportError(str(gone)) from gone
    design = selectors.get_design(run.design_id)
    if not design.rehearsal and selectors.is_open(run.design_id):
        raise ExportError(
            "Reports are given out one by one after the survey is closed: of two files from before, the rows that only "
            "the later one has would tell who sent them meanwhile."
        )
    stored = store.report_count(run.design_id)
    if stored != reports:
        rest = (
            "those of simulated respondents are forgotten once they are estimated."
            if design.rehearsal
            else "take a run made after closing, which counted all of them."
        )
        raise ExportError(f"This run counted {reports:,} reports and {stored:,} are stored: {rest}")


def check_in_memory(run: Run) -> None:
    """Raise ExportError as `check`, and where there are more reports than a file of SPSS or Stata is made of."""
    check(run)
    cells = (run.reports or 0) * len(run.tallies)
    if cells > MOST_CELLS:
        raise ExportError(
            f"Files of SPSS and Stata are made of at most {MOST_CELLS:,} symbols; this run counted {cells:,}. "
            "Take CSV or Parquet, which both programs or their users read."
        )


def read(run: Run, watch: Watch) -> Microdata:
    """Read the reports of a run in their export order.

    Raises ExportError: as `check`, or where what is stored is not what the run counted.
    """
    check(run)
    design = selectors.get_design(run.design_id)
    partition = stored(design, run.groups)
    try:
        with rewriting.in_exclusive_window():
            hashes, strata, symbols = _stored(run, design, watch)
    except Conflict as gone:
        raise ExportError(str(gone)) from gone
    parts = (slice(first, first + CHUNK) for first in range(0, len(strata), CHUNK))
    exact = store.count(design, ((strata[part].astype(np.intp), symbols[part]) for part in parts))
    counted = partition.merge_all(exact)
    if [table.tolist() for table in counted] != run.tallies:
        raise _other_reports(run)
    rows = partition.rows.astype(np.uint16)[strata]
    return Microdata(run, partition, rows, symbols, np.argsort(hashes, kind="stable"))


def _stored(run: Run, design: Design, watch: Watch) -> tuple[NDArray[np.uint64], NDArray[np.uint16], NDArray[np.uint8]]:
    """The hash, the stratum and the symbols of each report, as many as the run counted."""
    size, done = int(run.reports or 0), 0
    hashes = np.empty(size, dtype=np.uint64)
    strata = np.empty(size, dtype=np.uint16)
    symbols = np.empty((size, len(design.alphabets)), dtype=np.uint8)
    for some, groups, values in store.hashed_reports(design.digest, order_key(design.digest)):
        if done + len(some) > size:
            raise _other_reports(run)
        part = slice(done, done + len(some))
        hashes[part], strata[part], symbols[part] = some, groups, values
        done += len(some)
        watch(READING * done / size)
    if done < size:
        raise _other_reports(run)
    return hashes, strata, symbols


def order_key(digest: str) -> bytes:
    """The key for the order of a design's reports, specific to this installation and this design."""
    return salted_hmac(f"order of reports {digest}", "", secret=settings.SECRET_KEY, algorithm="sha256").digest()


def _other_reports(run: Run) -> ExportError:
    counted = f"{run.reports:,} reports"
    return ExportError(f"What is stored is not what this run counted, {counted}; make a new run and try again.")
