"""The worker is killed while reports come in: every report that was answered with 201 is there and counted once."""

import http.client
import os
import secrets
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from collector.designs import Design, check
from surveys.definition import definitions
from tests.factories import payloads
from tests.system.installation import OPEN, Installation, wait_until

REPORTS = 1_000


SLUGS = ("worker", "server")


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """With an open survey for each of the tests."""
    folder = tmp_path_factory.mktemp("resilience")
    running = Installation(folder)
    running.start("--no-demo")
    for slug in SLUGS:
        (folder / f"{slug}.yaml").write_text(definitions.dump(payloads.definition(slug=slug)))
    running.manage("shell", "-c", OPEN.format(slugs=SLUGS, folder=folder))
    yield running
    running.interrupt()


def design_of(slug: str) -> Design:
    return check(payloads.opened() | {"slug": slug})


def send(installation: Installation, design: Design, number: int) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", installation.port, timeout=30)
    report = f"0{number % 2}0{number % 3}"
    body = payloads.body(design, nonce=secrets.token_hex(16), stratum=design.strata[number % 5 % 2], report=report)
    headers = {"Content-Type": "application/json", "Origin": installation.url}
    connection.request("POST", f"/s/{design.slug}/reports", body, headers)
    status = connection.getresponse().status
    connection.close()
    return status


def test_worker_killed_counts_each_report_once(installation: Installation) -> None:
    design, killed = design_of("worker"), list[int]()

    def send_and_sometimes_kill(number: int) -> int:
        if number in (200, 500, 800):
            workers = installation.processes("celery -q -A config worker")
            killed.extend(workers)
            for pid in workers:
                os.kill(pid, signal.SIGKILL)
        return send(installation, design, number)

    with ThreadPoolExecutor(4) as pool:
        statuses = list(pool.map(send_and_sometimes_kill, range(REPORTS)))
    assert set(statuses) == {201}
    assert killed, "the worker was alive to be killed"
    assert installation.stored() == REPORTS
    installation.manage("close_survey", design.slug)  # until then the last step waits
    wait_until(lambda: installation.rows("SELECT count(*) FROM collector_waitingreport") == [(0,)], 60)
    assert installation.tallies() == installation.recount()
    assert sum(installation.tallies().values()) == REPORTS * 2
    done = "SELECT reports FROM estimator_run WHERE state = 'done' ORDER BY id DESC LIMIT 1"
    wait_until(lambda: installation.rows(done), 60)
    assert "starting it again" in installation.output


def test_web_server_killed_keeps_acknowledged_reports(installation: Installation) -> None:
    design, before = design_of("server"), installation.stored()
    acknowledged = sum(send(installation, design, number) == 201 for number in range(50))
    for pid in installation.processes("granian"):
        os.kill(pid, signal.SIGKILL)
    assert installation.stored() == before + acknowledged

    def answers_again() -> bool:
        try:
            return send(installation, design, 51) == 201
        except OSError:
            return False

    wait_until(answers_again, 60)
    installation.manage("close_survey", design.slug)  # until then the last step waits
    wait_until(lambda: installation.rows("SELECT count(*) FROM collector_waitingreport") == [(0,)], 60)
    wait_until(lambda: installation.tallies() == installation.recount(), 60)
