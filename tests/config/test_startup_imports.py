"""What a process has imported once it has begun and done its first work, read in processes of their own."""

import json
from pathlib import Path

import pytest

from tests.tools import starting
from tests.tools.gate import few
from tests.tools.prepared import copy_installation
from tests.tools.starting import missing_in, run

HEAVY = {
    *("pandas", "pyarrow", "pyreadstat", "statsmodels", "opendp", "typst", "xlsxwriter", "scipy.stats", "scipy.signal"),
    *("cryptography", "redis", "drf_spectacular.generators", "boto3", "storages", "pyrage"),
}
"""They are imported where a job needs them, and Redis's client where there is a Redis."""

PAGES = {"config.urls", "rest_framework.views", "surveys.panel", "surveys.api", "surveys.respondent", "unfold.sites"}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An installation's folder with an open survey, of which a step of reports waits to be folded."""
    folder = tmp_path_factory.mktemp("installation") / "data"
    copy_installation(folder)
    run(starting.PREPARE, folder)
    return folder


def imported(program: str, data: Path) -> tuple[set[str], list[str]]:
    """The modules that a program has imported, and the lines that it prints."""
    *lines, modules = run(f"{program}\nimport json, sys; print(json.dumps(list(sys.modules)))", data).splitlines()
    return set(json.loads(modules)), lines


def test_web_process_starts_without_heavy_imports(data: Path) -> None:
    modules, statuses = imported(starting.WEB, data)
    assert statuses == ["200 OK", "200 OK"]
    assert {"surveys.panel", "surveys.api"} < modules
    assert not HEAVY & modules


def test_folding_worker_starts_without_heavy_imports(data: Path) -> None:
    modules, counted = imported(starting.FOLDING, data)
    assert int(counted[-1]) > 0
    assert not (HEAVY | PAGES) & modules


@pytest.mark.long
def test_web_process_works_without_other_packages(data: Path) -> None:
    """The image `web` has no more packages: neither a start nor a respondent's page may ask for one."""
    missing = missing_in("requirements-web.lock")
    assert {"scipy", "typst", "pandas", "pyarrow", "opendp", "openpyxl", "tqdm"} <= missing
    assert run(starting.without(missing) + starting.WEB, data).splitlines() == ["200 OK", "200 OK"]


@pytest.mark.parametrize("program", few(["FOLDING", "BEAT"]))
def test_lean_processes_work_without_other_packages(data: Path, program: str) -> None:
    """The image `lean` has no more packages: neither a start nor a fold of reports may ask for one."""
    missing = missing_in("requirements-lean.lock")
    assert {"scipy", "typst", "pandas", "pyarrow", "opendp", "granian", "boto3", "tqdm"} <= missing
    if program == "FOLDING":
        run(starting.MORE_REPORTS, data)
    printed = run(starting.without(missing) + getattr(starting, program), data)
    assert int(printed.split()[-1]) > 0


def test_beat_starts_without_numpy(data: Path) -> None:
    modules, entries = imported(starting.BEAT, data)
    assert int(entries[-1]) > 0
    assert not (HEAVY | PAGES | {"numpy"}) & modules


def test_command_starts_without_pages(data: Path) -> None:
    modules, lines = imported(starting.COMMAND, data)
    assert "surveys" in lines
    assert not (HEAVY | PAGES | {"numpy"}) & modules


def test_launcher_starts_without_django(data: Path) -> None:
    modules, _ = imported(starting.LAUNCHER, data)
    assert "config.processes" in modules
    assert not {"django", "celery", "numpy"} & modules


@pytest.mark.long
def test_system_check_admin_imports_panel(data: Path) -> None:
    """They are registered only then, so a check that began with others would have found nothing to look at."""
    program = "import django; django.setup()\nfrom django.core.checks import run_checks\nrun_checks(tags=['admin'])"
    modules, _ = imported(program, data)
    assert "surveys.admin" in modules
