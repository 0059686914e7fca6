"""Exact sampling from a channel: a ticket is drawn by rejection, then read in the row of the answer.

The browser's code follows the same two rules and reads the same vectors (`tests/vectors/sampling.json`).
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from randomized_response._checks import as_codes, as_count
from randomized_response.channel import LARGEST_DENOMINATOR, Channel

WORD_SIZE = LARGEST_DENOMINATOR
"""Number of values of one random word: 32 bits."""


def draw_ticket(denominator: int, next_word: Callable[[], int], *, word_size: int = WORD_SIZE) -> int:
    """Draw one ticket: a uniform integer from 0 to `denominator` - 1, by rejection.

    A word is accepted below floor(word_size / D) * D, the largest multiple of D that words can reach, so that every
    ticket is the remainder of equally many words. The number of words used says nothing about the ticket: given that
    a word is accepted, the ticket is uniform whatever came before.

    Parameters
    ----------
    denominator : int
        Number of tickets D in the box, 1 to `word_size`.
    next_word : callable
        Called without arguments, it returns the next independent, uniform integer from 0 to `word_size` - 1.
    word_size : int
        Number of values of a word. The default, 2**32, is the browser's; small ones allow full enumeration in tests.

    Returns
    -------
    int
        The ticket.

    Raises
    ------
    ValueError
        Where `denominator` or a word is outside its range.

    Examples
    --------
    >>> words = iter([4294967295, 7])
    >>> draw_ticket(3, words.__next__)  # 2**32 - 1 is the one word that is rejected for D = 3
    1
    """
    size = as_count(word_size, name="word_size", low=1)
    boxes = size // as_count(denominator, name="denominator", low=1, high=size)
    while True:
        word = as_count(next_word(), name="word", high=size - 1)
        if word < boxes * denominator:
            return word % denominator


def read_ticket(ticket: int, weights_row: Sequence[int]) -> int:
    """The report of `ticket` in the box of one answer: the first y whose cumulative weight exceeds it.

    Parameters
    ----------
    ticket : int
        0 to the sum of the row, less 1.
    weights_row : sequence of int
        The row of the channel's table for the true answer.

    Returns
    -------
    int
        The report y. A report of weight 0 is never returned.

    Examples
    --------
    >>> [read_ticket(ticket, (3, 1)) for ticket in range(4)]
    [0, 0, 0, 1]
    """
    drawn = as_count(ticket, name="ticket", high=sum(weights_row) - 1)
    cumulative = 0
    for report, weight in enumerate(weights_row):
        cumulative += weight
        if cumulative > drawn:
            return report
    raise AssertionError("a ticket below the sum of the row lies in one of its parts")


def simulate(channel: Channel, answers: ArrayLike, generator: np.random.Generator) -> NDArray[np.int64]:
    """Simulate the reports of respondents with known true answers, drawn as by the browser. For rehearsals.

    Parameters
    ----------
    channel : Channel
        The table to draw from.
    answers : array of integers, any shape
        True answers, codes 0 to k - 1.
    generator : numpy.random.Generator
        The only source of chance. The same seed gives the same reports.

    Returns
    -------
    array of int64, the shape of `answers`
        One report for each answer, codes 0 to m - 1. Drawn from integers alone: the probabilities are exactly those
        of the table, as far as the generator's words are uniform.

    Raises
    ------
    ValueError
        Where an answer is outside the table or not an integer.

    Examples
    --------
    >>> channel = Channel(((3, 1), (1, 3)))
    >>> simulate(channel, [0, 0, 1, 1, 1], np.random.default_rng(3))
    array([0, 1, 1, 1, 1])
    """
    codes = as_codes(answers, name="answers", size=channel.answers)
    start = codes * channel.denominator
    boxes = np.arange(channel.answers)[:, None] * channel.denominator
    ends = (boxes + np.cumsum(np.array(channel.weights, dtype=np.int64), axis=1)).ravel()
    tickets = draw_tickets(channel.denominator, codes.size, generator).reshape(codes.shape)
    return np.searchsorted(ends, start + tickets, side="right") - codes * channel.reports


def draw_tickets(denominator: int, size: int, generator: np.random.Generator) -> NDArray[np.int64]:
    """Draw `size` tickets at once, by the rule of `draw_ticket`."""
    limit = WORD_SIZE // denominator * denominator
    words = generator.integers(0, WORD_SIZE, size=size, dtype=np.int64)
    rejected = np.flatnonzero(words >= limit)
    while rejected.size:
        words[rejected] = generator.integers(0, WORD_SIZE, size=rejected.size, dtype=np.int64)
        rejected = rejected[words[rejected] >= limit]
    return words % denominator
