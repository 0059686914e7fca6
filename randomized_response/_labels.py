"""Alignment of labelled arguments, as of pandas: matched by label or refused, never silently by position.

Nothing of pandas is imported: what has an `index` and can be `reindex`ed has labels.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.intp]


def matched(**arguments: Any) -> list[Any]:
    """Align arguments with one entry per respondent to the order of the first one that has labels.

    Those with the same labels, each once, in another order are put into it. Other labels are refused, and so is an
    argument without labels where the others disagree: nobody knows whose order is meant. Different lengths are left to
    the checks of the arguments.
    """
    labels = {name: index for name, given in arguments.items() if (index := _index(given)) is not None}
    if len({len(index) for index in labels.values()}) != 1:
        return list(arguments.values())
    first, order = next(iter(labels.items()))
    moved = {name: _places(order, index, name, first) for name, index in labels.items() if not index.equals(order)}
    bare = [name for name, given in arguments.items() if name not in labels and moved and np.ndim(given) > 0]
    if bare:
        need = f"{bare[0]} must have an index too where those of {first} and {next(iter(moved))} differ in their order"
        raise ValueError(f"{need}; got {type(arguments[bare[0]]).__name__}")
    return [given.iloc[moved[name]] if name in moved else given for name, given in arguments.items()]


def in_order(table: Any, *, name: str) -> Any:
    """Sort counts by report, as `value_counts` and `crosstab` return them, by their labels 0, 1, 2, ...

    Raises
    ------
    ValueError
        Where the labels are other than 0, 1, ..., each once.
    """
    if _index(table) is None:
        return table
    table = table.iloc[_numbered(table.index, name, "index")]
    columns = getattr(table, "columns", None)
    return table if columns is None else table.iloc[:, _numbered(columns, name, "columns")]


def _index(given: Any) -> Any:
    return given.index if hasattr(given, "reindex") and hasattr(given, "index") else None


def _places(order: Any, index: Any, name: str, first: str) -> Places:
    """The position in `index` of each label of `order`."""
    for one, whose in ((order, first), (index, name)):
        if not one.is_unique:
            again = one[one.duplicated()][0]
            raise ValueError(f"{whose} must have each label of its index once, to be matched; got {again!r} again")
    places = np.asarray(index.get_indexer(order), dtype=np.intp)
    if places.min() < 0:
        raise ValueError(f"{name} must have the index of {first}; got none with {order[int(places.argmin())]!r}")
    return places


def _numbered(labels: Any, name: str, which: str) -> Places:
    given = list(labels)
    if set(given) != set(range(len(given))):
        need = (
            f"{name} must have the {which} 0 to {len(given) - 1}, or none (to_numpy()) and be in the order of reports"
        )
        raise ValueError(f"{need}; got {given!r}")
    return np.argsort(given, kind="stable")
