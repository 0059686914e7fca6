"""The processor time of running processes, as the system counts it (Linux)."""

import contextlib
import os
from pathlib import Path


def processor_time(pid: int) -> float:
    """The seconds that this process and its descendants have taken, those of the kernel and of what has ended too."""
    seconds = 0.0
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        seconds = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        for task in Path(f"/proc/{pid}/task").iterdir():
            seconds += sum(processor_time(int(child)) for child in (task / "children").read_text().split())
    return seconds
