"""`make containers`: the images of the Dockerfile under compose.yaml, tried by a real browser. Not in the gate."""

import http.client
import re
import time
from collections.abc import Callable, Iterator

import pytest
import urllib3
from playwright.sync_api import sync_playwright

from collector.designs import check
from surveys.definition import definitions
from tests.browser.visit import Visit
from tests.containers import page
from tests.containers.composed import Composed
from tests.factories import payloads
from tests.system.installation import OPEN, wait_until
from tests.tools import containers
from tests.tools.browser import FLAGS, PATIENCE, find_browser

OURS = ("web", "panel", "worker", "folding", "beat")
SMALL, MOST = ("web", "folding", "beat"), 350_000_000
"""Services whose images have fewer bytes than this, unpacked."""

Ask = Callable[..., urllib3.BaseHTTPResponse]
Measured = dict[str, dict[str, str]]

LIMIT = "memory.max", "memory/memory.limit_in_bytes"
USED = "memory.current", "memory/memory.usage_in_bytes"
"""Files of a control group, of its second and its first version."""

TOKEN = """
from django.contrib.auth.models import User
from surveys.accounts import tokens
print(tokens.make(User.objects.get(), "tried", scope="write")[1])
"""
"""For `manage.py shell`: a token of the owner of the survey."""


@pytest.fixture(scope="module")
def composed() -> Iterator[Composed]:
    running = Composed()
    running.end()
    running.build()
    try:
        running.start()
        yaml = definitions.dump(payloads.definition())
        running.run("panel", "sh", "-c", "cat > /tmp/campus.yaml", given=yaml)
        running.run("panel", "python", "manage.py", "shell", "-c", OPEN.format(slugs=("campus",), folder="/tmp"))
        yield running
    finally:
        running.end()


@pytest.fixture(scope="module")
def measured(request: pytest.FixtureRequest) -> Iterator[Measured]:
    """What was measured of each service; written into docs/how-to/containers.md once all tests here have passed."""
    found: Measured = {service: {} for service in OURS}
    yield found
    columns = list(found["web"])
    rows = [["service", *columns], ["---"] * (1 + len(columns))]
    rows += [[service, *(cells[column] for column in columns)] for service, cells in found.items()]
    if not request.session.testsfailed:
        page.write("images", ["", *(f"| {' | '.join(row)} |" for row in rows)])


@pytest.fixture(scope="module")
def program(composed: Composed) -> Ask:
    """A program of the owner, which asks the web service as from outside: `program(method, path, body)`."""
    token = composed.run("panel", "python", "manage.py", "shell", "-c", TOKEN).split()[-1]
    headers = {"Authorization": f"Bearer {token}"}
    return lambda method, path, body=None: urllib3.request(
        method, f"{composed.url}/api/v1/{path}", json=body, headers=headers, timeout=60, retries=False
    )


def send(composed: Composed, numbers: range) -> None:
    design = check(payloads.opened())
    for number in numbers:
        connection = http.client.HTTPConnection("127.0.0.1", 8000, timeout=30)
        headers = {"Content-Type": "application/json", "Origin": composed.url}
        connection.request("POST", "/s/campus/reports", payloads.body(design, nonce=f"{number:032x}"), headers)
        assert connection.getresponse().status == 201
        connection.close()


def test_images_of_web_folding_and_beat_are_small(composed: Composed, measured: Measured) -> None:
    sizes = {service: composed.image(service)["Size"] for service in OURS}
    for service, size in sizes.items():
        measured[service]["image"] = f"`{composed.services[service]['build']['target']}`"
        measured[service]["unpacked, MB"] = f"{size / 1e6:,.0f}"
    print(measured)
    assert all(sizes[service] < MOST for service in SMALL)


def test_help_is_in_the_image(composed: Composed) -> None:
    for name in ("", "how-to/analyse.html", "search/search_index.json"):
        answer = urllib3.request("GET", f"{composed.url}/panel/help/{name}", timeout=60, retries=False)
        assert answer.status == 200, name
    assert "mkdocs" not in composed.run("web", "ls", "/packages").split()


def test_planner_is_answered_through_web_by_the_full_image(composed: Composed, program: Ask) -> None:
    assert "scipy" not in composed.run("web", "ls", "/packages").split()
    assert program("GET", "surveys/campus/plan/").status == 200
    composed.pause("panel")
    try:
        send(composed, range(1000, 1010))
        assert program("GET", "surveys/campus/").status == 200
    finally:
        composed.unpause("panel")


