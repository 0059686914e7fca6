"""The fit of `logistic_regression`: starting values, the best of several optima, covariances, diagnostics."""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from randomized_response import _newton
from randomized_response._diagnostics import Diagnostic, collinear, separation
from randomized_response._links import LOGIT, Link
from randomized_response._newton import Climb, Sample
from randomized_response._rows import CovariateRows, prior_root
from randomized_response._sandwich import between_clusters

Floats = NDArray[np.float64]
Information = Literal["observed", "expected", "opg", "robust", "cluster"]

_EDGE = 1e-4
_FEW, _FEWER = 5000, 400
_CUTS = 100
_SLOPES = (1.5, -1.5, 8.0, -8.0, 100.0, -100.0)
_TELLING = 0.5
"""An optimum is close to the best if twice the difference of their log likelihoods is less than 1."""
_LOOKS, _MIXTURES, _STEEP_CLIMBS = 1e6, 100, 20


class Solution(NamedTuple):
    """Coefficients (infinite or NaN where no estimate is finite), the last finite iterate, and its covariance."""

    coefficients: Floats
    reached: Floats
    covariance: Floats
    log_likelihood: float
    null_log_likelihood: float
    converged: bool
    iterations: int
    diagnostics: tuple[Diagnostic, ...]


def solve(rows: CovariateRows, information: Information, link: Link = LOGIT, prior: float | None = None) -> Solution:
    """Maximize the likelihood of (folded) rows, or with a prior the posterior density."""
    no = rows.looked_up([table[0] for table in rows.tables])
    yes = rows.looked_up([table[1] for table in rows.tables])
    share, null = _constant_only(rows)
    telling = no != yes
    aside = 0.0 if telling.all() else float(rows.weights[~telling] @ np.log(no[~telling]))
    informative = slice(None) if telling.all() else np.flatnonzero(telling)
    columns, weights = rows.columns[:, informative], rows.weights[informative]
    triangle, dependent = _newton.orthonormal(columns, weights)
    if dependent:
        nothing, warning = np.full_like(triangle, np.nan), collinear(rows.names, triangle)
        return Solution(nothing[0], nothing[0], nothing, float("nan"), null, False, 0, (warning,))
    inverse = np.asarray(np.linalg.inv(triangle), dtype=np.float64)
    unit = float(rows.weights.sum()) / rows.respondents
    precision = None if prior is None else _precision(prior_root(rows) @ inverse, unit / prior**2)
    sample = Sample(inverse.T @ columns, no[informative], yes[informative], weights, link, precision)
    fit, optima = _best_climb(sample, triangle, share, unit, saturated=prior is None and _is_saturated(columns))
    warnings = _diagnose(rows, sample, fit, inverse, share, optima)
    reached = inverse @ fit.point.at
    coefficients, spread = _with_infinities(reached, fit, inverse, unit)
    covariance = _covariance(rows, sample, fit, inverse, information, informative) if fit.converged else spread
    total = fit.point.log_likelihood + aside
    if precision is not None:
        total += float(fit.point.at @ precision @ fit.point.at) / 2
    return Solution(coefficients, reached, covariance, total, null, fit.converged, fit.iterations, warnings)


def _precision(root: Floats, scale: float) -> Floats:
    return np.asarray(root.T @ root * scale)


def _constant_only(rows: CovariateRows) -> tuple[float, float]:
    """The best common proportion and its log likelihood, from the weight of each report of each channel."""
    widest = max(table.shape[1] for table in rows.tables)
    place = rows.table_of * widest + rows.reports
    mass = np.bincount(place, rows.weights, len(rows.tables) * widest).astype(np.float64)
    no, yes = np.concatenate([np.pad(table, ((0, 0), (0, widest - table.shape[1]))) for table in rows.tables], axis=1)
    seen = mass > 0
    return _newton.best_share(no[seen], yes[seen], mass[seen])


def saturated(rows: CovariateRows) -> tuple[float, int]:
    """The log likelihood of a proportion of its own for every distinct row of covariates, and their number."""
    _, pattern = np.unique(rows.columns, axis=1, return_inverse=True)
    no = rows.looked_up([table[0] for table in rows.tables])
    yes = rows.looked_up([table[1] for table in rows.tables])
    order = np.argsort(pattern.ravel(), kind="stable")
    ends = np.flatnonzero(np.diff(pattern.ravel()[order])) + 1
    parts = np.split(order, ends)
    return sum(_newton.best_share(no[here], yes[here], rows.weights[here])[1] for here in parts), len(parts)


def _is_saturated(columns: Floats) -> bool:
    """Whether there are as few distinct rows of covariates as coefficients, so that each has a share of its own."""
    p, n = columns.shape
    return bool(n <= _FEWER and len(np.unique(columns.T, axis=0)) == p)


