"""Everything that a draft still lacks before it can be opened, in words."""

from collections.abc import Iterator

from collector.designs.items import MOST_ANSWERS
from collector.errors import Path, ValidationError
from estimator.base.mechanisms import PARAMETERS
from surveys.definition.mechanisms import GRID, answers_of
from surveys.definition.parts import Definition, ItemPart, Text, texts_before, texts_of_pictures
from surveys.definition.questions import frozen_item
from surveys.lifecycle.selectors import language_names

Named = tuple[str, Text, bool]
"""A text: its name, its content by language, and whether it is required."""


NEEDED = "This mechanism requires a value."
FIELDS_OF = {"grid": "step", "required": "may_be_blank"}
FIELDS = {
    *PARAMETERS,
    *GRID, "key", "wording", "choices", "kind", "prefer_not", "may_be_blank", "shuffle", "keep_last", "dropdown",
    "heading", "most", "section",
}  # fmt: skip
"""The fields of a question's form that can have an error; every other error is the mechanism's."""


def missing_texts(definition: Definition, missing: str) -> list[str]:
    """A sentence for each missing part of a draft; `missing`, its first error, if no part has one."""
    if not missing:
        return []
    screening = (f"Screening, {field}: {words}" for field, words in screening_faults(definition))
    found = [*_untranslated(definition), *screening, *_unfinished(definition["items"])]
    return found or [missing.rstrip(".") + "."]


def item_faults(item: ItemPart) -> Iterator[tuple[str, str]]:
    """The faults that keep a question from being asked, as form field and words, without missing texts."""
    number = item["kind"] == "number"
    empty = [name for name in GRID if not item.get(name)] if number else []
    yield from ((name, "A number question requires a value.") for name in empty)
    if not number and len(item["choices"]) < 2:
        yield "choices", f"At least 2 options are required; got {len(item['choices'])}."
    elif not number and (count := len(answers_of(item))) > MOST_ANSWERS:
        yield "choices", f"At most {MOST_ANSWERS} options are allowed, “prefer not to say” included; got {count}."
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
            yield "choices", f"At least 2 options are required; got {count}."
        elif not ends or len(ends) >= count:
            yield "ends", "At least one option must end the survey, and at least one must continue."


def field_and_words(error: ValidationError, path: Path) -> tuple[str, str]:
    """The form field that an error of a question concerns, and its text; `path`: its place in the question."""
    if error.code == "required":
        return error.keys[0], NEEDED
    if path[0] in ("channel", "grid") and (len(path) > 1 or error.message.startswith(":")):
        path = path[1:]
    name = str(next(iter(path or error.keys), ""))
    field = FIELDS_OF.get(name, name)
    return (field if field in FIELDS else "mechanism"), error.sentence(path)


def _unfinished(items: list[ItemPart]) -> Iterator[str]:
    for number, item in enumerate(items, start=1):
        for field, words in item_faults(item):
            yield f"Question {number} ({item['key']}), {field.replace('_', ' ')}: {words}"


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
            where = f" in {name}" if len(languages) > 1 else ""
            yield f"Text missing{where}: {', '.join(gone)}."


def _texts(definition: Definition) -> Iterator[Named]:
    yield "the title", definition["title"], True
    yield "the introduction", definition["introduction"], False
    yield "the consent", definition["consent"], False
    for place, statement in enumerate(definition.get("consent_statements", []), start=1):
        yield f"consent statement {place}", statement, True
    if screening := definition.get("screening"):
        yield "the screening question", screening["wording"], True
        yield "the screen-out text", screening["text"], True
        for place, choice in enumerate(screening["choices"], start=1):
            yield f"option {place} of the screening question", choice, True
    yield from ((f"the {name.replace('_', ' ')}", text, False) for name, text in definition.get("about", {}).items())
    if logo := definition.get("look", {}).get("logo"):
        yield "the alternative text of the logo", logo["alternative"], True
    ending = definition.get("ending", {})
    yield "the closing text", ending.get("text", {}), False
    if "link" in ending:
        yield "the closing link text", ending["link"]["label"], True
    groups = definition["strata"]["groups"]
    yield "the question that assigns the group", definition["strata"]["wording"], bool(groups)
    yield from ((f"group {group['key']}", group["label"], True) for group in groups)
    for section in definition.get("sections", []):
        yield f"the heading of section {section['key']}", section["title"], True
        yield f"the introduction of section {section['key']}", section["introduction"], False
    for number, item in enumerate(definition["items"], start=1):
        for name, words in texts_before(item):
            yield f"the {name} before question {number}", words, True
        yield f"the heading of question {number}", item.get("heading", {}), "heading" in item
        yield f"question {number} ({item['key']})", item["wording"], True
        for place, choice in enumerate(item["choices"], start=1):
            yield f"option {place} of question {number}", choice, True
        for place, words in texts_of_pictures(item):
            yield f"the image of option {place + 1} of question {number}", words, True
        yield f"“prefer not to say” of question {number}", item.get("prefer_not", {}), False
