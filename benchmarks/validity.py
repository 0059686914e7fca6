"""How often intervals of the estimates that check a design hold the truth, and how often its test raises an alarm.

    python -m benchmarks.validity [--rounds 2000] > docs/evidence/validity.md

The anchored crosswise share with people who answer by chance; a share corrected by a control question; the extended
crosswise share, and its test with people who prefer one report; bounds for those who did not answer; the difference of
a share between two versions of a page with tickets of their own; people who mark No whatever their coin shows, told by
two coins. Seeded.
"""

import argparse
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import product
from typing import TypeVar

import numpy as np

from randomized_response import (
    Channel,
    anchored_crosswise,
    cheater_detection,
    compare,
    crosswise,
    estimate_proportions,
    extended_crosswise,
    forced_response,
    nonresponse_bounds,
    warner,
    without_random_answers,
)

SHARES = (0.05, 0.1, 0.2, 0.4)
SIZES = (300, 600, 1000, 2000)
BY_CHANCE = (0.0, 0.08, 0.2)
HARMLESS = ("3/20", "1/4")
ONE_REPORT = (0.0, 0.05, 0.1)
RATES = (0.5, 0.7, 0.9)
ALARM = 0.05
HIGHER = (0.0, 0.1)
TABLES = {
    "forced response 1/2": forced_response(truth="1/2"),
    "forced response 3/4": forced_response(truth="3/4"),
    "crosswise 1/4": crosswise(prevalence="1/4"),
}
"""Of the second version; the first has the first of them."""

COINS = {
    "Warner 3/4, 1/4": (warner(truth="3/4"), warner(truth="1/4")),
    "forced yes 1/4, 3/4": tuple(forced_response(truth="1/2", yes=yes) for yes in ("1/4", "3/4")),
    "truth 1/4, 3/4": tuple(forced_response(truth=truth, yes="1") for truth in ("1/4", "3/4")),
}
"""Of two versions with a coin: each reverses the other, forces Yes more rarely or more often, or else forces Yes."""
DISOBEY = (0.0, 0.1)
FEWER = 5
"""The lines on coins are of so many times fewer samples."""

T = TypeVar("T")
Setting = tuple[str, int, float, float, str]


def anchored(setting: Setting, rounds: int) -> float:
    """The share of rounds whose interval holds the share."""
    _, n, share, by_chance, harmless = setting
    u = _value(harmless)
    random = np.random.default_rng([1, n, int(1000 * share), int(1000 * by_chance), int(100 * u)])
    held = 0
    for _ in range(rounds):
        follows, true = random.random(n) >= by_chance, random.random(n) < share
        same = true == (random.random(n) < u)
        nobody = random.random(n) >= u
        chance = random.random((2, n)) < 0.5
        reports, anchors = (np.where(follows, one, other) for one, other in zip((same, nobody), chance, strict=True))
        found = anchored_crosswise(reports.astype(int), anchors.astype(int), harmless, harmless)
        held += found.low <= share <= found.high
    return held / rounds


def corrected(setting: Setting, rounds: int) -> float:
    """The share of rounds whose interval holds the share, corrected by a control question to the same people."""
    _, n, share, by_chance, known = setting
    random = np.random.default_rng([5, n, int(1000 * share), int(1000 * by_chance), int(known)])
    no, yes = TABLES["forced response 1/2"].matrix[:, 1]
    held = 0
    for _ in range(rounds):
        chance, follows = random.random((2, n)) < 0.5, random.random(n) >= by_chance
        said = [
            np.where(follows, random.random(n) < p, one) for p, one in zip((share, float(known)), chance, strict=True)
        ]
        ones = [int((random.random(n) < np.where(answer, yes, no)).sum()) for answer in said]
        estimates = (estimate_proportions([n - one, one], TABLES["forced response 1/2"]) for one in ones)
        found = without_random_answers(*estimates, known)
        held += found.low <= share <= found.high
    return held / rounds


