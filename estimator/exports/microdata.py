"""Microdata, the randomised reports of a finished run: conditions of release, row order, memory use.

Rows stand in the order of a keyed hash of their nonces, which tells neither when a report came nor how it is stored.
No nonce, no time, and not whether a page or a coin randomised it: few take the coin, and of a row that says so somebody
who saw a person toss it knows whose it is.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from tempfile import TemporaryFile

import numpy as np
from django.conf import settings
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext
from numpy.typing import NDArray

from collector.designs import Design, selectors
from collector.errors import Conflict
from collector.reports import rewriting
from collector.reports import selectors as store
from estimator.base.cells import ExportError, Watch
from estimator.base.languages import filled
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


SORTED = 4_194_304
"""Reports sorted in memory at a time, about; more are spread over files by the beginnings of their hashes."""


class Microdata:
    """The reports of a run in their order; made by `read`.

    Reports are in files without a name in the data folder, which are gone with the process, spread by the first bits of
    their hashes: in memory are those of one file, sorted, whatever their number. Strata are rows of the run's
    partition, as numbers are told of groups.
    """

    def __init__(self, run: Run, partition: Partition, files: ExitStack) -> None:
        self.run, self.partition = run, partition
        size, width = int(run.reports or 0), len(partition.design.alphabets)
        self._record = np.dtype([("hash", "<u8"), ("stratum", "<u2"), ("symbols", "u1", (width,))])
        self._bits = max(-(-size // SORTED) - 1, 0).bit_length()
        self._buckets = [
            files.enter_context(TemporaryFile(dir=settings.DATA))  # noqa: SIM115
            for _ in range(2**self._bits)
        ]

    @property
    def design(self) -> Design:
        return self.partition.design

    @property
    def variables(self) -> list[ExportVariable]:
        return variables_of(self.design)

    @cached_property
    def asked(self) -> NDArray[np.bool_]:
        """Whether respondents of each row of the partition were asked what each symbol is of: shape (rows, symbols).

        What a version of the page does not ask is sent all the same, as noise; it is left empty in files.
        """
        places = [place for place, field in enumerate(self.design.fields) for _ in range(field.symbols)]
        columns = {place: self.partition.merge_asked(place) for place in set(places)}
        return np.stack([columns[place] for place in places], axis=1)

    def __len__(self) -> int:
        return int(self.run.reports or 0)

    def add(self, hashes: NDArray[np.uint64], strata: NDArray[np.intp], symbols: NDArray[np.uint8]) -> None:
        """Add reports: hashes of shape (n,), strata of the design (n,), symbols (n, symbols)."""
        records = np.empty(len(hashes), dtype=self._record)
        records["hash"], records["stratum"], records["symbols"] = hashes, self.partition.rows[strata], symbols
        if not self._bits:
            self._buckets[0].write(records.tobytes())
            return
        bucket = (hashes >> np.uint64(64 - self._bits)).astype(np.intp)
        by_bucket = np.argsort(bucket, kind="stable")
        ends = np.cumsum(np.bincount(bucket, minlength=len(self._buckets)))
        for file, some in zip(self._buckets, np.split(records[by_bucket], ends[:-1]), strict=True):
            file.write(some.tobytes())

    def chunks(self, watch: Watch) -> Iterator[tuple[NDArray[np.uint16], NDArray[np.uint8]]]:
        """Yield strata and symbols of the reports in order, at most CHUNK at a time; `watch` after each is written."""
        done = 0
        for file in self._buckets:
            file.seek(0)
            records = np.frombuffer(file.read(), dtype=self._record)
            order = np.argsort(records["hash"], kind="stable")
            for first in range(0, len(order), CHUNK):
                some = records[order[first : first + CHUNK]]
                yield some["stratum"], some["symbols"]
                done += len(some)
                watch(READING + (1 - READING) * done / len(self))


def check(run: Run) -> None:
    """Raise ExportError where the reports of this run cannot be given out one by one, or may not."""
    reports = run.reports or 0
    if reports < MINIMUM_MICRODATA:
        raise ExportError(
            filled(
                gettext(
                    "Single responses are released from {minimum_microdata} responses on; this run counted "
                    "{reports:,}. With fewer it is too easy to guess whose a row is."
                ),
                minimum_microdata=MINIMUM_MICRODATA,
                reports=reports,
            )
        )
    try:
        store.require_reports(run.design_id)
    except Conflict as gone:
        raise ExportError(str(gone)) from gone
    design = selectors.get_design(run.design_id)
    if not design.rehearsal and not selectors.is_final(run.design_id):
        raise ExportError(
            gettext(
                "Single responses are released once the closing of the survey is final: of two earlier "
                "files, the rows that only the later one has would show who answered in between."
            )
        )
    stored = store.report_count(run.design_id)
    if stored != reports:
        fault = (
            gettext(
                "This run counted {reports:,} responses and {stored:,} are stored: "
                "those of simulated respondents are deleted once they are estimated."
            )
            if design.rehearsal
            else gettext(
                "This run counted {reports:,} responses and {stored:,} are stored: "
                "use a run made after closing, which counted all of them."
            )
        )
        raise ExportError(filled(fault, reports=reports, stored=stored))


def check_in_memory(run: Run) -> None:
    """Raise ExportError as `check`, and where there are more reports than a file of SPSS or Stata is made of."""
    check(run)
    cells = (run.reports or 0) * len(run.tallies)
    if cells > MOST_CELLS:
        raise ExportError(
            filled(
                gettext(
                    "Files for SPSS and Stata are made of at most {most_cells:,} symbols; this run counted "
                    "{cells:,}. Use CSV or Parquet, which both programs can read."
                ),
                most_cells=MOST_CELLS,
                cells=cells,
            )
        )


@contextmanager
def read(run: Run, watch: Watch) -> Iterator[Microdata]:
    """Read the reports of a run in their export order, which can be written until the context ends.

    Raises ExportError: as `check`, or where what is stored is not what the run counted.
    """
    check(run)
    design = selectors.get_design(run.design_id)
    partition = stored(design, run.groups)
    with ExitStack() as files:
        found = Microdata(run, partition, files)
        try:
            with rewriting.in_exclusive_window():
                exact = store.count(design, _added(found, watch))
        except Conflict as gone:
            raise ExportError(str(gone)) from gone
        counted = partition.merge_all(exact)
        if [table.tolist() for table in counted] != run.tallies:
            raise _other_reports(run)
        yield found


def _added(found: Microdata, watch: Watch) -> Iterator[tuple[NDArray[np.intp], NDArray[np.uint8]]]:
    """Yield the strata and symbols of the run's reports, and add them; ExportError where there are more or fewer."""
    design, size, done = found.design, len(found), 0
    for hashes, strata, symbols in store.hashed_reports(design.digest, order_key(design.digest)):
        done += len(hashes)
        if done > size:
            raise _other_reports(found.run)
        found.add(hashes, strata, symbols)
        yield strata, symbols
        watch(READING * done / size)
    if done < size:
        raise _other_reports(found.run)


def order_key(digest: str) -> bytes:
    """The key for the order of a design's reports, specific to this installation and this design."""
    return salted_hmac(f"order of reports {digest}", "", secret=settings.SECRET_KEY, algorithm="sha256").digest()


def _other_reports(run: Run) -> ExportError:
    return ExportError(
        filled(
            gettext(
                "The stored responses are not the {reports:,} responses that this run counted; "
                "make a new run and try again."
            ),
            reports=run.reports,
        )
    )
