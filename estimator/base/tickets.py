"""Readable tables of a question's randomisation scheme: labelled rows and columns, at most a page."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import assert_never

from django.utils.translation import gettext as _

from collector.designs import Channel, Item
from estimator.base import wording
from randomized_response.questions import Question

Table = Sequence[Sequence[int]]

MOST_ROWS = 7
"""Largest number of answers with every row of the table shown; beyond it, SHOWN_ROWS rows."""
SHOWN_ROWS = 5
LARGEST_COUNT = 10_000
"""Largest denominator shown in tickets; for larger ones percentages are shown."""


@dataclass(frozen=True)
class Tickets:
    """A table for display: its caption, columns and rows, and a remark on what is not shown.

    Each row is its name and its cells; a cell is its text and whether it sends the answer itself.
    """

    caption: str
    corner: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[str, bool], ...]], ...]
    remark: str = ""


def encoding_sentence(item: Item) -> str:
    """A sentence on the content of an item's report, if not simply one of its choices."""
    k, channel = len(item.choices), item.channel
    match item.encoding:
        case "one_hot":
            text = _("Each of the %(count)s choices is sent as marked or not marked, randomised separately.")
            return text % {"count": k}
        case "each_option":
            text = _("Each of the %(count)s options is sent as ticked or not ticked, randomised separately.")
            most = " " + _("At most %(most)s can be ticked.") % {"most": item.most} if item.most is not None else ""
            return text % {"count": k} + most
        case "subset":
            text = _(
                "A set of %(size)s of the %(count)s choices is sent. Chance decides whether it contains the "
                "answer; its other members are drawn with equal probability."
            )
            return text % {"size": channel.size, "count": k}
        case "single":
            return _how_a_number_is_sent(channel) if item.kind == "number" else ""
        case _:
            assert_never(item.encoding)


def _how_a_number_is_sent(channel: Channel) -> str:
    if len(channel.weights[0]) == 2:
        return _("“Lowest” or “highest” is sent: the higher the answer, the more likely “highest”.")
    if channel.name != "discrete_laplace":
        return _("A randomised number is sent.")
    return _(
        "A randomised number is sent: the answer plus a random step up or down, large steps being rarer; values "
        "beyond an end of the range are sent as that end."
    )


def tickets_of(item: Item, question: Question, language: str) -> Tickets:
    """The table of an item of a frozen design, in one of the design's languages."""
    weights, names = item.channel.weights, row_names(item, question, language)
    match item.encoding:
        case "one_hot":
            return _shown(weights, names, _marked(), _("One choice"))
        case "each_option":
            return _shown(weights, names, _marked(), _("One option"))
        case "subset":
            return _shown(weights, names, (_("a set without the answer"), _("a set with the answer")))
        case "single":
            return _of_a_number(weights, list(names)) if item.kind == "number" else _shown(weights, names, names)
        case _:
            assert_never(item.encoding)


def row_names(item: Item, question: Question, language: str) -> tuple[str, ...]:
    """The label of each row of an item's table."""
    match item.encoding:
        case "one_hot":
            return _("Another choice"), _("This choice")
        case "each_option":
            return _("Not ticked"), _("Ticked")
        case "subset":
            return (_("Any choice"),)
        case "single" if item.kind == "number":
            return tuple(wording.point(value or 0.0) for value in question.values)
        case "single":
            return tuple(choice.get(language, "") for choice in item.choices)
        case _:
            assert_never(item.encoding)


def sent_names(points: list[str], width: int) -> list[str]:
    """The names of the `width` possible reports of a number whose grid has these points."""
    if width == 2:
        return [_("lowest (%(value)s)") % {"value": points[0]}, _("highest (%(value)s)") % {"value": points[-1]}]
    return points if width == len(points) else [_("response %(number)s") % {"number": y + 1} for y in range(width)]


def _marked() -> tuple[str, str]:
    return _("not marked"), _("marked")


def _of_a_number(weights: Table, points: list[str]) -> Tickets:
    """Selected rows of the grid; adjacent reports are combined if there are many."""
    last, width = len(points) - 1, len(weights[0])
    rows = range(last + 1) if last < MOST_ROWS else [place * last // (SHOWN_ROWS - 1) for place in range(SHOWN_ROWS)]
    names = sent_names(points, width)
    bins = [range(y, y + 1) for y in range(width)]
    if width > MOST_ROWS:
        ends = [part * width // SHOWN_ROWS for part in range(SHOWN_ROWS + 1)]
        bins = [range(low, high) for low, high in pairwise(ends)]
    columns = tuple(_from_to(names, b) for b in bins)
    table = [[sum(weights[x][y] for y in b) for b in bins] for x in rows]
    some = _("%(shown)s of %(all)s rows; report.json has all of them.") % {"shown": len(rows), "all": last + 1}
    remark = "" if len(rows) > last else some
    own = len(columns) == len(points)
    return _shown(table, tuple(points[x] for x in rows), columns, own=own, remark=remark)


def _from_to(names: list[str], some: range) -> str:
    if len(some) == 1:
        return names[some[0]]
    return _("%(low)s to %(high)s") % {"low": names[some[0]], "high": names[some[-1]]}


def _shown(
    weights: Table,
    names: tuple[str, ...],
    columns: tuple[str, ...],
    corner: str = "",
    *,
    own: bool = True,
    remark: str = "",
) -> Tickets:
    tickets, square = sum(weights[0]), own and len(names) == len(columns)
    many = tickets > LARGEST_COUNT
    how_many = _("Number of tickets, of %(tickets)s, that send each response") % {"tickets": wording.count(tickets)}

    def cell(weight: int) -> str:
        return wording.percent(weight / tickets, 1) if many else wording.count(weight)

    rows = (
        (name, tuple((cell(weight), square and x == y) for y, weight in enumerate(row)))
        for x, (name, row) in enumerate(zip(names, weights, strict=True))
    )
    exact = _("Rounded from counts of %(tickets)s tickets.") % {"tickets": wording.count(tickets)} if many else ""
    caption = _("Probability of each response") if many else how_many
    return Tickets(caption, corner or _("True answer"), columns, tuple(rows), f"{exact} {remark}".strip())
