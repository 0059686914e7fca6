"""The built help pages, for the tests that look at them."""

import html
import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@cache
def built() -> Path:
    """The folder of the site, built where it is not current; other processes wait meanwhile."""
    done = subprocess.run([sys.executable, ROOT / "bin" / "build-help"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return ROOT / "build" / "help"


def pages() -> dict[str, str]:
    """The HTML of every page by its path in the site."""
    folder = built()
    return {path.relative_to(folder).as_posix(): path.read_text() for path in sorted(folder.rglob("*.html"))}


def links(page: str) -> set[str]:
    """Where the links of a page's HTML lead."""
    return {html.unescape(target) for target in re.findall(r'<a [^>]*href="([^"]+)"', page)}


def search_index() -> list[dict[str, str]]:
    """What the search finds: a location, a title and a text for each page and section."""
    entries: list[dict[str, str]] = json.loads((built() / "search" / "search_index.json").read_text())["docs"]
    return entries
