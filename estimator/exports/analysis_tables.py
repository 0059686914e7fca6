"""The tables that `analysis.R` reads: what was asked, counts of responses, tables of tickets, margins of weights."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from collector.designs import Design
from collector.designs.selectors import get_design
from estimator.analyses import scores
from estimator.analyses.areas import area_cells, census_of
from estimator.analyses.calibrated import Unmet, weights_of
from estimator.analyses.cross_tables import counted_of
from estimator.analyses.logistic import reports_of
from estimator.analyses.quantities import (
    Score,
    Variable,
    item_of,
    outcome_of,
    quantity_of,
    question_at,
    randomised_predictors,
    variable_of,
)
from estimator.analyses.strata import compared, reference_key, strata_counts
from estimator.models import Analysis
from estimator.runs import waves
from estimator.runs.cells import row_answers
from estimator.runs.estimation import known_shares
from estimator.runs.groups import answer_key, stored
from randomized_response import Channel

Kind = Analysis.Kind
Table = Iterable[Sequence[object]]
SCRIPTS = {
    Kind.REGRESSION: ("regression.R",),
    Kind.CROSS_TABLE: ("cross-table.R", "association.R", "weights.R", "formulas.R"),
    Kind.SCORES: ("scores.R", "association.R", "formulas.R"),
    Kind.AREAS: ("areas.R",),
    Kind.COMPARISON: ("shares.R", "weights.R", "formulas.R", "estimates.R"),
    Kind.WEIGHTING: ("shares.R", "weights.R", "formulas.R", "estimates.R"),
    Kind.VERSIONS: ("shares.R", "returned.R", "weights.R", "formulas.R", "estimates.R"),
}
"""The scripts by which R computes a kind of analysis; the first is named in the settings."""


def tables_of(analysis: Analysis) -> dict[str, bytes]:
    """The tables by their names in the bundle; none of an analysis without estimates."""
    kind, rows = Kind(analysis.kind), analysis.result["rows"]
    if all(row["estimate"] is None for row in rows):
        return {}
    design = get_design(analysis.design_id)
    settings, tables = TABLES.get(kind, _shares)(analysis, design)
    asked = {"kind": SCRIPTS[kind][0].removesuffix(".R"), "confidence": analysis.parameters["confidence"], **settings}
    tables = {"settings": [("name", "value"), *asked.items()], **tables}
    return {f"tables/{name}.csv": _csv(rows) for name, rows in tables.items()}


def _regression(analysis: Analysis, design: Design) -> tuple[dict[str, object], dict[str, Table]]:
    parameters = analysis.parameters
    outcome = _outcome(parameters, design)
    latent = randomised_predictors(design, parameters)
    settings = {
        "model": "linear" if isinstance(outcome, Score) else parameters.get("model", _usual(outcome)),
        "prior": parameters.get("prior") or "",
        "weighted": int("weighting" in parameters),
        "choice": "" if outcome.choice is None else outcome.choice,
        "first": parameters.get("reference", ""),
        "modifier": parameters.get("modifier", ""),
    }
    settings |= {f"interaction {number}": key for number, key in enumerate(parameters.get("interaction", ()), start=1)}
    settings |= {f"answer {number}": design.items[one.position].key for number, one in enumerate(latent, start=1)}
    settings |= {f"steps {number}": key for number, key in enumerate(parameters.get("steps", ()), start=1)}
    tables: dict[str, Table] = {"responses": _responses(analysis, design, outcome, latent=len(latent))}
    if isinstance(outcome, Score):
        tables["scores"] = [(repr(score),) for score in outcome.scores]
    else:
        tables["channel"] = outcome.channel.weights
    tables |= {f"answer-{number}": one.channel.weights for number, one in enumerate(latent, start=1)}
    return settings, tables


def _cross_table(analysis: Analysis, design: Design) -> tuple[dict[str, object], dict[str, Table]]:
    parameters = analysis.parameters
    counted = counted_of(design, parameters, analysis.inputs)
    assert counted is not None
    first, second = counted.sides
    tables: dict[str, Table] = {
        "pairs": [("row", "first", "second", "count"), *_cells(counted.pairs)],
        "inside": [(row,) for row in np.flatnonzero(counted.inside).tolist()],
        "first": first.channel.weights,
        "second": second.channel.weights,
        "places": [(choice,) for choice in first.choices],
    }
    if counted.correlated:
        sides = (("first", first.values), ("second", second.values))
        tables["values"] = [("side", "value"), *((side, value) for side, values in sides for value in values or ())]
    if "weighting" in parameters:
        tables |= _margins(analysis, design, counted.sizes)
    return {"rows": len(counted.pairs), **_method(parameters.get("weighting", {}))}, tables


def _scores(analysis: Analysis, design: Design) -> tuple[dict[str, object], dict[str, Table]]:
    counted = scores.variables(design, analysis.parameters)
    names = [f"report-{number}" for number in range(1, len(counted) + 1)]
    asked = [(design.items[one.position].key, "" if one.choice is None else one.choice) for one in counted]
    tables: dict[str, Table] = {
        "patterns": [(*names, "count"), *analysis.inputs["patterns"]],
        "items": [("item", "choice"), *asked],
    }
    tables |= {f"channel-{number}": one.channel.weights for number, one in enumerate(counted, start=1)}
    return {}, tables


def _areas(analysis: Analysis, design: Design) -> tuple[dict[str, object], dict[str, Table]]:
    """The responses that tell the area and the predictors, and the census, by the numbers of the answers from 1."""
    parameters = analysis.parameters
    outcome, cells = area_cells(design, parameters, analysis.inputs)
    answers, people = census_of(cells, parameters["census"])
    keys = (parameters["area"], *parameters["predictors"])
    told = zip((cells.answers + 1).tolist(), cells.reports, strict=True)
    census = zip((answers + 1).tolist(), people.tolist(), strict=True)
    return {}, {
        "responses": [
            (*keys, "Report", "Count"),
            *((*row, report, int(n)) for row, counts in told for report, n in enumerate(counts) if n),
        ],
        "census": [(*keys, "People"), *((*row, repr(n)) for row, n in census)],
        "channel": outcome.channel.weights,
    }


def _shares(analysis: Analysis, design: Design) -> tuple[dict[str, object], dict[str, Table]]:
    """Of a comparison of groups, or a weighting."""
    parameters, counts = analysis.parameters, strata_counts(analysis.inputs)
    partition = stored(design, analysis.inputs["groups"])
    weighting = parameters.get("weighting", parameters if "margins" in parameters else {})
    settings, tables = _question(analysis, design, counts)
    settings |= _method(weighting)
    if analysis.kind == Kind.COMPARISON:
        groups = compared(partition, parameters["against"])
        settings["reference"] = reference_key(partition, groups, parameters["against"])
        tables["groups"] = [("group", "row"), *((group.key, row) for group in groups for row in group.rows)]
    elif "shares" in parameters and partition.parts:
        known = [
            float(sum(Fraction(parameters["shares"][design.strata[place]]) for place in members))
            for members in partition.members
        ]
        tables["strata"] = [("group", "share"), *zip(partition.keys, map(repr, known), strict=True)]
    if weighting:
        tables |= _margins(analysis, design, counts[:, 0].sum(axis=1))
    return settings, tables


def _versions(analysis: Analysis, design: Design) -> tuple[dict[str, object], dict[str, Table]]:
    """The rows of all versions one after another, of which version each is, with its known share, and who returned."""
    designs = [get_design(digest) for digest in analysis.parameters["designs"]]
    found = zip(designs, analysis.inputs["versions"], analysis.inputs["groups"], strict=True)
    counts, rows = list[NDArray[np.int64]](), list[Sequence[object]]()
    for one, totals, groups in found:
        counts.append(np.stack([np.array(table, dtype=np.int64) for table in totals], axis=1))
        known = list(map(repr, known_shares(stored(one, groups)))) or [""] * len(groups)
        rows += [(one.version, len(rows) + place, share) for place, share in enumerate(known)]
    settings, tables = _question(analysis, design, np.concatenate(counts))
    changes = [row for row in analysis.result["rows"] if row["against_version"] is not None]
    position = quantity_of(design, analysis.parameters["quantity"]).position
    alike = {one.version: waves.remembered(design, one, design.items[position]) for one in designs}
    overlaps = [(row["against_version"], row["returned"] or 0, int(alike[row["against_version"]])) for row in changes]
    return settings, tables | {
        "versions": [("version", "row", "share"), *rows],
        "returned": [("version", "returned", "remembered"), *overlaps],
    }


def _question(
    analysis: Analysis, design: Design, counts: NDArray[np.int64]
) -> tuple[dict[str, object], dict[str, Table]]:
    """What shares and means are estimated of: the question, its table of tickets, its values, counts of responses."""
    parameters = analysis.parameters
    quantity = quantity_of(design, parameters["quantity"]) if "quantity" in parameters else None
    position = item_of(design, parameters["item"]) if quantity is None else quantity.position
    item, question = design.items[position], question_at(design, position)
    mechanism = question.mechanism
    settings: dict[str, object] = {
        "analysis": analysis.kind, "rows": len(counts), "question": item.kind, "mechanism": item.channel.name,
        "encoding": item.encoding, "size": item.channel.size or "",
        "answers": mechanism.answers if isinstance(mechanism, Channel) else mechanism.k,
        "choice": "" if quantity is None or quantity.choice is None else quantity.choice,
    }  # fmt: skip
    tables: dict[str, Table] = {
        "counts": [("row", "symbol", "value", "count"), *_cells(counts)],
        "channel": item.channel.weights,
    }
    if question.values:
        tables["values"] = [("NA" if value is None else repr(float(value)),) for value in question.values]
    return settings, tables


TABLES: dict[Kind, Callable[[Analysis, Design], tuple[dict[str, object], dict[str, Table]]]] = {
    Kind.REGRESSION: _regression,
    Kind.CROSS_TABLE: _cross_table,
    Kind.SCORES: _scores,
    Kind.AREAS: _areas,
    Kind.VERSIONS: _versions,
}


def _method(weighting: Mapping[str, Any]) -> dict[str, object]:
    return {"method": weighting.get("method", ""), "largest": weighting.get("largest") or ""}


def _margins(analysis: Analysis, design: Design, sizes: NDArray[np.int64]) -> dict[str, Table]:
    """How much each row counts as each answer of the margins, and the means to meet; nothing where none can be met."""
    weighting = analysis.parameters.get("weighting", analysis.parameters)
    found = weights_of(design, stored(design, analysis.inputs["groups"]).members, sizes.tolist(), weighting)
    if isinstance(found, Unmet):
        return {}
    columns = {key: one for key, one in found.columns.items() if np.ptp(one[0]) > 0}
    table = np.zeros((len(sizes), len(columns)))
    table[found.rows] = np.array([column for column, _ in columns.values()]).T
    return {
        "sizes": [("size",), *((size,) for size in sizes.tolist())],
        "margins": [tuple(columns), *(tuple(map(repr, row)) for row in table.tolist())],
        "means": [(key, repr(mean)) for key, (_, mean) in columns.items()],
    }


def _cells(counts: NDArray[np.int64]) -> Iterator[Sequence[object]]:
    """A line for each count: its place, and it."""
    yield from ((*place, int(count)) for place, count in np.ndenumerate(counts) if count)


def _outcome(parameters: Mapping[str, Any], design: Design) -> Variable | Score:
    if "predictors" in parameters:
        return outcome_of(design, parameters["outcome"])
    return variable_of(design, parameters["outcome"], binary=True)


def _usual(outcome: Variable) -> str:
    return "logit" if outcome.channel.answers == 2 else "multinomial"


def _responses(analysis: Analysis, design: Design, outcome: Variable | Score, *, latent: int) -> Table:
    """A line for each report in each row of totals that tells the predictors: their answers, weight, report, count.

    The reports of randomised predictors, of which there are `latent` ones, stand beside that of the outcome. The key of
    a background question has no capitals, so no other column has its name.
    """
    inputs, parameters = analysis.inputs, analysis.parameters
    partition = stored(design, inputs["groups"])
    reports = np.array(inputs["pairs"]) if latent else reports_of(design, outcome, inputs)
    weights = np.ones(len(reports))
    if "weighting" in parameters:
        sizes = reports.reshape(len(reports), -1).sum(axis=1).tolist()
        found = weights_of(design, partition.members, sizes, parameters["weighting"])
        assert not isinstance(found, Unmet)
        weights[found.rows] = found.ratios
    questions = design.background.questions
    asked = [place for place, one in enumerate(questions) if one.key in parameters.get("predictors", ())]
    names = [questions[place].key for place in asked] if "predictors" in parameters else ["group"]
    allowed = [
        questions[place].offered if questions[place].key in parameters.get("steps", ()) else questions[place].everyone
        for place in asked
    ]  # who prefers not to say has no number in steps
    yield (*names, "Weight", "Report", *(f"Answer {number}" for number in range(1, latent + 1)), "Count")
    for row, counts in enumerate(reports):
        if asked:
            taken = [row_answers(design.background, partition.members[row])[place] for place in asked]
            told = [
                answer_key(design, place, one[0])
                for place, one, among in zip(asked, taken, allowed, strict=True)
                if len(one) == 1 and one[0] in among
            ]
        else:
            told = [partition.keys[row]][: len(names)]
        if len(told) == len(names):
            yield from ((*told, repr(float(weights[row])), *code, int(n)) for code, n in np.ndenumerate(counts) if n)


def _csv(rows: Table) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue().encode()
