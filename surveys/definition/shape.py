"""The shape of a definition that may be unfinished: what every draft has to be, before it is fit to be opened."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.utils.translation import gettext

from collector.errors import Path, ValidationError
from surveys.definition.parts import Definition

TEXTS = ("title", "introduction", "consent")


def require_shape(definition: Definition) -> None:
    """Require texts by language, choices that are texts, and parameters that are plain values.

    Raises ValidationError, which names the place and what stands there.
    """
    for name in TEXTS:
        _require_text(definition[name], (name,))  # type: ignore[literal-required]
    for statement, path in _numbered(definition.get("consent_statements", []), ("consent_statements",)):
        _require_text(statement, path)
    if "screening" in definition:
        _require_screening(definition["screening"])
    for name, text in definition.get("about", {}).items():
        _require_text(text, ("about", name))
    _require_appearance(definition)
    _require_text(definition["strata"]["wording"], ("strata", "wording"))
    for group, path in _numbered(definition["strata"]["groups"], ("strata", "groups")):
        _require_text(group["label"], (*path, "label"))
    if "background_questions" in definition:
        _require_background(definition["background_questions"])
    for section, path in _numbered(definition.get("sections", []), ("sections",)):
        for name in ("title", "introduction"):
            _require_text(section[name], (*path, name))
        _require(section.get("help_after", False), (bool,), (*path, "help_after"), gettext("true or false"))
    for item, path in _numbered(definition["items"], ("items",)):
        _require_item(item, path)


def _require_screening(screening: Any) -> None:
    for name in ("wording", "text"):
        _require_text(screening[name], ("screening", name))
    for choice, path in _numbered(screening["choices"], ("screening", "choices")):
        _require_text(choice, path)
    _require(screening["ends"], (list,), ("screening", "ends"), gettext("a list of the numbers of answers"))
    for end, path in _numbered(screening["ends"], ("screening", "ends")):
        _require(end, (int,), path, gettext("the number of an answer"))


def _require_background(background: Any) -> None:
    place: Path = ("background_questions",)
    for name in ("expected_responses", "smallest_cell"):
        _require(background[name], (int,), (*place, name), gettext("a whole number"))
    for question, path in _numbered(background["questions"], (*place, "questions")):
        _require(question["key"], (str,), (*path, "key"), "a text")
        for name in ("wording", *(("prefer_not",) if "arms" not in question else ())):
            _require_text(question[name], (*path, name))
        for arm, where in _numbered(question.get("arms", []), (*path, "arms")):
            _require(arm["explanation"], (str,), (*where, "explanation"), "a text")
            _require(arm["weight"], (int,), (*where, "weight"), gettext("a whole number"))
            for name in {"introduction", "consent"} & set(arm):
                _require_text(arm[name], (*where, name))
            _require(arm.get("instead", {}), (dict,), (*where, "instead"), gettext("a mapping of keys of questions"))
            for key, other in arm.get("instead", {}).items():
                _require(other, (str,), (*where, "instead", key), gettext("the key of a question"))
        for choice, where in _numbered(question["choices"], (*path, "choices")):
            _require_text(choice, where)
        for share, where in _numbered(question.get("shares", []), (*path, "shares")):
            _require(share, (str,), where, gettext("a fraction"))


def _require_appearance(definition: Definition) -> None:
    for name, value in definition.get("look", {}).items():
        if name == "logo":
            _require_picture(value, ("look", name))
        else:
            _require(value, (str,), ("look", name), "a text")
    ending: Any = definition.get("ending", {})
    if "text" in ending:
        _require_text(ending["text"], ("ending", "text"))
    if "link" in ending:
        _require_text(ending["link"]["label"], ("ending", "link", "label"))
        _require(ending["link"]["address"], (str,), ("ending", "link", "address"), gettext("an address"))
    for name, value in ending.get("completion", {}).items():
        _require(value, (dict if name == "carry" else str,), ("ending", "completion", name), "a text")


def _require_item(item: Any, path: Path) -> None:
    _require_text(item["wording"], (*path, "wording"))
    for choice, place in _numbered(item["choices"], (*path, "choices")):
        _require_text(choice, place)
    if "heading" in item:
        _require_text(item["heading"], (*path, "heading"))
    if "prefer_not" in item:
        _require_text(item["prefer_not"], (*path, "prefer_not"))
    for name, part in item.get("before", {}).items():
        if name == "picture":
            _require_picture(part, (*path, "before", name))
        else:
            _require_text(part, (*path, "before", name))
    for picture, place in _numbered(item.get("choice_pictures", []), (*path, "choice_pictures")):
        if picture is not None:
            _require_picture(picture, place)
    _require(item.get("most"), (int, type(None)), (*path, "most"), gettext("a whole number"))
    _require(item.get("known_share", ""), (str,), (*path, "known_share"), gettext("a share as text, such as 0 or 1/3"))
    for name in ("required", "shuffle", "keep_last", "dropdown", "help_after"):
        _require(item.get(name, True), (bool,), (*path, name), gettext("true or false"))
    condition = item.get("asked_if")
    if condition is not None:
        _require(condition.get("item"), (str,), (*path, "asked_if", "item"), gettext("the key of a question"))
        for answer, place in _numbered(condition["answers"], (*path, "asked_if", "answers")):
            _require(answer, (int,), place, gettext("the number of an answer"))
    _require(
        item.get("unasked"), (int, str, type(None)), (*path, "unasked"), gettext("the number of a choice, or a number")
    )
    for name, value in item["channel"].items():
        kinds = (list,) if name == "weights" else (str, int)
        _require(
            value,
            kinds,
            (*path, "channel", name),
            gettext("rows of whole numbers") if name == "weights" else "a number",
        )


def _require_picture(picture: Any, path: Path) -> None:
    _require_text(picture["alternative"], (*path, "alternative"))
    for name, kind in (("digest", str), ("type", str), ("width", int), ("height", int)):
        _require(picture[name], (kind,), (*path, name), "a text" if kind is str else gettext("a whole number"))


def _require_text(value: object, path: Path) -> None:
    _require(value, (dict,), path, gettext("a text for each language"))
    assert isinstance(value, dict)
    for code, words in value.items():
        _require(words, (str,), (*path, code), "a text")


def _require(value: object, kinds: tuple[type, ...], path: Path, what: str) -> None:
    if type(value) not in kinds:
        raise ValidationError(path, gettext("must be {what}; got {value!r}").format(what=what, value=value))


def _numbered(parts: Iterable[Any], path: Path) -> Iterator[tuple[Any, Path]]:
    for number, part in enumerate(parts):
        yield part, (*path, number)
