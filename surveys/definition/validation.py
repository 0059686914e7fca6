"""Validation of a definition's parts: each function returns the complete form, or raises with a sentence."""

from typing import Any

from collector.errors import Path, ValidationError
from surveys.definition.unsupported import unsupported_key


def known_keys(value: object, keys: set[str], path: Path) -> dict[str, object]:
    if not isinstance(value, dict):
        raise ValidationError(path, f"must be a mapping with the keys {', '.join(sorted(keys))}; got {value!r}")
    for key in value:
        if key not in keys and (reason := unsupported_key(key)):
            raise ValidationError((*path, str(key)), f"is refused: {reason}.")
    unknown = sorted(str(key) for key in value if key not in keys)
    if unknown:
        message = f"has unknown keys: {', '.join(unknown)}; known are {', '.join(sorted(keys))}"
        raise ValidationError(path, message, keys=unknown)
    return value


def exact(value: object) -> Any:
    """A number that YAML read from an unquoted 0.25 or 1, as the text that its author wrote."""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def text(value: object, languages: list[str]) -> Any:
    """A text by language; a plain string is for the survey's only language, an empty one for all of them."""
    if value == "":
        return dict.fromkeys(languages, "")
    return {languages[0]: value} if isinstance(value, str) and len(languages) == 1 else value
