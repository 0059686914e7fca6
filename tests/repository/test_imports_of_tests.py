"""What tests share stands in modules of its own; the product knows nothing of them."""

import ast
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"


@cache
def imported(path: Path) -> list[str]:
    """Every module that a file imports, and every name that it imports from one, dotted."""
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += (f"{node.module}.{name.name}" for name in node.names)
    return found


def test_test_modules_are_not_imported() -> None:
    found = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in TESTS.rglob("*.py")
        for name in imported(path)
        if name.startswith("tests.") and any(part.startswith("test_") for part in name.split("."))
    ]
    assert found == [], "factories are in tests/factories, helpers beside the tests or in tests/tools"


def test_imports_from_tests_exist() -> None:
    """No linter follows them: the folders of the tests are no packages."""
    found = [
        f"{path.relative_to(ROOT)} imports {name}"
        for folder in ("tests", "benchmarks", "bin")
        for path in (ROOT / folder).rglob("*.py")
        for name in imported(path)
        if name.startswith("tests.") and not exists(name)
    ]
    assert found == []


@cache
def exists(name: str) -> bool:
    """Whether there is such a module, or such a name at the top of one."""
    module = ROOT.joinpath(*name.split("."))
    if module.is_dir() or module.with_suffix(".py").is_file():
        return True
    holder = module.parent / "__init__.py" if module.parent.is_dir() else module.parent.with_suffix(".py")
    if not holder.is_file():
        return False
    tree = ast.parse(holder.read_text(encoding="utf-8"))
    stored = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    named = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    brought = {
        alias.asname or alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    return module.name in stored | named | brought


def test_product_does_not_import_tests() -> None:
    listed = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True)
    product = [
        ROOT / name for name in listed.stdout.split() if not name.startswith(("tests/", "benchmarks/", "bin/", "docs/"))
    ]
    found = [
        path for path in product if path.exists() and any(name.split(".")[0] == "tests" for name in imported(path))
    ]
    assert found == []
