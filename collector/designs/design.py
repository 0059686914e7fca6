"""The frozen design as typed values: parsed once from its document, which is checked before it is frozen."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, Self

from django.utils.translation import gettext

from collector.designs.appearance import Ending, Look
from collector.designs.arms import versions_of
from collector.designs.background import Background
from collector.designs.blocks import Before, Picture, Text

Kind = Literal["yes_no", "one_choice", "several_choices", "scale", "number"]
Encoding = Literal["single", "one_hot", "subset", "each_option"]
Repeats = Literal["fresh", "remember"]
"""The tickets of repeated waves: drawn anew, or remembered by devices."""


@dataclass(frozen=True, slots=True)
class Channel:
    """The table that symbols are drawn from: `weights` is the number of tickets of each row for each value.

    `parameters` are those of the mechanism as the document writes them, `size` is that of a subset.
    """

    name: str
    weights: tuple[tuple[int, ...], ...]
    parameters: Mapping[str, str]
    size: int | None

    @classmethod
    def of(cls, channel: Mapping[str, Any]) -> Self:
        parameters = {name: value for name, value in channel.items() if name not in ("name", "weights", "size")}
        return cls(channel["name"], tuple(map(tuple, channel["weights"])), parameters, channel.get("size"))

    @property
    def denominator(self) -> int:
        """The number of tickets."""
        return sum(self.weights[0])

    @property
    def truth(self) -> str | None:
        """The truth probability, a fraction as text; None where the mechanism has none."""
        return self.parameters.get("truth")


@dataclass(frozen=True, slots=True)
class Grid:
    """The allowed answers to a number, as decimals in text."""

    minimum: str
    maximum: str
    step: str

    def __str__(self) -> str:
        return gettext("{minimum} to {maximum} in steps of {step}").format(
            minimum=self.minimum, maximum=self.maximum, step=self.step
        )

    @property
    def points(self) -> list[Fraction]:
        """The numbers in ascending order."""
        low, high, step = map(Fraction, (self.minimum, self.maximum, self.step))
        return [low + place * step for place in range(int((high - low) / step) + 1)]


@dataclass(frozen=True, slots=True)
class Condition:
    """The condition of a question: asked only after these answers to an earlier item, named by its key."""

    item: str
    answers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """A question of a design. Keys missing in the document are False or None, except for `required`.

    `unasked` is the answer that is sent where the question is not asked, `most` the bound on ticked options, and
    `document` the item as JSON, of which other parsers (the library, browsers) read it. `wording` is all that is
    asked: of a row of a matrix its `heading`, then the row's `own_wording`.
    """

    key: str
    kind: Kind
    wording: Text
    heading: Text | None
    own_wording: Text
    choices: tuple[Text, ...]
    encoding: Encoding
    channel: Channel
    prefer_not: bool
    required: bool
    shuffle: bool
    keep_last: bool
    dropdown: bool
    section: str | None
    asked_if: Condition | None
    unasked: int | None
    grid: Grid | None
    most: int | None
    before: Before | None
    choice_pictures: tuple[Picture | None, ...]
    known_share: str | None
    document: Mapping[str, object] = field(repr=False)

    @classmethod
    def of(cls, item: Mapping[str, Any]) -> Self:
        condition, grid, heading, before = (item.get(name) for name in ("asked_if", "grid", "heading", "before"))
        return cls(
            key=item["key"],
            kind=item["kind"],
            wording=under(heading, item["wording"]) if heading else item["wording"],
            heading=heading,
            own_wording=item["wording"],
            choices=tuple(item["choices"]),
            encoding=item["encoding"],
            channel=Channel.of(item["channel"]),
            prefer_not=item.get("prefer_not", False),
            required=item.get("required", True),
            shuffle=item.get("shuffle", False),
            keep_last=item.get("keep_last", False),
            dropdown=item.get("dropdown", False),
            section=item.get("section"),
            asked_if=condition and Condition(condition["item"], tuple(condition["answers"])),
            unasked=item.get("unasked"),
            grid=grid and Grid(**grid),
            most=item.get("most"),
            before=before and Before.of(before),
            choice_pictures=tuple(shown and Picture(**shown) for shown in item.get("choice_pictures", ())),
            known_share=item.get("known_share"),
            document=item,
        )

    @property
    def points(self) -> list[Fraction]:
        """The allowed numbers, in order; empty for other kinds."""
        return self.grid.points if self.grid else []

    @property
    def answer_count(self) -> int:
        """The number of possible answers: the choices, or the points of the grid."""
        return len(self.points) if self.grid else len(self.choices)

    @property
    def symbols(self) -> int:
        """The number of symbols that a report holds for the item."""
        return 1 if self.encoding == "single" else len(self.choices)

    @property
    def alphabet(self) -> int:
        """The number of values of each symbol."""
        return len(self.channel.weights[0])


def under(heading: Text, words: Text) -> Text:
    """The words of a matrix row below its heading, in each language of both."""
    return {code: f"{heading[code]} – {own}" for code, own in words.items()}


@dataclass(frozen=True, slots=True)
class Stratum:
    """A group of respondents; `share` is its known share of the population, a fraction as text, or None."""

    key: str
    label: Text
    share: str | None


@dataclass(frozen=True, slots=True)
class Section:
    """A titled group of questions."""

    key: str
    title: Text
    introduction: Text


ABOUT = ("sender", "institution", "contact", "data_protection", "help_line")
"""The texts on who asks and whom respondents can turn to, in the order in which pages show them."""


@dataclass(frozen=True, slots=True)
class About:
    """The texts of ABOUT by name, and the keys of the items and sections behind which the help line is shown."""

    texts: Mapping[str, Text]
    items: frozenset[str]
    sections: frozenset[str]

    @classmethod
    def of(cls, about: Mapping[str, Any]) -> Self:
        after = about.get("help_after", {})
        texts = {name: about[name] for name in ABOUT if name in about}
        return cls(texts, frozenset(after.get("items", ())), frozenset(after.get("sections", ())))

    def text(self, name: str, language: str) -> str:
        """One of the texts; empty if the author left it out."""
        return self.texts.get(name, {}).get(language, "")


@dataclass(frozen=True, slots=True)
class Screening:
    """The question before all others, of which nothing is sent: answers whose places are in `ends` lead to `text`."""

    wording: Text
    choices: tuple[Text, ...]
    ends: tuple[int, ...]
    text: Text


@dataclass(frozen=True, slots=True)
class Waves:
    """The handling of repeated waves, and e^epsilon that a respondent may have spent before."""

    repeats: Repeats
    spent: Fraction


@dataclass(frozen=True, slots=True)
class Ceilings:
    """The epsilon limits per question and in total, decimals in text, above which opening took a reason."""

    question: str
    total: str
    reason: str = ""

    def to_dict(self) -> dict[str, str]:
        """The ceilings as in the document: the reason only if there is one."""
        return {"question": self.question, "total": self.total} | ({"reason": self.reason} if self.reason else {})


@dataclass(frozen=True)
class Field:
    """The symbols of one item within a report: they begin at `start`, and each takes 0 to `size` - 1.

    `ones` is how many of them are 1, where that is no matter of chance.
    """

    start: int
    symbols: int
    size: int
    ones: int | None = None

    @property
    def stop(self) -> int:
        return self.start + self.symbols


@dataclass(frozen=True)
class Design:
    """A frozen design. Its `document` is stored, hashed and exported; everything else is derived from it.

    `participation` is the epsilon, as text, with which numbers of people are released; None where they are exact.
    `modulus` is that of the key with which tokens are signed blindly, else empty. `consent_statements` are ticked
    one by one before the first question; nothing of them is sent.
    """

    document: Mapping[str, object] = field(repr=False)
    slug: str
    version: int
    rehearsal: bool
    languages: tuple[str, ...]
    title: Text
    introduction: Text
    consent: Text
    consent_statements: tuple[Text, ...]
    screening: Screening | None
    about: About
    look: Look
    ending: Ending
    strata_wording: Text
    groups: tuple[Stratum, ...]
    background: Background
    sections: tuple[Section, ...]
    items: tuple[Item, ...]
    invitations: Literal["", "secret", "blind"]
    modulus: str
    waves: Waves | None
    participation: str | None
    ceilings: Ceilings | None

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Self:
        """Return the design of a validated document; an invalid document may raise any error."""
        strata, invitations = document["strata"], document.get("invitations", {})
        waves, ceilings, screening = (document.get(name) for name in ("waves", "ceilings", "screening"))
        return cls(
            document=document,
            slug=document["slug"],
            version=document["version"],
            rehearsal=document["rehearsal"],
            languages=tuple(document["languages"]),
            title=document["title"],
            introduction=document["introduction"],
            consent=document["consent"],
            consent_statements=tuple(document.get("consent_statements", ())),
            screening=screening and _screening(screening),
            about=About.of(document.get("about", {})),
            look=Look.of(document.get("look", {})),
            ending=Ending.of(document.get("ending", {})),
            strata_wording=strata["wording"],
            groups=tuple(Stratum(**group) for group in strata["groups"]),
            background=Background.of(document.get("background_questions", {})),
            sections=tuple(Section(**section) for section in document.get("sections", ())),
            items=tuple(map(Item.of, document["items"])),
            invitations=invitations.get("kind", ""),
            modulus=invitations.get("modulus", ""),
            waves=waves and Waves(waves["repeats"], Fraction(waves["spent"])),
            participation=document.get("participation", {}).get("epsilon"),
            ceilings=ceilings and Ceilings(**ceilings),
        )

    @property
    def language(self) -> str:
        """The survey's main language, in which it was written."""
        return self.languages[0]

    @property
    def repeats(self) -> Repeats:
        return self.waves.repeats if self.waves else "fresh"

    @property
    def spent(self) -> Fraction:
        """e^epsilon that a respondent may have spent in the survey before."""
        return self.waves.spent if self.waves else Fraction(1)

    @property
    def reason(self) -> str:
        """The reason for opening above a ceiling; empty if none was required."""
        return self.ceilings.reason if self.ceilings else ""

    @property
    def remembers(self) -> bool:
        """Return True if devices remember their tickets between waves."""
        return self.repeats == "remember"

    @cached_property
    def canonical(self) -> bytes:
        return canonical(self.document)

    @cached_property
    def digest(self) -> str:
        return digest(self.canonical)

    @cached_property
    def pictures(self) -> tuple[Picture, ...]:
        """Every picture that the design shows once: the logo, then in the order of the questions."""
        beside = [(item.before and item.before.picture, *item.choice_pictures) for item in self.items]
        shown = [self.look.logo, *(picture for pictures in beside for picture in pictures)]
        return tuple({picture.name: picture for picture in shown if picture}.values())

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """The symbol range of each item within a report, in order."""
        fields: list[Field] = []
        for item in self.items:
            start = fields[-1].stop if fields else 0
            fields.append(Field(start, item.symbols, item.alphabet, item.channel.size))
        return tuple(fields)

    @cached_property
    def alphabets(self) -> tuple[int, ...]:
        """The alphabet size of each symbol of a report."""
        return tuple(field.size for field in self.fields for _ in range(field.symbols))

    @cached_property
    def strata(self) -> tuple[str, ...]:
        """The stratum keys that a report may name: groups or cells; only the empty key if the design has neither."""
        return tuple(group.key for group in self.groups) or self.background.keys or ("",)

    @cached_property
    def versions(self) -> tuple[tuple[int, ...], ...]:
        """The places of the questions that each version of the page asks; one version if the design has no arms."""
        return versions_of([item.key for item in self.items], [arm.instead for arm in self.background.arms])

    @property
    def silent_stratum(self) -> str:
        """The stratum key of respondents who tell no background answer; empty if the design has groups or nothing."""
        return self.background.silent if self.background else ""


def _screening(written: Mapping[str, Any]) -> Screening:
    return Screening(written["wording"], tuple(written["choices"]), tuple(written["ends"]), written["text"])


def canonical(document: object) -> bytes:
    """Serialize a document canonically: sorted keys, no spaces, UTF-8. Floats are rejected by `check`."""
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8")


def digest(data: bytes) -> str:
    """The SHA-256 digest in 64 hex digits, which identifies a design."""
    return hashlib.sha256(data).hexdigest()
