"""Every exported file and every column, from the registries that the exports are written from."""

from docs.make.markdown import code, page, table
from estimator.exports import columns
from estimator.exports.formats import FORMATS

TABLES = {
    "Estimates": ("One row for each estimate: in `csv`, `parquet`, `sav`, `dta`, in a sheet of `xlsx`, and the keys of each entry of `estimates` in `json`.", columns.ESTIMATES),
    "Changes between waves": ("A sheet of `xlsx`, where there were earlier waves.", columns.CHANGES),
    "Questions": ("A sheet of `xlsx`: one row for each choice.", columns.QUESTIONS),
    "Groups": ("A sheet of `xlsx`, where groups were asked for.", columns.GROUPS),
    "Tallies": ("A sheet of `xlsx`: what was counted, before anything is estimated.", columns.TALLIES),
    "Privacy": ("A sheet of `xlsx`: what each question reveals at most.", columns.PRIVACY),
    "Randomisation schemes": ("A sheet of `xlsx`: the table of each question. There are as many columns `tickets_0`, `tickets_1`, ... as the widest table has.", columns.tickets(2)),
    "False responses": ("A sheet of `xlsx`: how far false responses can move a result.", columns.POISONING),
}  # fmt: skip
"""Each table with what it is for; tests hold the list against the module of columns."""

KINDS = {"text": "text", "whole": "whole number", "number": "number", "moment": "time, ISO 8601, UTC"}

RESPONSES = [
    (
        "`stratum`",
        "text",
        "Key of the group; empty without groups. In `sav` and `dta` its number from 0, with a label",
    ),
    (
        "`randomised_<item>`",
        "whole number",
        "What was sent for a question of one symbol: the number of a choice from 0, or of a step of a number",
    ),
    (
        "`randomised_<item>_<number>`",
        "whole number",
        "What was sent for a question of marks: 1 where the choice of this number is marked, else 0",
    ),
]
"""The columns of files with single responses, whose names depend on the survey."""


def text() -> str:
    formats = [
        (
            code(one.name),
            code(one.suffix),
            f"{one.label}. {one.about}",
            "one row for each response" if one.microdata else "",
        )
        for one in FORMATS.values()
    ]
    return page(
        "Files and columns",
        "For researchers and analysts.",
        "Every format of the panel's page Export, of `manage.py export_report --format` and of the API, and every column. What "
        "estimates, flags and methods mean is explained in [the report](report.md); how to open the files elsewhere is in "
        "[exported files](../evidence/exported-files.md).",
        "## Formats",
        table(("Format", "Ending", "Content", "Single responses"), formats),
        *(f"## {title}\n\n{about}\n\n{_columns(found)}" for title, (about, found) in TABLES.items()),
        "## Single responses",
        "One row for each response, **randomised, not the true answer**, in `reports-csv`, `reports-parquet`, `reports-sav` and "
        "`reports-dta`.",
        table(
            ("Column", "Type", "Meaning"),
            RESPONSES,
        ),
    )


def _columns(found: tuple[columns.Column, ...]) -> str:
    return table(("Column", "Type", "Meaning"), [(code(one.name), KINDS[one.kind], one.label) for one in found])