def _best_climb(sample: Sample, triangle: Floats, share: float, unit: float, *, saturated: bool) -> tuple[Climb, int]:
    """Maximize from every start on few rows, then from the best optima on all; return the best and the number.

    The likelihood is concave in the shares of a saturated model, so a finite maximum is the only one.
    """
    few = sample.thinned(_FEW)
    constant, sloped = _usual_starts(few, triangle[:, 0], share)
    if saturated or constant.size == 1:
        only = _newton.climb(sample, constant, unit)
        if only.converged or constant.size == 1:
            return only, 1
    starts = [constant, sloped, *_steep_starts(few.thinned(_FEWER), triangle)]
    summits = _different(_newton.climb_all(few, starts, unit), unit)
    if few is sample:
        return summits[0], _rivals(summits, unit)
    near = [fit.point.at for fit in summits if fit.converged][:2]
    final = _different(_newton.climb_all(sample, near or [constant, sloped], unit), unit)
    return final[0], _rivals(final, unit)


def _usual_starts(sample: Sample, ones: Floats, share: float) -> tuple[Floats, Floats]:
    """Starting values: the best constant, and one scoring step from it (least squares of debiased reports).

    `ones` are the coordinates of the constant.
    """
    inside = min(max(share, 0.02), 0.98)
    level = sample.link.quantile(inside)
    constant = ones * level
    mixed = sample.chance_no * (1 - inside) + sample.chance_yes * inside
    slope, _ = sample.link.slopes(*(np.array([one]) for one in (level, inside, 1 - inside)))
    score = (sample.chance_yes - sample.chance_no) * slope / mixed
    slopes = sample.basis @ (sample.weights * score) / float(sample.weights @ (score * score))
    return constant, constant + slopes * min(1.0, 3.0 / max(float(np.linalg.norm(slopes)), 1e-300))


def _steep_starts(few: Sample, triangle: Floats) -> list[Floats]:
    """Starting values with steep slopes, along each covariate and fixed mixtures, cut at several quantiles.

    Noise makes a likelihood with several summits, and the highest may be one where few rows change from 0 to 1.
    """
    p = len(triangle)
    cuts = _CUTS // (p - 1) + 1
    directions = _directions(triangle, int(_LOOKS / (len(_SLOPES) * cuts * few.weights.size)))
    levels = np.quantile(directions @ few.basis, (np.arange(cuts) + 0.5) / cuts, axis=1).T
    lines = directions[:, None, :] - levels[:, :, None] * triangle[:, 0]
    places = np.stack([slope * lines for slope in _SLOPES])
    heights = _newton.log_likelihoods(few, places.reshape(-1, p)).reshape(len(_SLOPES), -1)
    steepest = heights.argmax(axis=0)
    best = places.reshape(len(_SLOPES), -1, p)[steepest, np.arange(steepest.size)]
    height = heights.max(axis=0).reshape(len(directions), cuts)
    own = np.arange((p - 1) * cuts)
    mixed = np.arange(p - 1, len(directions)) * cuts + height[p - 1 :].argmax(axis=1)
    ranked = [group[np.argsort(-height.ravel()[group], kind="stable")[:_STEEP_CLIMBS]] for group in (own, mixed)]
    return list(best[np.concatenate(ranked)])


def _directions(triangle: Floats, mixtures: int) -> Floats:
    """Unit directions without the constant: every covariate, then from 4 to 100 fixed mixtures of them."""
    ones = triangle[:, 0]
    mixed = np.random.default_rng(1965).normal(size=(min(max(mixtures, 4), _MIXTURES), ones.size))
    directions = np.vstack([triangle[:, 1:].T, mixed])
    directions -= np.outer(directions @ ones, ones) / (ones @ ones)
    return np.asarray(directions / np.linalg.norm(directions, axis=1)[:, None])


def _rivals(summits: list[Climb], unit: float) -> int:
    """The number of optima that the data hardly distinguish from the best one."""
    return sum(_gap(summits[0], fit) < _TELLING * unit for fit in summits)


def _different(fits: list[Climb], unit: float) -> list[Climb]:
    """Distinct optima, best first; of those within 1e-6 (1e-3 if neither ends), one that converged."""
    ordered = sorted(fits, key=lambda fit: fit.point.log_likelihood, reverse=True)
    summits: list[Climb] = []
    for fit in ordered:
        same = []
        for i, other in enumerate(summits):
            near = 1e-6 if fit.escape is None or other.escape is None else 1e-3
            same += [i] * (_gap(other, fit) < near * unit)
        if not same:
            summits.append(fit)
        elif fit.converged and not summits[same[0]].converged and _gap(summits[same[0]], fit) < 1e-9 * unit:
            summits[same[0]] = fit
    return summits


def _gap(one: Climb, other: Climb) -> float:
    return abs(one.point.log_likelihood - other.point.log_likelihood)


