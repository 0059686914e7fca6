"""Cross tables of an analysis: of two randomised answers, or of a background question and one."""

import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
from counts import ENOUGH, NUMBERS, Analysis, Row, Variable, row, weights_of

from randomized_response import Channel, JointEstimate, estimate_joint, weighted_joint


def cross_table(one: Analysis) -> Iterator[Row]:
    second, group = one.variable(one.parameters["columns"]), one.parameters["group"]
    weighting, known = one.parameters.get("weighting"), one.measured(one.parameters["rows"])
    if known:
        found = by_background(one, known, second)
        if found is None:
            return
        pairs, inside, channel, places = found
        item, values = known[0], [float(place) for place in places] if known[1] else None
    else:
        first, pairs = one.variable(one.parameters["rows"]), one.pairs
        inside = np.arange(len(pairs)) == one.row_of(group) if group else np.ones(len(pairs), dtype=bool)
        item, channel, places, values = first.item, first.channel, range(first.channel.answers), one.values(first)
    table = pairs[inside].sum(axis=0)
    if ((group or weighting) and len(pairs) == 1) or table.sum() < ENOUGH:
        return
    where = {"other_item": second.item}
    if weighting:
        weights = weights_of(one, one.sizes, weighting)
        if weights is None:
            return
        where["weights"] = "entered"
        rows, calibrated = weights
        options: Row = {"include": inside[rows], "confidence": one.confidence}
        joint = weighted_joint(pairs[rows], calibrated, channel, second.channel, **options)
    else:
        joint = estimate_joint(table, channel, second.channel, confidence=one.confidence)
    yield from shares_of_table(joint, item, places, where)
    for name, each in (("phi", joint.phi), ("odds_ratio", joint.odds_ratio)):
        if each is not None:
            by = each.estimate if name == "odds_ratio" and each.estimate else 1.0
            yield row(name, item, joint.n, **where, **association(each, by))
    others = one.values(second)
    if values is not None and others is not None and joint.unbiased.shape != (2, 2):
        by_numbers = joint.correlation(values, others)
        columns = ("constrained", "unbiased", "standard_error", "low", "high")
        numbers = {name: float(getattr(by_numbers, column)) for name, column in zip(NUMBERS, columns, strict=False)}
        yield row("correlation", item, joint.n, **where, **numbers)


def by_background(one: Analysis, known: tuple[str, bool], second: Variable) -> Any:
    """The pairs of a background question and a report by row, the rows that tell it, its channel and answers."""
    key, in_steps = known
    place = [question["key"] for question in one.questions].index(key)
    reports = one.reports(second.column, second.codes)
    told = np.array([answers[place][0] if len(answers[place]) == 1 else -1 for answers in one.told])
    counted = range(len(one.questions[place]["choices"]) - in_steps)  # who prefers not to say has no number
    answers = [answer for answer in counted if reports[told == answer].sum() >= ENOUGH]
    if len(answers) < 2:
        return None
    inside = np.isin(told, answers)
    taken = np.where(inside, told, answers[0])  # what others count as does not matter, but that they are responses
    pairs = np.stack([np.where((taken == answer)[:, None], reports, 0) for answer in answers], axis=1)
    openly = Channel(tuple(tuple(int(one == other) for other in answers) for one in answers))
    return pairs, inside, openly, answers


def shares_of_table(joint: JointEstimate, item: str, places: Sequence[int], where: Row) -> Iterator[Row]:
    by_row = joint.conditional()
    for (i, choice), j in product(enumerate(places), range(joint.constrained.shape[1])):
        columns = (joint.constrained, joint.unbiased, joint.standard_error, joint.low, joint.high)
        numbers = dict(zip(NUMBERS, (float(column[i, j]) for column in columns), strict=False))
        yield row("joint_share", item, joint.n, choice=choice, other_choice=j, **where, **numbers)
        names = {"estimate": "shares", "standard_error": "standard_error", "low": "low", "high": "high"}
        numbers = {name: float(getattr(by_row, column)[i, j]) for name, column in names.items()}
        if math.isnan(numbers["estimate"]):  # too few gave the answer of the row
            numbers = {}
        yield row("row_share", item, joint.n, choice=choice, other_choice=j, **where, **numbers)


def association(found: Any, by: float = 1.0) -> Row:
    numbers = {name: float(getattr(found, name)) for name in ("estimate", "low", "high")}
    return numbers | {"standard_error": float(found.standard_error) / by}
