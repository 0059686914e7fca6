"""Compute every number of an analysis again from its counts of randomised responses, and compare.

    python analysis.py [FILE ...]      of the JSON files that are named; without, of analysis.json and those in analyses

It prints each number with the one that is in the file, and the exit code is 1 where one of them differs by more than
1e-6 (above 1: of its size). It needs Python 3.11 and the packages numpy and scipy. The mathematics is the library
`randomized_response`, which lies beside this file; nothing of the results in the file is used but to compare with.
Cross tables are put together in `cross_tables.py`, regressions in `models.py`, small areas in `areas.py`, others here.
"""

import json
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))  # the library of this folder, whatever else is installed

import areas  # noqa: E402
import models  # noqa: E402
import numpy as np  # noqa: E402
from counts import ENOUGH, FEWEST, NUMBERS, Analysis, Array, Row, row, weights_of  # noqa: E402
from cross_tables import association, cross_table  # noqa: E402

from randomized_response import (  # noqa: E402
    Question,
    change_of_means,
    change_of_shares,
    collapse_strata,
    combine_means,
    combine_strata,
    combine_weighted,
    combine_weighted_means,
    compare,
    estimate_items,
    mean_of_shares,
    simultaneous_level,
    weighted_covariance,
)
from randomized_response.intervals import normal_quantile  # noqa: E402

TOLERANCE = 1e-6
TO_WEIGHT = 30
"""With fewer responses nothing is weighted."""

Fit = tuple[Any, Any]
"""The shares of the answers (ProportionEstimate) and the mean (MeanEstimate); None where there is none."""


def fit_of(question: Question, counts: Array, level: float) -> Fit | None:
    """The shares and the mean from counts of symbols, shape (symbols, m); None if there are too few."""
    if counts[0].sum() < FEWEST:
        return None
    if not question.fits_shares:  # of a number the mean alone
        return None, question.estimate_mean(counts, confidence=level)
    return with_mean(question, question.estimate(counts, confidence=level))


def with_mean(question: Question, shares: Any) -> Fit:
    return shares, mean_of_shares(shares, question.values) if question.reports_mean else None


def numbers_of(fit: Fit | None, choice: int | None) -> Row:
    """The share of a choice, or the mean; no numbers where too few gave one."""
    shares, mean = fit or (None, None)
    found = mean if choice is None else shares
    if found is None or (choice is None and math.isnan(found.unbiased)):
        return {}
    columns = {"estimate": found.constrained} | {name: getattr(found, name) for name in NUMBERS[1:5]}
    return {name: float(values if choice is None else values[choice]) for name, values in columns.items()}


def difference(one: Any, other: Any, choice: int | None, level: float, shared: Array | None = None) -> Row:
    """One estimate minus another, of other people; `shared` is the covariance of their shares, or of their means."""
    if choice is not None:
        found = compare(other[0], one[0], covariance=shared)
        columns = [found.difference, found.unbiased, found.standard_error, found.low, found.high]
        return dict(zip(NUMBERS, (float(column[choice]) for column in columns), strict=False))
    new, old = one[1], other[1]
    widest = new.maximum - new.minimum
    unbiased, estimate = new.unbiased - old.unbiased, new.constrained - old.constrained
    both = 0.0 if shared is None else float(shared[0, 0])
    error = math.sqrt(max(new.standard_error**2 + old.standard_error**2 - 2 * both, 0.0))
    reach = normal_quantile(level) * error
    low, high = max(min(unbiased - reach, estimate), -widest), min(max(unbiased + reach, estimate), widest)
    return dict(zip(NUMBERS, (estimate, unbiased, error, low, high), strict=False))


