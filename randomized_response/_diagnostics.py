"""Shared parts of results: a named diagnostic, a likelihood-ratio test, the coefficients of a regression."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from randomized_response import _scipy as scipy
from randomized_response._checks import as_level
from randomized_response._rows import read_like
from randomized_response.results import Result, TableResult

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Diagnostic(Result):
    """A warning to read before using a result. `name` is fixed; `message` describes it for these data."""

    name: str
    message: str

    def __str__(self) -> str:
        return f"{self.name}: {self.message}"


@dataclass(frozen=True)
class LikelihoodRatio(Result):
    """A likelihood-ratio test: twice the difference of the log likelihoods, and its p-value."""

    statistic: float
    degrees_of_freedom: int
    p_value: float

    def __str__(self) -> str:
        return f"LR = {self.statistic:.4f}, df = {self.degrees_of_freedom}, p = {self.p_value:.4g}"


@dataclass(frozen=True)
class WaldTest(Result):
    """The test that linear combinations of coefficients are 0; NaN where they or their covariance are not finite."""

    statistic: float
    degrees_of_freedom: int
    p_value: float

    def __str__(self) -> str:
        return f"Wald = {self.statistic:.4f}, df = {self.degrees_of_freedom}, p = {self.p_value:.4g}"


def likelihood_ratio(larger: float, smaller: float, degrees_of_freedom: int) -> LikelihoodRatio:
    """Test a smaller model within a larger one, from their log likelihoods (Wilks 1938)."""
    statistic = max(2 * (larger - smaller), 0.0) if np.isfinite([larger, smaller]).all() else float("nan")
    p_value = float(scipy.special.chdtrc(degrees_of_freedom, statistic)) if degrees_of_freedom > 0 else float("nan")
    return LikelihoodRatio(float(statistic), degrees_of_freedom, p_value)


def collinear(names: tuple[str, ...], triangle: Floats) -> Diagnostic:
    """Name the columns that are determined by those before them, from the triangle of their QR decomposition."""
    lengths = np.linalg.norm(triangle, axis=0)
    scaled = triangle / np.where(lengths > 0, lengths, 1.0)
    ranks = [0, *(int(np.linalg.matrix_rank(scaled[:, : j + 1], tol=1e-10)) for j in range(len(triangle)))]
    named = ", ".join(name for j, name in enumerate(names) if ranks[j + 1] == ranks[j]) or "some of them"
    message = f"covariates are collinear: {named} is determined by the columns before it, the intercept included"
    return Diagnostic("not identified", message)


def separation(names: Iterable[str]) -> Diagnostic:
    """Name the covariates along which the likelihood has no end, while only some rows are at 0 or 1."""
    return Diagnostic(
        "separation",
        f"the likelihood rises without end along {', '.join(names)}: rows singled out by these covariates report at a "
        "rate that only a proportion of exactly 0 or 1 explains best, so no finite coefficient is the estimate",
    )


def climbed(*, converged: bool, optima: int, causes: str, above: float = 0.0) -> tuple[Diagnostic, ...]:
    """Say where a climb found no finite maximum, with what may cause it, and where others are as high or higher."""
    if converged:
        return several_optima(optima, above)
    message = f"the likelihood has no finite maximum: {causes}; the coefficients are not given"
    return (Diagnostic("no finite maximum", message), *several_optima(optima, above))


def several_optima(optima: int, above: float = 0.0) -> tuple[Diagnostic, ...]:
    """Say how many summits are about as high, or by how much one without finite coefficients is higher."""
    if above > 0:
        message = f"the log likelihood is higher by {above:.2f} or more where coefficients have no end"
        return (Diagnostic("several optima", f"{message}; the highest finite summit is given"),)
    if optima > 1:
        message = f"{optima} different summits are within 0.5 of the highest log likelihood; the highest is given"
        return (Diagnostic("several optima", message),)
    return ()


@dataclass(frozen=True, eq=False, repr=False)
class RegressionFit(TableResult):
    """Coefficients of a regression by name, the intercept first, with their tests and intervals."""

    names: tuple[str, ...]
    coefficients: Floats
    standard_errors: Floats
    covariance: Floats

    @property
    def z_values(self) -> Floats:
        """Coefficients divided by their standard errors; NaN if one of them is not finite."""
        finite = np.isfinite(self.coefficients)
        return np.where(finite, self.coefficients, np.nan) / self.standard_errors

    @property
    def p_values(self) -> Floats:
        """Two-sided p-values of each coefficient being 0, by the normal distribution (Wald)."""
        return np.asarray(2 * scipy.special.ndtr(-np.abs(self.z_values)))

    def wald_test(self, contrasts: ArrayLike) -> WaldTest:
        """Test that linear combinations of the coefficients are 0 (Wald 1943).

        Parameters
        ----------
        contrasts : array of shape (q, p + 1)
            The weight of each coefficient in each combination; linearly independent rows.
        """
        table = np.atleast_2d(np.asarray(contrasts, dtype=np.float64))
        used = np.flatnonzero(table.any(axis=0))
        values, spread = self.coefficients[used], self.covariance[np.ix_(used, used)]
        statistic = float("nan")
        if used.size and np.isfinite(values).all() and np.isfinite(spread).all():
            some = table[:, used]
            statistic = float(some @ values @ np.linalg.solve(some @ spread @ some.T, some @ values))
        return WaldTest(statistic, len(table), float(scipy.special.chdtrc(len(table), statistic)))

    def intervals(self, confidence: float = 0.95) -> Floats:
        """Wald intervals of the coefficients, shape (p + 1, 2)."""
        reach = scipy.special.ndtri((1 + as_level(confidence)) / 2) * self.standard_errors
        return np.column_stack([self.coefficients - reach, self.coefficients + reach])

    def _design(self, covariates: ArrayLike) -> tuple[Floats, Floats]:
        """The rows of these covariates with their constant, and the standard error of each linear prediction."""
        table = read_like(covariates, self.names[1:])
        design = np.column_stack([np.ones(len(table)), table])
        return design, np.sqrt(np.einsum("ij,jk,ik->i", design, self.covariance, design))

    @property
    def covariates(self) -> tuple[str, ...]:
        """The names of the covariates, without the intercept."""
        return self.names[1:]

    @property
    def params(self) -> Floats:
        """`coefficients`, by the name of statsmodels; so are `bse`, `tvalues`, `pvalues`."""
        return self.coefficients

    @property
    def bse(self) -> Floats:
        return self.standard_errors

    @property
    def tvalues(self) -> Floats:
        return self.z_values

    @property
    def pvalues(self) -> Floats:
        return self.p_values

    def cov_params(self) -> Floats:
        """`covariance`, by the name of statsmodels."""
        return self.covariance

    def conf_int(self, alpha: float = 0.05) -> Floats:
        """`intervals` at the confidence 1 - alpha, by the name of statsmodels."""
        return self.intervals(1 - alpha)

    def columns(self) -> Mapping[str, Sequence[Any] | Floats]:
        """A row for each coefficient: its name, standard error, z, p-value and 95 % interval."""
        low, high = self.intervals().T
        return {
            "name": self.names, "coefficient": self.coefficients, "standard_error": self.standard_errors,
            "z": self.z_values, "p_value": self.p_values, "low": low, "high": high,
        }  # fmt: skip

    def summary(self) -> str:
        """A table of the coefficients, the test of all slopes, and every diagnostic."""
        titles = ("coef", "std err", "z", "p", "low", "high")
        columns = (self.coefficients, self.standard_errors, self.z_values, self.p_values, self.intervals())
        width, cells = max(map(len, self.names)), np.column_stack(columns)
        table = [" " * width + "".join(f" {title:>10}" for title in titles)]
        for name, row in zip(self.names, cells, strict=True):
            table.append(f"{name:{width}}" + "".join(f" {x:10.4f}" for x in row))
        head, foot = self._around_table()
        return "\n".join([*head, *table, *foot])

    def _around_table(self) -> tuple[list[str], list[str]]:
        """The lines above the table of coefficients, and those below."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.summary()

    __repr__ = __str__


class LikelihoodFit(RegressionFit):
    """A regression by maximum likelihood, with criteria for models of the same reports; the smaller is better."""

    log_likelihood: float
    n: int

    @property
    def parameters(self) -> int:
        """Number of parameters that were estimated."""
        return len(self.names)

    @property
    def aic(self) -> float:
        """Akaike's criterion, -2 log likelihood + 2 parameters."""
        return 2 * self.parameters - 2 * self.log_likelihood

    @property
    def bic(self) -> float:
        """Schwarz's criterion, -2 log likelihood + ln(n) parameters."""
        return float(np.log(self.n)) * self.parameters - 2 * self.log_likelihood
