"""SurveyJS: the JSON of its Creator and its form library."""

from typing import Any

from django.utils.translation import gettext, gettext_lazy

from surveys.exchange.conditions import condition
from surveys.exchange.files import decoded, fault, json_document
from surveys.exchange.source import (
    NO_SETTING,
    ONE_LOOK,
    Fields,
    Option,
    Question,
    Questionnaire,
    Section,
    SourceKind,
    Words,
    text_of,
)

TOOL = "SurveyJS"
STORED = "candor"
"""The property in which Candor writes what SurveyJS has no word for, such as the randomisation."""

KINDS: dict[str, SourceKind] = {
    "radiogroup": "one", "dropdown": "one", "buttongroup": "one", "imagepicker": "one", "checkbox": "several",
    "tagbox": "several", "boolean": "yes_no", "rating": "scale", "text": "text", "comment": "text",
    "multipletext": "text", "matrix": "one", "matrixdropdown": "unknown", "matrixdynamic": "unknown",
    "paneldynamic": "unknown", "ranking": "ranking", "file": "file", "signaturepad": "file", "html": "note",
    "image": "file", "expression": "computed", "nouislider": "number", "slider": "number",
}  # fmt: skip
INPUTS: dict[str, SourceKind] = {
    "number": "number", "range": "number", "date": "date", "datetime-local": "date", "month": "date", "time": "time",
}  # fmt: skip
TECHNICAL = frozenset(
    {"name", "type", "elements", "pages", "valueName", "width", "minWidth", "maxWidth", "startWithNewLine", "state"}
    | {"titleLocation", "colCount", "showNumber", "hideNumber", "inputType", "displayMode", "rateType", "autoGenerate"}
)
LOOKS = (
    "logo", "logoPosition", "theme", "showProgressBar", "progressBarType", "widthMode", "showQuestionNumbers",
    "questionErrorLocation", "focusFirstQuestionAutomatic", "questionsOnPageMode", "headerView", "checkErrorsMode",
    "textUpdateMode", "clearInvisibleValues", "showTitle", "fitToContainer",
)  # fmt: skip
BY_ANSWER = ("completedHtmlOnCondition", "navigateToUrlOnCondition")
ENDS = gettext_lazy("The end is the same for everybody: one that depends on an answer would reveal it.")
DEEPEST = 12
HIDDEN = gettext_lazy("SurveyJS hides it until a program shows it; here it is asked.")
INSIDE = ("templateElements", "columns", "rows", "items", "detailElements")
"""Where elements that are left out have questions of their own."""
SPECIAL: tuple[tuple[str, str, str, str], ...] = (
    ("showNoneItem", "hasNone", "none", "None"),
    ("showOtherItem", "hasOther", "other", "Other"),
    ("showDontKnowItem", "", "", "Don't know"),
    ("showRefuseItem", "", "prefer_not", "Prefer not to say"),
)
CODES = {"none": "none", "other": "other", "prefer_not": "refused", "": "dontknow"}
TEXTS = {"none": "noneText", "other": "otherText", "prefer_not": "refuseText", "": "dontKnowText"}


def read(content: bytes) -> Questionnaire:
    """The questionnaire of a SurveyJS file."""
    document = json_document(decoded(content))
    if not isinstance(document, dict):
        raise fault(gettext("must be a JSON object with pages or elements"))
    return read_document(document)


def read_document(document: dict[str, object]) -> Questionnaire:
    source = Questionnaire(TOOL)
    fields = Fields(document, TECHNICAL | {"questions", "$schema"})
    source.title, source.introduction = words_of(fields.take("title")), words_of(fields.take("description"))
    source.language = fields.text("locale")
    source.stored = _mapping(fields.take(STORED))
    source.consent = words_of(source.stored.pop("consent", None))
    source.ending, source.link = words_of(fields.take("completedHtml")), fields.text("navigateToUrl")
    reader = _Reader(source)
    for number, page in enumerate(_objects(document.get("pages")), start=1):
        reader.page(page, number)
    reader.elements(document.get("elements") or document.get("questions"), "elements", None, 1)
    for name, value in fields.left().items():
        why = ONE_LOOK if name in LOOKS else ENDS if name in BY_ANSWER else NO_SETTING
        source.report.add("survey", f"{name}: {value}", "left out", why)
    if not isinstance(document.get("pages", document.get("elements", document.get("questions"))), list):
        raise fault(gettext("must have a list of pages or elements to be a SurveyJS survey"))
    return source


