"""Warnings of doubtful words in a survey's texts before it opens (text_warnings.yaml). They block nothing."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import yaml

from collector.designs import Design, Text
from surveys.labels import spoken

SOURCE = Path(__file__).with_name("text_warnings.yaml")
UNREAD = re.compile("[\u00ad\u200c\u200d\u0640\u064b-\u0652]")
"""Characters ignored in matching: soft hyphens, joiners, and Arabic lengthening and vowel marks."""

Place = tuple[str, Text]

REMEMBERED = 2**15
"""Texts whose doubtful words are remembered: an editor asks again at every save, and few of them have changed."""


@dataclass(frozen=True)
class TextWarning:
    """Doubtful words: their place, their language, and the reason for the warning."""

    place: str
    language: str
    kind: str
    match: str
    reason: str

    @property
    def in_words(self) -> str:
        return f"{self.place}.{self.language}: “{self.match}”. {self.reason}"


class WarningKind(NamedTuple):
    """One kind of doubtful words."""

    name: str
    reason: dict[str, str]
    places: tuple[str, ...]
    pattern: re.Pattern[str]
    harmless: re.Pattern[str] | None


def text_warnings(design: Design) -> list[TextWarning]:
    """The doubtful words of a design: the first of each kind in each text."""
    found = []
    for place, texts in _texts(design):
        for language, words in texts.items():
            found += [
                TextWarning(place, language, kind.name, match, spoken(kind.reason))
                for kind, match in _matches(words)
                if place.startswith(kind.places)
            ]
    return found


@lru_cache(maxsize=REMEMBERED)
def _matches(words: str) -> tuple[tuple[WarningKind, str], ...]:
    """The doubtful words of each kind in a text, wherever it stands."""
    read = UNREAD.sub("", unicodedata.normalize("NFC", words))
    return tuple((kind, match) for kind in kinds() if (match := _match(kind, read)))


@cache
def kinds() -> tuple[WarningKind, ...]:
    """Every kind, with the patterns of all languages combined."""
    described = yaml.safe_load(SOURCE.read_text(encoding="utf-8"))
    return tuple(
        WarningKind(
            name,
            about["reason"],
            tuple(about.get("places", [""])),
            _one_of([pattern for some in about["patterns"].values() for pattern in some]),
            _one_of(about["except"]) if "except" in about else None,
        )
        for name, about in described.items()
    )


def _one_of(patterns: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


def _match(kind: WarningKind, read: str) -> str:
    if kind.harmless:
        read = kind.harmless.sub("…", read)
    found = kind.pattern.search(read)
    return found[0].strip() if found else ""


def _texts(design: Design) -> Iterator[Place]:
    yield from (("title", design.title), ("introduction", design.introduction), ("consent", design.consent))
    yield from ((f"consent_statements[{place}]", text) for place, text in enumerate(design.consent_statements))
    if screening := design.screening:
        yield from (("screening.wording", screening.wording), ("screening.text", screening.text))
        yield from ((f"screening.choices[{place}]", choice) for place, choice in enumerate(screening.choices))
    yield from ((f"about.{name}", text) for name, text in design.about.texts.items())
    if design.look.logo:
        yield "look.logo.alternative", design.look.logo.alternative
    yield "ending.text", design.ending.text
    yield "strata.wording", design.strata_wording
    yield from ((f"strata.groups[{number}].label", group.label) for number, group in enumerate(design.groups))
    for number, question in enumerate(design.background.questions):
        named = f"background_questions.questions[{number}]"
        yield f"{named}.wording", question.wording
        yield from ((f"{named}.choices[{answer}]", question.choices[answer]) for answer in question.offered)
    for number, section in enumerate(design.sections):
        yield f"sections[{number}].title", section.title
        yield f"sections[{number}].introduction", section.introduction
    for number, item in enumerate(design.items):
        if item.before:
            picture = item.before.picture
            parts = (("heading", item.before.heading), ("text", item.before.text),
                     ("picture.alternative", picture and picture.alternative))  # fmt: skip
            yield from ((f"items[{number}].before.{name}", words) for name, words in parts if words)
        if item.heading and (number == 0 or design.items[number - 1].heading != item.heading):
            yield f"items[{number}].heading", item.heading
        yield f"items[{number}].wording", item.own_wording
        yield from ((f"items[{number}].choices[{place}]", choice) for place, choice in enumerate(item.choices))
        for place, picture in enumerate(item.choice_pictures):
            if picture:
                yield f"items[{number}].choice_pictures[{place}].alternative", picture.alternative
