"""A web server without most packages, as in the image `web`, beside one that has all of them."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import urllib3
from django.conf import settings
from urllib3.exceptions import HTTPError

from config.processes import commands, free_port
from tests.system.installation import wait_until
from tests.tools import starting
from tests.tools.prepared import copy_installation
from tests.tools.starting import ROOT, missing_in, run

SIGN_IN = """
from django.conf import settings
from importlib import import_module
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
session = import_module(settings.SESSION_ENGINE).SessionStore()
session.update({
    SESSION_KEY: str(owner.pk), BACKEND_SESSION_KEY: settings.AUTHENTICATION_BACKENDS[-1],
    HASH_SESSION_KEY: owner.get_session_auth_hash(),
})
session.save()
from surveys.accounts import tokens
write_survey(payloads.definition(slug="spring"), team=home_team(owner))
print(session.session_key, tokens.make(owner, "spring", scope="write")[1])
"""
"""After starting.PREPARE: the session of its owner, who is signed in, and a token; a draft named spring."""


@dataclass(frozen=True)
class Site:
    """A web server with few packages; `panel` is the process that has all of them."""

    url: str
    headers: dict[str, str]
    panel: "subprocess.Popen[bytes]"

    def ask(self, path: str, body: object = None, **headers: str) -> urllib3.BaseHTTPResponse:
        """What it answers the owner, by POST where there is a body."""
        method = "POST" if body else "GET"
        more = self.headers | headers
        return urllib3.request(method, f"{self.url}{path}", json=body, headers=more, retries=False, timeout=60)


@contextmanager
def served(folder: Path, port: int, **variables: str) -> Iterator["subprocess.Popen[bytes]"]:
    away = {"DJANGO_SETTINGS_MODULE", "DATABASE_URL", "REDIS_URL"}
    environment = {name: value for name, value in os.environ.items() if name not in away}
    environment |= {"CANDOR_DATA": str(folder), **variables}
    server = subprocess.Popen(commands("127.0.0.1", port)["web server"], cwd=ROOT, env=environment)
    try:
        wait_until(lambda: answers(port), 120)
        yield server
    finally:
        server.terminate()
        server.wait(30)


def answers(port: int) -> bool:
    try:
        return urllib3.request("GET", f"http://127.0.0.1:{port}/healthz", retries=False, timeout=10).status == 200
    except HTTPError:
        return False


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder, packages = tmp_path_factory.mktemp("installation") / "data", tmp_path_factory.mktemp("packages")
    copy_installation(folder)
    session, token = run(starting.PREPARE + SIGN_IN, folder).split()[-2:]
    (packages / "sitecustomize.py").write_text(starting.without(missing_in("requirements-web.lock")))
    web, panel = free_port(), free_port()
    address = {"CANDOR_PANEL": f"http://127.0.0.1:{panel}"}
    with (
        served(folder, panel, **address) as complete,
        served(folder, web, PYTHONPATH=str(packages), **address),
    ):
        headers = {
            "Cookie": f"{settings.SESSION_COOKIE_NAME}={session}",
            "Authorization": f"Bearer {token}",
            "Host": "127.0.0.1",
        }
        yield Site(f"http://127.0.0.1:{web}", headers, complete)


@pytest.mark.long
@pytest.mark.parametrize(
    ("path", "begins"),
    [("/panel/survey/campus/plan/", b"<!DOCTYPE html>"), ("/panel/survey/campus/share/poster.pdf", b"%PDF")],
)
def test_page_that_takes_another_package_comes_from_panel_process(site: Site, path: str, begins: bytes) -> None:
    answer = site.ask(path)
    assert (answer.status, answer.data.lstrip()[: len(begins)]) == (200, begins)
    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
    assert answer.headers["Server"] == ""
    assert ("csrftoken=" in answer.headers.get("Set-Cookie", "")) is ("plan" in path)


@pytest.mark.long
def test_survey_is_opened_with_its_paper_sheet_by_panel_process(site: Site) -> None:
    """The whole request goes on, with its body; what was begun before is rolled back."""
    ahead = site.ask("/api/v1/surveys/spring/next-design/").json()
    opened = site.ask("/api/v1/surveys/spring/open/", {"digest": ahead["digest"]})
    assert (opened.status, opened.json()["state"]) == (200, "open")
    assert site.ask("/s/spring/coin/sheet.pdf").data.startswith(b"%PDF")


@pytest.mark.long
def test_forwarded_request_is_not_forwarded_again(site: Site) -> None:
    assert site.ask("/panel/plan/", **{"Candor-Forwarded": "1"}).status == 500


@pytest.mark.long
def test_panel_process_away_is_503_with_retry(site: Site) -> None:
    site.panel.terminate()
    site.panel.wait(30)
    for path in ("/panel/plan/", "/api/v1/plan/"):
        answer = site.ask(path)
        assert answer.status == 503
        assert int(answer.headers["Retry-After"]) > 0
    assert site.ask("/api/v1/surveys/campus/").status == site.ask("/s/campus/").status == 200
