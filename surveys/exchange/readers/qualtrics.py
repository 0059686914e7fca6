"""Qualtrics: the JSON of a survey export (.qsf)."""

import re

from django.utils.translation import gettext, gettext_lazy

from surveys.exchange.files import decoded, fault, json_document
from surveys.exchange.source import (
    ONE_LOOK,
    Condition,
    Fields,
    Option,
    Question,
    Questionnaire,
    Section,
    SourceKind,
    Wanted,
    Words,
    text_of,
)

TOOL = "Qualtrics"

KINDS: dict[str, SourceKind] = {
    "MC": "one", "Matrix": "one", "TE": "text", "DB": "note", "Slider": "number", "RO": "ranking", "Rank": "ranking",
    "CS": "unknown", "SBS": "unknown", "DD": "unknown", "FileUpload": "file", "Timing": "metadata", "Meta": "metadata",
    "HeatMap": "place", "HotSpot": "place", "Draw": "file", "PGR": "unknown", "Captcha": "metadata", "GAP": "unknown",
    "SS": "file", "HL": "unknown", "TreeTest": "unknown",
}  # fmt: skip
TECHNICAL = frozenset(
    {"DataExportTag", "QuestionType", "Selector", "SubSelector", "Configuration", "QuestionDescription", "ChoiceOrder"}
    | {"QuestionID", "DefaultChoices", "DataVisibility", "NextChoiceId", "NextAnswerId", "AnswerOrder", "Language"}
    | {"QuestionText_Unsafe", "ChoiceDataExportTags", "GradingData", "AnalyzeChoices", "QuestionJS"}
    | {"VariableNaming", "RecodeValues", "ColumnLabels", "TableChoices", "InputType"}
)
FLOW = {
    "Branch": gettext_lazy("A branch in the survey flow."),
    "BlockRandomizer": gettext_lazy("Blocks in random order."),
    "EmbeddedData": gettext_lazy("External data about respondents, which Candor never stores."),
    "Authenticator": gettext_lazy("Respondents who sign in."),
    "WebService": gettext_lazy("A request to another server."),
    "EndSurvey": gettext_lazy("An early end of the survey."),
    "Quota": gettext_lazy("A quota: nobody knows the answers to count."),
    "ReferenceSurvey": gettext_lazy("Questions from another survey."),
    "SupplementalData": gettext_lazy("External data."),
}
BRANCH_ADVICE = gettext_lazy("Use “asked if” on each question; the device decides.")
NO_BREAKS = gettext_lazy(
    "The questions of a section are on one page: where a page should begin, begin a section with a heading."
)
NO_MESSAGE = gettext_lazy("The file refers to the closing text but does not contain it.")
END_ADVICE = gettext_lazy("Copy the text from Qualtrics to the end of the survey.")
LOOKS = ("Skin", "SkinLibrary", "SkinType", "ProgressBarDisplay", "CustomStyles", "Logo", "nextButtonText")
PAGES = {
    "Header": gettext_lazy("Candor's pages have no header: write it in the introduction."),
    "Footer": gettext_lazy("Candor's pages have no footer: write it at the end of the survey."),
    "BackButton": gettext_lazy("In Candor respondents can always go back until they send."),
}
ELEMENTS = {"BL", "FL", "SQ", "SO", "STAT", "QC", "RS", "PROJ", "SCO", "PL", "NT", "QO", "ED", "QG", "TR", "PS"}
DEEPEST = 12
USUAL_BLOCK = "Default Question Block"
"""What Qualtrics calls a block that nobody has named."""

BY_CHANCE = "{~Randomized~}"


def read(content: bytes) -> Questionnaire:
    """The questionnaire of a .qsf file."""
    document = json_document(decoded(content))
    entry = _mapping(_mapping(document).get("SurveyEntry"))
    elements = [one for one in _list(_mapping(document).get("SurveyElements")) if isinstance(one, dict)]
    if not elements:
        raise fault(gettext("must have a list of SurveyElements to be a Qualtrics survey"))
    source = Questionnaire(TOOL, language=text_of(entry.get("SurveyLanguage", "")).lower())
    source.title = _own(entry.get("SurveyName"))
    source.introduction = _own(entry.get("SurveyDescription"))
    questions = {
        text_of(_mapping(one.get("Payload")).get("QuestionID") or one.get("PrimaryAttribute")): _mapping(one["Payload"])
        for one in elements
        if one.get("Element") == "SQ" and isinstance(one.get("Payload"), dict)
    }
    reader = _Reader(source, questions)
    reader.blocks(elements)
    reader.rest(elements)
    return source


