"""Connections that hold on to a web server for as long as it lets them, and respondents who send meanwhile.

Each source address is one of this machine's own, 127.x.x.x, so that the server sees several.
"""

import asyncio
import contextlib
import itertools
import secrets
import socket
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

HOST = "127.0.0.1"
DRIP = 2.0
"""Seconds between two bytes of a slow sender."""

PATIENCE = 20.0
"""Seconds after which the respondents' page gives a try up."""


@dataclass(frozen=True)
class Kind:
    """A way of being slow: what is sent at once, what is sent again and again, and whether answers are read."""

    first: str
    again: str = ""
    reads: bool = True


REPORT = (
    "POST /s/campus/reports HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nContent-Type: application/json\r\n"
)
SIGN_IN = "POST /panel/login/ HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
KINDS = {
    "a body that drips": Kind(REPORT + "Content-Length: 200\r\n\r\n{{", " "),
    "a body that stops": Kind(REPORT + "Content-Length: 200\r\n\r\n{{"),
    "a body said to be too long": Kind(REPORT + "Content-Length: 9999999\r\n\r\n{{", " "),
    "a body without a length": Kind(REPORT + "Transfer-Encoding: chunked\r\n\r\n1\r\n{{\r\n", "1\r\n \r\n"),
    "headers that drip": Kind("POST /s/campus/reports HTTP/1.1\r\nHost: {host}\r\n", "X-More: x\r\n"),
    "half a request line": Kind("POST /s/cam"),
    "nothing at all": Kind(""),
    "a connection kept open": Kind("GET /healthz HTTP/1.1\r\nHost: {host}\r\n\r\n"),
    "the sign-in, dripping": Kind(SIGN_IN + "Content-Length: 200\r\n\r\na", "a"),
    "a large upload, dripping": Kind(SIGN_IN + "Content-Length: 4000000\r\n\r\na", "a"),
    "the own-coin page, dripping": Kind(
        SIGN_IN.replace("/panel/login/", "/s/campus/coin/") + "Content-Length: 200\r\n\r\na", "a"
    ),
    "twenty requests at once": Kind((REPORT + "Content-Length: 2\r\n\r\n{{}}") * 20),
    "answers that nobody reads": Kind("GET {large} HTTP/1.1\r\nHost: {host}\r\n\r\n" * 8, reads=False),
    "another protocol": Kind("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
}


@dataclass
class Result:
    """What came of it: the answers to respondents (0 for none), and how long which connections were held."""

    statuses: Counter[int] = field(default_factory=Counter)
    waits: list[float] = field(default_factory=list)
    held: list[float] = field(default_factory=list)
    ended: set[int] = field(default_factory=set)
    """The numbers of the places whose connection was ended by the server, at least once."""

    @property
    def taken(self) -> float:
        """The share of reports that were taken."""
        return self.statuses[201] / max(self.statuses.total(), 1)


@dataclass(frozen=True)
class Attack:
    """So many connections from each of so many addresses, of one kind, each begun anew as soon as it is ended."""

    kind: Kind
    port: int
    addresses: int = 4
    connections: int = 24
    large: str = "/"
    """The path of something large."""

    async def run(
        self,
        seconds: float,
        body: Callable[[str], bytes],
        *,
        every: float = 0.5,
        enough: Callable[[Result], bool] = lambda result: False,
    ) -> Result:
        """Attack for a while, or until it is enough, and send a report of another address in each moment."""
        result, end = Result(), time.monotonic() + seconds
        ours = [f"127.0.0.{number + 1}" for number in range(self.addresses)]
        slow = [asyncio.create_task(self._hold(*one, result)) for one in enumerate(ours * self.connections)]
        await asyncio.sleep(min(1.0, seconds / 10))
        sent = []
        for number in itertools.takewhile(lambda _: time.monotonic() < end and not enough(result), itertools.count()):
            address = f"127.0.{1 + number // 200}.{number % 200 + 1}"
            sent.append(asyncio.create_task(self._send(address, body(secrets.token_hex(16)), result)))
            await asyncio.sleep(every)
        await asyncio.gather(*sent)
        for task in slow:
            task.cancel()
        await asyncio.gather(*slow, return_exceptions=True)
        return result

    async def _hold(self, place: int, address: str, result: Result) -> None:
        """Hold one connection after another."""
        host, first = f"{HOST}:{self.port}", self.kind.first
        while True:
            begun = time.monotonic()
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                async with connected(address, self.port, narrow=not self.kind.reads) as (reader, writer):
                    writer.write(first.format(host=host, large=self.large).encode())
                    await self._until_cut(reader, writer)
            result.held.append(time.monotonic() - begun)
            result.ended.add(place)
            await asyncio.sleep(0.02)

    async def _until_cut(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while not writer.is_closing():
            if self.kind.reads:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(DRIP):
                        while await reader.read(65_536):
                            pass
                        return
            else:
                await asyncio.sleep(DRIP)
            writer.write(self.kind.again.encode())

    async def _send(self, address: str, body: bytes, result: Result) -> None:
        """Send one report as the respondents' page does, without another try."""
        host, begun, status = f"{HOST}:{self.port}", time.monotonic(), 0
        head = f"{REPORT}Content-Length: {len(body)}\r\n\r\n".format(host=host).encode()
        with contextlib.suppress(OSError, TimeoutError, ValueError):
            async with asyncio.timeout(PATIENCE), connected(address, self.port) as (reader, writer):
                writer.write(head + body)
                status = int((await reader.readline()).split()[1])
        result.statuses[status] += 1
        result.waits.append(time.monotonic() - begun)


@contextlib.asynccontextmanager
async def connected(address: str, port: int, *, narrow: bool = False):  # type: ignore[no-untyped-def]
    """A connection from an address of ours; narrow: with hardly any room for what comes."""
    there = socket.socket()
    try:
        there.setblocking(False)
        if narrow:
            there.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        there.bind((address, 0))
        await asyncio.get_running_loop().sock_connect(there, (HOST, port))
        reader, writer = await asyncio.open_connection(sock=there, limit=1024)
    except BaseException:
        there.close()
        raise
    try:
        yield reader, writer
    finally:
        writer.transport.abort()
