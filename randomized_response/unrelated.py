"""Regression through the unrelated question of unknown prevalence: two arms, two answers behind one report."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from randomized_response import _newton
from randomized_response._checks import FractionLike, as_level, as_probability
from randomized_response._diagnostics import Diagnostic, LikelihoodFit, climbed, collinear
from randomized_response._labels import matched
from randomized_response._links import LINKS, Link, LinkName
from randomized_response._newton import Point, blocks, orthonormal
from randomized_response._rows import CovariateRows, Missing, fold, read_like, read_rows
from randomized_response._sandwich import Covariance, covariance_at
from randomized_response.channel import Channel
from randomized_response.errors import ParameterError
from randomized_response.margins import MarginalEffects, average_effects
from randomized_response.regression import Prediction, predicted

Floats = NDArray[np.float64]
Unrelated = Literal["constant", "covariates"]
_CAUSES = "a question that nobody, or everybody, of some rows says yes to, or too few reports to tell the two apart"

_SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)
"""Starting values of the share of yes to the unrelated question."""


@dataclass(frozen=True, eq=False, repr=False)
class UnknownPrevalenceFit(LikelihoodFit):
    """The result of `unknown_prevalence_regression`. Arrays are read-only and follow `names`.

    Attributes
    ----------
    names : tuple of str
        The sensitive question's "intercept" and covariates, then "unrelated: intercept", and its covariates if any.
    coefficients, standard_errors, covariance : arrays of shape (q,), (q,), (q, q)
        On the scale of the link. NaN without a finite maximum.
    log_likelihood, aic, bic : float
    converged : bool
    diagnostics : tuple of Diagnostic
        Named "no finite maximum", "not identified" or "several optima"; empty if none.
    n, dropped : int
    link : str
        "logit", "probit" or "cloglog".
    """

    link: LinkName
    information: Covariance
    log_likelihood: float
    converged: bool
    diagnostics: tuple[Diagnostic, ...]
    iterations: int
    n: int
    dropped: int
    rows: CovariateRows = field(repr=False)

    @property
    def covariates(self) -> tuple[str, ...]:
        """The names of the sensitive question's covariates, without the intercept."""
        return self.rows.names[1:]

    def predict(self, covariates: ArrayLike, confidence: float = 0.95) -> Prediction:
        """Predict the proportion of true yes to the sensitive question, as `LogisticFit.predict` does."""
        table = read_like(covariates, self.covariates)
        design = np.column_stack([np.ones(len(table)), table])
        at, covariance = self._sensitive()
        spread = np.sqrt(np.einsum("ij,jk,ik->i", design, covariance, design))
        return predicted(design, spread, at, covariance, as_level(confidence), LINKS[self.link])

    def get_margeff(self, *, dummy: bool = True) -> MarginalEffects:
        """Average marginal effects on the proportion of true yes to the sensitive question.

        Parameters
        ----------
        dummy : bool
            Whether the effect of a covariate that is 0 or 1 for everybody is that of the step from 0 to 1.
        """
        at, covariance = self._sensitive()
        columns, mass, names = self.rows.columns, self.rows.weights, self.rows.names
        return average_effects(names, columns, mass, at, covariance, LINKS[self.link], dummy=dummy)

    def _sensitive(self) -> tuple[Floats, Floats]:
        p = len(self.rows.names)
        return self.coefficients[:p], self.covariance[:p, :p]

    def _around_table(self) -> tuple[list[str], list[str]]:
        title = f"Regression through an unrelated question ({self.information} information, 95 % Wald intervals)"
        likelihood = f"log likelihood = {self.log_likelihood:.4f}, AIC = {self.aic:.2f}, BIC = {self.bic:.2f}"
        counts = f"n = {self.n}, dropped = {self.dropped}"
        return [title, counts], [likelihood, *(f"! {each}" for each in self.diagnostics)]


