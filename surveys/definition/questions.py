"""One question of a definition: filling in defaults, and freezing it as an item of the design."""

from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, cast

from django.utils.translation import gettext, gettext_lazy

from collector.designs import Kind
from collector.designs.checks import decimal, listed, one_of
from collector.errors import Path, ValidationError
from estimator.base.mechanisms import PARAMETERS, REGISTRY
from randomized_response import ParameterError
from surveys.definition import classes
from surveys.definition.mechanisms import GRID, KINDS, answers_of, frozen_channel, grid_of, numbers_of, plain_form
from surveys.definition.numerals import plain_decimal
from surveys.definition.parts import ConditionPart, ItemPart, Text
from surveys.definition.picture_files import complete_picture
from surveys.definition.pictures import CleanPicture
from surveys.definition.unsupported import unsupported_kind
from surveys.definition.validation import exact, known_keys, text

YES_NO = {
    "en": ("No", "Yes"),
    "de": ("Nein", "Ja"),
    "es": ("No", "Sí"),
    "fr": ("Non", "Oui"),
    "ar": ("لا", "نعم"),
}
"""The default choices of a yes/no question."""

PREFER_NOT = {
    "en": "Prefer not to say",
    "de": "Möchte ich nicht sagen",
    "es": "Prefiero no decirlo",
    "fr": "Je préfère ne pas le dire",
    "ar": "أفضّل عدم الإجابة",
}
"""The choice that `prefer_not: true` adds."""

ITEM_KEYS = {
    "key", "kind", "wording", "choices", "channel", "classes", "points", "low", "high", *GRID,
    "prefer_not", "required", "shuffle", "keep_last", "dropdown", "heading", "most", "section", "help_after",
    "sensitivity", "asked_if", "unasked", "before", "choice_pictures",
    "known_share",
}  # fmt: skip
USUAL = {"required": True, "shuffle": False, "keep_last": False, "dropdown": False, "help_after": False}
"""What is so where a question does not say it."""

AS_THEY_ARE = ("most", "section")
SHARED = ("kind", "choices", "points", "low", "high", "prefer_not", "required", "channel", "section", "sensitivity")
"""Parts that a row of a matrix takes from the row above where it says no kind of its own."""

SENSITIVITIES = ("very", "somewhat", "little")
"""How sensitive an author can say that a question is; the privacy budget is divided by it."""

UNFROZEN = ("help_after", "sensitivity")
"""Parts that the frozen question does not have: tickets and waves go by what is asked, and how sensitive its author
found a question is nobody else's to read."""

NO_NUMBER_WITHHELD = gettext_lazy(
    "is not allowed for a number: every response to a number is a number. Ask first, in a "
    "yes/no question, whether people want to tell it, and ask for the number only then "
    "(asked_if)"
)


def complete_item(
    item: object,
    languages: list[str],
    path: Path,
    earlier: list[ItemPart],
    pictures: Mapping[str, CleanPicture] = MappingProxyType({}),
) -> ItemPart:
    """The item with every optional part filled in. `earlier`: the complete items before it; `pictures`: of its file."""
    item = _with_row_above(known_keys(item, ITEM_KEYS, path), languages, earlier)
    kind = _kind(item.get("kind", "yes_no"), path)
    completed = {
        "key": item.get("key", ""),
        "kind": kind,
        "wording": text(item.get("wording", ""), languages),
        "choices": _choices(item, kind, languages, path),
        **{name: exact(item[name], plain_decimal) for name in GRID if name in item},
        **_prefer_not(item, kind, languages, path),
        **{name: item[name] for name, usual in USUAL.items() if item.get(name, usual) != usual},
        **({"heading": text(item["heading"], languages)} if item.get("heading") else {}),
        **{name: item[name] for name in AS_THEY_ARE if item.get(name) is not None},
        **({"known_share": exact(item["known_share"])} if item.get("known_share") not in (None, "") else {}),
        **_sensitivity(item, path),
        **_before(item, languages, (*path, "before"), pictures),
        **_choice_pictures(item, languages, (*path, "choice_pictures"), pictures),
        "channel": _channel(item, kind, (*path, "channel")),
    }
    return _with_condition(cast("ItemPart", completed), item, languages[0], path, earlier)


def _with_row_above(item: dict[str, object], languages: list[str], earlier: list[ItemPart]) -> dict[str, object]:
    """A row of a matrix that says no kind, with all that it shares with the row above under the same heading."""
    above = earlier[-1] if earlier else None
    if not item.get("heading") or "kind" in item or above is None:
        return item
    if above.get("heading") != text(item["heading"], languages):
        return item
    return {**{name: value for name, value in above.items() if name in SHARED}, **item}


