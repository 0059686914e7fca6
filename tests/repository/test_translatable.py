"""Every text that a researcher reads in the panel is given to the translators."""

import ast
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

from bin import catalog

ROOT = catalog.ROOT

ENGLISH_ONLY = (
    "templates/panel/preview/_banner.html",  # on respondents' pages, whatever their language; it names that one
    "collector/invitations/**/*.py",  # tells developers
    "collector/models.py",
    "surveys/accounts/owners.py",  # of a command
    "estimator/exports/bundle.py",
    "estimator/exports/bundle_files/*.py",
    "estimator/exports/columns.py",
    "estimator/exports/ddi.py",
    "estimator/exports/json_document.py",
    "estimator/exports/tables.py",
    "estimator/exports/variables.py",
    "estimator/exports/workbook.py",
    "estimator/analyses/exports.py",
)
"""Files for other programs, and models that no page shows; reports have catalogs of their own."""

WORD = re.compile(r"[A-Za-z]{2,}")
SPOKEN = "alt", "aria-label", "content", "label", "placeholder", "title"
"""Attributes that are read."""
SILENT = "code", "kbd", "pre", "script", "style", "svg"
"""Elements whose text is no language; nor is that of icons, the names of which a font draws."""
NAMES = re.compile(
    r"\b(Candor|ORCID|DOI|DataCite|YAML|JSON|CSV|XLSX|PDF|API|HTTP|PO|XLSForm|SurveyJS|Webhooks?|SHA-256|SVG|PNG)\b"
    r"|[\w-]*\.(csv|json|pdf|yaml|xlsx|zip)\b|https?://\S+"
)
"""Names that are the same in every language, files, addresses."""

TRANSLATED = re.compile(r"{% *(blocktranslate|blocktrans)\b.*?{% *end\1 *%}", re.DOTALL)
COMMENT = re.compile(r"{% *comment *%}.*?{% *endcomment *%}|{#.*?#}", re.DOTALL)
TAG = re.compile(r"{%.*?%}|{{.*?}}", re.DOTALL)


def paths(shelf: catalog.Shelf, ending: str) -> list[Path]:
    left_out = {path for place in ENGLISH_ONLY for path in ROOT.glob(place)}
    return [path for path in catalog.sources(shelf) if path.suffix == ending and path not in left_out]


