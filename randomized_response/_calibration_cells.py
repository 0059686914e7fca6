"""The people of a sample put together by their covariates, and the columns whose weighted sums are known."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from randomized_response.errors import ParameterError

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

_FITTING = 1e-6
_DENSE = 2**22


@dataclass(frozen=True)
class Cells:
    """`columns` (cells, p), the known weighted sums `targets` (p,) of them, the cell of each person `place` (n,)."""

    columns: Floats
    targets: Floats
    titles: tuple[str, ...]
    place: Places
    total: float
    unit: float

    def sums(self, values: Floats) -> Floats:
        """Sums of one value per person in each cell."""
        return np.asarray(np.bincount(self.place, weights=values, minlength=len(self.columns)), dtype=np.float64)


class _Part(NamedTuple):
    """A margin: the code of each person, one per column or none where it is a mean, and what is known."""

    codes: Places
    numbers: Floats | None
    known: Floats
    titles: tuple[str, ...]


def read_cells(covariates: Mapping[Any, ArrayLike], margins: Mapping[Any, Any]) -> Cells:
    """Read covariates and margins; raise ParameterError naming the margin that cannot be met as it stands."""
    if not margins:
        raise ParameterError("margins", "must have at least one margin; got none")
    parts = [_read_part(covariates, name, margin) for name, margin in margins.items()]
    n = parts[0].codes.size
    for name, part in zip(margins, parts, strict=True):
        if part.codes.size != n:
            raise ParameterError("covariates", f"must have {n} entries each; got {part.codes.size} for {name!r}")
    unit, total = _total(parts, list(margins), n)
    first, place = _grouped(parts)
    columns, targets = [np.ones(len(first))], [np.array([total])]
    for part in parts:
        if part.numbers is None:
            columns.append((part.codes[first][:, None] == np.arange(part.known.size)).astype(np.float64))
            targets.append(part.known * unit)
        else:
            centred = part.numbers[first] - part.known[0]
            columns.append(centred[:, None] / max(float(np.abs(centred).max()), 1e-300))
            targets.append(np.zeros(1))
    titles = ("margins", *(title for part in parts for title in part.titles))
    return Cells(np.column_stack(columns), np.concatenate(targets), titles, place, total, unit)


def _read_part(covariates: Mapping[Any, ArrayLike], name: Any, margin: Any) -> _Part:
    names = name if isinstance(name, tuple) else (name,)
    for one in names:
        if one not in covariates:
            raise ParameterError(
                "margins", f"names {one!r}, which is none of the covariates {sorted(map(str, covariates))}"
            )
    if isinstance(margin, Mapping):
        return _read_labels([covariates[one] for one in names], name, margin)
    if len(names) > 1:
        raise ParameterError(f"margins[{name!r}]", f"must give each combination of labels its share; got {margin!r}")
    return _read_mean(covariates[name], name, margin)


def _read_mean(given: ArrayLike, name: Any, mean: Any) -> _Part:
    try:
        numbers, known = np.asarray(given, dtype=np.float64), float(mean)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"margins[{name!r}]", f"must be a mean of numbers, or map labels to shares; {error}"
        ) from None
    if not isfinite(known) or not np.isfinite(numbers).all():
        raise ParameterError(f"margins[{name!r}]", "and its covariate must be finite numbers")
    if not numbers.min() < known < numbers.max():
        raise ParameterError(
            f"margins[{name!r}]",
            f"must lie between the sample's {numbers.min():g} and {numbers.max():g}; got {known:g}",
        )
    return _Part(np.zeros(numbers.size, dtype=np.intp), numbers, np.array([known]), (f"margins[{name!r}]",))


def _read_labels(columns: Sequence[ArrayLike], name: Any, margin: Mapping[Any, Any]) -> _Part:
    """Codes of people by the labels of a margin; every label is of somebody, and everybody has one."""
    known = np.array([_read_share(name, label, share) for label, share in margin.items()])
    codes = _codes(columns, name, list(margin))
    counts = np.bincount(codes, minlength=known.size)
    if (counts == 0).any():
        label = list(margin)[int(np.argmin(counts))]
        raise ParameterError(
            f"margins[{name!r}][{label!r}]", "is of nobody in the sample; put the label together with another one"
        )
    return _Part(codes, None, known, tuple(f"margins[{name!r}][{label!r}]" for label in margin))


def _read_share(name: Any, label: Any, share: Any) -> float:
    try:
        number = float(share)
    except (TypeError, ValueError):
        number = float("nan")
    if not (isfinite(number) and number > 0):
        raise ParameterError(
            f"margins[{name!r}][{label!r}]", f"must be a positive number; got {share!r} (leave out labels of nobody)"
        )
    return number


def _codes(columns: Sequence[ArrayLike], name: Any, labels: list[Any]) -> Places:
    """Position of each person's label, or tuple of labels, in `labels`."""
    if not isinstance(name, tuple):
        distinct, code = _distinct(columns[0])
        wanted = {label: place for place, label in enumerate(labels)}
        found = np.array([wanted.get(value, -1) for value in distinct], dtype=np.intp)
        codes = found[code]
        if codes.size and codes.min() < 0:
            raise ParameterError(
                f"margins[{name!r}]", f"must have a share of {distinct[code[int(np.argmin(codes))]]!r}"
            )
        return codes
    parts = [_distinct(column) for column in columns]
    if len({code.size for _, code in parts}) > 1:
        raise ParameterError("covariates", f"must have as many entries each; those of {name!r} differ")
    joint = np.ravel_multi_index([code for _, code in parts], [len(distinct) for distinct, _ in parts])
    cells, code = np.unique(joint, return_inverse=True)
    each = np.unravel_index(cells, [len(distinct) for distinct, _ in parts])
    tuples = [tuple(distinct[i] for (distinct, _), i in zip(parts, at, strict=True)) for at in zip(*each, strict=True)]
    wanted = {label: place for place, label in enumerate(labels)}
    lost = [label for label in tuples if label not in wanted]
    if lost:
        raise ParameterError(f"margins[{name!r}]", f"must have a share of {lost[0]!r}")
    return np.array([wanted[label] for label in tuples], dtype=np.intp)[code]


