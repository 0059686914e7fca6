"""Several randomized predictors as one: the combinations of their answers, reported through one table."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from randomized_response._checks import as_count, as_labels
from randomized_response._labels import matched
from randomized_response._rows import CovariateRows, Missing, read_rows
from randomized_response.channel import Channel
from randomized_response.errors import ParameterError

MOST = 36
"""Combinations of answers that are told apart."""


@dataclass(frozen=True)
class Combinations:
    """The k combinations of the answers to one or more predictors, each one's reference first.

    - `channel`: of all reports together, its rows in the order of the answers, not yet of the references.
    - `codes`: the reports through it, as they were given of one predictor.
    - `order`: the row of each combination.
    - `labels`: what each is called.
    - `effects`: the names of the coefficients of the answers.
    - `answers`: what those to each predictor are called, the reference first.
    - `modifiers`: the places of the columns that the effects are multiplied by, the intercept first.
    """

    channel: Channel
    codes: Any
    order: list[int]
    labels: tuple[str, ...]
    effects: tuple[str, ...]
    answers: tuple[tuple[str, ...], ...]
    modifiers: tuple[int, ...] = (0,)

    def names(self, columns: Sequence[str]) -> tuple[str, ...]:
        """The names of the outcome's coefficients: of the columns, of the effects, of these times each modifier."""
        modified = (f"{effect} × {columns[at]}" for at in self.modifiers[1:] for effect in self.effects)
        return (*columns, *self.effects, *modified)

    @property
    def sizes(self) -> list[int]:
        return [len(one) for one in self.answers]


def pattern_of(sizes: Sequence[int]) -> NDArray[np.float64]:
    """Which effects add up to that of each combination of answers, the reference of each first: shape (k, effects)."""
    return np.array([np.concatenate(rows) for rows in product(*(np.eye(size)[:, 1:] for size in sizes))])


def holders(sizes: Sequence[int]) -> NDArray[np.float64]:
    """Which combinations have each answer to the first predictor, then to the second, ...: shape (answers, k)."""
    return np.array([np.concatenate(rows) for rows in product(*(np.eye(size) for size in sizes))]).T


def moves(answer: int | Sequence[int | None] | None, sizes: Sequence[int], name: str) -> NDArray[np.float64]:
    """Which combination takes the place of each, shape (k, k), a 1 in each row, where some answers are set.

    - `answer`: the place of a combination, or of the answer to each predictor, None where it is kept; None keeps all.
    """
    k = int(np.prod(sizes))
    places: Sequence[int | None] = [None] * len(sizes)
    if isinstance(answer, Sequence):
        places = answer
    elif answer is not None:
        places = [int(one) for one in np.unravel_index(as_count(answer, name=name, high=k - 1), sizes)]
    if len(places) != len(sizes):
        raise ParameterError(name, f"must have an answer, or None, for each of {len(sizes)} predictors; got {places}")
    held = np.indices(sizes).reshape(len(sizes), k)
    for at, (place, size) in enumerate(zip(places, sizes, strict=True)):
        if place is not None:
            held[at] = as_count(place, name=name, high=size - 1)
    return np.asarray(np.eye(k)[np.ravel_multi_index(tuple(held), tuple(sizes))])


def read_latent(
    outcome: ArrayLike,
    reports: ArrayLike,
    channel: Channel | Sequence[Channel],
    called: tuple[Sequence[Any] | None, int | Sequence[int]],
    symbols: int | None,
    modifiers: Sequence[int | str],
    **given: Any,
) -> tuple[CovariateRows, NDArray[np.float64], Combinations]:
    """Read the rows of a regression on randomized predictors, with their outcome, and the predictors as one.

    - `called`: what answers are called, and the references.
    - `symbols`: of the outcome, where it is no number.
    - `modifiers`: covariates, by name or place, that effects differ by.
    - `given`: the covariates, weights, names, counts, clusters and `missing` of `read_rows`.
    """
    columns = ("covariates", "weights", "counts", "clusters")
    outcome, reports, *matching = matched(outcome=outcome, reports=reports, **{one: given[one] for one in columns})
    given |= dict(zip(columns, matching, strict=True))
    values = _read_outcome(outcome, len(np.asarray(reports)), symbols, given["missing"])
    combined = combinations_of(reports, channel, *called)
    codes = combined.codes
    if given["missing"] == "drop":
        codes = np.where(np.isnan(values), np.nan, np.asarray(codes, dtype=np.float64))
    rows = read_rows(reports=codes, channel=combined.channel, answers=None, **given)
    assert rows.kept is not None
    return rows, values[rows.kept], replace(combined, modifiers=_read_modifiers(modifiers, rows.names))


