"""The likelihood of a random-intercept model seen through channels, by adaptive Gauss-Hermite quadrature.

Group g has the likelihood integral of prod_i L_i(eta_i + sigma u) phi(u) du. Its nodes are put about the mode of the
integrand, as wide as its curvature there (Liu & Pierce 1994), and the gradient is the mean of the score under the
weights of the nodes (Fisher's identity).
"""

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from randomized_response import _scipy as scipy
from randomized_response._links import Link

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

_STEPS = 30
_LEAST_CURVATURE = 0.2
_DROP, _LARGEST = 6.0, 10.0
_WIDE = 5.0
_CLOSE = 1e-4
"""A gain of the log likelihood that is left at a maximum; the gradient is the integral's to the nodes' precision."""
_SIGMAS = (0.3, 1.0, 3.0)
_TELLING, _SAME = 0.5, 1e-6
"""How much lower a finite maximum may be than a climb without end; climbs that differ by less have one summit."""
_NOTHING = 1e-3
"""A standard deviation of intercepts below this is none."""
_UNSURE, _JUMP = 5.0, 20.0
"""Standard error of a coefficient on the basis from which it may have no end, and how far it is followed to tell."""


_AT_ONCE = 100_000
"""Rows times nodes that are computed together: few calls for small samples, and little memory for large ones."""


@cache
def _rule(nodes: int) -> tuple[Floats, Floats]:
    """The points and weights of the Gauss-Hermite rule."""
    points, weights = np.polynomial.hermite.hermgauss(nodes)
    return points, weights


class Marginal(NamedTuple):
    """Log likelihood and its gradient by the coefficients and sigma; mean and variance of each group's u."""

    log_likelihood: float
    gradient: Floats
    means: Floats
    variances: Floats


