"""The notebooks of docs/examples that need no site: what they print is what is committed.

`WRITE_NOTEBOOK=1` in the environment writes what they print now.
"""

import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from tests.tools import notebooks

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


@pytest.mark.long
@pytest.mark.parametrize("name", ["political-scientist", "epidemiologist", "psychologist"])
def test_notebook_prints_committed_output(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(EXAMPLES.parents[1]))
    notebooks.run(EXAMPLES / f"{name}.ipynb")


def test_exported_rows_are_those_of_the_report() -> None:
    """The two files that notebooks begin with are of one run: every symbol is counted as often."""
    tallies = json.loads((EXAMPLES / "redbook-1974.report.json").read_text())["tallies"]
    with (EXAMPLES / "redbook-1974.reports.csv").open() as file:
        rows = list(csv.DictReader(file))
    for item in ("affair", "rating"):
        found = Counter((row["stratum"], int(row[f"randomised_{item}"])) for row in rows)
        expected = {
            (one["stratum"], value): count
            for one in tallies
            if one["item"] == item and one["stratum"]
            for value, count in enumerate(one["counts"])
            if count
        }
        assert expected
        assert dict(found) == expected
