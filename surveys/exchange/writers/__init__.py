"""One module for each tool that a survey can be exported to.

The other tool asks openly: what it has no word for, such as the randomisation, stands where only Candor reads it.
"""

from collections.abc import Iterator
from typing import Final

from surveys.definition.parts import Definition, ItemPart, Text
from surveys.exchange.source import WRITTEN_BEFORE

PREFER_NOT: Final = "prefer_not"
KEPT: Final = (
    "kind", "channel", "unasked", "keep_last", "help_after", "sensitivity", "known_share", "before", "choice_pictures",
)  # fmt: skip
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
    """Consecutive questions by their heading: the rows of a grid, or questions without one.

    A text before a row begins a grid of its own, of that row and those after it.
    """
    runs: list[list[ItemPart]] = []
    for item in items:
        heading = item.get("heading") or None
        if runs and (runs[-1][0].get("heading") or None) == heading and not (heading and "before" in item):
            runs[-1].append(item)
        else:
            runs.append([item])
    yield from ((run[0].get("heading") or None, run) for run in runs)


def text_before(item: ItemPart, languages: list[str]) -> Text:
    """The heading and the text before a question, one above the other; empty where there are none."""
    parts = item.get("before", {})
    words = [parts[name] for name in ("heading", "text") if name in parts]
    return {code: "\n\n".join(text[code] for text in words if text.get(code)) for code in languages} if words else {}


def kept_of_text(item: ItemPart) -> dict[str, object]:
    """What marks such a text as Candor's own, which has it with the question."""
    return {WRITTEN_BEFORE: item["key"]}


def codes_of(item: ItemPart) -> list[str]:
    """The codes of a question's answers: their places, and a word for "prefer not to say"."""
    return [*map(str, range(len(item["choices"]))), *([PREFER_NOT] if "prefer_not" in item else [])]


def answers_of(item: ItemPart) -> list[tuple[str, Text]]:
    """The answers of a question by their codes."""
    texts = [*item["choices"], *([item["prefer_not"]] if "prefer_not" in item else [])]
    return list(zip(codes_of(item), texts, strict=True))