def frozen_item(item: ItemPart, path: Path) -> Mapping[str, Any]:
    """The item in the design's form (docs/reference/formats.md). Raises ValidationError if it has no mechanism."""
    number = item["kind"] == "number"
    try:
        if not number and len(item["choices"]) < 2:
            raise ValidationError(
                ("choices",),
                gettext("must be a list of at least 2 texts; got {count}").format(count=len(item["choices"])),
            )
        encoding, channel = frozen_channel(item)
        unasked = {"unasked": _place_of(item)} if "unasked" in item else {}
    except KeyError as error:
        missing = error.args[0]
        raise ValidationError(
            (*path, "channel"),
            gettext("must have {missing!r}").format(missing=missing),
            code="required",
            keys=[missing],
        ) from None
    except ValidationError as error:
        raise error.below(*path) from None
    except (ValueError, TypeError) as error:
        keys = [error.name] if isinstance(error, ParameterError) else []
        raise ValidationError((*path, "channel"), f": {error}", keys=keys) from None
    frozen = {name: value for name, value in item.items() if name not in {*GRID, *UNFROZEN}}
    frozen |= {"choices": answers_of(item), "encoding": encoding, "channel": channel, **unasked}
    frozen |= {"prefer_not": True} if "prefer_not" in item else {}
    if "choice_pictures" in item:
        frozen["choice_pictures"] = [*item["choice_pictures"], *([None] if "prefer_not" in item else [])]
    return frozen | ({"grid": grid_of(item)} if number else {})


def yes_no(languages: list[str]) -> list[Text]:
    """The platform's "No" and "Yes" in each language; empty for an unsupported one."""
    return [{code: YES_NO.get(code, ("", ""))[answer] for code in languages} for answer in (0, 1)]


def prefer_not(languages: list[str]) -> Text:
    """ "Prefer not to say" in the platform's words."""
    return words_of(PREFER_NOT, languages)


def words_of(words: Mapping[str, str], languages: list[str]) -> Text:
    """The platform's words in each language; empty for an unsupported one."""
    return {code: words.get(code, "") for code in languages}


def place_among(answers: Sequence[Text | str], written: object, language: str, path: Path) -> Any:
    """The index of an answer named by its text; an index is returned as it is."""
    if not isinstance(written, str):
        return written
    texts = [answer.get(language, "") if isinstance(answer, dict) else answer for answer in answers]
    if written not in texts:
        raise ValidationError(
            path,
            gettext("must be one of {names}; got {written}").format(names=", ".join(map(str, texts)), written=written),
        )
    return texts.index(written)


def _kind(kind: object, path: Path) -> Kind:
    if reason := unsupported_kind(kind):
        raise ValidationError(
            (*path, "kind"), gettext("{kind!r} is not possible: {reason}.").format(kind=kind, reason=reason)
        )
    return one_of(kind, KINDS, (*path, "kind"), gettext("one of {names}").format(names=", ".join(KINDS)))


def _choices(item: dict[str, object], kind: Kind, languages: list[str], path: Path) -> list[Any]:
    if "points" in item:
        return _points(item, kind, languages, path)
    if "classes" in item:
        return _classes(item, kind, languages, path)
    if {"low", "high"} & set(item):
        raise ValidationError(path, gettext(": low and high are only allowed together with points"), keys=["low"])
    choices = listed(item.get("choices") or [], (*path, "choices"))
    return [text(choice, languages) for choice in choices or (yes_no(languages) if kind == "yes_no" else [])]


def _classes(item: dict[str, object], kind: Kind, languages: list[str], path: Path) -> list[Text]:
    """The choices of a question on a date or a time of day, which is asked by its class."""
    if kind not in classes.KINDS or item.get("choices"):
        fitting = gettext("is for {kinds} without their own choices").format(kinds=", ".join(classes.KINDS))
        raise ValidationError(
            (*path, "classes"),
            gettext("{fitting}; got {kind}").format(fitting=fitting, kind=kind)
            if kind not in classes.KINDS
            else fitting,
        )
    return classes.choices_of(item["classes"], languages, (*path, "classes"))


def _before(
    item: dict[str, object], languages: list[str], path: Path, pictures: Mapping[str, CleanPicture]
) -> dict[str, object]:
    """What stands before the question; what is empty in every language is left out."""
    parts = known_keys(item.get("before") or {}, {"heading", "text", "picture"}, path)
    found = {name: text(words, languages) for name, words in parts.items() if name != "picture"}
    filled = {name: words for name, words in found.items() if not isinstance(words, dict) or any(words.values())}
    if parts.get("picture"):
        filled["picture"] = complete_picture(parts["picture"], languages, (*path, "picture"), pictures)
    return {"before": filled} if filled else {}


def _choice_pictures(
    item: dict[str, object], languages: list[str], path: Path, pictures: Mapping[str, CleanPicture]
) -> dict[str, object]:
    """The pictures of choices, null for a choice without one; nothing where no choice has one."""
    written = listed(item.get("choice_pictures") or [], path)
    found = [one and complete_picture(one, languages, (*path, number), pictures) for number, one in enumerate(written)]
    return {"choice_pictures": found} if any(found) else {}


