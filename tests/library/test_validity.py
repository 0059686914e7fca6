"""Anchors, reversed arms, non-response, random answers: closed forms, simulated truth, coverage, refusals."""

import numpy as np
import pandas
import pytest
from scipy import stats

from randomized_response import (
    ParameterError,
    anchored_crosswise,
    crosswise,
    estimate_proportions,
    extended_crosswise,
    forced_response,
    k_ary,
    nonresponse_bounds,
    random_answer_curve,
    simulate,
    warner,
    without_random_answers,
)
from tests.tools.gate import few

COINS = forced_response(truth="1/2")
TWO = [estimate_proportions(counts, COINS) for counts in ([60, 40], [70, 30])]
THREE = estimate_proportions([30, 30, 40], k_ary(3, truth="1/2"))


def drawn(n, share, attentive, generator, u=0.15, v=0.15):
    """Reports of the item and of the anchor, by people of whom some answer both by chance."""
    follows = generator.random(n) < attentive
    holds, harmless = generator.random(n) < share, generator.random(n) < u
    chance = generator.integers(0, 2, (2, n))
    reports = np.where(follows, holds == harmless, chance[0])
    anchors = np.where(follows, ~(generator.random(n) < v), chance[1])
    return reports.astype(int), anchors.astype(int)


def test_attentive_people_need_no_correction():
    reports, anchors = drawn(50_000, 0.3, 1.0, np.random.default_rng(1))
    found = anchored_crosswise(reports, anchors, "3/20", "3/20")
    plain = estimate_proportions(np.bincount(reports), crosswise(prevalence="3/20"))
    assert found.naive == pytest.approx(plain.unbiased[1], abs=1e-12)
    assert found.attentive == pytest.approx(1, abs=4 * found.attentive_standard_error)
    assert found.constrained == pytest.approx(0.3, abs=4 * found.standard_error)


def test_inattention_is_taken_out():
    """At 70 % attention the naive share is 0.16 too high; the corrected one within 4 standard errors (6e-5)."""
    reports, anchors = drawn(50_000, 0.1, 0.6, np.random.default_rng(2))
    found = anchored_crosswise(reports, anchors, "3/20", "3/20")
    assert found.naive == pytest.approx(0.5 + 0.6 * (0.1 - 0.5), abs=0.02)
    assert found.attentive == pytest.approx(0.6, abs=4 * found.attentive_standard_error)
    assert found.constrained == pytest.approx(0.1, abs=4 * found.standard_error)


@pytest.mark.parametrize(("share", "attentive", "n"), few([(0.05, 0.8, 600), (0.2, 0.6, 1000), (0.4, 0.9, 300)]))
def test_corrected_intervals_cover_at_their_level(share, attentive, n):
    """1,000 samples: 932 to 967 intervals hold the truth (binomial at .95, false alarm 1 %)."""
    generator, hits, errors, found = np.random.default_rng(3), 0, [], []
    for _ in range(1000):
        one = anchored_crosswise(*drawn(n, share, attentive, generator), "3/20", "3/20")
        hits += one.low <= share <= one.high
        errors.append(one.standard_error)
        found.append(one.unbiased)
    assert stats.binom.ppf(0.005, 1000, 0.95) <= hits <= stats.binom.ppf(0.995, 1000, 0.95)
    assert np.median(errors) == pytest.approx(np.std(found), rel=0.15)


def test_anchor_without_attention_leaves_everything_open():
    reports, anchors = drawn(400, 0.3, 0.0, np.random.default_rng(5))
    found = anchored_crosswise(reports, anchors, "3/20", "3/20")
    assert (found.low, found.high) == (0, 1)


def test_weights_repeat_people():
    reports, anchors = drawn(300, 0.3, 0.8, np.random.default_rng(6))
    weights = np.random.default_rng(7).integers(1, 4, 300)
    weighted = anchored_crosswise(reports, anchors, "3/20", "3/20", weights)
    repeated = anchored_crosswise(np.repeat(reports, weights), np.repeat(anchors, weights), "3/20", "3/20")
    assert weighted.unbiased == pytest.approx(repeated.unbiased, rel=1e-12)
    assert weighted.standard_error > repeated.standard_error


