"""The page of what was tried: docs/evidence/failures.md."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.system.installation import ROOT
from tests.tools import provenance

PAGE = ROOT / "docs" / "evidence" / "failures.md"
INTRODUCTION = """# Failing clocks, folders and processes

*For operators and engineers.*

Written by `make audit-failures`; do not edit. A running installation took reports while things happened
that no program can prevent, to processes, clock and folders. Who got no answer, or 503, sent the same again.

| installation | what happened | what was seen |
| --- | --- | --- |
"""


@dataclass(frozen=True)
class Row:
    installation: str
    what: str
    seen: str
    sound: bool


def tried(installation: str, what: str, case: Callable[[], str]) -> Row:
    """Do it and note what was seen, or what went wrong."""
    try:
        return Row(installation, what, case(), True)
    except Exception as fault:
        return Row(installation, what, f"**went wrong**: {type(fault).__name__} {fault}", False)


def write(rows: Sequence[Row]) -> None:
    table = "".join(f"| {row.installation} | {row.what} | {row.seen} |\n" for row in rows)
    PAGE.write_text(INTRODUCTION + table + f"\n{provenance.of_run()}\n")
