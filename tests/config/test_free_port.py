"""The ports of the servers that an installation starts for itself."""

import socket
from pathlib import Path

from config.processes import FREE_PORTS, free_port


def test_free_port_can_be_listened_at() -> None:
    with socket.create_server(("127.0.0.1", port := free_port())):
        assert port in FREE_PORTS


def test_free_port_is_below_those_of_connections() -> None:
    first = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    assert first >= FREE_PORTS.stop
