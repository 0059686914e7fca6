"""Waiting for a process to become ready, as long as it makes progress on a busy machine."""

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

QUIET = 300.0
"""Seconds without any activity after which a process is given up."""

SILENCE = 10.0
"""Seconds between two progress messages."""

STEP = 0.1


def wait_until_ready(
    ready: Callable[[], bool],
    process: subprocess.Popen[bytes],
    name: str,
    *,
    progress: Callable[[int], object] | None = None,
    quiet: float = QUIET,
) -> None:
    """Return when `ready` is true; print every ten seconds what is being waited for.

    Raises RuntimeError where the process ended, or did not move for `quiet` seconds. What moves is `progress` of its
    number: by default the processor time that it has had, where the system tells.
    """
    begun = moved = printed = time.monotonic()
    look, seen = progress or processor_time, object()
    while not ready():
        now = time.monotonic()
        if process.poll() is not None:
            raise RuntimeError(f"The {name} ended with {process.returncode} before it was ready.")
        if (there := look(process.pid)) != seen or there is None:
            seen, moved = there, now
        if now - moved > quiet:
            raise RuntimeError(f"The {name} has done nothing for {quiet:g} seconds.")
        if now - printed > SILENCE:
            printed = now
            print(f"Waiting for the {name}, {now - begun:.0f} seconds so far ...", flush=True)
        time.sleep(STEP)


def processor_time(group: int) -> int | None:
    """The processor time of all processes of a group, in ticks; None if the system does not report it."""
    found = [_of_group(file, group) for file in Path("/proc").glob("[0-9]*/stat")]
    return sum(found) if found else None


def _of_group(file: Path, group: int) -> int:
    try:
        fields = file.read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return 0
    return int(fields[11]) + int(fields[12]) if int(fields[2]) == group else 0
