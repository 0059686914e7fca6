"""docs/evidence/index.md, the summary: it names every page, and quotes what the page says."""

import re
from pathlib import Path

import pytest

EVIDENCE = Path(__file__).parents[2] / "docs" / "evidence"
SUMMARY = (EVIDENCE / "index.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| [^|]+ \| (\".*) \| (\[.*) \|$", SUMMARY, re.MULTILINE)


def words(text: str) -> str:
    return " ".join(text.replace("\\|", "|").replace("**", "").split())


@pytest.mark.parametrize(("found", "links"), ROWS, ids=lambda text: text[:30])
def test_summary_quotes_its_page(found: str, links: str) -> None:
    page, *_ = re.findall(r"\]\(([\w-]+\.md)\)", links)
    (quoted,) = re.findall(r"^\"(.*?)\"", found)
    assert words(quoted) in words((EVIDENCE / page).read_text(encoding="utf-8"))


def test_summary_names_every_page() -> None:
    named = set(re.findall(r"\]\(([\w-]+\.md)\)", SUMMARY))
    assert {path.name for path in EVIDENCE.glob("*.md")} == named | {"index.md"}
    assert len(ROWS) > 20
