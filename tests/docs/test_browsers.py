"""The page on the three browsers: what it names is there, and what tests are marked for is on it."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/evidence/browsers.md").read_text()
SOURCES = "\n".join(path.read_text() for path in sorted((ROOT / "tests/browser").rglob("*.py")))
MARKED = sorted(set(re.findall(r'mark\.engines\(((?:"\w+", )+)because="([^"]+)"\)', SOURCES)))


def test_marks_are_found() -> None:
    assert len(MARKED) == len(set(re.findall(r"mark\.engines\(.*\)", SOURCES))) > 4


@pytest.mark.parametrize(("engines", "reason"), MARKED)
def test_each_mark_is_on_the_page(engines: str, reason: str) -> None:
    named = ", ".join({"chromium": "Chromium", "webkit": "WebKit"}[one] for one in re.findall(r"\w+", engines))
    assert f"| {reason} | {named} |" in PAGE


@pytest.mark.parametrize("name", re.findall(r"`(test_\w+)`", PAGE))
def test_each_named_test_exists(name: str) -> None:
    assert f"def {name}(" in SOURCES
