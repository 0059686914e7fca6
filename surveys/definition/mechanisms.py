"""Conversion of a question as its author wrote it to the library's mechanism and to the frozen channel."""

import json
from fractions import Fraction
from functools import lru_cache
from typing import assert_never, get_args

from django.utils.translation import gettext

from collector.designs.design import Encoding, Kind
from collector.designs.items import check_grid
from estimator.base.mechanisms import PARAMETERS, REGISTRY
from randomized_response import Channel, EachOption, ParameterError, SubsetSelection, UnaryEncoding
from randomized_response.questions import Mechanism
from surveys.definition.numerals import plain_decimal, plain_number
from surveys.definition.parts import ItemPart, Text

KINDS: tuple[Kind, ...] = get_args(Kind)

MECHANISMS: dict[str, tuple[str, ...]] = {
    kind: tuple(entry.name for entry in REGISTRY.values() if kind in entry.kinds) for kind in KINDS
}
"""The mechanisms allowed for each kind of question."""

GRID = ("minimum", "maximum", "step")

DECIMALS = (*GRID, *(name for name, parameter in PARAMETERS.items() if parameter.form == "decimal"))
"""The numbers of a question for which a fraction is not valid."""


def answers_of(item: ItemPart) -> list[Text]:
    """The texts of an item's answers: its choices, and "prefer not to say" last where it is offered."""
    return [*item["choices"], *([item["prefer_not"]] if "prefer_not" in item else [])]


def plain_form(name: str, written: str) -> str:
    """A number of a question, as people write it, in the plain digits that are valid for it."""
    return plain_decimal(written) if name in DECIMALS else plain_number(written)


def numbers_of(item: ItemPart) -> list[Fraction]:
    """The numbers that may be answered. Raises ValidationError if they are not a valid grid."""
    return check_grid(grid_of(item), ("grid",)).points


def grid_of(item: ItemPart) -> dict[str, object]:
    return {name: item.get(name) for name in GRID}


def mechanism_of(item: ItemPart) -> Mechanism:
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
    """Build a mechanism, cached: many share a table, and every view of a survey builds them anew."""
    channel = json.loads(written)
    entry = REGISTRY[channel["name"]]
    made = entry.make(2 if kind == "several_choices" else answers, channel)
    if kind == "several_choices":
        assert isinstance(made, Channel)
        return EachOption(answers, made, most)
    if isinstance(made, Channel) and made.answers != answers:
        raise ParameterError(
            "choices",
            gettext("must be {answers} for {name}; got {given}").format(
                answers=made.answers, name=entry.name, given=answers
            ),
        )
    return made


def frozen_channel(item: ItemPart) -> tuple[Encoding, dict[str, object]]:
    """The encoding of an item and its frozen channel (docs/reference/formats.md); raises as `mechanism_of` does."""
    mechanism, channel = mechanism_of(item), item["channel"]
    match mechanism:
        case UnaryEncoding():
            made = {"on": str(mechanism.hit), "off": str(mechanism.miss)}
            return "one_hot", {**made, **channel, "weights": _rows(mechanism.bit)}
        case SubsetSelection():
            holds, tickets = mechanism.hit.numerator, mechanism.hit.denominator
            computed = {"size": mechanism.size, "truth": str(mechanism.hit)}
            return "subset", {**computed, **channel, "weights": [[tickets - holds, holds]]}
        case EachOption():
            return "each_option", {**channel, "weights": _rows(mechanism.channel)}
        case Channel():
            return "single", {**channel, "weights": _rows(mechanism)}
        case _:
            assert_never(mechanism)


def fitting(kind: str, *, prefer_not: bool) -> tuple[str, ...]:
    """The mechanisms allowed for this kind of question; fewer for a yes/no question with a third answer."""
    third = kind == "yes_no" and prefer_not
    return tuple(name for name in MECHANISMS[kind] if not (third and REGISTRY[name].only_two))


def _require_fitting(item: ItemPart) -> None:
    kind, prefer_not, name = item["kind"], "prefer_not" in item, item["channel"]["name"]
    names = fitting(kind, prefer_not=prefer_not)
    if name not in names:
        what = gettext("{kind} with prefer_not").format(kind=kind) if names != MECHANISMS[kind] else kind
        raise ParameterError(
            "name",
            gettext("must be {names} or {last} for {what}; got {name!r}").format(
                names=", ".join(names[:-1]), last=names[-1], what=what, name=name
            ),
        )


def _rows(channel: Channel) -> list[list[int]]:
    return [list(row) for row in channel.weights]
