"""The help pages as they are built: strictly, from this repository alone, and without code within a page."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools.help_site import ROOT, built, pages

INLINE = (
    re.compile(r"<script(?![^>]*\bsrc=)(?![^>]*application/json)[^>]*>"),
    re.compile(r"<style\b"),
    re.compile(r"<[a-z][^>]*\sstyle="),
    re.compile(r"<[a-z][^>]*\son[a-z]+="),
)
"""What the panel's policy would block."""

LOADED = re.compile(r"<(?:script|link|img|iframe|source)\b[^>]*?\b(?:src|href)=\"([^\"]+)\"")
FAULTS = {
    "index.md": "# Start\n\n[gone](gone.md) and [no such place](other.md#nowhere)\n",
    "other.md": "# Other\n",
    "orphan.md": "# Orphan\n",
}


def test_help_pages_have_no_code_within() -> None:
    found = [
        f"{name}: {fault[0]}" for name, page in pages().items() for rule in INLINE for fault in rule.finditer(page)
    ]
    assert found == []


def test_help_pages_load_nothing_from_elsewhere() -> None:
    found = [
        f"{name}: {target}"
        for name, page in pages().items()
        for target in LOADED.findall(page)
        if re.match(r"\w+:|//", target)
    ]
    assert found == []
    sheets = [
        path for path in built().rglob("*.css") if re.search(r"@import|url\(['\"]?(https?:)?//", path.read_text())
    ]
    assert sheets == []


def test_help_has_no_folders_of_its_makers() -> None:
    files = {path.relative_to(built()).as_posix() for path in built().rglob("*")}
    assert not {name for name in files if name.endswith((".pyc", "hooks.py")) or name.startswith("theme")}


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A copy of the site's configuration with pages that have one fault of each kind."""
    (tmp_path / "docs").mkdir()
    shutil.copytree(ROOT / "docs" / "theme", tmp_path / "docs" / "theme")
    icon = "surveys/static/surveys/icon.svg"
    (tmp_path / icon).parent.mkdir(parents=True)
    shutil.copy(ROOT / icon, tmp_path / icon)
    (tmp_path / "CHANGELOG.md").write_text("# Changes\n")
    nav = "nav:\n  - index.md\n  - other.md\n  - missing.md\n  - repository/CHANGELOG.md\n"
    (tmp_path / "mkdocs.yml").write_text((ROOT / "mkdocs.yml").read_text().partition("nav:\n  - ")[0] + nav)
    for name, text in FAULTS.items():
        (tmp_path / "docs" / name).write_text(text)
    return tmp_path


@pytest.mark.long
def test_build_names_every_kind_of_fault(broken: Path) -> None:
    """The test of the build: a link, an anchor, a page of no entry and an entry of no page."""
    command = [sys.executable, "-m", "mkdocs", "build", "--site-dir", broken / "site"]
    done = subprocess.run(command, cwd=broken, capture_output=True, text=True)
    for fault in ("gone.md", "#nowhere", "orphan.md", "missing.md"):
        assert [line for line in done.stderr.splitlines() if fault in line], fault
    strict = subprocess.run([*command, "--strict"], cwd=broken, capture_output=True, text=True)
    assert strict.returncode != 0
    assert "Aborted with 4 warnings" in strict.stdout + strict.stderr


def test_help_copies_come_from_what_is_hashed_and_in_the_image() -> None:
    """A file that pages link to outside docs/ has to be among SOURCES, or its change would build nothing."""
    sources = re.findall(
        r'"([^"]+)"', re.search(r"^SOURCES = \((.*)\)", (ROOT / "bin/build-help").read_text(), re.M)[1]
    )
    folder = built() / "repository"
    copies = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
    copies = [path.with_suffix(".md") if path.suffix == ".html" else path for path in copies]
    assert {path.parts[0] for path in copies} <= set(sources)
    copied = re.findall(r"^COPY ([^-]\S*)", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    assert set(sources) <= set(copied)