def _read_modifiers(given: Sequence[int | str], columns: Sequence[str]) -> tuple[int, ...]:
    """The place of the intercept among the columns, then of each covariate that is named, or placed from 0."""
    if isinstance(given, str):
        raise ParameterError("modifiers", f"must be a sequence of covariates; got {given!r}")
    found = [0]
    for number, one in enumerate(given):
        name = f"modifiers[{number}]"
        if isinstance(one, str):
            if one not in columns[1:]:
                raise ParameterError(name, f"must be one of the covariates {', '.join(columns[1:])}; got {one!r}")
            place = columns.index(one, 1)
        else:
            place = 1 + as_count(one, name=name, high=len(columns) - 2)
        if place in found:
            raise ParameterError(name, f"must differ from those before it; got {one!r}")
        found.append(place)
    return tuple(found)


def combinations_of(
    reports: ArrayLike,
    channel: Channel | Sequence[Channel],
    labels: Sequence[Any] | None,
    reference: int | Sequence[int],
) -> Combinations:
    """Read reports of one predictor, (n,), or of one in each column, (n, m), each with its channel.

    Raises
    ------
    ParameterError
        Naming the argument, the bound and the value.
    """
    single = isinstance(channel, Channel)
    channels = (channel,) if isinstance(channel, Channel) else tuple(channel)
    m = len(channels)
    many = int(np.prod([one.answers for one in channels]))
    if not single and (m < 2 or many > MOST):
        need = f"must be one, or at least 2 with up to {MOST} combinations of answers"
        raise ParameterError("channel", f"{need}; got {m} with {many}")
    given = [labels] if single else [None] * m if labels is None else list(labels)
    firsts = [reference] if single else [reference] * m if isinstance(reference, int) else list(reference)
    if len(given) != m or len(firsts) != m:
        raise ParameterError("labels and reference", f"must be of {m} predictors; got {len(given)} and {len(firsts)}")
    orders, words = [], []
    for one, called, first in zip(channels, given, firsts, strict=True):
        place = as_count(first, name="reference", high=one.answers - 1)
        order = [place, *(x for x in range(one.answers) if x != place)]
        orders.append(order)
        words.append([as_labels(called, one.answers)[x] for x in order])
    sizes = [one.answers for one in channels]
    titles = ["answer"] if single else [f"answer {number}" for number in range(1, m + 1)]
    return Combinations(
        reduce(_together, channels),
        reports if single else _codes(reports, channels),
        [int(np.ravel_multi_index(rows, sizes)) for rows in product(*orders)],
        tuple(", ".join(one) for one in product(*words)),
        tuple(f"{title}: {label}" for title, one in zip(titles, words, strict=True) for label in one[1:]),
        tuple(map(tuple, words)),
    )


def _together(first: Channel, second: Channel) -> Channel:
    """The table of two reports at once, each drawn by itself (the Kronecker product)."""
    rows = [[a * b for a in one for b in other] for one in first.weights for other in second.weights]
    return Channel(tuple(map(tuple, rows)))


def _codes(reports: ArrayLike, channels: Sequence[Channel]) -> NDArray[np.float64]:
    """The report of each row through all channels together; NaN where one is missing."""
    table = np.asarray(reports, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] != len(channels):
        raise ParameterError(
            "reports", f"must have a column per channel, shape (n, {len(channels)}); got {table.shape}"
        )
    found = np.zeros(len(table))
    for number, one in enumerate(channels):
        column = table[:, number]
        wrong = np.flatnonzero(~np.isnan(column) & ~np.isin(column, np.arange(one.reports)))
        if wrong.size:
            need = f"must be a whole number from 0 to {one.reports - 1}; got {column[wrong[0]]:g}"
            raise ParameterError(f"reports[{wrong[0]}, {number}]", need)
        found = found * one.reports + column
    return found


def _read_outcome(outcome: ArrayLike, n: int, symbols: int | None, missing: Missing) -> NDArray[np.float64]:
    """An outcome beside randomized predictors: n numbers, or whole ones below `symbols`; NaN where it is missing."""
    try:
        values = np.asarray(outcome, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError("outcome", f"must be numbers; {error}") from None
    if values.shape != (n,):
        raise ParameterError("outcome", f"must have one entry per report, shape ({n},); got shape {values.shape}")
    if np.isinf(values).any():
        raise ParameterError(f"outcome[{int(np.argmax(np.isinf(values)))}]", "must be finite; got infinity")
    if symbols is not None:
        wrong = np.flatnonzero(~np.isnan(values) & ~((values >= 0) & (values < symbols) & (values == np.floor(values))))
        if wrong.size:
            need = f"must be a whole number from 0 to {symbols - 1}; got {values[wrong[0]]:g}"
            raise ParameterError(f"outcome[{wrong[0]}]", need)
    if missing == "error" and np.isnan(values).any():
        raise ParameterError(f"outcome[{np.argmax(np.isnan(values))}]", 'must be a number, or missing="drop" chosen')
    return values
