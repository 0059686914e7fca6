"""What is done and looked at before and after the headings of docs/how-to/deploy.md."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from surveys.definition import definitions
from tests.factories import payloads
from tests.install import visiting
from tests.install.machine import Machine, gateway
from tests.tools.mailbox import Mailbox


@dataclass
class Steps:
    """The walk through one installation; every look is an assertion."""

    machine: Machine
    mails: Mailbox
    report: dict[str, Any] = field(default_factory=dict)
    """The request by which a browser sent its report."""
    during: list[tuple[int, str | None]] = field(default_factory=list)
    """What the same report was answered while the upgrade ran."""
    proxy_version: str = ""
    _open: ExitStack = field(default_factory=ExitStack)

    @classmethod
    @contextmanager
    def on(cls, machine: Machine, mail_password: str) -> Iterator[Self]:
        with visiting.mail_server(machine.folder, mail_password) as mails, ExitStack() as opened:
            yield cls(machine, mails, _open=opened)

    @property
    def trusted(self) -> Path:
        return self.machine.folder / "fullchain.pem"

    @property
    def summary(self) -> str:
        away = sum(status != 200 for status, _ in self.during)
        return f"of {len(self.during)} requests while it was upgraded {away} got 503, none was lost."

    def before(self, heading: str) -> None:
        """Do what the document takes for granted."""
        if heading == "TLS":
            self.machine.run("install", "-d", "/etc/ssl/candor")
            self.machine.run("cp", "/given/fullchain.pem", "/given/key.pem", "/etc/ssl/candor")
            self.machine.run("cp", "/given/fullchain.pem", "/usr/local/share/ca-certificates/example.crt")
            self.machine.run("update-ca-certificates")
        if heading == "Upgrade":
            self._new_version()
            self._repeating = self._open.enter_context(visiting.Repeating(self.machine, self.report, self.trusted))

    def after(self, heading: str, printed: str, *, name: str, password: str) -> None:
        """Look at what the commands below the heading have made."""
        match heading:
            case "On the machine itself":
                assert json.loads(printed[printed.index("{") : printed.rindex("}") + 1])["ready"] is True
                self._is_private()
            case "TLS":
                self._is_behind_https()
            case "The first owner":
                assert f"{name} has access to all surveys and signs in at https://{visiting.SITE}/panel/" in printed
                self._is_used(name, password)
            case "Mail":
                assert self.mails.addresses == ["you@example.org"]
                assert self.mails.mails[0][1]["From"] == "study@example.org"
            case "Check":
                assert "no issues" in printed
                assert '"ready": true' in printed
            case "Backup":
                files = self.machine.run("stat", "-c", "%U %a %s", "-t", *self._backups()).split()
                assert (files[0], files[1]) == ("candor", "600")
                assert int(files[2]) > 1000
            case "Upgrade":
                self._is_upgraded()
                self._is_away()
                self._names_nobody()

    def _is_private(self) -> None:
        assert self.machine.run("stat", "-c", "%U %a", "/var/lib/candor").split() == ["candor", "700"]
        others = self.machine.run("sh", "-c", "ps -o user= -C python | sort -u; ss -ltnH | awk '{print $4}' || true")
        assert "0.0.0.0:8000" not in others

    def _is_behind_https(self) -> None:
        front = self._ask("/")
        assert front.headers.get("Strict-Transport-Security") == "max-age=31536000; includeSubDomains"
        assert not front.headers.get("Server")
        parts = self._ask("/readyz")
        assert (parts.status, parts.json()["ready"]) == (200, True)
        programs = self.machine.run("sh", "-c", "(nginx -v || caddy version) 2>&1 | tail -1").split()
        self.proxy_version = programs[-1] if "nginx" in programs[-1] else f"Caddy {programs[0]}"

    def _is_used(self, name: str, password: str) -> None:
        """The owner signs in and opens a survey; a respondent's browser answers it."""
        self.machine.run("candor", "import_survey", "-", "--owner", name, given=definitions.dump(payloads.definition()))
        opened = json.loads(self.machine.run("candor", "open_survey", "campus", "--json"))
        assert opened["link"].startswith(f"https://{visiting.SITE}/s/campus/")
        with visiting.browsing(self.machine) as page:
            assert "SQLite" in visiting.sign_in(page, name, password)
        with visiting.browsing(self.machine) as page:
            self.report = visiting.answer(page, opened["link"])
        assert self.report["status"] == 201

    def _new_version(self) -> None:
        """A commit that an upgrade brings."""
        work = self.machine.folder / "work"
        git = ["git", "-c", "user.name=Test", "-c", "user.email=test@example.org", "-C", str(work)]
        subprocess.run(["git", "clone", "-q", str(self.machine.folder / "candor.git"), str(work)], check=True)
        (work / "collector" / "newer.py").write_text('"""A newer version has it."""\n')
        subprocess.run([*git, "add", "collector/newer.py"], check=True)
        subprocess.run([*git, "commit", "-qm", "Add a module of the newer version"], check=True)
        subprocess.run([*git, "push", "-q", "origin", "main"], check=True)

    def _is_upgraded(self) -> None:
        self._open.close()
        self.during = self._repeating.answers
        assert {status for status, _ in self.during} <= {200, 503}, self.during
        assert all(retry for status, retry in self.during if status == 503), "503 without Retry-After"
        assert self.during[-1][0] == 200
        assert self.machine.run("ls", "/opt/candor/collector/newer.py")
        assert len(self._backups()) == 2
        assert json.loads(self.machine.run("candor", "close_survey", "campus", "--now", "--json"))["reports"] == 1

    def _is_away(self) -> None:
        """Once Candor is stopped the proxy says so, and comes back with it."""
        self.machine.run("systemctl", "stop", "candor")
        answer = self._ask("/s/campus/")
        assert (answer.status, answer.headers.get("Retry-After")) == (503, "5")
        self.machine.run("systemctl", "start", "candor")

    def _names_nobody(self) -> None:
        """No log of the machine has the address from which everybody came."""
        found = self.machine.run("sh", "-c", f"grep -rlF {gateway()} /var/log /var/lib/candor || true").split()
        assert found == []
        assert gateway() not in self.machine.run("sh", "-c", "journalctl --no-pager -u candor -u nginx -u caddy")

    def _ask(self, path: str) -> Any:
        return visiting.ask(self.machine, path, self.trusted)

    def _backups(self) -> list[str]:
        return self.machine.run("sh", "-c", "ls /var/backups/candor/*.zip").split()
