"""oTree, beside which reports are measured: what a lab would take instead, storing a page of as many yes/no answers.

It lives in an environment of its own in the user's cache, made with pip the first time. Its server is one process.
"""

import contextlib
import csv
import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from http.client import HTTPResponse
from pathlib import Path
from typing import Any

from benchmarks.load import BODY_OF_FORM
from config.processes import free_port
from tests.system.installation import wait_until

PACKAGES = ("otree==6.0.15", "psycopg2-binary==2.9.13")
KEY = "benchmark"
"""Of its REST interface, on this machine's own address."""

SETTINGS = """
SESSION_CONFIGS = [dict(name="survey", num_demo_participants=1, app_sequence=["survey"])]
SESSION_CONFIG_DEFAULTS = dict(real_world_currency_per_point=1, participation_fee=0)
SECRET_KEY = "benchmark"
LANGUAGE_CODE = "en"
"""

APP = """
from otree.api import *


class C(BaseConstants):
    NAME_IN_URL = "survey"
    PLAYERS_PER_GROUP = None
    NUM_ROUNDS = 1


class Subsession(BaseSubsession):
    pass


class Group(BaseGroup):
    pass


class Player(BasePlayer):
    {fields}


class Questions(Page):
    form_model = "player"
    form_fields = {names}


page_sequence = [Questions]
"""

TEMPLATE = "{{ block content }}{{ formfields }}{{ next_button }}{{ endblock }}\n"


def program() -> Path:
    """The environment's folder of programs, made the first time."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "candor" / "-".join(PACKAGES).replace("==", "-")
    if not (folder / "bin" / "otree").exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([folder / "bin" / "python", "-m", "pip", "install", "-q", *PACKAGES], check=True)
    return folder / "bin"


class Lab:
    """A running oTree with one page of so many questions."""

    def __init__(self, port: int, items: int) -> None:
        self.port = port
        self._items = items
        self._body = "&".join(f"q{number}=1" for number in range(items))

    def post(self, folder: Path, participants: int) -> dict[str, Any]:
        """What the client is asked to send: the page of each of so many new participants, who have opened it.

        To be measured is what is sent then, not the opening."""
        session = self._ask("/api/sessions", {"session_config_name": "survey", "num_participants": participants})
        there = self._ask(f"/api/get_session/{session['code']}", {})
        names = folder / f"{session['code']}.txt"
        names.write_text("\n".join(one["code"] for one in there["participants"]))
        opened = {"port": self.port, "path": "/InitializeParticipant/NONCE", "status": 307, "nonces": str(names)}
        sent = {"path": "/p/NONCE/survey/Questions/1", "body": self._body, "headers": BODY_OF_FORM, "status": 302}
        return {"open": opened, "send": opened | sent}

    def stored(self) -> int:
        """How many participants it has all answers of, by its own table of them."""
        rows = csv.DictReader(self._open("/api/export_wide").read().decode("utf-8-sig").splitlines())
        return sum(all(row[f"survey.1.player.q{number}"] == "1" for number in range(self._items)) for row in rows)

    def _ask(self, path: str, sent: dict[str, object]) -> Any:
        return json.load(self._open(path, json.dumps(sent).encode()))

    def _open(self, path: str, body: bytes | None = None) -> HTTPResponse:
        headers = {"otree-rest-key": KEY, "Content-Type": "application/json"}
        asked = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", body, headers)
        answer: HTTPResponse = urllib.request.urlopen(asked, timeout=120)
        return answer


@contextlib.contextmanager
def serving(folder: Path, database: str | None, items: int) -> Iterator[Lab]:
    """An oTree in production mode on a PostgreSQL, or with `None` on a file of SQLite."""
    project, port, programs = folder / "otree", free_port(), program()
    for name in ("survey", "_static"):
        (project / name).mkdir(parents=True)
    names = [f"q{number}" for number in range(items)]
    (project / "settings.py").write_text(SETTINGS)
    fields = "\n    ".join(f"{name} = models.BooleanField()" for name in names)
    (project / "survey" / "__init__.py").write_text(APP.format(fields=fields, names=names))
    (project / "survey" / "Questions.html").write_text(TEMPLATE)
    own = {"OTREE_PRODUCTION": "1", "OTREE_REST_KEY": KEY, "PATH": f"{programs}:{os.environ['PATH']}"}
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"} | own
    environment |= {"DATABASE_URL": database} if database else {}
    log = (folder / "otree.log").open("ab")
    begin = {"cwd": project, "env": environment, "stdout": log, "stderr": subprocess.STDOUT}
    subprocess.run([programs / "otree", "resetdb", "--noinput"], check=True, **begin)
    running = subprocess.Popen([programs / "otree", "prodserver", f"127.0.0.1:{port}"], start_new_session=True, **begin)
    lab = Lab(port, items)
    try:
        wait_until(lambda: _answers(lab), 60)
        yield lab
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(running.pid, 15)
        running.wait(timeout=30)
        log.close()


def _answers(lab: Lab) -> bool:
    with contextlib.suppress(OSError):
        lab.stored()
        return True
    return False