class Reader(HTMLParser):
    """Collects what is read of a document: text, and the attributes that are spoken."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.silent: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in SILENT or "material-symbols" in (dict(attrs).get("class") or ""):
            self.silent.append(tag)
        self.found += [value for name, value in attrs if name in SPOKEN and value and tag not in ("meta", *SILENT)]

    def handle_endtag(self, tag: str) -> None:
        if self.silent and tag == self.silent[-1]:
            self.silent.pop()

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.found.append(data)


def read(document: str) -> list[str]:
    reader = Reader()
    reader.feed(document)
    reader.close()
    return [" ".join(text.split()) for text in reader.found if WORD.search(NAMES.sub("", text))]


def of_template(source: str) -> list[str]:
    return read(TAG.sub("", TRANSLATED.sub("", COMMENT.sub("", source))))


def of_module(source: str) -> Iterator[str]:
    """Sentences, and the labels of fields and columns, that no function of gettext is given."""
    tree = ast.parse(source)
    skipped = {id(part) for node in ast.walk(tree) if _is_silent(node) for part in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg in LABELS and isinstance(node.value, ast.Constant):
            text = node.value.value
            if isinstance(text, str) and WORD.search(text) and id(node.value) not in skipped:
                yield text
        elif isinstance(node, ast.Constant) and id(node) not in skipped and _is_sentence(node.value):
            yield str(node.value)


LABELS = "label", "help_text", "verbose_name", "verbose_name_plural", "empty_label", "legend", "heading", "title"
SENTENCE = re.compile(r"[A-Za-z]{2,},? [a-z]{2,}|^[A-Z][a-z]+ [A-Z]?[a-z]+")
MARKUP = re.compile(r"\s*[<.#\[]|[a-z-]+ [a-z-]+=|[a-z]+/[a-z]+|(candor|editor)-[a-z -]+$|[a-z]+(, [a-z]+)+$")
UNREAD = (
    *(
        "use strict",
        "not all",
        "not print",
        "screen and (prefers-color-scheme:dark)",
        "private, no-cache",
        "private, no-store",
    ),
    *("left out", "taken over", "Page Break", "opened again", '", width: 8pt, height: 8pt)'),
    "Here stands the reason that you give when you open it.",
)
"""Words of JavaScript, CSS, HTTP and Typst, codes; the last stands in a design, which has one language."""
UNREAD_CALLS = (
    *("debug", "info", "warning", "exception", "critical", "log", "getLogger", "RuntimeError", "TypeError"),
    *("record", "record_event", "end_all", "connect", "cast", "salted_hmac", "compile", "Http404", "Event"),
)
"""Functions whose texts stand in the log or the audit log, or tell a developer."""
UNREAD_NAMES = (
    *("detail", "whose", "_detail", "act", "BY_A_RESTORE", "__str__", "Meta"),
    *(
        "ALIASES",
        "ARM_CONSENT",
        "ARM_NAMES",
        "COLUMNS",
        "CONTROL_QUESTIONS",
        "NEVER",
        "NOT_OFFERED",
        "PREFER_NOT",
        "SPECIAL",
        "TYPES",
        "VERSION",
        "USUAL_BLOCK",
        "REDCAP_HEAD",
    ),
)
"""Assignments and functions that make the audit log's details, or hold words of all languages or of others' files."""


def _is_sentence(text: object) -> bool:
    return isinstance(text, str) and bool(SENTENCE.search(text)) and text not in UNREAD and not MARKUP.match(text)


def _is_silent(node: ast.AST) -> bool:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True  # a docstring
    if isinstance(node, ast.Call):
        name = getattr(node.func, "id", None) or getattr(node.func, "attr", "")
        of_model = getattr(getattr(node.func, "value", None), "id", "") == "models"
        return of_model or name in catalog.CALLS or name in catalog.PANEL_CALLS or name in UNREAD_CALLS
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return any(getattr(target, "id", "") in UNREAD_NAMES for target in targets)
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return node.name in UNREAD_NAMES
    return isinstance(node, ast.Assert)


def of_script(source: str) -> Iterator[str]:
    """Sentences in quotes, and the text of elements, that are given to no function of gettext."""
    source = re.sub(r"/\*.*?\*/|(?<!:)//[^\n]*", "", source, flags=re.DOTALL)
    rest = catalog.SCRIPT_CALL.sub("", re.sub(r"new Error\(.*?\)", "", source))
    for literal in re.findall(catalog.LITERAL, rest):
        if _is_sentence(literal[1:-1]):
            yield literal[1:-1]
    for text in re.findall(r"(?<!=)>([^<>`${}]*[A-Za-z]{2,}[^<>`${}]*)<", rest):
        if not re.search(r"[=;&|()]", text) and WORD.search(NAMES.sub("", text)):
            yield " ".join(text.split())
    yield from re.findall(r'\b(?:aria-label|title|placeholder|alt)="([^"$=:]*[A-Za-z]{2,}[^"$=:]*)"', rest)


def test_templates_have_no_text_outside_of_translate() -> None:
    found = {path: of_template(path.read_text(encoding="utf-8")) for path in paths(catalog.PANEL, ".html")}
    assert listed(found) == []


def test_modules_have_no_text_outside_of_gettext() -> None:
    found = {path: list(of_module(path.read_text(encoding="utf-8"))) for path in paths(catalog.PANEL, ".py")}
    assert listed(found) == []


def test_scripts_have_no_text_outside_of_gettext() -> None:
    found = {path: list(of_script(path.read_text(encoding="utf-8"))) for path in paths(catalog.SCRIPTS, ".js")}
    assert listed(found) == []


def test_reader_finds_what_is_not_marked() -> None:
    assert of_template('{% load i18n %}<p title="Two words">{% translate "Kept" %} left {{ out }}</p>') == [
        "Two words",
        "left",
    ]
    assert list(of_module('"""Docs of it."""\na = "a whole sentence"\nb = gettext("another whole one")')) == [
        "a whole sentence"
    ]
    assert list(of_script('const a = "a whole sentence"; b = gettext("another whole one"); html`<b>Bold</b>`')) == [
        "a whole sentence",
        "Bold",
    ]


def listed(found: dict[Path, list[str]]) -> list[str]:
    return [f"{path.relative_to(ROOT)}: {text}" for path, texts in found.items() for text in texts]
