"""The questions of a frozen design as the library computes with them."""

from collector.designs import Item
from randomized_response import Question
from randomized_response import questions as library


def question_of(item: Item) -> Question:
    """The item's kind, its mechanism and the numbers that its answers stand for."""
    return library.question_of(item.document)
