"""Input rows of the regressions: covariates, reports, channels and weights, validated; equal rows merged."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from randomized_response._checks import LARGEST_COUNT
from randomized_response._labels import matched
from randomized_response.channel import Channel

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]
Missing = Literal["error", "drop"]
Channels = Channel | None | Sequence[Channel | None]
"""One channel for everyone, None for a direct question, or one of these per row."""

INTERCEPT = "intercept"
_ODD = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


@dataclass(frozen=True)
class CovariateRows:
    """Rows of a regression: `columns` (p, n) with the intercept first; `tables[table_of[i]]` is row i's matrix.

    `clusters[i]` is its cluster, where there are such. `counts[i]` respondents are row i. `weights` is what they weigh
    together, in all as much as there are respondents, and `squared_weights` the sum of the squares of what each of them
    weighs. `kept` marks the rows that were given and are used, before equal ones were merged.
    """

    columns: Floats
    names: tuple[str, ...]
    reports: Integers
    counts: Floats
    weights: Floats
    squared_weights: Floats
    channels: tuple[Channel | None, ...]
    tables: tuple[Floats, ...]
    table_of: Integers
    respondents: int
    dropped: int
    clusters: Integers | None = None
    kept: NDArray[np.bool_] | None = None

    def looked_up(self, entries: Sequence[Floats]) -> Floats:
        """entries[t][y] for each row's table t and report y."""
        widest = max(entry.size for entry in entries)
        padded = np.array([np.pad(entry, (0, widest - entry.size)) for entry in entries])
        return padded[self.table_of, self.reports]


def prior_root(rows: CovariateRows) -> Floats:
    """What standard normal priors are of, in rows: the intercept at the covariates' means, slopes times deviations."""
    share = rows.weights / rows.weights.sum()
    means = rows.columns @ share
    deviations = np.sqrt(np.maximum((rows.columns - means[:, None]) ** 2 @ share, 0.0))
    root = np.diag(deviations)
    root[0] = means  # of the constant column the mean is 1
    return np.asarray(root)


def read_rows(
    covariates: ArrayLike,
    reports: ArrayLike,
    channel: Channels,
    *,
    weights: ArrayLike | None,
    counts: ArrayLike | None,
    names: Sequence[str] | None,
    missing: Missing,
    answers: int | None,
    clusters: ArrayLike | None = None,
) -> CovariateRows:
    """Validate all arguments of a regression. `answers` is the number that each channel must have, if any."""
    covariates, reports, channel, weights, counts, clusters = matched(
        covariates=covariates, reports=reports, channel=channel, weights=weights, counts=counts, clusters=clusters
    )
    table = read_covariates(covariates)
    codes = _read_codes(reports, len(table))
    mass = _read_weights(weights, len(table), "weights")
    people = _read_people(counts, len(table))
    groups = _read_clusters(clusters, len(table))
    channels, table_of = _read_channels(channel, len(table), answers)
    direct = answers or _largest_answer(channels, codes)
    tables = tuple(np.eye(direct) if each is None else each.matrix for each in channels)
    titles = _read_names(names, covariates, table.shape[1])
    keep = _complete(table, codes, missing)
    lost = int(people[~keep].sum())
    if not keep.all():
        groups = None if groups is None else np.unique(groups[keep], return_inverse=True)[1]
        table, codes, mass, people, table_of = table[keep], codes[keep], mass[keep], people[keep], table_of[keep]
    _check_codes(codes, tables, table_of)
    columns = np.empty((table.shape[1] + 1, len(table)))
    columns[0], columns[1:] = 1.0, table.T
    each = mass * (people.sum() / (people @ mass))
    sums, squares, respondents = people * each, people * each**2, int(people.sum())
    symbols, named = codes.astype(np.intp), (INTERCEPT, *titles)
    return CovariateRows(
        columns, named, symbols, people, sums, squares, channels, tables, table_of, respondents, lost, groups,
        keep,
    )  # fmt: skip


def read_covariates(covariates: ArrayLike) -> Floats:
    """A table of n rows and p >= 0 columns of floats; one dimension is one column."""
    try:
        table = np.asarray(covariates, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"covariates must be numbers in rows of equal length; {error}") from None
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2 or len(table) == 0:
        raise ValueError(f"covariates must have shape (n, p) with n at least 1; got shape {table.shape}")
    return table


def read_like(covariates: ArrayLike, names: Sequence[str]) -> Floats:
    """A table of finite numbers with the columns `names`: matched by name in a data frame, else by position."""
    table = read_covariates(covariates)
    titles = _titles(covariates)
    if titles is not None:
        if sorted(titles) != sorted(names):
            raise ValueError(f"covariates must have the columns {', '.join(names)}; got {', '.join(titles)}")
        table = table[:, [titles.index(name) for name in names]]
    if table.shape[1] != len(names):
        raise ValueError(f"covariates must have {len(names)} columns; got {table.shape[1]}")
    if not np.isfinite(table).all():
        i, j = np.argwhere(~np.isfinite(table))[0]
        raise ValueError(f"covariates[{i}, {j}] must be finite; got {table[i, j]}")
    return table


