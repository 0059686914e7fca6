"""Comparison of waves: the same question at different times, with respondents who may overlap."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from collector.designs import Design
from estimator.analyses.quantities import quantity_of, question_at
from estimator.analyses.rows import AnalysisRow, number
from estimator.analyses.strata import estimate_row
from estimator.runs import targets, waves
from estimator.runs.estimation import Fit, overall
from estimator.runs.groups import stored


def comparison(
    designs: Sequence[Design], parameters: Mapping[str, Any], inputs: Mapping[str, Any]
) -> dict[str, object]:
    """Estimate each wave, oldest first, and the newest minus the one before it and minus the first."""
    confidence, rows, fits = parameters["confidence"], list[AnalysisRow](), list[Fit | None]()
    for design, totals, groups in zip(designs, inputs["versions"], inputs["groups"], strict=True):
        quantity = quantity_of(design, parameters["quantity"])
        tables = tuple(np.array(table, dtype=np.int64) for table in totals)
        fit = overall(stored(design, groups), quantity.position, tables, confidence)
        row = estimate_row(design, quantity, fit, int(tables[0].sum()), confidence)
        rows.append(replace(row, version=design.version))
        fits.append(fit)
    ready = [place for place, row in enumerate(rows) if row.known]
    newest = len(rows) - 1
    if len(ready) > 1 and ready[-1] == newest:
        # How many returned is said of the waves next to each other and of the ends, whichever have numbers.
        returned = {0: parameters.get("returned_first"), newest - 1: parameters.get("returned")}
        for older in dict.fromkeys((ready[-2], ready[0])):
            pair, both = (designs[newest], designs[older]), (fits[newest], fits[older])
            row = _change(pair, both, parameters["quantity"], returned.get(older), confidence)
            rows.append(replace(row, version=rows[newest].version, against_version=rows[older].version))
    return {"level": confidence, "rows": [asdict(row) for row in rows]}


def _change(
    designs: tuple[Design, Design], fits: tuple[Fit | None, Fit | None], token: str, returned: int | None, level: float
) -> AnalysisRow:
    newest, older = fits
    assert newest is not None
    assert older is not None
    quantity = quantity_of(designs[0], token)
    item, choice = designs[0].items[quantity.position], quantity.choice
    found = waves.change(
        question_at(designs[0], quantity.position), newest, older, choice,
        remembered=waves.remembered(*designs, item), returned=returned,
    )  # fmt: skip
    place = choice or 0
    names = ("difference", "unbiased", "standard_error", "low", "high", "narrowest_standard_error")
    estimate, unbiased, error, low, high, narrowest = (number(float(getattr(found, name)[place])) for name in names)
    return AnalysisRow(
        "difference", item.key, sum(found.n), choice=choice, estimate=estimate,
        unbiased=unbiased, standard_error=error, low=low, high=high, level=level, returned=returned,
        interval=targets.of_difference(mean=choice is None), narrowest_standard_error=narrowest,
    )  # fmt: skip
