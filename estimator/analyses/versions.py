"""The versions of a survey side by side: the same question of independent respondents, at different times."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from collector.designs import Design
from estimator.analyses.quantities import Quantity, Refused, item_of, quantity_of
from estimator.analyses.rows import Row
from estimator.analyses.strata import difference_row, estimate_row
from estimator.computing import overall

ASKED = {
    "kind": "another kind of question",
    "wording": "worded differently",
    "choices": "other choices",
    "encoding": "randomised differently",
    "channel": "randomised differently",
    "grid": "other numbers",
    "asked_if": "asked of other people",
    "unasked": "asked of other people",
}
"""What has to be the same in two versions, and what is said where it is not."""


def comparison(designs: Sequence[Design], parameters: Mapping[str, Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The estimate of each version, the oldest first, and the newest less the one before it."""
    confidence, rows, fits = parameters["confidence"], list[Row](), []
    for design, totals in zip(designs, inputs["versions"], strict=True):
        quantity = quantity_of(design, parameters["quantity"])
        tables = tuple(np.array(table, dtype=np.int64) for table in totals)
        fit = overall(design, quantity.position, tables, confidence)
        row = estimate_row(design, quantity, fit, int(tables[0].sum()), confidence)
        rows.append(replace(row, version=design.document["version"]))
        fits.append(fit)
    ready = [place for place, row in enumerate(rows) if row.known]
    if len(ready) > 1 and ready[-1] == len(rows) - 1:
        newest, previous = ready[-1], ready[-2]
        quantity = quantity_of(designs[newest], parameters["quantity"])
        difference = difference_row(designs[newest], quantity, fits[newest], fits[previous], confidence)
        rows.append(replace(difference, version=rows[newest].version, against_version=rows[previous].version))
    return {"level": confidence, "rows": [row.as_dict() for row in rows]}


def unlike(newest: Design, older: Design, quantity: Quantity) -> str:
    """Why the newest version's question was not asked in another version as it is; empty where it was."""
    language = newest.document["languages"][0]
    item = newest.document["items"][quantity.position]
    try:
        other = older.document["items"][item_of(older, item["key"])]
    except Refused:
        return "not asked"
    for name, why in ASKED.items():
        if _said(item.get(name), language) != _said(other.get(name), language):
            return why
    return ""


def _said(value: Any, language: str) -> Any:
    """The value with its texts in one language alone; of a channel what it does, not what it is called."""
    if isinstance(value, dict) and "weights" in value:
        return value["weights"], value.get("size")
    if isinstance(value, dict) and language in value:
        return value[language]
    return [_said(one, language) for one in value] if isinstance(value, list) else value
