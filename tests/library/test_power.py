"""Power by simulation: the normal approximation, the level, what people who disobey do, refusals."""

import numpy as np
import pytest
from scipy import special, stats

from randomized_response import forced_response, k_ary, regression_power, warner

COINS, WARNER = forced_response(truth="1/2"), warner(truth="9/10")


def expected_error(channel, n, shares):
    """Of the log odds ratio, from the binomial variance of the rates: two groups of n / 2, delta method."""
    (no, yes), total = channel.matrix[:, 1], 0.0
    for share in shares:
        rate = no + (yes - no) * share
        total += rate * (1 - rate) / (n / 2) / ((yes - no) * share * (1 - share)) ** 2
    return np.sqrt(total)


@pytest.mark.long
@pytest.mark.parametrize(("channel", "n"), [(COINS, 4000), (WARNER, 1000)], ids=["coins", "warner"])
def test_power_agrees_with_the_normal_approximation(channel, n):
    """1,000 surveys: within .05 of it, three Monte Carlo errors."""
    shares = (0.2, 0.3)
    found = regression_power(channel, n, shares, rounds=1000)
    slope, error = special.logit(0.3) - special.logit(0.2), expected_error(channel, n, shares)
    assert found.log_odds_ratio == pytest.approx(slope)
    assert found.power == pytest.approx(stats.norm.sf(1.96 - slope / error), abs=0.05)
    assert found.spread == pytest.approx(error, rel=0.12)
    assert found.monte_carlo_error == pytest.approx(np.sqrt(found.power * (1 - found.power) / 1000))


@pytest.mark.long
def test_equal_shares_are_found_different_at_the_level():
    """1,000 surveys at 5 %: 33 to 69 findings (binomial, false alarm 1 %)."""
    found = regression_power(WARNER, 2000, (0.3, 0.3), rounds=1000)
    assert stats.binom.ppf(0.005, 1000, 0.05) <= 1000 * found.power <= stats.binom.ppf(0.995, 1000, 0.05)
    assert found.coverage == pytest.approx(1 - found.power)
    assert found.no_estimate == 0


@pytest.mark.long
def test_people_who_protect_themselves_hide_a_difference():
    honest = regression_power(COINS, 3000, (0.2, 0.4), rounds=300)
    hidden = regression_power(COINS, 3000, (0.2, 0.4), protective=(0.0, 0.2), rounds=300)
    assert hidden.mean_estimate < honest.mean_estimate - 0.3
    assert hidden.power < honest.power
    clicking = regression_power(WARNER, 3000, (0.2, 0.4), random=(0.2, 0.2), rounds=300)
    assert 0 < clicking.mean_estimate < clicking.log_odds_ratio


def test_simulation_is_the_same_without_a_generator():
    first, again = (regression_power(COINS, 500, (0.2, 0.4), rounds=20) for _ in range(2))
    assert first == again
    assert regression_power(COINS, 500, (0.2, 0.4), rounds=20, generator=np.random.default_rng(3)) != first


@pytest.mark.long
def test_small_surveys_have_surveys_without_an_estimate():
    assert regression_power(COINS, 30, (0.05, 0.1), rounds=100).no_estimate > 0.2


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"channel": k_ary(3, truth="1/2")}, "channel must be a yes/no table; got 3 x 3"),
        ({"n": 5}, "n must be from 20 to 1000000; got 5"),
        ({"shares": (0, 0.5)}, r"shares\[0\] must be greater than 0 and less than 1; got 0"),
        ({"exposed": 1}, "exposed must be greater than 0 and less than 1; got 1"),
        ({"rounds": 1}, "rounds must be from 10 to 100000; got 1"),
        ({"level": 5}, "level must be greater than 0 and less than 1; got 5"),
        ({"protective": (0.1,)}, "protective must be two shares from 0 to 1"),
        ({"random": (0.5, 0.5), "protective": (0.6, 0)}, "random and protective must together be at most 1"),
    ],
)
def test_wrong_arguments_are_refused_by_name(change, words):
    arguments = {"channel": COINS, "n": 500, "shares": (0.2, 0.4)}
    with pytest.raises(ValueError, match=words):
        regression_power(**arguments | change)
