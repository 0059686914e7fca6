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
    """Where everybody else makes report y at rate b[y]: the optimal rates, turned into shares."""
    assert channel.background is not None
    floor = channel.background / channel.denominator
    rates = _fill_up(counts, floor) if channel.gain > 0 else _fill_down(counts, floor)
    excess = np.maximum((rates - floor) * np.sign(channel.gain), 0)
    return np.asarray(excess / excess.sum())


def _fill_up(counts: NDArray[np.int64], floor: Vector) -> Vector:
    """Rates max(floor, counts / level), the level such that they sum to 1.

    The reports above their floor are those with the largest counts / floor; each number of them has its level, and the
    right one is the largest that its own last report exceeds.
    """
    ratio = np.divide(counts, floor, out=np.where(counts > 0, np.inf, 0.0), where=floor > 0)
    order = np.argsort(-ratio, kind="stable")
    level = np.cumsum(counts[order]) / (1 - floor.sum() + np.cumsum(floor[order]))
    last = int(np.flatnonzero(ratio[order] > level)[-1])
    return np.asarray(np.maximum(floor, counts / level[last]))


def _fill_down(counts: NDArray[np.int64], ceiling: Vector) -> Vector:
    """Rates min(ceiling, counts / level), the level such that they sum to 1.

    Where the ceilings of the reports that were seen do not reach 1, the likelihood does not tell the others apart:
    they share what is left in proportion to their ceilings.
    """
    seen = counts > 0
    left = 1 - float(ceiling[seen].sum())
    if left >= 0:
        unseen = float(ceiling[~seen].sum())
        return np.where(seen, ceiling, ceiling * (left / unseen if unseen else 0.0))
    order = np.argsort(counts / ceiling, kind="stable")
    room = 1 - ceiling.sum() + np.cumsum(ceiling[order])
    level = np.divide(np.cumsum(counts[order]), room, out=np.zeros(len(room)), where=room > 0)
    last = int(np.flatnonzero((counts / ceiling)[order] < level)[-1])
    return np.asarray(np.minimum(ceiling, counts / level[last]))


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
