"""The schema of exported reports, as readers of a file have it."""

import json
from pathlib import Path

REPORT_SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "reference" / "report.schema.json").read_text(encoding="utf-8")
)