def words_of(value: object) -> Words:
    """A text, plain or by locale; "default" is in the survey's own language."""
    if isinstance(value, dict):
        texts = {str(code): text_of(words) for code, words in value.items() if isinstance(words, str | int | float)}
        return {"" if code == "default" else code: words for code, words in texts.items() if words}
    return {"": text_of(value)} if isinstance(value, str | int | float) and text_of(value) else {}


class _Reader:
    def __init__(self, source: Questionnaire) -> None:
        self.source = source

    def page(self, page: dict[str, object], number: int) -> None:
        fields = Fields(page, TECHNICAL | {"questions"})
        section = Section(f"pages[{number - 1}]", text_of(page.get("name", "")))
        section.title, section.introduction = words_of(fields.take("title")), words_of(fields.take("description"))
        section.conditions = [one for one in [condition(fields.text("visibleIf"))] if one]
        self._hidden(fields, section.place, section.name)
        # A page without words or condition is a page break, and one page alone is no section.
        several = isinstance(page_list := page.get("elements", page.get("questions")), list) and bool(section.title)
        if section.introduction and not section.title:
            said = gettext("A page has a text only below a heading: write a heading.")
            self.source.report.add(section.place, section.name, "changed", said)
        told = several or section.conditions or section.introduction
        for name, value in fields.left().items():
            self.source.report.add(section.place, f"{name}: {value}", "left out", NO_SETTING)
        if not told and page_list:
            self.source.report.add(
                section.place, section.name, "changed", gettext("A page without a heading is not a section.")
            )
        self.elements(page_list, section.place, section if told else None, 1)

    def elements(self, elements: object, place: str, section: Section | None, depth: int) -> None:
        for number, element in enumerate(_objects(elements)):
            here = f"{place}[{number}]" if place == "elements" else f"{place}.elements[{number}]"
            kind = text_of(element.get("type", "text"))
            if kind == "panel" and depth < DEEPEST:
                self._panel(element, here, section, depth)
            else:
                self.source.questions.append(_question(element, kind, here, section))

    def _hidden(self, fields: Fields, place: str, name: str) -> None:
        if fields.is_false("visible"):
            self.source.report.add(place, name, "changed", HIDDEN)

    def _panel(self, panel: dict[str, object], here: str, outer: Section | None, depth: int) -> None:
        fields = Fields(panel, TECHNICAL)
        section = Section(here, text_of(panel.get("name", "")))
        section.title, section.introduction = words_of(fields.take("title")), words_of(fields.take("description"))
        inner = [one for one in [condition(fields.text("visibleIf"))] if one]
        self._hidden(fields, here, section.name)
        section.conditions = [*(outer.conditions if outer else []), *inner]
        for name, value in fields.left().items():
            self.source.report.add(here, f"{name}: {value}", "left out", NO_SETTING)
        told = bool(section.title or section.introduction or inner)
        if told and outer is not None and not section.title:
            section.title = outer.title
        self.elements(panel.get("elements"), here, section if told else outer, depth + 1)


def _question(element: dict[str, object], kind: str, place: str, section: Section | None) -> Question:
    fields = Fields(element, TECHNICAL)
    name = text_of(element.get("valueName") or element.get("name", ""))
    question = Question(place, name, kind, KINDS.get(kind, "unknown"), words_of(fields.take("title")))
    if kind == "text":
        asked = text_of(element.get("inputType", ""))
        question.kind = INPUTS.get(asked, "text")
        question.tool_kind = f"text ({asked})" if asked else kind
    question.words = question.words or words_of(fields.take("html")) or {"": name}
    question.section, question.condition = section, condition(fields.text("visibleIf"))
    if fields.is_false("visible"):
        question.note("visible: false", "changed", HIDDEN)
    question.help = words_of(fields.take("description"))
    question.required = fields.take("isRequired") is True
    question.minimum, question.maximum, question.step = (fields.text(one) for one in ("min", "max", "step"))
    question.most = fields.text("maxSelectedChoices")
    question.shuffle = fields.text("choicesOrder", "rowOrder").lower() == "random"
    fields.take("requiredErrorText", "defaultValue" if question.kind == "note" else "requiredErrorText")
    question.dropdown = kind == "dropdown"
    if kind == "boolean":
        _boolean(question, fields)
    elif kind == "rating":
        _rating(question, fields)
    elif kind == "matrix":
        question.options = [_option(one) for one in _list(fields.take("columns"))]
        for option in question.options:
            option.special = "prefer_not" if option.code == "prefer_not" else ""
        question.rows = [_option(one) for one in _list(fields.take("rows"))]
        question.required = question.required or fields.take("isAllRowRequired", "eachRowRequired") is True
    elif question.kind in ("one", "several"):
        _choices(question, fields)
    if question.kind in ("unknown", "text"):
        _inside(question, element)
    question.stored = _mapping(fields.take(STORED))
    if question.kind in ("one", "several", "scale", "yes_no", "number", "date", "time"):
        question.lose(fields.left())
    return question


