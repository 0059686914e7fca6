"""Classes of dates and of times of day, as the choices of a question.

A date or a time is asked by its class (docs/adr/0043-dates-in-classes.md): `classes` in a definition, the same in the
panel, stands for the choices that are made of it here, in every language of the survey.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from itertools import pairwise
from typing import Final

from django.utils.dateformat import format as formatted
from django.utils.translation import gettext as _
from django.utils.translation import gettext as panel_text
from django.utils.translation import gettext_lazy as panel_text_lazy
from django.utils.translation import override

from collector.designs.checks import listed, one_of
from collector.designs.items import MOST_ANSWERS
from collector.errors import Path, ValidationError
from estimator.base.languages import filled
from surveys.definition.parts import Text
from surveys.definition.validation import known_keys

PERIODS: Final = {"month": 1, "quarter": 3, "year": 12}
"""Months in a period."""

KEYS: Final = {
    **{by: {"by", "from", "to", "earlier", "later"} for by in PERIODS},
    "date": {"by", "at"},
    "time": {"by", "hours", "from"},
}
"""The keys beside each way to make classes."""

KINDS: Final = ("one_choice", "several_choices", "scale")
HOURS: Final = (1, 2, 3, 4, 6, 8, 12)
YEARS: Final = (1000, 2999)
DAY: Final = 24 * 60

WRITTEN = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", re.ASCII)
CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)", re.ASCII)
FORMS: Final = {
    1: panel_text_lazy("a year such as 2024"),
    2: panel_text_lazy("a month such as 2024-03"),
    3: panel_text_lazy("a day such as 2024-03-15"),
}

MONTH: Final = {"en": "F Y", "de": "F Y", "es": r"F \d\e Y", "fr": "F Y", "ar": "F Y"}
"""How a month is written in each language of the respondents' pages (Django's letters for parts of a date)."""
OF_A_DAY: Final = {"en": "j ", "de": "j. ", "es": r"j \d\e ", "fr": "j ", "ar": "j "}


def choices_of(classes: object, languages: Sequence[str], path: Path) -> list[Text]:
    """The choices that `classes` stands for, in their order; empty texts in a language that is not supported.

    Raises
    ------
    ValidationError
        Naming the key, what is allowed, and the value.
    """
    by = known_keys(classes, set().union(*KEYS.values()), path).get("by")
    written = known_keys(
        classes, KEYS[one_of(by, KEYS, (*path, "by"), panel_text("one of {keys}").format(keys=", ".join(KEYS)))], path
    )
    labels = _times(written, path) if by == "time" else _dates(written, path)
    count = len(labels)
    if not 2 <= count <= MOST_ANSWERS:
        raise ValidationError(
            path,
            filled(
                panel_text("must give 2 to {most_answers} choices; got {count:,}"),
                most_answers=MOST_ANSWERS,
                count=count,
            ),
        )
    return [{code: _in(code, label) if code in MONTH else "" for code in languages} for label in labels]


Label = Callable[[str], str]
"""A text made while its language is active, of which it is given the code."""


def _in(code: str, label: Label) -> str:
    with override(code):
        return label(code)


def _times(written: Mapping[str, object], path: Path) -> list[Label]:
    """Times of day in classes of some hours, from a time on."""
    hours = written.get("hours")
    if type(hours) is not int or hours not in HOURS:
        allowed = ", ".join(map(str, HOURS))
        raise ValidationError(
            (*path, "hours"), panel_text("must be one of {allowed}; got {hours!r}").format(allowed=allowed, hours=hours)
        )
    begin = written.get("from", "00:00")
    clock = CLOCK.fullmatch(begin) if isinstance(begin, str) else None
    if clock is None:
        raise ValidationError(
            (*path, "from"), panel_text("must be a time such as 06:00; got {begin!r}").format(begin=begin)
        )
    first, length = int(clock[1]) * 60 + int(clock[2]), hours * 60
    spans = [f"{_clock(start)} – {_clock(start + length - 1)}" for start in range(first, first + DAY, length)]
    return [lambda _code, span=span: span for span in spans]  # type: ignore[misc]


def _clock(minute: int) -> str:
    return f"{minute % DAY // 60:02}:{minute % 60:02}"


def _dates(written: Mapping[str, object], path: Path) -> list[Label]:
    """Classes between dates that each begin one, and what lies before and after them where that is asked."""
    if written["by"] == "date":
        parts, starts = _boundaries(written.get("at"), (*path, "at"))
        earlier = later = True
    else:
        parts = 1 if written["by"] == "year" else 2
        starts = _periods(written, parts, path)
        earlier, later = (_flag(written, name, path) for name in ("earlier", "later"))
    labels: list[Label] = [lambda code: _before(starts[0], parts, code)] if earlier else []
    for start, following in pairwise(starts):
        labels.append(lambda code, start=start, end=following: _span(start, end, parts, code))  # type: ignore[misc]
    return [*labels, *([lambda code: _from(starts[-1], parts, code)] if later else [])]


def _boundaries(at: object, path: Path) -> tuple[int, list[date]]:
    """Typed dates, each of which begins a class, and how many parts (year, month, day) they all have."""
    listing = listed(at, path)
    if not listing:
        raise ValidationError(path, panel_text("must be a list of at least one date; got none"))
    found = WRITTEN.fullmatch(str(listing[0]))
    parts = found.lastindex or 1 if found else 3
    starts = [_date(one, parts, (*path, place)) for place, one in enumerate(listing)]
    for place, (before, after) in enumerate(pairwise(starts), start=1):
        if before >= after:
            said = panel_text("must be later than {before}, the one before it; got {given}").format(
                before=listing[place - 1], given=listing[place]
            )
            raise ValidationError((*path, place), said)
    return parts, starts


def _periods(written: Mapping[str, object], parts: int, path: Path) -> list[date]:
    """The first days of the periods from one date to another, and that of the period behind the last."""
    months = PERIODS[str(written["by"])]
    first, last = (_month(_date(written.get(name), parts, (*path, name)), months) for name in ("from", "to"))
    if first > last:
        raise ValidationError(
            (*path, "to"),
            panel_text("must not be before {begin}; got {end}").format(begin=written["from"], end=written["to"]),
        )
    if (count := last - first + 1) > MOST_ANSWERS:
        raise ValidationError(
            path,
            filled(
                panel_text("must give 2 to {most_answers} choices; got {count:,}"),
                most_answers=MOST_ANSWERS,
                count=count,
            ),
        )
    return [_first_day(number * months) for number in range(first, last + 2)]


def _month(day: date, months: int) -> int:
    """The number of the period in which a day lies."""
    return (day.year * 12 + day.month - 1) // months


def _first_day(month: int) -> date:
    return date(month // 12, month % 12 + 1, 1)


def _date(value: object, parts: int, path: Path) -> date:
    """A year, month or day as its first day; an unquoted year of YAML is a number."""
    found = WRITTEN.fullmatch(str(value)) if type(value) in (str, int) else None
    try:
        if found is None or (found.lastindex or 1) != parts:
            raise ValueError
        day = date(int(found[1]), int(found[2] or 1), int(found[3] or 1))
    except ValueError:
        raise ValidationError(
            path, panel_text("must be {form}; got {value!r}").format(form=FORMS[parts], value=value)
        ) from None
    if not YEARS[0] <= day.year <= YEARS[1]:
        raise ValidationError(
            path,
            panel_text("must be in the years {first} to {last}; got {value!r}").format(
                first=YEARS[0], last=YEARS[1], value=value
            ),
        )
    return day


def _flag(written: Mapping[str, object], name: str, path: Path) -> bool:
    value = written.get(name, False)
    if type(value) is not bool:
        raise ValidationError((*path, name), panel_text("must be true or false; got {value!r}").format(value=value))
    return value


def _span(start: date, following: date, parts: int, code: str) -> str:
    """The class from a date to the one before which the next begins; no year twice, no month alone twice."""
    end = following - timedelta(days=1)
    first, last = _written(start, parts, code), _written(end, parts, code)
    if first == last:
        return first
    if parts == 2 and start.year == end.year:
        first = formatted(start, "F")
    return f"{first} – {last}"


def _before(day: date, parts: int, code: str) -> str:
    if parts == 3:
        return _("Before %(day)s") % {"day": _written(day, parts, code)}
    return _("Before %(period)s") % {"period": _written(day, parts, code)}


def _from(day: date, parts: int, code: str) -> str:
    return _("%(date)s or later") % {"date": _written(day, parts, code)}


def _written(day: date, parts: int, code: str) -> str:
    if parts == 1:
        return str(day.year)
    return formatted(day, MONTH[code] if parts == 2 else OF_A_DAY[code] + MONTH[code])
