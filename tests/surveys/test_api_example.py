"""The notebook in docs, and the client that it runs, against the running site: what it prints is what is committed.

`WRITE_NOTEBOOK=1` in the environment writes what it prints now.
"""

import math
import os
from pathlib import Path

import nbformat
import pytest
from django.contrib.auth.models import User
from nbclient import NotebookClient

from estimator.exports import services as exports
from surveys.accounts import tokens
from surveys.lifecycle.exports import execute_export
from surveys.planning.rehearsals import services as rehearsals
from tests.tools.running import running_site

NOTEBOOK = Path(__file__).parents[2] / "docs" / "examples" / "api.ipynb"


@pytest.mark.django_db(transaction=True)
def test_notebook_prints_committed_output(alice: User, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(rehearsals, "wake", lambda job_id: rehearsals.execute(job_id, seconds=math.inf))
    monkeypatch.setattr(exports, "wake", execute_export)
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.setenv("CANDOR_TOKEN", tokens.make(alice, "the notebook", scope="write")[1])
    committed = nbformat.read(NOTEBOOK, as_version=4)
    done = nbformat.from_dict(committed)
    with running_site() as url:
        monkeypatch.setenv("CANDOR_URL", url)
        NotebookClient(done, timeout=120, resources={"metadata": {"path": str(NOTEBOOK.parent)}}).execute()
    for cell in done.cells:
        cell.metadata.pop("execution", None)  # the times of this run
    if os.environ.get("WRITE_NOTEBOOK"):
        nbformat.write(done, NOTEBOOK)
        return
    assert [printed(cell) for cell in done.cells] == [printed(cell) for cell in committed.cells]
    assert sum(bool(printed(cell)) for cell in done.cells) >= 5


def printed(cell: nbformat.NotebookNode) -> list[str]:
    found = cell.get("outputs", [])
    return [one.get("text") or one.get("data", {}).get("text/plain", one.output_type) for one in found]
