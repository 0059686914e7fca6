"""The catalogs: which texts respondents, readers of reports and researchers can see, and the files that translate them.

Texts are found where they are asked for: in the parsed templates, whatever branch they stand in, in the syntax tree of
the modules, and in the calls of gettext and its kin in the panel's scripts. Nothing but Python is needed, so that
every machine extracts and compiles alike.
"""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import polib
from django.conf import settings
from django.template.loader import get_template
from django.templatetags.i18n import BlockTranslateNode, TranslateNode

ROOT = Path(settings.ROOT)
TEMPLATES = ROOT / "templates"

WIDTH = 118

FIELDS = {
    "gettext": ("singular",),
    "ngettext": ("singular", "plural"),
    "pgettext": ("context", "singular"),
    "npgettext": ("context", "singular", "plural"),
}
"""Functions that ask for a text, and what their first arguments are."""
PANEL_CALLS = dict.fromkeys(("panel_text", "panel_text_lazy", "panel_noop"), FIELDS["gettext"])
"""What gettext is called where a module has texts of respondents too: those of the panel are asked for by these."""
CALLS = (
    {"_": FIELDS["gettext"], "gettext_noop": FIELDS["gettext"]}
    | FIELDS
    | {f"{name}_lazy": fields for name, fields in FIELDS.items()}
)


@dataclass(frozen=True)
class Text:
    """A text as it stands in the source, its plural where it has one, and the context that tells two uses apart."""

    singular: str
    plural: str = ""
    context: str = ""

    @classmethod
    def of(cls, entry: polib.POEntry) -> "Text":
        return cls(entry.msgid, entry.msgid_plural, entry.msgctxt or "")


@dataclass(frozen=True)
class Shelf:
    """Catalogs of one kind of text: the folder that they are in, their languages besides English, where the texts are
    asked for, and the name of their files.
    """

    folder: Path
    languages: tuple[str, ...]
    places: tuple[str, ...]
    domain: str = "django"


ALL = tuple(code for code, _name in settings.LANGUAGES if code != "en")
RESPONDENTS = Shelf(
    ROOT / "locale",
    ALL,
    (
        "templates/surveys/**/*.html",
        "surveys/rendering/**/*.py",
        "surveys/definition/classes.py",
        "surveys/outreach/invitation_files.py",
        "surveys/outreach/poster.py",
        "surveys/planning/checklist.py",
        "surveys/planning/arms.py",
        "surveys/planning/dossier.py",
        "surveys/planning/group_warnings.py",
        "surveys/planning/privacy_notice.py",
    ),
)
"""What a respondent reads, and the dossier, which is written in the survey's language."""
REPORTS = Shelf(
    ROOT / "estimator" / "locale",
    ALL,
    (
        "estimator/base/**/*.py",
        "estimator/reports/**/*.py",
        "estimator/runs/**/*.py",
        "estimator/models/analyses.py",
        *(
            f"estimator/analyses/{name}.py"
            for name in (
                "areas_page",
                "cautions",
                "figures",
                "method_texts",
                "presentation",
                "quantities",
                "regression_page",
                "scores_page",
                "sentences",
                "weighting_page",
            )
        ),
    ),
)
"""What a report says, also of the analyses that it shows."""
PANEL = Shelf(
    ROOT / "surveys" / "locale",
    ("de",),
    (
        "templates/admin/**/*.html",
        "templates/panel/**/*.html",
        "templates/unfold/**/*.html",
        "collector/designs/**/*.py",
        "collector/invitations/**/*.py",
        "collector/models.py",
        "config/panel.py",
        "estimator/base/mechanisms/*.py",
        *(
            f"estimator/analyses/{name}.py"
            for name in ("margins", "pages", "regression_requests", "requests", "selectors", "services")
        ),
        "estimator/exports/download.py",
        "estimator/exports/formats.py",
        "estimator/exports/microdata.py",
        "estimator/exports/services.py",
        "estimator/models/**/*.py",
        "surveys/*.py",
        "surveys/accounts/**/*.py",
        "surveys/definition/**/*.py",
        "surveys/exchange/**/*.py",
        "surveys/lifecycle/**/*.py",
        "surveys/maintenance/reopening.py",
        "surveys/maintenance/retention.py",
        "surveys/models/**/*.py",
        "surveys/opening/**/*.py",
        "surveys/outreach/**/*.py",
        "surveys/panel/**/*.py",
        "surveys/planning/**/*.py",
    ),
)
"""What a researcher reads in the panel, its errors included. The API, the commands, the log and the audit log speak
English, as do the pages for whoever runs a server.
"""
SCRIPTS = Shelf(
    PANEL.folder,
    PANEL.languages,
    ("surveys/static/surveys/editor/*.js", "surveys/static/surveys/panel/*.js"),
    "djangojs",
)
"""What the panel's scripts write."""
SHELVES = (RESPONDENTS, REPORTS, PANEL, SCRIPTS)


