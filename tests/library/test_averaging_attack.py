"""The averaging attack: repeated fresh draws give an answer away, remembered ones do not.

Simulated shares are seeded; a sound channel would fail each once in 16,000 (4 standard errors).
"""

import math
from collections import defaultdict
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy import stats

from benchmarks._pages import DOCS
from benchmarks.averaging import QUESTIONS, best_guess, drawn, limit, rows, simulated
from randomized_response import k_ary

PEOPLE = 20_000
TWO_COINS = k_ary(2, truth="1/2")
AFTER = {1: 0.75, 3: 0.84, 9: 0.95, 25: 0.997}
"""Waves, and how often the majority of so many fresh draws is right at epsilon ln 3."""


def demand_near(share: float, exact: float) -> None:
    assert abs(share - exact) <= 4 * math.sqrt(exact * (1 - exact) / PEOPLE)


@pytest.mark.parametrize(("waves", "told"), AFTER.items())
def test_averaging_fresh_draws_majority(waves: int, told: float) -> None:
    assert TWO_COINS.epsilon == pytest.approx(math.log(3))
    exact = stats.binom.sf(waves // 2, waves, 0.75)
    assert exact == pytest.approx(told, abs=0.005 if waves < 25 else 0.0005)
    assert best_guess(TWO_COINS, waves) == pytest.approx(exact, rel=1e-12)
    demand_near(simulated(TWO_COINS, waves, PEOPLE, np.random.default_rng(waves), remember=False), exact)


@pytest.mark.parametrize("waves", AFTER)
def test_averaging_remembered_draws_add_no_information(waves: int) -> None:
    assert best_guess(TWO_COINS, 1) == pytest.approx(0.75)
    demand_near(simulated(TWO_COINS, waves, PEOPLE, np.random.default_rng(waves), remember=True), 0.75)


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("truth", ["1/10", "1/2"])
@pytest.mark.parametrize("waves", [1, 2, 5])
def test_averaging_guess_is_bounded_by_epsilon(k: int, truth: str, waves: int) -> None:
    """Attained with one draw; with more the limit is that of their sum, and remembering stays at that of one."""
    channel = k_ary(k, truth=truth)
    fresh = best_guess(channel, waves)
    assert limit(channel, 1) - 1e-12 <= fresh <= limit(channel, waves) + 1e-12
    assert best_guess(channel, 1) == pytest.approx(limit(channel, 1), rel=1e-12)
    source = np.random.default_rng([k, waves])
    demand_near(simulated(channel, waves, PEOPLE, source, remember=False), fresh)
    demand_near(simulated(channel, waves, PEOPLE, source, remember=True), limit(channel, 1))


def test_averaging_chart_questions_have_stated_epsilon() -> None:
    said = {"ln 3": math.log(3), "ln 5/3": math.log(5 / 3)}
    assert [one.channel.epsilon for one in QUESTIONS] == pytest.approx([said[one.said] for one in QUESTIONS])


@pytest.mark.long
def test_averaging_document_and_chart_are_current():
    assert "\n".join(rows(PEOPLE)) in (DOCS / "evidence" / "repeated-waves.md").read_text(encoding="utf-8")
    assert drawn(PEOPLE) == (DOCS / "images" / "averaging.svg").read_text(encoding="utf-8")


def courses_and_laws(channel, answers, draws, waves):
    """For each course of answers over the waves the exact law of all its reports, where draws are remembered.

    `draws` says which draws an answer has, as pairs of a name and a row of the table.
    """
    for course in product(answers, repeat=waves):
        used = sorted({draw for answer in course for draw in draws(answer)})
        law = defaultdict(Fraction)
        for symbols in product(range(channel.reports), repeat=len(used)):
            sent = dict(zip(used, symbols, strict=True))
            share = math.prod(Fraction(channel.weights[row][y], channel.denominator) for (_, row), y in sent.items())
            law[tuple(tuple(sent[draw] for draw in draws(answer)) for answer in course)] += share
        yield course, law


def pattern(course, part=lambda answer: answer):
    """Which waves have the same answer."""
    first = [part(answer) for answer in course]
    return tuple(first.index(answer) for answer in first)


def largest_ratio(law, other):
    return max(share / other[reports] if other.get(reports) else math.inf for reports, share in law.items())


def test_remembered_ratio_is_bounded_by_changed_answers():
    """Exact, for one of three answers in three waves; courses that change in other waves may differ without bound."""
    channel, odds = k_ary(3, truth="1/2"), 4
    laws = dict(courses_and_laws(channel, range(3), lambda answer: [(answer, answer)], 3))
    ratios = defaultdict(Fraction)
    for (course, law), (other, another) in product(laws.items(), repeat=2):
        if pattern(course) == pattern(other):
            ratios[len(set(course))] = max(ratios[len(set(course))], largest_ratio(law, another))
    assert ratios[1] == odds
    assert ratios[2] == odds**2
    assert odds < ratios[3] <= odds**3
    assert largest_ratio(laws[0, 1, 1], laws[0, 0, 0]) == math.inf, "reports that differ prove a change"


def test_remembered_options_count_at_most_twice():
    """Exact, for two options in three waves: epsilon of an option for each of its draws that differs."""
    channel, odds = k_ary(2, truth="1/2"), 3
    draws = lambda answer: [((option, bit), bit) for option, bit in enumerate(answer)]  # noqa: E731
    laws = dict(courses_and_laws(channel, list(product((0, 1), repeat=2)), draws, 3))
    largest = Fraction(0)
    for (course, law), (other, another) in product(laws.items(), repeat=2):
        parts = [lambda answer, option=option: answer[option] for option in (0, 1)]
        if all(pattern(course, part) == pattern(other, part) for part in parts):
            differ = {(o, a[o]) for a, b in zip(course, other, strict=True) for o in (0, 1) if a[o] != b[o]}
            ratio = largest_ratio(law, another)
            assert ratio == odds ** len(differ)
            largest = max(largest, ratio)
    assert largest == odds**4, "two options, two draws each, however many waves"
