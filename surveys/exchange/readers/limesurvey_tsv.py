"""LimeSurvey's tab-separated values: a row for the survey's settings, each group, question, subquestion and answer."""

from django.utils.translation import gettext

from surveys.exchange.conditions import condition
from surveys.exchange.files import decoded, fault, table_rows
from surveys.exchange.readers.limesurvey import TOOL, LimeQuestion, add_questions, is_running, part_of, take_setting
from surveys.exchange.source import Questionnaire, Section

Row = dict[str, str]
COLUMNS = {
    "id", "related_id", "class", "type/scale", "name", "relevance", "text", "help", "language", "validation",
    "mandatory", "other", "default", "same_default", "encrypted", "question_theme_name", "same_script",
}  # fmt: skip


def read(content: bytes) -> Questionnaire:
    """The questionnaire of a tab-separated file of LimeSurvey."""
    rows = table_rows(decoded(content), "\t")
    head = [cell.strip().lower() for cell in rows[0]] if rows else []
    if "class" not in head or "name" not in head:
        raise fault(gettext("must begin with the columns id, class, type/scale, name to be a LimeSurvey file"))
    reader = _Rows()
    for number, cells in enumerate(rows[1:], start=2):
        row = {name: cell for name, cell in zip(head, cells, strict=False) if name and cell}
        if row:
            reader.add(row, gettext("row {number}").format(number=number))
    reader.source.report.lose_settings("survey", reader.others)
    add_questions(reader.source, reader.questions.values())
    return reader.source


class _Rows:
    def __init__(self) -> None:
        self.source = Questionnaire(TOOL)
        self.questions: dict[str, LimeQuestion] = {}
        self.sections: dict[str, Section] = {}
        self.section: Section | None = None
        self.question: LimeQuestion | None = None
        self.others: set[str] = set()
        """Settings that say nothing of the questions."""

    def add(self, row: Row, place: str) -> None:
        kind, language = row.get("class", "").upper(), row.get("language", "")
        if kind == "S":
            if row.get("name") == "language":
                self.source.language = row.get("text", "")
            self._note_running(row.get("name", ""), row.get("text", ""))
        elif kind == "SL":
            self._setting(row, language, place)
        elif kind == "G":
            self._group(row, language, place)
        elif kind == "Q":
            self._question(row, language, place)
        elif kind in ("SQ", "A") and self.question is not None:
            parts = self.question.subquestions if kind == "SQ" else self.question.answers
            part = part_of(parts, row.get("name", ""), row.get("type/scale", "0") or "0")
            part.words.setdefault(language, row.get("text", ""))
        else:
            self.source.report.add(
                place,
                " ".join(row.values()),
                "left out",
                gettext("Candor has no {kind}.").format(kind=kind),
            )

    def _setting(self, row: Row, language: str, place: str) -> None:
        name, text = row.get("name", ""), row.get("text", "")
        take_setting(self.source, place, name, text, language)
        self._note_running(name, text)

    def _note_running(self, name: str, value: str) -> None:
        self.others |= {name} if is_running(name, value) else set()

    def _group(self, row: Row, language: str, place: str) -> None:
        # The same group comes again for each language, with the same number.
        key = row.get("id") or row.get("type/scale") or row.get("name", "")
        self.section = self.sections.setdefault(key, Section(place, ""))
        self.section.title.setdefault(language, row.get("name", ""))
        if row.get("text"):
            self.section.introduction.setdefault(language, row["text"])
        found = condition(row.get("relevance", ""))
        if found and not self.section.conditions:
            self.section.conditions = [found]

    def _question(self, row: Row, language: str, place: str) -> None:
        code = row.get("name", "")
        new = LimeQuestion(place, code, row.get("type/scale", ""), self.section)
        self.question = lime = self.questions.setdefault(code or place, new)
        if row.get("text"):
            lime.words.setdefault(language, row["text"])
        if row.get("help"):
            lime.help.setdefault(language, row["help"])
        if lime is new:
            lime.mandatory, lime.other = row.get("mandatory", "") in ("Y", "S"), row.get("other", "") == "Y"
            lime.relevance, lime.validation = row.get("relevance", ""), row.get("validation", "")
            lime.default = row.get("default", "")
            lime.attributes = {name: value for name, value in row.items() if name not in COLUMNS}