def texts(shelf: Shelf = RESPONDENTS) -> dict[Text, list[str]]:
    """Everything that can be shown, with the files that ask for it, in a fixed order."""
    found: dict[Text, list[str]] = {}
    own = sources(shelf)
    for path in _files(shelf) if shelf is PANEL else own:
        shared = path.suffix == ".py" and path not in own
        for text in of_module(path, PANEL_CALLS) if shared else READERS[path.suffix](path):
            places = found.setdefault(text, [])
            if str(path.relative_to(ROOT)) not in places:
                places.append(str(path.relative_to(ROOT)))
    return found


def sources(shelf: Shelf = RESPONDENTS) -> list[Path]:
    """The files of a shelf that no shelf before it has."""
    before = {path for earlier in SHELVES[: SHELVES.index(shelf)] for path in _files(earlier)}
    return [path for path in _files(shelf) if path not in before]


def _files(shelf: Shelf) -> list[Path]:
    return [path for place in shelf.places for path in sorted(ROOT.glob(place))]


def of_template(path: Path) -> Iterator[Text]:
    if '_("' in path.read_text(encoding="utf-8"):
        raise ValueError(f"{path}: say translate or blocktranslate; _() is not looked for in templates")
    template = get_template(str(path.relative_to(TEMPLATES))).template
    for node in template.nodelist.get_nodes_by_type((TranslateNode, BlockTranslateNode)):
        context = _constant(node.message_context.var.literal, path) if node.message_context else ""
        if isinstance(node, TranslateNode):
            text = _constant(node.filter_expression.var.literal, path)
            yield Text(text.replace("%", "%%"), context=context)  # as Django asks for it
        else:
            singular, plural = (node.render_token_list(part)[0] for part in (node.singular, node.plural or []))
            yield Text(singular, plural, context)


def of_module(path: Path, calls: Mapping[str, tuple[str, ...]] = CALLS) -> Iterator[Text]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in calls:
            fields = calls[node.func.id]
            said = [_constant(getattr(argument, "value", None), path) for argument in node.args[: len(fields)]]
            yield Text(**dict(zip(fields, said, strict=True)))


def of_script(path: Path) -> Iterator[Text]:
    for call in SCRIPT_CALL.finditer(path.read_text(encoding="utf-8")):
        fields = FIELDS[call["function"]]
        said = re.findall(rf"(?:^|,)\s*({LITERALS})", call["texts"])[: len(fields)]
        if len(said) != len(fields):
            raise ValueError(f"{path}: {call['function']} takes {' and '.join(fields)} in double quotes")
        yield Text(**dict(zip(fields, map(_joined, said), strict=True)))


LITERAL = r'"(?:[^"\\\n]|\\.)*"'
LITERALS = rf"{LITERAL}(?:\s*\+\s*{LITERAL})*"
SCRIPT_CALL = re.compile(rf"(?<!function )\b(?P<function>n?p?gettext)\((?P<texts>\s*(?:{LITERALS}\s*,?\s*)*)")
"""A call by its name and the texts that stand first in it."""


def _joined(literals: str) -> str:
    return "".join(json.loads(literal) for literal in re.findall(LITERAL, literals))


READERS = {".html": of_template, ".py": of_module, ".js": of_script}


def catalog(language: str, shelf: Shelf = RESPONDENTS) -> polib.POFile:
    return polib.pofile(str(path_of(language, shelf=shelf)), wrapwidth=WIDTH)


def path_of(language: str, ending: str = "po", *, shelf: Shelf = RESPONDENTS) -> Path:
    return shelf.folder / language / "LC_MESSAGES" / f"{shelf.domain}.{ending}"


def renewed(old: polib.POFile, shelf: Shelf = RESPONDENTS) -> polib.POFile:
    """The catalog with exactly the texts that there are now; what was translated stays."""
    new = polib.POFile(wrapwidth=WIDTH)
    new.header, new.metadata = old.header, old.metadata
    known = {Text.of(entry): entry for entry in old} | _translated_before(old.metadata["Language"], shelf)
    forms = len(plural_forms(old))
    for text, places in texts(shelf).items():
        entry = known.get(text) or polib.POEntry(
            msgid=text.singular, msgid_plural=text.plural, msgctxt=text.context or None
        )
        if text.plural and not entry.msgstr_plural:
            entry.msgstr_plural = dict.fromkeys(range(forms), "")
        entry.occurrences = [(place, "") for place in places]
        new.append(entry)
    return new


def _translated_before(language: str, shelf: Shelf) -> dict[Text, polib.POEntry]:
    """What a shelf before this one translates: one text has one translation, whoever asks for it."""
    before = [earlier for earlier in SHELVES[: SHELVES.index(shelf)] if earlier.domain == shelf.domain]
    return {Text.of(entry): entry for earlier in before for entry in catalog(language, earlier)}


def plural_forms(of: polib.POFile) -> range:
    """The numbers of a catalog's plural forms."""
    count = of.metadata["Plural-Forms"].removeprefix("nplurals=").partition(";")[0]
    return range(int(count))


def untranslated(of: polib.POFile, shelf: Shelf = RESPONDENTS) -> list[str]:
    """Texts of today that the catalog does not have or leaves empty."""
    translated = {Text.of(entry) for entry in of if entry.translated()}
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
