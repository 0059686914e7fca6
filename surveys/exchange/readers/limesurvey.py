"""LimeSurvey's questions, as both of its file formats have them: one letter for each type."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from django.utils.translation import gettext, gettext_lazy

from surveys.exchange.conditions import condition
from surveys.exchange.source import Option, Question, Questionnaire, Section, SourceKind, Words

TOOL = "LimeSurvey"

TYPES: dict[str, tuple[str, SourceKind]] = {
    "L": ("List (radio)", "one"), "!": ("List (dropdown)", "one"), "O": ("List with comment", "one"),
    "5": ("5 point choice", "scale"), "Y": ("Yes/No", "yes_no"), "G": ("Gender", "one"),
    "M": ("Multiple choice", "several"), "P": ("Multiple choice with comments", "several"),
    "N": ("Numerical input", "number"), "K": ("Multiple numerical input", "number"), "D": ("Date/Time", "date"),
    "A": ("Array (5 point choice)", "scale"), "B": ("Array (10 point choice)", "scale"),
    "C": ("Array (Yes/No/Uncertain)", "one"), "E": ("Array (Increase/Same/Decrease)", "one"),
    "F": ("Array", "one"), "H": ("Array by column", "one"), "1": ("Array dual scale", "one"),
    ";": ("Array (Texts)", "text"), ":": ("Array (Numbers)", "number"), "R": ("Ranking", "ranking"),
    "S": ("Short free text", "text"), "T": ("Long free text", "text"), "U": ("Huge free text", "text"),
    "Q": ("Multiple short text", "text"), "X": ("Text display", "note"), "*": ("Equation", "computed"),
    "I": ("Language switch", "metadata"), "|": ("File upload", "file"),
}  # fmt: skip
"""By its letter: LimeSurvey's own name of a type, and what it is here."""

PRESETS: dict[str, list[tuple[str, Words]]] = {
    "5": [(str(point), {"": str(point)}) for point in range(1, 6)],
    "A": [(str(point), {"": str(point)}) for point in range(1, 6)],
    "B": [(str(point), {"": str(point)}) for point in range(1, 11)],
    "Y": [("N", {"en": "No", "de": "Nein", "es": "No", "fr": "Non", "ar": "لا"}),
          ("Y", {"en": "Yes", "de": "Ja", "es": "Sí", "fr": "Oui", "ar": "نعم"})],
    "G": [("F", {"en": "Female", "de": "Weiblich", "es": "Femenino", "fr": "Féminin", "ar": "أنثى"}),
          ("M", {"en": "Male", "de": "Männlich", "es": "Masculino", "fr": "Masculin", "ar": "ذكر"})],
    "C": [("Y", {"en": "Yes", "de": "Ja", "es": "Sí", "fr": "Oui", "ar": "نعم"}),
          ("U", {"en": "Uncertain", "de": "Unsicher", "es": "Dudoso", "fr": "Incertain", "ar": "غير متأكد"}),
          ("N", {"en": "No", "de": "Nein", "es": "No", "fr": "Non", "ar": "لا"})],
    "E": [("I", {"en": "Increase", "de": "Zunahme", "es": "Aumento", "fr": "Augmentation", "ar": "زيادة"}),
          ("S", {"en": "Same", "de": "Gleich", "es": "Igual", "fr": "Identique", "ar": "نفسه"}),
          ("D", {"en": "Decrease", "de": "Abnahme", "es": "Disminución", "fr": "Diminution", "ar": "نقصان"})],
}  # fmt: skip
"""Answers that LimeSurvey itself puts to a type, which stand in no file."""

OTHER: Words = {"en": "Other", "de": "Sonstiges", "es": "Otro", "fr": "Autre", "ar": "أخرى"}
GRIDS = "KABCEFH1:"
OFF = {"", "0", "N", "I", "default", "none"}
"""Values of an attribute that says nothing."""

LOOKS = frozenset(
    {"statistics_showgraph", "statistics_graphtype", "public_statistics", "page_break", "cssclass", "display_columns"}
    | {"display_type", "scale_export", "save_as_default", "clear_default", "answer_width", "repeat_headings"}
    | {"dropdown_size", "text_input_width", "input_size", "em_validation_q_tip", "hide_tip", "category_separator"}
)


TEXTS = {
    "surveyls_title": "title", "surveyls_description": "introduction", "surveyls_welcometext": "introduction",
    "surveyls_policy_notice": "consent", "surveyls_endtext": "ending", "surveyls_urldescription": "link_label",
}  # fmt: skip
"""Where the texts of a survey go."""

LOST = {
    "surveyls_policy_error": gettext_lazy("Candor says in its own words that nothing is sent without consent."),
    "surveyls_policy_notice_label": gettext_lazy("Candor has its own text for the consent box."),
    "surveyls_legal_notice": gettext_lazy(
        "Candor has no such page: write it below data protection, or into the consent."
    ),
}
KNOWN = {"sid", "surveyls_survey_id", "surveyls_language", "language", "additional_languages", "surveyls_url"}
KNOWN |= TEXTS.keys() | LOST.keys()


@dataclass
class LimePart:
    """A subquestion or an answer: its code, its words, the scale that it belongs to."""

    code: str
    scale: str = "0"
    words: Words = field(default_factory=dict)


@dataclass
class LimeQuestion:
    """A question as LimeSurvey stores it."""

    place: str
    code: str
    letter: str
    section: Section | None = None
    words: Words = field(default_factory=dict)
    help: Words = field(default_factory=dict)
    mandatory: bool = False
    other: bool = False
    relevance: str = ""
    validation: str = ""
    default: str = ""
    attributes: dict[str, str] = field(default_factory=dict)
    subquestions: list[LimePart] = field(default_factory=list)
    answers: list[LimePart] = field(default_factory=list)


