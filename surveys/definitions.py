"""The definition of a survey: one plain document, in and out of YAML, and from it the design that is frozen.

A definition is what an author writes; the design is what everybody else relies on. The design holds the integer table
of each item, made here from the name and the exact fractions of its mechanism.
"""

import math
import re
from typing import Any

import yaml
from django.conf import settings

from collector import designs
from collector.checks import DesignError
from randomized_response import Channel, custom, epsilon_total, forced_response, k_ary, warner
from surveys.languages import missing_from

Definition = dict[str, Any]

TEXTS = ("title", "introduction", "consent")
YES_NO = {
    "en": ("No", "Yes"),
    "de": ("Nein", "Ja"),
    "es": ("No", "Sí"),
    "fr": ("Non", "Oui"),
    "ar": ("لا", "نعم"),
}
"""What a yes/no question offers where its author says nothing else."""

BROWSER_LIMIT = 2980
"""e^epsilon above which the respondent's page refuses a survey whatever an installation allows (client/channel.js)."""

SURVEY_KEYS = {"slug", "rehearsal", "languages", *TEXTS, "strata", "items"}
ITEM_KEYS = {"key", "kind", "wording", "choices", "channel"}
CHANNEL_KEYS = {"name", "truth", "yes", "weights"}


class _Yaml(yaml.SafeLoader):
    """YAML in which yes, no, on and off are words, as in YAML 1.2: questionnaires are full of them."""


_Yaml.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:bool"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Yaml.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(?:true|false)$"), list("tf"))


class DefinitionError(ValueError):
    """A definition that cannot be used; the message names the place, the bound and the value."""


def load(text: str) -> Definition:
    """Read a definition from YAML and complete it; see docs/surveys.md for the keys."""
    try:
        raw = yaml.load(text, Loader=_Yaml)  # noqa: S506 - a SafeLoader
    except yaml.YAMLError as error:
        raise DefinitionError(f"this is not YAML: {error}") from None
    return complete(raw)


def dump(definition: Definition) -> str:
    """Write a definition as YAML; `load` gives the same definition back."""
    return yaml.safe_dump(definition, sort_keys=False, allow_unicode=True, width=100)


def complete(raw: Any) -> Definition:
    """Fill in what an author may leave out: languages, empty texts, strata, yes and no, plain text for one language."""
    _known_keys(raw, SURVEY_KEYS, "survey")
    languages = raw.get("languages", ["en"])
    if not isinstance(languages, list) or not languages or not all(isinstance(code, str) for code in languages):
        raise DefinitionError(f"languages must be a list of language codes; got {languages!r}")
    strata = raw.get("strata") or {}
    _known_keys(strata, {"wording", "groups"}, "strata")
    return {
        "slug": raw.get("slug", ""),
        "rehearsal": raw.get("rehearsal", False),
        "languages": languages,
        **{name: _text(raw.get(name, ""), languages) for name in TEXTS},
        "strata": {
            "wording": _text(strata.get("wording", ""), languages),
            "groups": [_group(group, languages) for group in _list(strata.get("groups", []), "strata.groups")],
        },
        "items": [_item(item, languages, n) for n, item in enumerate(_list(raw.get("items", []), "items"))],
    }


def design_of(definition: Definition, *, version: int) -> designs.Design:
    """The design that opening this definition would freeze, checked in full.

    Raises
    ------
    DefinitionError
        Naming the first thing that keeps it from being opened.
    """
    items = definition["items"]
    document = {
        **definition,
        "format": designs.FORMAT,
        "version": version,
        "items": [_frozen_item(item, f"items[{number}]") for number, item in enumerate(items)],
    }
    try:
        design = designs.check(document)
    except DesignError as error:
        raise DefinitionError(str(error)) from None
    if missing := missing_from(definition):
        raise DefinitionError(missing)
    _within_ceiling(definition)
    return design


