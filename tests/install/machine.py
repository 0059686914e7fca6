"""An empty machine: Debian under systemd in a container, with a terminal on which a person would type."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pexpect

from tests.install.document import ROOT, Block
from tests.tools import containers

IMAGE = "empty-machine:bookworm"
WHEELS = containers.CACHE.parent / "wheels"
PATIENCE = 900
"""Seconds for a block of commands; the longest installs everything."""

OFFLINE = {
    "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "/wheels", "PIP_CONFIG_FILE": "/dev/null",
    "UV_CONFIG_FILE": "/given/uv.toml", "DEBIAN_FRONTEND": "noninteractive", "TERM": "dumb",
}  # fmt: skip
"""Python's packages come from a folder, as this machine has them; Debian's from where the image gets them."""


@dataclass
class Machine:
    """A running machine; `folder` is `/given` in it."""

    name: str
    address: str
    folder: Path

    def run(self, *words: str, given: str = "") -> str:
        """What a command prints; CalledProcessError where it fails."""
        done = containers.podman("exec", "-i", self.name, *words, input=given, capture_output=True)
        return str(done.stdout)

    def type(self, blocks: list[Block], answers: dict[str, str]) -> Iterator[tuple[Block, str]]:
        """Run the blocks one after the other in one shell, and yield each with what it printed, once it is done.

        A command that fails ends it with RuntimeError. `answers` are typed where the terminal asks for them.
        """
        script = ["set -euo pipefail"]
        for number, block in enumerate(blocks):
            script += [block.text, f"echo @@done {number}; read -r _"]
        (self.folder / "uv.toml").write_text('no-index = true\nfind-links = ["/wheels"]\n')
        (self.folder / "commands.sh").write_text("\n".join(script) + "\n")
        variables = [word for name, value in OFFLINE.items() for word in ("-e", f"{name}={value}")]
        command = ["exec", "-it", *variables, self.name, "bash", "/given/commands.sh"]
        shell = pexpect.spawn("podman", command, env=containers.environment(), encoding="utf-8", timeout=PATIENCE)
        for number, block in enumerate(blocks):
            printed, asked = "", [*answers]
            while found := shell.expect([rf"@@done {number}\b", pexpect.EOF, *asked]):
                printed += shell.before or ""
                if found == 1:
                    journal = self.run("journalctl", "--no-pager", "-n", "20")
                    raise RuntimeError(f"A command of {block.heading!r} failed:\n{block.text}\n{printed}\n{journal}")
                shell.sendline(answers[asked[found - 2]])
            yield block, printed + (shell.before or "")
            shell.sendline("")
        shell.expect(pexpect.EOF)


@contextmanager
def running(folder: Path, name: str) -> Iterator[Machine]:
    """An empty machine in which `folder` is `/given`, and the mail server's name leads to this one."""
    mounts = ["-v", f"{folder}:/given", "-v", f"{WHEELS}:/wheels:ro"]
    hosts = ["--add-host", f"mail.example.org:{gateway()}", "--add-host", "survey.example.org:127.0.0.1"]
    containers.podman("run", "-d", "--name", name, "--systemd=always", *mounts, *hosts, IMAGE, stdout=subprocess.PIPE)
    try:
        shown = "{{.NetworkSettings.IPAddress}}"
        found = containers.podman("inspect", "--format", shown, name, capture_output=True).stdout.strip()
        machine = Machine(name, found, folder)
        containers.podman("exec", name, "systemctl", "is-system-running", "--wait", check=False, capture_output=True)
        yield machine
    finally:
        containers.podman("rm", "-f", "-t", "0", name, stdout=subprocess.DEVNULL)


def gateway() -> str:
    """This machine's address as containers see it."""
    shown = "{{range .Subnets}}{{.Gateway}}{{end}}"
    return str(containers.podman("network", "inspect", "--format", shown, "podman", capture_output=True).stdout).strip()


def prepare() -> None:
    """Make the image, and fetch the packages of the lock file as this machine gets them."""
    image = ROOT / "tests" / "install" / "images" / "empty-machine"
    subprocess.run([sys.executable, "bin/base-images", str(image)], cwd=ROOT, check=True)
    WHEELS.mkdir(parents=True, exist_ok=True)
    pip = [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "-d", str(WHEELS)]
    uv = next(line for line in (ROOT / "bin" / "install").read_text().splitlines() if line.startswith("UV ="))
    lock = ROOT / "requirements.lock"
    subprocess.run([*pip, "--require-hashes", "-r", str(lock)], check=True)
    # Debian's Python may be another patch of 3.11 than this one, and need what this one has.
    others = re.findall(r"^(\S+==\S+) ; python_full_version < '3\.11\.", lock.read_text(), re.MULTILINE)
    subprocess.run([*pip, "--no-deps", uv.split('"')[1], *others], check=True)
