"""The notebook in docs, and the client that it runs, against the running site: what it prints is what is committed.

`WRITE_NOTEBOOK=1` in the environment writes what it prints now.
"""

import math
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from estimator.exports import services as exports
from surveys.accounts import tokens
from surveys.lifecycle.exports import execute_export
from surveys.planning.rehearsals import services as rehearsals
from tests.tools import notebooks
from tests.tools.running import running_site

NOTEBOOK = Path(__file__).parents[2] / "docs" / "examples" / "api.ipynb"


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_notebook_prints_committed_output(alice: User, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(rehearsals, "wake", lambda job_id: rehearsals.execute(job_id, seconds=math.inf))
    monkeypatch.setattr(exports, "wake", execute_export)
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.setenv("CANDOR_TOKEN", tokens.make(alice, "the notebook", scope="write")[1])
    with running_site() as url:
        monkeypatch.setenv("CANDOR_URL", url)
        notebooks.run(NOTEBOOK)
