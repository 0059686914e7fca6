"""Average marginal effects and predictive margins of fitted regressions, with errors by the delta method."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from randomized_response import _scipy as scipy
from randomized_response._checks import as_level
from randomized_response._combinations import moves, pattern_of
from randomized_response._links import Link
from randomized_response._rows import read_like
from randomized_response.errors import ParameterError
from randomized_response.results import Result, TableResult

Floats = NDArray[np.float64]
Averages = Sequence[tuple[float, Floats]]
"""Of each scenario the average, and its derivatives by the coefficients."""
Scenario = tuple[int | Sequence[int | None] | None, ArrayLike | None]
"""The answers to randomised predictors that all give, and their covariates; None for those as they are."""


@dataclass(frozen=True, eq=False, repr=False)
class MarginalEffects(TableResult):
    """By how much the proportion of an answer changes with each covariate. Made by a fit's `get_margeff`.

    Attributes
    ----------
    names : tuple of str
        The covariates; of several answers each with its answer before it.
    margeff, margeff_se, covariance : arrays of shape (p,), (p,), (p, p)
        Average effects, their standard errors and their covariance. NaN where the fit has no finite coefficients.
    steps : tuple of bool
        Whether the effect is that of the step from 0 to 1, not a derivative.
    """

    names: tuple[str, ...]
    margeff: Floats
    margeff_se: Floats
    covariance: Floats
    steps: tuple[bool, ...]

    @property
    def pvalues(self) -> Floats:
        """Two-sided p-values of each effect being 0, by the normal distribution."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(2 * scipy.special.ndtr(-np.abs(self.margeff / self.margeff_se)))

    def conf_int(self, alpha: float = 0.05) -> Floats:
        """Normal intervals of level 1 - alpha, shape (p, 2)."""
        reach = scipy.special.ndtri((1 + as_level(1 - alpha, name="1 - alpha")) / 2) * self.margeff_se
        return np.column_stack([self.margeff - reach, self.margeff + reach])

    def columns(self) -> Mapping[str, Sequence[Any] | Floats]:
        """A row for each effect."""
        low, high = self.conf_int().T
        return {
            "name": self.names, "effect": self.margeff, "standard_error": self.margeff_se, "p_value": self.pvalues,
            "low": low, "high": high,
        }  # fmt: skip

    def __str__(self) -> str:
        width = max(len("effect of"), *map(len, self.names))
        lines = [f"{'effect of':{width}}     effect    std err          p        low       high"]
        rows = zip(*list(self.columns().values())[1:], strict=True)
        lines += [
            f"{name:{width}}" + "".join(f" {value:10.4f}" for value in row)
            for name, row in zip(self.names, rows, strict=True)
        ]
        return "\n".join(lines)

    __repr__ = __str__


def effects_of(
    names: Sequence[str], effects: Floats, slopes: Floats, spread: Floats, steps: Sequence[bool]
) -> MarginalEffects:
    """Effects with the derivatives `slopes` (effects, coefficients) by the coefficients, of covariance `spread`."""
    covariance = slopes @ spread @ slopes.T
    with np.errstate(invalid="ignore"):
        errors = np.sqrt(np.diag(covariance))
    return MarginalEffects(tuple(names), effects, errors, covariance, tuple(steps))


def steps_of(columns: Floats, *, dummy: bool) -> list[bool]:
    """Whether each covariate (a row of `columns`) takes the values 0 and 1 alone."""
    return [dummy and bool(np.isin(column, (0.0, 1.0)).all()) for column in columns]


