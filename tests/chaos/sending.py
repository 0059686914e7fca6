"""People who send reports while everything is killed around them: each the same bytes until they are acknowledged."""

import http.client
import random
import threading
import time
from collections import Counter

from collector.designs import Design
from tests.factories import payloads

PATIENCE = 10.0
"""Seconds to wait for an answer: less than the page does, so that more is sent twice."""

PAUSE = 0.05
"""Seconds before the same report is tried again."""

FAIR = {201, 200, 503}
"""What may be answered: stored, known already, not now."""


class Sender(threading.Thread):
    """One person after another, beginning `apart` seconds after the last or once that one is answered.

    `acknowledged` are the nonces answered with 201 or 200.
    """

    pause = PAUSE
    patience = PATIENCE

    def __init__(self, design: Design, port: int, number: int, *, apart: float = 0.0) -> None:
        super().__init__(daemon=True)
        self.design, self.port, self.apart = design, port, apart
        self.random = random.Random(number)
        self.sent: dict[str, bytes] = {}
        self.acknowledged: set[str] = set()
        self.answers: Counter[str] = Counter()
        self.times: list[float] = []
        self.last = threading.Event()
        self._connection: http.client.HTTPConnection | None = None

    def run(self) -> None:
        while not self.last.is_set():
            begun = time.monotonic()
            nonce = f"{self.random.getrandbits(128):032x}"
            symbols = bytes(self.random.randrange(size) for size in self.design.alphabets)
            stratum = self.random.choice(self.design.strata)
            self.sent[nonce] = symbols
            self._deliver(nonce, payloads.body(self.design, nonce=nonce, stratum=stratum, report=symbols.hex()))
            time.sleep(max(0.0, begun + self.apart - time.monotonic()))

    def leave_acknowledged(self, seconds: float) -> None:
        """Leave once the report that is being sent is acknowledged; an AssertionError where that takes longer."""
        self.last.set()
        self.join(seconds)
        assert not self.is_alive(), f"no answer within {seconds:g} seconds"

    def _deliver(self, nonce: str, body: bytes) -> None:
        """Try until it is acknowledged."""
        while True:
            said = self._try(body)
            self.answers[said] += 1
            if said in ("201", "200"):
                self.acknowledged.add(nonce)
                self.times.append(time.monotonic())
                return
            if said.isdigit() and int(said) not in FAIR:
                return
            time.sleep(self.pause)

    def _try(self, body: bytes) -> str:
        """The status of the answer, or that there was none."""
        headers = {"Content-Type": "application/json", "Origin": f"http://127.0.0.1:{self.port}"}
        try:
            connection = self._connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.patience)
            self._connection = connection
            connection.request("POST", "/s/campus/reports", body, headers)
            answer = connection.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException):
            if self._connection is not None:
                self._connection.close()
            self._connection = None
            return "no answer"
        return str(answer.status)