def comparison(one: Analysis) -> Iterator[Row]:
    item, choice = one.quantity(one.parameters["quantity"])
    question, totals, against = one.question(item), one.totals, one.parameters["against"]
    level, groups = one.confidence, one.compared(against)
    counts = [totals[rows].sum(axis=0) for _, rows in groups]
    weighting = one.parameters.get("weighting")

    def fits_at(confidence: float) -> list[Fit | None]:
        if weighting:
            return [by_margins(one, question, totals, confidence, weighting, rows) for _, rows in groups]
        return [fit_of(question, each, confidence) for each in counts]

    fits, named = fits_at(level), {"weights": "entered" if weighting else ""}
    kind, found = "mean" if choice is None else "share", [numbers_of(fit, choice) for fit in fits]
    for (key, _), each, numbers in zip(groups, counts, found, strict=True):
        yield row(kind, item, int(each[0].sum()), choice=choice, group=key, **named, **numbers)
    pairs, each = compared(found, one.reference(groups, against), level, tied=bool(weighting))
    fits = fits_at(each)
    for new, old in pairs:
        n, parts = int(counts[new][0].sum() + counts[old][0].sum()), (groups[new][1], groups[old][1])
        shared = covariance(one, question, totals, parts, (fits[new], fits[old]), choice) if weighting else None
        numbers = difference(fits[new], fits[old], choice, each, shared)
        sides = {"group": groups[new][0], "against": groups[old][0]}
        yield row("difference", item, n, choice=choice, **sides, **named, **numbers)


def compared(
    found: Sequence[Row], reference: int | None, level: float, *, tied: bool
) -> tuple[list[tuple[int, int]], float]:
    """The places of the groups to compare, and the level of each interval at which all of them hold."""
    ready = [place for place, numbers in enumerate(found) if numbers]
    pairs = [(later, first) for first, later in combinations(ready, 2)]
    if reference is not None:
        pairs = [(place, reference) for place in ready if place != reference] if reference in ready else []
    if not pairs:
        return [], level
    if tied:  # weighted groups are not independent: Sidak's inequality
        return pairs, level ** (1 / len(pairs))
    errors = [found[place]["standard_error"] for place in ready]
    place = None if reference is None else ready.index(reference)
    return pairs, simultaneous_level(errors, confidence=level, reference=place)


def covariance(
    one: Analysis, question: Question, totals: Array, parts: Sequence[Sequence[int]], fits: Sequence[Any], choice: Any
) -> Array:
    """Of the weighted shares, or means, of two groups: they have weights that meet the same margins."""
    weights = weights_of(one, totals[:, 0].sum(axis=1), one.parameters["weighting"])
    assert weights is not None
    rows, calibrated = weights
    masks = [np.isin(rows, part) for part in parts]
    if not question.fits_shares:
        return weighted_covariance([question.estimate_mean(totals[k]) for k in rows], calibrated, *masks)
    matrix = weighted_covariance([question.estimate(totals[k]) for k in rows], calibrated, *masks)
    if choice is not None:
        return matrix
    # The delta method for a mean of those who have a value: its derivatives by the shares.
    valued = np.array([value is not None for value in question.values])
    values = np.array([value or 0.0 for value in question.values], dtype=float)
    held = [fit[0].unbiased @ valued for fit in fits]
    slopes = [valued * (values - fit[0].unbiased @ values / each) / each for fit, each in zip(fits, held, strict=True)]
    return np.array([[slopes[0] @ matrix @ slopes[1]]])


def weighting(one: Analysis) -> Iterator[Row]:
    item, level = one.parameters["item"], one.confidence
    question, totals = one.question(item), one.totals
    n, alike, whole = int(totals[:, 0].sum()), fit_of(question, totals.sum(axis=0), one.confidence), None
    groups: list[tuple[str, Array]] = []
    if "margins" in one.parameters:
        whole = by_margins(one, question, totals, level, one.parameters, range(len(totals)))
    else:
        groups = list(zip(one.keys, totals, strict=True)) if len(totals) > 1 else []
        shares = {key: Fraction(share) for key, share in one.parameters["shares"].items()}
        known = [float(sum(shares[one.strata[place]] for place in rows)) for rows in one.members]
        whole = by_shares(question, totals, known, level) if groups else None
    for choice in told(question):
        kind = "mean" if choice is None else "share"
        yield row(kind, item, n, choice=choice, weights="entered", **numbers_of(whole, choice))
        yield row(kind, item, n, choice=choice, **numbers_of(alike, choice))
        for key, each in groups:
            numbers = numbers_of(fit_of(question, each, level), choice)
            yield row(kind, item, int(each[0].sum()), choice=choice, group=key, **numbers)


