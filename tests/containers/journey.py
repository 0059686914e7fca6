"""`make containers`: the images of the Dockerfile under compose.yaml, tried by a real browser. Not in the gate."""

import http.client
import re
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import sync_playwright

from collector.designs import check
from surveys.definition import definitions
from tests.browser.visit import Visit
from tests.containers.composed import SERVICES, Composed
from tests.factories import payloads
from tests.system.installation import OPEN, wait_until
from tests.tools import containers
from tests.tools.browser import FLAGS, PATIENCE, find_browser

OURS = ("web", "worker", "folding", "beat")
LEAN = 350_000_000
"""Bytes, unpacked."""

EXPORT = """
import json, time
from estimator.models import Export, Run
from estimator.exports.storage import path_of
from surveys.lifecycle.exports import request_export
run = Run.objects.filter(state=Run.State.DONE).latest("pk")
export, made = request_export(run, {name!r}, microdata={microdata})
while export.waits:
    time.sleep(0.2)
    export.refresh_from_db()
print(json.dumps([export.state, path_of(export.key).read_bytes()[:4].hex()]))
"""
"""For `manage.py shell` in the web container: ask for a file, wait for the worker, and read how it begins."""


@pytest.fixture(scope="module")
def composed() -> Iterator[Composed]:
    running = Composed()
    running.build()
    try:
        running.start()
        yaml = definitions.dump(payloads.definition())
        running.run("web", "sh", "-c", "cat > /tmp/campus.yaml", given=yaml)
        running.run("web", "python", "manage.py", "shell", "-c", OPEN.format(slugs=("campus",), folder="/tmp"))
        yield running
    finally:
        running.end()


def send(composed: Composed, numbers: range) -> None:
    design = check(payloads.opened())
    for number in numbers:
        connection = http.client.HTTPConnection("127.0.0.1", 8000, timeout=30)
        headers = {"Content-Type": "application/json", "Origin": composed.url}
        connection.request("POST", "/s/campus/reports", payloads.body(design, nonce=f"{number:032x}"), headers)
        assert connection.getresponse().status == 201
        connection.close()


def test_images_of_folding_and_beat_are_small(composed: Composed) -> None:
    sizes = {service: composed.image(service)["Size"] for service in OURS}
    print({service: f"{size / 1e6:.0f} MB" for service, size in sizes.items()})
    assert sizes["folding"] == sizes["beat"] < LEAN


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
    for worker in ("worker_1", "worker_2"):
        containers.podman("pause", composed.name("folding").replace("folding_1", worker), capture_output=True)
    try:
        # What is folded at once is a group; the last ones wait for their survey's next.
        send(composed, range(110))
        counted = "SELECT coalesce(sum(count), 0) FROM collector_tally WHERE position = 0"
        wait_until(lambda: int(composed.ask(counted)) >= 40, 120)
    finally:
        for worker in ("worker_1", "worker_2"):
            containers.podman("unpause", composed.name("folding").replace("folding_1", worker), capture_output=True)
    assert "Error" not in composed.logs("folding")


def test_estimate_and_files_come_out_by_worker_and_volume(composed: Composed) -> None:
    composed.run("web", "python", "manage.py", "estimate", "campus", "--json")
    assert int(composed.ask("SELECT count(*) FROM estimator_estimate")) > 0
    composed.run("web", "python", "manage.py", "close_survey", "campus")
    composed.run("web", "python", "manage.py", "estimate", "campus", "--json")
    for name, microdata, head in (
        ("pdf", False, b"%PDF"),
        ("parquet", False, b"PAR1"),
        ("reports-parquet", True, b"PAR1"),
    ):
        said = composed.run("web", "python", "manage.py", "shell", "-c", EXPORT.format(name=name, microdata=microdata))
        assert f'["done", "{head.hex()}"]' in said, (name, said)


@pytest.mark.parametrize("service", OURS)
def test_processes_have_no_rights_and_a_bounded_memory(composed: Composed, service: str) -> None:
    status = composed.run(service, "cat", "/proc/1/status")
    assert re.search(r"^CapEff:\s0+$", status, re.MULTILINE)
    assert re.search(r"^NoNewPrivs:\s1$", status, re.MULTILINE)
    assert re.search(r"^Uid:\s10001\s10001\s10001\s10001$", status, re.MULTILINE)
    tried = composed.run(
        service, "sh", "-c", "touch /candor/x 2>&1; touch /packages/x 2>&1; touch /data/x && rm /data/x"
    )
    assert tried.count("Read-only file system") == 2
    number, unit = SERVICES[service]["mem_limit"][:-1], SERVICES[service]["mem_limit"][-1]
    bound = int(number) << {"m": 20, "g": 30}[unit]
    limits = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
    assert composed.run(service, "sh", "-c", f"cat {' '.join(limits)} 2>/dev/null || true").split() == [str(bound)]


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


def test_stopping_is_graceful(composed: Composed) -> None:
    for service in OURS:
        began = time.monotonic()
        containers.podman("stop", "-t", "30", composed.name(service), capture_output=True)
        assert time.monotonic() - began < 25
        assert composed.inspect(service)["State"]["ExitCode"] in {0, 143}, service