def average_effects(
    names: Sequence[str],
    columns: Floats,
    mass: Floats,
    coefficients: Floats,
    spread: Floats,
    link: Link,
    *,
    dummy: bool,
) -> MarginalEffects:
    """The effects on the share of yes, averaged over people with these columns (p + 1, n), the constant first."""
    share = mass / mass.sum()
    steps = steps_of(columns[1:], dummy=dummy)
    effects, slopes = np.empty(len(steps)), np.empty((len(steps), len(columns)))
    eta = coefficients @ columns
    first, second = link.slopes(eta, *link.shares(eta))
    for j, step in enumerate(steps, start=1):
        if not step:
            effects[j - 1] = coefficients[j] * float(share @ first)
            slopes[j - 1] = coefficients[j] * (columns @ (share * second))
            slopes[j - 1, j] += float(share @ first)
            continue
        ends = []
        for value in (0.0, 1.0):
            moved = columns.copy()
            moved[j] = value
            at = coefficients @ moved
            yes, no = link.shares(at)
            ends.append((float(share @ yes), moved @ (share * link.slopes(at, yes, no)[0])))
        effects[j - 1], slopes[j - 1] = ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]
    return effects_of(names[1:], effects, slopes, spread, steps)


class Margined(Protocol):
    """A fitted regression whose predictions can be averaged."""

    @property
    def bounded(self) -> bool:
        """Whether it predicts shares, from 0 to 1."""

    @property
    def covariates(self) -> tuple[str, ...]:
        """The names of the covariates, without the intercept."""

    @property
    def covariance(self) -> Floats:
        """Of the coefficients."""

    def margin(self, columns: Floats, share: Floats) -> tuple[Floats, Floats]:
        """The predictions (k,) averaged over people, with their derivatives by the coefficients (k, q).

        - `columns`: of the people, the constant first, shape (p + 1, n).
        - `share`: of each in the average, shape (n,), summing to 1.
        """


@dataclass(frozen=True, eq=False)
class PredictiveMargins(Result):
    """Predictions averaged over people in s scenarios. Made by `predictive_margins` and `PredictorFit.margins`.

    Attributes
    ----------
    estimates, standard_errors : arrays of shape (s, k)
        The average of each of k shares, or of one mean, in each scenario. Errors are NaN without a finite fit.
    covariance : array of shape (s * k, s * k)
        Of the estimates, scenario by scenario.
    bounded : bool
        Whether the estimates are shares: their intervals are then made on the logit scale.

    Examples
    --------
    >>> import numpy as np
    >>> PredictiveMargins(np.array([[2.0], [1.5]]), np.diag([0.01, 0.04]), bounded=False).difference(0, 1)[0]
    array([0.5])
    """

    estimates: Floats
    covariance: Floats
    bounded: bool

    @property
    def standard_errors(self) -> Floats:
        with np.errstate(invalid="ignore"):
            return np.asarray(np.sqrt(np.diag(self.covariance)).reshape(self.estimates.shape))

    def intervals(self, confidence: float = 0.95) -> Floats:
        """Normal intervals of the estimates, those of shares on the logit scale, shape (s, k, 2)."""
        reach = scipy.special.ndtri((1 + as_level(confidence)) / 2) * self.standard_errors
        sides = np.array([-1.0, 1.0])
        if not self.bounded:
            return np.asarray(self.estimates[..., None] + reach[..., None] * sides)
        with np.errstate(divide="ignore", invalid="ignore"):
            inside = self.estimates * (1 - self.estimates)
            around = scipy.special.logit(self.estimates)[..., None] + (reach / inside)[..., None] * sides
        return np.asarray(scipy.special.expit(around))

    def difference(self, one: int, other: int) -> tuple[Floats, Floats]:
        """Estimates of one scenario minus those of another, and their standard errors, both of shape (k,)."""
        scenarios, k = self.estimates.shape
        blocks = np.diagonal(self.covariance.reshape(scenarios, k, scenarios, k), axis1=1, axis2=3)
        variances = blocks[one, one] + blocks[other, other] - 2 * blocks[one, other]
        with np.errstate(invalid="ignore"):
            errors = np.sqrt(np.maximum(variances, 0))
        return self.estimates[one] - self.estimates[other], np.asarray(errors)


