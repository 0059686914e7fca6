"""Shared parts of results: a named diagnostic and a likelihood-ratio test."""

from dataclasses import dataclass

import numpy as np
import scipy

from randomized_response.results import Result


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


def likelihood_ratio(larger: float, smaller: float, degrees_of_freedom: int) -> LikelihoodRatio:
    """Test a smaller model within a larger one, from their log likelihoods (Wilks 1938)."""
    statistic = max(2 * (larger - smaller), 0.0) if np.isfinite([larger, smaller]).all() else float("nan")
    p_value = float(scipy.special.chdtrc(degrees_of_freedom, statistic)) if degrees_of_freedom > 0 else float("nan")
    return LikelihoodRatio(float(statistic), degrees_of_freedom, p_value)


def text_table(names: tuple[str, ...], columns: dict[str, "np.typing.ArrayLike"], digits: int = 4) -> list[str]:
    """Format aligned lines of text: a header, then one line per name."""
    width = max(len(name) for name in names)
    cells = np.column_stack([np.asarray(values, dtype=np.float64) for values in columns.values()])
    head = " " * width + "".join(f" {title:>10}" for title in columns)
    body = [
        f"{name:{width}}" + "".join(f" {x:10.{digits}f}" for x in row) for name, row in zip(names, cells, strict=True)
    ]
    return [head, *body]
