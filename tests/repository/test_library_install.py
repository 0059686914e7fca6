"""`pip install .` gives the library alone: it imports and works where neither Django nor Celery is."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import sys
from randomized_response import estimate_proportions, forced_response
print(round(estimate_proportions([600, 400], forced_response(truth="1/2")).unbiased[1], 12))
print(sorted({name.partition(".")[0] for name in sys.modules} & {"django", "celery", "surveys", "collector"}))
"""


def test_library_installs_and_works_alone(tmp_path: Path) -> None:
    # From a copy: building leaves files beside the source.
    source = shutil.copytree(
        ROOT / "randomized_response",
        tmp_path / "source" / "randomized_response",
        ignore=shutil.ignore_patterns("__pycache__"),
    ).parent
    for name in ("pyproject.toml", "LICENSE"):
        shutil.copy(ROOT / name, source)
    uv = Path(sys.executable).parent / "uv"
    install = [uv, "pip", "install", "-q", "--no-deps", "--target", tmp_path / "alone", source]
    subprocess.run(install, check=True, cwd=tmp_path)
    installed = {path.name for path in (tmp_path / "alone").iterdir() if "dist-info" not in path.name}
    assert installed - {".lock"} == {"randomized_response"}
    run = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(
        run, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path / "alone")}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["0.3", "[]"]
