"""A questionnaire as another tool has it, in one form for all tools, and the report on what became of it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from django.utils.translation import gettext, gettext_lazy

from collector.designs.texts import refused_character

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


Outcome = Literal["taken over", "changed", "left out"]

Words = dict[str, str]
"""A text by language, as the tool names it; "" where the tool does not say which language it is."""

NO_SETTING = gettext_lazy("Candor has no such setting.")
ONE_LOOK = gettext_lazy("The whole survey has one look: colours, typeface and logo are chosen in the editor.")
RUNNING = gettext_lazy("How the tool runs a survey is not imported.")
"""Why parts of a source are left out that several tools have."""

LONGEST_SHOWN = 200
"""Maximum characters of a source's text that the report quotes."""

SourceKind = Literal[
    "yes_no", "one", "several", "scale", "number", "date", "time", "note",
    "text", "file", "ranking", "place", "computed", "metadata", "unknown",
]  # fmt: skip


def shown(value: object) -> str:
    """A source's text on one line, without invisible characters, cut where it is long."""
    words = " ".join(str(value)[: 4 * LONGEST_SHOWN].split())
    words = "".join(letter for letter in words if refused_character(letter, lines=False) is None)
    return words if len(words) <= LONGEST_SHOWN else f"{words[:LONGEST_SHOWN]} ..."


@dataclass(frozen=True)
class Entry:
    """One line of an import report: an element of the source, and what became of it."""

    place: str
    element: str
    outcome: Outcome
    detail: str = ""
    suggestion: str = ""

    def to_dict(self) -> dict[str, str]:
        return {
            "place": self.place,
            "element": self.element,
            "outcome": self.outcome,
            "detail": self.detail,
            "suggestion": self.suggestion,
        }


@dataclass
class ImportReport:
    """What became of each element of the source, in its order."""

    entries: list[Entry] = field(default_factory=list)

    def add(
        self,
        place: str,
        element: object,
        outcome: Outcome,
        detail: "StrOrPromise" = "",
        suggestion: "StrOrPromise" = "",
    ) -> None:
        self.entries.append(Entry(shown(place), shown(element), outcome, str(detail), str(suggestion)))

    def count(self, outcome: Outcome) -> int:
        return sum(entry.outcome == outcome for entry in self.entries)

    def lose_settings(self, place: str, names: Iterable[str]) -> None:
        """One line for settings that say nothing of the questions, with all of their names."""
        if told := sorted(set(map(shown, names))):
            self.add(
                place,
                gettext("run settings"),
                "left out",
                gettext("{running} Left out: {names}").format(running=RUNNING, names=", ".join(told)),
            )

    @property
    def in_words(self) -> str:
        taken, changed, left = (self.count(outcome) for outcome in ("taken over", "changed", "left out"))
        return gettext("{taken} imported, {changed} changed, {left} left out").format(
            taken=taken, changed=changed, left=left
        )


@dataclass
class Option:
    """A response option, a row of a grid: its code in the tool, its words, and what is special about it."""

    code: str
    words: Words
    special: Literal["", "other", "prefer_not", "none"] = ""


WRITTEN_BEFORE = "before_of"
"""Stored part of a text that Candor wrote for other tools: the question before which it stands has it too."""


@dataclass(frozen=True)
class Wanted:
    """A part of a condition: an earlier question has one of these answers, or (`negated`) none of them."""

    name: str
    codes: frozenset[str]
    negated: bool = False


@dataclass
class Condition:
    """When a question is asked: as the tool writes it, and its parts, all of which must hold.

    `wanted` is None where it could not be translated, for the reason in `problem`.
    """

    written: str
    wanted: list[Wanted] | None = None
    problem: str = ""


@dataclass
class Section:
    """A page, group or block of questions."""

    place: str
    name: str
    title: Words = field(default_factory=dict)
    introduction: Words = field(default_factory=dict)
    conditions: list[Condition] = field(default_factory=list)


@dataclass
class Question:
    """A question, or another element that stands among the questions.

    `tool_kind` is what the tool calls its kind. A grid has `rows`, of which each becomes a question; where each row
    is a question in the tool, too, it names its `heading`. `fixed` are the codes of options at the end that the tool
    does not shuffle with the others. `stored` are the parts that Candor itself wrote into the
    file when it exported the survey, of a grid for each row.
    """

    place: str
    name: str
    tool_kind: str
    kind: SourceKind
    words: Words
    help: Words = field(default_factory=dict)
    options: list[Option] = field(default_factory=list)
    rows: list[Option] = field(default_factory=list)
    heading: Words = field(default_factory=dict)
    dropdown: bool = False
    required: bool = True
    shuffle: bool = False
    fixed: frozenset[str] = frozenset()
    most: str = ""
    minimum: str = ""
    maximum: str = ""
    step: str = ""
    section: Section | None = None
    condition: Condition | None = None
    notes: list[Entry] = field(default_factory=list)
    stored: dict[str, object] = field(default_factory=dict)

    def note(
        self, element: object, outcome: Outcome, detail: "StrOrPromise" = "", suggestion: "StrOrPromise" = ""
    ) -> None:
        """Report on a part or a setting of this question."""
        self.notes.append(Entry(shown(self.place), shown(element), outcome, str(detail), str(suggestion)))

    def lose(self, settings: Mapping[str, object], why: "StrOrPromise" = NO_SETTING) -> None:
        """Report settings of this question that have no counterpart."""
        for name, value in settings.items():
            self.note(f"{name}: {shown(value)}", "left out", why)


@dataclass
class Questionnaire:
    """A survey as another tool has it."""

    tool: str
    title: Words = field(default_factory=dict)
    name: str = ""
    introduction: Words = field(default_factory=dict)
    consent: Words = field(default_factory=dict)
    ending: Words = field(default_factory=dict)
    """What respondents read after sending."""
    link: str = ""
    link_label: Words = field(default_factory=dict)
    """The address to which respondents go after sending, and what the tool calls it."""
    language: str = ""
    """The language that comes first; empty where the tool names none."""
    questions: list[Question] = field(default_factory=list)
    report: ImportReport = field(default_factory=ImportReport)
    stored: dict[str, object] = field(default_factory=dict)

    def sections(self) -> Iterator[Section]:
        """Each section once, in the order of the questions."""
        seen: set[int] = set()
        for question in self.questions:
            if question.section is not None and id(question.section) not in seen:
                seen.add(id(question.section))
                yield question.section


class Fields:
    """The settings of an element, of which those that nobody asked for can be listed: nothing is lost silently."""

    def __init__(self, values: Mapping[str, Any], technical: frozenset[str] = frozenset()) -> None:
        """`technical`: settings that say nothing about the questionnaire, such as internal numbers."""
        self._values, self._used = values, set(technical)

    def take(self, *names: str) -> Any:
        """The first of these settings that is not empty; None if there is none."""
        self._used.update(names)
        return next((self._values[name] for name in names if _says(self._values.get(name))), None)

    def text(self, *names: str) -> str:
        value = self.take(*names)
        return "" if value is None or isinstance(value, dict | list) else text_of(value)

    def is_false(self, name: str) -> bool:
        """Whether a setting that is usually true says no."""
        self._used.add(name)
        return self._values.get(name) is False

    def left(self) -> dict[str, object]:
        return {name: value for name, value in self._values.items() if name not in self._used and _says(value)}


def text_of(value: object) -> str:
    """A value as text: true and false in lower case, whole numbers without a decimal point."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return "" if value is None else str(value).strip()


def _says(value: object) -> bool:
    return value not in (None, "", False, [], {})
