"""Pieces of Markdown for the pages that are written from the code."""

from collections.abc import Iterable, Sequence

MARK = "<!-- Written by `make reference`; a change by hand is lost with the next run. -->"


def page(title: str, readers: str, *parts: str) -> str:
    """A whole page: its title, for whom it is, and its parts with an empty line between them."""
    return "\n\n".join((f"# {title}", MARK, f"*{readers}*", *(part.strip("\n") for part in parts if part))) + "\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell(one) for one in row) + " |" for row in lines)


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def code(text: object) -> str:
    return f"`{text}`"
