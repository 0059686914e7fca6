"""Senders whose reports are written down, so that a run that was broken off goes on where it was."""

import json
import time
from collections import Counter
from pathlib import Path
from typing import Any, TextIO

from collector.designs import Design
from tests.chaos.sending import Sender


class Recorder(Sender):
    """Writes each report to a file before it is sent, and when it was acknowledged."""

    pause = 0.5

    def __init__(self, design: Design, port: int, number: int, file: Path, *, apart: float) -> None:
        super().__init__(design, port, number, apart=apart)
        self.log: TextIO = file.open("a", buffering=1)
        self.moments: list[float] = []

    def _deliver(self, nonce: str, body: bytes) -> None:
        self.log.write(json.dumps([nonce, self.sent[nonce].hex()]) + "\n")
        super()._deliver(nonce, body)
        if nonce in self.acknowledged:
            self.moments.append(time.time())
            self.log.write(json.dumps([nonce, self.moments[-1]]) + "\n")


class Recorded:
    """What a sender of before has written down."""

    def __init__(self, design: Design, file: Path) -> None:
        self.design = design
        self.port = int(file.stem.split("-")[1])
        self.sent: dict[str, bytes] = {}
        self.acknowledged: set[str] = set()
        self.answers: Counter[str] = Counter()
        self.moments: list[float] = []
        for line in file.read_text().splitlines():
            self._add(*json.loads(line))

    def _add(self, nonce: str, said: Any) -> None:
        if isinstance(said, str):
            self.sent[nonce] = bytes.fromhex(said)
        else:
            self.acknowledged.add(nonce)
            self.moments.append(said)
