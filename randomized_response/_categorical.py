"""The likelihood of several answers seen through channels: multinomial and cumulative models.

For each row, L = sum_x P(y | x) pi_x with pi the model's shares of the answers at its linear predictions eta. With
r_x = P(y | x) pi_x / L, a multinomial logit has the score r - pi and the information (diag pi - pi pi^T) - (diag r -
r r^T). A cumulative model has pi_x = F(eta_x) - F(eta_{x-1}), eta_x = cut_x - slopes: with d_x the difference of P(y |
x) and P(y | x + 1), by L, its score is f(eta) d, its information the score's square less diag(f'(eta) d).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from randomized_response._links import Link
from randomized_response._newton import Climb, Point, blocks, climb, spread_evenly

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
Pieces = tuple[Floats, Floats, Floats]

_FEW, _SLOPED, _STEEP = 4000, 8, 2.0
_LOOKED, _DIRECTIONS, _CUTS, _CLIMBS, _SHARP = 200_000, (50, 400), 6, 8, 50.0
_PROMISING = 10.0
"""How far below a summit, in log likelihood, a start may be that is climbed: those that won were at most 8.4 below."""
_HARDLY = 1.92
"""Half of the .95 quantile of chi-squared with one degree of freedom."""
_LEAST_CHANCE = 1e-20
_LEAST = 0.005
_ROUNDS = 500


@dataclass(frozen=True)
class Multinomial:
    """A predictor for every answer but the reference: `coefficients` of shape (answers - 1, columns), row by row."""

    answers: int
    reference: int

    def size(self, columns: int) -> int:
        return (self.answers - 1) * columns

    @property
    def others(self) -> Places:
        return np.delete(np.arange(self.answers), self.reference)

    def shares(self, at: Floats, basis: Floats) -> Floats:
        """Shares of the answers, shape (answers, n)."""
        eta = np.zeros((self.answers, basis.shape[1]))
        eta[self.others] = at.reshape(self.answers - 1, -1) @ basis
        eta -= eta.max(axis=0)
        odds = np.exp(eta)
        return np.asarray(odds / odds.sum(axis=0))

    def pieces(self, at: Floats, basis: Floats, chances: Floats) -> Pieces:
        """The likelihood (n,), the scores (predictors, n), the information (predictors, predictors, n)."""
        shares = self.shares(at, basis)
        joint = chances * shares
        likelihood = joint.sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            after = (joint / likelihood)[self.others]
        before = shares[self.others]
        diagonal = np.eye(len(before))[:, :, None]
        spread = diagonal * (before - after) - before[:, None] * before + after[:, None] * after
        return likelihood, after - before, spread

    def gradient(self, scores: Floats, basis: Floats) -> Floats:
        return np.asarray((scores @ basis.T).ravel())

    def scores(self, scores: Floats, basis: Floats) -> Floats:
        """The score of every row for every coefficient, shape (coefficients, n)."""
        return np.asarray((scores[:, None] * basis).reshape(-1, basis.shape[1]))

    def information(self, spread: Floats, basis: Floats) -> Floats:
        p, q = len(basis), len(spread)
        found = np.empty((q, p, q, p))
        for j in range(q):
            for k in range(j, q):
                found[j, :, k] = (basis * spread[j, k]) @ basis.T
                found[k, :, j] = found[j, :, k]
        return found.reshape(q * p, q * p)

    def start(self, shares: Floats, columns: int) -> Floats:
        found = np.zeros((self.answers - 1, columns))
        found[:, 0] = np.log(shares[self.others] / shares[self.reference])
        return found.ravel()

    def stepped(self, at: Floats, answer: int, line: Floats) -> Floats:
        """The coefficients `at`, with `line` as the predictor of one answer against all others."""
        found = at.reshape(self.answers - 1, -1).copy()
        if answer == self.reference:
            found -= line
        else:
            found[self.others == answer] = line
        return np.asarray(found.ravel())

    def prior_root(self, root: Floats) -> Floats:
        """`prior_root` of the coefficients: the same for every answer but the reference."""
        return np.asarray(np.kron(np.eye(self.answers - 1), root), dtype=np.float64)

    def transform(self, inverse: Floats) -> Floats:
        """Coefficients of the covariates from those of the basis, whose columns are covariates times `inverse`."""
        return np.asarray(np.kron(np.eye(self.answers - 1), inverse), dtype=np.float64)


@dataclass(frozen=True)
class Cumulative:
    """One predictor with a cut between neighbouring answers: `coefficients` are the cuts, then the slopes."""

    answers: int
    link: Link

    def size(self, columns: int) -> int:
        return self.answers - 1 + columns - 1

    def predictors(self, at: Floats, basis: Floats) -> Floats:
        cuts, slopes = np.split(at, [self.answers - 1])
        return np.asarray(cuts[:, None] - slopes @ basis[1:])

    def shares(self, at: Floats, basis: Floats) -> Floats:
        eta = self.predictors(at, basis)
        below, above = self.link.shares(eta)
        n = basis.shape[1]
        low = np.vstack([np.zeros(n), below, np.ones(n)])
        high = np.vstack([np.ones(n), above, np.zeros(n)])
        # The difference of the smaller of the two tails keeps its digits.
        return np.where(low[1:] < 0.5, low[1:] - low[:-1], high[:-1] - high[1:])

    def pieces(self, at: Floats, basis: Floats, chances: Floats) -> Pieces:
        if (np.diff(at[: self.answers - 1]) <= 0).any():
            nothing = np.zeros(basis.shape[1])
            return nothing, nothing, nothing
        eta = self.predictors(at, basis)
        first, second = self.link.slopes(eta, *self.link.shares(eta))
        likelihood = (chances * self.shares(at, basis)).sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            step = (chances[:-1] - chances[1:]) / likelihood
        score = first * step
        diagonal = np.eye(len(score))[:, :, None]
        return likelihood, score, score[:, None] * score - diagonal * (second * step)

    def gradient(self, scores: Floats, basis: Floats) -> Floats:
        return np.concatenate([scores.sum(axis=1), -basis[1:] @ scores.sum(axis=0)])

    def scores(self, scores: Floats, basis: Floats) -> Floats:
        return np.vstack([scores, -basis[1:] * scores.sum(axis=0)])

    def information(self, spread: Floats, basis: Floats) -> Floats:
        cuts = spread.sum(axis=2)
        crossed = -spread.sum(axis=1) @ basis[1:].T
        slopes = (basis[1:] * spread.sum(axis=(0, 1))) @ basis[1:].T
        return np.block([[cuts, crossed], [crossed.T, slopes]])

    def start(self, shares: Floats, columns: int) -> Floats:
        cuts = [self.link.quantile(float(share)) for share in np.cumsum(shares)[:-1]]
        return np.concatenate([cuts, np.zeros(columns - 1)])

    def prior_root(self, root: Floats) -> Floats:
        """The cuts at the covariates' means, and slopes times their deviations."""
        cuts, slopes = self.answers - 1, len(root) - 1
        found = np.zeros((cuts + slopes, cuts + slopes))
        found[:cuts, :cuts] = np.eye(cuts)
        found[:cuts, cuts:] = -root[0, 1:]
        found[cuts:, cuts:] = root[1:, 1:]
        return found

    def transform(self, inverse: Floats) -> Floats:
        cuts, slopes = self.answers - 1, len(inverse) - 1
        found = np.zeros((cuts + slopes, cuts + slopes))
        found[:cuts, :cuts] = np.eye(cuts)
        found[:cuts, cuts:] = -inverse[0, 1:]
        found[cuts:, cuts:] = inverse[1:, 1:]
        return found


