"""What happens around a program: each case does one thing to a running installation, and says what was seen.

People send reports all the time, and send the same bytes again until they are acknowledged.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from config.processes import free_port
from tests.chaos.killing import STACK, Killer
from tests.chaos.sending import Sender
from tests.system.installation import ROOT, Installation, wait_until
from tests.system.stack import Stack

BACK = 120.0
"""Seconds within which everything must work again."""

DAY = 86_400


@dataclass(frozen=True)
class Scene:
    """A running installation, and somebody who sends it reports."""

    installation: Installation
    sender: Sender

    def acknowledged(self) -> int:
        return len(self.sender.acknowledged)

    def seconds_until_taken(self, more: int = 20) -> float:
        """How long until so many more reports are acknowledged."""
        begun, before = time.monotonic(), self.acknowledged()
        wait_until(lambda: self.acknowledged() >= before + more, BACK)
        return time.monotonic() - begun

    def seconds_until_folded(self, ask: Callable[[str], list[tuple[object, ...]]]) -> float:
        """How long until reports that come now have led to more folded ones."""
        folded = "SELECT coalesce(sum(count), 0) FROM collector_dailycount"
        begun, ((before,),) = time.monotonic(), ask(folded)
        wait_until(lambda: ask(folded) > [(before,)], BACK)
        return time.monotonic() - begun


Case = Callable[[Scene], str]
"""Does it and returns what was seen, in a sentence; an AssertionError where it went wrong."""


def delete_broker(scene: Scene) -> str:
    shutil.rmtree(scene.installation.data / "broker")
    return _goes_on(scene, "It is made again")


def start_second_launcher(scene: Scene) -> str:
    port = str(free_port())
    second = subprocess.run(
        [sys.executable, "-m", "config.serve", "--port", port, "--no-demo"],
        cwd=ROOT, env=scene.installation.environment, capture_output=True, text=True, timeout=BACK,
    )  # fmt: skip
    assert second.returncode == 1, second.stderr
    assert "already" in second.stderr, second.stderr
    return _goes_on(scene, "The second one ends with a sentence that names the process of the first")


def set_clock(seconds: int) -> Case:
    def case(scene: Scene) -> str:
        clock = Path(scene.installation.more["CANDOR_TEST_CLOCK"])
        clock.write_text(str(seconds))
        try:
            return _goes_on(scene, "The schedule goes by the monotonic clock")
        finally:
            clock.write_text("0")

    return case


def kill_all_at_once(scene: Scene) -> str:
    """Every kind of process but the launcher, in the same moment."""
    victims = {name: word for name, word in STACK.items() if not name.startswith("a connection")}
    killer = Killer(scene.installation, victims, seed=1)
    longest = 0.0
    for _ in range(5):
        found = [pid for name in victims for pid in killer.found(name)]
        assert len(found) >= len(victims)
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        longest = max(longest, scene.seconds_until_taken())
        assert isinstance(scene.installation, Stack)
        scene.seconds_until_folded(scene.installation.ask)
    return f"Five times; reports were taken again after at most {longest:.0f} s, and counted"


def _goes_on(scene: Scene, seen: str) -> str:
    """Reports are taken and counted as before."""
    scene.seconds_until_taken()
    return (
        f"{seen}; reports are taken, and were counted {scene.seconds_until_folded(scene.installation.rows):.0f} s later"
    )