def _points(item: dict[str, object], kind: Kind, languages: list[str], path: Path) -> list[Text]:
    """The choices of a scale given only by its number of points and the texts for its ends."""
    points = item["points"]
    if kind != "scale" or item.get("choices"):
        raise ValidationError((*path, "points"), gettext("is for a scale without its own choices"))
    if not isinstance(points, int) or not 2 <= points <= 256:
        raise ValidationError(
            (*path, "points"), gettext("must be an integer from 2 to 256; got {points!r}").format(points=points)
        )
    ends = {1: text(item.get("low", ""), languages), points: text(item.get("high", ""), languages)}
    for name, end in zip(("low", "high"), ends.values(), strict=True):
        if not isinstance(end, dict):
            raise ValidationError(
                (*path, name),
                gettext("must be a text in each of {languages}; got {end!r}").format(
                    languages=", ".join(languages), end=end
                ),
            )
    labels = [{code: ends.get(point, {}).get(code, "") for code in languages} for point in range(1, points + 1)]
    return [
        {code: f"{point} – {words}" if words else str(point) for code, words in label.items()}
        for point, label in enumerate(labels, start=1)
    ]


def _prefer_not(item: dict[str, object], kind: Kind, languages: list[str], path: Path) -> dict[str, Text]:
    option = item.get("prefer_not", False)
    if option is False:
        return {}
    if kind == "number":
        raise ValidationError((*path, "prefer_not"), f"{NO_NUMBER_WITHHELD}.")
    return {"prefer_not": prefer_not(languages) if option is True else text(option, languages)}


def _sensitivity(item: dict[str, object], path: Path) -> dict[str, str]:
    if item.get("sensitivity") in (None, ""):
        return {}
    words = gettext("one of {names}").format(names=", ".join(SENSITIVITIES))
    return {"sensitivity": one_of(item["sensitivity"], SENSITIVITIES, (*path, "sensitivity"), words)}


def _channel(item: dict[str, object], kind: Kind, path: Path) -> dict[str, object]:
    if "channel" not in item and kind != "yes_no":
        raise ValidationError(
            path,
            gettext("must say how a question of kind {kind} is randomised; see docs/reference/survey-file.md").format(
                kind=kind
            ),
        )
    channel = item.get("channel", {"name": "forced_response", "truth": "1/2"})
    channel = known_keys(channel, {"name", *PARAMETERS}, path)
    name = channel.get("name")
    if isinstance(name, str) and (entry := REGISTRY.get(name)):
        known_keys(channel, {"name", *(parameter.name for parameter in entry.parameters)}, path)
        channel = {**entry.defaults, **channel}
    whole = {parameter.name for parameter in PARAMETERS.values() if parameter.form == "whole"}
    return {
        name: value if name in whole else exact(value, partial(plain_form, name)) for name, value in channel.items()
    }


def _with_condition(
    completed: ItemPart, item: dict[str, object], language: str, path: Path, earlier: list[ItemPart]
) -> ItemPart:
    """The question with the condition for asking it and the value sent otherwise, with answers by index."""
    asked_if, unasked = item.get("asked_if"), item.get("unasked")
    if asked_if is not None:
        completed["asked_if"] = _asked_if(asked_if, language, (*path, "asked_if"), earlier)
    if unasked is not None and completed["kind"] == "number":
        completed["unasked"] = exact(unasked, plain_decimal)
    elif unasked is not None:
        completed["unasked"] = place_among(answers_of(completed), unasked, language, (*path, "unasked"))
    return completed


def _asked_if(condition: object, language: str, path: Path, earlier: list[ItemPart]) -> ConditionPart:
    parts = known_keys(condition, {"item", "answers"}, path)
    answers = listed(parts.get("answers", []), (*path, "answers"))
    found = next((item for item in earlier if item["key"] == parts.get("item")), None)
    if found is not None:
        answers = [place_among(answers_of(found), answer, language, (*path, "answers")) for answer in answers]
    elif any(isinstance(answer, str) for answer in answers):
        raise ValidationError(
            (*path, "item"), gettext("must be an earlier question; got {named!r}").format(named=parts.get("item"))
        )
    places = all(isinstance(answer, int) for answer in answers)
    return cast("ConditionPart", {"item": parts.get("item"), "answers": sorted(set(answers)) if places else answers})


def _place_of(item: ItemPart) -> int | str:
    """The value sent where the question is not asked, in the design's form: the index of the choice or number."""
    unasked = item["unasked"]
    if item["kind"] != "number":
        return unasked
    numbers = numbers_of(item)
    try:
        return numbers.index(decimal(unasked, ("unasked",)))
    except ValueError:  # not a number, or none of these
        low, high, step = grid_of(item).values()
        raise ValidationError(
            ("unasked",),
            gettext("must be a number from {low} to {high} in steps of {step}; got {unasked!r}").format(
                low=low, high=high, step=step, unasked=unasked
            ),
        ) from None
