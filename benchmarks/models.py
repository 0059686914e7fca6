"""How often intervals of the models hold the truth, and how long fits take: tables for docs/evidence/models.md.

    python -m benchmarks.models [--rounds 1000] > docs/evidence/models.md
    python -m benchmarks.models --only "answer as predictor, effects differ"

Coefficients and average marginal effects of each model over sizes and tables, areas of the multilevel model over groups
and their variation; reports are simulated from the model itself. Seeded.
"""

import argparse
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from typing import Any

import numpy as np
from scipy import special, stats

from randomized_response import (
    Channel,
    categorical_regression,
    corrected_regression,
    forced_response,
    k_ary,
    logistic_regression,
    multilevel_regression,
    predictor_regression,
    simulate,
    warner,
)

COINS, WARNER = forced_response(truth="1/2"), warner(truth="4/5")
BINARY = {"two coins": COINS, "Warner 4/5": WARNER}
TERNARY = {"k-ary 3, 2/3": k_ary(3, truth="2/3"), "k-ary 3, 1/2": k_ary(3, truth="1/2")}
SIZES = (1000, 2000, 4000)
GROUPS, VARIATION = (12, 24, 48), (0.3, 0.7)
CURVES = {"logit": special.expit, "probit": stats.norm.cdf, "cloglog": lambda eta: -np.expm1(-np.exp(eta))}
SLOPES = np.array([-0.6, 0.5, -0.4])
MANY = np.array([[0, 0, 0], [0.3, 0.5, -0.4], [-0.2, -0.5, 0.4]])
CUTS = np.array([-0.7, 0.8])

Setting = tuple[str, str, int, float, int]


def covariates_of(n: int, generator: np.random.Generator) -> np.ndarray:
    return np.column_stack([generator.normal(size=n), generator.integers(0, 2, n)])