Family = Multinomial | Cumulative


@dataclass(frozen=True)
class CategoricalSample:
    """Rows on an orthonormal basis (p, n), the constant first; `chances` (answers, n) of each report.

    `precision` (q, q) is that of a normal prior about 0, as of `Sample`.
    """

    family: Family
    basis: Floats
    chances: Floats
    weights: Floats
    precision: Floats | None = None

    def evaluate(self, at: Floats) -> Point:
        """Log likelihood, gradient and observed information; minus infinity where a report becomes impossible."""
        total, gradient, information = 0.0, np.zeros(at.size), np.zeros((at.size, at.size))
        for s in blocks(self.weights.size):
            basis, weights = self.basis[:, s], self.weights[s]
            likelihood, scores, spread = self.family.pieces(at, basis, self.chances[:, s])
            if likelihood.min() <= 0:
                return Point(at, -np.inf, gradient, information)
            total += float(weights @ np.log(likelihood))
            gradient += self.family.gradient(scores * weights, basis)
            information += self.family.information(spread * weights, basis)
        return Point(at, total, gradient, information).under(self.precision)

    def scores(self, at: Floats) -> Floats:
        """The score of every row, unweighted, shape (coefficients, n)."""
        _, scores, _ = self.family.pieces(at, self.basis, self.chances)
        return self.family.scores(scores, self.basis)

    def thinned(self, most: int) -> "CategoricalSample":
        if self.weights.size <= most:
            return self
        chosen = spread_evenly(self.weights.size, most)
        basis, chances = (np.ascontiguousarray(table[:, chosen]) for table in (self.basis, self.chances))
        precision = None if self.precision is None else self.precision * (chosen.size / self.weights.size)
        return CategoricalSample(self.family, basis, chances, self.weights[chosen], precision)