@dataclass(frozen=True)
class GroupedSample:
    """Rows on a basis (p, n) with the chances of each report under no and yes, and the group of each row."""

    basis: Floats
    chance_no: Floats
    chance_yes: Floats
    weights: Floats
    group: Places
    groups: int
    link: Link
    nodes: int

    def rows_at(self, eta: Floats) -> tuple[Floats, Floats, Floats]:
        """Of each row the log likelihood, the score and the information, per unit of eta."""
        yes, no = self.link.shares(eta)
        first, second = self.link.slopes(eta, yes, no)
        likelihood = np.maximum(self.chance_no * no + self.chance_yes * yes, 1e-300)
        worth = (self.chance_yes - self.chance_no) / likelihood
        score = worth * first
        return np.log(likelihood), score, score * score - worth * second

    def sums(self, values: Floats) -> Floats:
        """By group, of (n,) or of several such at once, (m, n)."""
        weighted = self.weights * values
        many = weighted.size // self.group.size
        group = self.group if many == 1 else (self.group + self.groups * np.arange(many)[:, None]).ravel()
        found = np.bincount(group, weighted.ravel(), many * self.groups)
        return np.asarray(found, dtype=np.float64).reshape(*values.shape[:-1], self.groups)

    def modes(self, line: Floats, sigma: float) -> tuple[Floats, Floats]:
        """Where the integrand of each group is highest, and its curvature there (of minus its logarithm)."""
        at = np.zeros(self.groups)
        curvature = np.ones(self.groups)
        for _ in range(_STEPS):
            _, score, information = self.rows_at(line + sigma * at[self.group])
            slope = sigma * self.sums(score) - at
            curvature = np.maximum(1 + sigma**2 * self.sums(information), _LEAST_CURVATURE)
            step = np.minimum(np.maximum(slope / curvature, -1.5), 1.5)
            at = at + step
            if np.abs(step).max() < 1e-8:
                break
        return at, curvature

    def evaluate(self, at: Floats) -> Marginal:
        """The marginal likelihood at (coefficients, sigma)."""
        coefficients, sigma = at[:-1], float(at[-1])
        line = coefficients @ self.basis
        modes, curvature = self.modes(line, sigma)
        points, weights = _rule(self.nodes)
        width = np.sqrt(2 / curvature)
        places = modes + np.multiply.outer(points, width)
        heights, scores = np.empty((self.nodes, self.groups)), np.empty((self.nodes, line.size))
        at_once = max(1, _AT_ONCE // line.size)
        for first in range(0, self.nodes, at_once):
            some = slice(first, first + at_once)
            logs, scores[some], _ = self.rows_at(line + sigma * places[some, self.group])
            heights[some] = self.sums(logs)
        heights += (np.log(weights) + points**2)[:, None] - places**2 / 2
        highest = heights.max(axis=0)
        total = highest + np.log(np.exp(heights - highest).sum(axis=0))
        share = np.exp(heights - total)
        means = (share * places).sum(axis=0)
        variances = (share * (places - means) ** 2).sum(axis=0)
        each = share[:, self.group] * scores
        gradient = np.append(self.basis @ (self.weights * each.sum(axis=0)), 0.0)
        gradient[-1] = float(self.weights @ (each * places[:, self.group]).sum(axis=0))
        height = float((total + np.log(width)).sum()) - self.groups * 0.5 * float(np.log(2 * np.pi))
        return Marginal(height, gradient, means, variances)


class Maximum(NamedTuple):
    """The highest point found, and its marginal likelihood.

    `deviations` (p + 1, m) times its transpose is the covariance of coefficients and sigma; rows of 0 where sigma is 0.
    `escape` (p, q) are directions of the coefficients, orthonormal, in which the likelihood never falls.
    """

    at: Floats
    marginal: Marginal
    deviations: Floats
    escape: Floats
    converged: bool

    @property
    def finite(self) -> bool:
        return self.converged and self.escape.size == 0


def maximize(
    sample: GroupedSample, start: Floats, sigmas: tuple[float, ...] = (0.3, 1.0, 3.0)
) -> tuple[Maximum, float]:
    """Climb from these coefficients and several values of sigma, by BFGS; the best, and by how much another is higher.

    A finite maximum is the best while a climb without end is less than _TELLING higher.
    """
    scale = float(sample.weights.sum())

    def descent(at: Floats) -> tuple[float, Floats]:
        found = sample.evaluate(at)
        return -found.log_likelihood / scale, -found.gradient / scale

    fits = [
        scipy.optimize.minimize(
            descent, np.append(start, sigma), jac=True, method="BFGS", options={"gtol": 1e-9, "maxiter": 300}
        )
        for sigma in _SIGMAS
    ]
    ordered = sorted(fits, key=lambda fit: float(fit.fun))
    highest = _ended(sample, np.asarray(ordered[0].x))
    for fit in ordered[1:]:
        above = scale * float(fit.fun - ordered[0].fun)
        if highest.finite or above > _TELLING:
            break
        other = _ended(sample, np.asarray(fit.x)) if above > _SAME else highest
        if other.finite:
            return other, above
    return highest, 0.0


def _ended(sample: GroupedSample, at: Floats) -> Maximum:
    """What a climb that ended at this place has come to; sigma's sign has no meaning."""
    at = np.append(at[:-1], abs(at[-1]))
    marginal = sample.evaluate(at)
    information = _information(sample, at)
    gain = marginal.gradient @ np.linalg.pinv(information) @ marginal.gradient
    escape, firm = _escape(sample, at, marginal.log_likelihood, information)
    deviations, certain = _deviations(information, firm, bool(at[-1] > _NOTHING))
    return Maximum(at, marginal, deviations, escape, bool(abs(gain) < _CLOSE) and certain)


def _escape(sample: GroupedSample, at: Floats, height: float, information: Floats) -> tuple[Floats, Floats]:
    """Directions of little information in which the likelihood is as high far away, with their sign; and the others."""
    values, vectors = np.linalg.eigh(information[:-1, :-1])
    endless, firm = [], []
    for value, vector in zip(values, vectors.T, strict=True):
        ways = (vector, -vector) if value < _UNSURE**-2 else ()
        far = (sample.evaluate(at + _JUMP * np.append(way, 0.0)).log_likelihood for way in ways)
        rises = [height_there > height - _CLOSE for height_there in far]
        if any(rises):
            endless.append(ways[rises.index(True)])
        else:
            firm.append(vector)
    return (np.array(endless).reshape(-1, at.size - 1).T, np.array(firm).reshape(-1, at.size - 1).T)


def _deviations(information: Floats, firm: Floats, varies: bool) -> tuple[Floats, bool]:
    """A root of the covariance in firm directions, of sigma only where it `varies`; False without information."""
    p, m = firm.shape
    for used in (m + 1, m)[not varies :]:
        basis = np.zeros((p + 1, used))
        basis[:p, :m] = firm
        basis[p, m:] = 1
        values, vectors = np.linalg.eigh(basis.T @ information @ basis)
        if (values > 0).all():
            return np.asarray(basis @ vectors / np.sqrt(values)), True
    return np.zeros((p + 1, 0)), False


class Slice(NamedTuple):
    """The posterior given one value of sigma: its weight, and the normal parts of coefficients and intercepts.

    `moves` (groups, p) are derivatives of the intercepts' means by the coefficients.
    """

    sigma: float
    log_weight: float
    at: Floats
    covariance: Floats
    means: Floats
    deviations: Floats
    moves: Floats


def _slices(sample: GroupedSample, found: Maximum, count: int = 15) -> list[Slice]:
    """Posteriors given sigma on an even grid from 0 to where it is e^-6 times as likely as at best.

    Coefficients on the basis have normal priors of standard deviation 5 and are integrated out by Laplace's
    approximation (Rue, Martino & Chopin 2009); sigma has Student's t with 3 degrees of freedom and scale 2.5, cut at 0
    (Gelman 2006).
    """
    at, top = found.at[:-1], max(1.5 * float(found.at[-1]), 0.3)
    best = _slice(sample, at, max(float(found.at[-1]), 1e-3)).log_weight
    while top < _LARGEST and _slice(sample, at, top).log_weight > best - _DROP:
        top *= 1.4
    grid = np.linspace(top / count / 2, top, count)
    made: list[Slice] = []
    for sigma in grid:
        made.append(_slice(sample, made[-1].at if made else at, float(sigma)))
    return made


def _slice(sample: GroupedSample, start: Floats, sigma: float) -> Slice:
    scale = float(sample.weights.sum())

    def descent(at: Floats) -> tuple[float, Floats]:
        found = sample.evaluate(np.append(at, sigma))
        height = found.log_likelihood - float(at @ at) / (2 * _WIDE**2)
        return -height / scale, -(found.gradient[:-1] - at / _WIDE**2) / scale

    at = np.asarray(scipy.optimize.minimize(descent, start, jac=True, method="BFGS", options={"gtol": 1e-7}).x)
    step, rows, moves = 1e-4, [], []
    for one in np.eye(at.size) * step:
        ends = [sample.evaluate(np.append(at + side * one, sigma)) for side in (-1, 1)]
        rows.append((ends[0].gradient[:-1] - ends[1].gradient[:-1]) / (2 * step))
        moves.append(sigma * (ends[1].means - ends[0].means) / (2 * step))
    information = np.array(rows) + np.eye(at.size) / _WIDE**2
    values, vectors = np.linalg.eigh((information + information.T) / 2)
    values = np.maximum(values, 1 / _WIDE**2)
    marginal = sample.evaluate(np.append(at, sigma))
    prior = -2 * np.log1p((sigma / 2.5) ** 2 / 3) - at @ at / (2 * _WIDE**2)
    weight = marginal.log_likelihood - float(np.log(values).sum()) / 2 + float(prior)
    deviations = sigma * np.sqrt(marginal.variances)
    covariance = (vectors / values) @ vectors.T
    return Slice(sigma, weight, at, covariance, sigma * marginal.means, deviations, np.array(moves).T)


def _information(sample: GroupedSample, at: Floats, step: float = 1e-4) -> Floats:
    rows = []
    for one in np.eye(at.size) * step:
        rows.append((sample.evaluate(at - one).gradient - sample.evaluate(at + one).gradient) / (2 * step))
    table = np.array(rows)
    return np.asarray((table + table.T) / 2)


def posterior(sample: GroupedSample, found: Maximum, inverse: Floats, size: int) -> Floats:
    """Draws of coefficients, sigma and the groups' intercepts, shape (size, p + 1 + groups).

    `inverse` makes coefficients of those on the basis.
    """
    parts = _slices(sample, found)
    source = np.random.default_rng(0)
    weights = np.exp(np.array([part.log_weight for part in parts]) - max(part.log_weight for part in parts))
    share = source.multinomial(size, weights / weights.sum())
    width = parts[1].sigma - parts[0].sigma
    drawn = []
    for part, count in zip(parts, share, strict=True):
        values, vectors = np.linalg.eigh(part.covariance)
        shifts = source.normal(size=(count, values.size)) * np.sqrt(np.maximum(values, 0)) @ vectors.T
        effects = part.means + shifts @ part.moves.T + part.deviations * source.normal(size=(count, part.means.size))
        sigmas = part.sigma + width * (source.random(count) - 0.5)
        drawn.append(np.column_stack([(part.at + shifts) @ inverse.T, sigmas, effects]))
    return source.permutation(np.concatenate(drawn))
