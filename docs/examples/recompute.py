"""Compute the unbiased estimates of an exported report again, in exact fractions, with nothing of Candor.

Usage: python recompute.py report.json

Every parameter comes from the design that is in the file; every number from the counts of randomised reports beside it.
A table of tickets W says how often an answer x sends the report y. Whoever gives each report y the score a_y with
sum_y W[x][y] a_y = v_x for every x, where v_x is 1 for the answer that is counted and 0 for the others (or the number
that the answer stands for), has scores whose mean over the reports is unbiased for the share (or the mean). Its
standard error is that of a mean: the scores' standard deviation (divided by n - 1) over the root of n.
"""

import json
import math
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

Item = dict[str, Any]
Tables = list[list[int]]
Found = tuple[Fraction, Fraction]


def solve(matrix: list[list[Fraction]], right: list[Fraction]) -> list[Fraction]:
    """An exact solution of the equations, of which there may be more than unknowns; ValueError where there is none."""
    rows = [[Fraction(value) for value in row] + [Fraction(one)] for row, one in zip(matrix, right, strict=True)]
    width = len(matrix[0])
    pivots: list[int] = []
    for column in range(width):
        found = next((row for row in range(len(pivots), len(rows)) if rows[row][column]), None)
        if found is None:
            continue
        place = len(pivots)
        rows[place], rows[found] = rows[found], rows[place]
        rows[place] = [value / rows[place][column] for value in rows[place]]
        for other in range(len(rows)):
            if other != place and rows[other][column]:
                factor = rows[other][column]
                rows[other] = [a - factor * b for a, b in zip(rows[other], rows[place], strict=True)]
        pivots.append(column)
    if any(row[-1] for row in rows[len(pivots) :]):
        raise ValueError("no scores are unbiased with this table")
    solution = [Fraction(0)] * width
    for place, column in enumerate(pivots):
        solution[column] = rows[place][-1]
    return solution


def mean_of_scores(scores: list[Fraction], counts: list[int]) -> Found:
    """The mean of the scores over the reports, and its variance."""
    n = sum(counts)
    mean = sum((score * count for score, count in zip(scores, counts, strict=True)), Fraction(0)) / n
    square = sum((score**2 * count for score, count in zip(scores, counts, strict=True)), Fraction(0)) / n
    return mean, (square - mean**2) / (n - 1)


def marks(item: Item) -> Found:
    """How often a mark is sent for the answer itself, and for another choice."""
    weights, k = item["channel"]["weights"], len(item["choices"])
    if item["encoding"] == "subset":
        truth, size = Fraction(weights[0][1], sum(weights[0])), item["channel"]["size"]
        return truth, (size - truth) / (k - 1)
    off, on = (Fraction(row[1], sum(row)) for row in weights)
    return on, off


def numbers(item: Item) -> list[Fraction | None]:
    """The number that each answer stands for; None where an answer stands for none."""
    if item["kind"] == "number":
        low, high, step = (Fraction(item["grid"][name]) for name in ("minimum", "maximum", "step"))
        return [low + place * step for place in range(int((high - low) / step) + 1)]
    points: list[Fraction | None] = [Fraction(place + 1) for place in range(len(item["choices"]))]
    return [*points[:-1], None] if item.get("prefer_not") else points


def estimate(item: Item, measure: str, choice: int, tables: Tables) -> Found:
    """One estimate of some reports and its variance; `tables` are the counts of each symbol of the item."""
    if item["encoding"] != "single":
        on, off = marks(item)
        return mean_of_scores([-off / (on - off), (1 - off) / (on - off)], tables[choice])
    weights = item["channel"]["weights"]
    table = [[Fraction(weight, sum(row)) for weight in row] for row in weights]
    if measure == "share":
        wanted = [Fraction(x == choice) for x in range(len(table))]
        return mean_of_scores(solve(table, wanted), tables[0])
    values = numbers(item)
    if None not in values:
        return mean_of_scores(solve(table, [value or Fraction(0) for value in values]), tables[0])
    given = solve(table, [Fraction(value is not None) for value in values])
    told = solve(table, [value or Fraction(0) for value in values])
    ratio = mean_of_scores(told, tables[0])[0] / mean_of_scores(given, tables[0])[0]
    scores = [a - ratio * b for a, b in zip(told, given, strict=True)]  # the delta method
    return ratio, mean_of_scores(scores, tables[0])[1] / mean_of_scores(given, tables[0])[0] ** 2


def recompute(document: dict[str, Any]) -> Iterator[tuple[dict[str, Any], float, float]]:
    """For each row of the estimates the numbers computed here: (row, unbiased estimate, standard error)."""
    items = {item["key"]: item for item in document["design"]["items"]}
    known = {group["stratum"]: Fraction(group["share"]) for group in document["groups"] if group["share"] is not None}
    tallies: dict[str, dict[str, Tables]] = {}
    for row in sorted(document["tallies"], key=lambda row: row["symbol"]):
        tallies.setdefault(row["item"], {}).setdefault(row["stratum"], []).append(row["counts"])
    for row in document["estimates"]:
        if row["estimate_unclipped"] is None:
            continue
        item, measure, choice = items[row["item"]], row["measure"], row["choice"]
        mine = tallies[row["item"]]
        if row["stratum"]:
            found = estimate(item, measure, choice, mine[row["stratum"]])
        elif known:
            found = weighted(item, measure, choice, mine, known)
        else:
            symbols = zip(*mine.values(), strict=True)
            found = estimate(item, measure, choice, [[sum(some) for some in zip(*one, strict=True)] for one in symbols])
        yield row, float(found[0]), math.sqrt(found[1])


def weighted(item: Item, measure: str, choice: int, tables: dict[str, Tables], known: dict[str, Fraction]) -> Found:
    """The groups put together by their known shares of the population."""
    parts = {stratum: estimate(item, measure, choice, some) for stratum, some in tables.items()}
    mean = sum((known[stratum] * part[0] for stratum, part in parts.items()), Fraction(0))
    return mean, sum((known[stratum] ** 2 * part[1] for stratum, part in parts.items()), Fraction(0))


if __name__ == "__main__":
    report = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    for told, unbiased, error in recompute(report):
        place = f"{told['item']} {told['measure']} {told['choice']} {told['stratum'] or 'all'}"
        print(f"{place:<40} {unbiased:10.6f} {error:10.6f}   differs by {unbiased - told['estimate_unclipped']:.1e}")
