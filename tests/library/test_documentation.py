"""Every public name is documented like scipy's, every example runs, and the library knows nothing of the web."""

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

import randomized_response
from benchmarks import mechanisms

MODULES = [f"randomized_response.{module.name}" for module in pkgutil.iter_modules(randomized_response.__path__)]
PUBLIC = [getattr(randomized_response, name) for name in randomized_response.__all__]
CALLABLE = [item for item in PUBLIC if callable(item)]
FOLDER = Path(randomized_response.__file__).parent


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_public_names_are_sorted_and_exist():
    assert randomized_response.__all__ == sorted(randomized_response.__all__)
    assert len(PUBLIC) == len(set(randomized_response.__all__))


@pytest.mark.parametrize("item", CALLABLE, ids=lambda item: item.__name__)
def test_public_name_has_docstring_with_example(item):
    text = inspect.getdoc(item) or ""
    is_result = inspect.isclass(item) and item.__name__.endswith(
        ("Estimate", "Fit", "Result", "Comparison", "Sequence", "Amplification")
    )
    assert len(text) > 100
    assert ">>>" in text or is_result


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.name)
def test_modules_are_short_and_import_nothing_forbidden(path):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 400
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            assert not body or node.end_lineno - body[0].lineno < 40, f"{node.name} is longer than 40 lines"
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        for name in names:
            assert name.split(".")[0] not in {"django", "celery", "collector", "estimator", "surveys", "config"}, name
            assert name.split(".")[0] not in {"random", "time", "datetime", "secrets", "os", "socket"}, name


@pytest.mark.parametrize(
    ("page", "fewest"),
    [(FOLDER.parent / "docs" / "tutorials" / "analysis-in-python.md", 20), (FOLDER / "README.md", 6)],
)
def test_pages_run(page, fewest):
    """Each `pycon` block of a page, in one session, prints what the page says."""
    blocks = re.findall(r"```pycon\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    session = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page.name, str(page), 0)
    results = doctest.DocTestRunner().run(session)
    assert results.attempted > fewest
    assert results.failed == 0


def test_readme_names_what_exists():
    words = re.findall(r"`([a-z_]{6,}|[A-Z]\w+)`", (FOLDER / "README.md").read_text(encoding="utf-8"))
    assert len(words) > 30
    assert [word for word in words if not hasattr(randomized_response, word)] == []


@pytest.mark.parametrize("name", ["coverage.md", "coverage.svg", "mechanisms.md", "mechanisms.svg"])
def test_written_pages_exist_and_are_linked(name):
    folder = FOLDER.parent / "docs" / "evidence"
    assert (folder / name).stat().st_size > 1000
    linked = folder / ("index.md" if name.endswith(".md") else name.replace(".svg", ".md"))
    assert f"({name})" in linked.read_text(encoding="utf-8")


def test_written_mechanisms_page_is_up_to_date():
    page = FOLDER.parent / "docs" / "evidence" / "mechanisms.md"
    assert page.read_text(encoding="utf-8") == mechanisms.page()
