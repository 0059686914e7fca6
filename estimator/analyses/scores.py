"""The number of yes to several yes/no questions: how many people say yes to none, one, two, ... of them."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from collector.designs import Design
from collector.reports import selectors as store
from estimator.analyses.quantities import Variable, variable_of
from estimator.analyses.rows import EDGE, ENOUGH_FOR_NORMAL, WALD, AnalysisRow, number
from estimator.base.measures import TOO_FEW
from estimator.runs.groups import strata_asked
from randomized_response import ItemsEstimate, JointEstimate, estimate_items
from randomized_response.intervals import normal_quantile

MOST_ITEMS = 6
LIKELIHOOD, DELTA = "likelihood", "delta"


def variables(design: Design, parameters: Mapping[str, Any]) -> list[Variable]:
    """The variables of the questions that are counted together."""
    return [variable_of(design, token, binary=True) for token in parameters["items"]]


def count_patterns(design: Design, counted: list[Variable]) -> list[list[int]]:
    """Count the stored reports of each pattern: rows of the symbols, by the codes of the channels, and their number.

    Of those alone who were asked all of the questions.

    One pass over the reports, in one statement, as `snapshots.count_together`.
    """
    sizes = [variable.reports for variable in counted]
    counts = np.zeros(int(np.prod(sizes)), dtype=np.int64)
    codes = [np.array(variable.codes, dtype=np.intp) for variable in counted]
    asked = strata_asked(design, *(variable.position for variable in counted))
    for strata, symbols in store.stored_reports(design.digest):
        mine = symbols[asked[strata]]
        columns = [code[mine[:, variable.column]] for code, variable in zip(codes, counted, strict=True)]
        counts += np.bincount(np.ravel_multi_index(columns, sizes), minlength=counts.size)
    seen = np.flatnonzero(counts)
    patterns = np.array(np.unravel_index(seen, sizes)).T
    return [[*row, int(count)] for row, count in zip(patterns.tolist(), counts[seen], strict=True)]


def scores(design: Design, parameters: Mapping[str, Any], inputs: Mapping[str, Any]) -> dict[str, object]:
    """Compute the shares of people by their number of yes, its mean, and the association of every two questions."""
    counted = variables(design, parameters)
    table = np.array(inputs["patterns"], dtype=np.int64).reshape(-1, len(counted) + 1)
    patterns, counts = table[:, :-1], table[:, -1]
    n = int(counts.sum())
    if n < ENOUGH_FOR_NORMAL:
        return {"n": n, "flags": [TOO_FEW], "rows": []}
    level = parameters["confidence"]
    found = estimate_items(np.repeat(patterns, counts, axis=0), [one.channel for one in counted], confidence=level)
    rows = [*_shares(found), _mean(patterns, counts, counted, level), *_associations(design, counted, found)]
    test = found.independence
    return {
        "n": n,
        "flags": [],
        "independence": {
            "statistic": number(test.statistic),
            "degrees_of_freedom": test.degrees_of_freedom,
            "p_value": number(test.p_value),
        },
        "rows": [asdict(row) for row in rows],
    }


def _shares(found: ItemsEstimate) -> list[AnalysisRow]:
    shares = found.scores
    assert shares is not None
    return [
        AnalysisRow(
            "share", "", found.n, choice=k, estimate=number(shares.constrained[k]), unbiased=number(shares.unbiased[k]),
            standard_error=number(shares.standard_error[k]), low=number(shares.low[k]), high=number(shares.high[k]),
            interval=WALD, level=found.confidence,
        )
        for k in range(len(shares.constrained))
    ]  # fmt: skip


def _mean(patterns: NDArray[np.int64], counts: NDArray[np.int64], counted: list[Variable], level: float) -> AnalysisRow:
    """The mean number of yes: of the sums of each respondent's unbiased values."""
    n, most = int(counts.sum()), float(len(counted))
    values = sum(
        variable.channel.left_inverse[1, patterns[:, place]].astype(float) for place, variable in enumerate(counted)
    )
    mean = float(counts @ values) / n
    error = float(np.sqrt(counts @ (values - mean) ** 2 / (n - 1) / n))
    reach = normal_quantile(level) * error
    estimate = min(max(mean, 0.0), most)
    low, high = min(max(mean - reach, 0.0), estimate), max(min(mean + reach, most), estimate)
    return AnalysisRow(
        "mean", "", n, estimate=estimate, unbiased=mean, standard_error=error, low=low, high=high, interval=WALD,
        level=level,
    )  # fmt: skip


def _associations(design: Design, counted: list[Variable], found: ItemsEstimate) -> list[AnalysisRow]:
    """Phi of every two answers, by the likelihood where the most likely table has a cell of nought."""
    keys, n = [design.items[variable.position].key for variable in counted], found.n
    return [
        _with_phi(
            AnalysisRow("phi", keys[i], n, counted[i].choice, other_item=keys[j], other_choice=counted[j].choice),
            joint,
        )
        for i, j, joint in found.pairs
    ]


def _with_phi(row: AnalysisRow, joint: JointEstimate) -> AnalysisRow:
    phi = joint.phi
    if phi is None or not np.isfinite(phi.estimate):
        return replace(row, flags=[EDGE])
    return replace(
        row, estimate=number(phi.estimate), standard_error=number(phi.standard_error), low=number(phi.low),
        high=number(phi.high), level=joint.confidence,
        interval=LIKELIHOOD if np.isnan(phi.standard_error) else DELTA,
    )  # fmt: skip