def unknown_prevalence_regression(
    covariates: ArrayLike,
    reports: ArrayLike,
    arms: ArrayLike,
    truth: tuple[FractionLike, FractionLike],
    weights: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    *,
    unrelated: Unrelated = "constant",
    link: LinkName = "logit",
    counts: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    missing: Missing = "error",
) -> UnknownPrevalenceFit:
    """Regress the answer to a sensitive question, where the prevalence of the unrelated one beside it is not known.

    Model: the coin of arm t chooses the sensitive question with probability p_t and the unrelated one otherwise,

        P(yes | x, arm t) = p_t F(b0 + x b) + (1 - p_t) F(c0 + x c),

    with c = 0 where the unrelated question does not depend on the covariates, and all coefficients estimated together.

    Parameters
    ----------
    covariates, weights, names, link, counts, clusters, missing :
        As for `logistic_regression`; p = 0 columns are allowed.
    reports : array of shape (n,)
        no = 0, yes = 1.
    arms : array of shape (n,)
        0 or 1: each respondent's arm, which was drawn at random.
    truth : pair of exact fractions in [0, 1]
        p_0 and p_1, different.
    unrelated : {"constant", "covariates"}
        Whether everybody's chance of yes to the unrelated question is the same, or has coefficients of its own. A
        question that depends on the covariates and is taken as constant biases the slopes.

    Returns
    -------
    UnknownPrevalenceFit
        The covariance is the inverse of the observed information; the sandwich with weights or clusters.

    Raises
    ------
    ValueError
        Naming the argument, the bound and the value.

    Notes
    -----
    It is the difference of the arms that tells both questions apart, so standard errors are large unless p_0 and p_1
    are far apart. Both answers may depend on each other: the rates of yes know their shares alone. Several summits are
    looked for from five shares of the unrelated question.

    References
    ----------
    Greenberg, B. G., Abul-Ela, A.-L. A., Simmons, W. R. & Horvitz, D. G. (1969). The unrelated question randomized
    response model: theoretical framework. JASA 64, 520-539, section 3. Heck, D. W. & Moshagen, M. (2018). RRreg: an R
    package for correlation and regression analyses of randomized response data. J. Statistical Software 85, model
    "UQTunknown".

    Examples
    --------
    The rates of `unknown_prevalence`, with no covariate: shares of .2 and .4.

    >>> import numpy as np
    >>> fit = unknown_prevalence_regression(
    ...     np.empty((4, 0)), [1, 0, 1, 0], [0, 0, 1, 1], ("7/10", "3/10"), counts=[260, 740, 340, 660]
    ... )
    >>> fit.names, (1 / (1 + np.exp(-fit.coefficients))).round(6)
    (('intercept', 'unrelated: intercept'), array([0.2, 0.4]))
    """
    if link not in LINKS:
        raise ParameterError("link", f"must be one of {', '.join(LINKS)}; got {link!r}")
    if unrelated not in ("constant", "covariates"):
        raise ParameterError("unrelated", f"must be constant or covariates; got {unrelated!r}")
    covariates, reports, arms, weights, counts, clusters = matched(
        covariates=covariates, reports=reports, arms=arms, weights=weights, counts=counts, clusters=clusters
    )
    tables, place = _read_truth(truth), _read_arms(arms)
    rows = read_rows(
        covariates, reports, [tables[arm] for arm in place], weights=weights, counts=counts, names=names,
        missing=missing, answers=2, clusters=clusters,
    )  # fmt: skip
    if len(rows.tables) < 2:
        raise ParameterError("arms", "must have respondents in both; one arm alone cannot tell the questions apart")
    information: Covariance = "cluster" if clusters is not None else "robust" if weights is not None else "observed"
    return _fitted(fold(rows), unrelated, link, information)


@dataclass(frozen=True)
class _Mixture:
    """Rows on two orthonormal bases, of the sensitive question and of the unrelated one; `asked` is p of each row.

    `said` is 1 for a report of yes and -1 for a report of no.
    """

    basis: Floats
    other: Floats
    asked: Floats
    said: Floats
    weights: Floats
    link: Link

    def evaluate(self, at: Floats) -> Point:
        """Log likelihood, gradient and observed information; minus infinity where a report becomes impossible."""
        total, gradient, information = 0.0, np.zeros(at.size), np.zeros((at.size, at.size))
        p = len(self.basis)
        for s in blocks(self.weights.size):
            likelihood, scores, bends = self._parts(at, s)
            if likelihood.min() <= 0:
                return Point(at, -np.inf, gradient, information)
            weights, q, r = self.weights[s], self.basis[:, s], self.other[:, s]
            total += float(weights @ np.log(likelihood))
            one, two = scores
            gradient += np.concatenate([q @ (weights * one), r @ (weights * two)])
            crossed = (q * (weights * one * two)) @ r.T
            information[:p, :p] += (q * (weights * (one * one - bends[0]))) @ q.T
            information[:p, p:] += crossed
            information[p:, :p] += crossed.T
            information[p:, p:] += (r * (weights * (two * two - bends[1]))) @ r.T
        return Point(at, total, gradient, information)

    def scores(self, at: Floats) -> Floats:
        """The score of every row, unweighted, shape (coefficients, n)."""
        one, two = self._parts(at, slice(None))[1]
        return np.concatenate([self.basis * one, self.other * two])

    def _parts(self, at: Floats, s: slice) -> tuple[Floats, Floats, Floats]:
        """Of each row the likelihood, its slopes by both predictions, and its bends, the last two divided by it."""
        p, asked, said = len(self.basis), self.asked[s], self.said[s]
        likelihood, slopes, bends = np.zeros(asked.size), list[Floats](), list[Floats]()
        for part, basis, chance in ((at[:p], self.basis, asked), (at[p:], self.other, 1 - asked)):
            eta = part @ basis[:, s]
            yes, no = self.link.shares(eta)
            first, second = self.link.slopes(eta, yes, no)
            likelihood += chance * np.where(said > 0, yes, no)
            slopes.append(chance * said * first)
            bends.append(chance * said * second)
        with np.errstate(divide="ignore", invalid="ignore"):
            return likelihood, np.array(slopes) / likelihood, np.array(bends) / likelihood

    def starts(self) -> list[Floats]:
        """For each share of the unrelated question the best constant of the sensitive one."""
        found = []
        for share in _SHARES:
            forced = (1 - self.asked) * share
            no = np.where(self.said > 0, forced, 1 - forced)
            yes = np.where(self.said > 0, self.asked + forced, 1 - self.asked - forced)
            sensitive = _newton.best_share(no, yes, self.weights)[0]
            levels = [self.link.quantile(min(max(one, 0.02), 0.98)) for one in (sensitive, share)]
            place = np.zeros(len(self.basis) + len(self.other))
            place[0], place[len(self.basis)] = levels
            found.append(place)
        return found