class _Reader:
    def __init__(self, source: Questionnaire, questions: dict[str, dict[str, object]]) -> None:
        self.source, self.questions = source, questions
        self.done: set[str] = set()

    def blocks(self, elements: list[dict[str, object]]) -> None:
        """The questions in the order of the flow; those in no block come last."""
        blocks: dict[str, dict[str, object]] = {}
        for element in elements:
            if element.get("Element") == "BL":
                payload = element.get("Payload")
                found = payload.values() if isinstance(payload, dict) else _list(payload)
                for number, block in enumerate(one for one in found if isinstance(one, dict)):
                    blocks[text_of(block.get("ID")) or gettext("block {number}").format(number=number)] = block
        order = [one for element in elements if element.get("Element") == "FL" for one in self._flow(element)]
        named = [*order, *(one for one in blocks if one not in order)]
        used = [one for one in named if one in blocks and blocks[one].get("Type") != "Trash"]
        several = len(used) > 1
        for name in dict.fromkeys(used):
            self._block(blocks[name], name, several=several)
        for name, block in blocks.items():
            if block.get("Type") == "Trash":
                self._trash(block, name)

    def _flow(self, element: dict[str, object]) -> list[str]:
        found: list[str] = []
        waiting = [*reversed(_list(_mapping(element.get("Payload")).get("Flow")))]
        while waiting:
            step = waiting.pop()
            if not isinstance(step, dict):
                continue
            kind = text_of(step.get("Type"))
            if kind in ("Block", "Standard"):
                found.append(text_of(step.get("ID")))
            elif kind in FLOW:
                self.source.report.add(
                    gettext("survey flow"),
                    kind,
                    "left out",
                    FLOW[kind],
                    BRANCH_ADVICE if kind == "Branch" else "",
                )
            elif kind not in ("Root", "Group"):
                self.source.report.add(
                    gettext("survey flow"), kind or "a step", "left out", gettext("Candor has no such step.")
                )
            waiting.extend(reversed(_list(step.get("Flow"))))
        return found

    def _block(self, block: dict[str, object], name: str, *, several: bool) -> None:
        title = text_of(block.get("Description")) or name
        section = Section(gettext("block {title}").format(title=title), title, _own(title)) if several else None
        if section is None and title not in (name, USUAL_BLOCK):
            self.source.report.add(
                gettext("block {title}").format(title=title),
                title,
                "changed",
                gettext("A single block is not a section."),
            )
        options = _mapping(block.get("Options"))
        if text_of(options.get("RandomizeQuestions")) not in ("", "false"):
            self.source.report.add(
                gettext("block {title}").format(title=title),
                gettext("random order of questions"),
                "left out",
                gettext("Candor keeps one order."),
            )
        if text_of(options.get("Looping")) not in ("", "None"):
            self.source.report.add(
                gettext("block {title}").format(title=title),
                "loop",
                "left out",
                gettext("Candor asks every question once."),
            )
        breaks = 0
        for element in _list(block.get("BlockElements")):
            key = text_of(_mapping(element).get("QuestionID"))
            breaks += text_of(_mapping(element).get("Type")) == "Page Break"
            if key in self.questions and key not in self.done:
                self._question(key, section)
        if breaks:
            self.source.report.add(
                gettext("block {title}").format(title=title),
                gettext("page breaks: {breaks}").format(breaks=breaks),
                "left out",
                NO_BREAKS,
            )

    def _question(self, key: str, section: Section | None) -> None:
        self.done.add(key)
        question = _question(self.questions[key], key, self.source.language)
        question.section = section
        self.source.questions.append(question)

    def _options(self, fields: Fields) -> None:
        """The end of the survey and its look; other options concern how Qualtrics runs it."""
        report = self.source.report
        self.source.link = fields.text("EOSRedirectURL")
        if message := fields.text("EOSMessage"):
            report.add(gettext("survey options"), f"EOSMessage: {message}", "left out", NO_MESSAGE, END_ADVICE)
        for name in (*LOOKS, *PAGES):
            if value := fields.text(name):
                report.add(
                    gettext("survey options"),
                    f"{name}: {value}",
                    "left out",
                    ONE_LOOK if name in LOOKS else PAGES[name],
                )
        report.lose_settings(
            gettext("survey options"), (name for name, value in fields.left().items() if value != "false")
        )

    def _trash(self, block: dict[str, object], name: str) -> None:
        for element in _list(block.get("BlockElements")):
            key = text_of(_mapping(element).get("QuestionID"))
            if key in self.questions and key not in self.done:
                self.done.add(key)
                words = text_of(self.questions[key].get("QuestionText", key))
                self.source.report.add(
                    gettext("block {name}").format(name=name),
                    words,
                    "left out",
                    gettext("It is in Qualtrics' trash."),
                )

    def rest(self, elements: list[dict[str, object]]) -> None:
        for key in self.questions:
            if key not in self.done:
                self._question(key, None)
        for element in elements:
            if element.get("Element") == "SO":
                self._options(Fields(_mapping(element.get("Payload"))))
        for element in elements:
            kind = text_of(element.get("Element"))
            if kind not in ELEMENTS or kind in ("QO", "ED", "SCO"):
                named = text_of(element.get("PrimaryAttribute")) or kind
                said = (
                    gettext("A quota: nobody knows the answers to count.")
                    if kind == "QO"
                    else gettext("It is not part of the questionnaire.")
                )
                if kind != "SCO":
                    self.source.report.add(kind, named, "left out", said)


