"""Errors are values: what they are about is read from their path, never from their sentence."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PRODUCT = ("collector", "config", "estimator", "randomized_response", "surveys")
READING = {"findall", "fullmatch", "match", "removeprefix", "search", "startswith", "sub"}
"""Methods by which a part of a text is looked for."""


def modules() -> Iterator[tuple[str, ast.Module]]:
    for folder in PRODUCT:
        for file in sorted((ROOT / folder).rglob("*.py")):
            if "migrations" not in file.parts:
                yield str(file.relative_to(ROOT)), ast.parse(file.read_text())


def errors_of(module: ast.Module) -> set[str]:
    """Names by which exceptions are known in a module."""
    caught = {node.name for node in ast.walk(module) if isinstance(node, ast.ExceptHandler) and node.name}
    annotated = {
        node.arg
        for node in ast.walk(module)
        if isinstance(node, ast.arg) and node.annotation and "Error" in ast.unparse(node.annotation)
    }
    return caught | annotated


def test_no_module_looks_for_a_field_in_an_errors_sentence() -> None:
    found = []
    for name, module in modules():
        errors = errors_of(module)
        for call in ast.walk(module):
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in READING):
                continue
            for part in (call.func.value, *call.args):
                sentences = (f"str({error})" for error in errors)
                if any(sentence in ast.unparse(part) for sentence in sentences):
                    found.append(f"{name}:{call.lineno}")
    assert found == []
