"""A bundle on a reader's disk, and the scripts in it run by Python alone."""

import io
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

from estimator.exports import bundle
from estimator.exports.formats import FORMATS
from estimator.models import Run
from estimator.runs.results import NOTHING_KNOWN


def unpack_bundle(run: Run, folder: Path) -> Path:
    """The bundle with no other formats than the scripts read."""
    out = io.BytesIO()
    bundle.write(run, NOTHING_KNOWN, out, lambda part: None, [FORMATS["csv"], FORMATS["json"]])
    with ZipFile(out) as archive:
        archive.extractall(folder)
    return folder


def run_rebuild(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What a reader runs: Python alone, apart from this repository and from every setting of this process."""
    command = [sys.executable, "-I", "rebuild.py", *arguments]
    return subprocess.run(command, cwd=folder, env={}, capture_output=True, text=True, encoding="utf-8")
