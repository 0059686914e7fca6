"""The screenshots of the documentation: each has a test that takes it, and shows its page as it looks now."""

import importlib.util
import json
import re

import pytest

from tests.tools.help_site import ROOT

IMAGES = ROOT / "docs" / "images"
_spec = importlib.util.spec_from_file_location("make_pictures", IMAGES / "make.py")
assert _spec
assert _spec.loader
make = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(make)


def test_every_shown_screenshot_is_taken_by_make_pictures() -> None:
    documents = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    shown = {name for page in documents for name in re.findall(r"images/([\w-]+)\.png", page.read_text())}
    assert shown - set(make.PICTURES) == set()


@pytest.mark.parametrize("name", make.PICTURES)
def test_screenshot_has_its_test_and_sources(name: str) -> None:
    test, patterns = make.PICTURES[name]
    assert (IMAGES / f"{name}.png").is_file()
    assert not test or (ROOT / test).is_file()
    assert [pattern for pattern in patterns if not any(ROOT.glob(pattern))] == []


@pytest.mark.long
def test_screenshots_show_pages_as_they_look_now() -> None:
    recorded = json.loads(make.LOOKS.read_text())
    changed = [name for name in make.PICTURES if recorded.get(name) != make.look(name)]
    assert changed == [], "run make pictures"