def _distinct(column: Any) -> tuple[list[Any], Places]:
    """The distinct values, and the place of each person's among them."""
    if hasattr(column, "factorize"):  # pandas, without a sort of a million texts
        code, distinct = column.factorize()
        if code.min() < 0:
            raise ParameterError("covariates", f"must not be missing; got none for person {int(np.argmin(code))}")
        return list(distinct), np.asarray(code, dtype=np.intp)
    array = np.asarray(column)
    if array.ndim != 1 or array.size == 0:
        raise ParameterError("covariates", f"must have one entry per person; got shape {array.shape}")
    if array.dtype.kind in "iu" and int(array.min()) >= 0 and int(array.max()) < 2**16:
        present = np.bincount(array)
        distinct = np.flatnonzero(present)
        return distinct.tolist(), np.cumsum(present > 0)[array] - 1
    values, code = np.unique(array, return_inverse=True)
    return values.tolist(), code.astype(np.intp)


def _total(parts: Sequence[_Part], names: list[Any], n: int) -> tuple[float, float]:
    """What a share is multiplied with, and the sum of the weights: the margins' own, n where they are shares."""
    sums = {name: float(part.known.sum()) for name, part in zip(names, parts, strict=True) if part.numbers is None}
    if not sums:
        return 1.0, float(n)
    first, total = next(iter(sums.items()))
    for name, other in sums.items():
        if abs(other - total) > _FITTING * total:
            raise ParameterError(
                f"margins[{name!r}]", f"must have the sum of margins[{first!r}], {total:.10g}; got {other:.10g}"
            )
    return (float(n), float(n)) if abs(total - 1) <= _FITTING else (1.0, total)


def _grouped(parts: Sequence[_Part]) -> tuple[Places, Places]:
    """One person of each cell, and everybody's cell. With a mean everybody is a cell."""
    n = parts[0].codes.size
    if any(part.numbers is not None for part in parts):
        return np.arange(n), np.arange(n)
    code, size = np.zeros(n, dtype=np.intp), 1
    for part in parts:
        if size * part.known.size > _DENSE:
            distinct, code = np.unique(code, return_inverse=True)
            size = distinct.size
        code, size = code * part.known.size + part.codes, size * part.known.size
    if size > _DENSE:
        _, first, place = np.unique(code, return_index=True, return_inverse=True)
        return first, place.astype(np.intp)
    present = np.zeros(size, dtype=np.intp)
    last = np.zeros(size, dtype=np.intp)
    present[code], last[code] = 1, np.arange(n)
    return last[present > 0], (np.cumsum(present) - 1)[code]