def fold(rows: CovariateRows) -> CovariateRows:
    """Merge rows that are equal in all but weight, summing the weights; rows with few repeats are unchanged."""
    marks = _fingerprints(rows)
    n = marks.size
    ordered = np.sort(marks)
    distinct = 1 + int(np.count_nonzero(ordered[1:] != ordered[:-1]))
    if distinct > n // 2:
        return rows
    order = np.argsort(marks, kind="stable")
    ordered = marks[order]
    first = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    starts, group = np.flatnonzero(first), np.cumsum(first) - 1
    chosen = order[starts]
    if not _equal(rows, order, chosen[group]):
        return rows
    return replace(
        rows,
        columns=np.ascontiguousarray(rows.columns[:, chosen]),
        reports=rows.reports[chosen],
        table_of=rows.table_of[chosen],
        clusters=None if rows.clusters is None else rows.clusters[chosen],
        counts=np.add.reduceat(rows.counts[order], starts),
        weights=np.add.reduceat(rows.weights[order], starts),
        squared_weights=np.add.reduceat(rows.squared_weights[order], starts),
    )


def _fingerprints(rows: CovariateRows) -> NDArray[np.uint64]:
    """A 64-bit hash per row; equal rows have equal hashes, and `_equal` checks that unequal ones differ."""
    marks = (rows.reports * len(rows.tables) + rows.table_of).astype(np.uint64) * _ODD
    parts = [*rows.columns[1:], *([] if rows.clusters is None else [rows.clusters.astype(np.float64)])]
    for column in parts:
        marks ^= (column + 0.0).view(np.uint64)
        marks *= _ODD
        marks ^= marks >> _SHIFT
    return marks


def _equal(rows: CovariateRows, left: Integers, right: Integers) -> bool:
    keys: list[NDArray[Any]] = [rows.reports, rows.table_of, *rows.columns[1:]]
    keys += [] if rows.clusters is None else [rows.clusters]
    return all(bool(np.array_equal(key[left], key[right])) for key in keys)


def _read_codes(reports: ArrayLike, n: int) -> NDArray[Any]:
    try:
        codes = np.asarray(reports)
        codes = codes.astype(np.float64 if codes.dtype.kind in "fO" else np.int64, copy=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"reports must be whole numbers from 0; {error}") from None
    if codes.shape != (n,):
        raise ValueError(f"reports must have one entry per row of covariates, shape ({n},); got shape {codes.shape}")
    return codes


def _read_weights(weights: ArrayLike | None, n: int, name: str) -> Floats:
    if weights is None:
        return np.ones(n)
    mass = np.asarray(weights, dtype=np.float64)
    if mass.shape != (n,):
        raise ValueError(f"{name} must have one entry per row of covariates, shape ({n},); got shape {mass.shape}")
    wrong = np.flatnonzero(~(np.isfinite(mass) & (mass > 0)))
    if wrong.size:
        raise ValueError(f"{name}[{wrong[0]}] must be positive and finite; got {mass[wrong[0]]}")
    return mass


def _read_people(counts: ArrayLike | None, n: int) -> Floats:
    people = _read_weights(counts, n, "counts")
    if counts is None:
        return people
    wrong = np.flatnonzero((people != np.floor(people)) | (people > LARGEST_COUNT))
    if wrong.size:
        need = f"counts[{wrong[0]}] must be a whole number of respondents (sampling weights go to `weights`)"
        raise ValueError(f"{need}; got {people[wrong[0]]}")
    return people


def _read_clusters(clusters: ArrayLike | None, n: int) -> Integers | None:
    if clusters is None:
        return None
    labels = np.asarray(clusters)
    if labels.shape != (n,):
        raise ValueError(f"clusters must have one label per row of covariates, shape ({n},); got shape {labels.shape}")
    values, codes = np.unique(labels, return_inverse=True)
    if values.size < 2:
        raise ValueError(f"clusters must be at least 2; got {values.size}")
    return np.asarray(codes.ravel(), dtype=np.intp)


def _read_names(names: Sequence[str] | None, covariates: Any, p: int) -> tuple[str, ...]:
    own = _titles(covariates)
    titles = own if names is None else tuple(str(name) for name in names)
    if titles is None:
        titles = tuple(f"x{j + 1}" for j in range(p))
    if len(titles) != p:
        raise ValueError(f"names must have one entry per column of covariates, {p}; got {len(titles)}")
    repeated = [name for j, name in enumerate(titles) if name in (INTERCEPT, *titles[:j])]
    if repeated:
        raise ValueError(f"names must differ from each other and from {INTERCEPT!r}; got {repeated[0]!r} again")
    if own is not None and titles != own and sorted(titles) == sorted(own):
        raise ValueError(f"names must stand in the order of the columns, {', '.join(own)}; got {', '.join(titles)}")
    return titles


