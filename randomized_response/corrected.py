"""Linear regression on randomized answers without a model of the outcome: least squares on corrected moments."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from randomized_response import _scipy as scipy
from randomized_response._combinations import Combinations, holders, pattern_of, read_latent
from randomized_response._diagnostics import Diagnostic, RegressionFit, collinear
from randomized_response._latent import basis_of
from randomized_response._newton import orthonormal
from randomized_response._rows import CovariateRows, Missing
from randomized_response._sandwich import between_clusters
from randomized_response.channel import Channel
from randomized_response.errors import ParameterError
from randomized_response.margins import Averages, LatentFit
from randomized_response.means import STEADY, values_of

Floats = NDArray[np.float64]
_LEAST = 1e-9
"""The smallest eigenvalue of the moments, in variances of covariates, from which effects are told apart."""


@dataclass(frozen=True, eq=False, repr=False)
class CorrectedFit(LatentFit, RegressionFit):
    """The result of `corrected_regression`. Arrays are read-only and follow `names`.

    Attributes
    ----------
    names : tuple of str
        "intercept" and the covariates, "answer: label" for each answer but the reference (of several predictors
        "answer 1: label", ...), "answer: label × covariate" for each modifier; then "label: share" of each but the
        first of `labels`, and "label: share × covariate": linear in the modifiers.
    coefficients, standard_errors, covariance : arrays of shape (q,), (q,), (q, q)
        In units of the outcome, the last ones shares; NaN where not identified.
    effects : array of shape (k - 1,)
        The coefficients of the answers, against the reference. Of several predictors those of the first, then of the
        second, ...: they add up. With modifiers, where all of these are 0: see `effects_at`.
    labels : tuple of str
        What the answers are called, the reference first; of several predictors their combinations, "label, label".
    identified : bool
        False where covariates are collinear, or the reports do not show that every answer is given.
    diagnostics : tuple of Diagnostic
        Named "not identified" or "rare answer"; empty if none.
    n, dropped : int
    """

    labels: tuple[str, ...]
    identified: bool
    diagnostics: tuple[Diagnostic, ...]
    n: int
    dropped: int
    first: int = field(repr=False)
    sizes: Sequence[int] = field(repr=False)
    """How many answers each predictor has."""
    modifiers: Sequence[int] = field(repr=False)
    """The places of the columns that the effects are multiplied by, the intercept first."""

    @property
    def converged(self) -> bool:
        """`identified`, by the name of fits that climb."""
        return self.identified

    bounded = False

    def _averages(self, people: Floats, scenarios: Sequence[tuple[Floats, Floats]], share: Floats) -> Averages:
        k, m, end = len(self.labels), len(self.modifiers), self.first + self.effect_table.size
        by_modifiers = self.coefficients[end:].reshape(m, k - 1)
        linear = np.hstack([np.eye(m)[:, :1] - by_modifiers.sum(axis=1, keepdims=True), by_modifiers])
        as_they_are = np.vstack([np.ones(len(people)), people.T])[list(self.modifiers)]
        shares = linear.T @ as_they_are * share  # (k, n), what each person makes of each answer
        found = []
        for turn, table in scenarios:
            moved = np.vstack([np.ones(len(table)), table.T])
            modifiers = moved[list(self.modifiers)]
            by_outcome = np.concatenate([moved @ share, (modifiers @ shares.T @ turn @ self.pattern).ravel()])
            worth = turn @ self.pattern @ self.effect_table.T @ modifiers
            by_shares = as_they_are * share @ (worth[1:] - worth[0]).T
            slopes = np.concatenate([by_outcome, by_shares.ravel()])
            found.append((float(by_outcome @ self.coefficients[:end]), slopes))
        return found

    def _around_table(self) -> tuple[list[str], list[str]]:
        title = "Number on a randomized answer: corrected least squares (HC1 standard errors, 95 % Wald intervals)"
        return [title, f"n = {self.n}, dropped = {self.dropped}"], [f"! {each}" for each in self.diagnostics]


def corrected_regression(
    outcome: ArrayLike,
    covariates: ArrayLike,
    reports: ArrayLike,
    channel: Channel | Sequence[Channel],
    weights: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    *,
    labels: Sequence[str] | Sequence[Sequence[str]] | None = None,
    reference: int | Sequence[int] = 0,
    modifiers: Sequence[int | str] = (),
    outcome_channel: Channel | None = None,
    values: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    missing: Missing = "error",
) -> CorrectedFit:
    """Regress a number on answers that were reported through a channel, and on covariates, by least squares.

    Model: E[z | x, a] = b0 + x b + d_a, with d = 0 for the reference, whatever the distribution of the outcome z; with
    modifiers v, some of the covariates, d_a = d_a0 + v d_a1, and the shares of the answers are linear in v. The normal
    equations need sums over the unknown answers a. In each of them the indicator of an answer is replaced by its
    unbiased value q, the column of the channel's `left_inverse` for the report:

        sum_i w_i sum_a q_ia D_ia (z_i - D_ia' beta) = 0,    D_ia = (1, x_i, indicator of a times (1, v_i)),

    which is linear in beta, as q_i sums to 1.

    Parameters
    ----------
    outcome : array of shape (n,)
        Finite numbers; symbols of `outcome_channel` where it is given.
    covariates, weights, names, counts, clusters, missing :
        As for `logistic_regression`; p = 0 columns are allowed. A missing outcome counts as a missing value.
    reports, channel, labels, reference, modifiers :
        As for `predictor_regression`: of one predictor, or of several, whose effects add up.
    outcome_channel : Channel, optional
        Where the outcome is a randomized answer, too: its unbiased value is then in its place.
    values : array, optional
        The number of each answer of `outcome_channel`; 0, 1, ... by default.

    Returns
    -------
    CorrectedFit
        The covariance is the sandwich (White 1982) of these equations and of the shares, times n / (n - coefficients);
        that of clusters, where they are given.

    Raises
    ------
    ValueError
        Naming the argument, the bound and the value; also where there are no more rows than coefficients.

    Notes
    -----
    `predictor_regression` is more precise where its outcome is normal about the model, and wrong where it is not. This
    needs some thousands of reports: where the share of an answer is less than 4 standard errors from 0, the diagnostic
    "rare answer" says that its effect has no trustworthy interval.

    References
    ----------
    van den Hout, A. & Kooiman, P. (2006). Estimating the linear regression model with categorical covariates subject to
    randomized response. CSDA 50, 3311-3323, section 3.

    Examples
    --------
    Two coins; the outcome is higher by 2 with the answer yes, and far from normal.

    >>> import numpy as np
    >>> from randomized_response import forced_response, simulate
    >>> generator, coins = np.random.default_rng(1), forced_response(truth="1/2")
    >>> answers = (generator.random(3000) < 0.3).astype(int)
    >>> outcome = 5 + 2 * answers + generator.exponential(size=3000)
    >>> fit = corrected_regression(outcome, np.empty((3000, 0)), simulate(coins, answers, generator), coins)
    >>> fit.names
    ('intercept', 'answer: 1', '1: share')
    >>> bool(abs(fit.effects[0] - 2) < 3 * fit.standard_errors[1])
    True
    """
    symbols = None if outcome_channel is None else outcome_channel.reports
    rows, numbers, combined = read_latent(
        outcome, reports, channel, (labels, reference), symbols, modifiers, covariates=covariates, weights=weights,
        names=names, counts=counts, clusters=clusters, missing=missing,
    )  # fmt: skip
    many = len(combined.names(rows.names))
    if rows.respondents <= many:
        raise ParameterError("covariates", f"must have more than {many} rows; got {rows.respondents}")
    if outcome_channel is not None:
        worth = values_of(values, outcome_channel.answers)
        numbers = np.asarray(worth @ outcome_channel.left_inverse)[numbers.astype(np.intp)]
    elif values is not None:
        raise ParameterError("values", "must be left out without outcome_channel: the outcome is then the number")
    return _fitted(rows, numbers, combined)


def _fitted(rows: CovariateRows, outcome: Floats, combined: Combinations) -> CorrectedFit:
    triangle, dependent = orthonormal(rows.columns, rows.weights)
    if dependent:
        return _unidentified(rows, combined, collinear(rows.names, triangle))
    inverse = np.asarray(np.linalg.inv(triangle), dtype=np.float64)
    modifying, modifiers = basis_of(rows.columns[list(combined.modifiers)], rows.weights)
    unbiased = combined.channel.left_inverse[combined.order][:, rows.reports]
    sample = _Moments(inverse.T @ rows.columns, modifiers, unbiased, pattern_of(combined.sizes))
    share = rows.weights / rows.weights.sum()
    moments = sample.products(share)
    if np.linalg.eigvalsh(moments)[0] < _LEAST:
        message = "the reports do not show that every answer is given, so their effects cannot be told apart"
        return _unidentified(rows, combined, Diagnostic("not identified", message))
    place = np.linalg.solve(moments, sample.sums(unbiased * outcome) @ share)
    shares = modifiers * share @ unbiased.T
    scores = np.linalg.solve(moments, sample.sums(unbiased * (outcome - sample.line(place))))
    of_shares = modifiers[:, None] * (unbiased - shares.T @ modifiers)[1:]
    spread = _spread(np.vstack([scores, of_shares.reshape(-1, len(share))]), rows, place.size)
    effects, others = np.eye(sample.pattern.shape[1]), np.eye(len(unbiased) - 1)
    turn = scipy.linalg.block_diag(inverse, np.kron(modifying, effects), np.kron(modifying, others))
    covariance = turn @ spread @ turn.T
    # On their basis the first coefficients of the shares are their averages.
    average = spread[place.size :, place.size :][: len(others), : len(others)]
    return CorrectedFit(
        _names(rows, combined), turn @ np.concatenate([place, shares[:, 1:].ravel()]), np.sqrt(np.diag(covariance)),
        covariance, combined.labels, True, _rare(combined, shares[0], average),
        rows.respondents, rows.dropped, len(inverse), combined.sizes, combined.modifiers,
    )  # fmt: skip


@dataclass(frozen=True)
class _Moments:
    """The sums of the normal equations: `basis` (p, n), `modifiers` (m, n), unbiased indicators of answers (k, n)."""

    basis: Floats
    modifiers: Floats
    unbiased: Floats
    pattern: Floats

    def products(self, share: Floats) -> Floats:
        """Means of products of the columns, each answer's by the pattern: the matrix of the equations."""
        p, held = len(self.basis), self.unbiased * share
        of_answers = np.zeros((len(self.modifiers) * self.pattern.shape[1],) * 2)
        crossed = np.zeros((p, len(of_answers)))
        for one, effects in zip(held, self.pattern, strict=True):
            of_answers += np.kron(self.modifiers * one @ self.modifiers.T, np.outer(effects, effects))
            crossed += np.kron(self.basis * one @ self.modifiers.T, effects)
        return np.block([[np.eye(p), crossed], [crossed.T, of_answers]])

    def sums(self, held: Floats) -> Floats:
        """Of every row the columns times values `held` (k, n) of the answers, added up: (coefficients, n)."""
        own = self.modifiers[:, None] * (self.pattern.T @ held)
        return np.vstack([self.basis * held.sum(axis=0), own.reshape(-1, own.shape[-1])])

    def line(self, at: Floats) -> Floats:
        """The linear prediction of every row with each answer, shape (k, n)."""
        p = len(self.basis)
        effects = at[p:].reshape(len(self.modifiers), -1)
        return np.asarray(at[:p] @ self.basis + self.pattern @ effects.T @ self.modifiers)


def _names(rows: CovariateRows, combined: Combinations) -> tuple[str, ...]:
    shares = [f"{label}: share" for label in combined.labels[1:]]
    modified = [f"{one} × {rows.names[at]}" for at in combined.modifiers[1:] for one in shares]
    return (*combined.names(rows.names), *shares, *modified)


def _spread(scores: Floats, rows: CovariateRows, parameters: int) -> Floats:
    """The covariance of means that have these scores, each row's of one respondent."""
    total = rows.weights.sum()
    if rows.clusters is not None:
        return between_clusters(scores * (rows.weights / total), rows.clusters)
    squares = (scores * (rows.squared_weights / total**2)) @ scores.T
    return np.asarray(squares * (rows.respondents / (rows.respondents - parameters)))


def _rare(combined: Combinations, shares: Floats, spread: Floats) -> tuple[Diagnostic, ...]:
    """Name the answers whose share is hardly told from 0; `spread` is of the shares but the first."""
    of_answers = holders(combined.sizes)
    moved = of_answers[:, 1:] - of_answers[:, :1]
    errors = np.sqrt(np.einsum("ij,jk,ik->i", moved, spread, moved))
    named = [label for one in combined.answers for label in one]
    rare = [label for label, at, error in zip(named, of_answers @ shares, errors, strict=True) if at < STEADY * error]
    if not rare:
        return ()
    what = f"the share of {', '.join(rare)} is less than {STEADY:g} standard errors from 0"
    return (Diagnostic("rare answer", f"{what}: an effect that compares with it has no trustworthy interval"),)


def _unidentified(rows: CovariateRows, combined: Combinations, why: Diagnostic) -> CorrectedFit:
    names = _names(rows, combined)
    spread = np.full((len(names), len(names)), np.nan)
    return CorrectedFit(
        names, spread[0], spread[0], spread, combined.labels, False, (why,),
        rows.respondents, rows.dropped, len(rows.names), combined.sizes, combined.modifiers,
    )  # fmt: skip
