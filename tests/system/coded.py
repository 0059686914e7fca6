"""Invitations of a running installation, and where anything of them may and may not be found."""

import base64
import csv
import re
import sqlite3
import subprocess
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from collector.invitations.codes import hash_of
from surveys.definition import definitions
from tests.factories import payloads
from tests.system.installation import Installation, wait_until
from tests.tools.mailbox import Mailbox

MAILED, WRITTEN = 500, 500
HOST = b"canary.example"
INVITE = """
from django.core.management import call_command
from surveys.outreach import mailing
from surveys.models import Survey
call_command("import_survey", "{folder}/coded.yaml")
call_command("open_survey", "coded")
call_command("invite", "coded", "--count", "{written}", "--output", "{folder}/codes.csv")
people = [f"person{{number}}@canary.example" for number in range({mailed})]
said = mailing.Wording("invitation", "You are invited", "Answer here: {{link}}")
mailing.request(Survey.objects.get(slug="coded"), said, people, by=None)
"""
PAGE = 4096
"""Bytes of a page of SQLite; in its log each has a head of 24 bytes, and the log one of 32."""


def invite(running: Installation, box: Mailbox, folder: Path) -> list[str]:
    """Write codes into a file outside of the installation, and mail others; all of them."""
    (folder / "coded.yaml").write_text(definitions.dump(payloads.definition(slug="coded", invitations="secret")))
    running.manage("shell", "-c", INVITE.format(folder=folder, written=WRITTEN, mailed=MAILED))
    wait_until(lambda: running.rows("SELECT 1 FROM surveys_mailing WHERE state = 'done'"), 120)
    with (folder / "codes.csv").open(encoding="utf-8-sig", newline="") as file:
        written = [row["code"].replace(" ", "") for row in csv.DictReader(file)]
    return written + [code for text in box.texts() for code in re.findall(r"invitation=([0-9a-z]{28})\b", text)]


@dataclass(frozen=True)
class Place:
    """Something that is kept, and what of it counts as together: a page of a database, a line, a whole file."""

    name: str
    content: bytes

    @property
    def parts(self) -> list[bytes]:
        if self.name.startswith("candor.sqlite3") and not self.name.endswith("-shm"):
            head, step = (32, PAGE + 24) if self.name.endswith("-wal") else (0, PAGE)
            return [self.content[at : at + step] for at in range(head, len(self.content), step)]
        return self.content.splitlines() if self.name in ("dump", "log") else [self.content]


def places(running: Installation, folder: Path) -> Iterator[Place]:
    """Database and write-ahead log, folders of data, broker and temporary files, the log, a dump and a backup."""
    for path in [*running.data.rglob("*"), *running.temporary.rglob("*")]:
        if path.is_file() and running.data / "static" not in path.parents:
            yield Place(path.name, path.read_bytes())
    yield Place("log", running.log.read_bytes())
    with sqlite3.connect(f"file:{running.data / 'candor.sqlite3'}?mode=ro", uri=True) as connection:
        yield Place("dump", "\n".join(connection.iterdump()).encode())
    running.manage("backup", str(folder / "backup.zip"))
    with zipfile.ZipFile(folder / "backup.zip") as backup:
        yield from (Place(f"backup: {name}", backup.read(name)) for name in backup.namelist())


def written(code: str) -> list[bytes]:
    """The forms in which a code could be told."""
    plain, fours = code.encode(), " ".join(re.findall(".{4}", code)).encode()
    return [plain, fours, plain.hex().encode(), base64.b64encode(plain)]


def hashed(code: str) -> list[bytes]:
    """The forms in which its hash could be."""
    digest = hash_of(code)
    return [digest, digest.hex().encode(), digest.hex().upper().encode(), base64.b64encode(digest)]


def holding(kept: Iterable[Place], needles: list[bytes], folder: Path) -> list[str]:
    """The places with one of these texts in them, whichever of its letters are large."""
    searched = folder / "searched"
    searched.mkdir(exist_ok=True)
    (folder / "needles").write_bytes(b"\n".join(needles).lower() + b"\n")
    names = {}
    for number, place in enumerate(kept):
        names[str(number)] = place.name
        (searched / str(number)).write_bytes(place.content.lower())
    search = ["grep", "--fixed-strings", "--text", "--files-with-matches", "--file", str(folder / "needles"), *names]
    done = subprocess.run(search, cwd=searched, capture_output=True, text=True)
    return [names[number] for number in sorted(done.stdout.split(), key=int)]


def together(kept: Iterable[Place], codes: list[str]) -> list[str]:
    """The places in which an address and the hash of a code stand side by side."""
    raw, letters = {hash_of(code) for code in codes}, {form for code in codes for form in hashed(code)[1:]}
    found = []
    for place in kept:
        beside = [part for part in {*place.parts} if HOST in part]
        words = {word for part in beside for word in re.findall(rb"[0-9A-Za-z+/=]{44,64}", part)}
        found += [place.name] if words & letters or any(_within(raw, part) for part in beside) else []
    return found


def _within(hashes: set[bytes], part: bytes) -> bool:
    """Whether one of these texts of 32 bytes is somewhere in a part."""
    beginnings = np.frombuffer(b"".join(one[:4] for one in hashes), "<u4")
    for shift in range(4):
        words = np.frombuffer(part, "<u4", count=max(0, (len(part) - shift) // 4), offset=shift)
        for place in np.flatnonzero(np.isin(words, beginnings)):
            if part[shift + 4 * place : shift + 4 * place + 32] in hashes:
                return True
    return False
