"""One installation: a canary answer is nowhere in it, and at last its processes are killed while reports come in.

Nowhere is: not in the database, its log, the broker's folder, temporary files or the program's log.
The canary is a true answer that no chance can produce: eight questions of 128 choices, answered through the rehearsal
by the collector's own way. A report equals its answer in all eight with probability (1/300 + 299/300/128)^8 = 2e-16.
"""

import contextlib
import csv
import http.client
import json
import os
import secrets
import signal
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from collector.designs import Design, check
from surveys.definition import definitions
from tests.factories import payloads
from tests.system import coded
from tests.system.canary import CANARY, ITEMS, NEEDLES, survey
from tests.system.installation import Installation, wait_until
from tests.tools.mailbox import Mailbox, environment, serving
from tests.tools.prepared import copy_installation

AGENT = "CanaryBrowser/7.3"
REHEARSE = """
from django.contrib.auth.models import User
from django.core.management import call_command
User(is_staff=True).save()
for slug in ("kept", "wide"):
    call_command("import_survey", f"{folder}/{{slug}}.yaml")
    call_command("rehearse", slug, "--answers", "{folder}/answers.csv")
call_command("open_survey", "wide")
for slug in ("worker", "server"):
    call_command("import_survey", f"{folder}/{{slug}}.yaml")
    call_command("open_survey", slug)
"""
"""In one process, because starting one takes longer than any of these."""
REPORTS = 500
KILLS = (100, 250, 400)
"""After so many of them the worker is killed."""

WAITING = """
SELECT count(*) FROM collector_waitingreport JOIN collector_frozendesign ON number = design_id WHERE digest = '{digest}'
"""
NONCE = bytes.fromhex("c0ffee5ca1ab1e00c0ffee5ca1ab1e00")


def findings(installation: Installation, needles: list[bytes]) -> list[str]:
    """Every file of the installation that holds one of the needles."""
    files = [installation.log, *installation.data.rglob("*"), *installation.temporary.rglob("*")]
    found = []
    for path in files:
        # A message that is taken meanwhile is gone.
        with contextlib.suppress(FileNotFoundError, IsADirectoryError):
            content = path.read_bytes().lower()
            found += [f"{path.name}: {needle!r}" for needle in needles if needle.lower() in content]
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Outside of the installation."""
    return tmp_path_factory.mktemp("canary")


@pytest.fixture(scope="module")
def box() -> Iterator[tuple[Mailbox, int]]:
    with serving() as started:
        yield started


@pytest.fixture(scope="module")
def installation(folder: Path, box: tuple[Mailbox, int]) -> Iterator[Installation]:
    """Sixty people with the canary answer have been rehearsed, in surveys that keep their reports and that forget them.

    A browser with a canary name has knocked. Two surveys are open for those whose processes die.
    """
    running = Installation(folder)
    running.more = environment(box[1])
    copy_installation(running.data)
    running.start("--no-demo")
    for slug in ("worker", "server"):
        (folder / f"{slug}.yaml").write_text(definitions.dump(payloads.definition(slug=slug)))
    (folder / "kept.yaml").write_text(survey("kept", rehearsal=True))
    (folder / "wide.yaml").write_text(survey("wide", rehearsal=False))
    with (folder / "answers.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([f"q{number}" for number in range(ITEMS)])
        writer.writerows([list(CANARY)] * 60)
    running.manage("shell", "-c", REHEARSE.format(folder=folder))
    knock(running)
    wait_until(lambda: running.tallies() == running.recount() and running.tallies(), 60)
    yield running
    running.kill()


def knock(installation: Installation) -> None:
    """Requests that carry what must not be kept: a browser's name, an answer in a body that is refused."""
    address = f"{installation.url}/s/wide/reports"
    bodies = (
        json.dumps({"answer": CANARY.hex()}),
        json.dumps({"report": CANARY.hex(), "nonce": CANARY.hex()}),
        CANARY.hex(),
    )
    for body in bodies:
        headers = {"Content-Type": "application/json", "Origin": installation.url, "User-Agent": AGENT}
        request = urllib.request.Request(address, body.encode(), headers | {"X-Forwarded-For": "203.0.113.77"})
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(request)
    urllib.request.urlopen(urllib.request.Request(f"{installation.url}/s/wide/", headers={"User-Agent": AGENT})).close()
    wide = "SELECT design_id FROM surveys_version JOIN surveys_survey s ON s.id = survey_id WHERE slug = 'wide'"
    ((digest,),) = installation.rows(wide)
    report = {"design": digest, "nonce": NONCE.hex(), "stratum": "", "report": "00" * ITEMS}
    headers = {"Content-Type": "application/json", "Origin": installation.url, "User-Agent": AGENT}
    request = urllib.request.Request(
        address, json.dumps(report).encode(), headers | {"X-Forwarded-For": "203.0.113.77"}
    )
    assert urllib.request.urlopen(request).status == 201


