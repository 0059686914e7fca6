"""A list of questions in plain text or Markdown, as it stands in a document or an e-mail."""

import re
from dataclasses import dataclass

from django.utils.translation import gettext, gettext_lazy

from estimator.base.languages import filled
from surveys.exchange.files import MOST_ROWS, decoded, fault
from surveys.exchange.source import Option, Question, Questionnaire, Section

TOOL = gettext_lazy("A list of questions")

HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*$")
NUMBERED = re.compile(r"(?:Q(?:uestion)?\s*|F(?:rage)?\s*)?(\d{1,3})\s*[.):]\s+(.*)$", re.IGNORECASE)
LETTERED = re.compile(r"\(?([a-z])[.)]\s+(.*)$", re.IGNORECASE)
BOX = re.compile(r"(?:[-*+]\s+)?(?:\[[ xX]?\]|[☐☑□])\s*(.*)$")
CIRCLE = re.compile(r"(?:[-*+]\s+)?(?:\([ xX]?\)|[○◯●])\s*(.*)$")
BULLET = re.compile(r"[-*+•–]\s+(.*)$")
SEVERAL = re.compile(
    r"\b(?:all that apply|select all|several|more than one|multiple answers|mehrfach(?:nennung|auswahl)\w*|"
    r"mehrere|alles zutreffende|"
    r"plusieurs|varias|múltiple)\b",
    re.IGNORECASE,
)
RANGE = re.compile(
    r"[(\[](?:number|scale|zahl|skala|from|von)?:?\s*(-?\d{1,6})\s*(?:-|–|to|bis|\.\.)\s*(-?\d{1,6})[^()\[\]]{0,40}[)\]]",
    re.I,
)
YES_NO = re.compile(r"[(\[]\s*(?:yes\s*/\s*no|y/n|ja\s*/\s*nein|oui\s*/\s*non|s[ií]\s*/\s*no)\s*[)\]]", re.IGNORECASE)
ASKS_YES_NO = re.compile(
    r"(?:have|has|had|do|does|did|are|is|was|were|can|could|will|would|haben|hast|hatten|sind|bist|waren|werden|"
    r"können|avez-vous|êtes-vous|est-ce|¿ha|¿es|¿está|¿tiene|هل)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Line:
    number: int
    indent: int
    mark: str
    """heading, numbered, lettered, box, circle, bullet, or empty for plain text."""
    words: str
    level: int = 0


def read(content: bytes) -> Questionnaire:
    """The questionnaire of a text."""
    lines = decoded(content).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if len(lines) > MOST_ROWS:
        raise fault(
            filled(
                gettext("must have at most {most_rows:,} lines; it has {count:,}"),
                most_rows=MOST_ROWS,
                count=len(lines),
            )
        )
    return _Reader([_line(number, line) for number, line in enumerate(lines, start=1) if line.strip()]).read()


def _line(number: int, line: str) -> _Line:
    indent = len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())
    words = line.strip().replace("**", "").replace("__", "")
    if found := HEADING.match(words):
        return _Line(number, indent, "heading", found[2], len(found[1]))
    for mark, pattern in (("numbered", NUMBERED), ("box", BOX), ("circle", CIRCLE), ("lettered", LETTERED)):
        if found := pattern.match(words):
            return _Line(number, indent, mark, found[found.re.groups].strip())
    if found := BULLET.match(words):
        return _Line(number, indent, "bullet", found[1].strip())
    return _Line(number, indent, "", words)


