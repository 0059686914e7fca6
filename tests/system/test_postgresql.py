"""The same code on PostgreSQL: the tests of what is stored and counted, run once more against a real server.

The gate takes those of the storing rule, of folding and of locks; `make test-long` the others of what is
stored and counted, and `make test-stack` every test.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.postgresql import PostgreSQL
from tests.tools.postgresql import running_postgresql

ROOT = Path(__file__).parents[2]
CORE = [
    "tests/collector/test_concurrency.py",
    "tests/collector/test_folding.py",
    "tests/collector/test_storing.py",
    "tests/collector/test_writer.py",
    "tests/surveys/test_schedules.py::test_schedule_many_workers_make_one_transition",
]
MORE = [
    "tests/collector/test_own_coin.py",
    "tests/collector/test_services.py",
    "tests/collector/test_state_machine.py",
    "tests/collector/test_migrations.py",
    "tests/estimator/test_export_jobs.py",
    "tests/estimator/test_services.py",
    "tests/storage",
    "tests/surveys/test_webhooks.py",
]


@pytest.fixture
def server() -> Iterator[PostgreSQL]:
    with running_postgresql() as server:
        yield server


@pytest.mark.parametrize("paths", [CORE, pytest.param(MORE, marks=pytest.mark.long)], ids=["core", "more"])
def test_postgresql_passes_storage_tests(server: PostgreSQL, paths: list[str]) -> None:
    ours = {name for name in os.environ if name.startswith(("PYTEST_", "CANDOR_"))} - {"CANDOR_TEST_SHARED"}
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *paths]
    run = subprocess.run(
        command, cwd=ROOT, env=kept | {"DATABASE_URL": server.url}, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout[-5000:]
    assert int(re.search(r"(\d+) passed", run.stdout)[1]) > 30