def _inside(question: Question, element: dict[str, object]) -> None:
    """Report the questions within an element that is left out, each by its words."""
    for name in INSIDE:
        for one in _list(element.get(name)):
            words = words_of(one["title"] if isinstance(one, dict) and "title" in one else None) or _option(one).words
            text = next(iter(words.values()), "") or text_of(_mapping(one).get("name", ""))
            question.note(
                f"{name}: {text}",
                "left out",
                gettext("It is a part of {tool_kind} {name}.").format(tool_kind=question.tool_kind, name=question.name),
            )


def _choices(question: Question, fields: Fields) -> None:
    question.options = [_option(one) for one in _list(fields.take("choices"))]
    for new, old, special, usual in SPECIAL:
        words = words_of(fields.take(TEXTS[special]))
        if fields.take(new, *([old] if old else [])) is True:
            option = Option(CODES[special], words or {"": usual})
            option.special = special  # type: ignore[assignment]
            question.options.append(option)
            question.fixed |= {option.code}
    if not question.options:
        question.note("choices", "left out", gettext("Its options come from elsewhere, such as a web address."))


def _boolean(question: Question, fields: Fields) -> None:
    no, yes = (words_of(fields.take(name)) for name in ("labelFalse", "labelTrue"))
    codes = [text_of(fields.take(name)) or usual for name, usual in (("valueFalse", "false"), ("valueTrue", "true"))]
    if no or yes:
        question.options = [Option("false", no or {"": "No"}), Option("true", yes or {"": "Yes"})]
        for option, code in zip(question.options, codes, strict=True):
            option.code = code


def _rating(question: Question, fields: Fields) -> None:
    """The points of a rating, with the words for its ends."""
    values = _list(fields.take("rateValues"))
    low, high, step = (
        _whole(fields.take(name), usual) for name, usual in (("rateMin", 1), ("rateMax", 5), ("rateStep", 1))
    )
    count = _whole(fields.take("rateCount"), 0)
    high = low + count - 1 if count and not values else high
    first, last = words_of(fields.take("minRateDescription")), words_of(fields.take("maxRateDescription"))
    points = [_option(one) for one in values]
    if not points and step > 0 and low < high and (high - low) // step < 256:
        points = [Option(str(point), {"": str(point)}) for point in range(low, high + 1, step)]
    for end, words in ((points[:1], first), (points[-1:], last)):
        for option in end:
            number = option.words.get("", option.code)
            option.words = {code: f"{number} – {said}" for code, said in words.items()} or option.words
    tags = {tag for point in points for tag in point.words}
    for point in points:
        point.words = {tag: point.words.get(tag, point.code) for tag in tags}
    question.options = points


def _option(one: Any) -> Option:
    if isinstance(one, dict):
        code = text_of(one.get("value"))
        return Option(code, words_of(one.get("text")) or {"": code})
    return Option(text_of(one), {"": text_of(one)})


def _whole(value: object, usual: int) -> int:
    return int(value) if isinstance(value, int | float) and abs(value) < 10**6 else usual


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _objects(value: object) -> list[dict[str, object]]:
    return [one for one in _list(value) if isinstance(one, dict)]


def _mapping(value: object) -> dict[str, object]:
    return dict(value) if isinstance(value, dict) else {}
