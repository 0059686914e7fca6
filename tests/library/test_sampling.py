"""The sampler is exact: proved by feeding it every word of a small word size, not by drawing often."""

import itertools
import json
from collections import Counter
from fractions import Fraction
from math import nan
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from randomized_response import Channel, draw_ticket, forced_response, k_ary, read_ticket, simulate
from tests.tools.gate import few
from tests.vectors import make_sampling

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "sampling.json").read_text(encoding="utf-8"))
FALSE_ALARM = 1e-6


class EndOfTape(Exception):
    pass


class Tape:
    """A word source that hands out given words and counts them."""

    def __init__(self, words):
        self.words, self.used = list(words), 0

    def __call__(self):
        if self.used == len(self.words):
            raise EndOfTape
        self.used += 1
        return self.words[self.used - 1]


@pytest.mark.parametrize("denominator", range(1, 257))
def test_draw_ticket_is_uniform_over_words(denominator):
    tickets = Counter()
    for word in range(256):
        try:
            tickets[draw_ticket(denominator, Tape([word]), word_size=256)] += 1
        except EndOfTape:
            assert word >= 256 // denominator * denominator, "a word was rejected that need not be"
    assert tickets == dict.fromkeys(range(denominator), 256 // denominator)


@pytest.mark.parametrize(
    "channel", few([k_ary(3, truth="1/2"), forced_response(truth="2/3", yes="1/4"), k_ary(4, truth="1/5")])
)
def test_sampler_probabilities_by_enumeration_of_words(channel):
    """Words of 16 values (4 bits), tapes of 4: mass that has reached a report <= its probability <= that + the rest."""
    size, depth = 16, 4
    for answer, row in enumerate(channel.weights):
        reached, unresolved = Counter(), Fraction(0)
        for words in itertools.product(range(size), repeat=depth):
            try:
                reached[read_ticket(draw_ticket(channel.denominator, Tape(words), word_size=size), row)] += 1
            except EndOfTape:
                unresolved += Fraction(1, size**depth)
        for report, weight in enumerate(row):
            lower = Fraction(reached[report], size**depth)
            assert lower <= Fraction(weight, channel.denominator) <= lower + unresolved, (answer, report)
        assert unresolved <= Fraction(1, 16)


def test_draw_ticket_word_count_ignores_answer():
    generator, channel = np.random.default_rng(5), k_ary(3, truth="1/2")
    for _ in range(200):
        words = generator.integers(0, 8, size=40).tolist()
        used = set()
        for _answer in range(channel.answers):
            tape = Tape(words)
            draw_ticket(channel.denominator, tape, word_size=8)
            used.add(tape.used)
        assert len(used) == 1


@pytest.mark.parametrize("case", VECTORS["cases"])
def test_sampler_matches_shared_vectors(case):
    tape = Tape(case["words"])
    ticket = draw_ticket(sum(case["weights"][case["answer"]]), tape)
    assert ticket == case["ticket"]
    assert read_ticket(ticket, Channel(case["weights"]).weights[case["answer"]]) == case["report"]
    assert tape.used == case["words_used"]


@pytest.mark.parametrize("case", VECTORS["malformed"], ids=lambda case: case["reason"])
def test_malformed_weights_of_vectors_raise(case):
    special = {"NaN": nan, "Infinity": float("inf")}
    weights = [
        [special.get(entry, entry) if isinstance(entry, str) else entry for entry in row] for row in case["weights"]
    ]
    with pytest.raises(ValueError, match="weights"):
        Channel(weights)


def test_vectors_equal_script_output():
    assert make_sampling.TARGET.read_text(encoding="utf-8") == make_sampling.text()


def test_vectors_reach_every_edge():
    cases = VECTORS["cases"]
    denominators = {sum(case["weights"][0]) for case in cases}
    assert {1, 3, 2**32 - 1, 2**32} <= denominators
    assert {case["words_used"] for case in cases} >= {1, 2, 3}
    assert any(case["report"] == 255 for case in cases)


@pytest.mark.parametrize("ticket", [-1, 4, 1.0, True])
def test_read_ticket_out_of_range_raises(ticket):
    with pytest.raises(ValueError, match="ticket must be"):
        read_ticket(ticket, (3, 1))


@pytest.mark.parametrize("denominator", [0, 2**32 + 1, -3, 2.0])
def test_denominator_out_of_range_is_refused(denominator):
    with pytest.raises(ValueError, match="denominator must be"):
        draw_ticket(denominator, Tape([1]))


@pytest.mark.parametrize("word", [-1, 2**32, 0.5])
def test_word_out_of_range_is_refused(word):
    with pytest.raises(ValueError, match="word must be"):
        draw_ticket(3, Tape([word]))


class FixedWords:
    """Stands in for a numpy Generator: `integers` hands out given words."""

    def __init__(self, words):
        self.words = list(words)

    def integers(self, low, high, size, dtype):
        taken, self.words = self.words[:size], self.words[size:]
        return np.array(taken, dtype=dtype)


@pytest.mark.parametrize("case", [case for case in VECTORS["cases"] if case["words_used"] < 4])
def test_simulate_matches_shared_vectors(case):
    words = FixedWords(case["words"][: case["words_used"]])
    assert simulate(Channel(case["weights"]), [case["answer"]], words).tolist() == [case["report"]]


@pytest.mark.parametrize(
    "channel", [forced_response(truth="1/2"), k_ary(7, truth="1/3"), Channel([[5, 0, 2], [2, 5, 0]])]
)
def test_simulated_reports_follow_their_rows(channel):
    """Chi-squared over every row at once; false alarm 1e-6 per channel, seeded."""
    answers = np.repeat(np.arange(channel.answers), 20_000)
    reports = simulate(channel, answers, np.random.default_rng(20_240))
    statistic, freedom = 0.0, 0
    for x, row in enumerate(channel.matrix):
        seen = np.bincount(reports[answers == x], minlength=channel.reports)
        assert not seen[row == 0].any()
        statistic += stats.chisquare(seen[row > 0], 20_000 * row[row > 0]).statistic
        freedom += (row > 0).sum() - 1
    assert stats.chi2.sf(statistic, freedom) > FALSE_ALARM


def test_simulate_keeps_the_shape_and_repeats_with_the_seed():
    channel, answers = k_ary(4, truth="1/2"), np.array([[0, 1], [2, 3], [3, 3]])
    first, second = (simulate(channel, answers, np.random.default_rng(7)) for _ in range(2))
    assert first.shape == (3, 2)
    assert np.array_equal(first, second)
    assert simulate(channel, [], np.random.default_rng(7)).size == 0


@pytest.mark.parametrize("answers", [[0, 2], [-1], [0.5], [nan], ["1"], [[0], [0, 1]]])
def test_simulate_refuses_answers_outside_the_table(answers):
    with pytest.raises(ValueError, match="answers"):
        simulate(forced_response(truth="1/2"), answers, np.random.default_rng(1))