def _titles(covariates: Any) -> tuple[str, ...] | None:
    """The names of a data frame's columns."""
    columns = getattr(covariates, "columns", None)
    return None if columns is None else tuple(str(name) for name in columns)


def _read_channels(channel: Channels, n: int, answers: int | None) -> tuple[tuple[Channel | None, ...], Integers]:
    """The distinct channels, and the index of the channel of each row's report."""
    single = channel is None or isinstance(channel, Channel)
    listed = [channel] if channel is None or isinstance(channel, Channel) else list(channel)
    if not single and len(listed) != n:
        raise ValueError(f"channel must be one channel or one per row of covariates, {n}; got {len(listed)}")
    places: dict[Channel | None, int] = {}
    known: dict[int, int] = {}
    for i, each in enumerate(listed):
        if id(each) not in known:
            _check_channel(each, answers, "channel" if single else f"channel[{i}]")
            known[id(each)] = places.setdefault(each, len(places))
    _require_identified(list(places), listed, single=single)
    if single:
        return tuple(places), np.zeros(n, dtype=np.intp)
    return tuple(places), np.fromiter((known[id(each)] for each in listed), dtype=np.intp, count=n)


def _largest_answer(channels: tuple[Channel | None, ...], codes: NDArray[Any]) -> int:
    """Number of answers of a direct question: that of the other channels, else as many as the reports show."""
    known = [each.answers for each in channels if each is not None]
    shown = np.nanmax(codes, initial=1)
    return max(known) if known else int(min(shown, 255)) + 1


def _check_channel(each: Any, answers: int | None, name: str) -> None:
    if each is None:
        return
    if not isinstance(each, Channel):
        raise ValueError(f"{name} must be a Channel or None (asked directly); got {type(each).__name__}")
    if answers is not None and each.answers != answers:
        raise ValueError(f"{name} must have {answers} answers (no = 0, yes = 1); got {each.answers}")


def _require_identified(channels: Sequence[Channel | None], listed: Sequence[Channel | None], *, single: bool) -> None:
    """Raise ValueError unless the channels tell all answers apart: each by itself, or as arms of a design together."""
    tables = [each for each in channels if each is not None]
    arms = len(tables) == len(channels) and len({each.answers for each in tables}) == 1
    if arms and _rank(np.hstack([each.matrix for each in tables])) == tables[0].answers:
        return
    for each in tables:
        if _rank(each.matrix) < each.answers:
            name = "channel" if single else f"channel[{listed.index(each)}]"
            raise ValueError(f"{name} must have linearly independent rows to be estimated from; got {each.weights}")


def _rank(matrix: Floats) -> int:
    return int(np.linalg.matrix_rank(matrix))


def _complete(table: Floats, codes: NDArray[Any], missing: Missing) -> NDArray[np.bool_]:
    """The rows to keep; incomplete ones are an error unless `missing` is "drop". Infinity is always an error."""
    if missing not in ("error", "drop"):
        raise ValueError(f'missing must be "error" or "drop"; got {missing!r}')
    if codes.dtype.kind != "f" and np.isfinite(table).all():
        return np.ones(codes.size, dtype=bool)
    if np.isinf(table).any():
        i, j = np.argwhere(np.isinf(table))[0]
        raise ValueError(f"covariates[{i}, {j}] must be finite; got {table[i, j]}")
    holes, gaps = np.isnan(table), np.isnan(codes) if codes.dtype.kind == "f" else np.zeros(codes.size, dtype=bool)
    if missing == "error" and holes.any():
        i, j = np.argwhere(holes)[0]
        raise ValueError(f'covariates[{i}, {j}] must be a number, or missing="drop" chosen; got nan')
    if missing == "error" and gaps.any():
        raise ValueError(f'reports[{np.argmax(gaps)}] must be a whole number, or missing="drop" chosen; got nan')
    keep: NDArray[np.bool_] = ~(holes.any(axis=1) | gaps)
    if not keep.any():
        raise ValueError(f"covariates and reports must have at least 1 complete row; got 0 of {keep.size}")
    return keep


def _check_codes(codes: NDArray[Any], tables: tuple[Floats, ...], table_of: Integers) -> None:
    known = np.array([table.shape[1] for table in tables])
    sizes = known[table_of] if len(tables) > 1 else np.broadcast_to(known, codes.shape)
    broken = (codes < 0) | (codes >= sizes)
    if codes.dtype.kind == "f":
        broken |= codes != np.floor(codes)
    wrong = np.flatnonzero(broken)
    if wrong.size:
        i = wrong[0]
        raise ValueError(f"reports[{i}] must be a whole number from 0 to {sizes[i] - 1}; got {codes[i]}")
    chances = np.array([np.pad(table.max(axis=0), (0, int(known.max()) - table.shape[1])) for table in tables])
    if chances.all():
        return
    never = np.flatnonzero(chances[table_of, codes.astype(np.intp)] == 0)
    if never.size:
        raise ValueError(f"reports[{never[0]}] must be a report its channel can give; got {codes[never[0]]}")