def test_browser_answers_and_gets_its_receipt(composed: Composed) -> None:
    before = int(composed.ask("SELECT count(*) FROM collector_waitingreport"))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=list(FLAGS))
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        visit = Visit(page, f"{composed.url}/s/campus/")
        visit.listen()
        visit.open().stage("questions").answer("Yes", "Low").send().stage("sent")
        visit.unfold("Show what was sent")
        assert visit.faults == []
        browser.close()
    assert int(composed.ask("SELECT count(*) FROM collector_waitingreport")) == before + 1


def test_reports_are_counted_by_the_lean_image_alone(composed: Composed) -> None:
    composed.pause("worker")
    try:
        # What is folded at once is a group; the last ones wait for their survey's next.
        send(composed, range(110))
        counted = "SELECT coalesce(sum(count), 0) FROM collector_tally WHERE position = 0"
        wait_until(lambda: int(composed.ask(counted)) >= 40, 120)
    finally:
        composed.unpause("worker")
    assert "Error" not in composed.logs("folding")


def test_estimate_and_files_come_out_by_worker_and_volume(composed: Composed, program: Ask) -> None:
    run = program("POST", "surveys/campus/close/", {"now": True}).json()["run"]["key"]
    wait_until(lambda: program("GET", f"runs/{run}/").json()["state"] == "done", 120)
    assert program("GET", f"runs/{run}/estimates/").json()["estimates"]
    for name, microdata, head in (
        ("pdf", False, b"%PDF"),
        ("parquet", False, b"PAR1"),
        ("reports-parquet", True, b"PAR1"),
    ):
        asked = program("POST", f"runs/{run}/exports/", {"format": name, "microdata": microdata})
        assert asked.status == 202, asked.data
        file = f"exports/{asked.json()['key']}/"
        wait_until(lambda file=file: program("GET", file).json()["ready"], 120)
        assert program("GET", f"{file}file/").data.startswith(head), name


@pytest.mark.parametrize("service", OURS)
def test_processes_have_no_rights_and_a_bounded_memory(composed: Composed, service: str, measured: Measured) -> None:
    status = composed.run(service, "cat", "/proc/1/status")
    assert re.search(r"^CapEff:\s0+$", status, re.MULTILINE)
    assert re.search(r"^NoNewPrivs:\s1$", status, re.MULTILINE)
    assert re.search(r"^Uid:\s10001\s10001\s10001\s10001$", status, re.MULTILINE)
    tried = composed.run(
        service, "sh", "-c", "touch /candor/x 2>&1; touch /packages/x 2>&1; touch /data/x && rm /data/x"
    )
    assert tried.count("Read-only file system") == 2
    number, unit = composed.services[service]["mem_limit"][:-1], composed.services[service]["mem_limit"][-1]
    bound = int(number) << {"m": 20, "g": 30}[unit]
    assert composed.memory(service, *LIMIT) == bound
    used = composed.memory(service, *USED)
    measured[service]["memory, MB"] = f"{used / 1e6:,.0f}"
    measured[service]["at most, MB"] = f"{bound / 1e6:,.0f}"
    assert used < bound


def test_health_check_fails_where_the_web_server_hangs(composed: Composed) -> None:
    assert composed.check_health("web")
    containers.podman("kill", "-s", "STOP", composed.name("web"), capture_output=True)
    composed.run("web", "python", "-c", HANG)
    # Failures in the first minute of a container are not counted.
    wait_until(lambda: not composed.check_health("web") and composed.health("web") == "unhealthy", PATIENCE)
    composed.run("web", "python", "-c", HANG.replace("SIGSTOP", "SIGCONT"))
    containers.podman("kill", "-s", "CONT", composed.name("web"), capture_output=True)
    composed.wait_healthy("web")


HANG = """
import os, pathlib, signal
for path in pathlib.Path("/proc").iterdir():
    if path.name.isdigit() and int(path.name) not in (1, os.getpid()):
        os.kill(int(path.name), signal.SIGSTOP)
"""


def test_stopping_is_graceful(composed: Composed, measured: Measured) -> None:
    for service in OURS:
        began = time.monotonic()
        containers.podman("stop", "-t", "30", composed.name(service), capture_output=True)
        seconds = time.monotonic() - began
        measured[service]["stops within, s"] = f"{seconds:.1f}"
        assert seconds < 25
        assert composed.inspect(service)["State"]["ExitCode"] in {0, 143}, service
