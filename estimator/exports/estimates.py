"""The estimates of a finished run as a table with the columns of docs/reference/report.md, and as CSV."""

import math
from collections.abc import Iterator

from estimator.base.cells import instant, sheet
from estimator.exports.columns import ESTIMATES
from estimator.models import Run
from estimator.runs import results, targets
from estimator.runs.results import EstimateCell, QuestionResults, ReportContext, Results


def csv_file(run: Run, context: ReportContext) -> bytes:
    """The CSV file: one row per estimate."""
    return sheet(COLUMNS, estimate_rows(results.read(run, context)))


def estimate_rows(read: Results) -> list[dict[str, object]]:
    """Every estimate of a run as plain values by column."""
    return [row | {"flags": " ".join(cell.estimate.flags)} for cell, row in _rows(read)]


def json_rows(read: Results) -> list[dict[str, object]]:
    """The same with its flags as a list."""
    return [row for _cell, row in _rows(read)]


def _rows(read: Results) -> Iterator[tuple[EstimateCell, dict[str, object]]]:
    return ((cell, _row(read, item, cell)) for item in read.items for cell in item.cells)


def _row(read: Results, item: QuestionResults, cell: EstimateCell) -> dict[str, object]:
    estimate, run, means = cell.estimate, read.run, targets.estimate_meta(item, cell.estimate)
    precision = item.precision(estimate)
    values = {name: getattr(estimate, name) for name in STORED} | {
        "item": item.key,
        "wording": item.wording,
        "choice_label": cell.choice,
        "stratum": cell.group_key,
        "stratum_label": cell.group,
        "estimate_unclipped": estimate.unbiased,
        "estimate": estimate.constrained,
        "estimate_method": means.method,
        "interval_method": means.interval,
        "target": means.target,
        "noise_interval_method": means.noise_interval,
        "noise_target": means.noise_target,
        "confidence": run.confidence,
        "interval_holds": interval_holds(run),
        "truth_probability": item.frozen.channel.truth,
        "epsilon": finite(item.mechanism.epsilon),
        "known_truth": cell.truth,
        "design": read.design.digest,
        "estimator_version": run.version,
        "snapshot_at": instant(run.snapshot_at),
        "half_width": precision.half_width if precision else None,
        "verdict": precision.verdict.value if precision else "",
    }
    return {name: values[name] for name in COLUMNS}


COLUMNS = tuple(column.name for column in ESTIMATES)
STORED = (
    "measure", "choice", "n", "sent", "standard_error", "low", "high", "noise_standard_error", "noise_low",
    "noise_high", "direct_question_n", "flags",
)  # fmt: skip
"""The columns that the database has by the same name."""


def interval_holds(run: Run) -> str:
    """Return "every_look" if the intervals hold at all looks, as those until closing do, else "one_look"."""
    return "every_look" if run.anytime else "one_look"


def finite(value: float) -> float | None:
    """The number, or None if it is infinite or NaN, which JSON and spreadsheets cannot hold."""
    return value if math.isfinite(value) else None
