"""REDCap's data dictionary: a CSV file with a row for each field."""

import re

from django.utils.translation import gettext

from surveys.exchange.conditions import condition
from surveys.exchange.files import decoded, fault, table_rows
from surveys.exchange.source import Fields, Option, Question, Questionnaire, Section, SourceKind, Words
from surveys.exchange.words import REDCAP_PIPED

TOOL = "REDCap"

COLUMNS = {
    "variable / field name": "name", "field_name": "name", "form name": "form", "form_name": "form",
    "section header": "header", "section_header": "header", "field type": "type", "field_type": "type",
    "field label": "label", "field_label": "label", "choices, calculations, or slider labels": "choices",
    "choices or calculations": "choices", "select_choices_or_calculations": "choices", "field note": "note",
    "field_note": "note", "text validation type or show slider number": "validation",
    "text_validation_type_or_show_slider_number": "validation", "text validation min": "minimum",
    "text_validation_min": "minimum", "text validation max": "maximum", "text_validation_max": "maximum",
    "identifier?": "identifier", "identifier": "identifier", "branching logic (show field only if...)": "branching",
    "branching_logic": "branching", "required field?": "required", "required_field": "required",
    "custom alignment": "alignment", "custom_alignment": "alignment", "question number (surveys only)": "number",
    "question_number": "number", "matrix group name": "matrix", "matrix_group_name": "matrix",
    "matrix ranking?": "ranking", "matrix_ranking": "ranking", "field annotation": "annotation",
    "field_annotation": "annotation",
}  # fmt: skip
KINDS: dict[str, SourceKind] = {
    "radio": "one", "dropdown": "one", "checkbox": "several", "yesno": "yes_no", "truefalse": "yes_no",
    "slider": "number", "calc": "computed", "file": "file", "descriptive": "note", "notes": "text", "sql": "unknown",
    "text": "text",
}  # fmt: skip
VALIDATIONS: tuple[tuple[str, SourceKind], ...] = (
    ("integer", "number"), ("number", "number"), ("date", "date"), ("time", "time"),
)  # fmt: skip
YES_NO = {
    "yesno": [Option("0", {"en": "No", "de": "Nein", "es": "No", "fr": "Non", "ar": "لا"}),
              Option("1", {"en": "Yes", "de": "Ja", "es": "Sí", "fr": "Oui", "ar": "نعم"})],
    "truefalse": [Option("0", {"en": "False", "de": "Falsch", "es": "Falso", "fr": "Faux", "ar": "خطأ"}),
                  Option("1", {"en": "True", "de": "Wahr", "es": "Verdadero", "fr": "Vrai", "ar": "صحيح"})],
}  # fmt: skip


def read(content: bytes) -> Questionnaire:
    """The questionnaire of a data dictionary."""
    rows = table_rows(decoded(content))
    head = [COLUMNS.get(cell.strip().lower(), cell.strip()) for cell in rows[0]] if rows else []
    if "name" not in head or "type" not in head:
        raise fault(
            gettext("must have the columns Variable / Field Name and Field Type to be a REDCap data dictionary")
        )
    source = Questionnaire(TOOL)
    section: Section | None = None
    headings: dict[str, Words] = {}
    form = ""
    for number, cells in enumerate(rows[1:], start=2):
        row = {name: cell for name, cell in zip(head, cells, strict=False) if name and cell}
        if not row:
            continue
        place = gettext("row {number}").format(number=number)
        if row.get("form", form) != form:
            form = row.get("form", "")
            section = Section(place, form, {"": form.replace("_", " ").capitalize()})
        if (header := row.get("header")) and not row.get("matrix"):
            section = Section(place, header, {"": _piped(header)})
        question = _question(row, place, section)
        if matrix := row.get("matrix"):  # its first row has the heading where other fields have that of a section
            question.heading = headings.setdefault(matrix, {"": _piped(header)} if header else {})
        source.questions.append(question)
    forms = {one.name for one in source.sections()}
    if len(forms) == 1:  # a form without headings is no section
        source.title = next(source.sections()).title
        for question in source.questions:
            question.section = None
    return source


def _question(row: dict[str, str], place: str, section: Section | None) -> Question:
    fields = Fields(row, frozenset({"form", "header", "number", "matrix", "alignment"}))
    kind, name = fields.text("type").lower(), fields.text("name")
    validation = fields.text("validation").lower()
    question = Question(place, name, kind or gettext("no type"), KINDS.get(kind, "unknown"), {})
    if kind == "text":
        question.kind = next((one for begin, one in VALIDATIONS if validation.startswith(begin)), "text")
        question.tool_kind = f"text ({validation})" if validation else "text"
    if kind == "slider":
        question.minimum, question.maximum = "0", "100"
    label, note, choices = fields.text("label"), fields.text("note"), fields.text("choices")
    question.words = {"": _piped(label)} if label else {}
    question.help = {"": _piped(note)} if note else {}
    question.section, question.condition = section, condition(_plain_names(fields.text("branching")))
    question.dropdown = kind == "dropdown"
    question.required = fields.text("required").lower() in ("y", "yes", "1")
    question.minimum = fields.text("minimum") or question.minimum
    question.maximum = fields.text("maximum") or question.maximum
    if validation == "integer":
        question.step = "1"
    _options(question, kind, choices)
    if fields.text("identifier").lower() in ("y", "yes", "1"):
        said = gettext("REDCap marks it as identifying people: think twice before asking it.")
        question.note("identifier", "changed", said)
    _annotation(question, fields.text("annotation"))
    question.lose(fields.left())
    return question


def _options(question: Question, kind: str, choices: str) -> None:
    if kind in YES_NO:
        question.options = [Option(one.code, {"": one.words["en"]}) for one in YES_NO[kind]]
        question.kind = "yes_no" if kind == "yesno" else "one"
    elif kind in ("radio", "dropdown", "checkbox"):
        for one in choices.split("|"):
            code, comma, words = one.partition(",")
            if one.strip():
                question.options.append(Option(code.strip(), {"": _piped((words if comma else code).strip())}))
    elif choices and kind == "slider":
        question.note(
            f"labels: {choices}",
            "left out",
            gettext("A number has no labels."),
            gettext("Write what the ends mean in the wording."),
        )
    elif choices:
        question.note(f"calculation: {choices}", "left out", gettext("Candor computes nothing from answers."))


def _annotation(question: Question, written: str) -> None:
    rest = written
    for action in re.findall(r"@[A-Z-]+(?:=(?:'[^']*'|\"[^\"]*\"|\S+))?", written):
        name, _, value = action.partition("=")
        if name == "@MAXCHECKED":
            question.most = value.strip("'\"")
        elif name == "@NONEOFTHEABOVE":
            codes = {one.strip() for one in value.strip("'\"").split(",")}
            for option in question.options:
                option.special = "none" if option.code in codes else option.special
        elif name.startswith("@HIDDEN"):
            question.note(name, "changed", gettext("REDCap hides this field; here it is asked."))
        else:
            question.note(action, "left out", gettext("Candor has no such action."))
        rest = rest.replace(action, "")
    if rest.strip():
        question.note(f"annotation: {rest.strip()}", "left out", gettext("Candor stores no notes."))


def _plain_names(written: str) -> str:
    """A condition without the names of events: [event][field] is [field]."""
    return re.sub(r"\[[a-z0-9_-]+\](?=\[)", "", written)


def _piped(words: str) -> str:
    """A text whose [field] are written as other tools write them, for `plain_text` to mark."""
    return REDCAP_PIPED.sub(r"${\1}", words)
