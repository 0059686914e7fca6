"""The client's own tests, run by Node's test runner over the shipped modules and the shared vectors."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.tools.client import node

HERE = Path(__file__).parent


def test_node_runs_client_tests() -> None:
    files = sorted(str(path) for path in HERE.glob("*.test.mjs"))
    command = [node(), "--test", "--test-reporter=tap", *files]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    passed = int(re.search(r"^# pass (\d+)$", run.stdout, re.MULTILINE)[1])
    if run.returncode != 0:
        pytest.fail(run.stdout[-20_000:] + run.stderr, pytrace=False)
    assert passed >= len(files), "Node ran no tests"
