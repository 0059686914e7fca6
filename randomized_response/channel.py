"""The channel: a randomized-response mechanism as one table of integers.

    P(report = y | answer = x) = weights[x][y] / denominator

For each answer there is a box of `denominator` tickets; `weights[x][y]` of them say y; one is drawn. The same table
is drawn from, validated against, inverted and measured, so nothing is stated twice and nothing is rounded in between.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from randomized_response._checks import as_distribution, is_integer
from randomized_response._exact import inverse, log_up, rank
from randomized_response.errors import ParameterError

LARGEST_DENOMINATOR = 2**32
"""Largest number of tickets in a box, since a ticket is drawn from words of 32 bits."""

_LARGEST_EXACT_INVERSE = 16
"""Largest number of answers for which a table is inverted in fractions."""


@dataclass(frozen=True)
class Channel:
    """A randomized-response mechanism as a table of integers.

    Parameters
    ----------
    weights : k rows of m non-negative integers
        `weights[x][y]` tickets say report y where the answer is x. Every row has the same sum, the denominator,
        from 1 to 2**32. k >= 2 answers, m >= 2 reports.
    name : str
        The constructor that made the table, "custom" where it was written by hand.
    truth : Fraction or None
        The truth probability of the constructor; None where the mechanism has none.

    Raises
    ------
    ValueError
        Naming the row, the bound and the value, where the table is not such a table.

    References
    ----------
    Warner, S. L. (1965). Randomized response: a survey technique for eliminating evasive answer bias. JASA 60, 63-69.

    Examples
    --------
    >>> channel = Channel(((3, 1), (1, 3)))
    >>> channel.denominator, channel.ratio
    (4, Fraction(3, 1))
    """

    weights: tuple[tuple[int, ...], ...]
    name: str = "custom"
    truth: Fraction | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", _checked_weights(self.weights))

    @property
    def answers(self) -> int:
        """Number k of possible answers (rows)."""
        return len(self.weights)

    @property
    def reports(self) -> int:
        """Number m of possible reports (columns)."""
        return len(self.weights[0])

    @property
    def denominator(self) -> int:
        """Number of tickets in each box: the sum of every row."""
        return sum(self.weights[0])

    @cached_property
    def matrix(self) -> NDArray[np.float64]:
        """P(report y | answer x) as a read-only array of shape (k, m); rows sum to 1."""
        matrix = np.array(self.weights, dtype=np.float64) / self.denominator
        matrix.setflags(write=False)
        return matrix

    @cached_property
    def ratio(self) -> Fraction | float:
        """e^epsilon, exact: the largest ratio of one report's probabilities under two answers; inf where one is 0."""
        largest = Fraction(1)
        for column in zip(*self.weights, strict=True):
            if max(column) == 0:
                continue
            if min(column) == 0:
                return math.inf
            largest = max(largest, Fraction(max(column), min(column)))
        return largest

    @cached_property
    def epsilon(self) -> float:
        """Privacy loss of one report, natural logarithm, rounded up: the first double not below the exact ln(ratio).

        Whatever anyone believed before, a report multiplies the odds of any two answers by at most e^epsilon
        (Dwork & Roth 2014, definition 2.4 applied to one respondent).
        """
        return math.inf if isinstance(self.ratio, float) else log_up(self.ratio)

    @cached_property
    def background(self) -> NDArray[np.int64] | None:
        """b where the table is `gain` times the identity plus one row b repeated: weights[x][y] = gain (x == y) + b[y].

        Then whoever does not hold answer y reports y with the same probability b[y] / D, and the number of reports y
        is exactly binomial with a rate linear in the share of y. Every yes/no table and k-ary response is of this
        form. None where the table is not, or says nothing (gain 0).
        """
        if self.answers != self.reports:
            return None
        weights = np.array(self.weights, dtype=np.int64)
        others = np.where(np.eye(self.answers, dtype=bool), -1, weights)
        background = others.max(axis=0)
        alike = (others == background) | np.eye(self.answers, dtype=bool)
        return background if alike.all() and weights[0, 0] != background[0] else None

    @property
    def gain(self) -> int:
        """The number of extra tickets for report y if the answer is y. Only defined if `background` is."""
        if self.background is None:
            raise ValueError(f"gain is defined for tables with one background; got {self.name} without one")
        return self.weights[0][0] - int(self.background[0])

    @cached_property
    def left_inverse(self) -> NDArray[np.float64]:
        """B, shape (k, m), with B @ matrix.T = identity, so that B @ (shares of reports) is unbiased for the answers.

        (D I - b 1^T) / gain where the table has one background b; else the inverse of a square table; both correctly
        rounded (above 16 answers the inverse is numpy's). For more reports than answers, generalised least squares with
        the covariance of the reports where all answers are equally frequent: of least variance there. Its columns
        sum to 1, so that estimated shares do.

        Raises
        ------
        ValueError
            Where rows are linearly dependent: some mixture of answers cannot be told from another.
        """
        left = self._general_left_inverse() if self.background is None else self._uniform_left_inverse()
        left.setflags(write=False)
        return left

    def _uniform_left_inverse(self) -> NDArray[np.float64]:
        assert self.background is not None
        return np.asarray((self.denominator * np.eye(self.answers) - self.background[:, None]) / self.gain)

    def _general_left_inverse(self) -> NDArray[np.float64]:
        self.require_independent_rows()
        if self.answers == self.reports <= _LARGEST_EXACT_INVERSE:
            return np.array([[float(self.denominator * e) for e in row] for row in inverse(self.weights)]).T
        rates = self.matrix.mean(axis=0)
        scale = np.sqrt(np.divide(1, rates, out=np.zeros_like(rates), where=rates > 0))
        return np.asarray(np.linalg.pinv(self.matrix.T * scale[:, None], rcond=0) * scale)

    def require_independent_rows(self) -> None:
        """Raise ValueError if rows are linearly dependent, by exact integer elimination."""
        found = rank(self.weights)
        if found < self.answers:
            need = f"weights must have linearly independent rows, rank {self.answers}, to be estimated from"
            raise ValueError(f"{need}; got rank {found}")

    def posterior(self, prior: ArrayLike) -> NDArray[np.float64]:
        """Posterior probabilities of the answers given each report, by Bayes' rule.

        Parameters
        ----------
        prior : array of shape (k,)
            Belief before the report; non-negative, sums to 1.

        Returns
        -------
        array of shape (m, k)
            Row y: the probabilities of each answer after report y. A row is NaN where report y is impossible.

        Examples
        --------
        >>> Channel(((3, 1), (1, 3))).posterior([0.5, 0.5])
        array([[0.75, 0.25],
               [0.25, 0.75]])
        """
        joint = self.matrix.T * as_distribution(prior, name="prior", size=self.answers)
        total = joint.sum(axis=1, keepdims=True)
        return np.asarray(np.divide(joint, total, out=np.full_like(joint, np.nan), where=total > 0))


def _checked_weights(weights: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    rows = [tuple(row) for row in weights]
    if len(rows) < 2:
        raise ParameterError("weights", f"must have at least 2 rows, one per answer; got {len(rows)}")
    for x, row in enumerate(rows):
        if len(row) != len(rows[0]) or len(row) < 2:
            raise ParameterError(f"weights[{x}]", f"must have as many entries as row 0, at least 2; got {len(row)}")
        if set(map(type, row)) == {int} and min(row) >= 0:
            continue  # as nearly always, in a table of up to 65,536
        for y, weight in enumerate(row):
            if not is_integer(weight) or weight < 0:
                raise ParameterError(f"weights[{x}][{y}]", f"must be a non-negative integer; got {weight!r}")
    denominator = sum(rows[0])
    if not 1 <= denominator <= LARGEST_DENOMINATOR:
        raise ParameterError("weights[0]", f"must sum to a denominator from 1 to 2**32; got {denominator}")
    for x, row in enumerate(rows):
        if sum(row) != denominator:
            raise ParameterError(f"weights[{x}]", f"must sum to {denominator} like row 0; got {sum(row)}")
    return tuple(tuple(map(int, row)) for row in rows)
