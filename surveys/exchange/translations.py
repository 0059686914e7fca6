"""The texts of a survey as translators take them out and give them back.

It is a table with a column for each language, as CSV or workbook, or a PO file of one language.

Each text has a place, like `items/mood/wording`. What comes back is compared with the draft: a text whose original has
changed since, or whose place is gone, is named and left alone.
"""

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple

from django.utils.translation import gettext

from collector.designs import ABOUT
from collector.errors import ValidationError
from estimator.base.languages import filled
from surveys.definition.bounds import require_plain
from surveys.definition.parts import Definition, ItemPart, Text, texts_before, texts_of_background, texts_of_pictures
from surveys.exchange.files import fault

PLACE = "text"
"""Head of the column with the places."""

MOST_FAULTS = 3
SHOWN = 60
"""Maximum faults in one refusal, and characters of a value in it."""


class PlacedText(NamedTuple):
    """A text of a draft with its label. `same` are those of a grid's other rows, which are translated with it."""

    label: str
    text: Text
    same: tuple[Text, ...] = ()


@dataclass(frozen=True)
class TranslatedRow:
    """One text as it comes back: `where` it stands in the file, the original where the file has it, and its texts by
    the code of the language, each with the name of its column."""

    where: str
    place: str
    original: str | None
    words: Mapping[str, str]
    unfinished: bool = False


class Translation(NamedTuple):
    """A text in one language that differs from the draft's."""

    place: str
    language: str
    words: str


class Stale(NamedTuple):
    """A place whose original in the file is not the one of now: the translation is of another text."""

    place: str
    original: str
    now: str


@dataclass
class Translations:
    """What a file changes in a draft, and what it leaves alone, by place."""

    texts: list[Translation] = field(default_factory=list)

    unknown: list[str] = field(default_factory=list)
    """Places that the draft does not have."""

    stale: list[Stale] = field(default_factory=list)

    unfinished: list[str] = field(default_factory=list)
    """Places whose translation is marked as fuzzy."""

    columns: list[str] = field(default_factory=list)
    """Columns that are no language of the survey."""

    def left_out(self) -> Iterator[tuple[str, str]]:
        """Each place or column that is left out, and why."""
        for place, original, now in self.stale:
            yield (
                place,
                gettext("its original was “{original}” and is now “{now}”").format(original=original, now=now),
            )
        yield from ((place, gettext("it is marked as fuzzy")) for place in self.unfinished)
        yield from ((place, gettext("the draft has no such text")) for place in self.unknown)
        yield from ((column, gettext("this column is not a language of the survey")) for column in self.columns)

    def to_dict(self) -> dict[str, list[Any]]:
        """What the editor, the command line and the API answer."""
        return {
            "texts": [one._asdict() for one in self.texts],
            "stale": [one._asdict() for one in self.stale],
            "unfinished": self.unfinished,
            "unknown": self.unknown,
            "columns": self.columns,
        }


def texts_of(definition: Definition) -> dict[str, PlacedText]:
    """The text at each place, in the order in which respondents read them; those that have words."""
    own = definition["languages"][0]
    return {place: one for place, one in _texts(definition) if one.text.get(own, "").strip()}


def translated(definition: Definition, found: Translations) -> Definition:
    """The definition with the texts that a file changes."""
    made = copy.deepcopy(definition)
    places = texts_of(made)
    for place, language, words in found.texts:
        for text in (places[place].text, *places[place].same):
            text[language] = words
    return made


def _texts(definition: Definition) -> Iterator[tuple[str, PlacedText]]:
    for place, label, text in _texts_around(definition):
        yield place, PlacedText(label, text)
    numbered = enumerate(definition["items"], start=1)
    for _, rows in groupby(numbered, key=lambda one: (one[1].get("heading") or one[0], one[1].get("section"))):
        yield from _texts_of_rows(list(rows))


def _texts_around(definition: Definition) -> Iterator[tuple[str, str, Text]]:
    """The place, the label and the text of all that is not a question's."""
    yield "title", "Title", definition["title"]
    yield "introduction", "Introduction", definition["introduction"]
    yield "consent", "Consent", definition["consent"]
    for number, statement in enumerate(definition.get("consent_statements", [])):
        yield f"consent_statements/{number}", gettext("Consent statement {number}").format(number=number + 1), statement
    if screening := definition.get("screening"):
        yield "screening/wording", gettext("Screening question"), screening["wording"]
        for number, choice in enumerate(screening["choices"]):
            yield f"screening/choices/{number}", gettext("Screening, answer {number}").format(number=number + 1), choice
        yield "screening/text", gettext("Screening, end page"), screening["text"]
    for name in ABOUT:
        if name in definition.get("about", {}):
            yield f"about/{name}", name.replace("_", " ").capitalize(), definition["about"][name]
    if logo := definition.get("look", {}).get("logo"):
        yield "look/logo/alternative", "Logo", logo["alternative"]
    ending = definition.get("ending", {})
    yield "ending/text", "End", ending.get("text", {})
    if "link" in ending:
        yield "ending/link/label", gettext("Link at the end"), ending["link"]["label"]
    yield "strata/wording", gettext("Question that assigns the group"), definition["strata"]["wording"]
    for number, group in enumerate(definition["strata"]["groups"], start=1):
        yield f"strata/groups/{group['key']}/label", gettext("Group {number}").format(number=number), group["label"]
    for number, below, text in texts_of_background(definition):
        place = "/".join(map(str, ("background_questions", "questions", number - 1, *below)))
        yield place, gettext("Background question {number}").format(number=number), text
    for section in definition.get("sections", []):
        yield f"sections/{section['key']}/title", "Section", section["title"]
        yield f"sections/{section['key']}/introduction", gettext("Text below it"), section["introduction"]


