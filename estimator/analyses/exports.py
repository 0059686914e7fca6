"""Exports of a finished analysis: its rows as CSV, and as JSON with everything it was computed from.

The columns are documented in docs/how-to/analyse.md.
"""

import json
from dataclasses import asdict

from collector.designs.selectors import get_design
from estimator.analyses.quantities import COIN, item_of, sides_of
from estimator.analyses.rows import AnalysisRow
from estimator.analyses.scores_page import labels
from estimator.analyses.sentences import KINDS, RowDescriber
from estimator.base.cells import instant, sheet
from estimator.models import Analysis
from estimator.runs import targets
from estimator.runs.groups import stored

FORMAT = 1
COLUMNS = (
    "analysis", "kind", "quantity", "item", "wording", "choice", "choice_label",
    "other_item", "other_wording", "other_choice", "other_choice_label",
    "group", "group_label", "against", "against_label", "version", "against_version", "weights",
    "n", "returned", "estimate", "estimate_unclipped", "standard_error", "narrowest_standard_error",
    "low", "high", "interval_method", "target", "level", "flags",
    "design", "library_version", "snapshot_at",
)  # fmt: skip


def csv_file(analysis: Analysis) -> bytes:
    """The CSV file: one row per number, with a header of column names."""
    return sheet(COLUMNS, rows_of(analysis))


def json_file(analysis: Analysis) -> bytes:
    """The JSON file: the request, the counts and every number, sufficient to reproduce the analysis."""
    design = get_design(analysis.design_id)
    document = {
        "format": FORMAT,
        "note": "inputs count randomised reports, not true answers; the result is computed from them",
        "analysis": analysis.key,
        "kind": analysis.kind,
        "parameters": analysis.parameters,
        "design_digest": design.digest,
        "design": design.document,
        "designs": [get_design(digest).document for digest in analysis.parameters.get("designs", ())],
        "snapshot": {
            "at": instant(analysis.snapshot_at),
            "reports": analysis.reports,
            "while_open": analysis.while_open,
            "input_digest": analysis.input_digest,
        },
        "inputs": analysis.inputs,
        "result": analysis.result,
        "result_digest": analysis.result_digest,
        "library_version": analysis.version,
        "repeats": analysis.repeats.key if analysis.repeats else None,
    }
    return json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True, allow_nan=False).encode("utf-8") + b"\n"


def rows_of(analysis: Analysis) -> list[dict[str, object]]:
    """Every number of an analysis as plain values by column."""
    speaker = RowDescriber(get_design(analysis.design_id), analysis.parameters)
    answers = _answers(analysis, speaker)
    return [_row(analysis, speaker, AnalysisRow(**row), answers) for row in analysis.result["rows"]]


def _row(
    analysis: Analysis, speaker: RowDescriber, row: AnalysisRow, answers: tuple[list[str], list[str]]
) -> dict[str, object]:
    first, second = answers if row.quantity != "phi" else ([], [])
    values = asdict(row) | {
        "analysis": analysis.key,
        "kind": analysis.kind,
        "wording": _wording(speaker, row.item),
        "choice_label": _label(speaker, row.item, row.choice, first),
        "other_wording": _wording(speaker, row.other_item),
        "other_choice_label": _label(speaker, row.other_item, row.other_choice, second),
        "group_label": speaker.group(row.group) if row.group else "",
        "against_label": speaker.group(row.against) if row.against else "",
        "estimate_unclipped": row.unbiased,
        "interval_method": row.interval,
        "target": target_of(analysis, row),
        "flags": " ".join(row.flags),
        "design": analysis.design_id,
        "library_version": analysis.version,
        "snapshot_at": instant(analysis.snapshot_at),
    }
    return {name: values[name] for name in COLUMNS}


def target_of(analysis: Analysis, row: AnalysisRow) -> str:
    """The population that a number is for: by version weighted or not, otherwise by entered shares."""
    if analysis.kind != Analysis.Kind.VERSIONS:
        return targets.of_numbers(weighted=bool(row.weights), sampled=True)
    designs = map(get_design, analysis.parameters["designs"])
    found = {
        design.version: targets.target(stored(design, groups), sampled=True)
        for design, groups in zip(designs, analysis.inputs["groups"], strict=True)
    }
    return targets.common(found[one] for one in (row.version, row.against_version) if one is not None)


def _answers(analysis: Analysis, speaker: RowDescriber) -> tuple[list[str], list[str]]:
    """The answers in the rows and columns of a cross-table, which may be one choice against all others, or scores."""
    if analysis.kind == Analysis.Kind.SCORES:
        return labels(len(analysis.parameters["items"])), []
    if analysis.parameters.get("outcome", "").endswith(f":{COIN}"):
        return [str(kind) for kind in KINDS], []
    if analysis.kind != Analysis.Kind.CROSS_TABLE:
        return [], []
    first, second = sides_of(speaker.design, analysis.parameters)
    return speaker.answers(first), speaker.answers(second)


def _label(speaker: RowDescriber, item: str, choice: int | None, answers: list[str]) -> str:
    if choice is None:
        return ""
    if not answers and item in speaker.predictors:
        return speaker.answers(speaker.predictors[item])[choice]
    return answers[choice] if answers else speaker.choice(item_of(speaker.design, item), choice)


def _wording(speaker: RowDescriber, item: str) -> str:
    if item in [question.key for question in speaker.design.background.questions]:
        return speaker.background_question(item)
    return speaker.question(item_of(speaker.design, item)) if item else ""
