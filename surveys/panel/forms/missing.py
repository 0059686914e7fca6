"""Everything that a draft still lacks before it can be opened, in words."""

from collections.abc import Iterator

from django.utils.translation import gettext, gettext_lazy

from collector.designs.items import MOST_ANSWERS
from collector.errors import Path, ValidationError
from estimator.base.mechanisms import PARAMETERS
from surveys.definition.mechanisms import GRID, answers_of
from surveys.definition.parts import Definition, ItemPart, Text, texts_before, texts_of_background, texts_of_pictures
from surveys.definition.questions import frozen_item
from surveys.lifecycle.selectors import language_names

Named = tuple[str, Text, bool]
"""A text: its name, its content by language, and whether it is required."""


ABOUT = {
    "sender": gettext_lazy("the sender"),
    "institution": gettext_lazy("the institution"),
    "contact": gettext_lazy("the contact"),
    "data_protection": gettext_lazy("the data protection"),
    "help_line": gettext_lazy("the help line"),
}
BEFORE = {
    "heading": gettext_lazy("the heading before question {number}"),
    "text": gettext_lazy("the text before question {number}"),
    "picture/alternative": gettext_lazy("the alternative text of the picture before question {number}"),
}
NEEDED = gettext_lazy("This randomisation method needs it.")
FIELDS_OF = {"grid": "step", "required": "may_be_blank", "unasked": "sent_if_unasked"}
FIELDS = {
    *PARAMETERS,
    *GRID, "key", "wording", "choices", "kind", "prefer_not", "may_be_blank", "shuffle", "keep_last", "dropdown",
    "heading", "most", "known_share", "section", "sent_if_unasked",
}  # fmt: skip
"""The fields of a question's form that can have an error; every other error is the mechanism's."""


def missing_texts(definition: Definition, missing: str) -> list[str]:
    """A sentence for each missing part of a draft; `missing`, its first error, if no part has one."""
    if not missing:
        return []
    screening = (
        gettext("Screening, {field}: {words}").format(field=field, words=words)
        for field, words in screening_faults(definition)
    )
    found = [*_untranslated(definition), *screening, *_unfinished(definition["items"])]
    return found or [missing.rstrip(".") + "."]


def item_faults(item: ItemPart) -> Iterator[tuple[str, str]]:
    """The faults that keep a question from being asked, as form field and words, without missing texts."""
    number = item["kind"] == "number"
    empty = [name for name in GRID if not item.get(name)] if number else []
    yield from ((name, gettext("A question for a number needs it.")) for name in empty)
    if not number and len(item["choices"]) < 2:
        yield (
            "choices",
            _too_few(len(item["choices"])),
        )
    elif not number and (count := len(answers_of(item))) > MOST_ANSWERS:
        yield (
            "choices",
            gettext("At most {most_answers} are possible, with “prefer not to say”; there are {count}.").format(
                most_answers=MOST_ANSWERS, count=count
            ),
        )
    elif not empty:
        try:
            frozen_item(item, ())
        except ValidationError as error:
            yield field_and_words(error, error.path)


def screening_faults(definition: Definition) -> Iterator[tuple[str, str]]:
    """What the screening question still lacks besides its texts, as its part and words."""
    if screening := definition.get("screening"):
        count, ends = len(screening["choices"]), screening["ends"]
        if count < 2:
            yield (
                "choices",
                _too_few(count),
            )
        elif not ends or len(ends) >= count:
            yield "ends", gettext("Some answers must end the survey, and not all.")


def _too_few(count: int) -> str:
    return gettext("At least 2 are needed; there is 1.") if count else gettext("At least 2 are needed; there are none.")


