"""Connections of a web process: their limit, and fairness between addresses.

The server (granian) ends a connection that is slow with its headers or idle, and the gateway one that is slow with a
body. What neither sees is how many connections an address has: a few could open as many as there are, and anew as often
as they are ended. So their sockets are looked at from time to time, and those above an address's share are shut.
"""

import asyncio
import contextlib
import os
import resource
import socket
import stat
from collections import defaultdict
from collections.abc import Container, Iterator
from pathlib import Path

MOST = 4096
"""Maximum connections of a web process, if its limit of open files allows them."""

FILES = 2
"""Files per connection: its socket, and the file of its response, open until it is read."""

OTHER_FILES = 512
"""Other files that a process may need: the database, static files, source code."""

EVERY = 0.5
"""Seconds between two checks."""

UNREAD = 30_000
"""Milliseconds that a response may stay unread by the client; then the system ends the connection."""


def connection_limit() -> int:
    """The maximum number of connections of a web process, given its limit of open files."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST if hard == resource.RLIM_INFINITY else min(MOST, max(hard - OTHER_FILES, hard // 2) // FILES)


def allow_files() -> None:
    """Raise this process's limit of open files to what its connections need, as far as the system allows."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES * connection_limit() + OTHER_FILES
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))


async def watch(busy: Container[str], *, behind_proxy: bool) -> None:
    """Keep connections fair while the event loop runs. Behind a proxy all of them are the proxy's.

    `busy` has the peers whose request is being answered, as `peer_of` writes them; they are left alone.
    """
    while True:
        await asyncio.sleep(EVERY)
        if len(_files()) > connection_limit() // 2 and not behind_proxy:
            idle_first = sorted(accepted(), key=lambda one: one[1] in busy)
            for number, peer in open_by_address(idle_first, connection_limit()):
                if peer not in busy:
                    _shut(number, peer)


def end_unread_answers() -> None:
    """Configure listening sockets, and thereby those accepted, to end connections with unread responses."""
    for _, there in _sockets(_files()):
        if there.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN) and hasattr(socket, "TCP_USER_TIMEOUT"):
            there.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD)


def accepted() -> list[tuple[int, str]]:
    """The connections accepted by this process: file descriptor and peer."""
    ports, found = set(), []
    for number, there in _sockets(_files()):
        if there.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            ports.add(there.getsockname()[1])
        else:
            with contextlib.suppress(OSError):
                found.append((there.getsockname()[1], number, peer_of(there.getpeername())))
    return [(number, peer) for port, number, peer in found if port in ports]


def open_by_address(connections: list[tuple[int, str]], places: int) -> list[tuple[int, str]]:
    """The connections above their address's share: half of what others leave free."""
    from collector.endpoint.rate_limits import address_of  # only here: the launcher asks for the numbers alone

    of_address: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for number, peer in connections:
        of_address[address_of({"REMOTE_ADDR": peer.rpartition(":")[0].strip("[]")})].append((number, peer))
    free, excess = places - len(connections), list[tuple[int, str]]()
    for mine in sorted(of_address.values(), key=len, reverse=True):
        over = max(len(mine) - max(free + len(mine), 0) // 2, 0)
        excess += mine[:over]
        free += over
    return excess


def peer_of(name: tuple[str, int]) -> str:
    """A peer in the server's format: 192.0.2.7:51234, or [2001:db8::1]:51234."""
    return f"[{name[0]}]:{name[1]}" if ":" in name[0] else f"{name[0]}:{name[1]}"


def _shut(number: int, peer: str) -> None:
    """End a connection, unless its descriptor now belongs to another file."""
    for _, there in _sockets([number]):
        with contextlib.suppress(OSError):
            if peer_of(there.getpeername()) == peer:
                there.shutdown(socket.SHUT_RDWR)


def _sockets(numbers: list[int]) -> Iterator[tuple[int, socket.socket]]:
    """Yield the sockets among these descriptors, each as a duplicate that is closed afterwards."""
    for number in numbers:
        with contextlib.suppress(OSError):
            if not stat.S_ISSOCK(os.fstat(number).st_mode):
                continue
            with socket.socket(fileno=os.dup(number)) as there:
                if there.family in (socket.AF_INET, socket.AF_INET6):
                    yield number, there


def _files() -> list[int]:
    return [int(file.name) for file in Path("/dev/fd").iterdir()]
