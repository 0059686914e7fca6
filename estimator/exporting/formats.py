"""The formats in which a finished run can be taken away: one registry for pages, jobs, programs and commands."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO

from estimator import exports
from estimator.models import Run

Watch = Callable[[float], None]
"""Is told how much is written, in [0, 1], now and then; raises to stop the writing."""


class NotExported(Exception):
    """This run cannot be written in this format; the message is for whoever asked, and trying again does not help."""


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
        Writes the whole file of a finished run. The same state gives the same bytes. Raises NotExported.
    microdata : bool
        Whether it holds a row for each report; such a file asks for an explicit choice.
    translated : bool
        Whether it is written in a language that is chosen: `write` is called with that one active.
    about : str
        What it is for, in a sentence for the panel.
    """

    name: str
    suffix: str
    content_type: str
    label: str
    write: Callable[[Run, BinaryIO, Watch], None]
    microdata: bool = False
    translated: bool = False
    about: str = ""


def _whole(make: Callable[[Run], bytes]) -> Callable[[Run, BinaryIO, Watch], None]:
    """The writer of a file that is small enough to be made in memory."""

    def write(run: Run, out: BinaryIO, watch: Watch) -> None:
        out.write(make(run))
        watch(1.0)

    return write


FORMATS: dict[str, Format] = {
    one.name: one
    for one in (
        Format(
            "csv",
            ".csv",
            "text/csv; charset=utf-8",
            "Estimates as CSV",
            _whole(exports.csv_file),
            about="One row for each estimate, for any spreadsheet or program.",
        ),
        Format(
            "json",
            ".json",
            "application/json",
            "The whole report as JSON",
            _whole(exports.json_file),
            about="Design, totals, estimates and privacy label in one document, from which every number follows.",
        ),
    )
}
