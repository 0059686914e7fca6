"""LimeSurvey's XML: a survey (.lss), a group (.lsg) or a question (.lsq), of version 2 to 6."""

import re
from collections.abc import Callable
from functools import partial

from django.utils.translation import gettext

from surveys.exchange.conditions import condition
from surveys.exchange.files import Element, fault, xml_document
from surveys.exchange.readers.limesurvey import TOOL, LimeQuestion, add_questions, is_running, part_of, take_setting
from surveys.exchange.source import Questionnaire, Section, shown

Row = dict[str, str]
READ = {
    "groups", "group_l10ns", "questions", "question_l10ns", "subquestions", "answers", "answer_l10ns", "languages",
    "question_attributes", "conditions", "surveys", "surveys_languagesettings", "LimeSurveyDocType", "DBVersion",
    "themes", "themes_inherited", "question_themes", "surveys_groupsettings",
}  # fmt: skip
"""Parts of a file that are read, or that say nothing of the questions."""


def read(content: bytes) -> Questionnaire:
    """The questionnaire of an XML file of LimeSurvey."""
    root = xml_document(content)
    if root.name != "document" or not root.find("LimeSurveyDocType").text:
        raise fault(
            gettext("is XML, but not a LimeSurvey file: its first element is {name}").format(name=shown(root.name))
        )
    return _Document(root).read()


