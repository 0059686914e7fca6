"""Encoding of one answer into the symbols of a report, drawn exactly: the browser's rules in Python.

An encoding (docs/reference/formats.md) says how many tickets are drawn, below which bounds, and which symbols they make
of an answer. Tickets are drawn before there is an answer; which words and how many are used never depends on it.
"""

from collections.abc import Sequence

from randomized_response.sampling import read_ticket

Weights = Sequence[Sequence[int]]

ENCODINGS = ("single", "one_hot", "each_option", "subset")


def ticket_boxes(encoding: str, weights: Weights, choices: int) -> tuple[int, ...]:
    """The number of tickets in each box that a report of an item is drawn from, in the order of drawing.

    Parameters
    ----------
    encoding : str
        "single": one box. "one_hot", "each_option": a box for each choice. "subset": the box that says whether the
        set holds the answer, then boxes of `choices`, `choices` - 1, ... 2 for the order of the choices.
    weights : sequence of rows of int
        The item's table. All rows have one sum.
    choices : int
        Number of choices; "single" ignores it.

    Returns
    -------
    tuple of int

    Raises
    ------
    ValueError
        Where the encoding is unknown.

    Examples
    --------
    >>> ticket_boxes("subset", [[7, 9]], 4)
    (16, 4, 3, 2)
    """
    tickets = sum(weights[0])
    match encoding:
        case "single":
            return (tickets,)
        case "one_hot" | "each_option":
            return (tickets,) * choices
        case "subset":
            return (tickets, *range(choices, 1, -1))
    raise ValueError(f"encoding must be one of {', '.join(ENCODINGS)}; got {encoding!r}")


def read_symbols(
    encoding: str, weights: Weights, tickets: Sequence[int], answer: int | Sequence[int], *, size: int = 0
) -> tuple[int, ...]:
    """The symbols that `tickets`, drawn from the boxes of `ticket_boxes`, make of an answer.

    Parameters
    ----------
    encoding, weights :
        As for `ticket_boxes`.
    tickets : sequence of int
        One from each box.
    answer : int, or for "each_option" a sequence of 0 and 1
        The index of the choice (or grid point); which options are ticked.
    size : int
        For "subset": how many choices the set holds.

    Returns
    -------
    tuple of int
        The symbols: one, or one for each choice.

    References
    ----------
    The order of the choices is a Fisher-Yates shuffle (Durstenfeld 1964, algorithm 235).

    Examples
    --------
    >>> read_symbols("one_hot", [[3, 1], [1, 3]], [0, 0, 3], 1)
    (0, 0, 1)
    >>> read_symbols("subset", [[7, 9]], [15, 3, 0, 1], 2, size=2)
    (0, 1, 1, 0)
    """
    if encoding == "single":
        return (read_ticket(tickets[0], weights[_index(answer)]),)
    if encoding == "one_hot":
        return tuple(read_ticket(ticket, weights[y == answer]) for y, ticket in enumerate(tickets))
    if encoding == "each_option" and not isinstance(answer, int):
        return tuple(read_ticket(ticket, weights[one]) for ticket, one in zip(tickets, answer, strict=True))
    if encoding == "subset":
        return _subset(weights, tickets, _index(answer), size)
    raise ValueError(f"encoding must be one of {', '.join(ENCODINGS)}, with an answer of its kind; got {encoding!r}")


def _subset(weights: Weights, tickets: Sequence[int], answer: int, size: int) -> tuple[int, ...]:
    """The set: the answer if its ticket includes it, and the first of the others in the drawn order."""
    holds = read_ticket(tickets[0], weights[0])
    order = list(range(len(tickets)))
    for last, ticket in zip(range(len(order) - 1, 0, -1), tickets[1:], strict=True):
        order[last], order[ticket] = order[ticket], order[last]
    others = [choice for choice in order if choice != answer][: size - holds]
    chosen = {*others, answer} if holds else set(others)
    return tuple(int(choice in chosen) for choice in range(len(order)))


def _index(answer: int | Sequence[int]) -> int:
    if not isinstance(answer, int):
        raise ValueError(f"answer must be the index of a choice; got {type(answer).__name__}")
    return answer
