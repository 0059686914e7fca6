"""The same reports into a cluster, one PostgreSQL and SQLite: digests and estimates are the same, to the bit."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from collector.database import distribution
from tests.citus import twin
from tests.citus.cluster import ROOT, environment, other_database
from tests.citus.plugin import PORTS

pytestmark = pytest.mark.django_db(transaction=True)


def elsewhere(url: str, data: Path) -> object:
    """What comes of the reports in an installation on that database; in a file where it is empty."""
    there = environment(url, data) | {"SECRET_KEY": settings.SECRET_KEY}
    command = [sys.executable, "-m", "tests.citus.twin"]
    done = subprocess.run(command, cwd=ROOT, env=there, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_numbers_of_a_cluster_are_those_of_one_server(tmp_path: Path) -> None:
    """Four surveys, of which one is in four parts on the cluster alone."""
    assert distribution.is_distributed()
    found = json.loads(json.dumps(twin.told(twin.build(parts=4))))
    assert all(len(one["analyses"]) == len(twin.ANALYSES) for digest, one in [*found.items()][1:])
    assert {state for one in found.values() for state, *_ in one["analyses"]} == {"done"}
    with other_database(PORTS[0], "twin") as url:
        assert elsewhere(url, tmp_path / "postgresql") == found
    assert elsewhere("", tmp_path / "sqlite") == found
