"""What the documents name in bold, as something to press or to fill in, stands on a page under that name."""

import re
from functools import cache
from pathlib import Path

import pytest

from bin import catalog
from tests.tools.help_site import ROOT

OPERATORS = (
    "backup-and-restore",
    "citus",
    "containers",
    "deploy",
    "harden",
    "high-availability",
    "kubernetes",
    "operate",
)
PAGES = sorted(
    page
    for folder in ("how-to", "tutorials")
    for page in (ROOT / "docs" / folder).glob("*.md")
    if page.stem not in OPERATORS
)
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
LABEL = re.compile(r"\*\*([A-Z][^*.]*)\*\*")
"""In bold with a capital; a whole sentence in bold ends with a point, other words in bold begin small."""
PLACE = re.compile(r"%\\\((?:\w+)\\\)s|\\\{\w+\\\}")

ELSEWHERE = {
    "Each value is randomised. It is not the true answer",  # the labels of a file for SPSS and Stata
    "Webhooks",  # the same in every language
}


@cache
def labels() -> tuple[frozenset[str], tuple[re.Pattern[str], ...]]:
    """The texts of the product without the points at their end, and those with a placeholder as patterns."""
    texts = {
        re.sub(r"\s+", " ", text).strip().rstrip(" …")
        for shelf in catalog.SHELVES
        for entry in catalog.texts(shelf)
        for text in (entry.singular, entry.plural)
    }
    short = [text for text in texts if len(text) < 60 and re.match(r"\w{4,} [\w ]*[%{]", text)]
    return frozenset(texts), tuple(re.compile(PLACE.sub(r"[\\w ]+", re.escape(text))) for text in short)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_labels_in_bold_stand_in_the_product(page: Path) -> None:
    known, patterns = labels()
    found = {re.sub(r"\s+", " ", label) for label in LABEL.findall(FENCED.sub("", page.read_text()))}
    unknown = found - known - ELSEWHERE
    assert not {label for label in unknown if not any(pattern.fullmatch(label) for pattern in patterns)}
