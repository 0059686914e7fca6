"""The shipped client's modules, and Node to run them in."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

CLIENT = Path(__file__).parents[2] / "surveys" / "static" / "surveys" / "client"
OLDEST_NODE = (20, 19)
"""The first that knows a `.js` file with import statements for a module without being told."""


def node() -> str:
    """The machine's Node where it is new enough, else the one inside playwright's wheel."""
    found = shutil.which("node")
    if found and version_of(found) >= OLDEST_NODE:
        return found
    from playwright._impl._driver import compute_driver_executable

    return str(compute_driver_executable()[0])


def version_of(path: str) -> tuple[int, ...]:
    printed = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(int(part) for part in re.findall(r"\d+", printed)[:2])


def run_in_node(script: str | Path, given: Any, *, client: Path = CLIENT) -> Any:
    """What a module prints as JSON; it reads `given` as JSON and has the address of the client as its argument."""
    module = [str(script)] if isinstance(script, Path) else ["--input-type=module", "--eval", script]
    command = [node(), *module, client.as_uri()]
    run = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, timeout=300, check=True)
    return json.loads(run.stdout)


MARKUP = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|srcdoc|createContextualFragment"
"""Ways to make markup from a text."""
FORBIDDEN_IN_CLIENT = (
    rf"{MARKUP}|Math\.random|Date\b|performance\.|\beval\b|new Function|setInterval"
    r"|\bcaches\b|document\.cookie|serviceWorker|BroadcastChannel"
    r"|sendBeacon|WebSocket|EventSource|XMLHttpRequest|RTCPeerConnection|new Image|new Worker|\bimport\("
    r"|https?://(?!www\.w3\.org/2000/svg)|debugger|console\."
)
"""Chance from elsewhere, time, markup from text, storage, other ways out, other hosts."""


def without_comments(path: Path) -> str:
    """The module without its comments."""
    return re.sub(r"/\*.*?\*/|(?<!:)//[^\n]*", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
