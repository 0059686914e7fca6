"""Where the audit of the exported files has its run and its readers from, and where it writes what came of it."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

from collector.models import FrozenDesign
from estimator.exports.formats import FORMATS
from estimator.models import Run
from estimator.runs import services as estimator
from tests.factories import special_texts
from tests.factories.runs import run_of

PAGE = Path(__file__).parents[2] / "docs/evidence/exported-files.md"
SECTION = re.compile(r"(<!-- written by make audit-files -->\n).*?(<!-- until here -->)", re.S)
HERE = Path(__file__).parent
OUTCOMES: dict[tuple[str, str], str] = {}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents and not os.environ.get("CANDOR_TEST_READERS"):
            item.add_marker(pytest.mark.skip(reason="needs LibreOffice and R; make audit-files brings and runs them"))


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, db: None) -> Iterator[Run]:
    monkeypatch.setattr(estimator, "wake", lambda run_id: None)
    design = special_texts.design()
    special_texts.answer(design)
    yield run_of(design)
    assert not FrozenDesign.objects.filter(closed_on=None).exists()


@pytest.fixture
def folder(run: Run, tmp_path: Path) -> Path:
    """A folder with a file of each format, under its name and suffix."""
    for name in ("csv", "xlsx", "json", "sav", "dta", "reports-csv", "reports-sav", "reports-dta"):
        (tmp_path / f"{name}{FORMATS[name].suffix}").write_bytes(FORMATS[name].whole(run))
    return tmp_path


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    report = yield
    marker = item.get_closest_marker("reads")
    if marker and HERE in item.path.parents and report.when == "call":
        OUTCOMES[marker.args] = {"passed": "opened, and the same"}.get(report.outcome, f"**{report.outcome}**")
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the page, where all tests of this folder were asked for: a part of them would cut the others' rows."""
    options = session.config
    whole = [Path(one).resolve() for one in options.args] == [HERE] and not options.option.keyword
    if os.environ.get("CANDOR_TEST_READERS") and whole and OUTCOMES and PAGE.exists():
        rows = "\n".join(f"| {reader} | {files} | {said} |" for (reader, files), said in OUTCOMES.items())
        table = f"{_versions()}\n\n| reader | file | what came of it |\n|---|---|---|\n{rows}\n"
        PAGE.write_text(SECTION.sub(lambda found: found[1] + table + found[2], PAGE.read_text(encoding="utf-8")))


def _versions() -> str:
    packages = ("pandas", "polars", "pyarrow", "pyreadstat", "openpyxl", "statsmodels")
    said = [f"Python {sys.version.split()[0]}", *(f"{name} {version(name)}" for name in packages)]
    for program in (["soffice", "--version"], ["Rscript", "-e", "cat(R.version.string)"]):
        if shutil.which(program[0]):
            told = subprocess.run(program, capture_output=True, text=True, check=False)
            said.append(" ".join(told.stdout.split()[:3]))
    return ", ".join(said) + "."
