"""How often each interval holds the true share: table and picture into docs/evidence/.

    python -m benchmarks.coverage [--rounds 100]

Truth probability 1/4, 1/2, 3/4 x share 0, .01, .05, .1, .3, .5 x n 30 .. 10,000, for k = 2, 3, 5, 10 answers. Methods
that look at one binomial count are enumerated over every count, exactly; the others are enumerated for k = 2 and
simulated for k > 2 (the share belongs to the first answer, the rest is spread evenly), seeded.
"""

import argparse
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
from scipy import stats

from benchmarks._svg import COLOURS, Panel, picture
from randomized_response import estimate_proportions, k_ary
from randomized_response.estimation import INTERVALS
from randomized_response.intervals import BINOMIAL_INTERVALS, DEFAULT_INTERVAL, binomial_limits

TRUTHS = [Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)]
SHARES = [0.0, 0.01, 0.05, 0.1, 0.3, 0.5]
SIZES = [30, 100, 300, 1000, 10_000]
ANSWERS = [2, 3, 5, 10]
LEVEL = 0.95
FOLDER = Path(__file__).parents[1] / "docs" / "evidence"


@dataclass(frozen=True)
class Point:
    k: int
    method: str
    truth: Fraction
    share: float
    n: int
    coverage: float
    width: float
    """Mean width before limits are cut to [0, 1] where the method is binomial, else after."""
    shown: float
    """Mean width after."""
    short: float
    """Chance of an interval less than half as wide as the median one."""
    missed: float
    """Chance of such an interval that does not hold the share."""


@cache
def every_limit(method: str, n: int, ends: tuple[float, float]) -> np.ndarray:
    return np.array([binomial_limits(method, count, n, LEVEL, ends) for count in range(n + 1)])


def shape(mass: np.ndarray, low: np.ndarray, high: np.ndarray, share: float) -> tuple[float, float, float]:
    """Mean width, chance of a short interval, chance of one that misses; `mass` are the chances of the intervals."""
    width = high - low
    by = np.argsort(width)
    median = width[by][np.searchsorted(np.cumsum(mass[by]), mass.sum() / 2)]
    short = width < median / 2
    missed = short & ~((low <= share) & (share <= high))
    return float(mass @ width), float(mass @ short), float(mass @ missed)


def enumerated(k: int, method: str, truth: Fraction, n: int) -> Iterator[Point]:
    """One count is all that a binomial method looks at. For k > 2 the widening to the constrained estimate, which looks
    at the other counts too, is left out: a lower bound."""
    p, miss = float(truth), float((1 - truth) / k)
    counts = np.arange(n + 1)
    known = (miss, miss + p) if method == "feldman_cousins" else (0.0, 1.0)  # the others do not look at the ends
    unclipped = (every_limit(method, n, known) - miss) / p
    estimate = np.clip((counts / n - miss) / p, 0, 1)
    low, high = np.minimum(unclipped[:, 0].clip(0, 1), estimate), np.maximum(unclipped[:, 1].clip(0, 1), estimate)
    for share in SHARES:
        mass = stats.binom.pmf(counts, n, miss + p * share)
        yield Point(
            k, method, truth, share, n,
            float(mass @ ((low <= share) & (share <= high))), float(mass @ (unclipped[:, 1] - unclipped[:, 0])),
            *shape(mass, low, high, share),
        )  # fmt: skip


def yes_no(method: str, truth: Fraction, n: int) -> Iterator[Point]:
    """Every count that is not all but impossible (1e-9) under some share."""
    channel, p = k_ary(2, truth=truth), float(truth)
    counts = np.arange(n + 1)
    masses = {share: stats.binom.pmf(counts, n, (1 - p) / 2 + p * share) for share in SHARES}
    needed = np.flatnonzero(np.max(list(masses.values()), axis=0) > 1e-9)
    limits = np.zeros((n + 1, 2))
    for count in needed:
        one = estimate_proportions([n - count, count], channel, interval=method)
        limits[count] = one.low[1], one.high[1]
    for share, mass in masses.items():
        held = (limits[:, 0] <= share) & (share <= limits[:, 1])
        found = shape(mass, limits[:, 0], limits[:, 1], share)
        yield Point(2, method, truth, share, n, float(mass @ held), found[0], *found)


def simulated(k: int, method: str, truth: Fraction, n: int, rounds: int) -> Iterator[Point]:
    channel = k_ary(k, truth=truth)
    for share in SHARES:
        theta = np.full(k, (1 - share) / (k - 1))
        theta[0] = share
        generator = np.random.default_rng([k, n, truth.numerator, truth.denominator, round(1000 * share)])
        tallies = generator.multinomial(n, channel.matrix.T @ theta, size=rounds)
        estimates = [estimate_proportions(tally, channel, interval=method) for tally in tallies]
        low, high = (np.array([getattr(one, end)[0] for one in estimates]) for end in ("low", "high"))
        found = shape(np.full(rounds, 1 / rounds), low, high, share)
        held = float(np.mean((low <= share) & (share <= high)))
        yield Point(k, method, truth, share, n, held, found[0], *found)