def test_reversed_arms_are_one_estimate_and_its_test():
    found = extended_crosswise((350, 640), (1000, 1000), "1/4")
    pooled = estimate_proportions([2000 - 710, 710], crosswise(prevalence="1/4"))
    np.testing.assert_array_equal(found.prevalence.unbiased, pooled.unbiased)
    table = np.array([[350, 650], [360, 640]])
    other = stats.chi2_contingency(table, correction=False, lambda_="log-likelihood")
    assert found.followed.statistic == pytest.approx(other.statistic, rel=1e-9)
    assert found.followed.p_value == pytest.approx(other.pvalue, rel=1e-9)


@pytest.mark.long
def test_reversed_arms_find_a_preference_and_keep_the_level():
    """2,000 samples at 5 %: 75 to 126 rejections of people who follow (1 %); a fifth who always report 1 are found."""
    generator, rejected = np.random.default_rng(8), 0
    rate = 0.25 * 0.3 + 0.75 * 0.7
    for _ in range(2000):
        ones = generator.binomial(500, [rate, 1 - rate])
        rejected += extended_crosswise(tuple(ones.tolist()), (500, 500), "1/4").followed.p_value < 0.05
    assert stats.binom.ppf(0.005, 2000, 0.05) <= rejected <= stats.binom.ppf(0.995, 2000, 0.05)
    always = tuple(round(1000 * (0.8 * one + 0.2)) for one in (rate, 1 - rate))
    assert extended_crosswise(always, (1000, 1000), "1/4").followed.p_value < 1e-6


def test_nonresponse_bounds_hold_every_possible_share():
    estimate = estimate_proportions([6000, 4000], COINS)
    found = nonresponse_bounds(estimate, 0.8)
    assert (found.lowest, found.highest) == pytest.approx((0.24, 0.44))
    for others in (0.0, 0.3, 1.0):
        assert found.lowest - 1e-12 <= 0.8 * 0.3 + 0.2 * others <= found.highest + 1e-12
    one_sided = stats.norm.ppf(0.95) * 0.8 * estimate.standard_error[1]
    assert (found.low, found.high) == pytest.approx((0.24 - one_sided, 0.44 + one_sided), abs=5e-4)
    everybody = nonresponse_bounds(estimate, 1.0)
    two_sided = stats.norm.ppf(0.975) * estimate.standard_error[1]
    assert (everybody.low, everybody.high) == pytest.approx((0.3 - two_sided, 0.3 + two_sided), abs=5e-4)
    assert (everybody.low, everybody.high) == pytest.approx((estimate.low[1], estimate.high[1]), abs=1e-6)


def test_curve_of_random_answers_undoes_the_mixture():
    rate = 0.8 * (0.25 + 0.5 * 0.2) + 0.2 * 0.5
    found = random_answer_curve([round(10_000 * (1 - rate)), round(10_000 * rate)], COINS, [0, 0.1, 0.2])
    assert found.estimate[2] == pytest.approx(0.2, abs=1e-9)
    assert (np.diff(found.estimate) < 0).all()
    assert (np.diff(found.high - found.low) > 0).all()
    assert found.explains_all == pytest.approx((rate - 0.25) / 0.25)
    all_of_it = random_answer_curve([10_000 * (1 - rate), 10_000 * rate], COINS, [round(found.explains_all, 6)])
    assert all_of_it.estimate[0] == pytest.approx(0, abs=1e-5)
    assert isinstance(found.to_frame(), pandas.DataFrame)


