"""How the parts of a definition are read: each returns its value in the complete form, or raises in words."""

from typing import Any

from surveys.definition.unsupported import unsupported_key

Text = dict[str, str]

LONGEST_FAULT = 1_000
"""Characters of a message: the value that it quotes may be a whole file."""


class DefinitionError(ValueError):
    """A definition that cannot be used; the message names the place, the bound and the value.

    `line` and `column` count from 1 where it was read from a text, and are 0 elsewhere.
    """

    def __init__(self, message: str, *, line: int = 0, column: int = 0) -> None:
        super().__init__(message if len(message) <= LONGEST_FAULT else f"{message[:LONGEST_FAULT]} ...")
        self.line, self.column = line, column


def known_keys(value: Any, keys: set[str], place: str) -> None:
    if not isinstance(value, dict):
        raise DefinitionError(f"{place} must be a mapping with the keys {', '.join(sorted(keys))}; got {value!r}")
    for key in value:
        if key not in keys and (reason := unsupported_key(key)):
            raise DefinitionError(f"{place}.{key} is refused: {reason}.")
    unknown = sorted(str(key) for key in value if key not in keys)
    if unknown:
        raise DefinitionError(f"{place} has unknown keys: {', '.join(unknown)}; known are {', '.join(sorted(keys))}")


def listed(value: Any, place: str) -> list[Any]:
    if not isinstance(value, list):
        raise DefinitionError(f"{place} must be a list; got {type(value).__name__}")
    return value


def exact(value: Any) -> Any:
    """Numbers that YAML read from an unquoted 0.25 or 1 as the text that their author wrote."""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def text(value: Any, languages: list[str]) -> Any:
    """A text by language; plain text stands for the survey's only language, no text for none in each of them."""
    if value == "":
        return dict.fromkeys(languages, "")
    return {languages[0]: value} if isinstance(value, str) and len(languages) == 1 else value
