"""Regression of an outcome on a randomized answer: the answer as a predictor, known through its report alone."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from randomized_response import _scipy as scipy
from randomized_response._categorical import common_shares
from randomized_response._checks import as_prior
from randomized_response._combinations import Combinations, pattern_of, read_latent
from randomized_response._diagnostics import Diagnostic, LikelihoodFit, climbed, collinear
from randomized_response._latent import Binary, LatentSample, Normal, Units, basis_of, best_climb
from randomized_response._links import LINKS, LinkName
from randomized_response._newton import orthonormal
from randomized_response._rows import CovariateRows, Missing, prior_root
from randomized_response._sandwich import Covariance, covariance_at
from randomized_response.channel import Channel
from randomized_response.errors import ParameterError
from randomized_response.margins import Averages, LatentFit

Floats = NDArray[np.float64]
Model = Literal["linear", "logit", "probit", "cloglog"]
_CAUSES = (
    "an answer that nobody, or everybody, of some rows gives, an outcome that it decides, or too few reports to tell"
)


@dataclass(frozen=True, eq=False, repr=False)
class PredictorFit(LatentFit, LikelihoodFit):
    """The result of `predictor_regression`. Arrays are read-only and follow `names`.

    Attributes
    ----------
    names : tuple of str
        The outcome's "intercept" and covariates, "answer: label" for each answer but the reference (of several
        predictors "answer 1: label", ...), "answer: label × covariate" for each modifier; then the model of the answer,
        "label: intercept", "label: covariate", ...
    coefficients, standard_errors, covariance : arrays of shape (q,), (q,), (q, q)
        NaN without a finite maximum.
    effects : array of shape (k - 1,)
        The coefficients of the answers, against the reference: what they do to the outcome. Of several predictors those
        of the first, then of the second, ...: they add up. With modifiers, where all of these are 0: see `effects_at`.
    labels : tuple of str
        What the answers are called, the reference first; of several predictors their combinations, "label, label".
    sigma : float
        The outcome's standard deviation about the linear model; NaN where the outcome is yes or no.
    log_likelihood, aic, bic : float
        Without priors.
    converged : bool
    diagnostics : tuple of Diagnostic
        Named "no finite maximum", "not identified" or "several optima"; empty if none.
    n, dropped : int
    """

    model: Model
    labels: tuple[str, ...]
    information: Covariance
    sigma: float
    log_likelihood: float
    converged: bool
    diagnostics: tuple[Diagnostic, ...]
    iterations: int
    n: int
    dropped: int
    first: int = field(repr=False)
    sizes: Sequence[int] = field(repr=False)
    """How many answers each predictor has."""
    modifiers: Sequence[int] = field(repr=False)
    """The places of the columns that the effects are multiplied by, the intercept first."""

    @property
    def parameters(self) -> int:
        """Number of parameters that were estimated: the coefficients, and sigma of a linear model."""
        return len(self.names) + (self.model == "linear")

    @property
    def bounded(self) -> bool:
        return self.model != "linear"

    def _averages(self, people: Floats, scenarios: Sequence[tuple[Floats, Floats]], share: Floats) -> Averages:
        k, p = len(self.labels), self.first
        columns = np.vstack([np.ones(len(people)), people.T])
        gamma = self.coefficients[p + self.effect_table.size :].reshape(k - 1, p)
        own = np.asarray(scipy.special.softmax(np.vstack([np.zeros(len(people)), gamma @ columns]), axis=0))
        return [
            self._margin(np.vstack([np.ones(len(people)), moved.T]), columns, share, own, turn)
            for turn, moved in scenarios
        ]

    def _margin(self, moved: Floats, columns: Floats, share: Floats, own: Floats, turn: Floats) -> tuple[float, Floats]:
        """The average of a scenario, and its derivatives by the coefficients; `own` (k, n) are shares of answers.

        Who has an answer gives that of its row of `turn` (k, k) instead.
        """
        p, held = self.first, share * (turn.T @ own)
        modifiers = moved[list(self.modifiers)]
        eta = self.coefficients[:p] @ moved + self.pattern @ self.effect_table.T @ modifiers
        level, slope = eta, np.ones_like(eta)
        if self.model != "linear":
            yes, no = LINKS[self.model].shares(eta)
            level, slope = yes, LINKS[self.model].slopes(eta, yes, no)[0]
        by_eta = held * slope
        # The shares of the answers, and with them the average, move with the answers' model where they are kept.
        given = turn @ level
        by_gamma = (share * own * (given - (own * given).sum(axis=0)))[1:] @ columns.T
        by_effects = modifiers @ by_eta.T @ self.pattern
        slopes = np.concatenate([moved @ by_eta.sum(axis=0), by_effects.ravel(), by_gamma.ravel()])
        return float((held * level).sum()), slopes

    def _around_table(self) -> tuple[list[str], list[str]]:
        title = (
            f"Outcome on a randomized answer: {self.model} model ({self.information} information, 95 % Wald intervals)"
        )
        likelihood = f"log likelihood = {self.log_likelihood:.4f}, AIC = {self.aic:.2f}, BIC = {self.bic:.2f}"
        spread = [f"sigma = {self.sigma:.4f}"] if self.model == "linear" else []
        counts = f"n = {self.n}, dropped = {self.dropped}"
        return [title, counts], [*spread, likelihood, *(f"! {each}" for each in self.diagnostics)]


def predictor_regression(
    outcome: ArrayLike,
    covariates: ArrayLike,
    reports: ArrayLike,
    channel: Channel | Sequence[Channel],
    weights: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    *,
    model: Model = "linear",
    labels: Sequence[str] | Sequence[Sequence[str]] | None = None,
    reference: int | Sequence[int] = 0,
    modifiers: Sequence[int | str] = (),
    outcome_channel: Channel | None = None,
    counts: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    missing: Missing = "error",
    prior: float | None = None,
) -> PredictorFit:
    """Regress an outcome on an answer that was reported through a channel, and on covariates that are known.

    Model: the answer a of a respondent with covariates x has the shares pi_a(x) of a multinomial logit, its report y
    the channel's row, and the outcome z, given the answer, does not depend on the report:

        log L = sum_i w_i log sum_a P(y_i | a) pi_a(x_i) f(z_i | b0 + x_i b + d_a),

    with d = 0 for the reference and f the normal density ("linear") or the chance of z by the link. All parts are
    estimated together. Of several predictors a is the combination of their answers, whose shares are free, and d_a the
    sum of an effect for each. With modifiers v, some of the covariates, d_a is d_a0 + v d_a1.

    Parameters
    ----------
    outcome : array of shape (n,)
        Finite numbers; 0 and 1 where the model is binary; symbols of `outcome_channel` where it is given.
    covariates, weights, names, counts, clusters, missing :
        As for `logistic_regression`; p = 0 columns are allowed. A missing outcome counts as a missing value.
    reports : array of shape (n,)
        Symbols of the predictor; of m predictors shape (n, m).
    channel : Channel, or sequence of m of them
        Of the predictor, k >= 2 answers; of several at most 36 combinations.
    model : {"linear", "logit", "probit", "cloglog"}
    labels : sequence of k str, optional
        What the answers are called; "0", "1", ... by default. Of several predictors a sequence for each.
    reference : int, or sequence of m of them
        The answer that effects compare with; one that many hold, or every effect is uncertain.
    modifiers : sequence of int or str, optional
        Covariates, by place or name, that the effects of the answers differ by: their interactions.
    outcome_channel : Channel, optional
        Where the outcome is a randomized yes/no answer, too: two randomized items together, by their joint likelihood.
    prior : float, optional
        Scale of normal priors about 0 in a binary model: of intercepts and slopes as for `logistic_regression`, and of
        the effects of the answers as they are. The maximum is then that of the posterior density.

    Returns
    -------
    PredictorFit
        The covariance is the inverse of the observed information (Louis 1982); the sandwich with weights or clusters.

    Raises
    ------
    ValueError
        Naming the argument, the bound and the value.

    Notes
    -----
    Putting a report, or a respondent's posterior probability, in the place of the answer would draw the effect towards
    0; this does not. It rests on the model of the outcome: with a wrong density the mixture follows it. Effects on a
    binary outcome need many reports: some thousands by two coins for a standard error of .3. Several summits of the
    likelihood are looked for from five effects, and of a randomized outcome of at most 5,000 rows from pairs of cuts
    that decide it. Of these many have no finite coefficients where reports are few: the highest finite one is given,
    and "several optima" says by how much another is higher.

    References
    ----------
    Blair, G., Imai, K. & Zhou, Y.-Y. (2015). Design and analysis of the randomized response technique. JASA 110,
    1304-1319, section 3.3. Louis, T. A. (1982). Finding the observed information matrix when using the EM algorithm.
    JRSS B 44, 226-233. van den Hout, A. & Kooiman, P. (2006). Estimating the linear regression model with categorical
    covariates subject to randomized response. CSDA 50, 3311-3323.

    Examples
    --------
    Two coins; the outcome is higher by 2 with the answer yes.

    >>> import numpy as np
    >>> from randomized_response import forced_response, simulate
    >>> generator, coins = np.random.default_rng(1), forced_response(truth="1/2")
    >>> answers = (generator.random(3000) < 0.3).astype(int)
    >>> outcome = 5 + 2 * answers + generator.normal(size=3000)
    >>> fit = predictor_regression(outcome, np.empty((3000, 0)), simulate(coins, answers, generator), coins)
    >>> fit.names, fit.converged
    (('intercept', 'answer: 1', '1: intercept'), True)
    >>> bool(abs(fit.effects[0] - 2) < 3 * fit.standard_errors[1])
    True
    """
    _check_model(model, outcome_channel, prior)
    symbols = None if model == "linear" else outcome_channel.reports if outcome_channel else 2
    rows, values, combined = read_latent(
        outcome, reports, channel, (labels, reference), symbols, modifiers, covariates=covariates, weights=weights,
        names=names, counts=counts, clusters=clusters, missing=missing,
    )  # fmt: skip
    information: Covariance = "cluster" if clusters is not None else "robust" if weights is not None else "observed"
    return _fitted(rows, values, model, combined, outcome_channel, information, prior)


def _check_model(model: Model, outcome_channel: Channel | None, prior: float | None) -> None:
    if model != "linear" and model not in LINKS:
        raise ParameterError("model", f"must be linear, {', '.join(LINKS)}; got {model!r}")
    if outcome_channel is not None and (model == "linear" or outcome_channel.answers != 2):
        raise ParameterError("outcome_channel", "must have 2 answers, and needs a binary model")
    as_prior(prior)
    if prior is not None and model == "linear":
        raise ParameterError("prior", f"must be left out of a linear model; got {prior:g}")


class _Found(NamedTuple):
    """What a climb came to, in the units of covariates and outcome."""

    coefficients: Floats
    covariance: Floats
    sigma: float
    log_likelihood: float
    iterations: int
    diagnostics: tuple[Diagnostic, ...]


def _fitted(
    rows: CovariateRows,
    values: Floats,
    model: Model,
    combined: Combinations,
    outcome_channel: Channel | None,
    information: Covariance,
    prior: float | None,
) -> PredictorFit:
    labels = combined.labels
    names = (
        *combined.names(rows.names),
        *(f"{label}: {name}" for label in labels[1:] for name in rows.names),
    )
    triangle, dependent = orthonormal(rows.columns, rows.weights)
    at, spread = np.full(len(names), np.nan), np.full((len(names), len(names)), np.nan)
    found = _Found(at, spread, float("nan"), float("nan"), 0, (collinear(rows.names, triangle),))
    if not dependent:
        shift, scale = (float(values.mean()), float(values.std()) or 1.0) if model == "linear" else (0.0, 1.0)
        inverse = np.asarray(np.linalg.inv(triangle), dtype=np.float64)
        modifying, modifiers = basis_of(rows.columns[list(combined.modifiers)], rows.weights)
        units = Units(inverse, modifying, scale, shift)
        chances = np.array([rows.looked_up([table[x] for table in rows.tables]) for x in combined.order])
        seen = _outcome(values, model, outcome_channel, shift, scale)
        pattern = pattern_of(combined.sizes)
        sample = LatentSample(inverse.T @ rows.columns, modifiers, chances, pattern, seen, rows.weights)
        if prior is not None:
            root = sample.prior_root(prior_root(rows), combined.modifiers) @ sample.transform(units)[0]
            unit = float(rows.weights.sum()) / rows.respondents
            sample = replace(sample, precision=root.T @ root * (unit / prior**2))
        found = _maximum(sample, rows, found, units, information)
    with np.errstate(invalid="ignore"):
        errors = np.sqrt(np.diag(found.covariance))
    return PredictorFit(
        names, found.coefficients, errors, found.covariance, model, labels, information, found.sigma,
        found.log_likelihood, bool(np.isfinite(found.coefficients).all()), found.diagnostics, found.iterations,
        rows.respondents, rows.dropped, len(rows.columns), combined.sizes, combined.modifiers,
    )  # fmt: skip


def _maximum(
    sample: LatentSample,
    rows: CovariateRows,
    nothing: _Found,
    units: Units,
    information: Covariance,
) -> _Found:
    k, p, linear = len(sample.chances), len(sample.basis), isinstance(sample.outcome, Normal)
    unit = float(rows.weights.sum()) / rows.respondents
    fit, optima, above = best_climb(sample, common_shares(sample.chances, rows.weights)[0], unit)
    height = fit.point.log_likelihood - (float(rows.weights.sum() * np.log(units.scale)) if linear else 0.0)
    if sample.precision is not None:
        height += float(fit.point.at @ sample.precision @ fit.point.at) / 2
    found = nothing._replace(
        log_likelihood=height,
        iterations=fit.iterations,
        diagnostics=climbed(converged=fit.converged, optima=optima, causes=_CAUSES, above=above),
    )
    if not fit.converged:
        return found
    transform, moved = sample.transform(units)
    whole = transform @ fit.point.at + moved
    spread = transform @ covariance_at(sample, rows, fit, information) @ transform.T
    places = np.concatenate([np.arange((k - 1) * p, k * p + sample.effects), np.arange((k - 1) * p)])
    return found._replace(
        coefficients=whole[places], covariance=spread[np.ix_(places, places)],
        sigma=float(np.exp(whole[-1])) if linear else float("nan"),
    )  # fmt: skip


def _outcome(values: Floats, model: Model, channel: Channel | None, shift: float, scale: float) -> Binary | Normal:
    if model == "linear":
        return Normal((values - shift) / scale)
    table = np.eye(2) if channel is None else channel.matrix
    codes = values.astype(np.intp)
    name: LinkName = model
    return Binary(table[0, codes], table[1, codes], LINKS[name])