def drawn(shares: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    return (generator.random(len(shares))[:, None] > shares.cumsum(axis=1)).sum(axis=1)


def binary(link: str, channel: Channel, n: int, generator: np.random.Generator) -> tuple[Any, np.ndarray, np.ndarray]:
    covariates = covariates_of(n, generator)
    design = np.column_stack([np.ones(n), covariates])
    share = CURVES[link](design @ SLOPES)
    reports = simulate(channel, (generator.random(n) < share).astype(int), generator)
    ends = [CURVES[link](np.column_stack([design[:, :2], np.full(n, x)]) @ SLOPES).mean() for x in (0, 1)]
    moved = [CURVES[link]((design + np.array([0, step, 0])) @ SLOPES).mean() for step in (-1e-4, 1e-4)]
    truth = np.array([(moved[1] - moved[0]) / 2e-4, ends[1] - ends[0]])
    return logistic_regression(covariates, reports, channel, link=link), SLOPES, truth


def several(model: str, channel: Channel, n: int, generator: np.random.Generator) -> tuple[Any, np.ndarray, np.ndarray]:
    covariates = covariates_of(n, generator)

    def shares(table: np.ndarray) -> np.ndarray:
        if model == "multinomial":
            return special.softmax(np.column_stack([np.ones(n), table]) @ MANY.T, axis=1)
        below = special.expit(CUTS - (table @ SLOPES[1:])[:, None])
        return np.diff(np.column_stack([np.zeros(n), below, np.ones(n)]), axis=1)

    reports = simulate(channel, drawn(shares(covariates), generator), generator)
    fit = categorical_regression(covariates, reports, channel, model=model)
    step = np.array([1e-4, 0])
    slope = (shares(covariates + step) - shares(covariates - step)).mean(axis=0) / 2e-4
    high, low = covariates.copy(), covariates.copy()
    high[:, 1], low[:, 1] = 1, 0
    truth = MANY[1:].ravel() if model == "multinomial" else np.append(CUTS, SLOPES[1:])
    return fit, truth, np.append(slope, (shares(high) - shares(low)).mean(axis=0))


def predicted(model: str, channel: Channel, n: int, generator: np.random.Generator) -> tuple[Any, np.ndarray, None]:
    covariates = covariates_of(n, generator)
    design = np.column_stack([np.ones(n), covariates])
    answers = (generator.random(n) < special.expit(design @ SLOPES)).astype(int)
    line = design @ [0.2, 0.4, -0.3] + answers
    outcome = line + generator.normal(size=n)
    if model == "logit":
        outcome = (generator.random(n) < special.expit(line)).astype(int)
    fit = predictor_regression(outcome, covariates, simulate(channel, answers, generator), channel, model=model)
    return fit, np.array([0.2, 0.4, -0.3, 1.0, *SLOPES]), None


def differing(_: str, channel: Channel, n: int, generator: np.random.Generator) -> tuple[Any, np.ndarray, None]:
    """A yes on a randomised answer, whose effect is 0.8 without the second covariate and 1.6 with it."""
    covariates = covariates_of(n, generator)
    design = np.column_stack([np.ones(n), covariates])
    answers = (generator.random(n) < special.expit(design @ SLOPES)).astype(int)
    line = design @ [-0.8, 0.4, -0.3] + answers * (0.8 + 0.8 * covariates[:, 1])
    outcome = (generator.random(n) < special.expit(line)).astype(int)
    reports = simulate(channel, answers, generator)
    fit = predictor_regression(outcome, covariates, reports, channel, model="logit", modifiers=[1])
    return fit, np.array([-0.8, 0.4, -0.3, 0.8, 0.8, *SLOPES]), None


def both_randomised(_: str, channel: Channel, n: int, generator: np.random.Generator) -> tuple[Any, np.ndarray, None]:
    """A randomised yes on a randomised answer."""
    covariates = covariates_of(n, generator)
    design = np.column_stack([np.ones(n), covariates])
    answers = (generator.random(n) < special.expit(design @ SLOPES)).astype(int)
    outcome = (generator.random(n) < special.expit(design @ [-0.8, 0.4, -0.3] + 1.2 * answers)).astype(int)
    seen, reports = (simulate(channel, one, generator) for one in (outcome, answers))
    fit = predictor_regression(seen, covariates, reports, channel, model="logit", outcome_channel=channel)
    return fit, np.array([-0.8, 0.4, -0.3, 1.2, *SLOPES]), None


def skewed(_: str, channel: Channel, n: int, generator: np.random.Generator) -> tuple[Any, np.ndarray, None]:
    """A number that is far from normal, on a randomised answer: corrected moments."""
    covariates = covariates_of(n, generator)
    design = np.column_stack([np.ones(n), covariates])
    answers = (generator.random(n) < special.expit(design @ SLOPES)).astype(int)
    outcome = design @ [0.2, 0.4, -0.3] + answers + generator.exponential(size=n) - 1
    fit = corrected_regression(outcome, covariates, simulate(channel, answers, generator), channel)
    return fit, np.array([0.2, 0.4, -0.3, 1.0]), None


def two_predictors(_: str, channel: Channel, n: int, generator: np.random.Generator) -> tuple[Any, np.ndarray, None]:
    """A yes on two randomised answers, of which the second is more frequent with the first."""
    covariates = covariates_of(n, generator)
    design = np.column_stack([np.ones(n), covariates])
    first = (generator.random(n) < special.expit(design @ SLOPES)).astype(int)
    share = special.expit(np.array([-0.3, 0.5]))  # of the second, without and with the first
    second = (generator.random(n) < share[first]).astype(int)
    line = design @ [-0.5, 0.4, -0.3] + first + 0.6 * second
    outcome = (generator.random(n) < special.expit(line)).astype(int)
    reports = np.column_stack([simulate(channel, answers, generator) for answers in (first, second)])
    fit = predictor_regression(outcome, covariates, reports, [channel, channel], model="logit")
    with_first = [SLOPES + np.log(np.array([ratio, 1, 1])) for ratio in ((1 - share[1]), share[1]) / (1 - share[0])]
    return fit, np.concatenate([[-0.5, 0.4, -0.3, 1.0, 0.6, -0.3, 0, 0], *with_first]), None


MODELS: dict[str, tuple[Callable[..., Any], str, dict[str, Channel]]] = {
    "logit": (binary, "logit", BINARY),
    "probit": (binary, "probit", BINARY),
    "cloglog": (binary, "cloglog", BINARY),
    "multinomial": (several, "multinomial", TERNARY),
    "ordinal": (several, "ordinal", TERNARY),
    "answer as predictor, linear": (predicted, "linear", BINARY),
    "answer as predictor, logit": (predicted, "logit", BINARY),
    "answer as predictor, effects differ": (differing, "", BINARY),
    "answer as predictor, randomised outcome": (both_randomised, "", {"Warner 4/5": WARNER}),
    "answer as predictor, skewed number": (skewed, "", BINARY),
    "two answers as predictors, logit": (two_predictors, "", {"Warner 4/5": WARNER}),
}


def regression(setting: Setting) -> tuple[float, float, int]:
    """Mean coverage of coefficients and of effects (NaN without), and the fits without a finite maximum."""
    name, table, n, _, rounds = setting
    make, kind, channels = MODELS[name]
    generator = np.random.default_rng([11, n, len(name), len(table)])
    hits, effects, lost = [], [], 0
    for _ in range(rounds):
        fit, truth, average = make(kind, channels[table], n, generator)
        if not fit.converged:
            lost += 1
            continue
        low, high = fit.intervals()[: len(truth)].T
        hits.append(((low <= truth) & (truth <= high)).mean())
        if average is not None:
            low, high = fit.get_margeff().conf_int().T
            effects.append(((low <= average) & (average <= high)).mean())
    return float(np.mean(hits)), float(np.mean(effects)) if effects else float("nan"), lost


def areas(setting: Setting) -> tuple[float, float, int]:
    """Mean coverage of areas, and of the whole population."""
    _, table, groups, spread, rounds = setting
    generator = np.random.default_rng([12, groups, int(spread * 10), len(table)])
    hits, whole, lost, n = [], [], 0, 1500
    for _ in range(rounds):
        area, effects = generator.integers(0, groups, n), spread * generator.normal(size=groups)
        covariate = generator.normal(size=n)
        share = special.expit(-0.5 + 0.5 * covariate + effects[area])
        reports = simulate(BINARY[table], (generator.random(n) < share).astype(int), generator)
        fit = multilevel_regression(covariate, reports, BINARY[table], area)
        if not fit.converged:
            lost += 1
            continue
        cells = np.tile([[-1.0], [0.0], [1.0]], (groups, 1))
        found = fit.poststratify(cells, np.repeat(np.arange(groups), 3), np.tile([1, 2, 1], groups))
        truth = special.expit(-0.5 + 0.5 * np.array([-1, 0, 1]) + effects[:, None]) @ [0.25, 0.5, 0.25]
        held = (found.low <= np.append(truth, truth.mean())) & (np.append(truth, truth.mean()) <= found.high)
        hits.append(held[:-1].mean())
        whole.append(held[-1])
    return float(np.mean(hits)), float(np.mean(whole)), lost


def seconds(work: Callable[[], object]) -> float:
    """The quickest of three."""
    taken = []
    for _ in range(3):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return min(taken)


def speeds() -> list[tuple[str, float]]:
    generator = np.random.default_rng(1)
    wide = generator.normal(size=(1_000_000, 11))
    million = simulate(COINS, (generator.random(1_000_000) < special.expit(wide[:, 0])).astype(int), generator)
    area, covariate = generator.integers(0, 24, 900), generator.normal(size=900)
    few = simulate(COINS, (generator.random(900) < special.expit(covariate - 0.5)).astype(int), generator)
    answers = generator.integers(0, 3, 100_000)
    many = simulate(TERNARY["k-ary 3, 2/3"], answers, generator)
    table = covariates_of(100_000, generator)
    return [
        ("logit, 1,000,000 distinct rows, 12 coefficients", seconds(lambda: logistic_regression(wide, million, COINS))),
        (
            "multinomial, 100,000 distinct rows, 3 answers, 6 coefficients",
            seconds(lambda: categorical_regression(table, many, TERNARY["k-ary 3, 2/3"])),
        ),
        ("random intercepts, 900 rows, 24 areas", seconds(lambda: multilevel_regression(covariate, few, COINS, area))),
    ]


HEAD = """# Models

*For statisticians who regress randomised answers.*

`python -m benchmarks.models` writes this page.

Reports are simulated from the model that is fitted: a numeric and a yes/no covariate, {rounds:,} samples for each line,
{area_rounds:,} for areas. Coverage is the mean over the coefficients (effects, areas) of 95 % intervals.

- Coefficients: {coefficients}.
- Average marginal effects: {effects}.
- Areas: {areas}.

## Coefficients and effects

| Model | Table | Responses | Coefficients | Effects | Without a finite maximum |
|---|---|---|---|---|---|"""

AREAS = """
## Areas

Random intercepts, 1,500 responses, areas of equal size; the truth is that of the areas' own intercepts.

| Table | Areas | sigma | Areas covered | Whole population | Without a finite maximum |
|---|---|---|---|---|---|"""


def between(found: list[float]) -> str:
    kept = np.array([one for one in found if one == one])
    near = int(((kept >= 0.94) & (kept <= 0.96)).sum())
    return (
        f"{kept.mean():.1%} on average, from {kept.min():.1%} to {kept.max():.1%}, {near} of {kept.size} in 94 to 96 %"
    )


def settings(name: str, rounds: int) -> list[Setting]:
    return [(name, table, n, 0.0, rounds) for table in MODELS[name][2] for n in SIZES]


def line(setting: Setting, found: tuple[float, float, int]) -> str:
    """The row of the page for a setting of `regression`."""
    (name, table, n, _, _), (hits, effects, lost) = setting, found
    return f"| {name} | {table} | {n:,} | {hits:.1%} | {'' if np.isnan(effects) else f'{effects:.1%}'} | {lost} |"


def main(rounds: int) -> None:
    taken = speeds()
    models = [setting for name in MODELS for setting in settings(name, rounds)]
    area_rounds = max(rounds // 4, 10)
    grouped = [("areas", *one, area_rounds) for one in product(BINARY, GROUPS, VARIATION)]
    with ProcessPoolExecutor(2) as pool:
        found, multilevel = list(pool.map(regression, models)), list(pool.map(areas, grouped))
    print(
        HEAD.format(
            rounds=rounds, area_rounds=area_rounds, coefficients=between([one[0] for one in found]),
            effects=between([one[1] for one in found]), areas=between([one[0] for one in multilevel]),
        )
    )  # fmt: skip
    for setting, one in zip(models, found, strict=True):
        print(line(setting, one))
    print(AREAS)
    for (_, table, groups, spread, _), (hits, whole, lost) in zip(grouped, multilevel, strict=True):
        print(f"| {table} | {groups} | {spread:g} | {hits:.1%} | {whole:.1%} | {lost} |")
    print("\n## Time\n\nOn two cores, the quickest of three.\n\n| Fit | Seconds |\n|---|---|")
    for title, clock in taken:
        print(f"| {title} | {clock:.2f} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--only", choices=sorted(MODELS), help="print the rows of one model alone")
    given = parser.parse_args()
    if given.only:
        for setting in settings(given.only, given.rounds):
            print(line(setting, regression(setting)))
    else:
        main(given.rounds)
