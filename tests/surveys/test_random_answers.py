"""How many responses a control question needs: what the planner names is found as often as it says."""

import numpy as np
import pytest

from randomized_response import estimate_proportions, forced_response, plan, simulate
from surveys.planning.draft_prices import price_of
from surveys.planning.random_answers import AT_RANDOM, responses_to_detect

COINS = forced_response(truth="1/2")


def test_random_answers_are_found_as_often_as_the_planner_says() -> None:
    """At the n that is named 80 % of samples show them: of 400 fewer than 296 or more than 346 do once in 400 seeds.

    By the rule of the report where nobody truly says yes: the interval of randomisation leaves 0 out.
    """
    n, random, found = responses_to_detect(COINS, "0"), np.random.default_rng(21), 0
    assert n is not None
    for _ in range(400):
        yes = (random.random(n) < AT_RANDOM / 2).astype(int)
        counts = np.bincount(simulate(COINS, yes, random), minlength=2)
        found += estimate_proportions(counts, COINS).noise_low[1] > 0
    assert 296 <= found <= 346


@pytest.mark.parametrize("known", ["0", "1/3", "0.9", "1"])
def test_fewest_responses_have_the_power(known: str) -> None:
    n, share = responses_to_detect(COINS, known), float(known) if "/" not in known else 1 / 3
    said = share + AT_RANDOM * (0.5 - share)
    assert n is not None
    assert plan.power(n, COINS, said, share) >= 0.8 > plan.power(n - 1, COINS, said, share)


@pytest.mark.parametrize("known", ["0.5", "1.5", "0.499999"])
def test_share_that_shows_nothing_has_no_number(known: str) -> None:
    assert responses_to_detect(COINS, known) is None


def test_price_of_a_control_question_has_the_number() -> None:
    channel = {"name": "forced_response", "truth": "1/2", "yes": "1/2"}
    item = {"key": "moon", "kind": "yes_no", "wording": {}, "choices": [{}, {}], "channel": channel}
    plain, control = item, item | {"key": "control", "known_share": "0"}
    prices = price_of([plain, control], 1000).questions  # type: ignore[list-item]
    assert (prices["moon"].detecting, prices["control"].detecting) == (None, responses_to_detect(COINS, "0"))
