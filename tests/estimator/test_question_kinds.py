"""Every kind of question and encoding, from reports that the library draws to estimates: the truth is held."""

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from collector.designs import Design
from estimator.base import measures
from estimator.base.measures import MEAN, SHARE
from estimator.models import Estimate
from estimator.runs import estimation
from estimator.runs.groups import ungrouped
from randomized_response import (
    Channel,
    EachOption,
    SubsetSelection,
    UnaryEncoding,
    combine_means,
    combine_strata,
    estimate_mean,
    estimate_proportions,
    mean_of_shares,
    question_of,
)
from tests.factories import simulation
from tests.factories.kinds import GROUPS, PLACE_OF, every_kind
from tests.factories.runs import NUMBERS
from tests.tools.gate import few


def grouped(shares: tuple[str | None, str | None] = ("2/5", "3/5")) -> Design:
    groups = [group | {"share": share} for group, share in zip(GROUPS, shares, strict=True)]
    return every_kind(strata={"wording": {"en": "How old?"}, "groups": groups})


def estimated(design: Design, totals: estimation.Totals, *keys: str) -> list[Estimate]:
    return [
        row
        for key in keys or PLACE_OF
        for field in [design.fields[PLACE_OF[key]]]
        for row in estimation.estimate_item(ungrouped(design), PLACE_OF[key], totals[field.start : field.stop], 0.95)
    ]


def survey(design: Design, count: int, generator: np.random.Generator) -> tuple[simulation.People, estimation.Totals]:
    who = simulation.people(design, count, generator)
    return who, simulation.totals(design, who, simulation.symbols(design, who, generator))


def truth(design: Design, who: simulation.People, row: Estimate) -> float:
    item = design.document["items"][row.position]
    answers, question = who.answers[item["key"]], question_of(item)
    if row.stratum is not None:
        answers = answers[who.strata == row.stratum]
    if row.measure == SHARE:
        return float((answers[:, row.choice] if answers.ndim == 2 else answers == row.choice).mean())
    given = [question.values[answer] for answer in answers]
    return float(np.mean([value for value in given if value is not None]))


@pytest.mark.long
def test_intervals_of_every_kind_keep_coverage() -> None:
    """50 surveys of 1,200: of each of the 35 estimates at least 95 % less 4 standard errors are held.

    A false alarm in one of them has a chance of 35 times 8e-4 (the binomial's own tail at 50); the seed is fixed.
    """
    surveys = 50
    one, generator, held = every_kind(), np.random.default_rng(2026), Counter[tuple[int, str, int]]()
    for _ in range(surveys):
        who, totals = survey(one, 1200, generator)
        for row in estimated(one, totals):
            assert row.noise_low is not None
            assert row.noise_high is not None
            key = (row.position, row.measure, row.choice)
            held[key] += row.noise_low - 1e-12 <= truth(one, who, row) <= row.noise_high + 1e-12
    assert len(held) == 2 + 4 + 6 + 8 + 5 + (6 + 1) + 1 + 1 + 1
    least = surveys * 0.95 - 4 * math.sqrt(surveys * 0.95 * 0.05)
    assert {key: count for key, count in held.items() if count < least} == {}


def numbers(row: Estimate) -> tuple[float | None, ...]:
    return (row.unbiased, row.constrained, row.standard_error, row.noise_standard_error,
            row.low, row.high, row.noise_low, row.noise_high, row.direct_question_n)  # fmt: skip


def of(estimate: Any, choice: int | None = None) -> tuple[float | None, ...]:
    found = (getattr(estimate, name) if choice is None else getattr(estimate, name)[choice] for name in NUMBERS)
    return tuple(None if math.isnan(value) else value for value in found)


def direct(item: dict[str, Any], tables: estimation.Totals, stratum: int) -> Any:
    """The library's own call for this encoding, without `question_of`."""
    weights, k = item["channel"]["weights"], len(item["choices"])
    counts = np.stack([table[stratum] for table in tables])
    ones, n, tickets = counts[:, -1], int(counts[0].sum()), sum(weights[0])
    match item["encoding"]:
        case "one_hot":
            return UnaryEncoding(k, on=(weights[1][1], tickets), off=(weights[0][1], tickets)).estimate(ones, n)
        case "subset":
            truth = (weights[0][1], tickets)
            return SubsetSelection(k, size=item["channel"]["size"], truth=truth).estimate(ones, n)
        case "each_option":
            return EachOption(k, Channel(tuple(map(tuple, weights)))).estimate(ones, n)
    return estimate_proportions(counts[0], Channel(tuple(map(tuple, weights))))


