"""Asked for help, a benchmark helps: it measures nothing, starts nothing, and leaves the documentation as it is."""

import runpy
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
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
