"""The catalogs: which texts respondents, and readers of reports, can see, and the files in which these are translated.

Texts are found where they are asked for: in the parsed templates, whatever branch they stand in, and in the syntax tree
of the modules. Nothing but Python is needed, so that every machine extracts and compiles alike.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polib
from django.conf import settings
from django.template.loader import get_template
from django.templatetags.i18n import BlockTranslateNode, TranslateNode

ROOT = Path(settings.ROOT)
TEMPLATES = ROOT / "templates"

PANEL = ("surveys/panel/", "surveys/admin.py", "surveys/panel/forms/survey.py")
"""Not for respondents; the panel speaks English."""

WIDTH = 118

CALLS = {"_": 1, "gettext": 1, "gettext_lazy": 1, "ngettext": 2, "ngettext_lazy": 2}
"""Functions that ask for a text, and how many of their arguments are texts."""


@dataclass(frozen=True)
class Text:
    """A text as it stands in the source, and its plural where it has one."""

    singular: str
    plural: str = ""


@dataclass(frozen=True)
class Shelf:
    """Catalogs of one kind of text: the folder that they are in, their languages besides English, and where the texts
    are asked for.
    """

    folder: Path
    languages: tuple[str, ...]
    places: tuple[str, ...]


ALL = tuple(code for code, _name in settings.LANGUAGES if code != "en")
RESPONDENTS = Shelf(ROOT / "locale", ALL, ("templates/surveys/**/*.html", "surveys/**/*.py"))
REPORTS = Shelf(ROOT / "estimator" / "locale", ALL, ("estimator/**/*.py",))
SHELVES = (RESPONDENTS, REPORTS)


def texts(shelf: Shelf = RESPONDENTS) -> dict[Text, list[str]]:
    """Everything that can be shown, with the files that ask for it, in a fixed order."""
    found: dict[Text, list[str]] = {}
    for path in sources(shelf):
        of_file = of_template(path) if path.suffix == ".html" else of_module(path)
        for text in of_file:
            places = found.setdefault(text, [])
            if str(path.relative_to(ROOT)) not in places:
                places.append(str(path.relative_to(ROOT)))
    return found


def sources(shelf: Shelf = RESPONDENTS) -> list[Path]:
    found = [path for place in shelf.places for path in sorted(ROOT.glob(place))]
    return [path for path in found if not str(path.relative_to(ROOT)).startswith(PANEL)]


def of_template(path: Path) -> Iterator[Text]:
    if '_("' in path.read_text(encoding="utf-8"):
        raise ValueError(f"{path}: say translate or blocktranslate; _() is not looked for in templates")
    template = get_template(str(path.relative_to(TEMPLATES))).template
    for node in template.nodelist.get_nodes_by_type((TranslateNode, BlockTranslateNode)):
        if isinstance(node, TranslateNode):
            yield Text(_constant(node.filter_expression.var.literal, path))
        else:
            singular, plural = (node.render_token_list(part)[0] for part in (node.singular, node.plural or []))
            yield Text(singular, plural)


def of_module(path: Path) -> Iterator[Text]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS:
            said = node.args[: CALLS[node.func.id]]
            yield Text(*(_constant(getattr(argument, "value", None), path) for argument in said))


def catalog(language: str, shelf: Shelf = RESPONDENTS) -> polib.POFile:
    return polib.pofile(str(path_of(language, shelf=shelf)), wrapwidth=WIDTH)


def path_of(language: str, ending: str = "po", *, shelf: Shelf = RESPONDENTS) -> Path:
    return shelf.folder / language / "LC_MESSAGES" / f"django.{ending}"


def renewed(old: polib.POFile, shelf: Shelf = RESPONDENTS) -> polib.POFile:
    """The catalog with exactly the texts that there are now; what was translated stays."""
    new = polib.POFile(wrapwidth=WIDTH)
    new.header, new.metadata = old.header, old.metadata
    known = {Text(entry.msgid, entry.msgid_plural): entry for entry in old}
    forms = len(plural_forms(old))
    for text, places in texts(shelf).items():
        entry = known.get(text) or polib.POEntry(msgid=text.singular, msgid_plural=text.plural)
        if text.plural and not entry.msgstr_plural:
            entry.msgstr_plural = dict.fromkeys(range(forms), "")
        entry.occurrences = [(place, "") for place in places]
        new.append(entry)
    return new


def plural_forms(of: polib.POFile) -> range:
    """The numbers of a catalog's plural forms."""
    count = of.metadata["Plural-Forms"].removeprefix("nplurals=").partition(";")[0]
    return range(int(count))


def untranslated(of: polib.POFile, shelf: Shelf = RESPONDENTS) -> list[str]:
    """Texts of today that the catalog does not have or leaves empty."""
    translated = {Text(entry.msgid, entry.msgid_plural) for entry in of if entry.translated()}
    return [text.singular for text in texts(shelf) if text not in translated]


def write(language: str, shelf: Shelf = RESPONDENTS) -> list[str]:
    """Bring both files of a language up to date; returns what is not translated."""
    new = renewed(catalog(language, shelf), shelf)
    new.save(str(path_of(language, shelf=shelf)))
    path_of(language, "mo", shelf=shelf).write_bytes(new.to_binary())
    return untranslated(new, shelf)


def _constant(value: object, path: Path) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{path}: a text to translate must stand there as it is; got {value!r}")
    return value
