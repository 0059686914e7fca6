"""XLSForm (ODK, KoboToolbox, SurveyCTO, ...): the sheets survey, choices and settings of a workbook or a CSV file."""

import json
import re
from collections.abc import Mapping

from django.utils.translation import gettext, gettext_lazy

from surveys.exchange.conditions import condition
from surveys.exchange.dates import moved
from surveys.exchange.files import decoded, fault, json_document, table_rows, workbook_sheets
from surveys.exchange.source import (
    NO_SETTING,
    ONE_LOOK,
    RUNNING,
    Condition,
    Fields,
    Option,
    Question,
    Questionnaire,
    Section,
    SourceKind,
    Words,
)

TOOL = "XLSForm"
SHEETS = ("survey", "choices", "settings")
STORED = "candor"
"""The column in which Candor writes what XLSForm has no word for, such as the randomisation."""

Row = dict[str, str]

KINDS: dict[str, SourceKind] = {
    "select_one": "one", "select_multiple": "several", "acknowledge": "yes_no", "trigger": "yes_no",
    "integer": "number", "int": "number", "decimal": "number", "range": "number",
    "text": "text", "string": "text", "barcode": "text", "note": "note", "rank": "ranking",
    "date": "date", "datetime": "date", "time": "time", "calculate": "computed", "hidden": "computed",
    "geopoint": "place", "geotrace": "place", "geoshape": "place",
    "image": "file", "photo": "file", "audio": "file", "video": "file", "file": "file", "background-audio": "metadata",
    "start": "metadata", "end": "metadata", "today": "metadata", "deviceid": "metadata", "username": "metadata",
    "phonenumber": "metadata", "email": "metadata", "simserial": "metadata", "subscriberid": "metadata",
    "audit": "metadata", "start-geopoint": "metadata", "select_one_from_file": "unknown",
    "select_multiple_from_file": "unknown", "select_one_external": "unknown", "xml-external": "unknown",
    "csv-external": "unknown", "osm": "place",
}  # fmt: skip
ALIASES = {"select one": "select_one", "select all that apply": "select_multiple", "select multiple": "select_multiple"}
BOUND = re.compile(r"\.\s*(>=|<=|>|<)\s*(-?\d+(?:\.\d+)?)")
DATES = re.compile(r"\.\s*(>=|<=|>|<)\s*(?:date\(\s*)?['\"](\d{4}-\d{2}-\d{2})['\"]")
UNFOLDING = frozenset({"minimal", "autocomplete"})
"""Appearances of a list that unfolds from one field, in which typing finds an option."""
MOST_TICKED = re.compile(r"count-selected\(\s*\.\s*\)\s*<=\s*(\d+)")
TECHNICAL = frozenset({"form_id", "id_string", "name", "version", "allow_choice_duplicates", "namespaces"})
SETTINGS = {
    "style": ONE_LOOK,
    "instance_name": gettext_lazy("Candor does not name responses: a name could reveal whose it is."),
    **dict.fromkeys(("public_key", "submission_url", "auto_send", "auto_delete"), RUNNING),
}
"""Why each of these settings is left out."""

FORMATTING = (
    (re.compile(r"^[ \t]*#{1,6}[ \t]+(.+)$", re.MULTILINE), r"<h2>\1</h2>"),
    (re.compile(r"\[([^\[\]\n]+)\]\((?:https?:|mailto:)[^()\s]*\)"), r"<a>\1</a>"),
    (re.compile(r"(\*\*|__)(?=\S)([^*_\n]*[^*_\s])\1"), r"<b>\2</b>"),
    (re.compile(r"(?<![\w*\\])([*_])(?=\S)([^*_\n]*[^*_\s])\1(?![\w*])"), r"<i>\2</i>"),
)
"""Markdown that XLSForm has, as HTML, of which the words are taken."""


def is_workbook(sheets: Mapping[str, object]) -> bool:
    return "survey" in {name.strip().lower() for name in sheets}


def read(content: bytes) -> Questionnaire:
    """The questionnaire of an XLSX file, or of a CSV file with the sheets one under the other."""
    sheets = workbook_sheets(content) if content[:2] == b"PK" else csv_sheets(decoded(content))
    sheets = {name.strip().lower(): rows for name, rows in sheets.items()}
    if "survey" not in sheets:
        raise fault(gettext("must have a sheet named survey to be an XLSForm"))
    source = Questionnaire(TOOL)
    _settings(sheets.get("settings", []), source)
    choices, survey = (_records(sheets.get(name, [])) for name in ("choices", "survey"))
    if not any(STORED in row for _, row in survey):  # Candor's own texts have no formatting
        choices, survey = _as_html(choices), _as_html(survey)
    lists = _choices(choices, source)
    _Survey(source, lists).read(survey)
    for name in sorted(set(sheets) - set(SHEETS)):
        if any(any(row) for row in sheets[name]):
            source.report.add(
                gettext("sheet {name}").format(name=name),
                name,
                "left out",
                gettext("It is not survey, choices or settings."),
            )
    return source


