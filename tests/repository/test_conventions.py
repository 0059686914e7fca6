"""The repository reads itself: a promise in a document is a failing test when it is not kept."""

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import get_commands

from surveys.lifecycle import transitions

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
FORBIDDEN = re.compile(r"\banonymous\b|100\s?% private|noise is added", re.IGNORECASE)


def tracked(*suffixes: str) -> list[Path]:
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    return [ROOT / name for name in names if name.endswith(suffixes) and (ROOT / name).is_file()]


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).parent / "lint-imports"
    return subprocess.run([program, "--no-cache"], cwd=folder, capture_output=True, text=True)


def test_import_contracts_hold() -> None:
    done = lint_imports(ROOT)
    assert done.returncode == 0, done.stdout


UPWARD = [
    ("collector.models", "randomized_response", "from randomized_response import Channel"),
    ("collector.models", "surveys.models", "from surveys.models import Survey"),
    ("estimator.runs.services", "surveys.models", "from surveys.models import Survey"),
    ("randomized_response.channel", "django", "import django"),
    ("surveys.lifecycle.services", "config.celery", "from config.celery import app"),
]
"""Each forbidden direction once: the module, what it must not import, and how it would."""


def test_import_contracts_find_every_violation(tmp_path: Path) -> None:
    """The test of the test above: all are put into one copy, and each has to be named."""
    for name in ("randomized_response", "collector", "estimator", "surveys", "config"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "static"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for module, _, line in UPWARD:
        with (tmp_path / f"{module.replace('.', '/')}.py").open("a") as broken:
            broken.write(f"\n{line}\n")
    done = lint_imports(tmp_path)
    assert done.returncode != 0
    for module, imported, _ in UPWARD:
        assert f"{module} -> {imported} (l." in done.stdout, (module, imported)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_document_links_lead_to_files(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", document.read_text()):
        if "://" not in target:
            assert (document.parent / target).exists(), target


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_documented_make_targets_exist(document: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"`?make ([a-z-]+)", "\n".join(code(document)))) <= targets


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_documented_commands_exist(document: Path) -> None:
    assert set(re.findall(r"manage\.py ([a-z_]+)", document.read_text())) <= set(get_commands())


def test_gate_runs_every_readme_command() -> None:
    """`make run` is run by tests/system through make itself; everything else in a code block by the gate."""
    commands = re.findall(
        r"^make [a-z]+", "\n".join(re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(), re.S)), re.M
    )
    gate = (ROOT / ".ci" / "run").read_text()
    assert commands == ["make run", "make test"]
    assert "make test" in gate
    assert '"make", "run"' in (ROOT / "tests/system/installation.py").read_text()


def test_documented_states_match_transitions() -> None:
    rows = re.findall(
        r"^\| (draft|open|closed|archived) \| (\w+): .* \| (\w+) \| (\w+) \|$",
        (ROOT / "docs/explanation/architecture.md").read_text(),
        re.M,
    )
    assert rows == [(move.source, name, move.target, move.role.label) for name, move in transitions.MOVES.items()]


def test_texts_make_no_false_promise() -> None:
    for path in tracked(".html", ".js", ".yaml"):
        if "/tests/" not in str(path) and path.name != "text_warnings.yaml":  # which looks for just these words
            assert not FORBIDDEN.search(path.read_text()), path


def test_files_name_no_local_host_or_folder() -> None:
    paths = [f"{Path.home()}/", f"{ROOT}/"]
    for path in tracked(
        ".txt", ".lock", ".toml", ".py", ".md", ".yaml", "Makefile", "run", "install", "install-programs"
    ):
        text = path.read_text()
        assert not any(folder in text for folder in paths), path
        assert not re.search(r"--(extra-)?index-url|--find-links", text) or path == Path(__file__).resolve(), path


def test_lock_files_pin_by_hash() -> None:
    for name in ("requirements-small.lock", "requirements.lock", "requirements-dev.lock"):
        text = (ROOT / name).read_text()
        pins = re.findall(r"^([a-zA-Z0-9_.\-\[\]]+==\S+)", text, re.M)
        assert len(pins) > 20
        assert len(re.findall(r"==[^\n]*\\\n\s+--hash=sha256:", text)) == len(pins)


def test_lock_files_contain_smaller_ones() -> None:
    """So that a .venv made for the tests serves `make run` too (bin/install)."""
    names = ("requirements-small.lock", "requirements.lock", "requirements-dev.lock")
    pinned = [set(re.findall(r"^\S+==\S+", (ROOT / name).read_text(), re.M)) for name in names]
    assert pinned[0] < pinned[1] < pinned[2]


def test_product_files_have_at_most_400_lines() -> None:
    for path in tracked(".py", ".js", ".css", ".html"):
        if "migrations" not in path.parts and "tests" not in path.parts and "vendor" not in path.parts:
            assert len(path.read_text().splitlines()) <= 400, path


def test_product_functions_have_at_most_40_lines() -> None:
    """Their docstrings are not counted."""
    long = [
        f"{path.relative_to(ROOT)}: {node.name}"
        for path in tracked(".py")
        if path.relative_to(ROOT).parts[0] not in {"tests", "benchmarks", "docs"} and "migrations" not in path.parts
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and lines_of(node) > 40
    ]
    assert long == []


def lines_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    first = function.body[0]
    docstring = ast.get_docstring(function, clean=False) is not None
    spared = (first.end_lineno or 0) - first.lineno + 1 if docstring else 0
    return (function.end_lineno or 0) - function.lineno + 1 - spared


def code(document: Path) -> list[str]:
    return re.findall(r"```sh\n.*?```|`[^`\n]+`", document.read_text(), re.S)
