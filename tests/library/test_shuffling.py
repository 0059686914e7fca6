"""Shuffle amplification: against the privacy of the shuffled reports, computed by enumerating every data set."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from randomized_response import Channel, forced_response, k_ary, shuffle_amplification, warner
from randomized_response.shuffling import _blanket, _clone


def totals_distribution(channel, answers):
    """{totals of the reports: probability} for given answers."""
    distribution = {(0,) * channel.reports: 1.0}
    for answer in answers:
        following = Counter()
        for totals, chance in distribution.items():
            for report, probability in enumerate(channel.matrix[answer]):
                grown = list(totals)
                grown[report] += 1
                following[tuple(grown)] += chance * probability
        distribution = following
    return distribution


def exact_delta(channel, n, epsilon):
    """The largest of sum (P - e^epsilon Q)_+ over every neighbouring pair of data sets of n answers."""
    largest = 0.0
    for others in itertools.combinations_with_replacement(range(channel.answers), n - 1):
        for one, two in itertools.permutations(range(channel.answers), 2):
            p, q = (totals_distribution(channel, (*others, own)) for own in (one, two))
            largest = max(largest, sum(max(chance - math.exp(epsilon) * q[key], 0) for key, chance in p.items()))
    return largest


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.4, 0.8])
@pytest.mark.parametrize(
    ("k", "truth", "n"), [(2, "1/2", 3), (2, "1/2", 7), (2, "3/4", 5), (3, "1/2", 4), (4, "1/3", 3)]
)
def test_bounds_hold_against_enumeration(k, truth, n, epsilon):
    channel = k_ary(k, truth=truth)
    exact = exact_delta(channel, n, epsilon)
    assert exact <= _clone(channel.epsilon, n, 1e-12)(epsilon) + 1e-12
    assert exact <= _blanket(channel, n, 1e-12)(epsilon) + 1e-12


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 0.7])
def test_clone_is_attained_by_two_people(epsilon):
    """Equal, not only above, for two answers and two people."""
    channel = forced_response(truth="1/2")
    assert _clone(channel.epsilon, 2, 1e-13)(epsilon) == pytest.approx(exact_delta(channel, 2, epsilon), abs=1e-10)


def test_shuffling_blanket_is_at_most_twice_the_truth():
    """k = 3, 9 people, epsilon .3: the truth is enumerated, the bound is at most twice it."""
    channel = k_ary(3, truth="1/2")
    exact = exact_delta(channel, 9, 0.3)
    assert exact <= _blanket(channel, 9, 1e-12)(0.3) <= 2 * exact


def test_shuffling_clone_equals_blanket_for_two_answers():
    """For two answers blanket and clone are the same reports, counted in two ways."""
    for n in (50, 1000, 10_000):
        clone, blanket = (
            shuffle_amplification(forced_response(truth="1/2"), n, method=m) for m in ("clone", "blanket")
        )
        assert clone.epsilon == pytest.approx(blanket.epsilon, rel=1e-3)


@pytest.mark.parametrize(("k", "truth", "n"), [(2, "1/2", 1000), (10, "1/2", 10_000), (5, "1/4", 1000)])
def test_shuffling_best_is_sharper_than_closed_form(k, truth, n):
    channel = k_ary(k, truth=truth)
    best, clone, closed = (
        shuffle_amplification(channel, n, method=m).epsilon for m in ("best", "clone", "closed_form")
    )
    assert best <= clone < closed < channel.epsilon


def test_closed_form_of_the_paper():
    """Feldman, McMillan & Talwar 2023, theorem 3.2, at epsilon 1, n = 10^4, delta 10^-6, worked with bc -l:
    ln(1 + (e - 1) (4 sqrt(2 ln(4e6) / ((e + 1) 1e4)) + 4e-4)) = .179..."""
    spread = 4 * math.sqrt(2 * math.log(4e6) / ((math.e + 1) * 1e4)) + 4e-4
    expected = math.log(1 + (math.e - 1) * spread)
    assert shuffle_amplification(1.0, 10_000, method="closed_form").epsilon == pytest.approx(expected, rel=1e-12)


def test_shuffling_epsilon_falls_with_people():
    epsilons = [shuffle_amplification(1.0, n).epsilon for n in (2, 10, 100, 1000, 10**4, 10**6)]
    assert epsilons == sorted(epsilons, reverse=True)
    assert shuffle_amplification(1.0, 1000, 1e-9).epsilon > shuffle_amplification(1.0, 1000, 1e-6).epsilon
    assert all(epsilon <= 1.0 for epsilon in epsilons)


def test_shuffling_result_is_the_smallest_bound():
    found = shuffle_amplification(forced_response(truth="1/2"), 500, method="clone")
    assert _clone(found.local_epsilon, 500, 1e-6)(found.epsilon) <= 1e-6
    assert _clone(found.local_epsilon, 500, 1e-6)(found.epsilon * (1 - 1e-4)) > 1e-6
    assert found.to_dict()["method"] == "clone"


@pytest.mark.parametrize(
    ("protection", "n", "options", "message"),
    [
        (warner(truth="1/4"), 100, {"method": "blanket"}, "k-ary response only"),
        (1.0, 100, {"method": "blanket"}, "k-ary response only"),
        (k_ary(3, truth="1/2"), 200_001, {"method": "blanket"}, "n must be at most 200000"),
        (4.0, 1000, {"method": "closed_form"}, "local epsilon must be at most"),
        (1.0, 20, {"method": "closed_form"}, "local epsilon must be at most"),
        (1.0, 1, {}, "n must be at least 2"),
        (1.0, 100, {"delta": 0}, "delta must be"),
        (1.0, 100, {"method": "hope"}, "method must be one of best, clone, blanket, closed_form"),
        (0.0, 100, {}, "local epsilon must be positive and finite"),
        (Channel([[1, 0], [0, 1]]), 100, {}, "local epsilon must be positive and finite"),
    ],
)
def test_shuffling_invalid_input_raises(protection, n, options, message):
    with pytest.raises(ValueError, match=message):
        shuffle_amplification(protection, n, **options)


def test_shuffling_other_channel_uses_clone():
    """A table of epsilon ln 3 that is not k-ary gets what any such table gets."""
    table = Channel([[6, 3, 3], [3, 3, 6], [2, 5, 5]])
    assert table.ratio == 3
    assert shuffle_amplification(table, 1000).epsilon == pytest.approx(
        shuffle_amplification(np.log(3), 1000).epsilon, rel=1e-5
    )
