"""Dates and times of other tools: the classes that are proposed for them, and what that changes."""

import re
from datetime import date, timedelta

from django.utils.translation import gettext, gettext_lazy

from surveys.definition.classes import YEARS
from surveys.exchange.source import Question, shown

DAY = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)", re.ASCII)
MONTH = re.compile(r"(?<!\d)(\d{4})-(0[1-9]|1[0-2])(?!\d)", re.ASCII)
YEAR = re.compile(r"(?<!\d)(\d{4})(?!\d)", re.ASCII)

WITHOUT_BOUNDS = (1930 * 12, 2030 * 12 + 11)
"""Months that are proposed where the tool has no bounds: January 1930 to December 2030."""

MOST_PERIODS = 24
"""Periods above which coarser ones are proposed: each class needs responses of its own."""

STEPS = (5, 10, 20, 50, 100)
OTHERWISE = gettext_lazy(
    "Make other classes under “Options from dates or times”, or write `classes` (docs/reference/survey-file.md)."
)
HOURS = 3


def proposed_classes(question: Question) -> tuple[dict[str, object], list[str]]:
    """Classes as a definition has them, and what was changed to have them, in sentences."""
    if question.kind == "time":
        changed = gettext("Candor asks for no exact time: it is asked in {count} classes of {hours} hours.").format(
            count=24 // HOURS, hours=HOURS
        )
        return {"by": "time", "hours": HOURS}, [changed]
    said = [gettext("Candor asks for no exact date: it is asked in classes.")]
    if "time" in question.tool_kind.lower():
        said.append(gettext("Its time of day is not asked: use a separate question for it."))
    bounds = [
        _bound(written, name, last, said)
        for written, name, last in ((question.minimum, "minimum", 1), (question.maximum, "maximum", 12))
    ]
    low, high = (usual if bound is None else bound for bound, usual in zip(bounds, WITHOUT_BOUNDS, strict=True))
    if bounds == [None, None]:
        said.append(gettext("It has no limits: classes of ten years are suggested; choose those that you need."))
    if low > high:
        said.append(gettext("Its limits are not a range and were left out."))
        bounds, (low, high) = [None, None], WITHOUT_BOUNDS
    return _between(low, high, earlier=bounds[0] is None, later=bounds[1] is None), said


def _between(low: int, high: int, *, earlier: bool, later: bool) -> dict[str, object]:
    """The finest classes that are few: months, quarters, years, or several years."""
    ends = {"earlier": earlier, "later": later}
    for by, months in (("month", 1), ("quarter", 3), ("year", 12)):
        if 2 <= high // months - low // months + 1 + earlier + later <= MOST_PERIODS:
            parts = 1 if by == "year" else 2
            return {"by": by, "from": _written(low, parts), "to": _written(high, parts)} | {
                name: True for name, wanted in ends.items() if wanted
            }
    if low == high:
        return {"by": "date", "at": [_written(low, 2), _written(low + 1, 2)]}
    first, last = low // 12, high // 12
    step = next((step for step in STEPS if (last - first) // step < MOST_PERIODS / 2), STEPS[-1])
    return {"by": "date", "at": [str(year) for year in range((first // step + 1) * step, last + 1, step)]}


def moved(written: str, days: int) -> str:
    """A date some days later, as text; other texts as they are."""
    found = DAY.search(written)
    try:
        return str(date.fromisoformat(found[0]) + timedelta(days)) if found else written
    except (ValueError, OverflowError):
        return written


def _bound(written: str, name: str, month: int, said: list[str]) -> int | None:
    """The month of a bound; of a year that month."""
    if not written.strip():
        return None
    found = MONTH.search(written) or YEAR.search(written)
    if found is None or not YEARS[0] <= int(found[1]) < YEARS[1]:
        said.append(gettext("The {name} {written} could not be read.").format(name=name, written=shown(written)))
        return None
    return int(found[1]) * 12 + (int(found[2]) if found.re is MONTH else month) - 1


def _written(month: int, parts: int) -> str:
    return f"{month // 12:04}" if parts == 1 else f"{month // 12:04}-{month % 12 + 1:02}"
