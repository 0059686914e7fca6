"""The likelihood of an outcome whose predictor, an answer, is known through its report alone: a mixture over answers.

For each row, L = sum_a P(y | a) pi_a(x) f(z | x, a). With r_a the share of a in that sum, s_a and I_a the score and the
information of log pi_a + log f as if a were known, the score is s = sum_a r_a s_a and the information

    sum_a r_a I_a - sum_a r_a s_a s_a^T + s s^T        (Louis 1982, equation 3.2).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from randomized_response._categorical import Multinomial, both_ways, log_of, summits
from randomized_response._links import Link
from randomized_response._newton import Climb, Point, blocks, climb, climb_all, highest, orthonormal

Floats = NDArray[np.float64]

_SLOPES = (0.0, 1.5, -1.5, 4.0, -4.0)
"""Starting values of the answers' coefficients."""
_ROWS, _DIRECTIONS, _STARTS, _ROUNDS, _SHARP = 5000, 100, 6, 3, 30.0
_WITHIN = 10.0
"""How much higher a summit without end may be than the finite one that is given."""


class Units(NamedTuple):
    """What takes coefficients back to the units of covariates and outcome: of the basis, of the modifiers' basis."""

    inverse: Floats
    modifying: Floats
    scale: float = 1.0
    shift: float = 0.0


class Outcome(NamedTuple):
    """Of each row the log density of its outcome at a linear prediction, with the derivatives by it and log sigma.

    `score` and `information` have the shape (1 or 2, n) and (1 or 2, 1 or 2, n).
    """

    log_density: Floats
    score: Floats
    information: Floats


@dataclass(frozen=True)
class Binary:
    """A yes/no outcome, itself perhaps seen through a channel: `no` and `yes` are the chances of what was seen."""

    no: Floats
    yes: Floats
    link: Link
    extra = 0

    def at(self, eta: Floats, log_sigma: float, s: slice) -> Outcome:
        share_yes, share_no = self.link.shares(eta)
        likelihood = self.no[s] * share_no + self.yes[s] * share_yes
        first, second = self.link.slopes(eta, share_yes, share_no)
        with np.errstate(divide="ignore", invalid="ignore"):
            worth = (self.yes[s] - self.no[s]) / likelihood
            score = worth * first
            return Outcome(np.log(likelihood), score[None], (score * score - worth * second)[None, None])

    def start(self, weights: Floats) -> tuple[float, list[float]]:
        """A constant for everybody, from what was seen, and no further parameter."""
        share = float(weights @ (self.yes > self.no)) / float(weights.sum())
        return self.link.quantile(min(max(share, 0.05), 0.95)), []


@dataclass(frozen=True)
class Normal:
    """A number, normal about the linear prediction: `values` of mean 0 and variance about 1."""

    values: Floats
    extra = 1

    def at(self, eta: Floats, log_sigma: float, s: slice) -> Outcome:
        scaled = (self.values[s] - eta) * np.exp(-log_sigma)
        precision = float(np.exp(-log_sigma))
        score = np.array([scaled * precision, scaled * scaled - 1])
        crossed = 2 * scaled * precision
        information = np.array([[np.full_like(scaled, precision**2), crossed], [crossed, 2 * scaled * scaled]])
        return Outcome(-(scaled * scaled) / 2 - log_sigma - 0.5 * np.log(2 * np.pi), score, information)

    def start(self, weights: Floats) -> tuple[float, list[float]]:
        return 0.0, [0.0]


