"""Archived reports of 20 items: bytes of the file, and the memory of what moves and reads them. Nothing is timed.

python -m benchmarks.archives                     a million reports and four, on SQLite; writes docs/evidence/scale.md
python -m benchmarks.archives 100000 postgresql   as many as are asked for, on the database that is asked for
"""

import argparse
import re
from pathlib import Path
from typing import Any

from benchmarks import _filled
from benchmarks.exporting import _counted
from benchmarks.volume import _ignored, _measured, _say

PAGE = Path(__file__).parents[1] / "docs/evidence/scale.md"
SECTION = re.compile(r"(<!-- written by benchmarks/archives.py -->\n).*?(<!-- until here -->)", re.S)
SIZES = (1_000_000, 4_000_000)
HEAD = (
    "| reports | what is done | memory before, MB | at most, MB | bytes of a report |\n"
    "|---|---|---|---|---|\n"
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("reports", type=int, nargs="?")
    parser.add_argument("database", nargs="?", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--here", action="store_true", help="measure the database that the environment names")
    options = parser.parse_args()
    if options.here:
        measure(options.reports)
        return
    rows = []
    for size in [options.reports] if options.reports else SIZES:
        for found in _filled.lines("benchmarks.archives", options.database, str(size)):
            rows.append(row(size, found))
            print(rows[-1], end="", flush=True)
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(SECTION.sub(lambda page: page[1] + HEAD + "".join(rows) + page[2], text), encoding="utf-8")


def row(size: int, found: dict[str, Any]) -> str:
    before, most = (f"{found[name]:.0f}" if name in found else "" for name in ("before", "most"))
    per_report = f"{found['bytes'] / size:.1f}" if "bytes" in found else ""
    return f"| {size:,} | {found['what']} | {before} | {most} | {per_report} |\n"


def measure(size: int) -> None:
    """Fill the store, move the reports into a file and back; print a line of JSON for each step."""
    digest = _filled.prepare()
    _filled.fill(digest, size)
    _counted(digest)
    from collector.models import ReportArchive
    from collector.reports import archiving, rewriting, selectors

    def checked() -> int:
        archiving.check(ReportArchive.objects.get(design=digest))
        return 0

    rewriting.rewrite_closed()
    _say("rows with their key", 0, 0, bytes=_filled.size("collector_report"))
    _measured("totals counted again from rows", lambda: _ignored(selectors.recount(digest)))
    _measured("moved into the file, compared, rows deleted", lambda: archiving.archive(digest).size)
    _measured("totals counted again from the file", lambda: _ignored(selectors.recount(digest)))
    _measured("every byte and report of the file compared", checked)
    _measured("put back as rows", lambda: 0 * archiving.put_back(digest))


if __name__ == "__main__":
    main()
