"""Other programs that are asked for the same numbers."""

import math

import opendp.prelude as dp
import pytest

from randomized_response import k_ary, warner


@pytest.fixture(autouse=True)
def _contrib():
    dp.enable_features("contrib")


@pytest.mark.parametrize("truth", ["3/4", "9/10", "2/3"])
def test_opendp_agrees_on_yes_no(truth):
    """OpenDP 0.16 make_randomized_response_bool: its privacy map at distance 1."""
    channel = warner(truth=truth)
    theirs = dp.m.make_randomized_response_bool(prob=float(channel.matrix[1, 1]))
    assert channel.epsilon == pytest.approx(theirs.map(1), abs=1e-9)


@pytest.mark.parametrize(("k", "truth"), [(3, "1/2"), (10, "1/4")])
def test_opendp_agrees_on_k_ary(k, truth):
    """OpenDP 0.16 make_randomized_response tells the truth with P(x | x), not with our truth probability."""
    channel = k_ary(k, truth=truth)
    theirs = dp.m.make_randomized_response(categories=list(range(k)), prob=float(channel.matrix[0, 0]))
    assert channel.epsilon == pytest.approx(theirs.map(1), abs=1e-9)
    assert channel.epsilon == pytest.approx(math.log(channel.matrix[0, 0] / channel.matrix[1, 0]), abs=1e-12)
