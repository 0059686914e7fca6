"""Simulated respondents, whose true answers are known, and files of them.

An answer is the index of a choice, the place of a number on its grid, or for several choices a 0 or 1 for each option;
None is a question that was left blank.
"""

import csv
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import IO, assert_never

import numpy as np
from django.utils.translation import gettext

from collector.designs import Design, Item
from collector.designs.arms import asked_in
from collector.designs.checks import DECIMAL
from collector.errors import InputError
from estimator.base.languages import filled
from randomized_response.plan import shares_around

Answer = int | tuple[int, ...] | None


@dataclass(frozen=True)
class Respondent:
    """A simulated person: the stratum (an index) and the true answer to each item.

    `unrandomised` are the keys of items with a coin of her own whose answer she marks whatever the coin shows.
    """

    stratum: int
    answers: tuple[Answer, ...]
    unrandomised: frozenset[str] = frozenset()


def answers_to_send(
    items: Sequence[Item], answers: Sequence[Answer], version: Collection[int] | None = None
) -> tuple[int | tuple[int, ...], ...]:
    """The answers read against each item's ticket, as the page decides (client/routing.js); `version` as for `ask`.

    Raises
    ------
    InputError
        Where an item that is asked and required has no answer.
    """
    given = dict(zip((item.key for item in items), answers, strict=True))
    replies = ask(items, lambda item: given[item.key], version)
    return tuple(answer if answer is not None else _blank(item) for item, answer in zip(items, replies, strict=True))


def ask(
    items: Sequence[Item], answer_of: Callable[[Item], Answer], version: Collection[int] | None = None
) -> list[Answer]:
    """Ask item by item: `answer_of` each that is asked, and for the others the value that is sent instead.

    An item that depends on another is asked where that one is asked and has one of the answers that lead to it.
    `version` has the places of the items that a person's version of the page asks; None for all.
    """
    replies: list[Answer] = []
    answered: dict[str, Answer] = {}
    for place, item in enumerate(items):
        condition = item.asked_if
        follows = condition is None or _leads(answered.get(condition.item), condition.answers)
        if follows and (version is None or place in version):
            answered[item.key] = answer_of(item)
            replies.append(answered[item.key])
        else:
            replies.append(_nothing(item) if item.kind == "several_choices" else item.unasked or 0)
    return replies


def shares_of(item: Item, given: Sequence[float] | Mapping[str, float] | None) -> list[float]:
    """How often each answer is given (for several choices: each option is ticked). Raises InputError.

    `given` are the shares; one share of two answers is that of the second. Of a number it may be the `mean` with a
    `spread` (standard deviation), or one mean alone.
    """
    size, several = item.answer_count, item.kind == "several_choices"
    if given is None:
        return [1 / (2 if several else size)] * size
    if isinstance(given, Mapping):
        return _around(item, given["mean"], given.get("spread"))
    if len(given) == 1 and item.kind == "number":
        return _around(item, given[0], None)
    table = [1 - given[0], given[0]] if len(given) == 1 and size == 2 and not several else list(given)
    proper = len(table) == size and min(table) >= 0 and max(table) <= 1 and (several or abs(sum(table) - 1) <= 1e-9)
    if not proper:
        total = "" if several else gettext(" that sum to 1")
        raise InputError(
            "shares",
            gettext("share: {key} needs {size} shares from 0 to 1{total}; got {given}").format(
                key=item.key, size=size, total=total, given=given
            ),
        )
    return table


def read_answers(design: Design, file: IO[str]) -> list[Respondent]:
    """Read true answers from CSV: a column for each item, and `stratum` where the survey has groups.

    A cell holds the text of a choice or its number (from 0, of a scale from 1); for several choices those that are
    ticked, with ; between them; the number where a number is asked. The cell of an item that is not asked is not looked
    at.
    """
    table = csv.DictReader(file)
    items = design.items
    needed = [item.key for item in items] + (["stratum"] if design.strata != ("",) else [])
    missing = [name for name in needed if name not in (table.fieldnames or [])]
    if missing:
        raise InputError(
            "shares",
            gettext("the file must have the columns {needed}; missing: {missing}").format(
                needed=", ".join(needed), missing=", ".join(missing)
            ),
        )
    codes = {item.key: _codes(item, design.language) for item in items}
    return [_row(design, codes, row, line) for line, row in enumerate(table, start=2)]


def _row(design: Design, codes: dict[str, dict[str, int]], row: dict[str, str], line: int) -> Respondent:
    def answer_of(item: Item) -> Answer:
        return _cell(item, codes[item.key], (row[item.key] or "").strip(), line)

    stratum = _stratum(design, row, line)
    return Respondent(stratum, tuple(ask(design.items, answer_of, asked_in(design, stratum))))


def _leads(answer: Answer, leading: Sequence[int]) -> bool:
    """True if an answer is one that leads to another question. A blank leads nowhere."""
    return any(answer[place] for place in leading) if isinstance(answer, tuple) else answer in leading


def _nothing(item: Item) -> tuple[int, ...]:
    return (0,) * len(item.choices)


def _blank(item: Item) -> int | tuple[int, ...]:
    """The value sent for a blank."""
    if item.required:
        raise InputError("shares", gettext("{key} must be answered").format(key=item.key))
    return _nothing(item) if item.kind == "several_choices" else len(item.choices) - 1


