"""Regression of a randomized answer with several categories on known covariates: multinomial and ordinal."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from randomized_response import _scipy as scipy
from randomized_response._categorical import (
    CategoricalSample,
    Cumulative,
    Family,
    Multinomial,
    best_climb,
    common_shares,
)
from randomized_response._checks import as_count, as_labels, as_level, as_prior
from randomized_response._diagnostics import (
    Diagnostic,
    LikelihoodFit,
    LikelihoodRatio,
    collinear,
    likelihood_ratio,
    several_optima,
)
from randomized_response._links import LINKS, LinkName
from randomized_response._newton import Climb, orthonormal
from randomized_response._rows import Channels, CovariateRows, Missing, fold, prior_root, read_like, read_rows
from randomized_response._sandwich import Covariance, covariance_at
from randomized_response.errors import ParameterError
from randomized_response.margins import MarginalEffects, effects_of, steps_of
from randomized_response.results import Result

Floats = NDArray[np.float64]
Model = Literal["multinomial", "ordinal"]


@dataclass(frozen=True, eq=False)
class CategoricalPrediction(Result):
    """Shares of the answers for given covariates, arrays of shape (n, k); intervals are made on the logit scale.

    `means` are the averages over the rows, shape (k,), and `mean_standard_errors` their own.
    """

    proportions: Floats
    standard_errors: Floats
    low: Floats
    high: Floats
    means: Floats
    mean_standard_errors: Floats
    confidence: float


@dataclass(frozen=True, eq=False, repr=False)
class CategoricalFit(LikelihoodFit):
    """The result of `categorical_regression`. Arrays are read-only and follow `names`.

    Attributes
    ----------
    names : tuple of str
        Multinomial: for each answer but the reference "answer: intercept", "answer: covariate", ... Ordinal: the cuts
        "answer | next answer", then the covariates.
    coefficients, standard_errors, covariance : arrays of shape (q,), (q,), (q, q)
        Infinite, with NaN beside it, where the likelihood rises for ever; NaN where not identified.
    labels, covariate_names : tuples of str
        What the answers and the covariates are called.
    log_likelihood, null_log_likelihood : float
        Of this model and of the one with the same shares for everybody.
    likelihood_ratio : LikelihoodRatio
        The test of all slopes being 0; no p-value with weights or clusters.
    converged : bool
        True only where the coefficients are a finite maximum with an invertible information.
    diagnostics : tuple of Diagnostic
        Named "separation", "not identified", "did not converge" or "several optima"; empty if none. Where the log
        likelihood is higher without finite coefficients, but by less than 1.92, the finite ones are given.
    n, dropped : int
        Respondents used, and incomplete ones left out by `missing="drop"`.
    prior : float or None
        The scale of the priors; `log_likelihood` is without them.
    """

    model: Model
    labels: tuple[str, ...]
    covariate_names: tuple[str, ...]
    information: Covariance
    log_likelihood: float
    null_log_likelihood: float
    likelihood_ratio: LikelihoodRatio
    converged: bool
    diagnostics: tuple[Diagnostic, ...]
    iterations: int
    n: int
    dropped: int
    family: Family = field(repr=False)
    rows: CovariateRows = field(repr=False)
    prior: float | None = None

    def predict(self, covariates: ArrayLike, confidence: float = 0.95) -> CategoricalPrediction:
        """Predict the shares of the true answers for given covariates (as `LogisticFit.predict`), NaN without a fit."""
        columns, level = self._matrix(covariates), as_level(confidence)
        found = self.family.shares(self._finite, columns)
        slopes = self._derivatives(lambda at: self.family.shares(at, columns))
        errors, mean_errors = self._errors(slopes), self._errors(slopes.mean(axis=1))
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = scipy.special.ndtri((1 + level) / 2) * errors / (found * (1 - found))
        low, high = (scipy.special.expit(scipy.special.logit(found) + side * reach) for side in (-1, 1))
        return CategoricalPrediction(found.T, errors.T, low.T, high.T, found.mean(axis=1), mean_errors, level)

    def get_margeff(self, covariates: ArrayLike | None = None, *, dummy: bool = True) -> MarginalEffects:
        """Average marginal effects of every covariate on the share of every answer (as `LogisticFit.get_margeff`).

        Those on all answers sum to 0 for each covariate. Derivatives are central differences, right to about 1e-6.
        """
        columns, mass = self.rows.columns, self.rows.weights
        if covariates is not None:
            columns = self._matrix(covariates)
            mass = np.ones(columns.shape[1])
        steps = steps_of(columns[1:], dummy=dummy)
        moves = [_moved(columns, j, step=step) for j, step in enumerate(steps, start=1)]

        def effects(at: Floats) -> Floats:
            change = [(self.family.shares(at, high) - self.family.shares(at, low)) / by for low, high, by in moves]
            return np.asarray(np.array([one @ mass for one in change]) / mass.sum())

        names = [f"{label}: {name}" for name in self.covariate_names for label in self.labels]
        found, slopes = effects(self._finite).ravel(), self._derivatives(effects)
        every = [step for step in steps for _ in self.labels]
        return effects_of(names, found, slopes.reshape(found.size, -1), self.covariance, every)

    bounded = True

    @property
    def covariates(self) -> tuple[str, ...]:
        return self.covariate_names

    def margin(self, columns: Floats, share: Floats) -> tuple[Floats, Floats]:
        """The predicted shares averaged over people, for `predictive_margins`; NaN without a fit."""
        slopes = self._derivatives(lambda at: np.asarray(self.family.shares(at, columns) @ share))
        return self.family.shares(self._finite, columns) @ share, slopes

    @property
    def _finite(self) -> Floats:
        """The coefficients, all NaN where one of them is not finite."""
        return self.coefficients if self.converged else np.full_like(self.coefficients, np.nan)

    def _matrix(self, covariates: ArrayLike) -> Floats:
        """The columns of these covariates after the constant, shape (p + 1, n)."""
        table = read_like(covariates, self.covariate_names)
        return np.vstack([np.ones(len(table)), table.T])

    def _derivatives(self, function: Callable[[Floats], Floats]) -> Floats:
        """Central differences by the coefficients, in steps of a thousandth standard error; they are the last axis."""
        steps = np.diag(np.nan_to_num(self.standard_errors, nan=1.0, posinf=1.0) * 1e-3 + 1e-12)
        at = self._finite
        return np.stack([(function(at + one) - function(at - one)) / (2 * one.max()) for one in steps], axis=-1)

    def _errors(self, slopes: Floats) -> Floats:
        with np.errstate(invalid="ignore"):
            return np.asarray(np.sqrt(np.einsum("...i,ij,...j->...", slopes, self.covariance, slopes)))

    def _around_table(self) -> tuple[list[str], list[str]]:
        kind = f"{self.information} information" + ("" if self.prior is None else f", prior {self.prior:g}")
        title = f"{self.model.capitalize()} regression through randomized response ({kind})"
        counts = f"n = {self.n}, answers: {', '.join(self.labels)}, dropped = {self.dropped}"
        likelihood = f"log likelihood = {self.log_likelihood:.4f}, against the same shares: {self.likelihood_ratio}"
        criteria = f"AIC = {self.aic:.2f}, BIC = {self.bic:.2f}"
        return [title, counts], [likelihood, criteria, *(f"! {each}" for each in self.diagnostics)]


def categorical_regression(
    covariates: ArrayLike,
    reports: ArrayLike,
    channel: Channels,
    weights: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    *,
    model: Model = "multinomial",
    labels: Sequence[str] | None = None,
    reference: int = 0,
    link: LinkName = "logit",
    counts: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    missing: Missing = "error",
    prior: float | None = None,
) -> CategoricalFit:
    """Regress an answer with k categories that was reported through a channel on covariates that were not randomized.

    Model: respondents answer independently, and each report is drawn from the channel's row of the answer, so that
    log L = sum_i w_i log sum_x P(y_i | x) pi_x(x_i), with pi the shares of the answers:

        multinomial   pi_x proportional to exp(a_x + x_i b_x), a and b of the reference being 0
        ordinal       pi_0 + ... + pi_x = F(cut_x - x_i b), F the link's function: proportional odds with "logit"

    Parameters
    ----------
    covariates, reports, channel, weights, names, counts, clusters, missing, prior :
        As for `logistic_regression`. The channel has k >= 2 answers; None where the question was asked directly. Priors
        are of the intercept, or each cut, at the covariates' means, and of slopes; multinomial ones against the
        `reference`, on which they depend.
    model : {"multinomial", "ordinal"}
        Ordinal where the answers have an order, and covariates move all cuts alike; one slope for each covariate.
    labels : sequence of k str, optional
        What the answers are called; "0", "1", ... by default.
    reference : int
        The answer that multinomial coefficients compare with.
    link : {"logit", "probit", "cloglog"}
        F of the ordinal model. The multinomial one has none but the logit.

    Returns
    -------
    CategoricalFit
        The covariance is the inverse of the observed information; the sandwich with weights, with clusters theirs.

    Raises
    ------
    ValueError
        Naming the argument, the bound and the value.

    Notes
    -----
    With 2 answers the multinomial model is that of `logistic_regression`, which searches longer. The likelihood may
    have several summits: it is climbed from a flat start and eight seeded ones, and a summit within 0.5 of the highest
    is named in `diagnostics`. An answer that hardly anybody holds makes its coefficients endless; join it to another.

    References
    ----------
    McCullagh, P. (1980). Regression models for ordinal data. JRSS B 42, 109-142. McFadden, D. (1974). Conditional logit
    analysis of qualitative choice behavior. In Frontiers in Econometrics. Academic Press. van den Hout, A. & van der
    Heijden, P. G. M. (2004). The analysis of multivariate misclassified data with special attention to randomized
    response data. Sociological Methods & Research 32, 384-410.

    Examples
    --------
    >>> import numpy as np
    >>> from randomized_response import k_ary
    >>> group, report = np.repeat([0, 1], 600), np.tile(np.repeat([0, 1, 2], 200), 2)
    >>> report[:100] = 1
    >>> fit = categorical_regression(group, report, k_ary(3, truth="1/2"), model="ordinal")
    >>> fit.names, fit.predict([[0], [1]]).proportions.sum(axis=1).round(12)
    (('0 | 1', '1 | 2', 'x1'), array([1., 1.]))
    """
    rows = read_rows(
        covariates, reports, channel, weights=weights, counts=counts, names=names, missing=missing, answers=None,
        clusters=clusters,
    )  # fmt: skip
    answers = len(rows.tables[0])
    if any(len(table) != answers for table in rows.tables):
        raise ParameterError("channel", "must have the same number of answers in every row")
    family = _family(model, answers, reference, link)
    titles = as_labels(labels, answers)
    information: Covariance = "cluster" if clusters is not None else "robust" if weights is not None else "observed"
    as_prior(prior)
    return _fitted(fold(rows), rows, family, titles, information, prior)


def _family(model: Model, answers: int, reference: int, link: LinkName) -> Family:
    if model not in ("multinomial", "ordinal"):
        raise ParameterError("model", f"must be multinomial or ordinal; got {model!r}")
    if link not in LINKS:
        raise ParameterError("link", f"must be one of {', '.join(LINKS)}; got {link!r}")
    if model == "ordinal":
        return Cumulative(answers, LINKS[link])
    if link != "logit":
        raise ParameterError("link", f"must be logit in a multinomial model; got {link!r}")
    return Multinomial(answers, as_count(reference, name="reference", high=answers - 1))


def _fitted(
    rows: CovariateRows,
    given: CovariateRows,
    family: Family,
    labels: tuple[str, ...],
    information: Covariance,
    prior: float | None,
) -> CategoricalFit:
    names = _names(family, labels, rows.names)
    chances = np.array([rows.looked_up([table[x] for table in rows.tables]) for x in range(family.answers)])
    shares, null = common_shares(chances, rows.weights)
    triangle, dependent = orthonormal(rows.columns, rows.weights)
    q = family.size(len(rows.columns))
    coefficients, covariance = np.full(q, np.nan), np.full((q, q), np.nan)
    height, converged, iterations = np.nan, False, 0
    found: tuple[Diagnostic, ...] = (collinear(rows.names, triangle),)
    if not dependent:
        inverse = np.asarray(np.linalg.inv(triangle), dtype=np.float64)
        unit, transform = float(rows.weights.sum()) / rows.respondents, family.transform(inverse)
        root = family.prior_root(prior_root(rows)) @ transform
        precision = None if prior is None else root.T @ root * (unit / prior**2)
        sample = CategoricalSample(family, inverse.T @ rows.columns, chances, rows.weights, precision)
        fit, optima, above = best_climb(sample, shares, unit)
        height, converged, iterations = fit.point.log_likelihood, fit.converged, fit.iterations
        if precision is not None:
            height += float(fit.point.at @ precision @ fit.point.at) / 2
        coefficients = _with_infinities(transform, fit)
        if converged:
            covariance = transform @ covariance_at(sample, rows, fit, information) @ transform.T
        found = _diagnose(names, coefficients, fit, optima, above)
    with np.errstate(invalid="ignore"):
        errors = np.sqrt(np.diag(covariance))
    slopes = q - (family.answers - 1)
    test = likelihood_ratio(height, null, slopes)
    return CategoricalFit(
        names, coefficients, errors, covariance, "ordinal" if isinstance(family, Cumulative) else "multinomial", labels,
        rows.names[1:], information, height, null,
        test if information == "observed" and prior is None else replace(test, p_value=float("nan")),
        converged, found, iterations, given.respondents, given.dropped, family, rows, prior,
    )  # fmt: skip


def _names(family: Family, labels: tuple[str, ...], covariates: tuple[str, ...]) -> tuple[str, ...]:
    if isinstance(family, Cumulative):
        cuts = [f"{low} | {high}" for low, high in pairwise(labels)]
        return (*cuts, *covariates[1:])
    return tuple(f"{labels[x]}: {name}" for x in family.others for name in covariates)


def _with_infinities(transform: Floats, fit: Climb) -> Floats:
    """The coefficients, those without a finite estimate infinite; all NaN where the climb failed."""
    reached = transform @ fit.point.at
    if fit.converged:
        return reached
    if fit.escape is None:
        return np.full_like(reached, np.nan)
    moved = transform @ fit.escape
    endless = np.abs(moved) > 1e-6 * np.linalg.norm(transform, axis=1) * np.linalg.norm(fit.escape)
    return np.where(endless, np.copysign(np.inf, moved), reached)


def _diagnose(
    names: tuple[str, ...], coefficients: Floats, fit: Climb, optima: int, above: float
) -> tuple[Diagnostic, ...]:
    found = []
    if not fit.converged and fit.escape is None:
        steps = f"no step from the best of the starts raised the likelihood further ({fit.iterations} taken)"
        found.append(Diagnostic("did not converge", f"{steps}; the coefficients are not given"))
    elif not fit.converged:
        named = ", ".join(name for name, value in zip(names, coefficients, strict=True) if np.isinf(value))
        message = (
            f"the likelihood rises without end along {named}: an answer that no one, or everyone, of some rows gives"
        )
        found.append(Diagnostic("separation", message))
    return (*found, *several_optima(optima, above))


def _moved(columns: Floats, place: int, *, step: bool) -> tuple[Floats, Floats, float]:
    """The columns with one covariate lower and higher, and by how much they differ."""
    low, high = columns.copy(), columns.copy()
    if step:
        low[place], high[place] = 0.0, 1.0
        return low, high, 1.0
    size = max(float(columns[place].std()), 1e-300) * 1e-4
    low[place] -= size
    high[place] += size
    return low, high, 2 * size
