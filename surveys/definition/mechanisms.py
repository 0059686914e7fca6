"""From what an author says of a question to the library's mechanism for it, and to the channel that is frozen."""

import json
from fractions import Fraction
from functools import lru_cache
from typing import Any

from collector.designs.checks import decimal
from collector.designs.items import check_grid, grid_points
from randomized_response import (
    Channel,
    EachOption,
    ParameterError,
    SubsetSelection,
    UnaryEncoding,
    custom,
    discrete_laplace,
    forced_response,
    k_ary,
    one_bit,
    warner,
)

Mechanism = Channel | UnaryEncoding | SubsetSelection | EachOption
"""What knows its exact e^epsilon (`ratio`) and `epsilon`."""

PARAMETERS = {
    "forced_response": ("truth", "yes"),
    "warner": ("truth",),
    "k_ary": ("truth",),
    "unary": ("on", "off", "epsilon"),
    "subset": ("size", "truth", "epsilon"),
    "one_bit": ("truth",),
    "discrete_laplace": ("epsilon",),
    "custom": ("weights",),
}
"""What may be said of each mechanism."""

MECHANISMS = {
    "yes_no": ("forced_response", "warner", "k_ary", "custom"),
    "one_choice": ("k_ary", "unary", "subset", "custom"),
    "several_choices": ("forced_response", "warner", "custom"),
    "scale": ("k_ary", "discrete_laplace", "custom"),
    "number": ("one_bit", "discrete_laplace", "custom"),
}
"""The mechanisms that each kind of question may have."""

GRID = ("minimum", "maximum", "step")
LARGEST_EPSILON = 16


def answers_of(item: dict[str, Any]) -> list[dict[str, str]]:
    """The texts of an item's answers: its choices, and "prefer not to say" last where it is offered."""
    return [*item["choices"], *([item["prefer_not"]] if "prefer_not" in item else [])]


def numbers_of(item: dict[str, Any]) -> list[Fraction]:
    """The numbers that may be answered. Raises ValidationError where they are no grid."""
    grid = grid_of(item)
    check_grid(grid, ("grid",))
    return grid_points({"grid": grid})


def grid_of(item: dict[str, Any]) -> dict[str, Any]:
    return {name: item.get(name) for name in GRID}


def mechanism_of(item: dict[str, Any]) -> Mechanism:
    """The mechanism of an item as its author wrote it.

    Raises
    ------
    ParameterError
        Naming the argument, the bound, the value.
    ValidationError
        Where a number that is written as text is none.
    KeyError
        With the name of an argument that is missing.
    """
    channel, kind = item["channel"], item["kind"]
    _require_fitting(item)
    answers = len(numbers_of(item)) if kind == "number" else len(answers_of(item))
    return _made(kind, answers, json.dumps(channel, sort_keys=True), item.get("most"))


@lru_cache(maxsize=4096)
def _made(kind: str, answers: int, written: str, most: int | None) -> Mechanism:
    """Many questions have the same table, and a survey's are made anew for every look at it."""
    channel = json.loads(written)
    match channel["name"]:
        case "unary":
            return _unary(answers, channel)
        case "subset":
            return _subset(answers, channel)
    if kind == "several_choices":
        return EachOption(answers, _table(channel, 2), most)
    table = _table(channel, answers)
    if table.answers != answers:
        if channel["name"] == "custom":
            raise ParameterError("weights", f"must have {answers} rows, one for each answer; got {table.answers}")
        raise ParameterError("choices", f"must be {table.answers} for {channel['name']}; got {answers}")
    return table


def frozen_channel(item: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The encoding of an item and its channel as it is frozen (docs/formats.md); raises as `mechanism_of` does."""
    mechanism, said = mechanism_of(item), item["channel"]
    match mechanism:
        case UnaryEncoding():
            made: dict[str, Any] = {"on": str(mechanism.hit), "off": str(mechanism.miss)}
            return "one_hot", made | said | {"weights": _rows(mechanism.bit)}
        case SubsetSelection():
            holds, tickets = mechanism.hit.numerator, mechanism.hit.denominator
            made = {"size": mechanism.size, "truth": str(mechanism.hit)}
            return "subset", made | said | {"weights": [[tickets - holds, holds]]}
        case EachOption():
            return "each_option", said | {"weights": _rows(mechanism.channel)}
    return "single", said | {"weights": _rows(mechanism)}


def fitting(kind: str, *, prefer_not: bool) -> tuple[str, ...]:
    """The mechanisms that a question of this kind may have; a yes/no question with a third answer has fewer."""
    return ("k_ary", "custom") if kind == "yes_no" and prefer_not else MECHANISMS[kind]


def _require_fitting(item: dict[str, Any]) -> None:
    kind, prefer_not, name = item["kind"], "prefer_not" in item, item["channel"]["name"]
    names = fitting(kind, prefer_not=prefer_not)
    if name not in names:
        what = f"{kind} with prefer_not" if names != MECHANISMS[kind] else kind
        raise ParameterError("name", f"must be {', '.join(names[:-1])} or {names[-1]} for {what}; got {name!r}")


def _table(channel: dict[str, Any], answers: int) -> Channel:
    match channel["name"]:
        case "forced_response":
            return forced_response(truth=channel["truth"], yes=channel.get("yes", "1/2"))
        case "warner":
            return warner(truth=channel["truth"])
        case "k_ary":
            return k_ary(answers, truth=channel["truth"])
        case "one_bit":
            return one_bit(answers, truth=channel["truth"])
        case "discrete_laplace":
            return discrete_laplace(answers, epsilon=_epsilon(channel))
    return custom(channel["weights"])


def _unary(answers: int, channel: dict[str, Any]) -> UnaryEncoding:
    if "epsilon" in channel:
        _require_alone(channel, "on", "off")
        return UnaryEncoding.optimised(answers, epsilon=_epsilon(channel))
    return UnaryEncoding(answers, on=channel["on"], off=channel["off"])


def _subset(answers: int, channel: dict[str, Any]) -> SubsetSelection:
    if "epsilon" in channel:
        _require_alone(channel, "size", "truth")
        return SubsetSelection.optimised(answers, epsilon=_epsilon(channel))
    return SubsetSelection(answers, size=channel["size"], truth=channel["truth"])


def _require_alone(channel: dict[str, Any], *computed: str) -> None:
    if set(computed) & set(channel):
        without = " and ".join(computed)
        raise ParameterError("epsilon", f"must stand without {without}: the best ones are computed from it")


def _epsilon(channel: dict[str, Any]) -> float:
    asked = decimal(channel["epsilon"], ("channel", "epsilon"))
    if not 0 < asked <= LARGEST_EPSILON:
        got = channel["epsilon"]
        raise ParameterError("epsilon", f"must be greater than 0 and at most {LARGEST_EPSILON}; got {got}")
    return float(asked)


def _rows(channel: Channel) -> list[list[int]]:
    return [list(row) for row in channel.weights]
