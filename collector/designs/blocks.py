"""What may stand before a question of a frozen design, besides the question: a heading, a text."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Self

from collector.designs.checks import exact_keys, require, text
from collector.errors import Path

Text = Mapping[str, str]
"""A text in each of the design's languages."""


@dataclass(frozen=True, slots=True)
class Before:
    """A heading and a text above a question; each may be missing, not both. They are shown where the question is."""

    heading: Text | None
    text: Text | None

    @classmethod
    def of(cls, written: Mapping[str, Any]) -> Self:
        return cls(written.get("heading"), written.get("text"))


def check_before(value: object, languages: Collection[str], path: Path) -> None:
    """Validate what stands before a question."""
    parts = exact_keys(value, (), path, optional=("heading", "text"))
    require(parts, path, "must have a heading, a text or both")
    for name in parts:
        text(parts[name], (*path, name), languages)
