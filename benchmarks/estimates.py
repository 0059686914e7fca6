"""The library's speed, beside numpy's own floor and beside peers that pip can install.

    python -m benchmarks.estimates [--reports 10000000] [--rows 1000000]

Every figure is the best of several runs; nothing is asserted here.
"""

import argparse
import importlib.util
import time
from collections.abc import Callable, Iterator

import numpy as np
from scipy import stats

from randomized_response import (
    confidence_sequence,
    estimate_proportions,
    forced_response,
    k_ary,
    shuffle_amplification,
    simulate,
    tally,
)

Row = tuple[str, float, str, float | None]


def best(function: Callable[[], object], rounds: int = 5) -> float:
    """Seconds of the fastest of `rounds` runs."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def estimates() -> Iterator[Row]:
    coins = forced_response(truth="1/2")
    for n in (1000, 10**5, 10**7):
        counts = [n * 6 // 10, n * 4 // 10]
        taken = best(lambda counts=counts: estimate_proportions(counts, coins), 50)
        peer = best(lambda n=n: stats.binomtest(n * 4 // 10, n).proportion_ci(), 20)
        yield f"yes/no estimate with exact interval, n = {n:,}", taken, "scipy binomtest(...).proportion_ci()", peer
    for k in (10, 256):
        channel, counts = k_ary(k, truth="1/2"), np.arange(1, k + 1) * 100
        yield f"one choice of {k}, exact", best(lambda c=channel, t=counts: estimate_proportions(t, c), 5), "", None
        wald = best(lambda c=channel, t=counts: estimate_proportions(t, c, interval="wald"), 5)
        yield f"one choice of {k}, wald", wald, "", None
    for interval in ("likelihood", "bayes", "bootstrap"):
        channel, counts = k_ary(10, truth="1/2"), np.arange(1, 11) * 100
        taken = best(lambda i=interval, c=channel, t=counts: estimate_proportions(t, c, interval=i), 5)
        yield f"one choice of 10, {interval}", taken, "", None
    looks = np.cumsum(np.full((10_000, 2), [6, 4]), axis=0)
    yield "confidence sequence, 10,000 looks", best(lambda: confidence_sequence(looks, coins), 3), "", None


def counting(reports: int) -> Iterator[Row]:
    generator = np.random.default_rng(1)
    for k in (2, 5):
        rows = generator.integers(0, k, size=(reports, 20), dtype=np.uint8)
        columns = np.ascontiguousarray(rows.T)
        floor = best(lambda columns=columns, k=k: [np.bincount(column, minlength=k) for column in columns], 3)
        taken = best(lambda rows=rows, k=k: tally(rows, [k] * 20), 3)
        yield f"{reports:,} reports x 20 items of {k} to totals", taken, "numpy bincount of ready columns", floor


def drawing() -> Iterator[Row]:
    channel, answers = k_ary(5, truth="1/2"), np.random.default_rng(1).integers(0, 5, size=10**6)
    floor = best(lambda: np.random.default_rng(2).integers(0, 2**32, size=10**6, dtype=np.int64), 3)
    taken = best(lambda: simulate(channel, answers, np.random.default_rng(2)), 3)
    yield "simulate 1,000,000 reports of 5", taken, "numpy integers of 32 bits", floor


def shuffling() -> Iterator[Row]:
    for k, n in ((2, 10_000), (10, 10_000), (10, 10**6)):
        channel = k_ary(k, truth="1/2")
        yield (
            f"shuffle amplification, k = {k}, n = {n:,}",
            best(lambda channel=channel, n=n: shuffle_amplification(channel, n), 1),
            "",
            None,
        )


def regression(rows: int) -> Iterator[Row]:
    """Seven coefficients, on distinct rows and on rows that repeat."""
    if importlib.util.find_spec("randomized_response.regression") is None:
        return
    from randomized_response.regression import logistic_regression

    generator, coins = np.random.default_rng(3), forced_response(truth="1/2")
    distinct = np.column_stack([np.ones(rows), generator.normal(size=(rows, 6))])
    repeated = np.column_stack([np.ones(rows), generator.integers(0, 2, size=(rows, 6))]).astype(float)
    beta = np.array([-1, 0.5, -0.5, 0.3, 0, 0.2, -0.2])
    for name, covariates in (("distinct", distinct), ("repeated", repeated)):
        answers = (generator.random(rows) < 1 / (1 + np.exp(-covariates @ beta))).astype(int)
        reports = simulate(coins, answers, generator)
        taken = best(lambda c=covariates, r=reports: logistic_regression(c, r, coins), 1)
        yield f"logistic regression, 7 coefficients, {rows:,} {name} rows", taken, "", None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reports", type=int, default=10_000_000)
    parser.add_argument("--rows", type=int, default=1_000_000)
    options = parser.parse_args()
    parts = [estimates(), counting(options.reports), drawing(), shuffling(), regression(options.rows)]
    for part in parts:
        for name, taken, beside, floor in part:
            against = f"   {taken / floor:5.2f} x {beside} ({floor * 1e3:,.3f} ms)" if floor else ""
            print(f"{name:<66} {taken * 1e3:12,.3f} ms{against}", flush=True)


if __name__ == "__main__":
    main()
