"""Which mechanism is the most precise at equal epsilon: table and picture into docs/evidence/.

python -m benchmarks.mechanisms
"""

import argparse
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks._svg import COLOURS, Panel, picture
from randomized_response import discrete_laplace, one_bit, plan

EPSILONS = [0.5, 1.1, 2.0, 4.0]
SIZES = [2, 3, 4, 5, 6, 8, 10, 16, 24, 32, 64, 128, 256]
NAMES = ["k_ary", "optimised unary", "subset selection"]
FOLDER = Path(__file__).parents[1] / "docs" / "evidence"


def coin(k: int, epsilon: float) -> dict[str, float]:
    return {row.name: row.noise_variance for row in plan.compare_mechanisms(k, epsilon=epsilon)}


def choices() -> Iterator[str]:
    yield "| epsilon | k | k_ary | optimised unary | subset selection | size of set | best over k_ary |"
    yield "|---|---|---|---|---|---|---|"
    for epsilon in EPSILONS:
        for k in SIZES:
            rows = {row.name: row for row in plan.compare_mechanisms(k, epsilon=epsilon)}
            figures = [rows[name].noise_variance for name in NAMES]
            cells = " | ".join(f"{figure:.3f}" for figure in figures)
            yield f"| {epsilon:g} | {k} | {cells} | {rows[NAMES[2]].size} | {figures[2] / figures[0]:.3f} |"


def crossings() -> Iterator[str]:
    yield "| epsilon | k-ary response is best up to k = |"
    yield "|---|---|"
    for epsilon in EPSILONS:
        k = 2
        while plan.compare_mechanisms(k + 1, epsilon=epsilon)[0].name == "k_ary":
            k += 1
        yield f"| {epsilon:g} | {k} |"


def means() -> Iterator[str]:
    """n times the variance of an estimated mean in units of the scale, for people all at one point of the scale."""
    yield "| epsilon | grid | one bit, all at an end | in the middle | Laplace, all at an end | in the middle |"
    yield "|---|---|---|---|---|---|"
    for epsilon in EPSILONS:
        truth = math.expm1(epsilon) / (math.exp(epsilon) + 1)
        for k in (5, 11, 101):
            cells = []
            for channel in (one_bit(k, truth=(round(truth * 10**5), 10**5)), discrete_laplace(k, epsilon=epsilon)):
                rates = channel.matrix.mean(axis=0)
                scores = np.linalg.lstsq(channel.matrix / np.sqrt(rates), np.linspace(0, 1, k), rcond=None)[0]
                scores /= np.sqrt(rates)
                variance = channel.matrix @ scores**2 - (channel.matrix @ scores) ** 2
                cells += [variance[0], variance[k // 2]]
            yield f"| {epsilon:g} | {k} | " + " | ".join(f"{cell:.3f}" for cell in cells) + " |"


def drawing() -> str:
    panels = []
    for epsilon in EPSILONS:
        figures = {k: coin(k, epsilon) for k in SIZES}
        top = math.log10(max(max(row.values()) for row in figures.values()))
        bottom = math.log10(min(min(row.values()) for row in figures.values()))
        ticks = {tick: f"{10**tick:g}" for tick in range(math.ceil(bottom), math.floor(top) + 1)}
        panel = Panel(
            f"epsilon {epsilon:g}", (1, 8), (bottom - 0.1, top + 0.1), {p: f"{2**p}" for p in range(1, 9)}, ticks
        )
        for place, name in enumerate(NAMES):
            panel.curve([(math.log2(k), math.log10(figures[k][name])) for k in SIZES], COLOURS[place])
        panels.append(panel)
    legend = dict(zip(NAMES, COLOURS, strict=False))
    return picture(panels, 2, legend, "Variance that the coin adds to a share, by number of choices and epsilon")


def page() -> str:
    return "\n".join([
        "# Mechanisms compared",
        "",
        "*For statisticians who choose a mechanism.*",
        "",
        "Written by `python -m benchmarks.mechanisms`; do not edit. n times the variance that the coin adds to a",
        "share, on average over k equal shares: divide by the number of reports. Computed from the exact formulas",
        "by `plan.compare_mechanisms`.",
        "",
        "![Variance by number of choices](mechanisms.svg)",
        "",
        "Subset selection at its best set size attains the asymptotic minimax bound (Ye & Barg 2018: no mechanism of",
        "the same epsilon does better in the worst case as n grows), so its column is also the best known bound;",
        "k-ary response is subset selection with a set of one, and the same thing where that is the best size.",
        "",
        *crossings(),
        "",
        "## One choice of k",
        "",
        *choices(),
        "",
        "## The mean of a number",
        "",
        "n times the variance that randomization adds to the mean, in units of the scale's range, where everyone is",
        "at one point of it. One bit is better up to an epsilon between 1 and 2, and always for people at the ends;",
        "its interval is exact. From there on clamped Laplace noise is better for people in the middle, and only",
        "with it can the distribution be estimated, too, though roughly.",
        "",
        *means(),
        "",
    ])  # fmt: skip


def main() -> None:
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "mechanisms.md").write_text(page(), encoding="utf-8")
    (FOLDER / "mechanisms.svg").write_text(drawing(), encoding="utf-8")


if __name__ == "__main__":
    main()