def told(question: Question) -> Iterator[int | None]:
    if question.reports_mean:
        yield None
    if question.reports_shares:
        mechanism = question.mechanism
        yield from range(mechanism.answers if hasattr(mechanism, "answers") else mechanism.k)


def by_shares(question: Question, totals: Array, known: Sequence[float], level: float) -> Fit | None:
    """Groups weighted by their known shares (Cochran 1977, chapter 5); very small ones are weighted as one."""
    if totals[:, 0].sum() < TO_WEIGHT:
        return None
    parts = collapse_strata(totals[:, 0].sum(axis=1).tolist(), FEWEST)
    shares = [sum(known[place] for place in part) for part in parts]
    counts = [totals[list(part)].sum(axis=0) for part in parts]
    if not question.fits_shares:
        return None, combine_means([question.estimate_mean(each, confidence=level) for each in counts], shares)
    return with_mean(question, combine_strata([question.estimate(each, confidence=level) for each in counts], shares))


def by_margins(
    one: Analysis, question: Question, totals: Array, level: float, asked: Row, of: Sequence[int]
) -> Fit | None:
    """Calibrated weights, of the responses in some rows; None of too few, and where nothing meets the margins."""
    sizes = totals[:, 0].sum(axis=1)
    if len(totals) < 2 or sizes[list(of)].sum() < TO_WEIGHT:
        return None
    weights = weights_of(one, sizes, asked)
    if weights is None:
        return None
    rows, calibrated = weights
    include = np.isin(rows, of)
    if not question.fits_shares:
        means = [question.estimate_mean(totals[place], confidence=level) for place in rows]
        return None, combine_weighted_means(means, calibrated, include=include)
    cells = [question.estimate(totals[place], confidence=level, interval="wald") for place in rows]
    return with_mean(question, combine_weighted(cells, calibrated, question.mechanism, include=include))


def scores(one: Analysis) -> Iterator[Row]:
    counted = [one.variable(token) for token in one.parameters["items"]]
    table = np.array(one.inputs["patterns"], dtype=np.int64).reshape(-1, len(counted) + 1)
    reports, n, level = np.repeat(table[:, :-1], table[:, -1], axis=0), int(table[:, -1].sum()), one.confidence
    if n < ENOUGH:
        return
    found: Any = estimate_items(reports, [each.channel for each in counted], confidence=level)
    for k in range(len(found.scores.constrained)):
        yield row("share", "", n, choice=k, **numbers_of((found.scores, None), k))
    values = sum(each.channel.left_inverse[1, reports[:, k]].astype(float) for k, each in enumerate(counted))
    mean, error, most = values.mean(), values.std(ddof=1) / math.sqrt(n), float(len(counted))
    estimate, reach = min(max(mean, 0.0), most), normal_quantile(level) * error
    low, high = min(max(mean - reach, 0.0), estimate), max(min(mean + reach, most), estimate)
    yield row("mean", "", n, **dict(zip(NUMBERS, (estimate, mean, error, low, high), strict=False)))
    for i, j, joint in found.pairs:
        there = joint.phi is not None and math.isfinite(joint.phi.estimate)
        places = {"choice": counted[i].choice, "other_item": counted[j].item, "other_choice": counted[j].choice}
        yield row("phi", counted[i].item, n, **places, **(association(joint.phi) if there else {}))


