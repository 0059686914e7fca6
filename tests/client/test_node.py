"""The client's own tests, run by Node's test runner over the shipped modules and the shared vectors."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
OLDEST_NODE = (20, 19)
"""The first that knows a `.js` file with import statements for a module without being told."""


def node() -> str:
    """The machine's Node where it is new enough, else the one inside playwright's wheel."""
    found = shutil.which("node")
    if found and version_of(found) >= OLDEST_NODE:
        return found
    from playwright._impl._driver import compute_driver_executable

    return str(compute_driver_executable()[0])


def version_of(path: str) -> tuple[int, ...]:
    printed = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(int(part) for part in re.findall(r"\d+", printed)[:2])


def test_the_client_passes_its_own_tests() -> None:
    files = sorted(str(path) for path in HERE.glob("*.test.mjs"))
    command = [node(), "--test", "--test-reporter=tap", *files]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    passed = int(re.search(r"^# pass (\d+)$", run.stdout, re.MULTILINE)[1])
    if run.returncode != 0:
        pytest.fail(run.stdout[-20_000:] + run.stderr, pytrace=False)
    assert passed >= len(files), "Node ran no tests"