def _read_truth(truth: tuple[FractionLike, FractionLike]) -> tuple[Channel, Channel]:
    """Of each arm the table by which an answer to the sensitive question alone would be reported."""
    if not isinstance(truth, tuple | list) or len(truth) != 2:
        raise ParameterError("truth", f"must be a pair, one entry per arm; got {truth!r}")
    chances = [as_probability(one, name=f"truth[{i}]", closed=True) for i, one in enumerate(truth)]
    if chances[0] == chances[1]:
        raise ParameterError("truth", f"must differ between the arms; got {chances[0]} in both")
    one, other = (
        Channel(((p.denominator, 0), (p.denominator - p.numerator, p.numerator)), "unrelated_question", p)
        for p in chances
    )
    return one, other


def _read_arms(arms: ArrayLike) -> list[int]:
    found = np.asarray(arms)
    wrong = np.flatnonzero(~np.isin(found, (0, 1))) if found.ndim == 1 else np.array([0])
    if wrong.size:
        got = found[wrong[0]] if found.ndim == 1 else f"shape {found.shape}"
        raise ParameterError(f"arms[{wrong[0]}]" if found.ndim == 1 else "arms", f"must be 0 or 1; got {got}")
    return [int(one) for one in found]


def _fitted(rows: CovariateRows, unrelated: Unrelated, link: LinkName, information: Covariance) -> UnknownPrevalenceFit:
    others = rows.names if unrelated == "covariates" else rows.names[:1]
    names = (*rows.names, *(f"unrelated: {name}" for name in others))
    nothing, spread = np.full(len(names), np.nan), np.full((len(names), len(names)), np.nan)
    triangle, dependent = orthonormal(rows.columns, rows.weights)
    empty = UnknownPrevalenceFit(
        names, nothing, nothing, spread, link, information, float("nan"), False, (), 0, rows.respondents, rows.dropped,
        rows,
    )  # fmt: skip
    if dependent:
        return replace(empty, diagnostics=(collinear(rows.names, triangle),))
    inverse = np.asarray(np.linalg.inv(triangle), dtype=np.float64)
    basis = inverse.T @ rows.columns
    asked = np.array([table[1, 1] for table in rows.tables], dtype=np.float64)[rows.table_of]
    sample = _Mixture(
        basis, basis[: len(others)], asked, np.where(rows.reports == 1, 1.0, -1.0), rows.weights, LINKS[link]
    )
    unit = float(rows.weights.sum()) / rows.respondents
    fit, optima = _newton.highest([_newton.climb(sample, start, unit) for start in sample.starts()], unit)
    told = replace(
        empty,
        log_likelihood=fit.point.log_likelihood,
        iterations=fit.iterations,
        diagnostics=climbed(converged=fit.converged, optima=optima, causes=_CAUSES),
    )
    if not fit.converged:
        return told
    p, q = len(rows.names), len(others)
    transform = np.zeros((p + q, p + q))
    transform[:p, :p], transform[p:, p:] = inverse, inverse[:q, :q]
    covariance = transform @ covariance_at(sample, rows, fit, information) @ transform.T
    at, errors = transform @ fit.point.at, np.sqrt(np.diag(covariance))
    return replace(told, coefficients=at, standard_errors=errors, covariance=covariance, converged=True)
