"""Canary answers through the full stack: they are nowhere in Redis, neither while jobs run nor in what it keeps."""

import csv
import json
import threading
from pathlib import Path
from typing import Any

import redis

from tests.system.canary import CANARY, ITEMS, NEEDLES, survey
from tests.system.stack import Stack

PEOPLE = 60


def look(stack: Stack, folder: Path) -> str:
    """Rehearse people who all have the canary answer while everything that passes through Redis is read."""
    watcher = Watcher(stack.environment["REDIS_URL"])
    watcher.start()
    (folder / "wide.yaml").write_text(survey("wide", rehearsal=True))
    with (folder / "answers.csv").open("w", newline="") as file:
        csv.writer(file).writerows([[f"q{number}" for number in range(ITEMS)], *[list(CANARY)] * PEOPLE])
    stack.manage("import_survey", str(folder / "wide.yaml"))
    stack.manage("rehearse", "wide", "--answers", str(folder / "answers.csv"))
    watcher.client.set("planted", CANARY)  # the test of the test
    watcher.client.delete("planted")
    watcher.leave()
    planted, found = [words for words in watcher.commands if holds(words)], holding(watcher.client)
    assert len(planted) == 1, "the planted canary alone passed through Redis"
    assert not found, found
    assert not [file.name for file in stack.servers.glob("redis/**/*") if file.is_file() and holds(file.read_bytes())]
    commands = f"{len(watcher.commands):,} commands were read while {PEOPLE} people were rehearsed"
    return f"{commands}; the answer is in none of them, in no key and in no file"


class Watcher(threading.Thread):
    """Reads every command that a Redis is given."""

    def __init__(self, url: str) -> None:
        super().__init__(daemon=True)
        self.client: Any = redis.Redis.from_url(url)
        self.commands: list[bytes] = []
        self._watched, self._last = threading.Event(), f"last-{id(self)}"

    def start(self) -> None:
        super().start()
        assert self._watched.wait(10)

    def run(self) -> None:
        connection = self.client.connection_pool.get_connection()
        connection.send_command("MONITOR")
        connection.read_response()
        self._watched.set()
        while self._last.encode() not in (said := bytes(connection.read_response())):
            self.commands.append(said)

    def leave(self) -> None:
        self.client.echo(self._last)
        self.join(10)


def holds(content: bytes) -> bool:
    # MONITOR writes bytes that are no letters as \xNN.
    escaped = "".join(f"\\x{byte:02x}" if not 32 <= byte < 127 else chr(byte) for byte in CANARY).encode()
    listed = [json.dumps(list(CANARY)).encode(), escaped, *NEEDLES]
    return any(needle.lower() in content.lower() for needle in listed)


def holding(client: Any) -> list[bytes]:
    """The keys whose values, as they would be written to a disk, hold the canary."""
    return [key for key in client.scan_iter() if holds(client.dump(key) or b"") or holds(key)]
