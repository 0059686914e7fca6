"""Prevalence from a data frame: one door for every encoding, groups, weights and designs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomized_response._checks import as_labels, as_level
from randomized_response._labels import matched
from randomized_response._rows import Missing
from randomized_response.calibration import CalibratedWeights
from randomized_response.channel import Channel
from randomized_response.errors import ParameterError
from randomized_response.estimation import estimate_proportions
from randomized_response.questions import Mechanism
from randomized_response.results import ProportionEstimate, TableResult, Vector
from randomized_response.weighted import Weights, estimate_weighted

Names = str | Sequence[str]
Group = tuple[Any, ...]


@dataclass(frozen=True, eq=False, repr=False)
class PrevalenceEstimate(TableResult):
    """Estimated shares of the answers in each group. Made by `prevalence`; `found["young"]` is one group's estimate.

    Attributes
    ----------
    groups : tuple of tuples
        The values of the columns `by`, in order; one empty tuple where there are none.
    estimates : tuple of ProportionEstimate
        In the order of the groups.
    by, labels : tuples of str
        The grouping columns, and what each answer is called.
    dropped : int
        People without a report who were left out.
    """

    groups: tuple[Group, ...]
    estimates: tuple[ProportionEstimate, ...]
    by: tuple[str, ...]
    labels: tuple[str, ...]
    dropped: int

    def __getitem__(self, group: Any) -> ProportionEstimate:
        wanted = group if isinstance(group, tuple) else (group,)
        if wanted not in self.groups:
            raise KeyError(group)
        return self.estimates[self.groups.index(wanted)]

    def __iter__(self) -> Iterator[tuple[Group, ProportionEstimate]]:
        return zip(self.groups, self.estimates, strict=True)

    def __len__(self) -> int:
        return len(self.groups)

    def columns(self) -> Mapping[str, Sequence[Any] | Vector]:
        """A row for each answer in each group."""
        k = len(self.labels)
        found: dict[str, Sequence[Any] | Vector] = {
            name: [group[place] for group in self.groups for _ in range(k)] for place, name in enumerate(self.by)
        }
        found["answer"] = self.labels * len(self.groups)
        for title, name in _SHOWN.items():
            found[title] = np.concatenate([getattr(one, name) for one in self.estimates])
        found["n"] = [one.n for one in self.estimates for _ in range(k)]
        return found

    def __str__(self) -> str:
        columns = self.columns()
        cells = [[title, *(_text(value) for value in column)] for title, column in columns.items()]
        widths = [max(map(len, column)) for column in cells]
        lines = zip(*cells, strict=True)
        rows = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in lines]
        first = self.estimates[0]
        return "\n".join([f"{100 * first.confidence:g} % intervals: {first.interval}", *rows])

    __repr__ = __str__


_SHOWN = {
    "estimate": "constrained",
    "standard_error": "standard_error",
    "low": "low",
    "high": "high",
    "unbiased": "unbiased",
}


def prevalence(
    data: Mapping[Any, Any],
    question: Names,
    mechanism: Mechanism,
    *,
    by: Names = (),
    weights: str | Weights = None,
    strata: str | None = None,
    clusters: str | None = None,
    labels: Sequence[str] | None = None,
    confidence: float = 0.95,
    missing: Missing = "error",
) -> PrevalenceEstimate:
    """Estimate the shares of the true answers from a data frame of reports, of everybody or by group.

    Parameters
    ----------
    data : data frame (pandas, polars), or mapping from names to arrays of shape (n,)
        A row for each respondent.
    question : str, or sequence of k str
        The column with the reports; for an encoding of k bits its k columns.
    mechanism : Channel, UnaryEncoding, SubsetSelection or EachOption
        How the answers were randomised.
    by : str, or sequence of str
        Columns whose combinations are the groups; without them everybody is one.
    weights : str, CalibratedWeights or array of shape (n,), optional
        A column of positive weights, or the weights themselves (`calibrate`).
    strata, clusters : str, optional
        Columns of the sampling design, as for `estimate_weighted`.
    labels : sequence of k str, optional
        What the answers are called, "0", "1", ... by default. Reports may be these words in place of numbers where the
        table has as many reports as answers.
    confidence : float
        Level of each interval, in (0, 1).
    missing : {"error", "drop"}
        Whether a report that is missing is an error or leaves its person out.

    Returns
    -------
    PrevalenceEstimate
        With exact intervals (`estimate_proportions`) where there are neither weights nor a design, else those of
        `estimate_weighted`; groups are then parts of one sample, whose sizes are random.

    Raises
    ------
    ValueError
        Naming the column or argument, the bound and the value.

    Examples
    --------
    >>> from randomized_response import forced_response
    >>> data = {"age": ["old"] * 500 + ["young"] * 500, "q1": [1] * 200 + [0] * 300 + [1] * 150 + [0] * 350}
    >>> prevalence(data, "q1", forced_response(truth="1/2"), by="age", labels=["no", "yes"])
    95 % intervals: feldman_cousins
      age  answer  estimate  standard_error     low    high  unbiased    n
      old      no    0.7000          0.0439  0.6123  0.7850    0.7000  500
      old     yes    0.3000          0.0439  0.2150  0.3877    0.3000  500
    young      no    0.9000          0.0410  0.8168  0.9702    0.9000  500
    young     yes    0.1000          0.0410  0.0298  0.1832    0.1000  500
    """
    as_level(confidence)
    k = mechanism.answers if isinstance(mechanism, Channel) else mechanism.k
    words = as_labels(labels, k)
    if not isinstance(weights, str):
        data, weights = matched(data=data, weights=weights)
    reports, here = _reports(data, question, mechanism, words, missing)
    names = (by,) if isinstance(by, str) else tuple(by)
    groups, place = _groups([_column(data, name, len(here))[here] for name in names], int(here.sum()))
    mass = _weights(data, weights, here)
    design = {
        title: _column(data, name, len(here))[here]
        for title, name in (("strata", strata), ("clusters", clusters))
        if name is not None
    }
    estimates = tuple(
        estimate_weighted(reports, mechanism, mass, include=place == group, confidence=confidence, **design)
        if design or mass is not None
        else _counted(reports[place == group], mechanism, confidence)
        for group in range(len(groups))
    )
    return PrevalenceEstimate(groups, estimates, names, words, len(here) - int(here.sum()))


def _text(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float | np.floating) else str(value)


def _column(data: Mapping[Any, Any], name: str, n: int | None = None) -> NDArray[Any]:
    try:
        column = np.asarray(data[name])
    except Exception as error:  # every kind of data frame has its own for a column that it lacks
        raise ParameterError("data", f"must have a column {name!r}; got none") from error
    if column.ndim != 1 or (n is not None and column.size != n):
        need = "one entry per respondent" if n is None else f"{n} entries, as the reports"
        raise ParameterError("data", f"must have {need} in {name!r}; got shape {column.shape}")
    return column


def _reports(
    data: Mapping[Any, Any], question: Names, mechanism: Mechanism, words: tuple[str, ...], missing: Missing
) -> tuple[Vector, NDArray[np.bool_]]:
    """The reports of those who have one, and who they are."""
    if isinstance(mechanism, Channel):
        if not isinstance(question, str):
            raise ParameterError("question", f"must be one column for a table of single reports; got {question!r}")
        table = _codes(_column(data, question), words if mechanism.reports == len(words) else ())[:, None]
    else:
        names = [question] if isinstance(question, str) else list(question)
        if len(names) != mechanism.k:
            raise ParameterError("question", f"must name the {mechanism.k} columns of the bits; got {len(names)}")
        table = np.column_stack([_codes(_column(data, name), ()) for name in names])
    here: NDArray[np.bool_] = np.asarray(~np.isnan(table).any(axis=1))
    if not here.all() and missing == "error":
        first = int(np.argmin(here))
        raise ParameterError("data", f'must have a report in every row, or missing="drop"; row {first} has none')
    if not here.any():
        raise ParameterError("data", f"must have at least one report in {question!r}; got none")
    return (table[here, 0] if isinstance(mechanism, Channel) else table[here]), here


def _codes(column: NDArray[Any], words: tuple[str, ...]) -> NDArray[np.float64]:
    """Reports as numbers, NaN where there is none; words by their place among the labels."""
    numbers = {word: float(place) for place, word in enumerate(words)}
    if column.dtype.kind in "OUST":
        column = np.array([numbers.get(value, value) if isinstance(value, str) else value for value in column.tolist()])
    try:
        return np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError("reports", f"must be numbers{' or labels' if words else ''}; {error}") from None


def _groups(columns: Sequence[NDArray[Any]], n: int) -> tuple[tuple[Group, ...], NDArray[np.intp]]:
    """The combinations that occur, sorted, and that of each person."""
    if not columns:
        return ((),), np.zeros(n, dtype=np.intp)
    parts = [np.unique(column, return_inverse=True) for column in columns]
    joint = np.ravel_multi_index([code.ravel() for _, code in parts], [len(values) for values, _ in parts])
    cells, place = np.unique(joint, return_inverse=True)
    each = np.unravel_index(cells, [len(values) for values, _ in parts])
    names = [values[at].tolist() for (values, _), at in zip(parts, each, strict=True)]
    return tuple(zip(*names, strict=True)), place.ravel()


def _weights(data: Mapping[Any, Any], weights: str | Weights, here: NDArray[np.bool_]) -> Weights:
    if weights is None or (isinstance(weights, CalibratedWeights) and here.all()):
        return weights
    if isinstance(weights, CalibratedWeights):
        need = "must be calibrated among those with a report; calibrate again without the others"
        raise ParameterError("weights", need)
    array = _column(data, weights, len(here)) if isinstance(weights, str) else np.asarray(weights)
    if array.shape != here.shape:
        raise ParameterError("weights", f"must have one entry per row, shape {here.shape}; got shape {array.shape}")
    return array[here]


def _counted(table: Vector, mechanism: Mechanism, confidence: float) -> ProportionEstimate:
    symbols = mechanism.reports if isinstance(mechanism, Channel) else 2
    wrong = np.argwhere(~((table >= 0) & (table < symbols) & (table == np.floor(table))))
    if wrong.size:
        value = table[tuple(wrong[0])]
        raise ParameterError("reports", f"must be whole numbers from 0 to {symbols - 1}; got {value:g}")
    if isinstance(mechanism, Channel):
        counts = np.bincount(table.astype(np.intp), minlength=symbols)
        return estimate_proportions(counts, mechanism, confidence)
    return mechanism.estimate(table.sum(axis=0).astype(np.int64), len(table), confidence)
