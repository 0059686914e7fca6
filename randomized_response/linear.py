"""Linear regression of a randomized answer on known covariates: least squares on debiased reports."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from randomized_response import _scipy as scipy
from randomized_response._checks import as_level
from randomized_response._diagnostics import Diagnostic, RegressionFit, collinear
from randomized_response._newton import orthonormal
from randomized_response._rows import Channels, CovariateRows, Missing, read_rows
from randomized_response.results import Result

Floats = NDArray[np.float64]
Robust = Literal["HC0", "HC1", "HC2", "HC3"]

_ROBUST = ("HC0", "HC1", "HC2", "HC3")


@dataclass(frozen=True, eq=False)
class LinearPrediction(Result):
    """Predicted means of the answer for given covariates, not clipped to its range, with Wald intervals."""

    means: Floats
    standard_errors: Floats
    low: Floats
    high: Floats
    confidence: float


@dataclass(frozen=True, eq=False, repr=False)
class LinearFit(RegressionFit):
    """The result of `linear_regression`. Arrays are read-only and follow `names`, the intercept first.

    Attributes
    ----------
    coefficients, standard_errors, covariance : arrays of shape (p + 1,), (p + 1,), (p + 1, p + 1)
        In units of the answer; NaN where not identified.
    wald : float
        Statistic of the test that all slopes are 0, chi-square with p degrees of freedom; `wald_p_value` beside it.
    identified : bool
        False where covariates are collinear; then `diagnostics` names which.
    """

    wald: float
    wald_p_value: float
    robust: Robust
    identified: bool
    diagnostics: tuple[Diagnostic, ...]
    n: int
    dropped: int

    def predict(self, covariates: ArrayLike, confidence: float = 0.95) -> LinearPrediction:
        """Predict the mean of the answer for these covariates, shape (n, p) without the intercept.

        The columns of a data frame are found by their names, which must be those of the fit, in any order.
        """
        design, spread = self._design(covariates)
        means = design @ self.coefficients
        reach = scipy.special.ndtri((1 + as_level(confidence)) / 2) * spread
        return LinearPrediction(means, spread, means - reach, means + reach, confidence)

    @property
    def converged(self) -> bool:
        """`identified`, by the name of fits that climb."""
        return self.identified

    bounded = False

    def margin(self, columns: Floats, share: Floats) -> tuple[Floats, Floats]:
        """The predicted mean averaged over people, for `predictive_margins`."""
        slope = (columns @ share)[None]
        return slope @ self.coefficients, slope

    def _around_table(self) -> tuple[list[str], list[str]]:
        title = f"Linear regression on debiased reports ({self.robust} standard errors, 95 % Wald intervals)"
        slopes = f"all slopes 0: Wald = {self.wald:.4f}, df = {len(self.names) - 1}, p = {self.wald_p_value:.4g}"
        counts = f"n = {self.n}, dropped = {self.dropped}"
        return [title, counts], [slopes, *(f"! {each}" for each in self.diagnostics)]


def linear_regression(
    covariates: ArrayLike,
    reports: ArrayLike,
    channel: Channels,
    weights: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    *,
    counts: ArrayLike | None = None,
    values: ArrayLike | None = None,
    robust: Robust = "HC3",
    missing: Missing = "error",
) -> LinearFit:
    """Regress the value of a randomized answer on covariates that were not randomized, by least squares.

    Model: E[value of the answer | x] = b0 + x b. Each report is replaced by its unbiased transform r, whose mean over
    the channel's draw is the value of the answer, so that E[r | x] = b0 + x b too and (weighted) least squares of r on
    x is unbiased. Its variance differs from row to row, hence the heteroscedasticity-robust covariance.

    For yes/no answers this is the linear probability model: slopes are differences of proportions, and predictions
    may leave [0, 1]. It never fails for want of a finite estimate, and is less precise than `logistic_regression`.

    Parameters
    ----------
    covariates, reports, weights, names, counts, missing :
        As for `logistic_regression`. Weights need no other covariance.
    channel : Channel, None, or a sequence of n of these
        All with as many answers as `values`. None where the question was asked directly: the report is the answer.
    values : array of shape (k,), optional
        The numeric value of each answer; 0, 1, ..., k - 1 by default.
    robust : {"HC0", "HC1", "HC2", "HC3"}
        Squared residuals as they are; times n / (n - p - 1); divided by 1 - h_i; or by its square, h_i the leverage.

    Returns
    -------
    LinearFit

    Raises
    ------
    ValueError
        Naming the argument, the bound and the value; also where there are no more rows than coefficients.

    Notes
    -----
    r = values @ B[:, y] with B the channel's `left_inverse`.
    Fails, like every estimate here, where respondents do not keep to the channel.

    References
    ----------
    van den Hout, A. & Kooiman, P. (2006). Estimating the linear regression model with categorical covariates subject to
    randomized response. CSDA 50, 3311-3323 (the transform, there on covariates). MacKinnon, J. G. & White, H. (1985).
    Some heteroskedasticity-consistent covariance matrix estimators. J. Econometrics 29, 305-325.

    Examples
    --------
    Two coins; 400 women of whom 200 reported yes, 600 men of whom 200 did: debiased, one half and one sixth.

    >>> import numpy as np
    >>> from randomized_response import forced_response
    >>> woman, report = np.repeat([1, 1, 0, 0], [200, 200, 200, 400]), np.repeat([1, 0, 1, 0], [200, 200, 200, 400])
    >>> linear_regression(woman, report, forced_response(truth="1/2")).coefficients.round(6)
    array([0.166667, 0.333333])
    """
    if robust not in _ROBUST:
        raise ValueError(f"robust must be one of {', '.join(_ROBUST)}; got {robust!r}")
    worth = None if values is None else _checked_values(values)
    answers = None if worth is None else worth.size
    rows = read_rows(
        covariates, reports, channel, weights=weights, counts=counts, names=names, missing=missing, answers=answers
    )
    if rows.respondents <= len(rows.names):
        raise ValueError(f"covariates must have more than {len(rows.names)} rows; got {rows.respondents}")
    return _fitted(rows, rows.looked_up(_transforms(rows, worth)), robust)


def _checked_values(values: ArrayLike) -> Floats:
    worth = np.asarray(values, dtype=np.float64)
    if worth.ndim != 1 or worth.size < 2 or not np.isfinite(worth).all():
        raise ValueError(f"values must be at least 2 finite numbers, one per answer; got {values!r}")
    return worth


def _transforms(rows: CovariateRows, worth: Floats | None) -> list[Floats]:
    """The unbiased value of each report, for each table."""
    sizes = {len(table) for table in rows.tables}
    if len(sizes) > 1:
        raise ValueError(f"channel must have the same number of answers in every row; got {sorted(sizes)}")
    value = np.arange(sizes.pop(), dtype=np.float64) if worth is None else worth
    return [value if each is None else value @ each.left_inverse for each in rows.channels]


def _fitted(rows: CovariateRows, unbiased: Floats, robust: Robust) -> LinearFit:
    triangle, dependent = orthonormal(rows.columns, rows.weights)
    if dependent:
        nothing = np.full_like(triangle, np.nan)
        warning = collinear(rows.names, triangle)
        return _result(rows, robust, nothing[0], nothing, (np.nan, np.nan), (warning,))
    inverse = np.linalg.inv(triangle)
    basis = inverse.T @ rows.columns
    share = rows.weights / rows.weights.sum()
    place = basis @ (share * unbiased)
    residuals = unbiased - place @ basis
    each = share / rows.counts
    leverages = each * np.einsum("ji,ji->i", basis, basis)
    squares = rows.counts * (each * residuals) ** 2 / _shrinkage(leverages, rows.counts, robust)
    covariance = inverse @ ((basis * squares) @ basis.T) @ inverse.T
    coefficients = inverse @ place
    return _result(rows, robust, coefficients, covariance, _wald(coefficients[1:], covariance[1:, 1:]), ())


def _shrinkage(leverages: Floats, counts: Floats, robust: Robust) -> Floats | float:
    """The divisor of squared residuals. A row alone determining a coefficient has leverage 1, residual 0."""
    n, p = counts.sum(), counts @ leverages
    if robust == "HC0":
        return 1.0
    if robust == "HC1":
        return float((n - p) / n)
    left = np.maximum(1 - leverages, 1e-12)
    return left if robust == "HC2" else left**2


def _wald(slopes: Floats, covariance: Floats) -> tuple[float, float]:
    if slopes.size == 0 or np.linalg.matrix_rank(covariance) < slopes.size:
        return float("nan"), float("nan")
    statistic = float(slopes @ np.linalg.solve(covariance, slopes))
    return statistic, float(scipy.special.chdtrc(slopes.size, max(statistic, 0.0)))


def _result(
    rows: CovariateRows,
    robust: Robust,
    coefficients: Floats,
    covariance: Floats,
    wald: tuple[float, float],
    diagnostics: tuple[Diagnostic, ...],
) -> LinearFit:
    return LinearFit(
        rows.names, coefficients, np.sqrt(np.diag(covariance)), covariance, *wald, robust,
        identified=not diagnostics, diagnostics=diagnostics, n=rows.respondents, dropped=rows.dropped,
    )  # fmt: skip
