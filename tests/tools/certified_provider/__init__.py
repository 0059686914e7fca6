"""Start the certified provider of server.mjs; npm installs it by the lock file, once, into build/."""

import hashlib
import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from config.processes import free_port
from tests.tools.client import node

FOLDER = Path(__file__).parent
BUILD = FOLDER.parents[2] / "build"


@dataclass(frozen=True)
class CertifiedProvider:
    issuer: str
    _commands: IO[str]
    _answers: IO[str]

    def set_groups(self, groups: list[str] | None) -> None:
        """What groups the person is in from now on; None: she has left the institution."""
        self._commands.write(json.dumps(groups) + "\n")
        self._commands.flush()
        self.wait_for("noted")

    def wait_for(self, word: str) -> None:
        """Read on until it says this; what it says of itself between is passed over."""
        said = list(iter(self._answers.readline, f"{word}\n"))
        assert "" not in said, "".join(said)


@contextmanager
def certified_provider(back: str) -> Iterator[CertifiedProvider]:
    """At another host than the site, so that a browser treats the two as different sites."""
    port = free_port()
    command = [node(), str(_installed() / "server.mjs"), str(port), back]
    piped = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen(command, **piped) as process:  # type: ignore[call-overload]
        try:
            found = CertifiedProvider(f"http://localhost:{port}", process.stdin, process.stdout)
            found.wait_for("listening")
            yield found
        finally:
            process.kill()


def _installed() -> Path:
    files = ("package.json", "package-lock.json", "server.mjs")
    digest = hashlib.sha256(b"".join((FOLDER / name).read_bytes() for name in files)).hexdigest()[:16]
    place = BUILD / f"certified-provider-{digest}"
    if not place.exists():
        BUILD.mkdir(exist_ok=True)
        made = Path(tempfile.mkdtemp(dir=BUILD))
        for name in files:
            shutil.copy(FOLDER / name, made)
        subprocess.run(["npm", "ci", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=made, check=True)
        made.replace(place)
    return place