def points(rounds: int) -> Iterator[Point]:
    for k in ANSWERS:
        for method in INTERVALS:
            for truth in TRUTHS:
                for n in SIZES:
                    if method in BINOMIAL_INTERVALS:
                        yield from enumerated(k, method, truth, n)
                    elif k == 2:
                        yield from yes_no(method, truth, n)
                    else:
                        yield from simulated(k, method, truth, n, rounds)
            print(f"k = {k}: {method}", flush=True)


def summary(found: list[Point]) -> Iterator[str]:
    yield "| k | method | lowest | mean | mean, n >= 300 | against Wald | mean width | short | of these miss |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for k in ANSWERS:
        wald = {(p.truth, p.share, p.n): p.width for p in found if p.k == k and p.method == "wald"}
        for method in INTERVALS:
            own = [p for p in found if p.k == k and p.method == method]
            covered = [p.coverage for p in own]
            large = [p.coverage for p in own if p.n >= 300]
            ratio = "–"
            if method in BINOMIAL_INTERVALS:
                enough = [p for p in own if p.n * p.truth**2 >= 30]
                ratio = f"{np.mean([p.width / wald[p.truth, p.share, p.n] for p in enough]):.3f}"
            short, missed = (np.mean([getattr(p, name) for p in own]) for name in ("short", "missed"))
            yield (
                f"| {k} | {method} | {min(covered):.4f} | {np.mean(covered):.4f} | {np.mean(large):.4f} | {ratio} "
                f"| {np.mean([p.shown for p in own]):.4f} | {short:.3f} | {missed / short if short else 0:.2f} |"
            )


def by_share(found: list[Point]) -> Iterator[str]:
    yield "| n | share | " + " | ".join(INTERVALS) + " |"
    yield "|---|---|" + "---|" * len(INTERVALS)
    for n in SIZES:
        for share in SHARES:
            cells = []
            for method in INTERVALS:
                lowest = min(p.coverage for p in found if (p.k, p.method, p.n, p.share) == (2, method, n, share))
                cells.append(f"**{lowest:.3f}**" if lowest < 0.9495 else f"{lowest:.3f}")
            yield f"| {n} | {share:g} | " + " | ".join(cells) + " |"


def drawing(found: list[Point]) -> str:
    panels = []
    for method in INTERVALS:
        panel = Panel(
            method, (1.3, 4.2), (0.86, 1.0), {math.log10(n): f"{n:,}" for n in SIZES},
            {0.86: "≤ .86", 0.9: ".90", 0.95: ".95", 1.0: "1"},
        )  # fmt: skip
        panel.curve([(1.3, 0.95), (4.2, 0.95)], "#222", "4 3")
        for place, k in enumerate(ANSWERS):
            for p in found:
                if (p.k, p.method) == (k, method):
                    panel.dot(math.log10(p.n) + 0.07 * (place - 1.5), p.coverage, COLOURS[place])
        panels.append(panel)
    legend = {f"k = {k}": COLOURS[place] for place, k in enumerate(ANSWERS)}
    return picture(panels, 3, legend, "Coverage of every interval method by number of reports, nominal 95 %")


def page(found: list[Point], rounds: int) -> str:
    return "\n".join([
        "# Coverage of the intervals",
        "",
        "*For statisticians.*",
        "",
        "Written by `python -m benchmarks.coverage`; do not edit. Nominal level 95 %; each dot is one combination of",
        "truth probability (1/4, 1/2, 3/4), share (0 to .5) and number of reports.",
        "",
        "![Coverage of every method](coverage.svg)",
        "",
        f"`{DEFAULT_INTERVAL}`, the default, never falls below 95 % for yes/no questions, nor for one category of k;",
        "`exact` (Blaker's) and `clopper_pearson` do not either. The others do: `wald` far below for small n and rare",
        "traits, `score`, `mid_p` and `jeffreys` by a point or two. Limits cut to [0, 1] cover a share of 0 or 1 more",
        "often than they say (97.5 %), and are a point where reports lie far below what the table makes alone; the",
        "default knows that shares end at 0 and 1: it covers them by 95 %, and is never a point.",
        "`bayes` takes all mixtures of the k shares for equally likely beforehand, which pulls small samples of many",
        "choices towards 1 / k.",
        "",
        "## Summary",
        "",
        "Lowest and mean over 90 combinations. Binomial methods (down to `wald`) are enumerated; for k > 2 without",
        "the widening to the constrained estimate. `likelihood`, `bayes` and `bootstrap` are enumerated for k = 2 and",
        f"simulated for k > 2 ({rounds} surveys for each combination, so a single figure is good to about",
        f"{2 * math.sqrt(0.95 * 0.05 / rounds):.3f}). Against Wald: width before limits are cut to [0, 1] (those of",
        "`feldman_cousins` never lie beyond), where n p^2 >= 30. Mean width: of what is shown. Short: the chance of an",
        "interval less than half as wide as the median one; of these miss: how many of them do not hold the share.",
        "",
        *summary(found),
        "",
        "## Yes/no questions: lowest coverage over the three truth probabilities",
        "",
        *by_share(found),
        "",
    ])  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=100, help="surveys simulated for each combination with k > 2")
    rounds = parser.parse_args().rounds
    found = list(points(rounds))
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "coverage.md").write_text(page(found, rounds), encoding="utf-8")
    (FOLDER / "coverage.svg").write_text(drawing(found), encoding="utf-8")


if __name__ == "__main__":
    main()
