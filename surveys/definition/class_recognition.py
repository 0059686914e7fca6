"""The classes of dates or times that a question's choices were made of, found again in the choices.

Only the choices are stored (docs/adr/0043-dates-in-classes.md). What is read from them is made again and compared: it
is taken only where it makes the same choices, so that nobody is shown classes that the list does not have.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from itertools import product

from django.utils.dateformat import format as formatted
from django.utils.translation import override

from collector.errors import ValidationError
from surveys.definition.classes import DAY, MONTH, OF_A_DAY, choices_of

FORM = re.compile(r"\\(.)|(.)")
"""A letter of Django's formats: one that stands for itself, or another."""

TIMES = re.compile(r"(\d\d:\d\d) – \d\d:\d\d", re.ASCII)
ISO = {1: 4, 2: 7, 3: 10}
"""Characters of a date in ISO 8601 that has so many parts: year, month, day."""


@dataclass(frozen=True)
class Reader:
    """How dates of so many parts are written in a language, as `choices_of` writes them."""

    parts: int
    pattern: re.Pattern[str]
    months: Mapping[str, int]

    def span(self, label: str) -> tuple[date, date] | None:
        """The first and the last date that a label names; of two months in a year the first stands without it."""
        try:
            found = [self._date(match.groupdict()) for match in self.pattern.finditer(label)]
        except ValueError:  # a day that the month does not have
            return None
        if not found:
            return None
        alone = self.months.get(label.split(" – ", maxsplit=1)[0])
        return (found[-1].replace(month=alone) if alone else found[0]), found[-1]

    def _date(self, named: Mapping[str, str]) -> date:
        return date(int(named["Y"]), self.months.get(named.get("F", ""), 1), int(named.get("j", 1)))

    def iso(self, day: date) -> str:
        return day.isoformat()[: ISO[self.parts]]


@cache
def _reader(parts: int, code: str) -> Reader:
    with override(code):
        months = {formatted(date(2000, month, 1), "F"): month for month in range(1, 13)}
    letters = {"j": r"(?P<j>\d{1,2})", "F": f"(?P<F>{'|'.join(months)})", "Y": r"(?P<Y>\d{4})"}
    form = {1: "Y", 2: MONTH[code], 3: OF_A_DAY[code] + MONTH[code]}[parts]
    found = (
        re.escape(literal) if literal else letters.get(letter, re.escape(letter))
        for literal, letter in FORM.findall(form)
    )
    return Reader(parts, re.compile(rf"(?<!\d){''.join(found)}(?!\d)", re.ASCII), months)


def classes_from(choices: Sequence[Mapping[str, str]], languages: Sequence[str]) -> dict[str, object] | None:
    """The classes that make these choices, in their plainest form; None where there are none.

    A language in which all choices are blank, as in one that was added later, is passed over.
    """
    written = [code for code in languages if code in MONTH and any(choice.get(code, "").strip() for choice in choices)]
    if not written:
        return None
    labels = [choice.get(written[0], "").strip() for choice in choices]
    found = (one for one in _candidates(labels, written[0]) if _makes(one, choices, written[:1]))
    classes = next(found, None)
    return classes if classes and _makes(classes, choices, written) else None


def _makes(classes: Mapping[str, object], choices: Sequence[Mapping[str, str]], languages: Sequence[str]) -> bool:
    try:
        made = choices_of(classes, languages, ())
    except ValidationError:
        return False
    return made == [{code: choice.get(code, "").strip() for code in languages} for choice in choices]


def _candidates(labels: Sequence[str], code: str) -> Iterator[dict[str, object]]:
    """What may have made these labels, the plainest first."""
    times = [TIMES.fullmatch(label) for label in labels]
    if len(labels) > 1 and times[0] and all(times):
        yield {"by": "time", "hours": DAY // 60 // len(labels), "from": times[0][1]}
        return
    readers = (_reader(parts, code) for parts in (3, 2, 1))
    reader = next((one for one in readers if labels and one.pattern.search(labels[-1])), None)
    spans = [reader.span(label) for label in labels] if reader else []
    if reader and None not in spans:
        yield from _of_dates(reader, [span for span in spans if span])


def _of_dates(reader: Reader, spans: Sequence[tuple[date, date]]) -> Iterator[dict[str, object]]:
    periods = {1: ("year",), 2: ("month", "quarter"), 3: ()}[reader.parts]
    for by, earlier, later in product(periods, (False, True), (False, True)):
        if within := spans[earlier : len(spans) - later]:
            ends = {"from": reader.iso(within[0][0]), "to": reader.iso(within[-1][1])}
            asked = {name: True for name, on in (("earlier", earlier), ("later", later)) if on}
            yield {"by": by, **ends, **asked}
    yield {"by": "date", "at": [reader.iso(first) for first, _ in spans[1:]]}
