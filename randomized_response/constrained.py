"""Maximum likelihood on the simplex: the shares, never negative and of sum 1, that make the counts most likely."""

import numpy as np
from numpy.typing import NDArray

from randomized_response.channel import Channel

Vector = NDArray[np.float64]

TOLERANCE = 1e-13
"""The mean log-likelihood of an iterated solution is within this of the maximum (by the gradient's certificate)."""


def maximum_likelihood(counts: NDArray[np.int64], channel: Channel) -> Vector:
    """Shares of the answers, shape (k,), that maximise sum_y counts[y] log P(report = y) over the simplex.

    Exact, in O(k log k), where the table has one background (yes/no, k-ary): the rates of the reports are the counts
    over a common level, lifted to what the table produces without the answer (water-filling). Else by Newton steps on
    a barrier, to `TOLERANCE`. The solution is unique where rows are independent and every report was seen.
    """
    if counts.sum() == 0:
        return np.full(channel.answers, np.nan)
    unbiased = channel.left_inverse @ (counts / counts.sum())
    if channel.answers == channel.reports and unbiased.min() >= 0:
        return np.asarray(unbiased / unbiased.sum())
    if channel.background is not None:
        return _fill(counts, channel)
    return _interior_point(counts / counts.sum(), channel.matrix)


def _fill(counts: NDArray[np.int64], channel: Channel) -> Vector:
    """Reports have rates b[y] / D + gain / D share[y]; the optimum is a rate of max (min where gain < 0) of the floor
    b[y] / D and counts[y] / level, the level such that the rates sum to 1.
    """
    assert channel.background is not None
    floor = channel.background / channel.denominator
    sign = 1.0 if channel.gain > 0 else -1.0
    ratio = np.divide(counts, floor, out=np.full(len(floor), np.inf), where=floor > 0)
    ratio[(floor == 0) & (counts == 0)] = -np.inf * sign
    order = np.argsort(-sign * ratio, kind="stable")
    free_counts, fixed_floors = np.cumsum(counts[order]), 1 - floor.sum() + np.cumsum(floor[order])
    level = np.divide(free_counts, fixed_floors, out=np.full(len(floor), np.nan), where=fixed_floors > 0)
    inside = sign * (ratio[order] - level) > 0
    free = order[: int(np.flatnonzero(inside)[-1]) + 1]
    excess = np.zeros(channel.answers)
    excess[free] = np.maximum(sign * (counts[free] / level[len(free) - 1] - floor[free]), 0)
    return np.asarray(excess / excess.sum())


def _interior_point(shares: Vector, matrix: Vector) -> Vector:
    """Minimise -sum_y shares[y] log(matrix.T @ theta)[y] + sum(theta) over theta >= 0; its solution sums to 1.

    Primal-dual Newton steps (Koenker & Mizera 2014 treat the same problem). At any theta on the simplex the mean
    log-likelihood is within max(gradient) - 1 of the maximum, which is the certificate that stops the iteration.
    """
    seen = shares > 0
    columns, seen_shares = matrix[:, seen], shares[seen]
    answers = len(matrix)
    theta, slack = np.full(answers, 1 / answers), np.full(answers, 1.0)
    for _ in range(200):
        rates = columns.T @ theta
        gradient = columns @ (seen_shares / rates)
        if _certificate(theta, columns, seen_shares) <= TOLERANCE and theta @ slack <= TOLERANCE * answers:
            break
        barrier = 0.1 * float(theta @ slack) / answers
        hessian = (columns * (seen_shares / rates**2)) @ columns.T
        step = np.linalg.solve(hessian + np.diag(slack / theta), gradient - 1 + barrier / theta)
        slack_step = barrier / theta - slack - slack / theta * step
        theta = theta + _feasible(theta, step) * step
        slack = slack + _feasible(slack, slack_step) * slack_step
    else:
        raise ArithmeticError(f"maximum likelihood did not reach {TOLERANCE} in 200 steps")
    return np.asarray(theta / theta.sum())


def _certificate(theta: Vector, columns: Vector, shares: Vector) -> float:
    """By how much, at most, the mean log-likelihood at theta (scaled to sum 1) is below the maximum."""
    share = theta / theta.sum()
    return float((columns @ (shares / (columns.T @ share))).max() - 1)


def _feasible(value: Vector, step: Vector) -> float:
    """The longest step, up to 1, that keeps 0.995 of the way to the border."""
    shrinking = step < 0
    return min(1.0, 0.995 * float((value[shrinking] / -step[shrinking]).min())) if shrinking.any() else 1.0
