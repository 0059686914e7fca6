"""Who asks, and whom respondents can turn to: texts of a definition, and the places of the help line in a design."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext

from collector.designs import ABOUT
from collector.designs.checks import require
from collector.errors import ValidationError
from surveys.definition.parts import Definition
from surveys.definition.validation import known_keys, text


def complete_about(raw: object, languages: list[str]) -> dict[str, object]:
    """The texts on who asks, but for those that are empty."""
    given = known_keys(raw, set(ABOUT), ("about",))
    texts = {name: text(given[name], languages) for name in ABOUT if given.get(name)}
    written = {name: words for name, words in texts.items() if not isinstance(words, dict) or any(words.values())}
    return {"about": written} if written else {}


def frozen_about(definition: Definition) -> dict[str, object]:
    """The texts on who asks with the places of the help line, and the sections without them."""
    sections: Sequence[Mapping[str, Any]] = definition.get("sections", [])
    helped = {"items": list(_helped("items", definition["items"])), "sections": list(_helped("sections", sections))}
    after = {name: keys for name, keys in helped.items() if keys}
    about: dict[str, object] = dict(definition.get("about", {}))
    if after and "help_line" not in about:
        first = next(iter(after.values()))[0]
        raise ValidationError(
            ("about", "help_line"), gettext("must not be empty: it is shown after {first}").format(first=first)
        )
    about |= {"help_after": after} if after else {}
    plain = [{name: value for name, value in one.items() if name != "help_after"} for one in sections]
    return ({"about": about} if about else {}) | ({"sections": plain} if plain else {})


def _helped(name: str, parts: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The keys of the questions or sections behind which the help line is to be shown."""
    for number, part in enumerate(parts):
        if "help_after" in part:
            shown = part["help_after"]
            require(
                shown is True,
                (name, number, "help_after"),
                gettext("must be true or false; got {shown!r}").format(shown=shown),
            )
            yield part["key"]