@pytest.fixture(scope="module")
def strata() -> tuple[Design, estimation.Totals]:
    one = grouped()
    return one, survey(one, 1500, np.random.default_rng(7))[1]


def by_stratum(rows: list[Estimate], measure: str) -> dict[int | None, list[Estimate]]:
    return {place: [r for r in rows if (r.measure, r.stratum) == (measure, place)] for place in (None, 0, 1)}


@pytest.mark.parametrize("key", ["smokes", "often", "substance", "place", "habits", "mood"])
def test_shares_equal_library(strata: tuple[Design, estimation.Totals], key: str) -> None:
    one, totals = strata
    field, item = one.fields[PLACE_OF[key]], one.document["items"][PLACE_OF[key]]
    rows = by_stratum(estimated(one, totals, key), SHARE)
    estimates = [direct(item, totals[field.start : field.stop], stratum) for stratum in (0, 1)]
    for stratum, estimate in enumerate(estimates):
        assert [numbers(row) for row in rows[stratum]] == [of(estimate, row.choice) for row in rows[stratum]]
    whole = combine_strata(estimates, [0.4, 0.6])
    assert [numbers(row) for row in rows[None]] == [of(whole, row.choice) for row in rows[None]]
    assert all(measures.WEIGHTED in row.flags for row in rows[None])


@pytest.mark.parametrize(("key", "values"), few([("mood", (1, 2, 3, 4, 5, None)), ("worry", (1, 2, 3, 4, 5))]))
def test_scale_mean_is_computed_from_shares(
    strata: tuple[Design, estimation.Totals], key: str, values: tuple[float | None, ...]
) -> None:
    one, totals = strata
    field, item = one.fields[PLACE_OF[key]], one.document["items"][PLACE_OF[key]]
    rows = by_stratum(estimated(one, totals, key), MEAN)
    estimates = [direct(item, totals[field.start : field.stop], stratum) for stratum in (0, 1)]
    for stratum, estimate in enumerate(estimates):
        assert [numbers(row) for row in rows[stratum]] == [of(mean_of_shares(estimate, values))]
    (whole,) = rows[None]
    assert numbers(whole) == of(mean_of_shares(combine_strata(estimates, [0.4, 0.6]), values))
    assert whole.interval == ("delta" if None in values else "wald")
    assert (whole.choice, whole.sent, whole.n) == (0, None, 1500)


def test_discrete_laplace_estimates_mean_only(strata: tuple[Design, estimation.Totals]) -> None:
    one, totals = strata
    assert [(row.measure, row.stratum) for row in estimated(one, totals, "worry")] == [(MEAN, n) for n in (None, 0, 1)]
    place = PLACE_OF["worry"]
    mine = totals[one.fields[place].start : one.fields[place].stop]
    assert estimation.together(ungrouped(one), place, mine, 0.95) is None


@pytest.mark.parametrize("key", ["drinks", "hours"])
def test_number_mean_is_computed_from_grid(strata: tuple[Design, estimation.Totals], key: str) -> None:
    one, totals = strata
    item = one.document["items"][PLACE_OF[key]]
    channel = Channel(tuple(map(tuple, item["channel"]["weights"])))
    table = totals[one.fields[PLACE_OF[key]].start]
    step = float(item["grid"]["step"])
    estimates = [estimate_mean(table[h], channel, np.arange(channel.answers) * step) for h in (0, 1)]
    rows = estimated(one, totals, key)
    assert [(row.measure, row.stratum) for row in rows] == [(MEAN, None), (MEAN, 0), (MEAN, 1)]
    assert numbers(rows[0]) == of(combine_means(estimates, [0.4, 0.6]))
    assert [numbers(row) for row in rows[1:]] == [of(estimate) for estimate in estimates]
    assert rows[1].interval == ("feldman_cousins" if key == "drinks" else "wald")
    assert (rows[1].direct_question_n is None) == (key == "drinks"), "one bit tells the mean alone"