def part_of(parts: list[LimePart], code: str, scale: str) -> LimePart:
    """The part with this code, new at the end of the list if there is none yet."""
    found = next((one for one in parts if (one.code, one.scale) == (code, scale)), None)
    if found is None:
        parts.append(found := LimePart(code, scale))
    return found


def take_setting(source: Questionnaire, place: str, name: str, value: str, language: str) -> None:
    """Take a text of the survey, or report why it is left out."""
    if not value:
        return
    if part := TEXTS.get(name):
        words: Words = getattr(source, part)
        words[language] = "\n\n".join(filter(None, (words.get(language, ""), value)))
    elif name == "surveyls_url" and source.link in ("", value):
        source.link = value
    elif name == "surveyls_url":
        source.report.add(
            place,
            f"{name}: {value}",
            "left out",
            gettext("The link at the end is the same in every language."),
        )
    elif name in LOST:
        source.report.add(place, f"{name}: {value}", "left out", LOST[name])


def is_running(name: str, value: str) -> bool:
    """Whether this is a setting of how LimeSurvey runs a survey, with a value that says something."""
    return name not in KNOWN and value not in OFF


def add_questions(source: Questionnaire, found: Iterable[LimeQuestion]) -> None:
    """Add the questions in the form of all tools; LimeSurvey's own answers in the languages of its texts."""
    every = list(found)
    tags = list(dict.fromkeys(tag for one in every for tag in one.words))
    for lime in every:
        source.questions += _questions(lime, tags)


def _questions(lime: LimeQuestion, tags: list[str]) -> list[Question]:
    label, kind = TYPES.get(lime.letter, (gettext("type {letter}").format(letter=lime.letter), "unknown"))
    question = Question(lime.place, lime.code, label, kind, lime.words, lime.help, section=lime.section)
    question.required, question.condition = lime.mandatory, condition(lime.relevance)
    question.dropdown = lime.letter == "!"
    preset = PRESETS.get(lime.letter, [])
    answers = [one for one in lime.answers if one.scale == "0"]
    question.options = [Option(code, _spoken(words, tags)) for code, words in preset]
    question.options += [Option(one.code, one.words) for one in answers]
    rows = [one for one in lime.subquestions if one.scale == "0"]
    if lime.letter in "MP":
        question.options = [Option(one.code, one.words) for one in rows]
    elif lime.letter in GRIDS:
        question.rows = [Option(one.code, one.words) for one in rows]
    if lime.other:
        question.options.append(Option("-oth-", _spoken(OTHER, tags), "other"))
        question.fixed = frozenset({"-oth-"})
    if lime.letter in "OP":
        question.note("comment", "left out", gettext("A comment on an answer cannot be randomised."))
    _attributes(question, lime)
    if lime.letter == ":":
        question.kind, question.tool_kind = "unknown", label
    second = [Option(one.code, one.words) for one in lime.answers if one.scale == "1"]
    return [question, _second_scale(question, second)] if lime.letter == "1" and second else [question]


def _second_scale(question: Question, options: list[Option]) -> Question:
    """The questions of the second scale of an array with two."""
    question.note(gettext("second scale"), "changed", gettext("Each scale of the array becomes a separate question."))
    other = Question(question.place, f"{question.name}_2", question.tool_kind, question.kind, question.words)
    other.options, other.rows, other.section = options, question.rows, question.section
    other.required, other.condition = question.required, question.condition
    return other


def _spoken(words: Words, tags: list[str]) -> Words:
    """LimeSurvey's own words for the languages that the texts have; in English where it has them in none."""
    spoken = {tag: words[tag.split("-")[0]] for tag in tags if tag.split("-")[0] in words}
    return spoken or {"": words.get("en", words.get("", ""))}


def _attributes(question: Question, lime: LimeQuestion) -> None:
    attributes = {name: value for name, value in lime.attributes.items() if value not in OFF and name not in LOOKS}
    random = [attributes.pop(name, "") for name in ("random_order", "answer_order", "subquestion_order")]
    question.shuffle = bool({"1", "random"} & set(random))
    question.most = attributes.pop("max_answers", "")
    question.minimum = attributes.pop("min_num_value_n", attributes.pop("date_min", ""))
    question.maximum = attributes.pop("max_num_value_n", attributes.pop("date_max", ""))
    attributes.pop("num_value_int_only", None)
    if question.kind == "date":
        _date_or_time(question, attributes.pop("date_format", ""))
    for code in attributes.pop("exclude_all_others", "").split(";"):
        for option in question.options:
            option.special = "none" if option.code == code.strip() else option.special
    prefix, suffix = attributes.pop("prefix", ""), attributes.pop("suffix", "")
    if prefix or suffix:
        question.note("prefix, suffix", "left out", f"{prefix} {suffix}", gettext("Write the unit into the wording."))
    attributes |= {name: value for name, value in (("validation", lime.validation), ("default", lime.default)) if value}
    if attributes.pop("hidden", ""):
        question.note("hidden", "changed", gettext("LimeSurvey hides this question; here it is asked."))
    question.lose(attributes)


def _date_or_time(question: Question, written: str) -> None:
    """What a question of the type Date/Time asks for says its format alone; without one it is a date."""
    clock = "h" in written.lower()
    if clock and "y" not in written.lower():
        question.kind, question.tool_kind = "time", "Time"
    elif not clock:
        question.tool_kind = "Date"
