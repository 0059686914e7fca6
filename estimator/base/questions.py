"""The questions of a frozen design as the library computes with them."""

from collector.designs import Item
from randomized_response import Question
from randomized_response import questions as library


def question_of(item: Item) -> Question:
    """Return the item's kind, its mechanism and the numeric values of its answers."""
    return library.question_of(item.document)
