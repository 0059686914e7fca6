"""Regression of a randomized yes/no answer with random intercepts, and poststratification to a census table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from randomized_response import _logistic
from randomized_response import _scipy as scipy
from randomized_response._checks import as_count, as_level
from randomized_response._diagnostics import (
    Diagnostic,
    LikelihoodFit,
    LikelihoodRatio,
    collinear,
    separation,
    several_optima,
)
from randomized_response._labels import matched
from randomized_response._links import LINKS, LinkName
from randomized_response._newton import orthonormal
from randomized_response._quadrature import GroupedSample, Maximum, maximize, posterior
from randomized_response._rows import Channels, CovariateRows, Missing, fold, read_like, read_rows
from randomized_response.errors import ParameterError
from randomized_response.results import TableResult

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

DRAWS = 10_000
"""Draws from the approximate posterior behind intercepts and areas."""

_AT_ONCE = 2_000_000
"""Draws times cells whose shares are computed together."""

_NEAR = 4.0
"""How far on the basis a climb starts where the likelihood of one intercept has no end."""
_MOVED = 1e-3
"""A coefficient that a direction moves by less than this part of its length is not moved."""


@dataclass(frozen=True, eq=False, repr=False)
class AreaEstimate(TableResult):
    """Shares of true yes in areas, from the model and the cells of a census. Made by `MultilevelFit.poststratify`.

    Attributes
    ----------
    areas : tuple
        Labels, the whole population last as "all".
    estimate, standard_error, low, high : arrays
        Mean, standard deviation and equal-tailed limits of the approximate posterior.
    population : array
        The sum of the cells' counts.
    confidence : float
    """

    areas: tuple[Any, ...]
    estimate: Floats
    standard_error: Floats
    low: Floats
    high: Floats
    population: Floats
    confidence: float

    def columns(self) -> Mapping[str, Sequence[Any] | Floats]:
        """A row for each area."""
        return {
            "area": self.areas, "estimate": self.estimate, "standard_error": self.standard_error, "low": self.low,
            "high": self.high, "population": self.population,
        }  # fmt: skip

    def __str__(self) -> str:
        width = max(4, *(len(str(area)) for area in self.areas))
        lines = [f"{'area':{width}}  estimate  std. error     low    high  population"]
        rows = zip(*self.columns().values(), strict=True)
        lines += [f"{a!s:{width}}  {e:8.4f}  {s:10.4f}  {w:6.4f}  {h:6.4f}  {n:10.0f}" for a, e, s, w, h, n in rows]
        return "\n".join(lines)

    __repr__ = __str__


@dataclass(frozen=True, eq=False, repr=False)
class MultilevelFit(LikelihoodFit):
    """The result of `multilevel_regression`. Arrays are read-only; coefficients follow `names`, the intercept first.

    Attributes
    ----------
    coefficients, standard_errors, covariance :
        Of the fixed part, on the scale of the link; a coefficient without end is infinite, its errors NaN.
    sigma, sigma_standard_error : float
        Standard deviation of the groups' intercepts. 0, and NaN, where the groups are not found to differ.
    groups : tuple
        Labels, in order.
    group_effects, group_standard_errors : arrays
        Mean and standard deviation of each group's intercept in the draws.
    log_likelihood : float
        Marginal: of all reports, the intercepts integrated out.
    variation : LikelihoodRatio
        The test of sigma = 0: half of the probability is at 0 (Self & Liang 1987).
    converged : bool
        Whether all coefficients are finite. Areas hold with infinite ones, too.
    diagnostics : tuple of Diagnostic
        Named "no variation", "separation", "several optima", "not identified" or "no finite maximum"; empty if none.
    n, dropped : int
    """

    sigma: float
    sigma_standard_error: float
    groups: tuple[Any, ...]
    group_effects: Floats
    group_standard_errors: Floats
    log_likelihood: float
    variation: LikelihoodRatio
    link: LinkName
    converged: bool
    diagnostics: tuple[Diagnostic, ...]
    n: int
    dropped: int
    draws: Floats = field(repr=False)
    """Of the coefficients, sigma and the groups' intercepts, shape (DRAWS, p + 1 + 1 + groups)."""

    @property
    def parameters(self) -> int:
        """Number of parameters that were estimated: the coefficients and sigma."""
        return len(self.names) + 1

    @property
    def intraclass_correlation(self) -> float:
        """Share of the latent variance that is between groups; the link's own variance is within them."""
        within = {"logit": np.pi**2 / 3, "probit": 1.0, "cloglog": np.pi**2 / 6}[self.link]
        return float(self.sigma**2 / (self.sigma**2 + within))

    def poststratify(
        self,
        covariates: ArrayLike,
        groups: ArrayLike,
        counts: ArrayLike,
        *,
        by: ArrayLike | None = None,
        confidence: float = 0.95,
    ) -> AreaEstimate:
        """Estimate the share of true yes in each area of a population from its census table.

        Parameters
        ----------
        covariates : array of shape (cells, p)
            Of each cell of the table, as in the fit; of a data frame by the names of its columns.
        groups : array of shape (cells,)
            The group of each cell; one that was not in the fit has a new intercept, as uncertain as sigma says.
        counts : array of shape (cells,)
            People in each cell; non-negative.
        by : array of shape (cells,), optional
            The area of each cell; its group by default.
        confidence : float

        Returns
        -------
        AreaEstimate

        Raises
        ------
        ValueError
            Naming the argument; where the fit has no coefficients.

        References
        ----------
        Gelman, A. & Little, T. C. (1997). Poststratification into many categories using hierarchical logistic
        regression. Survey Methodology 23, 127-135.
        """
        level = as_level(confidence)
        table = read_like(covariates, self.names[1:])
        people = _read_counts(counts, len(table))
        areas = np.asarray(groups if by is None else by)
        if areas.shape != (len(table),):
            raise ParameterError("by", f"must have one area per cell, shape ({len(table)},); got shape {areas.shape}")
        labels, place = np.unique(areas, return_inverse=True)
        inside = np.zeros((len(labels) + 1, len(table)))
        inside[place.ravel(), np.arange(len(table))] = people
        inside[-1] = people
        sizes = inside.sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            found = self._averages(table, np.asarray(groups), inside / sizes[:, None])
        low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2], axis=0)
        names = (*labels.tolist(), "all")
        return AreaEstimate(names, found.mean(axis=0), found.std(axis=0), low, high, sizes, level)

    def _averages(self, table: Floats, groups: NDArray[Any], parts: Floats) -> Floats:
        """The share of yes in each area, which `parts` (areas, cells) make of cells, in each draw: (DRAWS, areas)."""
        if self.draws.size == 0:
            raise ParameterError("fit", "must have coefficients to predict from; see its diagnostics")
        if groups.shape != (len(table),):
            raise ParameterError("groups", f"must have one label per cell, shape ({len(table)},); got {groups.shape}")
        p = len(self.names)
        place = {label: at for at, label in enumerate(self.groups)}
        labels, code = np.unique(groups, return_inverse=True)
        source = np.random.default_rng(0)
        effects = np.empty((DRAWS, labels.size))
        for at, label in enumerate(labels.tolist()):
            known = place.get(label)
            fresh = self.draws[:, p] * source.normal(size=DRAWS)
            effects[:, at] = fresh if known is None else self.draws[:, p + 1 + known]
        design = np.column_stack([np.ones(len(table)), table])
        found, at_once = np.empty((DRAWS, len(parts))), max(1, _AT_ONCE // len(table))
        for first in range(0, DRAWS, at_once):
            some = slice(first, first + at_once)
            eta = self.draws[some, :p] @ design.T + effects[some, code.ravel()]
            found[some] = LINKS[self.link].shares(eta)[0] @ parts.T
        return found

    def _around_table(self) -> tuple[list[str], list[str]]:
        title = f"Random intercepts through randomized response: {self.link}, {len(self.groups)} groups"
        spread = f"sigma = {self.sigma:.4f} (std err {self.sigma_standard_error:.4f}), against none: {self.variation}"
        criteria = f"log likelihood = {self.log_likelihood:.4f}, AIC = {self.aic:.2f}, BIC = {self.bic:.2f}"
        counts = f"n = {self.n}, dropped = {self.dropped}"
        return [title, counts], [spread, criteria, *(f"! {each}" for each in self.diagnostics)]


def multilevel_regression(
    covariates: ArrayLike,
    reports: ArrayLike,
    channel: Channels,
    groups: ArrayLike,
    names: Sequence[str] | None = None,
    *,
    link: LinkName = "logit",
    counts: ArrayLike | None = None,
    nodes: int = 21,
    missing: Missing = "error",
) -> MultilevelFit:
    """Regress a yes/no answer that was reported through a channel on covariates, each group with its own intercept.

    Model: as `logistic_regression`, with mu_i = F(b0 + x_i b + sigma u_g) and u_g standard normal, one for each group:

        log L = sum_g log integral prod_{i in g} ( P(y_i | 0) (1 - mu_i) + P(y_i | 1) mu_i ) phi(u) du,

    by adaptive Gauss-Hermite quadrature; coefficients and sigma are where it is highest.

    Parameters
    ----------
    covariates, reports, channel, names, counts, link, missing :
        As for `logistic_regression`; covariates of groups are constant within them.
    groups : array of shape (n,)
        Labels of at least 2 groups; 10 and more to know sigma by.
    nodes : int
        Points of the quadrature in each group, 9 to 50.

    Returns
    -------
    MultilevelFit

    Raises
    ------
    ValueError
        Naming the argument, the bound and the value.

    Notes
    -----
    The covariance is the inverse of the information of coefficients and sigma together. Intercepts and areas are
    Bayesian, with 10,000 draws: sigma from its posterior on a grid (prior: Student's t, 3 degrees of freedom, scale
    2.5, cut at 0), coefficients normal given sigma (prior: normal, 5 for a standard deviation of a covariate),
    intercepts normal given both (Rue, Martino & Chopin 2009). So they hold where the maximum has sigma 0 or infinite
    coefficients, too. By the chance of the draws the mean of an area is 1 % of its standard deviation off, a 95 % limit
    3 %. How often their intervals cover: docs/evidence/models.md.
    Sampling weights are not taken: put what they depend on among the covariates, and poststratify.

    References
    ----------
    Liu, Q. & Pierce, D. A. (1994). A note on Gauss-Hermite quadrature. Biometrika 81, 624-629. Fox, J.-P. (2005).
    Randomized item response theory models. J. Educational and Behavioral Statistics 30, 189-212. Self, S. G. & Liang,
    K.-Y. (1987). Asymptotic properties of maximum likelihood estimators under nonstandard conditions. JASA 82, 605-610.
    Rue, H., Martino, S. & Chopin, N. (2009). Approximate Bayesian inference for latent Gaussian models. JRSS B 71,
    319-392. Gelman, A. (2006). Prior distributions for variance parameters in hierarchical models. Bayesian Analysis 1.

    Examples
    --------
    >>> import numpy as np
    >>> from randomized_response import forced_response, simulate
    >>> generator, coins = np.random.default_rng(8), forced_response(truth="1/2")
    >>> area = np.repeat(np.arange(20), 100)
    >>> share = 1 / (1 + np.exp(1 - generator.normal(size=20)[area]))
    >>> reports = simulate(coins, (generator.random(2000) < share).astype(int), generator)
    >>> fit = multilevel_regression(np.empty((2000, 0)), reports, coins, area)
    >>> found = fit.poststratify(np.empty((20, 0)), np.arange(20), np.full(20, 1000))
    >>> fit.converged, len(found.areas), bool(0.5 < fit.sigma < 1.5)
    (True, 21, True)
    """
    if link not in LINKS:
        raise ParameterError("link", f"must be one of {', '.join(LINKS)}; got {link!r}")
    points = as_count(nodes, name="nodes", low=9, high=50)
    covariates, reports, channel, groups, counts = matched(
        covariates=covariates, reports=reports, channel=channel, groups=groups, counts=counts
    )
    labels = _read_groups(groups, len(np.asarray(reports)))
    rows = read_rows(
        covariates, reports, channel, weights=None, counts=counts, names=names, missing=missing, answers=2,
        clusters=labels,
    )  # fmt: skip
    return _fitted(fold(rows), np.unique(labels[rows.kept]), link, points)


def _read_groups(groups: ArrayLike, n: int) -> NDArray[Any]:
    labels = np.asarray(groups)
    if labels.shape != (n,):
        raise ParameterError("groups", f"must have one label per report, shape ({n},); got shape {labels.shape}")
    if len(np.unique(labels)) < 2:
        raise ParameterError("groups", f"must be at least 2; got {len(np.unique(labels))}")
    return labels


def _read_counts(counts: ArrayLike, cells: int) -> Floats:
    people = np.asarray(counts, dtype=np.float64)
    if people.shape != (cells,):
        raise ParameterError("counts", f"must have one entry per cell, shape ({cells},); got shape {people.shape}")
    if not (np.isfinite(people) & (people >= 0)).all() or people.sum() == 0:
        raise ParameterError("counts", "must be finite, at least 0, and of somebody")
    return people


def _fitted(rows: CovariateRows, groups: NDArray[Any], link: LinkName, nodes: int) -> MultilevelFit:
    assert rows.clusters is not None
    p, size = len(rows.columns), groups.size
    triangle, dependent = orthonormal(rows.columns, rows.weights)
    nothing, empty = np.full((p, p), np.nan), np.full(size, np.nan)
    if dependent:
        return _result(rows, groups, link, nothing[0], nothing, (np.nan, np.nan), (empty, empty), np.nan, np.nan,
                       (collinear(rows.names, triangle),), np.empty((0, 0)))  # fmt: skip
    inverse = np.asarray(np.linalg.inv(triangle), dtype=np.float64)
    no = rows.looked_up([table[0] for table in rows.tables])
    yes = rows.looked_up([table[1] for table in rows.tables])
    plain = _logistic.solve(rows, "observed", LINKS[link])
    sample = GroupedSample(inverse.T @ rows.columns, no, yes, rows.weights, rows.clusters, size, LINKS[link], nodes)
    reached = triangle @ np.nan_to_num(plain.reached)
    found, above = maximize(sample, reached if plain.converged else np.clip(reached, -_NEAR, _NEAR))
    if not found.converged:
        message = "the climb ended without a finite maximum: too few reports; no coefficients are given"
        return _result(rows, groups, link, nothing[0], nothing, (np.nan, np.nan), (empty, empty), np.nan, np.nan,
                       (Diagnostic("no finite maximum", message),), np.empty((0, 0)))  # fmt: skip
    coefficients, covariance, endless = _fixed_part(found, inverse)
    sigma, error, warnings = _spread(found)
    warnings = (*warnings, *several_optima(1, above))
    if endless.any():
        warnings = (*warnings, separation(name for name, moves in zip(rows.names, endless, strict=True) if moves))
    draws = posterior(sample, found, inverse, DRAWS)
    effects = draws[:, p + 1 :].mean(axis=0), draws[:, p + 1 :].std(axis=0)
    return _result(
        rows, groups, link, coefficients, covariance, (sigma, error), effects, found.marginal.log_likelihood,
        plain.log_likelihood, warnings, draws,
    )  # fmt: skip


def _fixed_part(found: Maximum, inverse: Floats) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """The coefficients, their covariance, and which of them have no end: infinite, their covariance NaN."""
    moved = inverse @ found.escape
    sizes = np.linalg.norm(inverse, axis=1)[:, None] * np.linalg.norm(found.escape, axis=0)
    endless = (np.abs(moved) > _MOVED * sizes).any(axis=1)
    coefficients = inverse @ found.at[:-1]
    part = inverse @ found.deviations[:-1]
    covariance = part @ part.T
    coefficients[endless] = np.copysign(np.inf, moved.sum(axis=1)[endless])
    covariance[endless, :] = covariance[:, endless] = np.nan
    return coefficients, covariance, endless


def _spread(found: Maximum) -> tuple[float, float, tuple[Diagnostic, ...]]:
    """Sigma and its standard error; 0 and NaN where it is not found to differ from 0."""
    if found.deviations[-1].any():
        return float(found.at[-1]), float(np.linalg.norm(found.deviations[-1])), ()
    message = "the groups do not differ more than chance lets them: sigma is 0, and the fit that of one intercept"
    return 0.0, float("nan"), (Diagnostic("no variation", message),)


def _result(
    rows: CovariateRows,
    groups: NDArray[Any],
    link: LinkName,
    coefficients: Floats,
    covariance: Floats,
    sigma: tuple[float, float],
    effects: tuple[Floats, Floats],
    height: float,
    plain: float,
    diagnostics: tuple[Diagnostic, ...],
    draws: Floats,
) -> MultilevelFit:
    statistic = max(2 * (height - plain), 0.0)
    test = LikelihoodRatio(statistic, 1, float(scipy.special.chdtrc(1, statistic)) / 2 if statistic > 0 else 1.0)
    if np.isnan(height):
        test = LikelihoodRatio(height, 1, height)
    return MultilevelFit(
        rows.names, coefficients, np.sqrt(np.diag(covariance)), covariance, *sigma, tuple(groups.tolist()), *effects,
        height, test, link, converged=bool(np.isfinite(coefficients).all()), diagnostics=diagnostics,
        n=rows.respondents, dropped=rows.dropped, draws=draws,
    )  # fmt: skip
