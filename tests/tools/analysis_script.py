"""The script that computes an analysis again, run in this process on the analysis's JSON file."""

import importlib.util
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

from estimator.analyses.exports import json_file
from estimator.exports.bundle import ANALYSES
from estimator.models import Analysis


@cache
def check() -> Callable[[Path], int]:
    """Its function that compares a file: it returns how many numbers differ."""
    sys.path.insert(0, str(ANALYSES))  # as if it had been started there
    try:
        spec = importlib.util.spec_from_file_location("analysis_script", ANALYSES / "analysis.py")
        assert spec is not None
        assert spec.loader is not None
        script = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(script)
    finally:
        sys.path.remove(str(ANALYSES))
    found: Callable[[Path], int] = script.check
    return found


def differing(analysis: Analysis, folder: Path) -> int:
    """How many numbers of a finished analysis the script computes otherwise."""
    file = folder / f"{analysis.key[:12]}.json"
    file.write_bytes(json_file(analysis))
    return check()(file)
