"""The crosswise model against the closed forms of Yu, Tian & Tang (2008, Metrika 67, section 2), and its coverage."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from randomized_response import crosswise, estimate_proportions, simulate

PREVALENCES = ["1/4", "1/6", "5/12", "3/4"]


@pytest.mark.parametrize("prevalence", PREVALENCES)
def test_epsilon_is_the_log_odds_of_the_prevalence(prevalence):
    channel, p = crosswise(prevalence=prevalence), float(Fraction(prevalence))
    assert channel.epsilon == pytest.approx(abs(math.log(p / (1 - p))))


@pytest.mark.parametrize("prevalence", PREVALENCES)
@pytest.mark.parametrize(("n", "same"), [(100, 65), (1000, 700), (547, 420)])
def test_crosswise_estimate_and_variance_equal_yu(prevalence, n, same):
    """pi = (same / n + p - 1) / (2 p - 1); its unbiased variance (same / n) (1 - same / n) / ((n - 1) (2 p - 1)^2)."""
    p, rate = float(Fraction(prevalence)), same / n
    found = estimate_proportions([n - same, same], crosswise(prevalence=prevalence))
    assert found.unbiased[1] == pytest.approx((rate + p - 1) / (2 * p - 1))
    assert found.covariance[1, 1] == pytest.approx(rate * (1 - rate) / ((n - 1) * (2 * p - 1) ** 2))


@pytest.mark.parametrize("prevalence", PREVALENCES)
@pytest.mark.parametrize("share", [0.0, 0.03, 0.2, 0.5])
def test_default_interval_covers_by_enumeration(prevalence, share):
    n, channel, p = 60, crosswise(prevalence=prevalence), float(Fraction(prevalence))
    mass = stats.binom.pmf(np.arange(n + 1), n, p * share + (1 - p) * (1 - share))
    found = [estimate_proportions([n - same, same], channel) for same in range(n + 1)]
    held = [one.low[1] <= share + 1e-12 and share - 1e-12 <= one.high[1] for one in found]
    assert mass @ np.array(held) >= 0.95


def test_crosswise_birthdays_recover_the_share():
    """Simulated people mark whether a birthday and their answer are alike; seeded, off by 4 standard errors at most."""
    source = np.random.default_rng(20261123)
    answers = source.random(20_000) < 0.12
    born = source.integers(12, size=answers.size) < 3
    same = int((answers == born).sum())
    found = estimate_proportions([answers.size - same, same], crosswise(prevalence="1/4"))
    assert abs(found.unbiased[1] - answers.mean()) < 4 * math.sqrt(found.covariance[1, 1])


def test_crosswise_tickets_equal_birthdays():
    source = np.random.default_rng(7)
    sent = simulate(crosswise(prevalence="1/4"), np.repeat([0, 1], 50_000), source)
    assert np.mean(sent[:50_000]) == pytest.approx(3 / 4, abs=0.01)
    assert np.mean(sent[50_000:]) == pytest.approx(1 / 4, abs=0.01)