def common_shares(chances: Floats, weights: Floats) -> tuple[Floats, float]:
    """The most likely shares of the answers if all respondents are alike, and their log likelihood, by EM.

    Rows of equal chances are put together; EM (Dempster, Laird & Rubin 1977) is stopped at a gain below 1e-10.
    """
    distinct, place = np.unique(chances, axis=1, return_inverse=True)
    mass = np.bincount(place.ravel(), weights)
    shares, before = np.full(len(chances), 1 / len(chances)), -np.inf
    for _ in range(_ROUNDS):
        likelihood = shares @ distinct
        height = float(mass @ np.log(likelihood))
        if height - before < 1e-10:
            break
        shares, before = shares * (distinct @ (mass / likelihood)) / mass.sum(), height
    return shares, height


def best_climb(sample: CategoricalSample, shares: Floats, unit: float) -> tuple[Climb, int, float]:
    """The highest summit, the number of summits within 0.5 of the highest, and by how much one without end is higher.

    Such a one is passed over for a finite one if the likelihood ratio hardly tells them apart: intervals from the
    finite one then hold the truth as often as they say.
    """
    inside = np.maximum(shares, _LEAST)
    flat = sample.family.start(inside / inside.sum(), len(sample.basis))
    if len(sample.basis) == 1:
        return climb(sample, flat, unit), 1, 0.0
    few = sample.thinned(_FEW)
    found = _all_summits(few, flat, unit)
    if few is not sample:
        least = found[0].point.log_likelihood - _PROMISING * unit
        near = [fit for fit in found if fit.point.log_likelihood >= least]
        tops = near[:2]
        if not any(fit.converged for fit in tops):
            tops += [fit for fit in near if fit.converged][:1]
        found = summits([climb(sample, fit.point.at, unit) for fit in tops], unit)
    below = [(found[0].point.log_likelihood - fit.point.log_likelihood) / unit for fit in found]
    finite = next((place for place, fit in enumerate(found) if fit.converged), 0)
    given = finite if below[finite] < _HARDLY else 0
    return found[given], sum(gap < 0.5 for gap in below), below[given]