class _Document:
    def __init__(self, root: Element) -> None:
        self.tables = {part.name: [_row(one) for one in part.find("rows").children] for part in root.children}
        languages = [one.text for one in root.find("languages").children if one.text]
        self.own = (self.rows("surveys")[:1] or [{}])[0].get("language", "") or (languages or [""])[0]
        self.source = Questionnaire(TOOL, language=self.own)

    def rows(self, name: str) -> list[Row]:
        return self.tables.get(name, [])

    def read(self) -> Questionnaire:
        self._survey()
        sections = self._sections()
        questions: dict[str, LimeQuestion] = {}
        rows = sorted(self.rows("questions"), key=partial(_order, self._group_orders()))
        for row in rows:
            if row.get("parent_qid", "0") in ("", "0"):
                self._question(row, questions, sections)
        for row in [*self.rows("questions"), *self.rows("subquestions")]:
            self._subquestion(row, questions)
        self._texts(questions)
        self._answers(questions)
        self._attributes(questions)
        self._conditions(questions)
        add_questions(self.source, questions.values())
        for name in sorted(set(self.tables) - READ):
            if self.rows(name):
                said = gettext("Candor has no quotas: nobody knows the answers to count.") if "quota" in name else ""
                said = said or gettext("It is not part of the questionnaire.")
                self.source.report.add(name, f"{name} ({len(self.rows(name))})", "left out", said)
        return self.source

    def _survey(self) -> None:
        for row in self.rows("surveys_languagesettings"):
            language = row.get("surveyls_language", self.own)
            for name, text in row.items():
                take_setting(self.source, "survey", name, text, language)
        others = [*self.rows("surveys")[:1], *self.rows("surveys_languagesettings")]
        running = [name for row in others for name, value in row.items() if is_running(name, value)]
        self.source.report.lose_settings("survey", running)

    def _group_orders(self) -> dict[str, int]:
        return {row.get("gid", ""): _whole(row.get("group_order", "")) for row in self.rows("groups")}

    def _sections(self) -> dict[str, Section]:
        sections: dict[str, Section] = {}
        for row in [*self.rows("groups"), *self.rows("group_l10ns")]:
            gid = row.get("gid", "")
            section = sections.setdefault(gid, Section(gettext("group {gid}").format(gid=gid), ""))
            language = row.get("language", self.own)
            if row.get("group_name"):
                section.title[language] = row["group_name"]
            if row.get("description"):
                section.introduction[language] = row["description"]
            found = condition(row.get("grelevance", ""))
            if found and not section.conditions:
                section.conditions = [found]
        return sections

    def _question(self, row: Row, questions: dict[str, LimeQuestion], sections: dict[str, Section]) -> None:
        qid, code = row.get("qid", ""), row.get("title", "")
        lime = questions.setdefault(
            qid, LimeQuestion(gettext("question {code}").format(code=code), code, row.get("type", ""))
        )
        lime.section = sections.get(row.get("gid", ""))
        lime.mandatory = row.get("mandatory", "N") in ("Y", "S")
        lime.other = row.get("other", "N") == "Y"
        lime.relevance, lime.validation = row.get("relevance", ""), row.get("preg", "")
        language = row.get("language", self.own)
        _say(lime.words, language, row.get("question", ""))
        _say(lime.help, language, row.get("help", ""))

    def _subquestion(self, row: Row, questions: dict[str, LimeQuestion]) -> None:
        if lime := questions.get(row.get("parent_qid", "0")):
            part = part_of(lime.subquestions, row.get("title", ""), row.get("scale_id", "0") or "0")
            _say(part.words, row.get("language", self.own), row.get("question", ""))

    def _texts(self, questions: dict[str, LimeQuestion]) -> None:
        """The texts of version 4 and later, which stand in a table of their own."""
        parents = {
            row.get("qid", ""): (row.get("parent_qid", "0"), row.get("title", ""), row.get("scale_id", "0") or "0")
            for row in [*self.rows("questions"), *self.rows("subquestions")]
        }
        for row in self.rows("question_l10ns"):
            qid, language = row.get("qid", ""), row.get("language", self.own)
            if lime := questions.get(qid):
                _say(lime.words, language, row.get("question", ""))
                _say(lime.help, language, row.get("help", ""))
            elif qid in parents and (lime := questions.get(parents[qid][0])):
                _, code, scale = parents[qid]
                _say(part_of(lime.subquestions, code, scale).words, language, row.get("question", ""))

    def _answers(self, questions: dict[str, LimeQuestion]) -> None:
        owners: dict[str, tuple[str, str, str]] = {}
        by_order: Callable[[Row], int] = lambda row: _whole(row.get("sortorder", ""))  # noqa: E731
        for row in sorted(self.rows("answers"), key=by_order):
            qid, code, scale = row.get("qid", ""), row.get("code", ""), row.get("scale_id", "0") or "0"
            owners[row.get("aid", "")] = (qid, code, scale)
            if lime := questions.get(qid):
                _say(part_of(lime.answers, code, scale).words, row.get("language", self.own), row.get("answer", ""))
        for row in self.rows("answer_l10ns"):
            qid, code, scale = owners.get(row.get("aid", ""), ("", "", "0"))
            if lime := questions.get(qid):
                _say(part_of(lime.answers, code, scale).words, row.get("language", self.own), row.get("answer", ""))

    def _attributes(self, questions: dict[str, LimeQuestion]) -> None:
        for row in self.rows("question_attributes"):
            if (lime := questions.get(row.get("qid", ""))) and row.get("attribute"):
                lime.attributes.setdefault(row["attribute"], row.get("value", ""))

    def _conditions(self, questions: dict[str, LimeQuestion]) -> None:
        """The conditions of version 1, which stand beside the expression or in its place."""
        for row in self.rows("conditions"):
            lime, base = questions.get(row.get("qid", "")), questions.get(row.get("cqid", ""))
            if lime is None or lime.relevance.strip() not in ("", "1"):
                continue
            if (
                base is None
                or row.get("method", "==").strip() != "=="
                or not re.fullmatch(r"[\w-]+", row.get("value", ""))
            ):
                lime.attributes[gettext("condition {count}").format(count=len(lime.attributes))] = " ".join(
                    row.values()
                )
            else:
                lime.attributes.setdefault("_conditions", "")
                joint = " or " if lime.attributes["_conditions"] else ""
                lime.attributes["_conditions"] += f'{joint}{base.code} == "{row["value"]}"'
        for lime in questions.values():
            lime.relevance = lime.attributes.pop("_conditions", "") or lime.relevance


def _order(groups: dict[str, int], row: Row) -> tuple[int, int]:
    return groups.get(row.get("gid", ""), 0), _whole(row.get("question_order", ""))


def _row(element: Element) -> Row:
    return {part.name: part.text for part in element.children}


def _say(words: dict[str, str], language: str, text: str) -> None:
    if text:
        words[language] = text


def _whole(written: str) -> int:
    return int(written) if re.fullmatch(r"-?\d{1,9}", written) else 0
