"""Docstrings, comments and documents name what there is: a renamed thing keeps no old name in a sentence."""

import ast
import builtins
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from django.apps import apps

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = [ROOT / name for name in ("randomized_response", "collector", "estimator", "surveys", "config")]
TESTS = [ROOT / name for name in ("tests", "benchmarks", "bin")]
CODE = (".py", ".js", ".mjs", ".html", ".sql", ".typ", ".css", ".yaml", ".toml", ".json")
FROM_OUTSIDE = """
    binary_remote_addr client_body_timeout client_header_timeout client_max_body_size keepalive_timeout limit_conn
    limit_conn_zone max_size proxy_request_buffering read_body read_header request_body request_buffers send_timeout
    shared_buffers wal_compression
"""
"""Settings of other programs that documents quote."""
WORD = r"[A-Za-z_]\w+"

Signature = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def files(*folders: Path, suffixes: tuple[str, ...] = (".py",)) -> Iterator[Path]:
    for folder in folders:
        yield from (
            path for path in sorted(folder.rglob("*")) if path.suffix in suffixes and "vendor" not in path.parts
        )


def documented(docstring: str) -> list[str]:
    """The names that stand in the section on parameters, one or several before each colon."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\S[^\n:]*\n---|\Z)", docstring, re.MULTILINE | re.DOTALL)
    lines = re.findall(rf"^({WORD}|\w)((?:, (?:{WORD}|\w))*)(?: :.*)?$", section[1] if section else "", re.MULTILINE)
    return [name for first, others in lines for name in [first, *re.findall(r"\w+", others)]]


def accepted(node: Signature, tree: ast.Module) -> list[str]:
    """The names of a function's parameters, or of a dataclass's fields with those of its bases in the module."""
    if not isinstance(node, ast.ClassDef):
        every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        return [one.arg for one in every if one.arg not in {"self", "cls"}]
    bases = {base.id for base in node.bases if isinstance(base, ast.Name)}
    inherited = [one for one in tree.body if isinstance(one, ast.ClassDef) and one.name in bases]
    return [
        name
        for one in [*inherited, node]
        for part in one.body
        for name in (
            [part.target.id]
            if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
            else accepted(part, tree)
            if isinstance(part, ast.FunctionDef) and part.name == "__init__"
            else []
        )
    ]


@pytest.mark.parametrize("folder", PRODUCT, ids=lambda folder: folder.name)
def test_documented_parameters_are_accepted(folder: Path) -> None:
    """In the library, whose docstrings are its reference, also every accepted one is documented where one is."""
    faults = []
    for path in files(folder):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if not isinstance(node, Signature) or not (names := documented(ast.get_docstring(node) or "")):
                continue
            real = accepted(node, tree)
            missing = [name for name in real if name not in names and not name.startswith("_")]
            if stale := [name for name in names if name not in real]:
                faults.append(f"{path.relative_to(ROOT)}: {node.name} has no {', '.join(stale)}")
            if folder.name == "randomized_response" and missing and not isinstance(node, ast.ClassDef):
                faults.append(f"{path.relative_to(ROOT)}: {node.name} does not document {', '.join(missing)}")
    assert faults == []


@cache
def known_words() -> frozenset[str]:
    """Every word of code: identifiers, and words in strings that are not docstrings; and of the files' names."""
    words = set()
    for path in files(*PRODUCT, *TESTS, ROOT / "templates", ROOT / "docs" / "examples", suffixes=CODE):
        text = path.read_text(encoding="utf-8")
        words.update(re.findall(r"\w+", str(path.relative_to(ROOT))))
        if path.suffix != ".py":
            words.update(re.findall(r"\w+", text))
            continue
        lines = text.split("\n")
        for node, _ in docstrings_of(text):
            lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
        words.update(re.findall(r"\w+", re.sub(r"(^|\s)#.*", "", "\n".join(lines), flags=re.MULTILINE)))
    return frozenset(words | tables() | set(FROM_OUTSIDE.split()))


def tables() -> set[str]:
    models = apps.get_models(include_auto_created=True)
    return {model._meta.db_table for model in models}


def sentences(path: Path) -> Iterator[str]:
    """What a file says to people: its docstrings and comments, or all of a document."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield text
        return
    yield from (docstring for _, docstring in docstrings_of(text))
    yield from re.findall(r"(?:^|\s)#.*`.*", text, re.MULTILINE)


@pytest.mark.parametrize("folder", [*PRODUCT, ROOT / "docs"], ids=lambda folder: folder.name)
def test_quoted_names_exist(folder: Path) -> None:
    """A word with an underscore, or with a capital inside, between backticks."""
    decisions = ROOT / "docs" / "adr"  # they tell of what was
    faults = [
        f"{path.relative_to(ROOT)}: {word}"
        for path in files(folder, suffixes=(".py", ".md"))
        if decisions not in path.parents
        for text in sentences(path)
        for quoted in re.findall(r"`([^`\n]+)`", text)
        for word in re.findall(r"\w+", quoted)
        if re.search(r"[a-z]_[a-z]|[a-z][A-Z]", word) and word not in known_words() and not hasattr(builtins, word)
    ]
    assert faults == []


def docstrings_of(text: str) -> Iterator[tuple[ast.Constant, str]]:
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text)) as constant):
                yield constant, text