def predictive_margins(
    fit: Margined, scenarios: Sequence[ArrayLike], weights: ArrayLike | None = None
) -> PredictiveMargins:
    """Average the predictions of a regression over people, as if all were in each of some scenarios.

    Parameters
    ----------
    fit : LogisticFit, LinearFit or CategoricalFit
    scenarios : sequence of arrays of shape (n, p)
        The covariates of the same n people in each scenario: as they are, but for what the scenario changes.
    weights : array of shape (n,), optional
        How much each person counts: not negative, not all 0. All alike by default.

    Returns
    -------
    PredictiveMargins
        Errors by the delta method, the people taken as they are.

    Raises
    ------
    ValueError
        Naming the argument, the bound and the value.

    References
    ----------
    Graubard, B. I. & Korn, E. L. (1999). Predictive margins with survey data. Biometrics 55, 652-659.

    Examples
    --------
    >>> from randomized_response import forced_response, logistic_regression
    >>> woman, report = [1, 1, 0, 0], [1, 0, 1, 0]
    >>> fit = logistic_regression(woman, report, forced_response(truth="1/2"), counts=[200, 200, 200, 400])
    >>> margins = predictive_margins(fit, [[[1]], [[0]]])
    >>> margins.estimates.ravel().round(6), margins.difference(0, 1)[0].round(6)
    (array([0.5     , 0.166667]), array([0.333333]))
    """
    if not scenarios:
        raise ParameterError("scenarios", "must be at least one; got none")
    tables = [read_like(one, fit.covariates) for one in scenarios]
    people = len(tables[0])
    if not people or any(len(one) != people for one in tables):
        raise ParameterError("scenarios", f"must have the same people, at least 1; got {[len(one) for one in tables]}")
    share = shares_of(weights, people)
    found = [fit.margin(np.vstack([np.ones(people), one.T]), share) for one in tables]
    slopes = np.vstack([slope for _, slope in found])
    return PredictiveMargins(np.array([mean for mean, _ in found]), slopes @ fit.covariance @ slopes.T, fit.bounded)


def shares_of(weights: ArrayLike | None, people: int) -> Floats:
    """What part of an average each of some people makes, by their weights; all alike by default."""
    mass = np.ones(people) if weights is None else np.asarray(weights, dtype=np.float64)
    if mass.shape != (people,) or not np.isfinite(mass).all() or mass.min() < 0 or not mass.any():
        need = f"must be {people} finite numbers from 0, not all 0"
        raise ParameterError("weights", f"{need}; got an array of shape {mass.shape}")
    return np.asarray(mass / mass.sum())


