"""Pieces of Markdown for the pages that are written from the code."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

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


DOCS = Path(__file__).resolve().parents[1]
TEST = re.compile(r"\btest_\w+")
PAGE = re.compile(r"\bdocs/([\w/-]+\.md)\b")


def evidence(text: str) -> str:
    """Names of tests as code, and of pages as links by their titles, for a page in a folder of docs."""
    return PAGE.sub(_link, TEST.sub(lambda found: code(found[0]), text))


def _link(found: re.Match[str]) -> str:
    title = (DOCS / found[1]).read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
    return f"[{title}](../{found[1]})"