def _question(payload: dict[str, object], key: str, own: str) -> Question:
    fields = Fields(payload, TECHNICAL)
    kind, selector = text_of(payload.get("QuestionType")), text_of(payload.get("Selector"))
    tag = text_of(payload.get("DataExportTag")) or key
    told = " ".join(filter(None, (kind, selector)))
    question = Question(
        gettext("question {tag}").format(tag=tag),
        key,
        told,
        KINDS.get(kind, "unknown"),
        _own(fields.take("QuestionText")),
    )
    translations = {code: _mapping(one) for code, one in _mapping(payload.get("Language")).items() if _mapping(one)}
    for code, texts in translations.items():
        question.words |= {code.lower(): text_of(texts.get("QuestionText"))} if texts.get("QuestionText") else {}
    validation = _mapping(_mapping(fields.take("Validation")).get("Settings"))
    question.required = text_of(validation.get("ForceResponse")) == "ON"
    _shuffle(question, _mapping(fields.take("Randomization")))
    question.condition = _display_logic(fields.take("DisplayLogic"))
    _answers(question, payload, fields, translations)
    _kind(question, kind, selector, validation)
    if kind == "Slider":
        settings = _mapping(payload.get("Configuration"))
        question.minimum, question.maximum = text_of(settings.get("CSSliderMin")), text_of(settings.get("CSSliderMax"))
    if question.kind not in ("note", "text", "unknown", "metadata", "file", "ranking", "place"):
        question.lose(fields.left())
    if text_of(payload.get("QuestionJS")):
        question.note(
            "JavaScript",
            "left out",
            gettext("Candor runs no scripts of a survey: they could read the answers."),
        )
    return question


def _shuffle(question: Question, randomization: dict[str, object]) -> None:
    """The order of options; in an advanced one each place has a code that stays there, or is filled by chance."""
    kind = text_of(randomization.get("Type"))
    places = [text_of(one) for one in _list(_mapping(randomization.get("Advanced")).get("FixedOrder"))]
    first = places.count(BY_CHANCE)
    ends = kind == "Advanced" and first > 0 and BY_CHANCE not in places[first:]
    question.shuffle = kind in ("All", "ScaleReversal") or ends
    question.fixed = frozenset(places[first:] if ends else ())
    if kind == "Advanced" and not ends:
        question.note("Randomization: Advanced", "left out", gettext("Only options at the end can keep their place."))


