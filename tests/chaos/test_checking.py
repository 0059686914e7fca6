"""What the audits of kills count afterwards."""

from collections.abc import Iterator
from itertools import chain, repeat

from tests.chaos.checking import Ask, left_unfinished


def answering(*unfinished: list[tuple[object, ...]]) -> Ask:
    """A database whose unfinished jobs are these, one look after the other; the last ones stay."""
    looks: Iterator[list[tuple[object, ...]]] = chain(unfinished[:-1], repeat(unfinished[-1]))
    return lambda query: next(looks)


def test_left_unfinished_ignores_new_job() -> None:
    assert left_unfinished(answering([(1,), (2,)], [(2,)], [(3,)]), seconds=5) == 0


def test_left_unfinished_counts_stuck_job() -> None:
    assert left_unfinished(answering([(1,), (2,)], [(2,), (3,)]), seconds=0.2) == 1