class _Reader:
    def __init__(self, lines: list[_Line]) -> None:
        self.lines = lines
        self.source = Questionnaire(str(TOOL))
        self.section: Section | None = None
        self.question: Question | None = None
        self.indent = 0
        self.inline = any(one.mark == "numbered" for one in lines)

    def read(self) -> Questionnaire:
        for at, line in enumerate(self.lines):
            following = self.lines[at + 1] if at + 1 < len(self.lines) else None
            if line.mark == "heading":
                self._heading(line)
            elif self._is_option(line, following):
                self._option(line)
            elif self._is_question(line, following):
                self._begin(line)
            else:
                self._text(line)
        for question in self.source.questions:
            _decide(question)
        return self.source

    def _heading(self, line: _Line) -> None:
        self.question = None
        if not self.source.title and not self.source.questions and self.section is None:
            self.source.title = {"": line.words}
        elif line.words.rstrip().endswith("?"):
            self._begin(line)
        else:
            self.section = Section(gettext("line {number}").format(number=line.number), line.words, {"": line.words})

    def _is_option(self, line: _Line, following: _Line | None) -> bool:
        if self.question is None or not line.mark:
            return False
        if line.mark in ("box", "circle", "lettered"):
            return True
        deeper = line.indent > self.indent
        if line.mark == "numbered":
            return deeper
        begins = following is not None and following.mark in ("bullet", "box", "circle", "lettered")
        holds = begins and following is not None and following.indent > line.indent
        return deeper or not (line.words.endswith("?") or holds)

    def _is_question(self, line: _Line, following: _Line | None) -> bool:
        if line.mark in ("numbered", "bullet", "lettered") or line.words.rstrip(" *)").endswith("?"):
            return True
        return bool(following and following.mark in ("box", "circle", "lettered") and not line.mark)

    def _begin(self, line: _Line) -> None:
        words = line.words.rstrip("*").strip()
        self.question = Question(
            gettext("line {number}").format(number=line.number), "", "", "text", {"": words}, section=self.section
        )
        self.indent = line.indent
        self.source.questions.append(self.question)

    def _option(self, line: _Line) -> None:
        assert self.question is not None
        words = re.sub(r"[_.]{3,}", "", line.words).strip(" :") or line.words
        self.question.options.append(Option(str(len(self.question.options) + 1), {"": words}))
        if line.words.rstrip().endswith(("___", "...", "…")):
            self.question.options[-1].special = "other"
        if line.mark == "box":
            self.question.kind = "several"

    def _text(self, line: _Line) -> None:
        if self.question is not None and not self.question.options:
            self.question.help[""] = "\n".join(filter(None, (self.question.help.get("", ""), line.words)))
        elif self.section is not None and self.question is None:
            held = self.section.introduction
            held[""] = "\n".join(filter(None, (held.get("", ""), line.words)))
        elif self.source.questions:
            note = Question(
                gettext("line {number}").format(number=line.number),
                "text",
                "text",
                "note",
                {"": line.words},
                section=self.section,
            )
            self.source.questions.append(note)
            self.question = None
        elif not self.source.title:
            self.source.title = {"": line.words}
        else:
            held = self.source.introduction
            held[""] = "\n".join(filter(None, (held.get("", ""), line.words)))


def _decide(question: Question) -> None:
    """The kind of a question, from its options, from what stands in brackets, and from how it begins."""
    if question.kind == "note":
        return
    words = question.words[""]
    said = f"{words} {question.help.get('', '')}"
    if question.options:
        several = question.kind == "several" or SEVERAL.search(said)
        question.kind, question.tool_kind = ("several", gettext("several options")) if several else ("one", "options")
    elif YES_NO.search(words):
        question.kind, question.tool_kind = "yes_no", "yes/no"
        question.words = {"": YES_NO.sub("", words).strip()}
    elif found := RANGE.search(words):
        question.kind, question.minimum, question.maximum = "number", found[1], found[2]
        question.tool_kind, question.words = "number", {"": RANGE.sub("", words).strip()}
    elif ASKS_YES_NO.match(words):
        question.kind, question.tool_kind = "yes_no", "yes/no"
        question.note(
            words, "changed", gettext("It has no options and begins like a yes/no question, so it became one.")
        )
    else:
        question.tool_kind = gettext("a question without options")
