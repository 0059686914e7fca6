"""A finished run as files: CSV and JSON, the same bytes whenever they are asked for.

The columns are documented in docs/report.md.
"""

import csv
import io
import json
import math
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from estimator import privacy, results
from estimator.models import Run
from estimator.results import Cell, Item, Results

FORMAT = 1
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A text cell that begins so would be computed by a spreadsheet."""


def csv_file(run: Run) -> bytes:
    """One row for each estimate, under the names of its columns; UTF-8 with the mark that spreadsheets look for."""
    rows = estimate_rows(results.read(run))
    sheet = io.StringIO(newline="")
    writer = csv.DictWriter(sheet, fieldnames=COLUMNS, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows({name: cell(value) for name, value in row.items()} for row in rows)
    return sheet.getvalue().encode("utf-8-sig")


def json_file(run: Run) -> bytes:
    """The design, the run, its tallies and estimates, the privacy label and the poisoning bounds as one document."""
    read = results.read(run)
    document = {
        "format": FORMAT,
        "note": "sent counts randomised reports, not true answers; estimates are computed from them",
        "design_digest": read.design.digest,
        "design": read.design.document,
        "run": _run(run),
        "estimates": [row | {"flags": row["flags"].split()} for row in estimate_rows(read)],
        "tallies": [row for item in read.items for row in _tallies(item)],
        "privacy": _privacy(read),
        "poisoning": [bound for item in read.items for bound in _bounds(item)],
    }
    return json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True, allow_nan=False).encode("utf-8") + b"\n"


def estimate_rows(read: Results) -> list[dict[str, Any]]:
    """Every estimate of a run as plain values by column."""
    return [_row(read, item, cell) for item in read.items for cell in item.cells]


def _row(read: Results, item: Item, cell: Cell) -> dict[str, Any]:
    estimate, run = cell.estimate, read.run
    return {
        "item": item.key,
        "wording": item.wording,
        "measure": estimate.measure,
        "choice": estimate.choice,
        "choice_label": cell.choice,
        "stratum": cell.group_key,
        "stratum_label": cell.group,
        "n": estimate.n,
        "sent": estimate.sent,
        "estimate_unclipped": estimate.unbiased,
        "estimate": estimate.constrained,
        "standard_error": estimate.standard_error,
        "low": estimate.low,
        "high": estimate.high,
        "interval_method": estimate.interval,
        "noise_standard_error": estimate.noise_standard_error,
        "noise_low": estimate.noise_low,
        "noise_high": estimate.noise_high,
        "noise_interval_method": estimate.noise_interval,
        "confidence": run.confidence,
        "interval_holds": _holds(run),
        "direct_question_n": estimate.direct_question_n,
        "truth_probability": item.frozen["channel"].get("truth"),
        "epsilon": _finite(item.mechanism.epsilon),
        "flags": " ".join(estimate.flags),
        "known_truth": cell.truth,
        "design": read.design.digest,
        "estimator_version": run.version,
        "snapshot_at": instant(run.snapshot_at),
    }


COLUMNS = (
    "item", "wording", "measure", "choice", "choice_label", "stratum", "stratum_label", "n", "sent",
    "estimate_unclipped", "estimate", "standard_error", "low", "high", "interval_method",
    "noise_standard_error", "noise_low", "noise_high", "noise_interval_method", "confidence",
    "interval_holds", "direct_question_n", "truth_probability", "epsilon", "flags", "known_truth",
    "design", "estimator_version", "snapshot_at",
)  # fmt: skip


def cell(value: Any) -> Any:
    """A value as a spreadsheet should take it: floats to their last digit, no text as a formula."""
    if isinstance(value, str):
        return f"'{value}" if value.startswith(FORMULA) else value
    return repr(value) if isinstance(value, float) else value


def _run(run: Run) -> dict[str, Any]:
    coin = {"reports_with_a_real_coin": run.coin_reports} if run.coin_reports else {}
    return coin | {
        "key": run.key,
        "trigger": run.trigger,
        "confidence": run.confidence,
        "interval_holds": _holds(run),
        "reports": run.reports,
        "snapshot_at": instant(run.snapshot_at),
        "input_digest": run.input_digest,
        "estimator_version": run.version,
    }


def _holds(run: Run) -> str:
    """Whether its intervals hold at all looks together, as those made until closing do, or at one."""
    return "every_look" if run.anytime else "one_look"


def _privacy(read: Results) -> dict[str, Any]:
    label = privacy.label(read)
    items = [
        {
            "item": item.key,
            "epsilon": _finite(item.mechanism.epsilon),
            "odds": str(item.mechanism.ratio),
            "encoding": item.frozen["encoding"],
            "weights": item.frozen["channel"]["weights"],
            "denominator": sum(item.frozen["channel"]["weights"][0]),
        }
        for item in label.items
    ]
    return {
        "model": label.model,
        "unit": label.unit,
        "stored": label.stored,
        "epsilon_total": _finite(label.epsilon),
        "odds_total": str(label.ratio),
        "items": items,
        "design": label.digest,
    }


def _tallies(item: Item) -> Iterator[dict[str, Any]]:
    for stratum, key in enumerate(item.design.strata):
        for symbol, table in enumerate(item.totals):
            yield {"item": item.key, "stratum": key, "symbol": symbol, "counts": table[stratum].tolist()}


def _bounds(item: Item) -> Iterator[dict[str, Any]]:
    for bound in privacy.bounds(item):
        yield {
            "item": item.key,
            "measure": bound.measure,
            "n": bound.n,
            "false_share": float(bound.share),
            "false_reports": bound.false_reports,
            "largest_shift": bound.shift,
        }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def instant(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat()
