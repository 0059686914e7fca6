"""The texts of a survey as translators take them out and give them back.

It is a table with a column for each language, as CSV or workbook, or a PO file of one language.

Each text has a place, like `items/mood/wording`. What comes back is compared with the draft: a text whose original has
changed since, or whose place is gone, is named and left alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from collector.designs import ABOUT
from collector.errors import ValidationError
from surveys.definition.bounds import require_plain
from surveys.definition.parts import Definition, Text, texts_before, texts_of_pictures
from surveys.exchange.files import fault

PLACE = "text"
"""Head of the column with the places."""

MOST_FAULTS = 3
SHOWN = 60
"""Maximum faults in one refusal, and characters of a value in it."""


@dataclass(frozen=True)
class TranslatedRow:
    """One text as it comes back: `where` it stands in the file, the original where the file has it, and its texts by
    the code of the language, each with the name of its column."""

    where: str
    place: str
    original: str | None
    words: Mapping[str, str]
    unfinished: bool = False


@dataclass
class Translations:
    """What a file changes in a draft, and what it leaves alone, by place."""

    texts: list[tuple[str, str, str]] = field(default_factory=list)
    """Place, language and words of each text that differs from the draft's."""

    unknown: list[str] = field(default_factory=list)
    """Places that the draft does not have."""

    stale: list[tuple[str, str, str]] = field(default_factory=list)
    """Place, original in the file and original now, where they differ: the translation is of another text."""

    unfinished: list[str] = field(default_factory=list)
    """Places whose translation is marked as fuzzy."""

    columns: list[str] = field(default_factory=list)
    """Columns that are no language of the survey."""


def texts_of(definition: Definition) -> dict[str, tuple[str, Text]]:
    """The label and the text at each place, in the order in which respondents read them; those that have words."""
    own = definition["languages"][0]
    return {place: (label, text) for place, label, text in _texts(definition) if text.get(own, "").strip()}


def _texts(definition: Definition) -> Iterator[tuple[str, str, Text]]:
    yield "title", "Title", definition["title"]
    yield "introduction", "Introduction", definition["introduction"]
    yield "consent", "Consent", definition["consent"]
    for number, statement in enumerate(definition.get("consent_statements", [])):
        yield f"consent_statements/{number}", f"Consent statement {number + 1}", statement
    if screening := definition.get("screening"):
        yield "screening/wording", "Screening question", screening["wording"]
        for number, choice in enumerate(screening["choices"]):
            yield f"screening/choices/{number}", f"Screening, answer {number + 1}", choice
        yield "screening/text", "Screening, end page", screening["text"]
    for name in ABOUT:
        if name in definition.get("about", {}):
            yield f"about/{name}", name.replace("_", " ").capitalize(), definition["about"][name]
    yield "strata/wording", "Question for the group", definition["strata"]["wording"]
    for number, group in enumerate(definition["strata"]["groups"], start=1):
        yield f"strata/groups/{group['key']}/label", f"Group {number}", group["label"]
    for section in definition.get("sections", []):
        yield f"sections/{section['key']}/title", "Section", section["title"]
        yield f"sections/{section['key']}/introduction", "Below it", section["introduction"]
    above: Mapping[str, object] = {}
    for number, item in enumerate(definition["items"], start=1):
        place, name = f"items/{item['key']}", f"Question {number}"
        heading = item.get("heading")
        # What the rows of a grid share is translated once, with the first of them.
        first = not heading or (above.get("heading"), above.get("section")) != (heading, item.get("section"))
        above = item
        for part, text in texts_before(item):
            yield f"{place}/before/{part}", f"Before question {number}", text
        if heading and first:
            yield f"{place}/heading", f"{name}, heading", heading
        yield f"{place}/wording", name, item["wording"]
        if not first:
            continue
        for option, choice in enumerate(item["choices"]):
            yield f"{place}/choices/{option}", f"{name}, option {option + 1}", choice
        for option, text in texts_of_pictures(item):
            yield f"{place}/choice_pictures/{option}/alternative", f"{name}, picture of option {option + 1}", text
        if "prefer_not" in item:
            yield f"{place}/prefer_not", f"{name}, last option", item["prefer_not"]


def table_of(definition: Definition) -> list[list[str]]:
    """The rows of the table, its head first."""
    codes = definition["languages"]
    rows = [[place, *(text.get(code, "") for code in codes)] for place, (_, text) in texts_of(definition).items()]
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
        raise fault(f"row 1 must be {PLACE}, then codes of languages, like {', '.join(others)}; got {got!r}")
    twice = sorted({code for code in columns if head.count(code) > 1})
    if twice:
        raise fault(f"row 1 must name each language once; {', '.join(twice)} stands twice")
    rows = []
    for number, cells in enumerate(table[1:], start=2):
        if cells and cells[0].strip():
            found = {code: cells[at].strip() for code, at in columns.items() if at < len(cells)}
            original = found.pop(own, "") if own in columns else None
            rows.append(TranslatedRow(f"row {number}", cells[0].strip(), original, found))
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
        text = known[row.place][1]
        words = {code: one for code, one in row.words.items() if one and one != text.get(code, "").strip()}
        if row.original is not None and _plain(row.original) != _plain(text[own]):
            found.stale += [(row.place, row.original, text[own])] if words else []
        elif row.unfinished:
            found.unfinished.append(row.place)
        else:
            found.texts += [(row.place, code, one) for code, one in words.items()]
    return found


def _require_texts(rows: Sequence[TranslatedRow]) -> None:
    faults, seen = list[str](), dict[str, str]()
    for row in rows:
        if row.place in seen:
            faults.append(f"{row.where}: the text {row.place[:SHOWN]} stands in {seen[row.place]} already")
        seen[row.place] = row.where
        for code, words in row.words.items():
            try:
                require_plain(words)
            except ValidationError as error:
                faults.append(f"{row.where}, column {code}: {error.message.rstrip('.')}; got {words[:SHOWN]!r}")
    if faults:
        count = f"has {len(faults):,} faults, the first: " if len(faults) > 1 else ""
        raise fault(f"{count}{'; '.join(faults[:MOST_FAULTS])}")


def _plain(words: str) -> str:
    """The words as they are compared: files change line ends, and spaces at the ends."""
    return words.replace("\r\n", "\n").strip()