class LatentFit:
    """What fits with randomised predictors share: effects that add up, and averages as if all gave some answer."""

    names: tuple[str, ...]
    coefficients: Floats
    covariance: Floats
    labels: tuple[str, ...]
    first: int
    sizes: Sequence[int]
    modifiers: Sequence[int]

    @cached_property
    def pattern(self) -> Floats:
        """Which of the effects add up to that of each answer, shape (labels, effects)."""
        return pattern_of(self.sizes)

    @property
    def effects(self) -> Floats:
        return self.coefficients[self.first : self.first + self.pattern.shape[1]]

    @property
    def effect_table(self) -> Floats:
        """The effects, a row for each of the modifiers, the constant first: shape (modifiers, effects)."""
        rows, effects = len(self.modifiers), self.pattern.shape[1]
        return self.coefficients[self.first : self.first + rows * effects].reshape(rows, effects)

    def effects_at(self, covariates: ArrayLike) -> "PredictiveMargins":
        """The effects of the answers on people with some covariates, on the scale of the coefficients.

        Parameters
        ----------
        covariates : array of shape (s, p)
            As in the fit; of a data frame by the names of its columns. Those that are no modifiers do not matter.

        Returns
        -------
        PredictiveMargins
            `estimates` of shape (s, k - 1), in the order of `effects`, with normal intervals.

        Examples
        --------
        Of 0 and of 1 the log odds ratio of an outcome with the answer yes, by the groups of one covariate.

        >>> from randomized_response import forced_response, predictor_regression
        >>> group, reports, cheated = [[0]] * 4 + [[1]] * 4, [0, 0, 1, 1] * 2, [0, 1, 0, 1] * 2
        >>> counts = [500, 200, 300, 400, 500, 200, 350, 350]
        >>> fit = predictor_regression(cheated, group, reports, forced_response(truth="1/2"), model="logit",
        ...                            modifiers=[0], counts=counts)
        >>> fit.effects_at([[0], [1]]).estimates.ravel().round(3)
        array([2.708, 1.961])
        """
        people = read_like(covariates, self.names[1 : self.first])
        by = np.vstack([np.ones(len(people)), people.T])[list(self.modifiers)]
        slopes = np.kron(by.T, np.eye(self.pattern.shape[1]))
        own = slice(self.first, self.first + self.effect_table.size)
        return PredictiveMargins(by.T @ self.effect_table, slopes @ self.covariance[own, own] @ slopes.T, bounded=False)

    @property
    def bounded(self) -> bool:
        """Whether the outcome is a share, from 0 to 1."""
        raise NotImplementedError

    def _averages(self, people: Floats, scenarios: Sequence[tuple[Floats, Floats]], share: Floats) -> Averages:
        """Of each scenario, `moves` and covariates, the average outcome and its derivatives by the coefficients.

        `people` are the covariates as they are, `share` the part that each person makes of the average.
        """
        raise NotImplementedError

    def margins(
        self,
        covariates: ArrayLike,
        scenarios: Sequence[Scenario],
        weights: ArrayLike | None = None,
    ) -> PredictiveMargins:
        """Average the outcome over people, as if all gave an answer, or had other covariates, in each scenario.

        Parameters
        ----------
        covariates : array of shape (n, p)
            Of n people as they are, as in the fit; of a data frame by the names of its columns.
        scenarios : sequence of (answer, covariates)
            The place of an answer in `labels`; of several predictors also a sequence with the place of an answer to
            each, None where everybody keeps hers; or None, where she keeps all. What is kept is averaged over the
            shares that the fit predicts. And covariates of shape (n, p), or None for those as they are.
        weights : array of shape (n,), optional
            How much each person counts: not negative, not all 0. All alike by default.

        Returns
        -------
        PredictiveMargins
            Of one share, or mean, in each scenario; as by `predictive_margins`.

        Raises
        ------
        ValueError
            Naming the argument, the bound and the value.

        Examples
        --------
        >>> import numpy as np
        >>> from randomized_response import forced_response, predictor_regression
        >>> reports, cheated = [0, 0, 1, 1], [0, 1, 0, 1]
        >>> fit = predictor_regression(cheated, np.empty((4, 0)), reports, forced_response(truth="1/2"), model="logit",
        ...                            counts=[500, 200, 300, 400])
        >>> found = fit.margins(np.empty((1, 0)), [(0, None), (1, None)])
        >>> found.estimates.ravel().round(3), found.difference(1, 0)[0].round(3)
        (array([0.143, 0.714]), array([0.571]))
        """
        people, given = _read_scenarios(scenarios, covariates, self.names[1 : self.first], self.sizes)
        found = self._averages(people, given, shares_of(weights, len(people)))
        slopes = np.array([slope for _, slope in found])
        estimates = np.array([[mean] for mean, _ in found])
        return PredictiveMargins(estimates, slopes @ self.covariance @ slopes.T, self.bounded)


def _read_scenarios(
    scenarios: Sequence[Scenario], covariates: ArrayLike, names: Sequence[str], sizes: Sequence[int]
) -> tuple[Floats, list[tuple[Floats, Floats]]]:
    """The covariates of people as they are, and of each scenario the `moves` of their answers, and their covariates."""
    table = read_like(covariates, names)
    if not scenarios:
        raise ParameterError("scenarios", "must be at least one; got none")
    found = []
    for number, (answer, given) in enumerate(scenarios):
        moved = table if given is None else read_like(given, names)
        if len(moved) != len(table):
            need = f"must have the covariates of {len(table)} people; got those of {len(moved)}"
            raise ParameterError(f"scenarios[{number}]", need)
        found.append((moves(answer, sizes, f"scenarios[{number}]"), moved))
    return table, found
