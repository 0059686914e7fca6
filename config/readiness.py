"""Waiting for a process to be ready: as long as it moves, however busy the machine is."""

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

QUIET = 300.0
"""Seconds after which a process that does nothing at all is given up."""

SILENCE = 10.0
"""Seconds between two words of what is waited for."""

STEP = 0.1


def wait_until_ready(
    ready: Callable[[], bool],
    process: subprocess.Popen[bytes],
    name: str,
    *,
    progress: Callable[[int], object] | None = None,
    quiet: float = QUIET,
) -> None:
    """Return when `ready` is true, and say every ten seconds what is waited for.

    Raises
    ------
    RuntimeError
        Where the process ended, or did not move for `quiet` seconds. What moves is `progress` of its number: by
        default the processor time that it has had, where the system tells.
    """
    begun = moved = said = time.monotonic()
    look, seen = progress or processor_time, object()
    while not ready():
        now = time.monotonic()
        if process.poll() is not None:
            raise RuntimeError(f"The {name} ended with {process.returncode} before it was ready.")
        if (there := look(process.pid)) != seen or there is None:
            seen, moved = there, now
        if now - moved > quiet:
            raise RuntimeError(f"The {name} has done nothing for {quiet:g} seconds.")
        if now - said > SILENCE:
            said = now
            print(f"Waiting for the {name}, {now - begun:.0f} seconds so far ...", flush=True)
        time.sleep(STEP)


def processor_time(group: int) -> int | None:
    """What all processes of a group have had of the processor, in ticks; None where the system does not tell."""
    found = [_of_group(file, group) for file in Path("/proc").glob("[0-9]*/stat")]
    return sum(found) if found else None


def _of_group(file: Path, group: int) -> int:
    try:
        fields = file.read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return 0
    return int(fields[11]) + int(fields[12]) if int(fields[2]) == group else 0