def _with_infinities(reached: Floats, fit: Climb, inverse: Floats, unit: float) -> tuple[Floats, Floats]:
    """Set diverging coefficients to infinity, all to NaN if the iteration failed, and the covariance to NaN."""
    nothing = np.full_like(inverse, np.nan)
    if fit.converged:
        return reached, nothing
    if fit.escape is None:
        return np.full_like(reached, np.nan), nothing
    moved = inverse @ fit.escape
    size = np.linalg.norm(inverse, axis=1) * np.linalg.norm(fit.escape)
    endless = np.abs(moved) > 1e-6 * size
    values, vectors = np.linalg.eigh(fit.point.information)
    firm = values > 1e-6 * unit
    part = inverse @ vectors[:, firm]
    spread = part @ np.diag(1 / values[firm]) @ part.T
    spread[endless, :] = spread[:, endless] = np.nan
    return np.where(endless, np.copysign(np.inf, moved), reached), spread


def _covariance(
    rows: CovariateRows,
    sample: Sample,
    fit: Climb,
    inverse: Floats,
    information: Information,
    informative: slice | NDArray[np.intp],
) -> Floats:
    """The covariance of the coefficients: the inverse of the chosen information, or the sandwich."""
    if information == "observed":
        return inverse @ np.linalg.inv(fit.point.information) @ inverse.T
    eta = fit.point.at @ sample.basis
    share_yes, share_no = sample.link.shares(eta)
    slope, _ = sample.link.slopes(eta, share_yes, share_no)
    likelihood = sample.chance_no * share_no + sample.chance_yes * share_yes
    score = (sample.chance_yes - sample.chance_no) * slope / likelihood
    if information in ("robust", "cluster"):
        bread = inverse @ np.linalg.inv(fit.point.information)
        if information == "robust":
            return bread @ _gram(sample.basis, rows.squared_weights[informative] * score**2) @ bread.T
        assert rows.clusters is not None
        return bread @ between_clusters(sample.basis * (sample.weights * score), rows.clusters[informative]) @ bread.T
    if information == "opg":
        middle = _gram(sample.basis, sample.weights * score**2)
    else:
        each = _expected(rows, share_yes, share_no, slope, rows.table_of[informative])
        middle = _gram(sample.basis, sample.weights * each)
    return inverse @ np.linalg.inv(middle) @ inverse.T


def _gram(basis: Floats, weights: Floats) -> Floats:
    total = np.zeros((len(basis), len(basis)))
    for s in _newton.blocks(weights.size):
        total += (basis[:, s] * weights[s]) @ basis[:, s].T
    return total


def _expected(
    rows: CovariateRows, share_yes: Floats, share_no: Floats, slope: Floats, table_of: NDArray[np.intp]
) -> Floats:
    """Each row's expected information: sum over its reports y of (d mu')^2 / P(y), d = P(y|1) - P(y|0)."""
    each = np.zeros_like(share_yes)
    for place, table in enumerate(rows.tables):
        here = slice(None) if len(rows.tables) == 1 else np.flatnonzero(table_of == place)
        yes, no, first = share_yes[here], share_no[here], slope[here]
        each[here] = sum(
            (b - a) ** 2 * first**2 / (a * no + b * yes) for a, b in zip(table[0], table[1], strict=True) if a != b
        )
    return each


def _diagnose(
    rows: CovariateRows, sample: Sample, fit: Climb, inverse: Floats, share: float, optima: int
) -> tuple[Diagnostic, ...]:
    found = []
    if share in (0.0, 1.0):
        found.append(_boundary(share))
    if fit.escape is not None and not found:
        found.append(_endless(rows, sample, fit, inverse))
    if not fit.converged and fit.escape is None:
        steps = f"no step from the best of the starts raised the likelihood further ({fit.iterations} taken)"
        found.append(Diagnostic("did not converge", f"{steps}; the coefficients are not given"))
    if optima > 1:
        found.append(
            Diagnostic(
                "several optima",
                f"{optima} different summits are within {_TELLING} of the highest log likelihood; the highest is given",
            )
        )
    return tuple(found)


def _boundary(share: float) -> Diagnostic:
    return Diagnostic(
        "boundary",
        "the rate of reports lies at or beyond what the channel can produce: among models with a constant alone, the "
        f"likelihood is highest at a proportion of exactly {share:.0f}; tests and standard errors near it do not hold",
    )


def _endless(rows: CovariateRows, sample: Sample, fit: Climb, inverse: Floats) -> Diagnostic:
    """Diagnose coefficients without a finite estimate, and whether only some rows or all are at 0 or 1."""
    escape = fit.escape if fit.escape is not None else np.zeros(len(inverse))
    moved = np.abs(inverse @ escape) > 1e-6 * np.linalg.norm(inverse, axis=1) * np.linalg.norm(escape)
    share_yes, share_no = sample.link.shares(fit.point.at @ sample.basis)
    if max(share_yes.max(), 0.0) < _EDGE or share_no.max() < _EDGE:
        return _boundary(float(share_yes.max() > 0.5))
    return separation(name for name, moves in zip(rows.names, moved, strict=True) if moves)
