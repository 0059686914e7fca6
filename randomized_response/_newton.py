"""Maximum likelihood for a binary model seen through channels: Newton's method with step control.

For each row, L = p0 (1 - mu) + p1 mu, with mu the link's share of yes at eta, p0 and p1 the probabilities of the row's
report under the answers no and yes. The score is s = (p1 - p0) mu' / L and the observed information s^2 - (p1 - p0)
mu'' / L, both per unit of eta. The work is done on an orthonormal basis of the covariates, in blocks that
stay in the processor's cache.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from randomized_response import _scipy as scipy
from randomized_response._links import LOGIT, Link

Floats = NDArray[np.float64]

_BLOCK = 8192
_LOOKED = 32_768
"""Chances of reports that are computed together: more would leave the processor's cache."""
_DEPENDENT = 1e-11
_FAR = 1e-4
"""The smallest eigenvalue of the columns' correlations above which they are far from dependent."""
_STEPS = 200
_FIRST_REACH = 3.0
_CLOSE = 1e-14
_FLAT = 1e-6
_BESIDE = 0.01
_JUMP = 20.0


@dataclass(frozen=True)
class Sample:
    """Rows on the basis: `basis` (p, n) with sum w q q' = (sum w) I, chances of each report under no and under yes.

    `precision` (p, p) is that of a normal prior about 0, which is then part of the log likelihood.
    """

    basis: Floats
    chance_no: Floats
    chance_yes: Floats
    weights: Floats
    link: Link = LOGIT
    precision: Floats | None = None

    def evaluate(self, at: Floats) -> "Point":
        """Log likelihood, gradient and observed information; minus infinity where a report becomes impossible."""
        p = at.size
        total, gradient, information = 0.0, np.zeros(p), np.zeros((p, p))
        for s in blocks(self.weights.size):
            q, w, no, yes = self.basis[:, s], self.weights[s], self.chance_no[s], self.chance_yes[s]
            eta = at @ q
            share_yes, share_no = self.link.shares(eta)
            likelihood = no * share_no + yes * share_yes
            if likelihood.min() <= 0:
                return Point(at, -np.inf, gradient, information)
            first, second = self.link.slopes(eta, share_yes, share_no)
            worth = (yes - no) / likelihood
            score = worth * first
            total += float(w @ np.log(likelihood))
            gradient += q @ (w * score)
            information += (q * (w * (score * score - worth * second))) @ q.T
        return Point(at, total, gradient, information).under(self.precision)

    def thinned(self, most: int) -> "Sample":
        """A fixed selection of about `most` rows, spread evenly by a multiplicative hash of their position."""
        if self.weights.size <= most:
            return self
        chosen = spread_evenly(self.weights.size, most)
        return Sample(
            np.ascontiguousarray(self.basis[:, chosen]),
            self.chance_no[chosen],
            self.chance_yes[chosen],
            self.weights[chosen],
            self.link,
            None if self.precision is None else self.precision * (chosen.size / self.weights.size),
        )


class Point(NamedTuple):
    """The log likelihood at one place, its gradient and its observed information, on the basis."""

    at: Floats
    log_likelihood: float
    gradient: Floats
    information: Floats

    def under(self, precision: Floats | None) -> "Point":
        """The same of the posterior density, with a normal prior about 0 of this precision."""
        if precision is None:
            return self
        pull = precision @ self.at
        height = self.log_likelihood - float(self.at @ pull) / 2
        return Point(self.at, height, self.gradient - pull, self.information + precision)


class Likelihood(Protocol):
    """What can be climbed."""

    def evaluate(self, at: Floats) -> Point: ...


class Climb(NamedTuple):
    """The result of an ascent. `escape` is the direction of unbounded increase of the likelihood, None if none."""

    point: Point
    converged: bool
    escape: Floats | None
    iterations: int