def channel_of(item: dict[str, Any]) -> Channel:
    """The channel that an item's mechanism describes. Raises ValueError naming the argument, the bound, the value."""
    channel = item["channel"]
    match channel["name"]:
        case "forced_response":
            return forced_response(truth=channel["truth"], yes=channel.get("yes", "1/2"))
        case "warner":
            return warner(truth=channel["truth"])
        case "k_ary":
            return k_ary(len(item["choices"]), truth=channel["truth"])
        case "custom":
            return custom(channel["weights"])
        case name:
            raise ValueError(f"name must be forced_response, warner, k_ary or custom; got {name!r}")


def total_epsilon(definition: Definition) -> float:
    """Epsilon of a person who answers every item."""
    return epsilon_total(channel_of(item) for item in definition["items"])


def _frozen_item(item: dict[str, Any], place: str) -> dict[str, Any]:
    try:
        weights = channel_of(item).weights
    except KeyError as error:
        raise DefinitionError(f"{place}.channel must have {error.args[0]!r}") from None
    except (ValueError, TypeError) as error:
        raise DefinitionError(f"{place}.channel: {error}") from None
    return {**item, "encoding": "single", "channel": {**item["channel"], "weights": [list(row) for row in weights]}}


def _within_ceiling(definition: Definition) -> None:
    total = total_epsilon(definition)
    # A rehearsal is answered by no browser, so the browsers' own limit does not bind it.
    limit = math.inf if definition["rehearsal"] else math.log(BROWSER_LIMIT)
    ceiling = min(settings.CANDOR_EPSILON_CEILING, limit)
    if total > ceiling:
        raise DefinitionError(
            f"the questions together give epsilon {total:.4f}; at most {ceiling:.4f} a person is allowed. "
            "Lower the truth probability of a question, or ask fewer."
        )


def _item(item: Any, languages: list[str], number: int) -> dict[str, Any]:
    place = f"items[{number}]"
    _known_keys(item, ITEM_KEYS, place)
    channel = item.get("channel", {"name": "forced_response", "truth": "1/2"})
    _known_keys(channel, CHANNEL_KEYS, f"{place}.channel")
    kind = item.get("kind", "yes_no")
    choices = _list(item.get("choices") or (_yes_no(languages) if kind == "yes_no" else []), f"{place}.choices")
    return {
        "key": item.get("key", ""),
        "kind": kind,
        "wording": _text(item.get("wording", ""), languages),
        "choices": [_text(choice, languages) for choice in choices],
        "channel": {name: _exact(value) for name, value in channel.items()},
    }


def _yes_no(languages: list[str]) -> list[dict[str, str]]:
    return [{code: YES_NO.get(code, ("", ""))[answer] for code in languages} for answer in (0, 1)]


def _group(group: Any, languages: list[str]) -> dict[str, Any]:
    _known_keys(group, {"key", "label", "share"}, "strata.groups")
    share = group.get("share")
    return {
        "key": group.get("key", ""),
        "label": _text(group.get("label", ""), languages),
        "share": None if share is None else _exact(share),
    }


def _exact(value: Any) -> Any:
    """Numbers that YAML read from an unquoted 0.25 or 1 as the text that their author wrote."""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _text(value: Any, languages: list[str]) -> Any:
    """Plain text stands for the survey's only language."""
    return {languages[0]: value} if isinstance(value, str) and len(languages) == 1 else _each(value, languages)


def _each(value: Any, languages: list[str]) -> Any:
    return dict.fromkeys(languages, "") if value == "" else value


def _list(value: Any, place: str) -> list[Any]:
    if not isinstance(value, list):
        raise DefinitionError(f"{place} must be a list; got {type(value).__name__}")
    return value


def _known_keys(value: Any, keys: set[str], place: str) -> None:
    if not isinstance(value, dict):
        raise DefinitionError(f"{place} must be a mapping with the keys {', '.join(sorted(keys))}; got {value!r}")
    unknown = sorted(str(key) for key in value if key not in keys)
    if unknown:
        raise DefinitionError(f"{place} has unknown keys: {', '.join(unknown)}; known are {', '.join(sorted(keys))}")
