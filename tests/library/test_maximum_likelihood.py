"""Maximum likelihood on the simplex: against its conditions for an optimum, which need no second program."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from randomized_response import Channel, constrained, custom, forced_response, k_ary, warner
from randomized_response._exact import rank
from randomized_response.constrained import interior_point, maximum_likelihood


def optimality_gap(theta, counts, channel):
    """max gradient - 1 bounds how far the mean log-likelihood is below its maximum; 0 only at a maximum."""
    seen = counts > 0
    rates = channel.matrix.T[seen] @ theta
    return (channel.matrix[:, seen] @ (counts[seen] / counts.sum() / rates)).max() - 1


@settings(max_examples=300, deadline=None)
@given(st.integers(2, 12), st.integers(1, 19), st.data())
def test_k_ary_solution_is_optimal(k, twentieths, data):
    counts = np.array(data.draw(st.lists(st.integers(0, 200), min_size=k, max_size=k)))
    channel = k_ary(k, truth=(twentieths, 20))
    if counts.sum():
        theta = maximum_likelihood(counts, channel)
        assert theta.min() >= 0
        assert theta.sum() == pytest.approx(1)
        assert optimality_gap(theta, counts, channel) <= 1e-12


@settings(max_examples=300, deadline=None)
@given(st.integers(3, 8), st.data())
def test_likelihood_negative_gain_is_optimal(k, data):
    """Negative gain: each answer is reported as any other but itself (twice the weight) or itself (once)."""
    counts = np.array(data.draw(st.lists(st.integers(0, 50), min_size=k, max_size=k)))
    channel = Channel([[1 if x == y else 2 for y in range(k)] for x in range(k)])
    if counts.sum():
        theta = maximum_likelihood(counts, channel)
        assert theta.min() >= 0
        assert optimality_gap(theta, counts, channel) <= 1e-12


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.integers(0, 3), st.sampled_from([3, 30, 1000, 10**6]))
def test_likelihood_any_channel_is_optimal(seed, answers, more_reports, n):
    generator = np.random.default_rng(seed)
    weights = generator.integers(0, 40, size=(answers, answers + more_reports)) + np.eye(
        answers, answers + more_reports, dtype=int
    )
    weights[:, 0] += weights.sum(axis=1).max() - weights.sum(axis=1)
    channel = Channel(weights.tolist())
    truth = generator.dirichlet(np.full(answers, 0.5))
    counts = generator.multinomial(n, channel.matrix.T @ truth)
    if rank(channel.weights) < answers:
        return
    theta = maximum_likelihood(counts, channel)
    assert theta.min() >= 0
    assert theta.sum() == pytest.approx(1)
    assert optimality_gap(theta, counts, channel) <= 1e-11


@pytest.mark.parametrize("counts", [[90, 5, 5, 0], [1, 0, 0, 0], [25, 25, 25, 25], [10, 0, 300, 1]])
@pytest.mark.parametrize("truth", ["1/10", "1/2", "9/10"])
def test_iteration_and_exact_solution_agree(counts, truth):
    counts, channel = np.array(counts), k_ary(4, truth=truth)
    iterated = interior_point(counts / counts.sum(), channel.matrix)
    assert iterated == pytest.approx(maximum_likelihood(counts, channel), abs=1e-12)


def test_likelihood_shares_near_zero_are_precise():
    """40 reports through a table without one background: what is left of an answer's share by a barrier is 1e-7.

    Seeded; of 12 surveys 6 have a share that the unbiased estimate has below 0. Iterating a hundred times less far must
    lead to the same digits.
    """
    channel, generator = custom([[5, 1, 2], [1, 6, 1], [3, 1, 4]]), np.random.default_rng(1)
    for _ in range(12):
        counts = generator.multinomial(40, channel.matrix.T @ generator.dirichlet(np.full(3, 0.3)))
        theta = interior_point(counts / counts.sum(), channel.matrix)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(constrained, "TOLERANCE", 1e-11)
            assert theta == pytest.approx(interior_point(counts / counts.sum(), channel.matrix), abs=1e-14)


@pytest.mark.parametrize(("counts", "share"), [([95, 5], 0.0), ([10, 90], 1.0), ([60, 40], 0.3)])
@pytest.mark.parametrize("make", ["forced", "warner", "flipped"])
def test_yes_no_is_the_clipped_estimate(make, counts, share):
    channel = {"forced": forced_response(truth="1/2"), "warner": warner(truth="3/4"), "flipped": warner(truth="1/4")}[
        make
    ]
    ordered = counts[::-1] if make == "flipped" else counts
    assert maximum_likelihood(np.array(ordered), channel)[1] == pytest.approx(share, abs=1e-12)


def test_water_filling_by_hand():
    """k = 3, p = 1/2: floors 1/6. Counts 9, 1, 0 of 10: report 2 and then 1 stay on their floor, 2/3 is left for 0."""
    assert maximum_likelihood(np.array([9, 1, 0]), k_ary(3, truth="1/2")).tolist() == [1, 0, 0]
    # 6, 4, 0: report 2 on its floor, level 10 / (5/6) = 12, rates 1/2 and 1/3, shares 2 (1/2 - 1/6) and 2 (1/3 - 1/6)
    assert maximum_likelihood(np.array([6, 4, 0]), k_ary(3, truth="1/2")) == pytest.approx([2 / 3, 1 / 3, 0], abs=1e-15)


def test_likelihood_impossible_no_is_respected():
    """P(0 | 1) = 0: a report no proves the answer no."""
    channel = custom([[1, 1], [0, 2]])
    assert maximum_likelihood(np.array([10, 0]), channel).tolist() == [1, 0]
    assert maximum_likelihood(np.array([0, 10]), channel).tolist() == [0, 1]


def test_likelihood_no_reports_is_nan():
    assert np.isnan(maximum_likelihood(np.array([0, 0, 0]), k_ary(3, truth="1/2"))).all()


def test_likelihood_256_categories_is_optimal():
    channel = k_ary(256, truth="1/4")
    counts = np.random.default_rng(4).multinomial(
        5000, channel.matrix.T @ np.random.default_rng(5).dirichlet(np.full(256, 0.1))
    )
    theta = maximum_likelihood(counts, channel)
    assert (theta == 0).sum() > 50
    assert optimality_gap(theta, counts, channel) <= 1e-12
