"""Every public name is documented like scipy's, every example runs, and the library knows nothing of the web."""

import ast
import doctest
import importlib
import inspect
import pkgutil
from pathlib import Path

import pytest

import randomized_response

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
def test_module_keeps_the_house_rules(path):
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
