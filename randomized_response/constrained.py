"""Maximum likelihood on the simplex: the non-negative shares of sum 1 that maximize the likelihood."""

import numpy as np
from numpy.typing import NDArray

from randomized_response.channel import Channel

Vector = NDArray[np.float64]

TOLERANCE = 1e-13
"""The mean log-likelihood of an iterated solution is within this of the maximum (by the gradient's certificate).

That alone would leave shares where the likelihood is flat a thousandth of a per cent away; they are then finished.
"""

_LAST_DIGITS = 1e-14


def maximum_likelihood(counts: NDArray[np.int64] | Vector, channel: Channel) -> Vector:
    """Shares of the answers, shape (k,), that maximise sum_y counts[y] log P(report = y) over the simplex.

    `counts` are numbers of reports, or weighted ones. NaN where they are all 0 or not known.

    Exact, in O(k log k), where the table has one background (yes/no, k-ary): the rates of the reports are the counts
    over a common level, lifted to what the table produces without the answer (water-filling). Else by Newton steps on
    a barrier, to `TOLERANCE`. The solution is unique where rows are independent and every report was seen.
    """
    if not counts.sum() > 0:
        return np.full(channel.answers, np.nan)
    unbiased = channel.left_inverse @ (counts / counts.sum())
    if channel.answers == channel.reports and unbiased.min() >= 0:
        return np.asarray(unbiased / unbiased.sum())
    if channel.background is not None:
        return _fill(counts, channel)
    return interior_point(counts / counts.sum(), channel.matrix)


def nearest_on_simplex(point: Vector) -> Vector:
    """Project `point` onto the simplex (Held, Wolfe & Crowder 1974); NaN stays NaN."""
    if np.isnan(point).any():
        return np.full_like(point, np.nan)
    descending = np.sort(point)[::-1]
    surplus = (np.cumsum(descending) - 1) / np.arange(1, len(point) + 1)
    return np.asarray(np.maximum(point - surplus[np.flatnonzero(descending > surplus)[-1]], 0))


def _fill(counts: NDArray[np.int64] | Vector, channel: Channel) -> Vector:
    """Maximum likelihood shares with background rates b[y], converted from the optimal rates."""
    assert channel.background is not None
    floor = channel.background / channel.denominator
    rates = fill_up(counts, floor) if channel.gain > 0 else fill_down(counts, floor)
    excess = np.maximum((rates - floor) * np.sign(channel.gain), 0)
    return np.asarray(excess / excess.sum())


def fill_up(counts: NDArray[np.int64] | Vector, floor: Vector, total: float = 1.0) -> Vector:
    """Rates max(floor, counts / level), the level such that they sum to `total`. At least one count is not 0.

    The reports above their floor are those with the largest counts / floor; each number of them has its level, and the
    right one is the largest that its own last report exceeds.
    """
    ratio = np.divide(counts, floor, out=np.where(counts > 0, np.inf, 0.0), where=floor > 0)
    order = np.argsort(-ratio, kind="stable")
    level = np.cumsum(counts[order]) / (total - floor.sum() + np.cumsum(floor[order]))
    last = int(np.flatnonzero(ratio[order] > level)[-1])
    return np.asarray(np.maximum(floor, counts / level[last]))


def fill_down(counts: NDArray[np.int64] | Vector, ceiling: Vector, total: float = 1.0) -> Vector:
    """Rates min(ceiling, counts / level), the level such that they sum to `total`.

    Where the ceilings of the reports that were seen do not reach it, the likelihood does not tell the others apart:
    they share what is left in proportion to their ceilings.
    """
    seen = counts > 0
    left = total - float(ceiling[seen].sum())
    if left >= 0:
        unseen = float(ceiling[~seen].sum())
        return np.where(seen, ceiling, ceiling * (left / unseen if unseen else 0.0))
    order = np.argsort(counts / ceiling, kind="stable")
    room = total - ceiling.sum() + np.cumsum(ceiling[order])
    level = np.divide(np.cumsum(counts[order]), room, out=np.zeros(len(room)), where=room > 0)
    last = int(np.flatnonzero((counts / ceiling)[order] < level)[-1])
    return np.asarray(np.minimum(ceiling, counts / level[last]))