def spread_evenly(n: int, most: int) -> NDArray[np.intp]:
    """About `most` of n places, by a multiplicative hash of each."""
    place = (np.arange(n, dtype=np.uint64) * np.uint64(2654435761)) % np.uint64(2**32)
    return np.flatnonzero(place < np.uint64(2**32 * most // n))


def blocks(n: int) -> Iterator[slice]:
    return (slice(start, min(start + _BLOCK, n)) for start in range(0, n, _BLOCK))


def orthonormal(columns: Floats, weights: Floats) -> tuple[Floats, bool]:
    """R (p, p), with columns' R^-1 orthonormal under the weights, summing to their sum; whether columns are dependent.

    The diagonal is not negative, so that a constant first column stays 1.

    Of columns that are far from dependent R is Cholesky's. Else triangles of blocks are stacked and reduced again, so R
    is as accurate as one QR of the whole (Demmel et al. 2012).
    """
    gram = sum((columns[:, s] * weights[s]) @ columns[:, s].T for s in blocks(weights.size)) / weights.sum()
    lengths = np.sqrt(np.diag(gram))
    if lengths.min() > 0 and np.linalg.eigvalsh(gram / np.outer(lengths, lengths))[0] > _FAR:
        return np.ascontiguousarray(np.linalg.cholesky(gram).T), False
    root = np.sqrt(weights)
    triangles = [np.linalg.qr((columns[:, s] * root[s]).T, mode="r") for s in blocks(weights.size)]
    triangle = np.linalg.qr(np.vstack(triangles), mode="r") / np.sqrt(weights.sum())
    square = np.zeros((len(columns), len(columns)))
    square[: len(triangle)] = triangle * np.where(np.diag(triangle) < 0, -1.0, 1.0)[:, None]
    lengths = np.linalg.norm(square, axis=0)
    scaled = square / np.where(lengths > 0, lengths, 1.0)
    spectrum = np.linalg.svd(scaled, compute_uv=False)
    return square, bool(spectrum[-1] < _DEPENDENT * spectrum[0])


def log_likelihoods(sample: Sample, places: Floats) -> Floats:
    """The log likelihood at each of many points (rows), for a quick search on few observations."""
    found = np.empty(len(places))
    size = max(_LOOKED // sample.weights.size, 1)
    for start in range(0, len(places), size):
        share_yes, share_no = sample.link.shares(places[start : start + size] @ sample.basis)
        likelihood = sample.chance_no * share_no
        likelihood += sample.chance_yes * share_yes
        with np.errstate(divide="ignore"):
            found[start : start + size] = np.log(likelihood, out=likelihood) @ sample.weights
    return found


def climb(sample: Likelihood, start: Floats, unit: float, known: Sequence[Climb] = ()) -> Climb:
    """Maximize by Newton's method from `start`: absolute eigenvalues for ascent, steps halved until they gain.

    Within a tenth of a standard error of the summit of one of the `known` climbs it is that climb.

    `unit` is the information that counts as one respondent's. The climb ends where the next step is below 1e-7
    standard errors (and takes it), or in a direction without information, in which it would never end. A step may be
    at most `reach` long, which doubles whenever a step that long pays.
    """
    point, reach = sample.evaluate(start), _FIRST_REACH
    for iteration in range(_STEPS):
        step, gain, least = _newton_step(point)
        if gain < _CLOSE * unit or (least < _FLAT * unit and gain < _FLAT * unit):
            return _finish(sample, point, step, unit, iteration)
        longest = min(1.0, reach / float(np.linalg.norm(step)))
        further, scale = _paid_step(sample, point, step, gain, longest)
        if further is None:
            return Climb(point, gain < _FLAT * unit and least > _FLAT * unit, None, iteration)
        point, reach = further, reach * (2.0 if scale == longest else 1.0)
        for other in known:
            away = point.at - other.point.at
            if other.converged and float(away @ other.point.information @ away) < _BESIDE * unit:
                return other
    return Climb(point, False, None, _STEPS)


def climb_all(sample: Likelihood, starts: Iterable[Floats], unit: float) -> list[Climb]:
    """The climbs from all starts."""
    found: list[Climb] = []
    known: list[Climb] = []
    for start in starts:
        found.append(climb(sample, start, unit, known))
        known += [one for one in found[-1:] if all(one is not other for other in known)]
    return found


def highest(fits: Sequence[Climb], unit: float) -> tuple[Climb, int]:
    """The best of several climbs, one that converged where there is one, and the number of summits within 0.5 of it."""
    ordered = sorted(fits, key=lambda fit: (-fit.point.log_likelihood, not fit.converged))
    gaps = [ordered[0].point.log_likelihood - fit.point.log_likelihood for fit in ordered]
    near = (fit for fit, gap in zip(ordered, gaps, strict=True) if fit.converged and gap < 1e-6 * unit)
    best = next(near, ordered[0])
    distances = {round(abs(best.point.log_likelihood - fit.point.log_likelihood) / unit, 4) for fit in ordered}
    return best, sum(distance < 0.5 for distance in distances)


def _newton_step(point: Point) -> tuple[Floats, float, float]:
    """The Newton step, twice its predicted gain, and the smallest eigenvalue of the information."""
    values, vectors = np.linalg.eigh(point.information)
    size = np.abs(values)
    size = np.maximum(size, 1e-13 * size.max() + 1e-100)
    step = vectors @ ((vectors.T @ point.gradient) / size)
    return step, float(point.gradient @ step), float(values[0])


def _paid_step(sample: Likelihood, point: Point, step: Floats, gain: float, scale: float) -> tuple[Point | None, float]:
    """Backtracking line search from `scale`: the first sufficient increase of the log likelihood; None if none."""
    noise = 1e-14 * abs(point.log_likelihood)
    for _ in range(40):
        further = sample.evaluate(point.at + scale * step)
        if further.log_likelihood >= point.log_likelihood + 1e-4 * scale * gain - noise:
            return further, scale
        scale /= 2
    return None, scale


def _finish(sample: Likelihood, point: Point, step: Floats, unit: float, iteration: int) -> Climb:
    """Take the last small step, or return the direction in which the likelihood is unbounded."""
    values, vectors = np.linalg.eigh(point.information)
    if values[0] >= _FLAT * unit:
        return Climb(sample.evaluate(point.at + step), True, None, iteration + 1)
    flat = vectors[:, values < _FLAT * unit]
    escape = flat @ (flat.T @ step)
    length = float(np.linalg.norm(escape))
    if length == 0:
        return Climb(point, False, None, iteration)
    further = sample.evaluate(point.at + escape * max(_JUMP / length, _JUMP))
    rises = further.log_likelihood >= point.log_likelihood - 1e-9 * unit
    return Climb(further if rises else point, False, escape, iteration + 1)


def best_share(no: Floats, yes: Floats, mass: Floats) -> tuple[float, float]:
    """The share of yes that maximizes sum mass log(no (1 - share) + yes share) on [0, 1], and that maximum.

    Concave in the share, so the sign of its slope at the ends decides and a root of the slope is the answer.
    """

    def slope(share: float) -> float:
        return float(mass @ ((yes - no) / (no * (1 - share) + yes * share)))

    low, high = 1e-300, 1.0 - 2.0**-53
    if slope(low) <= 0:
        share = 0.0
    elif slope(high) >= 0:
        share = 1.0
    else:
        share = float(scipy.optimize.brentq(slope, low, high, xtol=1e-300, rtol=4 * np.finfo(float).eps, maxiter=2000))
    return share, float(mass @ np.log(no * (1 - share) + yes * share))
