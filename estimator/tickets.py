"""The table of tickets of a question as a reader can follow it: rows and columns named, never more than fits a page."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from estimator import wording
from randomized_response.questions import Question

MOST_ROWS = 7
"""Answers up to which every row of a number's table is shown; of more, SHOWN_ROWS of them."""
SHOWN_ROWS = 5
LARGEST_COUNT = 10_000
"""Boxes up to this size are told in tickets; of larger ones the numbers would say nothing, and per cents are shown."""


@dataclass(frozen=True)
class Tickets:
    """A table to show: what its rows are of, its columns, its rows, and what is not to be seen in it.

    Each row is its name and its cells; a cell is its text and whether it sends the answer itself.
    """

    caption: str
    corner: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[str, bool], ...]], ...]
    remark: str = ""


def how_it_is_sent(item: dict[str, Any]) -> str:
    """What a report of this item holds, where it is not simply one of its choices."""
    k, channel = len(item["choices"]), item["channel"]
    match item["encoding"]:
        case "one_hot":
            return f"For each of the {k} choices a mark or none is sent, each through a ticket of its own."
        case "each_option":
            most = f" At most {item['most']} can be ticked." if "most" in item else ""
            return f"For each of the {k} options a mark or none is sent, each through a ticket of its own.{most}"
        case "subset":
            return (
                f"A set of {channel['size']} of the {k} choices is sent. A ticket says whether the answer is in it; "
                "the others in it are drawn with equal odds."
            )
    if item["kind"] != "number":
        return ""
    if len(channel["weights"][0]) == 2:
        return "One of two reports is sent, lowest or highest: the higher the answer, the more tickets say highest."
    return "A number is sent, through a ticket: one near to the answer more often than one far from it."


def tickets_of(item: dict[str, Any], question: Question, language: str) -> Tickets:
    """The table of an item of a frozen design, in the words of one of its languages."""
    weights, names = item["channel"]["weights"], row_names(item, question, language)
    match item["encoding"]:
        case "one_hot":
            return _shown(weights, names, ("not marked", "marked"), "A choice, seen alone")
        case "each_option":
            return _shown(weights, names, ("not marked", "marked"), "An option, seen alone")
        case "subset":
            return _shown(weights, names, ("a set without the answer", "a set with the answer"))
    return _of_a_number(weights, list(names)) if item["kind"] == "number" else _shown(weights, names, names)


def row_names(item: dict[str, Any], question: Question, language: str) -> tuple[str, ...]:
    """What each row of an item's table is for."""
    match item["encoding"]:
        case "one_hot":
            return "Another choice", "This choice"
        case "each_option":
            return "Not ticked", "Ticked"
        case "subset":
            return ("Any choice",)
    if item["kind"] == "number":
        return tuple(wording.point(value or 0.0) for value in question.values)
    return tuple(choice.get(language, "") for choice in item["choices"])


def sent_names(points: list[str], width: int) -> list[str]:
    """What each of `width` reports of a number is called whose grid has these points."""
    if width == 2:
        return [f"lowest ({points[0]})", f"highest ({points[-1]})"]
    return points if width == len(points) else [f"report {y + 1}" for y in range(width)]


def _of_a_number(weights: list[list[int]], points: list[str]) -> Tickets:
    """Some rows of the grid; of many reports those beside each other are put together."""
    last, width = len(points) - 1, len(weights[0])
    rows = range(last + 1) if last < MOST_ROWS else [place * last // (SHOWN_ROWS - 1) for place in range(SHOWN_ROWS)]
    names = sent_names(points, width)
    bins = [range(y, y + 1) for y in range(width)]
    if width > MOST_ROWS:
        ends = [part * width // SHOWN_ROWS for part in range(SHOWN_ROWS + 1)]
        bins = [range(low, high) for low, high in pairwise(ends)]
    columns = tuple(names[b[0]] if len(b) == 1 else f"{names[b[0]]} to {names[b[-1]]}" for b in bins)
    table = [[sum(weights[x][y] for y in b) for b in bins] for x in rows]
    remark = "" if len(rows) > last else f"{len(rows)} of the {last + 1} rows; report.json holds all."
    own = len(columns) == len(points)
    return _shown(table, tuple(points[x] for x in rows), columns, "True answer", own=own, remark=remark)


def _shown(
    weights: list[list[int]],
    names: tuple[str, ...],
    columns: tuple[str, ...],
    corner: str = "True answer",
    *,
    own: bool = True,
    remark: str = "",
) -> Tickets:
    tickets, square = sum(weights[0]), own and len(names) == len(columns)
    many = tickets > LARGEST_COUNT
    count = "How likely each report is" if many else f"Of {wording.count(tickets)} tickets, how many send each report"

    def cell(weight: int) -> str:
        return wording.percent(weight / tickets, 1) if many else wording.count(weight)

    rows = (
        (name, tuple((cell(weight), square and x == y) for y, weight in enumerate(row)))
        for x, (name, row) in enumerate(zip(names, weights, strict=True))
    )
    exact = f"Rounded, of {wording.count(tickets)} tickets. " if many else ""
    return Tickets(count, corner, columns, tuple(rows), (exact + remark).strip())
