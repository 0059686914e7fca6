"""Linear algebra on one thread, so that a result does not depend on the number of processors."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SAYS = "import config, os; print(os.environ['OPENBLAS_NUM_THREADS'])"


@pytest.mark.parametrize(("given", "used"), [({}, "1"), ({"OPENBLAS_NUM_THREADS": "2"}, "2")], ids=["usual", "set"])
def test_processes_do_linear_algebra_on_one_thread(given: dict[str, str], used: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"} | given
    said = subprocess.run([sys.executable, "-c", SAYS], cwd=ROOT, env=environment, capture_output=True, check=True)
    assert said.stdout.decode().strip() == used
