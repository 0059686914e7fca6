"""compose.yaml and the Dockerfile say what `make stack` does, so they cannot drift. No container is started here."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings

from config.celery import app
from config.postgresql import FORGETTING, SEGMENT
from config.processes import commands
from config.variables.checks import TESTS
from config.variables.registry import COMPOSE as COMPOSE_READS
from config.variables.registry import PROCESSES, VARIABLES
from tests.tools.containers import named_images

ROOT = Path(__file__).parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES = COMPOSE["services"]
OURS = {"web": "web server", "panel": "web server", "worker": "worker", "folding": "folding worker", "beat": "beat"}
TARGETS = {"web": "web", "beat": "lean", "folding": "lean"}
"""The images that lack packages; all other services have the full one."""

STACK = re.findall(r'"(DATABASE_URL|REDIS_URL|CANDOR_DATA)":', (ROOT / "config" / "serve.py").read_text())

LISTS = ("requirements.txt", "requirements-lean.txt", "requirements-web.txt")
READ = {name for name, variable in VARIABLES.items() if set(variable.used_by) & set(PROCESSES)}
"""Every variable that a process of an installation reads."""
NAMED = {
    name
    for page in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
    for name in re.findall(r"`((?:CANDOR|EMAIL)_[A-Z_]+|(?:DATABASE|REDIS)_URL|SECRET_KEY)\b", page.read_text())
}
"""Every variable that a document names."""


@pytest.mark.parametrize("service", OURS)
def test_compose_commands_match_launcher(service: str) -> None:
    ours = commands("0.0.0.0", 8000, web_processes=2)[OURS[service]]
    assert SERVICES[service]["command"] == ["python", *ours[1:]]


def test_compose_process_counts_match_launcher() -> None:
    names = [name.split()[0] for name in commands("127.0.0.1", 8000, web_processes=2, workers=2)]
    assert names.count("worker") == SERVICES["worker"]["deploy"]["replicas"]
    assert set(SERVICES) == {*OURS, "prepare", "database", "broker"}


@pytest.mark.parametrize("service", [*OURS, "prepare"])
def test_compose_services_have_variables_and_read_only_root(service: str) -> None:
    assert len(STACK) == 3
    assert set(STACK) < set(SERVICES[service]["environment"])
    assert SERVICES[service]["read_only"] is True
    assert SERVICES[service]["volumes"] == ["data:/data"]
    assert SERVICES[service]["cap_drop"] == ["ALL"]


@pytest.mark.parametrize("service", [*OURS, "prepare"])
def test_compose_variables_are_documented_and_passed_on(service: str) -> None:
    assert len(READ) > 25
    assert READ <= NAMED
    assert {name for name in NAMED if not name.startswith(TESTS)} <= set(VARIABLES)
    assert set(SERVICES[service]["environment"]) == READ


def test_compose_asks_for_its_own_variables() -> None:
    """What stands in the file as ${NAME} is passed on under that name, or compose itself reads it."""
    asked = set(re.findall(r"\$\{([A-Z_]+)", (ROOT / "compose.yaml").read_text()))
    own = {name for name, variable in VARIABLES.items() if COMPOSE_READS in variable.used_by}
    assert own <= asked <= own | READ


def test_compose_unset_variables_keep_defaults() -> None:
    """A variable without a value is passed on where it is set, and not set to an empty text where it is not."""
    given = COMPOSE["x-candor"]["environment"]
    with_default = {name for name, value in given.items() if value is not None}
    set_here = {"CANDOR_URL", "CANDOR_PANEL", "CANDOR_PROXIES"}
    assert with_default == {*STACK, *set_here, *(name for name in READ if "EMAIL" in name)}


def test_compose_prepare_runs_launcher_commands() -> None:
    prepared = re.findall(r'_manage\("([a-z]+)"', (ROOT / "config" / "serve.py").read_text())
    said = " ".join(SERVICES["prepare"]["command"])
    assert [word for word in prepared if word != "demo"] == re.findall(r"manage\.py ([a-z]+)", said)


def test_compose_database_settings_match_stack() -> None:
    database = SERVICES["database"]
    assert database["command"][:1] == ["postgres"]
    assert dict(word.split("=") for word in database["command"][2::2]) == FORGETTING
    assert database["environment"]["POSTGRES_INITDB_ARGS"] == f"--wal-segsize={SEGMENT}"


def test_compose_images_have_exact_versions() -> None:
    images = [service["image"] for service in SERVICES.values() if "image" in service]
    images += re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    images = [image for image in images if image != "code"]
    assert len(set(images)) == 3
    assert all(re.search(r":\d+\.\d+(\.\d+)?-", image) for image in images)


@pytest.mark.parametrize("service", SERVICES)
def test_compose_services_have_memory_limits_and_fitting_images(service: str) -> None:
    """What only keeps time or counts reports runs in the lean image, and web in one of its own."""
    assert re.fullmatch(r"\d+[mg]", SERVICES[service]["mem_limit"])
    if service in {*OURS, "prepare"}:
        target = SERVICES[service]["build"]["target"]
        assert target == TARGETS.get(service, "full")
        assert re.search(rf"^FROM code AS {target}$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)


def test_lean_requirements_are_what_processes_without_pages_import() -> None:
    listed = {name: set(re.findall(r"^[a-z][a-z0-9-]*", (ROOT / name).read_text(), re.MULTILINE)) for name in LISTS}
    assert listed["requirements.txt"] - listed["requirements-lean.txt"] == {"granian", "scipy", "tqdm", "typst"}
    assert listed["requirements-lean.txt"] < listed["requirements.txt"]
    assert listed["requirements-web.txt"] == {"granian"}


def test_compose_names_panel_as_what_has_all_packages() -> None:
    address = COMPOSE["x-candor"]["environment"]["CANDOR_PANEL"]
    assert address == "http://panel:8000"
    assert SERVICES["panel"]["command"] == SERVICES["web"]["command"]
    assert "ports" not in SERVICES["panel"], "whoever asks the panel process asks web"


def test_base_images_can_be_made_without_a_registry() -> None:
    """bin/base-images finds how to make each image that these files name, entrypoint included."""
    assert len(named_images()) == 3
    for name in named_images():
        folder = ROOT / "tests" / "containers" / "images" / name.split(":")[0]
        for program in re.findall(r'^ENTRYPOINT \["(.+)"\]', (folder / "Containerfile").read_text(), re.MULTILINE):
            assert (folder / program).stat().st_mode & 0o111


def test_dockerfile_copies_packages_and_drops_root() -> None:
    text = (ROOT / "Dockerfile").read_text()
    copied = set(re.findall(r"^COPY ([^-]\S*)", text, re.MULTILINE))
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert copied == allowed
    assert {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"} <= copied
    assert re.search(r"^USER candor$", text, re.MULTILINE)


def test_celery_queues_have_workers_and_one_folds_only() -> None:
    app.loader.import_default_modules()
    started = commands("127.0.0.1", 8000).values()
    listened = [set(words[words.index("--queues") + 1].split(",")) for words in started if "--queues" in words]
    used = {settings.CELERY_TASK_ROUTES.get(task, {"queue": "celery"})["queue"] for task in app.tasks}
    assert used == set().union(*listened)
    assert {settings.CELERY_TASK_ROUTES["estimator.fold_waiting"]["queue"]} in listened
