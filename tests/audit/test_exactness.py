"""The shipped client, enumerated: no sampling, no false alarm."""

from tests.audit import exactness
from tests.tools.client import CLIENT


def test_every_sequence_of_words_gives_the_exact_probabilities_of_the_table() -> None:
    assert exactness.differences(CLIENT) == []