def csv_sheets(text: str) -> dict[str, list[list[str]]]:
    """The sheets of the CSV form: a sheet's name alone in the first column, its rows below it from the second on."""
    sheets: dict[str, list[list[str]]] = {}
    current: list[list[str]] = []
    for row in table_rows(text, ","):
        if row and row[0]:
            current = sheets.setdefault(row[0].strip().lower(), [])
            current += [] if not any(row[1:]) else [row[1:]]
        elif any(row):
            current.append(row[1:])
    return sheets


def _records(rows: list[list[str]]) -> list[tuple[int, Row]]:
    """The rows below the head, each with its number in the sheet, by the names of the head in lower case."""
    head_at = next((n for n, row in enumerate(rows) if any(row)), None)
    if head_at is None:
        return []
    head = [_column(name) for name in rows[head_at]]
    return [
        (number, {name: cell for name, cell in zip(head, row, strict=False) if name and cell})
        for number, row in enumerate(rows[head_at + 1 :], start=head_at + 2)
        if any(row)
    ]


def _as_html(records: list[tuple[int, Row]]) -> list[tuple[int, Row]]:
    return [(number, {column: _formatted(column, cell) for column, cell in row.items()}) for number, row in records]


def _formatted(column: str, cell: str) -> str:
    if column.partition("::")[0] not in ("label", "hint"):
        return cell
    for written, html in FORMATTING:
        cell = written.sub(html, cell)
    return cell


def _column(name: str) -> str:
    base, colons, rest = name.strip().partition("::")
    if not colons:
        base, colons, rest = name.strip().partition(":")
    base = base.strip().lower().replace(" ", "_")
    base = {"caption": "label", "value": "name", "list_name": "list_name", "command": "type"}.get(base, base)
    return f"{base}::{rest.strip()}" if colons else base


def _words(fields: Fields, row: Row, name: str) -> Words:
    """A text in each language of the columns label, label::English (en), ..."""
    fields.take(name)
    words = {"": row[name]} if row.get(name) else {}
    for column, cell in row.items():
        base, colons, language = column.partition("::")
        if colons and base == name:
            fields.take(column)
            words[language] = cell
    return words


def _settings(rows: list[list[str]], source: Questionnaire) -> None:
    for number, row in _records(rows)[:1]:
        fields = Fields(row, TECHNICAL)
        source.title = _words(fields, row, "form_title") or _words(fields, row, "title")
        source.name = row.get("form_id", row.get("id_string", ""))
        source.language = fields.text("default_language")
        source.stored = _stored(fields)
        for name, value in fields.left().items():
            why = SETTINGS.get(name, NO_SETTING)
            source.report.add(
                gettext("settings, row {number}").format(number=number), f"{name}: {value}", "left out", why
            )


def _stored(fields: Fields) -> dict[str, object]:
    written = fields.text(STORED)
    stored = json_document(written) if written else {}
    if not isinstance(stored, dict):
        raise fault(
            gettext("column {stored} must have a JSON object; got {written}").format(
                stored=STORED, written=written[:50]
            )
        )
    return stored


def _choices(records: list[tuple[int, Row]], source: Questionnaire) -> dict[str, list[Option]]:
    lists: dict[str, list[Option]] = {}
    for number, row in records:
        fields = Fields(row, frozenset({"order"}))
        name, code = fields.text("list_name"), fields.text("name")
        option = Option(code, _words(fields, row, "label"))
        option.special = "prefer_not" if code == "prefer_not" else ""
        lists.setdefault(name, []).append(option)
        for column, value in fields.left().items():
            said = gettext("Candor has no sounds, videos or filters of options here.")
            source.report.add(
                gettext("choices, row {number}").format(number=number), f"{column}: {value}", "left out", said
            )
    return lists


