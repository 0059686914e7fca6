"""`make run` as a newcomer meets it: three links, real processes, one clear end."""

import re
import shutil
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from http.cookiejar import CookieJar
from pathlib import Path

import pytest

from config.data_folder import open_to_others
from config.processes import free_port
from tests.system.installation import ROOT, Installation, wait_until


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """The whole demo, built once for this file."""
    installation = Installation(tmp_path_factory.mktemp("demo"))
    installation.start()
    yield installation
    if installation.launcher and installation.launcher.poll() is None:
        installation.interrupt()


def fetch(address: str, opener: urllib.request.OpenerDirector | None = None) -> tuple[int, str, str]:
    """Status, final address, text."""
    opener = opener or urllib.request.build_opener()
    try:
        with opener.open(address.split("#")[0]) as response:
            return response.status, response.url, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.url, error.read().decode()


def sign_in(link: str, browser: urllib.request.OpenerDirector) -> tuple[int, str]:
    """Press the button on the page that a one-time link leads to; the status and the address that follows."""
    address, _, code = link.partition("#")
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', fetch(address, browser)[2])
    assert token is not None
    sent = urllib.parse.urlencode({"csrfmiddlewaretoken": token[1], "code": code}).encode()
    try:
        with browser.open(address, sent) as response:
            return response.status, response.url
    except urllib.error.HTTPError as error:
        return error.code, error.url


def test_make_run_prints_three_working_links(demo: Installation) -> None:
    survey, panel, report = demo.links
    assert fetch(survey)[0] == 200
    assert survey.endswith("#" + demo.rows("SELECT design_id FROM surveys_version v JOIN surveys_survey s "
                                           "ON v.survey_id = s.id WHERE slug = 'student-life'")[0][0])  # fmt: skip
    status, _, text = fetch(report)
    assert status == 200
    assert "Have you had an affair during your marriage?" in text
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    assert sign_in(panel, browser) == (200, f"{demo.url}/panel/surveys/survey/")
    assert "redbook-1974" in fetch(f"{demo.url}/panel/surveys/survey/", browser)[2]
    stranger = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    assert sign_in(panel, stranger)[0] == 403, "the link signs in once"


def test_demo_intervals_hold_known_truth(demo: Installation) -> None:
    """At least 90 % of the cells. The seed is fixed, so this is a fact about the shipped demo, not a chance."""
    cells = demo.rows("""
        SELECT e.low <= 1.0 * k.holders / k.respondents AND 1.0 * k.holders / k.respondents <= e.high
        FROM estimator_estimate e JOIN estimator_run r ON e.run_id = r.id AND r.published
        JOIN estimator_knownshare k ON k.design_id = r.design_id AND k.position = e.position
         AND k.choice = e.choice AND k.stratum IS e.stratum""")
    assert len(cells) == (2 + 5) * (1 + 4 + 4 + 3), "two and five choices, overall and by three background questions"
    assert sum(cell[0] for cell in cells) >= 0.9 * len(cells)


def test_data_folder_secrets_are_kept_and_private(demo: Installation) -> None:
    assert len((demo.data / "secret_key").read_text()) >= 50
    assert {path.name for path in demo.data.iterdir()} >= {"candor.sqlite3", "static", "broker", "backup_key"}
    assert open_to_others(demo.data) == []


def test_sqlite_wal_is_truncated_while_running(demo: Installation) -> None:
    """In it are reports in the order in which they came."""
    log = demo.data / "candor.sqlite3-wal"
    assert demo.stored() == 6366
    wait_until(lambda: not log.exists() or not log.stat().st_size, 30)


@pytest.mark.long
def test_make_run_interrupted_ends_all_processes(demo: Installation) -> None:
    """The last test of the first run."""
    for word in ("granian", "celery -q -A config worker", "celery -q -A config beat"):
        assert demo.processes(word), word
    demo.interrupt()
    assert "Candor has ended" in demo.output
    wait_until(lambda: not demo.processes(), 30)
    assert "Traceback" not in demo.output


@pytest.mark.long
def test_second_run_keeps_data_and_ends_by_sigterm(demo: Installation) -> None:
    """Not by make: it ends with the launcher's own code."""
    report = demo.links[2]
    if demo.processes():
        demo.interrupt()
    demo.start(by_make=False)
    assert demo.links[2] == report
    assert fetch(report)[0] == 200
    assert demo.stored() == 6366
    assert demo.interrupt(signal.SIGTERM) == 0
    assert "Candor has ended" in demo.output
    assert "Traceback" not in demo.output
    wait_until(lambda: not demo.processes(), 30)


def serve(port: int, data: str) -> str:
    """What the launcher says when it cannot start; it must say it in one line and start nothing."""
    done = subprocess.run(
        [sys.executable, "-m", "config.serve", "--port", str(port)],
        cwd=ROOT, env={"CANDOR_DATA": data, "PATH": ""}, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    return done.stderr.strip()


def test_launcher_port_in_use_prints_one_sentence(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert serve(port, str(tmp_path)) == f"Port {port} is in use. Choose another: make run PORT={port + 1}"


@pytest.mark.long
def test_launcher_unwritable_folder_prints_one_sentence(tmp_path: Path) -> None:
    """Root may write everywhere, so a file stands in the place of the folder."""
    blocked = tmp_path / "file"
    blocked.touch()
    said = serve(free_port(), str(blocked / "data"))
    assert said.startswith(f"Candor cannot write to {blocked / 'data'} (Not a directory).")
    assert len(said.splitlines()) == 1


@pytest.mark.long
def test_install_old_python_prints_one_sentence() -> None:
    pretend = "import sys, runpy; sys.version_info = (3, 10, 4); sys.argv = ['bin/install', 'requirements.lock']; "
    run = subprocess.run(
        [sys.executable, "-c", pretend + "runpy.run_path('bin/install', run_name='__main__')"],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 1
    assert run.stderr.startswith("Candor needs Python 3.11 or newer;")
    assert len(run.stderr.strip().splitlines()) == 1


@pytest.mark.long
def test_install_linked_environment_prints_one_sentence(tmp_path: Path) -> None:
    """The packages of whoever has the folder would change."""
    (tmp_path / "bin").mkdir()
    shutil.copy(ROOT / "bin" / "install", tmp_path / "bin")
    shutil.copy(ROOT / "requirements-dev.lock", tmp_path)
    (tmp_path / "theirs").mkdir()
    (tmp_path / ".venv").symlink_to(tmp_path / "theirs")
    run = subprocess.run(
        [sys.executable, tmp_path / "bin" / "install", "requirements-dev.lock"], capture_output=True, text=True
    )
    assert run.returncode == 1
    assert run.stderr.startswith(f".venv is a link to {tmp_path / 'theirs'}")
    assert len(run.stderr.strip().splitlines()) == 1
    assert not list((tmp_path / "theirs").iterdir())
