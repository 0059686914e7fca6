"""How often intervals of calibrated shares hold the population's share, and how long raking takes: a table.

    python -m benchmarks.weighting [--rounds 2000] > docs/evidence/weighting.md

A population of two sexes, four ages and five regions, whose answers and whose taking part differ by all three: without
weights the estimate is biased. Samples are drawn from it, answers randomised, weights calibrated to the three margins.
Seeded.
"""

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import product

import numpy as np

from randomized_response import Channel, calibrate, estimate_weighted, forced_response, k_ary, simulate, warner

LEVELS = {"sex": 2, "age": 4, "region": 5}
CHANNELS = {
    "two coins": forced_response(truth="1/2"),
    "Warner 4/5": warner(truth="4/5"),
    "k-ary 4, 1/2": k_ary(4, truth="1/2"),
}
METHODS = {"raking": None, "linear": None, "logit": (0.02, 50.0)}
SHARES, SIZES = (0.03, 0.1, 0.3), (200, 600, 2000)
MILLION = 1_000_000


def population(share: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each of the 40 cells: its share of the population, how readily its people take part, how many say yes."""
    generator = np.random.default_rng(1992)
    sizes = np.multiply.outer(np.multiply.outer([0.5, 0.5], [0.3, 0.3, 0.25, 0.15]), [0.3, 0.25, 0.2, 0.15, 0.1])
    effects = [generator.normal(0, spread, size) for spread, size in ((0.3, 2), (0.4, 4), (0.3, 5))]
    sums = effects[0][:, None, None] + effects[1][None, :, None] + effects[2]
    yes = np.exp(-0.8 * sums)
    return sizes.ravel(), np.exp(sums).ravel(), np.minimum(yes.ravel() * share / (sizes * yes).sum(), 0.98)


def covered(setting: tuple[str, int, float, str, int]) -> tuple[float, float, float]:
    """Shares of rounds whose interval holds the truth with weights and without, and the mean design effect."""
    method, n, share, name, rounds = setting
    channel: Channel = CHANNELS[name]
    sizes, readiness, yes = population(share)
    places = np.unravel_index(np.arange(sizes.size), tuple(LEVELS.values()))
    table = dict(zip(LEVELS, places, strict=True))
    margins = {
        label: {i: float(sizes[codes == i].sum()) for i in range(LEVELS[label])} for label, codes in table.items()
    }
    truth, generator = float(sizes @ yes), np.random.default_rng([7, n, int(share * 100), len(name), len(method)])
    hits, bare, effect = 0, 0, 0.0
    for _ in range(rounds):
        cell = generator.choice(sizes.size, size=n, p=sizes * readiness / (sizes @ readiness))
        answers = (generator.random(n) < yes[cell]).astype(np.int64)
        reports = simulate(channel, answers, generator)
        people = {label: codes[cell] for label, codes in table.items()}
        weights = calibrate(people, margins, method=method, bounds=METHODS[method])
        found, plain = estimate_weighted(reports, channel, weights), estimate_weighted(reports, channel)
        hits += found.low[1] <= truth <= found.high[1]
        bare += plain.low[1] <= truth <= plain.high[1]
        effect += weights.design_effect
    return hits / rounds, bare / rounds, effect / rounds


def raking_seconds() -> float:
    """The quickest of three times that raking a million rows to six margins takes."""
    generator = np.random.default_rng(6)
    people = {f"q{place}": generator.choice(5, size=MILLION, p=[0.3, 0.25, 0.2, 0.15, 0.1]) for place in range(6)}
    margins = {name: dict(enumerate(generator.dirichlet(np.full(5, 20.0)))) for name in people}
    taken = []
    for _ in range(3):
        start = time.perf_counter()
        calibrate(people, margins)
        taken.append(time.perf_counter() - start)
    return min(taken)


HEAD = """# Weighted estimates

*For statisticians who weight by more than one margin.*

`python -m benchmarks.weighting` writes this page.

A population of two sexes, four ages and five regions, in which answers and taking part differ by all three.
{rounds:,} samples for each line; weights are calibrated to the three margins (bounds of `logit`: 0.02 and 50), the
interval is that of `estimate_weighted` at 95 %. The Monte Carlo error of a line is {error:.2%} (one standard error).

Over {settings} settings the interval holds the population's share in {mean:.1%} of samples on average, in {least:.1%}
where it does so least and in {most:.1%} where most; {near} of them are between 94 and 96 %. Without weights it is
{bare:.1%} where it is worst.

Raking a million rows to six margins of five labels took {raking:.2f} s on one core.

| Method | Responses | Share | Table | Holds | Holds without weights | Design effect |
|---|---|---|---|---|---|---|"""


def main(rounds: int) -> None:
    raking = raking_seconds()
    settings = [(*one, rounds) for one in product(METHODS, SIZES, SHARES, CHANNELS)]
    with ProcessPoolExecutor(2) as pool:
        found = list(pool.map(covered, settings))
    holds = np.array([one[0] for one in found])
    near = int(((holds > 0.94) & (holds < 0.96)).sum())
    print(
        HEAD.format(
            rounds=rounds, error=np.sqrt(0.95 * 0.05 / rounds), settings=len(settings), mean=holds.mean(),
            least=holds.min(), most=holds.max(), near=near, bare=min(one[1] for one in found), raking=raking,
        )
    )  # fmt: skip
    for (method, n, share, name, _), (hits, bare, effect) in zip(settings, found, strict=True):
        print(f"| {method} | {n:,} | {share:g} | {name} | {hits:.1%} | {bare:.1%} | {effect:.2f} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=2000)
    main(parser.parse_args().rounds)