def interior_point(shares: Vector, matrix: Vector, tilt: Vector | None = None) -> Vector:
    """Maximise sum_y shares[y] log(matrix.T @ theta)[y] + tilt @ theta over the simplex.

    Primal-dual Newton steps (Koenker & Mizera 2014 treat the same problem). The objective is concave, so at any theta
    it is within max(gradient) - gradient @ theta of its maximum: the certificate that stops the iteration. Newton steps
    on the answers that are not 0 lead from there to the last digits.
    """
    seen = shares > 0
    columns, seen_shares = matrix[:, seen], shares[seen]
    slope = np.zeros(len(matrix)) if tilt is None else tilt
    tolerance = TOLERANCE * (1 + float(np.abs(slope).max()))
    theta, slack, multiplier = np.full(len(matrix), 1 / len(matrix)), np.ones(len(matrix)), 1.0
    for _ in range(200):
        rates = columns.T @ theta
        gradient = columns @ (seen_shares / rates) + slope
        if gradient.max() - gradient @ theta <= tolerance:
            break
        barrier = 0.1 * float(theta @ slack) / len(matrix)
        hessian = (columns * (seen_shares / rates**2)) @ columns.T + np.diag(slack / theta)
        step, multiplier_step = _bordered_solve(
            hessian, gradient - multiplier + barrier / theta, 1 - float(theta.sum())
        )
        slack_step = barrier / theta - slack - slack / theta * step
        length = _feasible(theta, step)
        theta, multiplier = theta + length * step, multiplier + length * multiplier_step
        slack = slack + _feasible(slack, slack_step) * slack_step
    else:
        raise ArithmeticError(f"maximum likelihood did not reach {tolerance} in 200 steps")
    finished = _finished(theta / theta.sum(), theta > gradient @ theta - gradient, seen_shares, columns, slope)
    if finished is not None:
        gradient = columns @ (seen_shares / (columns.T @ finished)) + slope
        if gradient.max() - gradient @ finished <= tolerance:
            return finished
    return np.asarray(theta / theta.sum())


def _finished(theta: Vector, free: NDArray[np.bool_], shares: Vector, columns: Vector, slope: Vector) -> Vector | None:
    """Refine the solution near `theta` by Newton steps on the answers that are `free`, all others 0.

    One that would become negative is no longer free; of those that are 0, the one whose gradient is most above the
    multiplier becomes so, each once. None where that does not settle, as where several shares are equally likely.
    """
    point, free, freed, shortest = np.where(free, theta, 0.0), free.copy(), ~free & False, np.inf
    point /= point.sum()
    for _ in range(2 * len(theta) + 20):
        rates, inner = columns.T @ point, columns[free]
        if rates.min() <= 0:
            return None
        gradient = columns @ (shares / rates) + slope
        try:
            step, multiplier = _bordered_solve((inner * (shares / rates**2)) @ inner.T, gradient[free], 0.0)
        except np.linalg.LinAlgError:
            return None
        further = point[free] + step
        if not np.isfinite(further).all():
            return None
        if further.min() < 0:
            lengths = np.divide(point[free], -step, out=np.full_like(step, np.inf), where=further < 0)
            point[free] += lengths.min() * step
            blocking = np.flatnonzero(free)[lengths.argmin()]
            point[blocking], free[blocking], shortest = 0.0, False, np.inf
            continue
        point[free] = further
        if _LAST_DIGITS < np.abs(step).max() < shortest / 2:
            shortest = float(np.abs(step).max())
            continue
        missed = np.where(free | freed, -np.inf, gradient - multiplier)
        if missed.max() <= _LAST_DIGITS * (1 + abs(multiplier)):
            return np.asarray(point / point.sum())
        free[missed.argmax()], freed[missed.argmax()], shortest = True, True, np.inf
    return None


def _bordered_solve(square: Vector, right: Vector, last: float) -> tuple[Vector, float]:
    """Solve square @ v + w = right (w the same in every row) and sum(v) = last."""
    border = np.ones((len(right), 1))
    whole = np.block([[square, border], [border.T, np.zeros((1, 1))]])
    solved = np.linalg.solve(whole, np.append(right, last))
    return solved[:-1], float(solved[-1])


def _feasible(value: Vector, step: Vector) -> float:
    """The longest step, up to 1, of at most 0.995 of the way to the boundary."""
    shrinking = step < 0
    return min(1.0, 0.995 * float((value[shrinking] / -step[shrinking]).min())) if shrinking.any() else 1.0
