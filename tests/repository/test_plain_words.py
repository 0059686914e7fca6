"""Texts that researchers read are plain English in the field's terms: these phrases stand in none of them."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PLACES = (
    "templates/panel/**/*.html", "templates/admin/*.html", "templates/api/*.html", "templates/[45]*.html",
    "surveys/static/surveys/editor/*.js", "surveys/static/surveys/panel/*.js", "surveys/admin.py",
    *(f"surveys/{room}/**/*.py" for room in (
        "accounts", "api", "definition", "exchange", "lifecycle", "maintenance", "management", "models", "opening",
        "outreach", "panel", "planning",
    )),
    "collector/designs/*.py", "collector/endpoint/*.py", "collector/invitations/*.py", "collector/reports/*.py",
    "collector/errors.py",
)  # fmt: skip
PHRASES = {
    r"\bwhoever\b|\bsomebody\b|\banybody\b|\beverybody\b": "respondents, researchers, anyone, everyone",
    r"\bwhat is kept\b|\bfor good\b|\bas it stands\b|\bwhere it stands\b": "stored, permanently, as written",
    r"\bits own\b|\bof (?:its|her|their|your|a) own\b|\bof yours\b": "separate, own",
    r"\btells\b|\bsaid what\b|\bis told\b|\bare told\b|\bnobody can tell\b": "shows, reveals",
    r"\bthe way of\b|\bcom(?:es|ing) again\b|\bdraws? anew\b|\bby itself\b": "repeated, automatically",
    r"\bleads? nowhere\b|\bnot yours\b|\bput(?:s)? right\b|\bput it right\b": "is not valid, correct",
    r"\bon its way\b|\bon their way\b|\bwas made yet\b": "in progress, sending, none yet",
    r"\b(?:she|her|hers)\b": "the respondent",
    r"\bblind invitation\b|\bCodes alone\b|\bspent\b|\bledger\b": "anonymous single-use link, privacy loss",
    r"\bper cent\b|\bdoor\b|\bstands? (?:more than once|twice|once)\b": "percent, endpoint, occurs",
    r"\breports? (?:came|come|comes|arrive|are kept|are taken|are stored)\b": "response: a report has estimates",
}
"""Phrases to avoid, and what to write instead."""

EXCEPTIONS = {
    "surveys/outreach/invitation_files.py": "for respondents, and translated",
    "templates/panel/watch.html": "results and watching have their own review",
    "templates/panel/watch_now.html": "results and watching have their own review",
}
"""Files whose texts are somebody else's to review, with the reason."""

MARKUP = re.compile(r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}|<[^>]*>", re.DOTALL)
SPOKEN = re.compile(r"""\b(?:aria-label|placeholder|title|alt)="([^"]*)\"""")
IN_SCRIPT = re.compile(r'"([^"\n]*[a-z] [^"\n]*)"|`([^`\n]*[a-z] [^`\n]*)`|>([^<>$\n]*[a-z] [^<>$\n]*)<')


def files() -> list[Path]:
    return sorted({path for place in PLACES for path in ROOT.glob(place)})


@cache
def texts_of(path: Path) -> list[tuple[int, str]]:
    return list(texts(path))


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Each text with its line: what stands between tags, in labels, and every string with a space but docstrings."""
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        for number, line in enumerate(MARKUP.sub(lambda tag: "\n" * tag[0].count("\n") + "|", source).split("\n"), 1):
            yield number, line
        yield from ((source[: found.start()].count("\n") + 1, found[1]) for found in SPOKEN.finditer(source))
    elif path.suffix == ".js":
        for number, line in enumerate(source.split("\n"), 1):
            if not line.strip().startswith(("//", "*", "/*")):
                yield from ((number, next(filter(None, found.groups()))) for found in IN_SCRIPT.finditer(line))
    else:
        tree = ast.parse(source)
        docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
                yield from ((node.lineno, node.value) for _ in range(" " in node.value.strip()))


@pytest.mark.parametrize(("phrase", "instead"), PHRASES.items())
def test_texts_of_researchers_avoid_phrase(phrase: str, instead: str) -> None:
    pattern = re.compile(phrase, re.IGNORECASE)
    found = [
        f"{path.relative_to(ROOT)}:{number}: {' '.join(text.split())[:120]}"
        for path in files()
        if str(path.relative_to(ROOT)) not in EXCEPTIONS
        for number, text in texts_of(path)
        if pattern.search(text) and not text.lstrip().startswith(("SELECT", "INSERT", "DELETE", "WITH"))
    ]
    assert found == [], f"write instead: {instead}"


def test_texts_are_found_in_every_kind_of_file(tmp_path: Path) -> None:
    for name, source in (
        ("a.html", '<p aria-label="put it right">{{ a }}This is\nnot yours</p>'),
        ("a.js", "const words = html`<b>not yours to do</b>`;"),
        ("a.py", '"""not yours."""\nTEXT = "not yours to do"\n'),
    ):
        path = tmp_path / name
        path.write_text(source, encoding="utf-8")
        assert any("not yours" in text for _, text in texts(path))
    assert not any("docstring" in text for _, text in texts(tmp_path / "a.py"))


def test_exceptions_are_still_needed() -> None:
    every = re.compile("|".join(PHRASES), re.IGNORECASE)
    unneeded = [name for name in EXCEPTIONS if not any(every.search(text) for _, text in texts(ROOT / name))]
    assert unneeded == []