def extended(setting: Setting, rounds: int) -> tuple[float, float]:
    """The share of rounds whose interval holds the share, and of those whose test says that people do not follow."""
    _, n, share, one_report, harmless = setting
    u = _value(harmless)
    random = np.random.default_rng([2, n, int(1000 * share), int(1000 * one_report), int(100 * u)])
    held = alarms = 0
    for _ in range(rounds):
        reports = []
        for known in (u, 1 - u):
            rate = share * known + (1 - share) * (1 - known)
            reports.append(int(random.binomial(n // 2, (1 - one_report) * rate + one_report)))
        found = extended_crosswise((reports[0], reports[1]), (n // 2, n // 2), harmless)
        held += found.prevalence.low[1] <= share <= found.prevalence.high[1]
        alarms += found.followed.p_value < ALARM
    return held / rounds, alarms / rounds


def bounded(setting: Setting, rounds: int) -> float:
    """The share of rounds whose interval holds the share among all who were asked, where it is at the worse bound."""
    _, n, share, rate, _ = setting
    random, table = np.random.default_rng([3, n, int(1000 * share), int(1000 * rate)]), warner(truth="4/5")
    held = np.zeros(2)
    yes = _rate(share, table)
    for _ in range(rounds):
        ones = int(random.binomial(n, yes))
        found = nonresponse_bounds(estimate_proportions([n - ones, ones], table), rate)
        held += [found.low <= one <= found.high for one in (rate * share, rate * share + 1 - rate)]
    return float(held.min() / rounds)


def differed(setting: Setting, rounds: int) -> float:
    """The share of rounds whose interval holds the difference of two versions, each answered by half of the people."""
    _, n, share, higher, name = setting
    first, second = TABLES["forced response 1/2"], TABLES[name]
    random = np.random.default_rng([4, n, int(1000 * share), int(1000 * higher), list(TABLES).index(name)])

    @cache
    def holds(one: int, other: int) -> bool:
        mine, theirs = (estimate_proportions([n // 2 - y, y], table) for y, table in ((one, first), (other, second)))
        found = compare(mine, theirs)
        return bool(found.low[1] <= higher <= found.high[1])

    rates = [_rate(share, first), _rate(share + higher, second)]
    drawn = random.binomial(n // 2, rates, size=(rounds, 2)).tolist()
    return sum(holds(one, other) for one, other in drawn) / rounds


def coins(setting: Setting, rounds: int) -> tuple[float, float]:
    """The share of rounds whose interval holds the share of people who mark No, and of those whose test finds some."""
    _, n, share, disobey, name = setting
    first, second = COINS[name]
    random = np.random.default_rng([6, n, int(1000 * share), int(1000 * disobey), list(COINS).index(name)])

    @cache
    def found(one: int, other: int) -> tuple[bool, bool]:
        made = cheater_detection((one, other), (n // 2, n // 2), (first, second))
        return made.cheaters.low <= disobey <= made.cheaters.high, made.no_cheaters.p_value < ALARM

    rates = [(1 - disobey) * _rate(share, table) for table in (first, second)]
    drawn = random.binomial(n // 2, rates, size=(rounds // FEWER, 2)).tolist()
    held, alarms = zip(*(found(one, other) for one, other in drawn), strict=True)
    return float(np.mean(held)), float(np.mean(alarms))


def _rate(share: float, table: Channel) -> float:
    """The chance of a report of yes."""
    return share * float(table.matrix[1, 1]) + (1 - share) * float(table.matrix[0, 1])


def _value(fraction: str) -> float:
    one, other = map(int, fraction.split("/"))
    return one / other


HEAD = """# Checks of a design

*For statisticians who ask whether a protected question was answered as it should be.*

`python -m benchmarks.validity` writes this page.

{rounds:,} samples for each line; intervals of 95 %. The Monte Carlo error of a line is {error:.2%} (one standard
error).

## Crosswise with an anchor

Some people answer both items by chance. Over {settings} settings the interval of `anchored_crosswise` holds the share
in {mean:.1%} of samples on average and in {least:.1%} where it does so least; {below} are below 94 %.

| Responses | Share | By chance | Harmless statement | Holds |
|---|---|---|---|---|"""

WITHOUT = """
## Corrected by a control question

Some people answer both questions by chance, through forced response with a truth probability of 1/2. The interval of
`without_random_answers` holds the share in {mean:.1%} of samples on average and in {least:.1%} where it does so least;
{below} of {settings} settings are below 94 %.

| Responses | Share | By chance | Known share | Holds |
|---|---|---|---|---|"""

EXTENDED = """
## Extended crosswise

Some people always report the same, whatever is true. Where nobody does, the interval of `extended_crosswise` holds the
share in {least:.1%} to {most:.1%} of samples, and its test at {alarm:.0%} raises an alarm in {false_least:.1%} to
{false_most:.1%}.

| Responses | Share | Always the same | Harmless statement | Holds | Alarm |
|---|---|---|---|---|---|"""

BOUNDED = """
## Bounds for those who did not answer

The share among all who were asked, where everybody who stayed away would say no, or everybody yes: the worse of the
two. `nonresponse_bounds` of a Warner design (4/5) holds it in {least:.1%} to {most:.1%} of samples; {below} of
{settings} settings are below 94 %.

| Responses | Share | Response rate | Holds |
|---|---|---|---|"""

DIFFERED = """
## Difference between versions of a page

Half of the people are asked through forced response with a truth probability of 1/2, half through the table named. The
interval of `compare` holds the difference in {mean:.1%} of samples on average and in {least:.1%} where it does so
least; {below} of {settings} settings are below 94 %. Where the shares are equal it leaves 0 out, wrongly, in
{false_least:.1%} to {false_most:.1%}.

| Responses | Share | Difference | Second version | Holds |
|---|---|---|---|---|"""


COIN = """
## People who do not follow a coin

Half of the people toss one coin, half another, and some mark No whatever it shows. The interval of their share by
`cheater_detection` holds it in {least:.1%} to {most:.1%} of {samples:,} samples; {below} of {settings} settings are
below 94 %. Where everybody follows the coin its test at {alarm:.0%} raises an alarm in {false_least:.1%} to
{false_most:.1%}; where 10 % do not it finds that in {power:.0%} or more with 600 responses by coins that are each
other's reverse.

| Responses | Share | Mark No | Coins | Holds | Found |
|---|---|---|---|---|---|"""


def _all(
    pool: ProcessPoolExecutor, measure: Callable[[Setting, int], T], settings: list[Setting], rounds: int
) -> list[T]:
    return list(pool.map(measure, settings, [rounds] * len(settings)))


def _lines(settings: list[Setting], holds: list[float]) -> None:
    for (_, n, share, other, name), one in zip(settings, holds, strict=True):
        print("| " + " | ".join([f"{n:,}", f"{share:g}", f"{other:g}", *filter(None, [name]), f"{one:.1%}"]) + " |")


def _numbers(holds: list[float]) -> dict[str, float]:
    below = sum(one < 0.94 for one in holds)
    return {"mean": np.mean(holds), "least": min(holds), "most": max(holds), "below": below, "settings": len(holds)}


def main(rounds: int) -> None:
    with ProcessPoolExecutor(2) as pool:
        settings = [("anchored", *one) for one in product(SIZES, SHARES, BY_CHANCE, HARMLESS)]
        holds = _all(pool, anchored, settings, rounds)
        print(HEAD.format(rounds=rounds, error=np.sqrt(0.95 * 0.05 / rounds), **_numbers(holds)))
        _lines(settings, holds)
        settings = [("corrected", *one) for one in product(SIZES, SHARES, BY_CHANCE, ("0", "1"))]
        holds = _all(pool, corrected, settings, rounds)
        print(WITHOUT.format(**_numbers(holds)))
        _lines(settings, holds)
        settings = [("extended", *one) for one in product(SIZES, SHARES, ONE_REPORT, HARMLESS)]
        pairs = _all(pool, extended, settings, rounds)
        clean = [pair for (_, _, _, same, _), pair in zip(settings, pairs, strict=True) if not same]
        held, alarms = zip(*clean, strict=True)
        false = {"alarm": ALARM, "false_least": min(alarms), "false_most": max(alarms)}
        print(EXTENDED.format(least=min(held), most=max(held), **false))
        for (_, n, share, same, harmless), (one, alarm) in zip(settings, pairs, strict=True):
            print(f"| {n:,} | {share:g} | {same:g} | {harmless} | {one:.1%} | {alarm:.1%} |")
        settings = [("bounded", *one, "") for one in product(SIZES, SHARES, RATES)]
        holds = _all(pool, bounded, settings, rounds)
        print(BOUNDED.format(**_numbers(holds)))
        _lines(settings, holds)
        settings = [("differed", *one) for one in product(SIZES, SHARES, HIGHER, TABLES)]
        holds = _all(pool, differed, settings, rounds)
        alike = [1 - one for (_, _, _, higher, _), one in zip(settings, holds, strict=True) if not higher]
        print(DIFFERED.format(**_numbers(holds), false_least=min(alike), false_most=max(alike)))
        _lines(settings, holds)
        _coins(pool, rounds)


def _coins(pool: ProcessPoolExecutor, rounds: int) -> None:
    settings = [("coins", *one) for one in product(SIZES, SHARES, DISOBEY, COINS)]
    pairs = _all(pool, coins, settings, rounds)
    held = [one for one, _ in pairs]
    false = [found for (_, _, _, disobey, _), (_, found) in zip(settings, pairs, strict=True) if not disobey]
    power = [
        found
        for (_, n, _, disobey, name), (_, found) in zip(settings, pairs, strict=True)
        if n == 600 and disobey and name.startswith("Warner")
    ]
    told = {"samples": rounds // FEWER, "alarm": ALARM, "power": min(power)}
    print(COIN.format(**_numbers(held), **told, false_least=min(false), false_most=max(false)))
    for (_, n, share, disobey, name), (one, found) in zip(settings, pairs, strict=True):
        print(f"| {n:,} | {share:g} | {disobey:g} | {name} | {one:.1%} | {found:.1%} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=2000)
    main(parser.parse_args().rounds)