def ticked(item: Item, marks: Sequence[bool], generator: np.random.Generator) -> tuple[int, ...]:
    """Options ticked independently; "prefer not to say" alone, and at most `most`, chosen at random."""
    places = [place for place, mark in enumerate(marks) if mark]
    if item.prefer_not and len(marks) - 1 in places:
        places = [len(marks) - 1]
    if item.most is not None and len(places) > item.most:
        places = generator.permutation(places)[: item.most].tolist()
    return tuple(int(place in places) for place in range(len(marks)))


def _around(item: Item, mean: float, spread: float | None) -> list[float]:
    """Shares of a grid's points with this mean and standard deviation; with the least deviation if none is given."""
    points = [float(point) for point in item.points]
    low, high, last = points[0], points[-1], len(points) - 1
    if not low <= mean <= high:
        raise InputError(
            "shares",
            filled(
                gettext("share: the mean of {key} must be from {low:g} to {high:g}; got {mean:g}"),
                key=item.key,
                low=low,
                high=high,
                mean=mean,
            ),
        )
    if mean in (low, high):
        return [float(point == mean) for point in points]
    least, most = spreads(item, mean)
    spread = least if spread is None else spread
    if not least * 0.9995 <= spread <= most * 1.0005:
        bounds = filled(
            gettext("from {least:.4g} to {most:.4g} around a mean of {mean:g}"), least=least, most=most, mean=mean
        )
        raise InputError(
            "shares",
            filled(
                gettext("share: the spread of {key} must be {bounds}; got {spread:g}"),
                key=item.key,
                bounds=bounds,
                spread=spread,
            ),
        )
    step = (high - low) / last
    spread = min(max(spread, least), most)
    return [float(share) for share in shares_around(last + 1, mean=(mean - low) / step, deviation=spread / step)]


def spreads(item: Item, mean: float) -> tuple[float, float]:
    """The least and the largest standard deviation that simulated numbers can have around a mean."""
    points = [float(point) for point in item.points]
    most = math.sqrt(max(0.0, (mean - points[0]) * (points[-1] - mean)))
    return most / math.sqrt(len(points) - 1), most


def strata_shares(design: Design) -> list[float]:
    """The strata's known shares of the population, equal ones if any is unknown; of cells those that are expected."""
    if background := design.background:
        return [float(background.expected_share(cell)) for cell in range(len(background.cells))]
    shares = [float(Fraction(group.share)) for group in design.groups if group.share is not None]
    return shares or [1 / len(design.strata)] * len(design.strata)


def _stratum(design: Design, row: dict[str, str], line: int) -> int:
    if design.strata == ("",):
        return 0
    if row["stratum"] not in design.strata:
        raise InputError(
            "shares",
            gettext("line {line}: stratum must be one of {strata}").format(line=line, strata=", ".join(design.strata)),
        )
    return design.strata.index(row["stratum"])


def _codes(item: Item, language: str) -> dict[str, int]:
    """Accepted cells and the answers that they mean: texts, and numbers unless a text is another's number."""
    texts = {choice[language]: place for place, choice in enumerate(item.choices)}
    first = 1 if item.kind == "scale" else 0
    numbers = {str(place + first): place for place in range(len(item.choices))}
    plain = all(numbers.get(text, place) == place for text, place in texts.items())
    return {**(numbers if plain else {}), **texts}


def _cell(item: Item, codes: dict[str, int], cell: str, line: int) -> Answer:
    # The value itself is left out of every message: it is somebody's answer.
    match item.kind:
        case "several_choices":
            return _options(item, codes, cell, line)
        case "number":
            return _point(item, cell, line)
        case "yes_no" | "one_choice" | "scale":
            if cell not in codes and (cell or item.required):
                raise InputError(
                    "shares",
                    gettext("line {line}: {key} must be {item}").format(
                        line=line, key=item.key, item=_expected(item, codes)
                    ),
                )
            return codes.get(cell)
        case _:
            assert_never(item.kind)


def _expected(item: Item, codes: dict[str, int]) -> str:
    first = 1 if item.kind == "scale" else 0
    last = first + len(item.choices) - 1
    numbers = gettext("{low} to {high} or ").format(low=first, high=last) if codes.get(str(first)) == 0 else ""
    return gettext("{numbers}the text of a choice").format(numbers=numbers)


def _options(item: Item, codes: dict[str, int], cell: str, line: int) -> tuple[int, ...]:
    ticked = [part.strip() for part in cell.split(";") if part.strip()]
    if not all(part in codes for part in ticked):
        raise InputError(
            "shares",
            gettext("line {line}: {key} must be {item}, with ; between several").format(
                line=line, key=item.key, item=_expected(item, codes)
            ),
        )
    places = {codes[part] for part in ticked}
    if item.most is not None and len(places) > item.most:
        raise InputError(
            "shares",
            gettext("line {line}: {key} must have at most {most} of the choices").format(
                line=line, key=item.key, most=item.most
            ),
        )
    return tuple(int(place in places) for place in range(len(item.choices)))


def _point(item: Item, cell: str, line: int) -> int:
    points = item.points
    if not DECIMAL.fullmatch(cell) or Fraction(cell) not in points:
        raise InputError(
            "shares",
            gettext("line {line}: {key} must be a number from {grid}").format(line=line, key=item.key, grid=item.grid),
        )
    return points.index(Fraction(cell))