class _Survey:
    """Reads the rows of the sheet survey."""

    def __init__(self, source: Questionnaire, lists: dict[str, list[Option]]) -> None:
        self.source, self.lists = source, lists
        self.groups: list[Section | None] = []
        self.headings: list[tuple[Words, Condition | None]] = []
        """Of each group the heading, where its questions are the rows of a grid, and the condition that it adds."""
        self.used: set[str] = set()

    def read(self, records: list[tuple[int, Row]]) -> None:
        for number, row in records:
            place = gettext("survey, row {number}").format(number=number)
            kind = " ".join(row.get("type", "").split())
            lowered = kind.lower().replace("begin ", "begin_").replace("end ", "end_")
            if lowered.startswith(("begin_group", "begin_repeat", "begin_loop")):
                self._begin(place, row, repeated="group" not in lowered)
            elif lowered.startswith("end_"):
                self.groups, self.headings = self.groups[:-1], self.headings[:-1]
            else:
                self._question(place, kind, row)
        for name in sorted(set(self.lists) - self.used):
            self.source.report.add(
                "choices",
                gettext("list {name}").format(name=name),
                "left out",
                gettext("No question uses it."),
            )

    def _begin(self, place: str, row: Row, *, repeated: bool) -> None:
        fields = Fields(row, frozenset({"type"}))
        heading = _words(fields, row, "label")
        if heading and "table-list" in row.get("appearance", "").split():
            fields.take("appearance")
            self.groups.append(self.groups[-1] if self.groups else None)
            self.headings.append((heading, self._condition(fields)))
            return
        self.headings.append(({}, None))
        section = Section(place, fields.text("name"), _words(fields, row, "label"), _words(fields, row, "hint"))
        outer = self.groups[-1] if self.groups else None
        if outer is not None:
            section.conditions = [*outer.conditions]
            section.title = section.title or outer.title
        if found := self._condition(fields):
            section.conditions.append(found)
        if repeated:
            said = gettext("Candor asks every question once: the questions of a repeated group are asked once.")
            self.source.report.add(place, row.get("name", "repeat"), "changed", said)
        for name, value in fields.left().items():
            self.source.report.add(
                place, f"{name}: {value}", "left out", gettext("Candor has no such setting for a section.")
            )
        self.groups.append(section)

    def _condition(self, fields: Fields) -> Condition | None:
        return condition(fields.text("relevant", "relevance", "bind::relevant"))

    def _question(self, place: str, kind: str, row: Row) -> None:
        lowered = kind.lower()
        for alias, name in ALIASES.items():
            lowered = lowered.replace(alias, name)
        word, _, rest = lowered.partition(" ")
        fields = Fields(row, frozenset({"type"}))
        name = fields.text("name")
        words = _words(fields, row, "label")
        question = Question(place, name, kind or gettext("no type"), KINDS.get(word, "unknown"), words)
        question.help = _words(fields, row, "hint")
        question.section = self.groups[-1] if self.groups else None
        question.required = fields.text("required", "bind::required").lower() in ("yes", "true", "true()", "1")
        question.heading, of_group = self.headings[-1] if self.headings else ({}, None)
        question.condition = self._condition(fields) or of_group
        if word in ("select_one", "select_multiple"):
            self._options(question, kind.split(" ")[1] if rest else "", rest)
        _settings_of(question, fields, word)
        question.stored = _stored(fields)
        if name == "candor_introduction":
            self.source.introduction = words
        elif name == "candor_consent":
            self.source.consent = words
        else:
            question.lose(fields.left())
            self.source.questions.append(question)

    def _options(self, question: Question, name: str, rest: str) -> None:
        self.used.add(name)
        question.options = [Option(one.code, one.words, one.special) for one in self.lists.get(name, [])]
        if name not in self.lists:
            question.note(
                gettext("list {name}").format(name=name),
                "left out",
                gettext("The sheet choices has no such list."),
            )
        if rest.endswith("or_other"):
            question.options.append(Option("other", {"": "Other"}, "other"))
            languages = [tag for one in question.options[:1] for tag in one.words if tag]
            question.options[-1].words |= dict.fromkeys(languages, "Other")


def _settings_of(question: Question, fields: Fields, word: str) -> None:
    """Bounds, shuffling and look, from the columns constraint, parameters and appearance."""
    fields.take("required_message", *[name for name in fields.left() if name.startswith("required_message")])
    parameters = dict(re.findall(r"([a-z-]+)\s*=\s*([^\s;,]+)", fields.text("parameters").lower()))
    question.shuffle = parameters.pop("randomize", "") == "true"
    parameters.pop("seed", None)
    for name, key in (("start", "minimum"), ("end", "maximum"), ("step", "step")):
        setattr(question, key, parameters.pop(name, ""))
    question.lose({gettext("parameters {name}").format(name=name): value for name, value in parameters.items()})
    _constraint(question, fields.text("constraint", "bind::constraint"), whole=word in ("integer", "int"))
    looks = fields.text("appearance").lower().split()
    question.dropdown = bool(UNFOLDING.intersection(looks))
    if "likert" in looks and question.kind == "one":
        question.kind = "scale"
    if others := [look for look in looks if look != "likert" and look not in UNFOLDING]:
        question.note(f"appearance: {' '.join(others)}", "left out", ONE_LOOK)


def _constraint(question: Question, written: str, *, whole: bool) -> None:
    if not written:
        return
    rest = written
    for operator, number in BOUND.findall(written) if question.kind == "number" else ():
        shift = (1 if operator == ">" else -1) if whole and operator in "<>" and "." not in number else 0
        setattr(question, "minimum" if ">" in operator else "maximum", str(int(number) + shift) if shift else number)
        rest = BOUND.sub("", rest)
    for operator, day in DATES.findall(written) if question.kind == "date" else ():
        inside = {"<": -1, ">": 1}.get(operator, 0)
        setattr(question, "minimum" if ">" in operator else "maximum", moved(day, inside))
        rest = DATES.sub("", rest)
    if found := MOST_TICKED.search(written):
        question.most, rest = found[1], MOST_TICKED.sub("", rest)
    if re.sub(r"\band\b|[().\s]", "", rest):
        question.note(
            f"constraint: {written}",
            "left out",
            gettext("Candor checks only limits and the number of ticks."),
        )


def stored_json(parts: Mapping[str, object]) -> str:
    """What Candor writes into its column; `_stored` reads it."""
    return json.dumps(parts, ensure_ascii=False, sort_keys=True) if parts else ""