def said(n, share, random, known, generator):
    """Estimates of a question and of a control question, by people of whom some answer both at random."""
    chance, by_chance = generator.integers(0, 2, (2, n)), generator.random(n) < random
    answers = (np.where(by_chance, one, generator.random(n) < p) for one, p in zip(chance, (share, known), strict=True))
    counts = (np.bincount(simulate(COINS, answer.astype(int), generator), minlength=2) for answer in answers)
    return [estimate_proportions(one, COINS) for one in counts]


def test_share_without_random_answers_undoes_the_mixture():
    """A fifth answer at random: said = 0.8 share + 0.1 in both questions, whatever the control question's share."""
    truth = 0.3
    for known, control in ((0, 0), ("1", 1), ("1/3", 1 / 3)):
        rates = [0.25 + 0.5 * (0.8 * share + 0.1) for share in (truth, control)]
        counts = ([round(60_000 * (1 - rate)), round(60_000 * rate)] for rate in rates)
        found = without_random_answers(*(estimate_proportions(one, COINS) for one in counts), known)
        assert found.unbiased == pytest.approx(truth, abs=1e-4)
        assert found.attentive == pytest.approx(0.8, abs=1e-4)
        assert found.naive == pytest.approx(0.8 * truth + 0.1, abs=1e-4)
        assert found.low < truth < found.high


@pytest.mark.long
def test_share_without_random_answers_is_covered():
    """Intervals of 95 % in 400 samples each: three standard errors of the rate below are 0.917."""
    generator = np.random.default_rng(31)
    for share, random, known in ((0.1, 0.2, 0), (0.4, 0.1, 1), (0.2, 0.0, 0)):
        rounds = (without_random_answers(*said(2000, share, random, known, generator), known) for _ in range(400))
        assert np.mean([found.low <= share <= found.high for found in rounds]) >= 0.917


def test_control_question_answered_by_chance_alone_says_nothing():
    half = estimate_proportions([500, 500], COINS)
    found = without_random_answers(estimate_proportions([600, 400], COINS), half, 0)
    assert (found.low, found.high) == (0, 1)


def test_estimate_that_random_answers_cannot_explain():
    assert np.isnan(random_answer_curve([100, 900], COINS).explains_all)
    assert random_answer_curve([750, 250], COINS).explains_all == pytest.approx(0)
    assert 0 < random_answer_curve([800, 200], warner(truth="9/10")).explains_all < 1


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: anchored_crosswise([0, 2], [0, 1], "1/4", "1/4"), r"reports\[1\] must be 0 or 1; got 2"),
        (lambda: anchored_crosswise([0, 1], [0, 1, 1], "1/4", "1/4"), "anchors must have one entry per report"),
        (lambda: anchored_crosswise([0, 1], [0, 1], "1/2", "1/4"), "prevalence must differ from 1/2"),
        (lambda: anchored_crosswise([0, 1], [0, 1], "1/4", "1/4", [1, -1]), r"weights\[1\] must be positive"),
        (lambda: extended_crosswise((5, 2), (4, 4), "1/4"), r"reports\[0\] must be from 0 to 4; got 5"),
        (lambda: nonresponse_bounds(estimate_proportions([6, 4], COINS), 0), "response_rate must be greater than 0"),
        (lambda: nonresponse_bounds(estimate_proportions([6, 4], COINS), 0.5, answer=2), "answer must be from 0 to 1"),
        (lambda: without_random_answers(*TWO, "1/2"), "known_share must be from 0 to 1, and not 1/2; got 1/2"),
        (lambda: without_random_answers(*TWO, 2), "known_share must be from 0 to 1, and not 1/2; got 2"),
        (lambda: without_random_answers(TWO[0], THREE, 0), "control must be of two answers; got 3"),
        (lambda: random_answer_curve([1, 2], COINS, [1.0]), "random must be shares of at least 0 and less than 1"),
        (lambda: random_answer_curve([1, 2, 3], k_ary(3, truth="1/2")), "channel must be a yes/no table"),
    ],
)
def test_wrong_arguments_are_refused_by_name(call, words):
    with pytest.raises(ParameterError, match=words):
        call()
