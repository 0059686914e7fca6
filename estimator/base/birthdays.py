"""Birthdays in place of a coin: the surveys by the crosswise model whose own-coin sheet asks about them."""

from collector.designs import Design, Item
from estimator.base.mechanisms import REGISTRY, ByHand

MONTHS = 12
FEWEST_MONTHS = 2
"""Of a birthday, and as many others."""
MOST_BIRTHDAYS = 3
"""Each question has the birthday of another person; nobody knows many."""


def months_of(item: Item) -> int:
    """The number of months of birth in which the true answer is marked, in the others its opposite; 0 for no rule."""
    entry, table = REGISTRY.get(item.channel.name), item.channel.weights
    if entry is None or entry.by_hand is not ByHand.BIRTHDAY or item.asked_if is not None:
        return 0
    months, rest = divmod(MONTHS * table[1][1], sum(table[1]))
    whole = not rest and table[0][0] == table[1][1]
    return months if whole and FEWEST_MONTHS <= months <= MONTHS - FEWEST_MONTHS else 0


def by_birthdays(design: Design) -> bool:
    """True if a respondent without a script answers each question by a birthday, and tosses nothing.

    A birthday stays what it is: with an earlier wave, two reports by one would tell whether the answer changed.
    """
    return len(design.items) <= MOST_BIRTHDAYS and design.spent == 1 and all(map(months_of, design.items))
