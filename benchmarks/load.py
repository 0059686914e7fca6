"""A client that keeps a server busy: some connections, each with one request at a time, in a process of its own.

    python -m benchmarks.load '{"port": 8000, "path": "/", "seconds": 3, "connections": 16}'

It prints what it measured as JSON: answers, these a second, the 50th and 99th percentile of the wait in seconds, and
its own processor time. With `rate` it begins so many requests a second, whatever the answers take, and counts the wait
from when each was due. A `body` is sent by POST. In the place of NONCE, in path or body, stands a new nonce; or, with
`nonces`, the next line of that file, and after the last one it ends. With `moments` it also says when each answer was
there. `bodies` are sent in turns. Answers of the status `refusal` are counted, any other than `status` ends it.
"""

import argparse
import json
import re
import secrets
import selectors
import socket
import statistics
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any

BODY_OF_FORM = {"Content-Type": "application/x-www-form-urlencoded"}
READ = 65_536
LENGTH = re.compile(rb"(?i)\r\ncontent-length: ([0-9]+)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("asked", type=json.loads, help="what to send where and for how long, as JSON")
    print(json.dumps(measure(**parser.parse_args().asked)))


def measure(
    port: int,
    path: str,
    seconds: float,
    connections: int,
    body: str = "",
    headers: dict[str, str] | None = None,
    status: int = 200,
    rate: float = 0,
    moments: bool = False,
    nonces: str = "",
    bodies: Sequence[str] = (),
    refusal: int = 0,
) -> dict[str, Any]:
    requests = cycle([request(port, path, one, headers or {}) for one in bodies or [body]])
    names = iter(Path(nonces).read_bytes().split()) if nonces else new_nonces()
    name = next(names, None)
    answers = Answers(*(f"HTTP/1.1 {one} ".encode() if one else b"" for one in (status, refusal)))
    free, poll = _connected(port, connections)
    begun: dict[Any, float] = {}
    start, own = time.perf_counter(), time.process_time()
    end, due = start + seconds, start
    while ((now := time.perf_counter()) < end and name) or begun:
        while free and now < end and name and (not rate or due <= now):
            there, (before, after) = free.popleft(), next(requests)
            there.sendall(before + name + after if after else before)
            name = next(names, None)
            begun[there] = due if rate else now
            due += 1 / rate if rate else 0
        timeout = max(due - now, 0) if rate and free and now < end and name else 1
        for there, answer in _answers(poll, timeout):
            since = begun.pop(there)
            free.append(there)
            answers.take(answer, since)
    said = {"rate": len(answers.waits) / (time.perf_counter() - start), "processor": time.process_time() - own}
    said |= answers.summary()
    return said | {"answered": [round(moment, 4) for moment in answers.answered]} if moments else said


@dataclass
class Answers:
    """What came back: how long each answer was waited for, when it was there, and how many refused.

    `expected` and `refused` are how an answer begins; without the latter none may refuse.
    """

    expected: bytes
    refused: bytes
    waits: list[float] = field(default_factory=list)
    answered: list[float] = field(default_factory=list)
    refusals: int = 0

    def take(self, answer: bytes, since: float) -> None:
        if self.refused and answer.startswith(self.refused):
            self.refusals += 1
            return
        if not answer.startswith(self.expected):
            raise SystemExit(f"expected {self.expected.decode()}; got {answer[:200] + answer[-120:]!r}")
        self.answered.append(time.perf_counter())
        self.waits.append(self.answered[-1] - since)

    def summary(self) -> dict[str, float]:
        quantiles = statistics.quantiles(self.waits, n=100) if len(self.waits) > 1 else [0.0] * 99
        told = {"answers": len(self.waits), "median": quantiles[49], "p99": quantiles[98]}
        return told | ({"refusals": self.refusals} if self.refused else {})


def _answers(poll: selectors.BaseSelector, timeout: float) -> Iterator[tuple[socket.socket, bytes]]:
    """The connections that have an answer, each with it."""
    for key, _ in poll.select(timeout):
        there: socket.socket = key.fileobj  # type: ignore[assignment]
        yield there, whole(there)


def _connected(port: int, connections: int) -> tuple[deque[socket.socket], selectors.BaseSelector]:
    """Open connections, and what says which of them has an answer."""
    poll = selectors.DefaultSelector()
    free = deque(connected(port) for _ in range(connections))
    for there in free:
        poll.register(there, selectors.EVENT_READ)
    return free, poll


def new_nonces() -> Iterator[bytes]:
    while True:
        yield secrets.token_hex(16).encode()


def request(port: int, path: str, body: str, headers: dict[str, str]) -> tuple[bytes, bytes]:
    """What stands before the nonce and after it; all of it before, where there is none."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    length = len(body.replace("NONCE", 32 * "0"))
    head = f"{'POST' if body else 'GET'} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{lines}"
    before, _, after = f"{head}Content-Length: {length}\r\n\r\n{body}".encode().partition(b"NONCE")
    return before, after


def connected(port: int) -> socket.socket:
    there = socket.create_connection(("127.0.0.1", port))
    there.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return there


def whole(there: socket.socket) -> bytes:
    """An answer to its end, as its length says it, or the chunk of no bytes after its last one."""
    answer = there.recv(READ)
    while answer:
        head, end, content = answer.partition(b"\r\n\r\n")
        length = LENGTH.search(head) if end else None
        if len(content) >= int(length[1]) if length else content.endswith(b"0\r\n\r\n"):
            break
        more = there.recv(READ)
        answer = answer + more if more else b""
    return answer


if __name__ == "__main__":
    main()