def field_and_words(error: ValidationError, path: Path) -> tuple[str, str]:
    """The form field that an error of a question concerns, and its text; `path`: its place in the question."""
    if error.code == "required":
        return error.keys[0], str(NEEDED)
    if path[0] in ("channel", "grid") and (len(path) > 1 or error.message.startswith(":")):
        path = path[1:]
    name = str(next(iter(path or error.keys), ""))
    field = FIELDS_OF.get(name, name)
    if field not in FIELDS:
        return "mechanism", error.sentence(path)
    words = error.sentence(path[1:])
    return field, words[0].upper() + words[1:]


def _unfinished(items: list[ItemPart]) -> Iterator[str]:
    for number, item in enumerate(items, start=1):
        for field, words in item_faults(item):
            yield gettext("Question {number} ({item}), {replace}: {words}").format(
                number=number, item=item["key"], replace=field.replace("_", " "), words=words
            )


def _untranslated(definition: Definition) -> Iterator[str]:
    """The missing texts of each language."""
    languages = definition["languages"]
    texts = list(_texts(definition))
    for code, name in zip(languages, language_names(languages), strict=True):
        gone = [
            called
            for called, content, needed in texts
            if not content.get(code, "").strip()
            and (needed or any(content.get(other, "").strip() for other in languages))
        ]
        if gone:
            if len(languages) > 1:
                yield gettext("There is no text in {language} yet for: {texts}.").format(
                    language=name, texts=", ".join(gone)
                )
            else:
                yield gettext("There is no text yet for: {texts}.").format(texts=", ".join(gone))


def _texts(definition: Definition) -> Iterator[Named]:
    yield gettext("the title"), definition["title"], True
    yield gettext("the introduction"), definition["introduction"], False
    yield gettext("the consent"), definition["consent"], False
    for place, statement in enumerate(definition.get("consent_statements", []), start=1):
        yield gettext("consent statement {place}").format(place=place), statement, True
    if screening := definition.get("screening"):
        yield gettext("the screening question"), screening["wording"], True
        yield gettext("the end page of the screening"), screening["text"], True
        for place, choice in enumerate(screening["choices"], start=1):
            yield gettext("option {place} of the screening question").format(place=place), choice, True
    for number, below, words in texts_of_background(definition):
        named = (
            gettext("background question {number}")
            if len(below) == 1
            else gettext("a choice of background question {number}")
        )
        yield named.format(number=number), words, True
    yield from ((str(ABOUT[name]), text, False) for name, text in definition.get("about", {}).items())
    if logo := definition.get("look", {}).get("logo"):
        yield gettext("the alternative text of the logo"), logo["alternative"], True
    ending = definition.get("ending", {})
    yield gettext("the text at the end"), ending.get("text", {}), False
    if "link" in ending:
        yield gettext("the text of the link at the end"), ending["link"]["label"], True
    groups = definition["strata"]["groups"]
    yield gettext("the question that assigns the group"), definition["strata"]["wording"], bool(groups)
    yield from ((gettext("group {group}").format(group=group["key"]), group["label"], True) for group in groups)
    for section in definition.get("sections", []):
        yield gettext("the heading of section {section}").format(section=section["key"]), section["title"], True
        yield gettext("the text below section {section}").format(section=section["key"]), section["introduction"], False
    for number, item in enumerate(definition["items"], start=1):
        yield from _item_texts(number, item)


def _item_texts(number: int, item: ItemPart) -> Iterator[Named]:
    for name, words in texts_before(item):
        yield BEFORE[name].format(number=number), words, True
    yield (
        gettext("the heading of question {number}").format(number=number),
        item.get("heading", {}),
        "heading" in item,
    )
    yield gettext("question {number} ({item})").format(number=number, item=item["key"]), item["wording"], True
    for place, choice in enumerate(item["choices"], start=1):
        yield gettext("option {place} of question {number}").format(place=place, number=number), choice, True
    for place, words in texts_of_pictures(item):
        yield (
            gettext("the picture of option {value} of question {number}").format(value=place + 1, number=number),
            words,
            True,
        )
    yield (
        gettext("“prefer not to say” of question {number}").format(number=number),
        item.get("prefer_not", {}),
        False,
    )
