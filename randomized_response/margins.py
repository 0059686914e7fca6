"""Average marginal effects of a fitted regression, with standard errors by the delta method."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomized_response import _scipy as scipy
from randomized_response._checks import as_level
from randomized_response._links import Link
from randomized_response.results import TableResult

Floats = NDArray[np.float64]


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
