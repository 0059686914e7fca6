"""A finished run as one JSON document, described in docs/reference/report.md: the same bytes for every request."""

import json
from collections.abc import Iterator
from typing import TypedDict

from estimator.base.cells import instant
from estimator.exports.estimates import finite, interval_holds, json_rows
from estimator.models import Run
from estimator.reports import disclosures, earlier_waves, privacy
from estimator.runs import group_sizes, results
from estimator.runs.cells import row_answers
from estimator.runs.groups import is_protected
from estimator.runs.results import QuestionResults, ReportContext, Results

FORMAT = 1


def json_file(run: Run, context: ReportContext) -> bytes:
    """The design, the run, its tallies and estimates, the privacy label and the poisoning bounds as one document."""
    read = results.read(run, context)
    document = {
        "format": FORMAT,
        "note": "sent counts randomised responses, not true answers; estimates are computed from them",
        "design_digest": read.design.digest,
        "design": read.design.document,
        "disclosure": _disclosure(read),
        "run": _run(run),
        "groups": group_rows(read),
        **({"cells": list(cell_rows(read))} if read.design.background else {}),
        "estimates": json_rows(read),
        "tallies": [row for item in read.items for row in tally_rows(item)],
        "privacy": privacy_label(read),
        "poisoning": [bound for item in read.items for bound in bound_rows(item)],
        **({"participation": _participation(read)} if is_protected(read.design) else {}),
        **({"changes": changes} if (changes := list(earlier_waves.rows(read))) else {}),
    }
    return json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True, allow_nan=False).encode("utf-8") + b"\n"


def _participation(read: Results) -> dict[str, object]:
    """The released number of people in each group; no groups before they are drawn, after closing."""
    keys = read.design.strata
    sizes = group_sizes.released(read.run, read.design)
    return {
        "epsilon": read.design.participation,
        "mechanism": "discrete Laplace",
        "unit": "whether a person is in a group; twice epsilon for which of two groups they are in",
        "groups": [{"stratum": key, "about": size} for key, size in zip(keys, sizes, strict=bool(sizes))],
    }


def _disclosure(read: Results) -> dict[str, object]:
    """The author's disclosures on the survey's methods: every item that AAPOR asks for, also if empty."""
    disclosure = disclosures.of(read.design.slug)
    texts = {field.name: disclosure.texts.get(field.name, {}) for field in disclosures.FIELDS}
    sample = {"probability_sample": disclosure.probability_sample, "simple_random_sample": disclosure.has_margin}
    asked = {} if disclosure.asked is None else {"people_asked": disclosure.asked}
    return {**sample, **asked, "texts": texts}


def _run(run: Run) -> dict[str, object]:
    coin = {"reports_with_a_real_coin": run.coin_reports} if run.coin_reports else {}
    return coin | {
        "key": run.key,
        "trigger": run.trigger,
        "confidence": run.confidence,
        "interval_holds": interval_holds(run),
        "reports": run.reports,
        "snapshot_at": instant(run.snapshot_at),
        "input_digest": run.input_digest,
        "estimator_version": run.version,
    }


def label_rows(label: privacy.PrivacyLabel) -> list[dict[str, object]]:
    """The protection of each question."""
    return [
        {
            "item": item.key,
            "epsilon": finite(item.mechanism.epsilon),
            "odds": str(item.mechanism.ratio),
            "encoding": item.frozen.encoding,
            "weights": item.frozen.channel.weights,
            "denominator": item.frozen.channel.denominator,
        }
        for item in label.items
    ]


def privacy_label(read: Results) -> dict[str, object]:
    label = privacy.label(read)
    return {
        "model": label.model,
        "unit": label.unit,
        "stored": label.stored,
        "way_in": label.way_in.name,
        "epsilon_total": finite(label.epsilon),
        "odds_total": str(label.ratio),
        "items": label_rows(label),
        "design": label.digest,
        **({"waves": _waves(label.before)} if label.before else {}),
        **({"ceilings": label.ceilings.to_dict()} if label.ceilings else {}),
    }


def _waves(before: privacy.EarlierWaves) -> dict[str, object]:
    """The stated privacy loss of earlier waves, and its maximum together with this one."""
    return {
        "repeats": before.repeats,
        "unit": before.unit,
        "epsilon_before": before.epsilon,
        "odds_before": str(before.spent),
        "epsilon_together": before.epsilon_together,
        "odds_together": str(before.together),
    }


def group_rows(read: Results) -> list[dict[str, object]]:
    """The groups that estimates are made of, with small groups combined; empty if there are none.

    Those by an answer to a background question name the rows of the tallies that they are the sum of.
    """
    keys, rows, members = read.design.strata, read.partition.keys, read.partition.members
    return [
        {"stratum": group.key, "label": group.label, "share": group.share}
        | (
            {"rows": [rows[row] for row in group.rows]}
            if read.design.background
            else {"groups": [keys[one] for row in group.rows for one in members[row]]}
        )
        for group in read.partition.groups
    ]


def cell_rows(read: Results) -> Iterator[dict[str, object]]:
    """What each row of the tallies says of the background questions: of each the answers that it takes."""
    background, language = read.design.background, read.language
    for part, members in zip(read.partition.parts, read.partition.members, strict=bool(read.partition.parts)):
        told = zip(background.questions, row_answers(background, members), strict=True)
        answers = {one.key: [one.choices[answer][language] for answer in taken] for one, taken in told}
        yield {"stratum": part.key, "cells": [background.keys[cell] for cell in members], "answers": answers}


class TallyRow(TypedDict):
    """How often each value of a symbol was sent."""

    item: str
    stratum: str
    symbol: int
    counts: list[int]


def tally_rows(item: QuestionResults) -> Iterator[TallyRow]:
    for stratum, key in enumerate(item.partition.keys):
        for symbol, table in enumerate(item.totals):
            yield {"item": item.key, "stratum": key, "symbol": symbol, "counts": table[stratum].tolist()}


def bound_rows(item: QuestionResults) -> Iterator[dict[str, object]]:
    for bound in privacy.bounds(item):
        yield {
            "item": item.key,
            "measure": bound.measure,
            "n": bound.n,
            "false_share": float(bound.share),
            "false_reports": bound.false_reports,
            "largest_shift": bound.shift,
        }