def versions(one: Analysis) -> Iterator[Row]:
    item, choice = one.quantity(one.parameters["quantity"])
    level, fits, sizes, waves = one.confidence, list[Any](), list[int](), one.versions()
    for wave in waves:
        question, totals = wave.question(item), wave.totals
        known = wave.known_shares()
        everybody = totals.sum(axis=0)
        fits.append(by_shares(question, totals, known, level) if known else fit_of(question, everybody, level))
        sizes.append(int(everybody[0].sum()))
        kind, numbers = "mean" if choice is None else "share", numbers_of(fits[-1], choice)
        yield row(kind, item, sizes[-1], choice=choice, version=wave.design["version"], **numbers)
    ready, newest = [k for k, fit in enumerate(fits) if numbers_of(fit, choice)], len(fits) - 1
    if len(ready) < 2 or ready[-1] != newest:
        return
    returned = {0: one.parameters.get("returned_first"), newest - 1: one.parameters.get("returned")}
    for older in dict.fromkeys((ready[-2], ready[0])):
        remembered = all(waves[k].remembers for k in (older, newest)) and waves[older].item(item) == waves[-1].item(
            item
        )
        back = returned.get(older)
        if choice is None:
            found = change_of_means(fits[older][1], fits[newest][1], remembered=remembered, returned=back)
        else:
            mechanism, shares = waves[-1].question(item).mechanism, (fits[older][0], fits[newest][0])
            found = change_of_shares(*shares, mechanism, remembered=remembered, returned=back)
        names = ("difference", *NUMBERS[1:])
        numbers = {k: float(getattr(found, name)[choice or 0]) for k, name in zip(NUMBERS, names, strict=True)}
        place = {"version": waves[-1].design["version"], "against_version": waves[older].design["version"]}
        yield row("difference", item, sizes[newest] + sizes[older], choice=choice, **place, **numbers)


KINDS: dict[str, Callable[[Analysis], Iterator[Row]]] = {
    "comparison": comparison,
    "weighting": weighting,
    "cross-table": cross_table,
    "scores": scores,
    "regression": models.regression,
    "areas": areas.small_areas,
    "versions": versions,
}
PLACE = (
    "quantity", "item", "choice", "other_item", "other_choice", "group", "against", "version", "against_version",
    "weights",
)  # fmt: skip
"""What a number is of."""


def check(path: Path) -> int:
    """Print the numbers of one file beside those computed here; return how many differ."""
    document = json.loads(path.read_text(encoding="utf-8"))
    computed = {place_of(one): one for one in KINDS[document["kind"]](Analysis(document))}
    wrong = 0
    for stored in document["result"]["rows"]:
        mine = computed.pop(place_of(stored), {})
        for name in NUMBERS:
            there, here = stored[name], finite(mine.get(name))
            same = there is here is None or (
                None not in (there, here) and abs(there - here) <= TOLERANCE * max(1.0, abs(there))
            )
            wrong += not same
            if there is not None or not same:
                words = " ".join(str(part) for part in place_of(stored) if part not in (None, ""))
                print(f"{words:<60} {name:<15} {shown(there):>12} {shown(here):>12} {'' if same else 'differs'}")
    for place in (place for place, one in computed.items() if finite(one.get("estimate")) is not None):
        wrong += 1
        print(f"{place}: is not in {path.name}")
    print(f"{path.name}: {len(document['result']['rows'])} rows, {wrong} numbers differ.")
    return wrong


def place_of(one: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(one.get(name) if name in one else default for name, default in zip(PLACE, DEFAULTS, strict=True))


DEFAULTS = ("", "", None, "", None, "", "", None, None, "")


def finite(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None


def shown(number: float | None) -> str:
    return "–" if number is None else f"{number:.8g}"


if __name__ == "__main__":
    files = [Path(name) for name in sys.argv[1:]] or [*HERE.glob("analysis.json"), *HERE.glob("analyses/*.json")]
    sys.exit(min(sum(map(check, files)), 1))