def _texts_of_rows(rows: Sequence[tuple[int, ItemPart]]) -> Iterator[tuple[str, PlacedText]]:
    """The texts of a question, or of the rows of a grid, which share all but their wordings."""
    (number, first), *others = rows
    place, name = f"items/{first['key']}", gettext("Question {number}").format(number=number)
    yield from _texts_before(number, first)
    if heading := first.get("heading"):
        same = tuple(row["heading"] for _, row in others)
        yield f"{place}/heading", PlacedText(f"{name}, heading", heading, same)
    yield f"{place}/wording", PlacedText(name, first["wording"])
    for option, choice in enumerate(first["choices"]):
        same = tuple(row["choices"][option] for _, row in others if option < len(row["choices"]))
        yield (
            f"{place}/choices/{option}",
            PlacedText(gettext("{name}, option {number}").format(name=name, number=option + 1), choice, same),
        )
    for option, text in texts_of_pictures(first):
        label = gettext("{name}, picture of option {number}").format(name=name, number=option + 1)
        yield f"{place}/choice_pictures/{option}/alternative", PlacedText(label, text)
    if "prefer_not" in first:
        same = tuple(row["prefer_not"] for _, row in others if "prefer_not" in row)
        yield (
            f"{place}/prefer_not",
            PlacedText(gettext("{name}, last option").format(name=name), first["prefer_not"], same),
        )
    for number, row in others:
        yield from _texts_before(number, row)
        yield (
            f"items/{row['key']}/wording",
            PlacedText(gettext("Question {number}").format(number=number), row["wording"]),
        )


def _texts_before(number: int, item: ItemPart) -> Iterator[tuple[str, PlacedText]]:
    for part, text in texts_before(item):
        yield (
            f"items/{item['key']}/before/{part}",
            PlacedText(gettext("Before question {number}").format(number=number), text),
        )


def table_of(definition: Definition) -> list[list[str]]:
    """The rows of the table, its head first."""
    codes = definition["languages"]
    rows = [[place, *(one.text.get(code, "") for code in codes)] for place, one in texts_of(definition).items()]
    return [[PLACE, *codes], *rows]


def rows_of(table: Sequence[Sequence[str]], languages: Sequence[str]) -> tuple[list[TranslatedRow], list[str]]:
    """The rows of a table that came back, and the columns that are no language of the survey.

    Raises ValidationError where its head is not that of such a table.
    """
    own, *others = languages
    head = [cell.strip() for cell in table[0]] if table else []
    columns = {code: number for number, code in enumerate(head) if number and code in languages}
    if not head or head[0] != PLACE or not set(others) & set(columns):
        got = ", ".join(head)[:SHOWN]
        raise fault(
            gettext("row 1 must be {place}, then language codes such as {others}; got {got!r}").format(
                place=PLACE, others=", ".join(others), got=got
            )
        )
    twice = sorted({code for code in columns if head.count(code) > 1})
    if twice:
        raise fault(
            gettext("row 1 must name each language once; {twice} is there twice").format(twice=", ".join(twice))
        )
    rows = []
    for number, cells in enumerate(table[1:], start=2):
        if cells and cells[0].strip():
            found = {code: cells[at].strip() for code, at in columns.items() if at < len(cells)}
            original = found.pop(own, "") if own in columns else None
            rows.append(TranslatedRow(gettext("row {number}").format(number=number), cells[0].strip(), original, found))
    return rows, [code for code in head[1:] if code and code not in languages]


def compared(rows: Sequence[TranslatedRow], definition: Definition) -> Translations:
    """What these rows change in a draft; an empty text changes nothing.

    Raises ValidationError with the first faults, each with row, column and value, where a text cannot be one of a
    survey or a place stands twice.
    """
    _require_texts(rows)
    known, found = texts_of(definition), Translations()
    own = definition["languages"][0]
    for row in rows:
        if row.place not in known:
            found.unknown.append(row.place)
            continue
        text = known[row.place].text
        words = {code: one for code, one in row.words.items() if one and one != text.get(code, "").strip()}
        if row.original is not None and _plain(row.original) != _plain(text[own]):
            found.stale += [Stale(row.place, row.original, text[own])] if words else []
        elif row.unfinished:
            found.unfinished.append(row.place)
        else:
            found.texts += [Translation(row.place, code, one) for code, one in words.items()]
    return found


def _require_texts(rows: Sequence[TranslatedRow]) -> None:
    faults, seen = list[str](), dict[str, str]()
    for row in rows:
        if row.place in seen:
            faults.append(
                gettext("{where}: the text {place} is in {seen} already").format(
                    where=row.where, place=row.place[:SHOWN], seen=seen[row.place]
                )
            )
        seen[row.place] = row.where
        for code, words in row.words.items():
            try:
                require_plain(words)
            except ValidationError as error:
                faults.append(
                    gettext("{where}, column {code}: {why}; got {words!r}").format(
                        where=row.where, code=code, why=error.message.rstrip("."), words=words[:SHOWN]
                    )
                )
    if faults:
        count = filled(gettext("has {count:,} errors, the first: "), count=len(faults)) if len(faults) > 1 else ""
        raise fault(f"{count}{'; '.join(faults[:MOST_FAULTS])}")


def _plain(words: str) -> str:
    """The words as they are compared: files change line ends, and spaces at the ends."""
    return words.replace("\r\n", "\n").strip()
