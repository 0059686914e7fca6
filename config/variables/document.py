"""The tables of docs/reference/configuration.md, written from the registry."""

from collections.abc import Iterator
from pathlib import Path

from config.variables.registry import PROCESSES, ROOT, SECTIONS, VARIABLES
from config.variables.variable import Variable

PAGE = ROOT / "docs" / "reference" / "configuration.md"
BEGIN, END = "<!-- written by python -m config.variables -->", "<!-- until here -->"


def tables() -> str:
    """Return a heading and a table for each section."""
    return "\n".join(line for section in SECTIONS for line in _section(section))


def write(page: Path = PAGE) -> None:
    """Put the tables into the page, between the marks."""
    before, _, rest = page.read_text().partition(f"{BEGIN}\n")
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n{tables()}\n{END}{after}")


def _section(section: str) -> Iterator[str]:
    yield from (f"## {section}", "| Variable | Meaning | Default | Allowed | Used by |", "|---|---|---|---|---|")
    yield from (_row(variable) for variable in VARIABLES.values() if variable.section == section)
    yield ""


def _row(variable: Variable[object]) -> str:
    shown = variable.shown or (f"`{variable.default}`" if variable.default not in ("", ()) else "none")
    every = set(PROCESSES) <= set(variable.used_by)
    users = ["every process", *(one for one in variable.used_by if one not in PROCESSES)] if every else variable.used_by
    meaning = variable.meaning + (" Secret." if variable.secret else "")
    return f"| `{variable.name}` | {meaning} | {shown} | {variable.format.allowed} | {', '.join(users)} |"