def knock_invited(installation: Installation, codes: list[str]) -> None:
    """A code that is used, the same once more, one in a report that is malformed, and one in the wrong place."""
    invited = "SELECT design_id FROM surveys_version JOIN surveys_survey s ON s.id = survey_id WHERE slug = 'coded'"
    ((digest,),) = installation.rows(invited)
    first = {"design": digest, "nonce": "01" * 16, "stratum": "y1", "report": "0000", "invitation": codes[0]}
    second = first | {"nonce": "02" * 16}
    malformed = second | {"report": "00", "invitation": codes[1]}
    misplaced = second | {"stratum": codes[2], "invitation": codes[2] + "!"}
    said, words = [], ""
    for sent in (first, second, malformed, misplaced):
        headers = {"Content-Type": "application/json", "Origin": installation.url}
        address = f"{installation.url}/s/coded/reports"
        try:
            with urllib.request.urlopen(urllib.request.Request(address, json.dumps(sent).encode(), headers)) as answer:
                said.append(answer.status)
        except urllib.error.HTTPError as refusal:
            said.append(refusal.code)
            words += refusal.read().decode()
    assert said == [201, 403, 422, 422]
    assert not any(code in words for code in codes)


@pytest.mark.long
def test_canary_search_finds_planted_leaks(installation: Installation) -> None:
    """The test of the test: a leak of each form, in each place, is seen."""
    folders = (installation.data, installation.data / "broker", installation.temporary)
    planted = {
        folder / f"planted-{place}-{form}": needle
        for place, folder in enumerate(folders)
        for form, needle in enumerate(NEEDLES)
    }
    for path, needle in planted.items():
        path.write_bytes(b"..." + needle + b"...")
    found = findings(installation, NEEDLES)
    for path in planted:
        path.unlink()
    assert {f"{path.name}: {needle!r}" for path, needle in planted.items()} <= set(found)


def test_canary_true_answer_is_nowhere(installation: Installation) -> None:
    assert installation.stored() == 61
    assert findings(installation, NEEDLES) == []


def test_canary_report_is_in_database_only(installation: Installation) -> None:
    """Its nonce would lead from a log, a message or a temporary file to it."""
    found = findings(installation, [NONCE, NONCE.hex().encode()])
    assert found
    assert all(name.startswith("candor.sqlite3") for name in found), found


def test_canary_address_and_browser_are_nowhere(installation: Installation) -> None:
    assert findings(installation, [AGENT.encode(), b"203.0.113.77"]) == []


@pytest.mark.long
def test_canary_invitation_codes_are_nowhere(
    installation: Installation, box: tuple[Mailbox, int], folder: Path
) -> None:
    """1,000 invitations, of which 500 were mailed: the codes are in the mails and in one file outside."""
    codes = coded.invite(installation, box[0], folder)
    assert len(set(codes)) == coded.MAILED + coded.WRITTEN
    knock_invited(installation, codes)
    kept = list(coded.places(installation, folder))
    assert {"candor.sqlite3", "candor.sqlite3-wal", "log", "dump"} <= {place.name for place in kept}
    told = [form for code in codes for form in coded.written(code)]
    assert coded.holding(kept, told, folder) == []
    in_letters = [form for code in codes for form in coded.hashed(code)[1:]]
    # Where hashes are letters they are the store's own table: in the dump, and in the backup.
    assert coded.holding(kept, in_letters, folder) == ["dump", "backup: rows/collector_invitation.jsonl"]
    assert coded.together(kept, codes) == []
    assert not any(coded.HOST in place.content for place in kept if place.name.startswith("backup"))
    # The test of the test: each is seen where it is planted.
    planted = coded.Place("log", b"to person1@canary.example: " + coded.hashed(codes[7])[1])
    assert coded.together([planted], codes) == ["log"]
    assert all(coded.holding([coded.Place("log", form)], told, folder) for form in coded.written(codes[-1]))


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


def close_and_fold(installation: Installation, design: Design) -> None:
    """Close a survey, for until then the last step waits; all its reports are in totals that agree with a recount."""
    waiting = WAITING.format(digest=design.digest)
    installation.manage("close_survey", design.slug, "--now")
    wait_until(lambda: installation.rows(waiting) == [(0,)], 60)
    wait_until(lambda: installation.tallies() == installation.recount(), 60)


def test_worker_killed_counts_each_report_once(installation: Installation) -> None:
    """Every report that was answered with 201 is there and counted once."""
    design, killed, before = design_of("worker"), list[int](), installation.stored()

    def send_and_sometimes_kill(number: int) -> int:
        if number in KILLS:
            workers = installation.processes("celery -q -A config worker")
            killed.extend(workers)
            for pid in workers:
                os.kill(pid, signal.SIGKILL)
        return send(installation, design, number)

    with ThreadPoolExecutor(4) as pool:
        statuses = list(pool.map(send_and_sometimes_kill, range(REPORTS)))
    assert set(statuses) == {201}
    assert killed, "the worker was alive to be killed"
    assert installation.stored() == before + REPORTS
    close_and_fold(installation, design)
    cells = installation.tallies().items()
    assert sum(count for (digest, *_), count in cells if digest == design.digest) == REPORTS * 2
    done = f"SELECT reports FROM estimator_run WHERE state = 'done' AND design_id = '{design.digest}'"
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
    close_and_fold(installation, design)
