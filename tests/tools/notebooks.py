"""Run a notebook, and compare or write what it prints."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from jupyter_client import AsyncKernelManager
from nbclient import NotebookClient


def run(path: Path) -> None:
    """Fail unless the notebook prints what is committed; with WRITE_NOTEBOOK=1 write what it prints now."""
    committed = nbformat.read(path, as_version=4)
    done = nbformat.from_dict(committed)
    with TemporaryDirectory(prefix="kernel-") as folder:  # sockets in a folder: a port can be taken before it is bound
        manager = AsyncKernelManager(kernel_name="python3", transport="ipc", ip=f"{folder}/k")
        resources = {"metadata": {"path": str(path.parent)}}
        NotebookClient(done, km=manager, timeout=120, resources=resources).execute()
    for cell in done.cells:
        cell.metadata.pop("execution", None)  # the times of this run
    if os.environ.get("WRITE_NOTEBOOK"):
        nbformat.write(done, path)
        return
    assert [_printed(cell) for cell in done.cells] == [_printed(cell) for cell in committed.cells]
    assert sum(bool(_printed(cell)) for cell in done.cells) >= 5


def _printed(cell: nbformat.NotebookNode) -> list[str]:
    """What a cell printed, then what it showed; a slow kernel sends what is printed in several pieces."""
    found = cell.get("outputs", [])
    printed = "".join(one.text for one in found if one.output_type == "stream")
    shown = [one.get("data", {}).get("text/plain", one.output_type) for one in found if one.output_type != "stream"]
    return [printed, *shown] if printed else shown
