"""The formats in which a finished run can be taken away: one registry for pages, jobs, programs and commands."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO

from estimator import exports
from estimator.models import Run

Watch = Callable[[float], None]
"""Is told how much is written, in [0, 1], now and then; raises to stop the writing."""


@dataclass(frozen=True)
class Format:
    """A kind of file.

    Attributes
    ----------
    name : str
        Its word in addresses, on the command line and in the API.
    suffix : str
        Of its files, with the dot.
    content_type : str
    label : str
        What it is, in words for the panel.
    write : callable of (Run, BinaryIO, Watch)
        Writes the whole file of a finished run. The same state gives the same bytes.
    microdata : bool
        Whether it holds a row for each report; such a file asks for an explicit choice.
    """

    name: str
    suffix: str
    content_type: str
    label: str
    write: Callable[[Run, BinaryIO, Watch], None]
    microdata: bool = False


def _whole(make: Callable[[Run], bytes]) -> Callable[[Run, BinaryIO, Watch], None]:
    """The writer of a file that is small enough to be made in memory."""

    def write(run: Run, out: BinaryIO, watch: Watch) -> None:
        out.write(make(run))
        watch(1.0)

    return write


FORMATS: dict[str, Format] = {
    one.name: one
    for one in (
        Format("csv", ".csv", "text/csv; charset=utf-8", "Estimates as CSV", _whole(exports.csv_file)),
        Format("json", ".json", "application/json", "The whole report as JSON", _whole(exports.json_file)),
    )
}
