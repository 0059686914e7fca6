"""The connections of a web process: found among its files, and shut where an address has too many."""

import asyncio
import socket
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from config import connections
from config.connections import accepted, open_by_address, peer_of


def many(counts: dict[str, int]) -> list[tuple[int, str]]:
    peers = [f"{address}:{port}" for address, count in counts.items() for port in range(count)]
    return list(enumerate(peers))


def kept(counts: dict[str, int], places: int) -> Counter[str]:
    """What is left to each address."""
    everything, excess = many(counts), open_by_address(many(counts), places)
    return Counter(peer.rpartition(":")[0] for _, peer in set(everything) - set(excess))


def test_crowding_one_address_keeps_half_of_free() -> None:
    assert kept({"192.0.2.1": 100}, 100) == {"192.0.2.1": 50}
    assert kept({"192.0.2.1": 60, "192.0.2.2": 40}, 100)["192.0.2.2"] <= 40
    assert kept({"192.0.2.1": 60, "192.0.2.2": 39, "192.0.2.3": 1}, 100)["192.0.2.3"] == 1


def test_crowding_many_addresses_shuts_none() -> None:
    assert open_by_address(many({f"192.0.2.{number}": 1 for number in range(100)}), 200) == []


def test_crowding_counts_ipv6_network_as_one() -> None:
    peers = [(number, f"[2001:db8::{number:x}]:443") for number in range(90)]
    assert len(open_by_address(peers, 100)) == 40


class Enough(Exception):
    """It has looked often enough."""


def test_crowding_shuts_idle_connections_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST", 8)
    looks: Iterator[int] = iter([])

    async def pause(seconds: float) -> None:
        if next(looks, None) is None:
            raise Enough

    monkeypatch.setattr(connections, "asyncio", SimpleNamespace(sleep=pause))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        clients = [socket.create_connection(listener.getsockname()) for _ in range(8)]
        servers = [listener.accept()[0] for _ in clients]
        peers = {peer_of(one.getpeername()) for one in servers}
        assert peers <= {peer for _, peer in accepted()}
        busy = {peer_of(one.getsockname()) for one in clients[:6]}

        ended: list[int] = []
        for proxy in (True, False):
            looks = iter(range(20))
            # In a thread of its own: in this one a browser's tests may have left an event loop.
            with pytest.raises(Enough), ThreadPoolExecutor(1) as pool:
                pool.submit(asyncio.run, connections.watch(busy, behind_proxy=proxy)).result()
            ended.append(sum(_is_ended(one) for one in clients))
        for one in (*clients, *servers):
            one.close()
    assert ended[0] == 0
    assert 0 < ended[1] <= 2


def _is_ended(there: socket.socket) -> bool:
    there.setblocking(False)
    try:
        return there.recv(1) == b""
    except BlockingIOError:
        return False


def test_connection_limit_follows_file_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = [(256, 1024), (1024, 4096), (1024, 20_000), (1024, connections.resource.RLIM_INFINITY)]
    monkeypatch.setattr(connections.resource, "getrlimit", lambda _: limits[0])
    found = []
    while limits:
        found.append(connections.connection_limit())
        del limits[0]
    assert found == [256, 1792, 4096, 4096]


@pytest.mark.parametrize("hard", [1024, 4096, 20_000, connections.resource.RLIM_INFINITY])
def test_allow_files_reserves_two_files_per_connection(hard: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """2,400 that did not read their answers left no file to the other 44 of 58 when each was counted as one."""
    allowed: list[tuple[int, int]] = []
    monkeypatch.setattr(connections.resource, "getrlimit", lambda _: (256, hard))
    monkeypatch.setattr(connections.resource, "setrlimit", lambda _, limit: allowed.append(limit))
    connections.allow_files()
    ((soft, kept),) = allowed
    assert kept == hard
    assert soft - 2 * connections.connection_limit() >= 512
