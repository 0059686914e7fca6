"""R alone computes the numbers of a report again from its bundle; part of `make audit-files`, as it needs R.

Every kind of question and encoding, in groups and weighted groups, of an open survey and after closing.
"""

import csv
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from estimator.runs import services
from tests.factories import background
from tests.factories.runs import run_of
from tests.factories.simulation import every_kind_in_groups
from tests.tools.bundles import unpack_bundle

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "wake", lambda run_id: None)


def rebuilt(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """In the plainest locale, as a reader's server may have it."""
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C"}
    return subprocess.run(
        ["Rscript", "--vanilla", "rebuild.R", *arguments], cwd=folder, env=environment, capture_output=True, text=True
    )


@pytest.mark.reads("R alone, rebuild.R", "bundle")
def test_r_alone_computes_every_number(tmp_path: Path) -> None:
    for shares in ((None, None), ("2/5", "3/5")):
        design = every_kind_in_groups(*shares)
        for final in (False, True):
            folder = unpack_bundle(run_of(design, final=final), tmp_path / f"{shares[0]}-{final}")
            done = rebuilt(folder, "--write", "out.csv")
            assert (done.returncode, done.stderr) == (0, "")
            assert "No difference above 1e-09 in 105 estimates and 20 bounds." in done.stdout
            with (folder / "out.csv").open(encoding="utf-8", newline="") as file:
                computed = [float(row["estimate"]) for row in csv.DictReader(file)]
            with (folder / "estimates.csv").open(encoding="utf-8-sig", newline="") as file:
                stated = [float(row["estimate"]) for row in csv.DictReader(file)]
            assert computed == pytest.approx(stated, rel=0, abs=1e-9)


def test_r_computes_what_versions_of_the_page_ask(tmp_path: Path) -> None:
    """Where versions ask different questions the total is that of the one that tells the most."""
    folder = unpack_bundle(run_of(background.in_versions(0.4, 0.2)), tmp_path)
    done = rebuilt(folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert "No difference above 1e-09" in done.stdout


CHANGES = {
    "a count": ("tables/tallies.csv", 4, 1),
    "an estimate": ("estimates.csv", 10, 2e-9),
    "an end": ("estimates.csv", 13, 2e-9),
    "a bound": ("tables/bounds.csv", 5, 2e-9),
    "an epsilon": ("tables/odds.csv", 1, 2e-9),
}


WORDS = {
    "how it was estimated": ("maximum_likelihood", "own_count"),
    "how its interval was made": ("recovered", "exact"),
    "of whom it speaks": ("population_weighted", "population"),
    "of whom the other interval speaks": ("respondents_weighted", "respondents"),
}


def changed(line: str, column: int, by: float) -> str:
    cells = line.split(",")
    cells[column] = repr(float(cells[column]) + by) if by < 1 else str(int(cells[column]) + by)
    return ",".join(cells)


def test_r_finds_a_changed_number_and_word(tmp_path: Path) -> None:
    folder = unpack_bundle(run_of(every_kind_in_groups("2/5", "3/5")), tmp_path)
    cases: list[tuple[str, str, Callable[[str], str]]] = [
        (what, name, lambda line, c=column, b=by: changed(line, c, b)) for what, (name, column, by) in CHANGES.items()
    ]
    cases += [(what, "estimates.csv", lambda line, w=words: line.replace(*w, 1)) for what, words in WORDS.items()]
    for what, name, change in cases:
        path = folder / name
        before = path.read_bytes()
        head, line, *lines = before.decode("utf-8-sig").splitlines()
        assert change(line) != line, what
        path.write_text("\n".join([head, change(line), *lines]) + "\n", encoding="utf-8")
        done = rebuilt(folder)
        assert (done.returncode, "differences:" in done.stderr) == (1, True), what
        path.write_bytes(before)
    assert rebuilt(folder).returncode == 0
