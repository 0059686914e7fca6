"""Results of estimation: frozen records with readable text, convertible to plain JSON types."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from html import escape
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomized_response.channel import Channel

Vector = NDArray[np.float64]


class Result:
    """Base class of every result: arrays are read-only, `to_dict()` returns only plain JSON types."""

    def __post_init__(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    def to_dict(self) -> dict[str, object]:
        """Every field by name: lists, numbers, text; None for values that are undefined (NaN) or not given."""
        named = {one.name: getattr(self, one.name) for one in fields(self) if one.repr}  # type: ignore[arg-type]
        return {name: _plain(value) for name, value in named.items()}


class TableResult(Result):
    """Base class of results that are a table: as text, in a notebook, and as a data frame of pandas."""

    def columns(self) -> Mapping[str, Sequence[Any] | Vector]:
        """The columns of the table by name, all of one length."""
        raise NotImplementedError

    def to_frame(self) -> Any:
        """The table as a pandas data frame, numbers in full. Raises ModuleNotFoundError where pandas is missing."""
        return import_module("pandas").DataFrame({name: list(column) for name, column in self.columns().items()})

    def _repr_html_(self) -> str:
        columns = self.columns()
        head = "".join(f"<th>{escape(name)}</th>" for name in columns)
        rows = ("".join(map(_cell, row)) for row in zip(*columns.values(), strict=True))
        return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


@dataclass(frozen=True, eq=False, repr=False)
class ProportionEstimate(TableResult):
    """Estimated shares of the k answers, with errors and intervals. Made by `estimate_proportions`.

    Attributes
    ----------
    unbiased : array (k,)
        B @ (counts / n). May be below 0 or above 1; its mean over repetitions is the truth.
    constrained : array (k,)
        The estimate to show: never negative, of sum 1 where the answers exclude each other.
    standard_error, covariance : array (k,), array (k, k)
        Of `unbiased`, sampling of respondents and coin together, n - 1 convention.
    noise_standard_error, noise_covariance : array (k,), array (k, k)
        The coin's part alone: the error about the share among the n people who took part.
    low, high : array (k,)
        Interval for the share in the population, inside [0, 1], holding `constrained`.
    noise_low, noise_high : array (k,)
        Interval for the share among the n people who took part, where only the coin is random.
    n : int
        Number of reports.
    interval, noise_interval : str
        The methods that gave the two intervals: not always the one that was asked for.
    confidence : float
        Level of each interval on its own; of all together where `simultaneous`.
    population_size : int or None
        Size of the finite population that respondents were drawn from, where one was given.
    simultaneous : bool
        Whether all intervals hold at once with probability `confidence`.
    exclusive : bool
        Whether the answers exclude each other, so that their shares sum to 1; False for options of which several may
        apply.
    limits_at : function or None
        `low` and `high` by the same method at another confidence, for what inverts them (`compare`); None where only
        those at `confidence` are known. No part of `to_dict()`.
    tails_at : function or None
        Limits of equal tails at a confidence, around `unbiased` and not cut to [0, 1], for what puts groups together
        (`combine_strata`); None where only normal ones are known. No part of `to_dict()`.
    noise_tails_at : function or None
        The same for the share among the n people who took part.
    rates : array (m,) or None
        Share of each report, of strata put together weighted by the strata's; None where reports are several bits.
    channel : Channel or None
        The table that `rates` were made with. Neither of the two is in `to_dict()`.
    """

    unbiased: Vector
    constrained: Vector
    standard_error: Vector
    covariance: Vector
    noise_standard_error: Vector
    noise_covariance: Vector
    low: Vector
    high: Vector
    noise_low: Vector
    noise_high: Vector
    n: int
    interval: str
    noise_interval: str
    confidence: float
    population_size: int | None = None
    simultaneous: bool = False
    exclusive: bool = True
    limits_at: Callable[[float], tuple[Vector, Vector]] | None = field(default=None, repr=False)
    tails_at: Callable[[float], tuple[Vector, Vector]] | None = field(default=None, repr=False)
    noise_tails_at: Callable[[float], tuple[Vector, Vector]] | None = field(default=None, repr=False)
    rates: Vector | None = field(default=None, repr=False)
    channel: Channel | None = field(default=None, repr=False)

    @property
    def direct_question_n(self) -> Vector:
        """Number of honest respondents whom a direct question would have needed for the same standard error.

        1 + share (1 - share) / standard_error^2, at the constrained share; NaN where no standard error is defined, and
        where the interval touches 0 or 1: near there the share is not known well enough to say what it would need. The
        price of protection: about n p^2 share (1 - share) / (rate (1 - rate)).

        Examples
        --------
        >>> from randomized_response import estimate_proportions, forced_response
        >>> estimate_proportions([600, 400], forced_response(truth="1/2")).direct_question_n.round(1)
        array([219.5, 219.5])
        """
        spread = self.constrained * (1 - self.constrained)
        known = (self.standard_error > 0) & (self.low > 0) & (self.high < 1)
        return 1 + np.divide(spread, self.standard_error**2, out=np.full_like(spread, np.nan), where=known)

    @property
    def misfit(self) -> Vector:
        """Distance of each unbiased share from [0, 1], in randomization standard errors; 0 inside, NaN if n is 0.

        Chance alone leads above 4 in fewer than one survey in 10,000 for each share: the reports are then not those of
        people who followed the table (false reports, a wrong table, codes mixed up), and no interval means anything.

        Examples
        --------
        >>> from randomized_response import estimate_proportions, forced_response
        >>> estimate_proportions([900, 100], forced_response(truth="1/2")).misfit.round(1)
        array([11., 11.])
        """
        outside = np.maximum(np.maximum(-self.unbiased, self.unbiased - 1), 0)
        known = self.noise_standard_error > 0
        return np.divide(outside, self.noise_standard_error, out=np.where(outside > 0, np.inf, outside), where=known)

    def columns(self) -> Mapping[str, Sequence[Any] | Vector]:
        """A row for each answer: what is shown, its standard error and interval, and the unbiased share."""
        return {
            "answer": range(len(self.unbiased)), "estimate": self.constrained, "standard_error": self.standard_error,
            "low": self.low, "high": self.high, "unbiased": self.unbiased,
        }  # fmt: skip

    def __str__(self) -> str:
        level = f"{100 * self.confidence:g} %{' simultaneous' if self.simultaneous else ''}"
        head = f"{self.n} reports; {level} intervals: {self.interval}"
        columns = {"estimate": "8.4f", "std. error": "10.4f", "low": "6.4f", "high": "6.4f", "unbiased": "8.4f"}
        values = (self.constrained, self.standard_error, self.low, self.high, self.unbiased)
        return "\n".join([head, *answer_table(columns, *values)])

    __repr__ = __str__


def answer_table(columns: dict[str, str], *values: Vector, gap: str = "  ") -> list[str]:
    """Aligned lines of text: the titles of the columns, each with its format, then the values of each answer."""
    head = [f"{title:>{form.partition('.')[0]}}" for title, form in columns.items()]
    lines = [["answer", *head]]
    for answer, row in enumerate(zip(*values, strict=True)):
        lines.append([f"{answer:>6}", *(f"{x:{form}}" for x, form in zip(row, columns.values(), strict=True))])
    return [gap.join(line) for line in lines]


def _cell(value: Any) -> str:
    """A cell of a table in HTML: numbers with four digits after the point, all else as text."""
    number = isinstance(value, float | np.floating)
    return f"<td>{f'{value:.4f}' if number else escape(str(value))}</td>"


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return [_plain(part) for part in value.tolist()]
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value.to_dict() if isinstance(value, Result) else value
