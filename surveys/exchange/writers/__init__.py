"""One module for each tool that a survey can be exported to.

The other tool asks openly: what it has no word for, such as the randomisation, stands where only Candor reads it.
"""

from collections.abc import Iterator
from itertools import groupby
from typing import Final

from surveys.definition.parts import Definition, ItemPart, Text

PREFER_NOT: Final = "prefer_not"
KEPT: Final = ("kind", "channel", "unasked", "help_after", "sensitivity")
"""Parts of a question that other tools have no word for."""

EXPRESSED: Final = {"languages", "title", "introduction", "consent", "sections", "items"}


def kept_of(item: ItemPart) -> dict[str, object]:
    """The parts of a question that only Candor reads."""
    return {name: value for name, value in item.items() if name in KEPT}


def kept_of_survey(definition: Definition) -> dict[str, object]:
    return {name: value for name, value in definition.items() if name not in EXPRESSED}


def items_of(definition: Definition, section: str) -> list[ItemPart]:
    return [item for item in definition["items"] if item.get("section") == section]


def runs_of(items: list[ItemPart]) -> Iterator[tuple[Text | None, list[ItemPart]]]:
    """Consecutive questions by their heading: the rows of a grid, or questions without one."""
    for _, run in groupby(items, key=lambda item: sorted(item.get("heading", {}).items())):
        rows = list(run)
        yield rows[0].get("heading"), rows


def codes_of(item: ItemPart) -> list[str]:
    """The codes of a question's answers: their places, and a word for "prefer not to say"."""
    return [*map(str, range(len(item["choices"]))), *([PREFER_NOT] if "prefer_not" in item else [])]


def answers_of(item: ItemPart) -> list[tuple[str, Text]]:
    """The answers of a question by their codes."""
    texts = [*item["choices"], *([item["prefer_not"]] if "prefer_not" in item else [])]
    return list(zip(codes_of(item), texts, strict=True))
