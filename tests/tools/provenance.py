"""When a page of results was made, and of which code."""

import subprocess
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[2]


def of_run() -> str:
    """A sentence with the day and the commit, for the pages that the long proofs write."""
    asked = ["git", "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    return f"Run on {datetime.now(UTC):%-d %B %Y} at commit {commit}."
