"""The wire between a coordinator and one of its nodes, on which something happens at a chosen word of a transaction."""

import contextlib
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

BYTES = 65_536
PAUSE = 0.01


@dataclass
class Strike:
    """What happens as this word comes by: before the node hears it, or once it has done it and nobody knows."""

    word: bytes
    act: Callable[[], None]
    done: Callable[[], bool] | None = None
    """Whether the node has done it; None for before it hears it."""


class Wire:
    """Passes on whatever comes to its port to the node's, and back."""

    def __init__(self, node: int) -> None:
        self._node = node
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        self._armed: Strike | None = None
        self._lock = threading.Lock()
        self.struck = threading.Event()
        self.failure: Exception | None = None
        """What kept a strike from being done."""
        threading.Thread(target=self._accept, daemon=True).start()

    def arm(self, strike: Strike) -> None:
        """Strike once."""
        self.struck.clear()
        self.failure = None
        self._armed = strike

    def close(self) -> None:
        self._listening.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                coordinator, _ = self._listening.accept()
                try:
                    node = socket.create_connection(("127.0.0.1", self._node))
                except OSError:  # it is dead
                    coordinator.close()
                    continue
                cut = threading.Event()
                for ways in ((coordinator, node, True), (node, coordinator, False)):
                    threading.Thread(target=self._pass_on, args=(*ways, cut), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket, to_node: bool, cut: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while content := source.recv(BYTES):
                strike = self._met(content) if to_node else None
                if strike is not None:
                    cut.set()
                    self._strike(strike, content, target)
                    break
                if cut.is_set():  # nobody hears what the node says
                    break
                target.sendall(content)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _met(self, content: bytes) -> Strike | None:
        with self._lock:
            found = self._armed if self._armed and self._armed.word in content else None
            self._armed = None if found else self._armed
            return found

    def _strike(self, strike: Strike, content: bytes, target: socket.socket) -> None:
        try:
            if strike.done is not None:
                target.sendall(content)
                while not strike.done():
                    time.sleep(PAUSE)
            strike.act()
        except Exception as error:  # its thread has nobody who hears of it
            self.failure = error
        finally:
            self.struck.set()
