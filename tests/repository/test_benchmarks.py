"""Asked for help, a benchmark or an audit helps: it starts nothing and leaves the documentation as it is."""

import ast
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
TESTS = FOLDER.parent / "tests"
NAMES = sorted(path.stem for path in FOLDER.glob("[!_]*.py"))
BEGINNINGS = [
    (Path, "write_text"),
    (Path, "mkdir"),
    (subprocess, "Popen"),
    (tempfile, "TemporaryDirectory"),
    (np.random, "default_rng"),
]
"""What every one of them does first, or last."""


def test_benchmarks_are_found() -> None:
    assert len(NAMES) > 20
    assert {"coverage", "mechanisms", "reports"} < set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_benchmark_help_runs_nothing(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def begun(*given: Any, **more: Any) -> None:
        pytest.fail(f"benchmarks.{name} --help has begun to run")

    runpy.run_path(str(FOLDER / f"{name}.py"))  # what it imports may make a generator, and is no beginning
    for owner, beginning in BEGINNINGS:
        monkeypatch.setattr(owner, beginning, begun)
    monkeypatch.setattr(sys, "argv", [f"{name}.py", "--help"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("usage: ")


RUNNERS = ("audit", "chaos", "failures", "fuzz", "slow")


@pytest.mark.parametrize("name", RUNNERS)
def test_runner_reads_its_words_before_it_starts(name: str) -> None:
    """So that --help helps. Nothing stands before it but the parser."""
    tree = ast.parse((TESTS / name / "__main__.py").read_text(encoding="utf-8"))
    begun = tree.body[-1]
    assert isinstance(begun, ast.If)
    assert ast.unparse(begun.test) == "__name__ == '__main__'"
    reads = next(place for place, one in enumerate(begun.body) if ".parse_args()" in ast.unparse(one))
    assert all("parser" in ast.unparse(one) for one in begun.body[:reads])


@pytest.mark.parametrize("name", ["audit", "slow"])
def test_runner_help_runs_nothing(name: str) -> None:
    command = [sys.executable, "-m", f"tests.{name}", "--help"]
    done = subprocess.run(command, cwd=FOLDER.parent, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.startswith(f"usage: python -m tests.{name}")
