"""One idiom for errors and for answers: errors are values, answers are what a serializer makes."""

import ast
import builtins
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PRODUCT = ("collector", "config", "estimator", "randomized_response", "surveys")
READING = {"findall", "fullmatch", "match", "removeprefix", "search", "startswith", "sub"}
"""Methods by which a part of a text is looked for."""


def modules(*folders: str) -> Iterator[tuple[str, ast.Module]]:
    for folder in folders or PRODUCT:
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


BUILT_IN = {name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, Exception)}
ERRORS = {
    "AnalysisError", "ArchiveFault", "BackupError", "Busy", "Conflict", "DeliveryError", "ExportError", "InputError",
    "LeaseLost", "ParameterError", "Problem", "RequestRefused", "StoreError", "ValidationError",
}  # fmt: skip
"""All exceptions of the product. A new one needs somebody who catches it and does something else than with these."""


def test_product_has_few_exceptions() -> None:
    classes = [node for _name, module in modules() for node in ast.walk(module) if isinstance(node, ast.ClassDef)]
    found: set[str] = set()
    for _generation in ERRORS:
        known = BUILT_IN | found | {"APIException", "CommandError"}
        found |= {one.name for one in classes if any(ast.unparse(base).split(".")[-1] in known for base in one.bases)}
    assert found == ERRORS


def test_modules_do_not_parse_error_sentences() -> None:
    found = []
    for name, module in modules():
        sentences = [f"str({error})" for error in errors_of(module)]
        for call in ast.walk(module) if sentences else ():
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in READING):
                continue
            for part in (call.func.value, *call.args):
                said = ast.unparse(part)
                if any(sentence in said for sentence in sentences):
                    found.append(f"{name}:{call.lineno}")
    assert found == []


DOCUMENTS = ("selectors.definition_of", "get_design")
"""What is answered as it is stored: definitions and designs have their own language (docs/reference/formats.md)."""


def test_api_responses_come_from_serializers() -> None:
    written = []
    for name, module in modules("surveys/api"):
        views = not name.endswith(("/base.py", "/paging.py", "/problems.py"))
        for call in ast.walk(module) if views else ():
            if not (isinstance(call, ast.Call) and ast.unparse(call.func) == "Response" and call.args):
                continue
            if not ast.unparse(call.args[0]).startswith(DOCUMENTS):
                written.append(f"{name}:{call.lineno}")
    assert written == []
