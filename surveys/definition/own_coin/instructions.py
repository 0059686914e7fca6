"""Conversion of an item's table to instructions for a coin or die: exactly this table, or none.

Every report y has tickets that say it whatever is true, as many as the smallest entry of its column; these become the
rules "mark y". What is left of the table depends on the true answer: "mark your true answer" where it is the diagonal
(forced response, k-ary), "mark the opposite" where two answers change places (Warner), and otherwise rules that say for
each true answer what to mark. A survey by the crosswise model alone is answered by birthdays, and nothing is tossed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import gcd

from django.utils.translation import gettext

from collector.designs import Channel, Design
from collector.designs.arms import is_one_mark
from collector.designs.background import PLACE
from collector.designs.checks import require
from estimator.base.birthdays import by_birthdays, months_of
from estimator.base.mechanisms import REGISTRY, ByHand
from surveys.definition.own_coin.devices import BIRTHDAYS, DEVICES, Device, Share

MOST_CHOICES = 6
MOST_RULES = 8
"""Maximum rules that a person can follow for one question."""

Table = Sequence[Sequence[int]]
Marks = tuple[int, ...]
OPPOSITE: Marks = (1, 0)


@dataclass(frozen=True)
class Rule:
    """If the device shows one of the outcomes, mark `marks[x]`, where x is the true answer."""

    outcomes: Share
    marks: Marks


@dataclass(frozen=True)
class Instruction:
    """A device to toss, and a rule for every outcome."""

    device: Device
    rules: tuple[Rule, ...]


def instructions_for(design: Design) -> list[Instruction] | None:
    """An instruction for each item of a frozen design; None if an item has none, with arms, or for a rehearsal."""
    if design.rehearsal or design.background.arms or not all(map(is_one_mark, design.items)):
        return None
    if (birthdays := birthdays_for(design)) is not None:
        return birthdays
    found = [instruction_for(item.channel) for item in design.items]
    complete = [instruction for instruction in found if instruction is not None]
    return complete if len(complete) == len(found) else None


def require_tossable(design: Design) -> None:
    """Raise ValidationError where a version of the page has people toss a coin, and no coin or die has a table.

    Such a version never asks about birthdays: what it asks stands on the page with the choices of all versions.
    """
    for number, (arm, asked) in enumerate(zip(design.background.arms, design.versions, strict=False)):
        for item in (design.items[place] for place in asked if arm.own_coin):
            tickets = sum(item.channel.weights[0])
            words = gettext("own_coin needs tables that coins or dice have; that of {item} has {tickets} tickets a row")
            message = words.format(item=item.key, tickets=tickets)
            path = (*PLACE, "questions", 0, "arms", number, "explanation")
            require(instruction_for(item.channel) is not None, path, message)


def instruction_for(channel: Channel) -> Instruction | None:
    """The instruction with the smallest device that has exactly this channel's table; None if there is none."""
    table: Table = channel.weights
    if len(table) > MOST_CHOICES:
        return None
    entry = REGISTRY.get(channel.name)
    mirror = entry is not None and entry.by_hand is not ByHand.TABLE and table[0][0] == table[1][1]
    # Of Warner's table the true answer or the opposite, the rarer of the two first.
    parts = sorted([(table[0][1], OPPOSITE), (table[0][0], own_instruction(2))]) if mirror else _decomposed(table)
    whole = sum(tickets for tickets, _ in parts)
    common = gcd(*(tickets for tickets, _ in parts))
    for device in DEVICES if len(parts) <= MOST_RULES else ():
        times, rest = divmod(len(device.outcomes), whole // common)
        shares = None if rest else device.share_out([times * tickets // common for tickets, _ in parts])
        if shares is not None:
            return Instruction(
                device, tuple(Rule(share, marks) for share, (_, marks) in zip(shares, parts, strict=True))
            )
    return None


def birthdays_for(design: Design) -> list[Instruction] | None:
    """For a survey of such questions alone, a person's birthday for each; None where there are too few of them."""
    if not by_birthdays(design):
        return None
    return [_born(months_of(item), device) for item, device in zip(design.items, BIRTHDAYS, strict=False)]


def _born(months: int, device: Device) -> Instruction:
    """Whether the true answer is that to a question about a birthday: itself in some months, its opposite in others."""
    inside = frozenset(device.outcomes[:months])
    others = frozenset(device.outcomes) - inside
    return Instruction(device, (Rule(inside, own_instruction(2)), Rule(others, OPPOSITE)))


def own_instruction(answers: int) -> Marks:
    """The marks of a true answer."""
    return tuple(range(answers))


def _decomposed(table: Table) -> list[tuple[int, Marks]]:
    """Tickets with their mark for each true answer: first those with one mark whatever is true."""
    forced = [min(column) for column in zip(*table, strict=True)]
    parts = [(tickets, (y,) * len(table)) for y, tickets in enumerate(forced) if tickets]
    parts += _residual([[w - b for w, b in zip(row, forced, strict=True)] for row in table])
    own = own_instruction(len(table))
    return sorted(parts, key=lambda part: part[1] == own)  # one's own answer last, as "anything else"


def _residual(table: list[list[int]]) -> Iterator[tuple[int, Marks]]:
    """The tickets that depend on the true answer; as many of them as possible mark it."""
    while sum(table[0]):
        marks = tuple(x if row[x] else next(y for y, w in enumerate(row) if w) for x, row in enumerate(table))
        tickets = min(row[y] for row, y in zip(table, marks, strict=True))
        for row, y in zip(table, marks, strict=True):
            row[y] -= tickets
        yield tickets, marks
