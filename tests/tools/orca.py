"""Orca, the screen reader of GNOME: what it says of a browser on a screen in memory, and keys as a person presses them.

It speaks through speech-dispatcher with a voice that makes no sound; what it says is read from its own log.
"""

import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = ("orca", "xdotool", "openbox", "dbus-daemon", "Xvfb")
LAUNCHER = Path("/usr/libexec/at-spi-bus-launcher")
SILENT_VOICE = 'AddModule "dummy" "sd_dummy" ""\nDefaultModule dummy\n'
OWN_SETTINGS = """
import orca.debug, orca.settings
orca.debug.debugFile.reconfigure(line_buffering=True)
orca.settings.sayAllOnLoad = False
"""
"""What Orca runs as it starts: no line of its log waits for the next ones, and no page is read before it is asked for,
as what is read is scrolled to, away from under a click."""
SAID = re.compile(r"^[0-9:.]+ - SPEECH OUTPUT: '(.*)'(?: ?\{'established.*)?$", re.MULTILINE)

QUIET = 0.6
"""Seconds without a word after which Orca has said what it had to say."""
PATIENCE = 20.0
"""Seconds for it to begin, and to end."""


def find_orca() -> str | None:
    """Orca, if all that it needs is there."""
    found = [shutil.which(name) for name in PROGRAMS]
    return found[0] if all(found) and LAUNCHER.exists() else None


@dataclass
class Orca:
    """A running Orca, its screen and its log."""

    environment: Mapping[str, str]
    """In which a program is heard."""
    log: Path
    told: int = 0
    """How much of what it said was asked for before."""

    def said(self) -> list[str]:
        """What it said since this was asked last, once it is quiet."""
        end, count, quiet = time.monotonic() + PATIENCE, -1, time.monotonic()
        while time.monotonic() < end:
            found = self._all()
            if len(found) != count:
                count, quiet = len(found), time.monotonic()
            elif time.monotonic() - quiet > QUIET:
                break
            time.sleep(0.05)
        spoken, self.told = found[self.told :], len(found)
        return [one.strip() for one in spoken if one.strip()]

    def said_until(self, text: str) -> str:
        """What it says until this is among it, or until it is quiet for long."""
        end, spoken = time.monotonic() + PATIENCE, ""
        while text not in spoken and time.monotonic() < end:
            spoken = f"{spoken} {' '.join(self.said())}".strip()
        return spoken

    def _all(self) -> list[str]:
        return SAID.findall(self.log.read_text(encoding="utf-8", errors="replace"))

    def press(self, *keys: str) -> list[str]:
        """Press these keys of the keyboard, one after the other, and return what it says of it."""
        subprocess.run(["xdotool", "key", "--delay", "30", *keys], env=self.environment, check=True)
        return [one for one in self.said() if one not in KEY_NAMES]

    def press_until(self, key: str, heard: Callable[[str], bool], most: int = 60) -> str:
        """Press a key until it says what is waited for; all that it said of the last press."""
        said = ""
        for _ in range(most):
            said = " ".join(self.press(key))
            if heard(said):
                return said
        raise AssertionError(f"not heard with {most} presses of {key}; it said last: {said}")

    def read_all(self) -> str:
        """Have it read the whole page, from its top; in focus mode, as in a text field, the keys were the page's."""
        modes = [said for said in self._all() if said in ("Focus mode", "Browse mode")]
        if modes[-1:] == ["Focus mode"]:
            for command in (["keydown", "Insert"], ["key", "a"], ["keyup", "Insert"]):
                subprocess.run(["xdotool", *command], env=self.environment, check=True)
            self.said()
        self.press("ctrl+Home")
        return " ".join(self.press("KP_Add"))


KEY_NAMES = {"tab", "space", "return", "down", "left control", "plus", "r", "b", "h", "home", "x", "c", "e"}
"""What it says of a key that was pressed."""


@contextmanager
def orca() -> Iterator[Orca]:
    """Orca on a screen of its own, with a session bus and a window manager."""
    from tests.browser.launching import display

    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        environment = _environment(home, stack.enter_context(display()))
        environment["DBUS_SESSION_BUS_ADDRESS"] = _bus(environment, stack)
        _start(["openbox"], environment, stack)
        _start([str(LAUNCHER), "--launch-immediately"], environment, stack)
        log = home / "orca.log"
        _start(["orca", "--replace", "--debug-file", str(log)], environment, stack)
        end = time.monotonic() + PATIENCE
        while not (log.exists() and "Screen reader on." in log.read_text(errors="replace")):
            assert time.monotonic() < end, "Orca does not start"
            time.sleep(0.1)
        yield Orca(environment, log)


def _environment(home: Path, screen: str) -> dict[str, str]:
    (home / "run").mkdir(mode=0o700)
    speech = home / ".config/speech-dispatcher"
    speech.mkdir(parents=True)
    (speech / "speechd.conf").write_text(SILENT_VOICE)
    own = home / ".local/share/orca"
    own.mkdir(parents=True)
    (own / "orca-customizations.py").write_text(OWN_SETTINGS)
    return {
        "PATH": os.environ["PATH"],
        "DISPLAY": screen,
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(home / "run"),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local/share"),
        "GNOME_ACCESSIBILITY": "1",
        "LANG": "C.UTF-8",
    }


def _bus(environment: Mapping[str, str], stack: ExitStack) -> str:
    command = ["dbus-daemon", "--session", "--print-address=1", "--nofork"]
    process = _start(command, environment, stack, stdout=subprocess.PIPE)
    assert process.stdout
    return process.stdout.readline().decode().strip()


def _start(
    command: list[str], environment: Mapping[str, str], stack: ExitStack, stdout: int = subprocess.DEVNULL
) -> "subprocess.Popen[bytes]":
    process = subprocess.Popen(command, env=environment, stdout=stdout, stderr=subprocess.DEVNULL)
    stack.callback(process.wait)
    stack.callback(process.kill)
    return process
