"""A table of questions, CSV or a workbook: a row for each question, with columns that say what stands in them."""

import re

from django.utils.translation import gettext, gettext_lazy

from surveys.exchange.conditions import condition
from surveys.exchange.files import decoded, fault, table_rows, workbook_sheets
from surveys.exchange.source import Fields, Option, Question, Questionnaire, Section, SourceKind, Words

TOOL = "A table"

COLUMNS: dict[str, str] = {
    **dict.fromkeys(
        ("question", "questions", "wording", "question text", "text", "label", "item", "frage"), "question"
    ),
    **dict.fromkeys(("fragetext", "frage text", "pregunta", "سؤال"), "question"),
    **dict.fromkeys(("type", "kind", "question type", "typ", "art", "tipo"), "type"),
    **dict.fromkeys(("options", "choices", "answers", "answer options", "response options", "antworten"), "options"),
    **dict.fromkeys(("antwortoptionen", "optionen", "opciones", "réponses", "respuestas"), "options"),
    **dict.fromkeys(("section", "group", "page", "block", "abschnitt", "gruppe", "sección"), "section"),
    **dict.fromkeys(("required", "mandatory", "pflicht", "obligatoire", "obligatorio"), "required"),
    **dict.fromkeys(("help", "hint", "description", "note", "hilfe", "hinweis", "ayuda", "aide"), "help"),
    **dict.fromkeys(("key", "name", "variable", "code", "id"), "name"),
    **dict.fromkeys(("condition", "relevant", "only if", "if", "bedingung"), "condition"),
    **dict.fromkeys(("minimum", "min"), "minimum"),
    **dict.fromkeys(("maximum", "max"), "maximum"),
    "step": "step",
}
NUMBERED = re.compile(r"(?:option|choice|answer|antwort|opción|réponse)[ _]*\d{1,3}")

TYPES: dict[str, SourceKind] = {
    **dict.fromkeys(("yes/no", "yes no", "yesno", "boolean", "bool", "ja/nein"), "yes_no"),
    **dict.fromkeys(("one choice", "single", "single choice", "radio", "one", "select one", "dropdown"), "one"),
    **dict.fromkeys(("multiple choice", "choice", "einfachauswahl", "list"), "one"),
    **dict.fromkeys(("several choices", "multiple", "checkbox", "checkboxes", "multi", "select multiple"), "several"),
    **dict.fromkeys(("several", "mehrfachauswahl", "multiple select"), "several"),
    **dict.fromkeys(("scale", "rating", "likert", "linear scale", "skala"), "scale"),
    **dict.fromkeys(("number", "integer", "numeric", "decimal", "slider", "zahl", "range"), "number"),
    **dict.fromkeys(("date", "datum", "datetime", "year"), "date"),
    **dict.fromkeys(("time", "uhrzeit"), "time"),
    **dict.fromkeys(("text", "open", "open text", "free text", "comment", "paragraph", "short answer"), "text"),
    **dict.fromkeys(("freitext", "string", "email", "essay", "textarea"), "text"),
    **dict.fromkeys(("file", "upload", "file upload", "photo"), "file"),
    **dict.fromkeys(("ranking", "rank", "rangfolge"), "ranking"),
    **dict.fromkeys(("note", "info", "information", "statement", "html"), "note"),
}
SEVERAL_SHEETS = gettext_lazy("Only the first sheet is read of a workbook that is not an XLSForm.")


def read(content: bytes) -> Questionnaire:
    """The questionnaire of a table."""
    source = Questionnaire(TOOL)
    if content[:2] == b"PK":
        sheets = workbook_sheets(content)
        rows = next(iter(sheets.values()), [])
        for name in list(sheets)[1:]:
            if any(any(row) for row in sheets[name]):
                source.report.add(gettext("sheet {name}").format(name=name), name, "left out", SEVERAL_SHEETS)
    else:
        rows = table_rows(decoded(content))
    start = next((number for number, row in enumerate(rows) if any(row)), None)
    if start is None:
        raise fault(gettext("has no rows"))
    head = [_column(cell) for cell in rows[start]]
    if not has_questions(rows[start]):
        raise fault(gettext("must have a column named Question in its first row"))
    sections: dict[str, Section] = {}
    for number, cells in enumerate(rows[start + 1 :], start=start + 2):
        pairs = [(name, cell) for name, cell in zip(head, cells, strict=False) if name and cell]
        if pairs:
            source.questions.append(_question(pairs, gettext("row {number}").format(number=number), sections))
    return source


def has_questions(head: list[str]) -> bool:
    """Whether one of the columns of a table with this head has wordings of questions."""
    return any(_column(cell).partition("::")[0] == "question" for cell in head)


def _column(name: str) -> str:
    base, _, language = name.strip().partition("::")
    found = re.fullmatch(r"(.+?)\s*\(([a-z]{2})\)", base.strip(), re.IGNORECASE)
    if found and not language:
        base, language = found[1], found[2].lower()
    lowered = " ".join(base.lower().split())
    known = "option" if NUMBERED.fullmatch(lowered) else COLUMNS.get(lowered, base.strip())
    return f"{known}::{language}" if language else known


def _words(pairs: list[tuple[str, str]], name: str) -> Words:
    words: Words = {}
    for column, cell in pairs:
        base, _, language = column.partition("::")
        if base == name:
            words.setdefault(language, cell)
    return words


def _question(pairs: list[tuple[str, str]], place: str, sections: dict[str, Section]) -> Question:
    used = frozenset(
        column for column, _ in pairs if column.split("::")[0] in ("question", "help", "options", "option")
    )
    fields = Fields(dict(pairs), used)
    written = fields.text("type")
    kind = TYPES.get(" ".join(written.lower().replace("_", " ").split()), "unknown" if written else None)
    question = Question(
        place, fields.text("name"), written or gettext("no type"), kind or "text", _words(pairs, "question")
    )
    question.help = _words(pairs, "help")
    question.options = options_of(_words(pairs, "options")) + [
        Option(cell, {column.partition("::")[2]: cell}) for column, cell in pairs if column.split("::")[0] == "option"
    ]
    if kind is None and question.options:
        question.kind = "one"
    question.minimum, question.maximum, question.step = (fields.text(one) for one in ("minimum", "maximum", "step"))
    required = fields.text("required").lower()
    question.required = required not in ("no", "n", "false", "0", "nein", "optional")
    if title := fields.text("section"):
        question.section = sections.setdefault(title, Section(place, title, {"": title}))
    question.condition = condition(fields.text("condition"))
    question.lose(fields.left(), gettext("This column is unknown."))
    return question


def options_of(words: Words) -> list[Option]:
    """The options of a cell, between | or ; or line ends; in each language in the same order."""
    lists = {tag: [one.strip() for one in re.split(r"[|\n;]", cell) if one.strip()] for tag, cell in words.items()}
    longest = max(map(len, lists.values()), default=0)
    options = []
    for place in range(longest):
        texts = {tag: found[place] for tag, found in lists.items() if place < len(found)}
        options.append(Option(next(iter(texts.values())), texts))
    return options