def test_binary_encodings_sent_count_is_number_of_ones(strata: tuple[Design, estimation.Totals]) -> None:
    one, totals = strata
    field = one.fields[PLACE_OF["substance"]]
    rows = [row for row in estimated(one, totals, "substance") if row.stratum == 1]
    assert [row.sent for row in rows] == [int(table[1, 1]) for table in totals[field.start : field.stop]]
    assert {row.n for row in rows} == {int(totals[0][1].sum())}


def filled(one: Design, n: int) -> Iterator[np.ndarray]:
    """As many reports, all of the first value of every symbol."""
    for size in one.alphabets:
        table = np.zeros((len(one.strata), size), dtype=np.int64)
        table[:, 0] = n
        yield table


@pytest.mark.parametrize(("n", "given"), [(9, False), (10, True)])
def test_minimum_of_reports_applies_to_every_kind(n: int, given: bool) -> None:
    one = every_kind()
    for row in estimated(one, tuple(filled(one, n))):
        if row.measure == MEAN and row.position == PLACE_OF["mood"]:
            continue  # that so few gave a point is another matter, below
        assert (row.constrained is not None) is given, row
        assert (row.flags == [measures.TOO_FEW]) is not given


def test_small_group_keeps_weighted_totals() -> None:
    one = grouped()
    totals = tuple(filled(one, 200))
    for table in totals:
        table[1] //= 100
    rows = estimated(one, totals)
    assert all(row.flags == [measures.TOO_FEW] for row in rows if row.stratum == 1)
    whole = [row for row in rows if row.stratum is None]
    assert all(row.flags[:2] == [measures.WEIGHTED, measures.COLLAPSED] for row in whole)
    assert not any(row.constrained is None for row in whole)
    assert all(row.constrained is not None for row in rows if row.stratum == 0 and row.measure == SHARE)


@pytest.mark.long
def test_without_known_shares_all_reports_are_pooled() -> None:
    one = grouped((None, None))
    totals = survey(one, 900, np.random.default_rng(3))[1]
    together = tuple(table.sum(axis=0, keepdims=True) for table in totals)
    alone = estimated(every_kind(), together)
    assert [numbers(row) for row in estimated(one, totals) if row.stratum is None] == [numbers(row) for row in alone]


@pytest.mark.parametrize("key", ["substance", "habits", "mood", "worry", "drinks", "hours"])
def test_impossible_reports_of_every_kind_are_flagged(key: str) -> None:
    """5,000 reports that all say the last value of every symbol, where honest ones could not."""
    one = every_kind()
    totals = tuple(table[:, ::-1].copy() for table in filled(one, 5000))
    rows = estimated(one, totals, key)
    assert any(measures.IMPOSSIBLE in row.flags for row in rows)
    clipped = {MEAN: measures.CLIPPED_MEAN, SHARE: measures.CLIPPED}
    assert all(clipped[row.measure] in row.flags for row in rows if measures.IMPOSSIBLE in row.flags)


def test_mean_outside_range_is_clipped_and_flagged() -> None:
    """One bit, truth 1/3: at most 2/3 of honest reports say lowest; 68 % of 1,000 do."""
    one = every_kind()
    totals = list(filled(one, 1000))
    totals[one.fields[PLACE_OF["drinks"]].start][0] = (680, 320)
    (row,) = estimated(one, tuple(totals), "drinks")
    assert row.unbiased == pytest.approx(-1.6)
    assert (row.constrained, row.low) == (0.0, 0.0)
    assert row.flags == [measures.CLIPPED_MEAN]


def test_scale_mean_too_few_points_is_not_estimated() -> None:
    one = every_kind()
    totals = list(filled(one, 400))
    totals[one.fields[PLACE_OF["mood"]].start][0] = (50, 45, 45, 45, 45, 170)
    *shares, mean = estimated(one, tuple(totals), "mood")
    assert all(row.constrained is not None for row in shares)
    assert (mean.measure, mean.flags, mean.interval, mean.constrained) == (
        MEAN, [measures.TOO_FEW_VALUES], "none", None,
    )  # fmt: skip
