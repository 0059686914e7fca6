"""The triangular model, as published (Yu, Tian & Tang 2008, Metrika 67, section 3) and with a coin that bounds it."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from randomized_response import estimate_proportions, triangular

PREVALENCES = ["1/4", "1/6", "1/2", "3/4"]
TRUTHS = ["1/4", "1/2", "3/4"]


@pytest.mark.parametrize("prevalence", PREVALENCES)
@pytest.mark.parametrize("truth", TRUTHS)
def test_epsilon_has_a_closed_form(prevalence, truth):
    u, p = Fraction(prevalence), Fraction(truth)
    channel = triangular(prevalence=prevalence, truth=truth)
    assert channel.ratio == 1 + 2 * p * (1 - u) / (1 - p)
    assert channel.epsilon == pytest.approx(math.log(channel.ratio))
    assert channel.truth == p


def test_without_the_coin_it_is_unbounded():
    for channel in (triangular(prevalence="1/4"), triangular(prevalence="1/4", truth="1")):
        assert (channel.weights, channel.epsilon, channel.truth) == (((3, 1), (0, 4)), math.inf, None)


@pytest.mark.parametrize(("truth", "said"), [("0", "greater than 0"), ("3/2", "in [0, 1]"), ("-1/2", "in [0, 1]")])
def test_other_truths_are_refused(truth, said):
    with pytest.raises(ValueError, match="truth must be") as caught:
        triangular(prevalence="1/4", truth=truth)
    assert said in str(caught.value)


@pytest.mark.parametrize("prevalence", PREVALENCES)
@pytest.mark.parametrize(("n", "yes"), [(100, 45), (1000, 400), (547, 500)])
def test_estimate_and_variance_are_those_of_yu_without_the_coin(prevalence, n, yes):
    """pi = (yes / n - u) / (1 - u), of unbiased variance (yes / n) (1 - yes / n) / ((n - 1) (1 - u)^2)."""
    u, rate = float(Fraction(prevalence)), yes / n
    found = estimate_proportions([n - yes, yes], triangular(prevalence=prevalence))
    assert found.unbiased[1] == pytest.approx((rate - u) / (1 - u))
    assert found.covariance[1, 1] == pytest.approx(rate * (1 - rate) / ((n - 1) * (1 - u) ** 2))


@pytest.mark.parametrize("prevalence", PREVALENCES)
@pytest.mark.parametrize("truth", TRUTHS)
def test_estimate_with_the_coin_takes_it_out_too(prevalence, truth):
    """pi = (yes / n - p u - (1 - p) / 2) / (p (1 - u))."""
    u, p, rate = float(Fraction(prevalence)), float(Fraction(truth)), 0.44
    found = estimate_proportions([560, 440], triangular(prevalence=prevalence, truth=truth))
    assert found.unbiased[1] == pytest.approx((rate - p * u - (1 - p) / 2) / (p * (1 - u)))


@pytest.mark.parametrize("prevalence", PREVALENCES)
@pytest.mark.parametrize("share", [0.0, 0.03, 0.2, 0.5])
def test_default_interval_covers_by_enumeration(prevalence, share):
    n, channel = 60, triangular(prevalence=prevalence, truth="1/2")
    no, yes = (row[1] / channel.denominator for row in channel.weights)
    mass = stats.binom.pmf(np.arange(n + 1), n, yes * share + no * (1 - share))
    found = [estimate_proportions([n - count, count], channel) for count in range(n + 1)]
    held = [one.low[1] <= share + 1e-12 and share - 1e-12 <= one.high[1] for one in found]
    assert mass @ np.array(held) >= 0.95


def test_people_with_a_coin_give_the_share_back():
    """Seeded, off by 4 standard errors at most."""
    source = np.random.default_rng(20261123)
    answers, born = source.random(20_000) < 0.12, source.integers(12, size=20_000) < 3
    sent = np.where(source.random(answers.size) < 0.5, answers | born, source.random(answers.size) < 0.5)
    found = estimate_proportions([int((~sent).sum()), int(sent.sum())], triangular(prevalence="1/4", truth="1/2"))
    assert abs(found.unbiased[1] - answers.mean()) < 4 * math.sqrt(found.covariance[1, 1])