def _answers(
    question: Question, payload: dict[str, object], fields: Fields, translations: dict[str, dict[str, object]]
) -> None:
    """Options of a choice; of a matrix the rows and the options; of a slider the rows."""
    choices = _options(fields.take("Choices"), payload.get("ChoiceOrder"), translations, "Choices")
    answers = _options(fields.take("Answers"), payload.get("AnswerOrder"), translations, "Answers")
    if question.tool_kind.startswith("Matrix"):
        question.rows, question.options = choices, answers
    elif question.kind == "number":
        question.rows = choices
    else:
        question.options = choices


def _options(found: object, order: object, translations: dict[str, dict[str, object]], part: str) -> list[Option]:
    if isinstance(found, list):
        found = {str(number): one for number, one in enumerate(found, start=1)}
    choices = {text_of(code): one for code, one in _mapping(found).items() if isinstance(one, dict)}
    named = [text_of(code) for code in _list(order)]
    options = []
    for code in dict.fromkeys([*(one for one in named if one in choices), *choices]):
        words = _own(choices[code].get("Display"))
        for language, texts in translations.items():
            said = _mapping(_mapping(texts.get(part)).get(code)).get("Display")
            words |= {language.lower(): text_of(said)} if said else {}
        option = Option(code, words)
        option.special = "other" if text_of(choices[code].get("TextEntry")) == "true" else ""
        option.special = "none" if choices[code].get("ExclusiveAnswer") else option.special
        options.append(option)
    return options


def _kind(question: Question, kind: str, selector: str, validation: dict[str, object]) -> None:
    """The kind, where its selector says more than its type."""
    if kind == "MC" and selector.startswith("MA"):
        question.kind = "several"
        question.most = text_of(validation.get("MaxChoices"))
    elif kind == "MC" and selector == "NPS":
        question.kind = "scale"
        question.options = question.options or [Option(str(point), {"": str(point)}) for point in range(11)]
    elif kind == "MC" and selector == "DL":
        question.dropdown = True
    elif kind == "Matrix" and selector in ("TE", "RO", "CS", "Profile", "MaxDiff"):
        question.kind = "text" if selector == "TE" else "unknown"
    elif kind == "Matrix" and selector == "Likert" and "Multiple" in text_of(validation.get("Type")):
        question.kind = "several"
    elif kind == "TE" and text_of(validation.get("ContentType")) == "ValidNumber":
        question.kind = "number"
        bounds = _mapping(validation.get("ValidNumber"))
        question.minimum, question.maximum = text_of(bounds.get("Min")), text_of(bounds.get("Max"))
        question.rows = []
    elif kind == "TE" and text_of(validation.get("ContentType")) == "ValidDate":
        question.kind = "date"


def _display_logic(logic: object) -> Condition | None:
    """When a question is displayed: its expressions name questions and options by their numbers."""
    if not isinstance(logic, dict):
        return None
    expressions = []
    for group in logic.values():
        for one in group.values() if isinstance(group, dict) else ():
            if isinstance(one, dict) and one.get("LogicType"):
                expressions.append(one)
    written = " ".join(re.sub(r"<[^<>]*>", " ", text_of(one.get("Description"))) for one in expressions)
    found = Condition(written.strip() or gettext("display logic"))
    parts: list[Wanted] = []
    for one in expressions:
        option = re.search(
            r"q://(QID[\w]+)/SelectableChoice/(\w+)", text_of(one.get("ChoiceLocator") or one.get("LeftOperand"))
        )
        operator = text_of(one.get("Operator"))
        if text_of(one.get("LogicType")) != "Question" or option is None or operator not in ("Selected", "NotSelected"):
            found.problem = gettext("it uses something other than whether an option was selected")
            return found
        wanted = Wanted(option[1], frozenset([option[2]]), operator == "NotSelected")
        if parts and text_of(one.get("Conjuction", one.get("Conjunction"))).lower() == "or":
            if parts[-1].name != wanted.name or parts[-1].negated or wanted.negated:
                found.problem = gettext("it joins answers to several questions by “or”")
                return found
            wanted = Wanted(wanted.name, parts.pop().codes | wanted.codes)
        parts.append(wanted)
    found.wanted = parts or None
    found.problem = "" if parts else gettext("it has no expression that can be read")
    return found


def _own(value: object) -> Words:
    return {"": text_of(value)} if isinstance(value, str | int | float) and text_of(value) else {}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _mapping(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}
