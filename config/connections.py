"""The connections of a web process: how many it keeps open, and that no address crowds the others out.

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
"""Connections of a web process, where the system lets it open the files for them."""

FILES = 2
"""Of a connection: its socket, and the file that it is answered with, which stays open until it is read."""

OTHER_FILES = 512
"""That a process may need besides: the database, what it serves, its own code."""

EVERY = 0.5
"""Seconds between two looks."""

UNREAD = 30_000
"""Milliseconds for which an answer may lie unread by who asked for it; then the system ends the connection."""


def connection_limit() -> int:
    """The connections that a web process may keep, in view of the files that it may open."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST if hard == resource.RLIM_INFINITY else min(MOST, max(hard - OTHER_FILES, hard // 2) // FILES)


def allow_files() -> None:
    """Let this process open the files of as many connections as it keeps, as far as the system lets it."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES * connection_limit() + OTHER_FILES
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))


async def watch(busy: Container[str], *, behind_proxy: bool) -> None:
    """Keep the process's connections fair while the event loop runs. Behind a proxy all of them are the proxy's.

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
    """Tell the sockets that listen, and by that what they accept, to end a connection whose answer lies unread."""
    for _, there in _sockets(_files()):
        if there.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN) and hasattr(socket, "TCP_USER_TIMEOUT"):
            there.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD)


def accepted() -> list[tuple[int, str]]:
    """The connections that others have made to this process: the number of the file, and the peer."""
    ports, found = set(), []
    for number, there in _sockets(_files()):
        if there.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            ports.add(there.getsockname()[1])
        else:
            with contextlib.suppress(OSError):
                found.append((there.getsockname()[1], number, peer_of(there.getpeername())))
    return [(number, peer) for port, number, peer in found if port in ports]


def open_by_address(connections: list[tuple[int, str]], places: int) -> list[tuple[int, str]]:
    """Those above the share of their address: half of what the others leave free."""
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
    """A peer as the server writes it: 192.0.2.7:51234, or [2001:db8::1]:51234."""
    return f"[{name[0]}]:{name[1]}" if ":" in name[0] else f"{name[0]}:{name[1]}"


def _shut(number: int, peer: str) -> None:
    """End a connection, unless the number has become another file's."""
    for _, there in _sockets([number]):
        with contextlib.suppress(OSError):
            if peer_of(there.getpeername()) == peer:
                there.shutdown(socket.SHUT_RDWR)


def _sockets(numbers: list[int]) -> Iterator[tuple[int, socket.socket]]:
    """The sockets among these files, each as a duplicate that is closed after its turn."""
    for number in numbers:
        with contextlib.suppress(OSError):
            if not stat.S_ISSOCK(os.fstat(number).st_mode):
                continue
            with socket.socket(fileno=os.dup(number)) as there:
                if there.family in (socket.AF_INET, socket.AF_INET6):
                    yield number, there


def _files() -> list[int]:
    """The numbers of the files that this process has open."""
    return [int(file.name) for file in Path("/dev/fd").iterdir()]