def basis_of(columns: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """What takes coefficients on an orthonormal basis of some columns to theirs, and the basis; of a constant that."""
    if len(columns) == 1:
        return np.eye(1), columns
    inverse = np.asarray(np.linalg.inv(orthonormal(columns, weights)[0]), dtype=np.float64)
    return inverse, inverse.T @ columns


@dataclass(frozen=True)
class LatentSample:
    """Rows on an orthonormal basis (p, n), the constant first; `chances` (k, n) of each report under each answer.

    The coefficients are those of the answer's multinomial model, then those of the outcome: of the basis, of e effects
    for each of the `modifiers` (m, n), the constant first, and log sigma where it is normal. `pattern` (k, e) is which
    effects add up to that of each answer; of the first none. `precision` is that of a normal prior about 0, as of
    `Sample`.
    """

    basis: Floats
    modifiers: Floats
    chances: Floats
    pattern: Floats
    outcome: Binary | Normal
    weights: Floats
    precision: Floats | None = None

    @property
    def answers(self) -> Multinomial:
        return Multinomial(len(self.chances), 0)

    @property
    def size(self) -> int:
        return len(self.chances) * len(self.basis) + self.effects + self.outcome.extra

    @property
    def effects(self) -> int:
        """The number of coefficients of the answers in the model of the outcome."""
        return len(self.modifiers) * int(self.pattern.shape[1])

    def evaluate(self, at: Floats) -> Point:
        """Log likelihood, gradient and observed information; minus infinity where a row becomes impossible."""
        total, gradient, information = 0.0, np.zeros(at.size), np.zeros((at.size, at.size))
        for s in blocks(self.weights.size):
            part = self._block(at, s)
            if part is None:
                return Point(at, -np.inf, gradient, information)
            total += part[0]
            gradient += part[1]
            information += part[2]
        return Point(at, total, gradient, information).under(self.precision)

    def scores(self, at: Floats) -> Floats:
        """The score of every row, unweighted, shape (coefficients, n)."""
        found = np.empty((at.size, self.weights.size))
        for s in blocks(self.weights.size):
            after, parts, _, _ = self._parts(at, s)
            found[:, s] = sum(share * part for share, part in zip(after, parts, strict=True))
        return found

    def posterior(self, at: Floats) -> Floats:
        """Of every row the probabilities of the answers given its report, outcome and covariates, shape (k, n)."""
        return np.hstack([self._parts(at, s)[0] for s in blocks(self.weights.size)])

    def _block(self, at: Floats, s: slice) -> tuple[float, Floats, Floats] | None:
        after, parts, height, outcomes = self._parts(at, s)
        if not np.isfinite(height).all():
            return None
        weights = self.weights[s]
        score = sum(share * part for share, part in zip(after, parts, strict=True))
        information = (score * weights) @ score.T
        for share, part in zip(after, parts, strict=True):
            information -= (part * (share * weights)) @ part.T
        self._add_complete(information, at, s, after * weights, weights, outcomes)
        return float(weights @ height), score @ weights, information

    def _parts(self, at: Floats, s: slice) -> tuple[Floats, list[Floats], Floats, list[Outcome]]:
        """Posterior shares (k, n), the score under each answer, the log likelihood and each answer's outcome."""
        basis, chances = self.basis[:, s], self.chances[:, s]
        k, p, n = len(chances), len(basis), basis.shape[1]
        gamma, rest = np.split(at, [(k - 1) * p])
        shares = self.answers.shares(gamma, basis)
        log_sigma = float(rest[-1]) if self.outcome.extra else 0.0
        effects = rest[p : p + self.effects].reshape(len(self.modifiers), -1)
        line = rest[:p] @ basis
        added = self.pattern @ effects.T @ self.modifiers[:, s]
        outcomes = [self.outcome.at(line + effect, log_sigma, s) for effect in added]
        with np.errstate(divide="ignore"):
            logs = np.log(chances * shares) + np.array([one.log_density for one in outcomes])
        top = logs.max(axis=0)
        with np.errstate(invalid="ignore"):
            odds = np.exp(logs - top)
        after = odds / odds.sum(axis=0)
        height = top + np.log(odds.sum(axis=0))
        parts = []
        for a, one in enumerate(outcomes):
            part = np.zeros((at.size, n))
            own = -shares[1:]
            if a:
                own = own.copy()
                own[a - 1] += 1
            part[: (k - 1) * p] = (own[:, None] * basis).reshape(-1, n)
            with np.errstate(invalid="ignore"):
                part[(k - 1) * p : k * p + self.effects] = one.score[0] * self._columns(a, s)
            part[k * p + self.effects :] = one.score[1:]
            parts.append(np.where(after[a] > 0, part, 0.0))
        return after, parts, height, outcomes

    def _columns(self, answer: int, s: slice) -> Floats:
        """What the coefficients of the outcome are multiplied by where this is the answer: basis, then effects."""
        own = self.modifiers[:, None, s] * self.pattern[answer][:, None]
        return np.vstack([self.basis[:, s], own.reshape(-1, own.shape[-1])])

    def _add_complete(
        self, information: Floats, at: Floats, s: slice, after: Floats, weights: Floats, outcomes: list[Outcome]
    ) -> None:
        """Add the expected information of the answers' model and of the outcome, as if answers were known."""
        basis = self.basis[:, s]
        k, p = len(after), len(basis)
        shares = self.answers.shares(at[: (k - 1) * p], basis)[1:]
        spread = np.eye(k - 1)[:, :, None] * shares - shares[:, None] * shares
        information[: (k - 1) * p, : (k - 1) * p] += self.answers.information(spread * weights, basis)
        line, sigma = slice((k - 1) * p, k * p + self.effects), -1
        for a, one in enumerate(outcomes):
            # An answer that is ruled out weighs 0, whatever its outcome's derivatives are.
            held = np.where(after[a] > 0, after[a] * np.nan_to_num(one.information), 0.0)
            columns = self._columns(a, s)
            information[line, line] += (columns * held[0, 0]) @ columns.T
            if self.outcome.extra:
                slope = columns @ held[0, 1]
                information[line, sigma] += slope
                information[sigma, line] += slope
                information[sigma, sigma] += held[1, 1].sum()

    def prior_root(self, root: Floats, places: Sequence[int]) -> Floats:
        """`prior_root` of the coefficients of a binary outcome; effects as they are, at the means of the modifiers.

        `places` are those of the modifiers among the columns of `root`.
        """
        k, p = len(self.chances), len(self.basis)
        found = np.zeros((self.size, self.size))
        found[: (k - 1) * p, : (k - 1) * p] = self.answers.prior_root(root)
        found[(k - 1) * p : k * p, (k - 1) * p : k * p] = root
        found[k * p :, k * p :] = np.kron(root[np.ix_(places, places)], np.eye(self.pattern.shape[1]))
        return found

    def transform(self, units: Units) -> tuple[Floats, Floats]:
        """A matrix and a vector: coefficients of covariates and outcome in their units are matrix @ those + vector."""
        k, p = len(self.chances), len(self.basis)
        found, moved = np.zeros((self.size, self.size)), np.zeros(self.size)
        found[: (k - 1) * p, : (k - 1) * p] = self.answers.transform(units.inverse)
        found[(k - 1) * p : k * p, (k - 1) * p : k * p] = units.inverse * units.scale
        moved[(k - 1) * p] = units.shift
        own = slice(k * p, k * p + self.effects)
        found[own, own] = np.kron(units.modifying * units.scale, np.eye(self.pattern.shape[1]))
        if self.outcome.extra:
            found[-1, -1] = 1.0
            moved[-1] = np.log(units.scale)
        return found, moved


def best_climb(sample: LatentSample, shares: Floats, unit: float) -> tuple[Climb, int, float]:
    """The highest of several summits, the number of those within 0.5 of it, and by how much one without end is higher.

    Of a few randomized outcomes summits without end, where cuts along some direction decide the outcome, are often the
    highest. They are noise: intervals from the finite one hold the truth, however much higher another is (ADR 48).
    """
    fits = _usual_climbs(sample, shares, unit)
    best, optima = highest(fits, unit)
    seen = sample.outcome
    if not isinstance(seen, Binary) or sample.precision is not None or sample.weights.size > _ROWS:
        return best, optima, 0.0
    if min(seen.no.min(), seen.yes.min()) == 0 or len(sample.basis) == 1:
        return best, optima, 0.0
    looked = best
    for _ in range(_ROUNDS):
        sharp = climb_all(sample, [start for _, start in _sharp_starts(sample, seen, looked.point.at, unit)], unit)
        fits += sharp
        highest_now = summits(fits, unit)[0]
        if highest_now.point.log_likelihood < looked.point.log_likelihood + 1e-4 * unit:
            break
        looked = highest_now
    found = summits(fits, unit)
    below = [(found[0].point.log_likelihood - fit.point.log_likelihood) / unit for fit in found]
    given = next((place for place, fit in enumerate(found) if fit.converged and below[place] < _WITHIN), 0)
    return found[given], sum(abs(gap - below[given]) < 0.5 for gap in below), below[given]


def _usual_climbs(sample: LatentSample, shares: Floats, unit: float) -> list[Climb]:
    """From a constant for everybody, and several effects of the answers."""
    p = len(sample.basis)
    inside = np.maximum(shares, 0.01)
    gamma = sample.answers.start(inside / inside.sum(), p)
    constant, extra = sample.outcome.start(sample.weights)
    fits = []
    for slope in _SLOPES:
        first = np.concatenate([[constant - slope / 2], np.zeros(p - 1)])
        effects = np.zeros((len(sample.modifiers), sample.pattern.shape[1]))
        effects[0] = slope
        fits.append(climb(sample, np.concatenate([gamma, first, effects.ravel(), extra]), unit))
    return fits


def _sharp_starts(sample: LatentSample, seen: Binary, at: Floats, unit: float) -> list[tuple[float, Floats]]:
    """The best starts near `at` in which a cut along some direction decides the outcome, with an effect another cut."""
    answers = at[: (len(sample.chances) - 1) * len(sample.basis)]
    joint = sample.chances * sample.answers.shares(answers, sample.basis)
    directions = both_ways(len(sample.basis), _DIRECTIONS)
    places = directions @ sample.basis
    order = np.argsort(places, axis=1)
    least = sample.evaluate(at).log_likelihood - _WITHIN * unit
    found = []
    for effect, rises in product(range(sample.pattern.shape[1]), (True, False)):
        held = joint[sample.pattern[:, effect] > 0].sum(axis=0)
        rest = joint.sum(axis=0) - held
        for height, i, first, last in _two_cuts(seen, (held, rest) if rises else (rest, held), sample.weights, order):
            if height < least:
                break
            line = directions[i].copy()
            effects = np.zeros((len(sample.modifiers), sample.pattern.shape[1]))
            early, late = _edge(places[i, order[i]], first), _edge(places[i, order[i]], last)
            line[0] = -late if rises else -early
            effects[0, effect] = late - early if rises else early - late
            found.append((height, np.concatenate([answers, _SHARP * line, _SHARP * effects.ravel()])))
    return sorted(found, key=lambda start: -start[0])[:_STARTS]


def _two_cuts(
    seen: Binary, crossing: tuple[Floats, Floats], weights: Floats, order: NDArray[np.intp]
) -> Iterator[tuple[float, int, int, int]]:
    """The best two cuts along each direction: their log likelihood, the direction, how many rows are below either.

    Nobody below the first says yes, everybody beyond the second does; of the rows between, those who cross first.
    """
    early, late = crossing

    def added(chances: Floats) -> Floats:
        return np.pad(np.cumsum((weights * log_of(chances))[order], axis=1), ((0, 0), (1, 0)))

    below, above = added((early + late) * seen.no), added((early + late) * seen.yes)
    between = added(early * seen.yes + late * seen.no)
    heights = np.maximum.accumulate(below - between, axis=1) + between - above + above[:, -1:]
    last = heights.argmax(axis=1)
    best = heights[np.arange(len(order)), last]
    for i in np.argsort(-best)[:_STARTS]:
        first = (below - between)[i, : last[i] + 1].argmax()
        yield float(best[i]), int(i), int(first), int(last[i])


def _edge(places: Floats, below: int) -> float:
    """Between the rows below a cut and the others; beyond the ends by 0.1."""
    if below == 0:
        return float(places[0]) - 0.1
    return float(places[below - 1 : below + 1].mean()) if below < places.size else float(places[-1]) + 0.1