def _all_summits(sample: CategoricalSample, flat: Floats, unit: float) -> list[Climb]:
    """Summits from a flat start and seeded slopes, then from sharp steps beside the two highest, highest first.

    Noise raises summits where a few rows alone give one answer, and all of them. A prior keeps such slopes low.
    """
    source = np.random.default_rng(1965)
    found = [climb(sample, flat, unit)]
    for _ in range(_SLOPED):
        found.append(climb(sample, flat + _STEEP * _sloped(sample, source), unit, found))
    looked: list[float] = []
    while isinstance(sample.family, Multinomial) and sample.precision is None:
        highest = [fit.point for fit in summits(found, unit)[:2]]
        new = [point for point in highest if not any(abs(point.log_likelihood - old) < 1e-4 * unit for old in looked)]
        if not new:
            break
        looked.append(new[0].log_likelihood)
        for start in _sharp_steps(sample, sample.family, new[0].at, unit):
            found.append(climb(sample, start, unit, found))
    return summits(found, unit)


def _sharp_steps(sample: CategoricalSample, family: Multinomial, at: Floats, unit: float) -> list[Floats]:
    """The best starts near `at` in which all rows beyond a cut, and no others, give one answer.

    Along a direction all cuts are looked at together: the rows in order, the gains of their log likelihoods added up.
    """
    few = sample.thinned(_LOOKED // _DIRECTIONS[0] // 4)
    directions = both_ways(len(few.basis), int(np.clip(_LOOKED // few.weights.size, *_DIRECTIONS)))
    places = directions @ few.basis
    order = np.argsort(-places, axis=1)
    shares = np.maximum(family.shares(at, few.basis), _LEAST_CHANCE)
    least = float(few.weights @ log_of((few.chances * shares).sum(axis=0))) - _PROMISING * unit
    ranked = []
    for answer in range(family.answers):
        rest = np.delete(np.arange(family.answers), answer)
        before = log_of((few.chances[rest] * shares[rest]).sum(axis=0) / shares[rest].sum(axis=0))
        gains = few.weights * (log_of(few.chances[answer]) - before)
        heights = np.cumsum(gains[order], axis=1)[:, :-1] + float(few.weights @ before)
        cuts = heights.argmax(axis=1)
        best = heights[np.arange(len(directions)), cuts]
        for i in np.argsort(-best)[: min(_CUTS, int((best > least).sum()))]:
            cut = places[i, order[i, cuts[i] : cuts[i] + 2]].mean()
            line = directions[i] - cut / few.basis[0, 0] * np.eye(len(few.basis))[0]
            ranked.append((best[i], answer, line))
    ranked.sort(key=lambda start: -start[0])
    return [family.stepped(at, answer, _SHARP * line) for _, answer, line in ranked[:_CLIMBS]]


def both_ways(columns: int, number: int) -> Floats:
    """Unit directions without the constant: every column and fixed mixtures of them, and their opposites."""
    found = np.vstack([np.eye(columns)[1:], np.random.default_rng(1965).normal(size=(number, columns))])
    found[:, 0] = 0
    found /= np.linalg.norm(found, axis=1)[:, None]
    return np.vstack([found, -found])


def log_of(chances: Floats) -> Floats:
    return np.asarray(np.log(np.maximum(chances, _LEAST_CHANCE)))


def _sloped(sample: CategoricalSample, source: np.random.Generator) -> Floats:
    """A random direction that leaves constants and cuts as they are."""
    direction = source.normal(size=sample.family.size(len(sample.basis)))
    if isinstance(sample.family, Multinomial):
        direction.reshape(-1, len(sample.basis))[:, 0] = 0
    else:
        direction[: sample.family.answers - 1] = 0
    return direction


def summits(fits: list[Climb], unit: float) -> list[Climb]:
    """Distinct summits, the highest first; of equal ones (to 1e-6, 1e-3 where neither ends) one that converged."""
    ordered = sorted(fits, key=lambda fit: (-fit.point.log_likelihood, not fit.converged))
    found: list[Climb] = []
    for fit in ordered:
        for place, other in enumerate(found):
            near = 1e-6 if fit.escape is None or other.escape is None else 1e-3
            if abs(other.point.log_likelihood - fit.point.log_likelihood) < near * unit:
                if fit.converged and not other.converged:
                    found[place] = fit
                break
        else:
            found.append(fit)
    return found
