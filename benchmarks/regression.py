"""How long the logistic regression takes: one million distinct rows, rows that repeat, and a plain fit by statsmodels.

Then how many times as long as Fisher scoring in plain numpy, which begins at one place and finds one summit.

Run: python -m benchmarks.regression [rows]
"""

import argparse
import time
from collections.abc import Callable

import numpy as np
from scipy import special
from statsmodels.discrete.discrete_model import Logit

from randomized_response import forced_response
from randomized_response.regression import logistic_regression

COINS = forced_response(truth="1/2")
TRUTH = np.array([-1.0, 0.5, -0.3, 0.2, 0.1, 0.0, 0.4])


def sample(covariates: np.ndarray, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """True answers and two-coin reports of people with these six covariates."""
    answers = generator.random(len(covariates)) < special.expit(TRUTH[0] + covariates @ TRUTH[1:])
    coin = generator.random(len(covariates))
    return answers.astype(int), np.where(coin < 0.5, answers, coin < 0.75).astype(int)


def fisher_scoring(covariates: np.ndarray, reports: np.ndarray) -> np.ndarray:
    """Coefficients by Fisher scoring through two coins, from zero to steps below 1e-8."""
    design = np.column_stack([np.ones(len(covariates)), covariates])
    (_, low), (_, high) = COINS.matrix
    coefficients = np.zeros(design.shape[1])
    for _ in range(50):
        share = 1 / (1 + np.exp(-design @ coefficients))
        rate, slope = low + (high - low) * share, (high - low) * share * (1 - share)
        weights = slope / (rate * (1 - rate))
        step = np.linalg.solve(
            (design * (weights * slope)[:, None]).T @ design, design.T @ (weights * (reports - rate))
        )
        coefficients += step
        if np.abs(step).max() < 1e-8:
            return coefficients
    raise ArithmeticError("Fisher scoring did not converge")


def ratio(rows: int, covariates: int, generator: np.random.Generator) -> str:
    """The regression's time over that of plain scoring, of the quickest of several runs in turns."""
    distinct = generator.normal(size=(rows, 6))
    distinct[:, covariates:] = 0
    reports, kept = sample(distinct, generator)[1], distinct[:, :covariates]
    taken = [
        [
            best_of(1, work)[0]
            for work in (lambda: fisher_scoring(kept, reports), lambda: logistic_regression(kept, reports, COINS))
        ]
        for _ in range(15)
    ]
    plain, ours = np.min(taken, axis=0)
    return (
        f"{rows} distinct rows, {covariates + 1} coefficients: {ours / plain:.2f} times plain scoring ({plain:.4f} s)"
    )


def best_of(times: int, work: Callable[[], object]) -> tuple[float, float]:
    """Seconds on the clock, and of all cores together, of the quickest of several runs."""
    taken = []
    for _ in range(times):
        start, busy = time.perf_counter(), time.process_time()
        work()
        taken.append((time.perf_counter() - start, time.process_time() - busy))
    return min(taken)


def main(rows: int) -> None:
    generator = np.random.default_rng(2015)
    distinct = generator.normal(size=(rows, 6))
    answers, reports = sample(distinct, generator)
    repeated = generator.integers(0, 3, size=(rows, 6)).astype(float)
    _, reports_again = sample(repeated, generator)
    design = np.column_stack([np.ones(rows), distinct])
    fits = {
        f"{rows} distinct rows, 7 coefficients": lambda: logistic_regression(distinct, reports, COINS),
        f"{rows} rows of 1458 kinds, 7 coefficients": lambda: logistic_regression(repeated, reports_again, COINS),
        f"{rows} distinct rows asked directly": lambda: logistic_regression(distinct, answers, None),
        "the same by statsmodels' Logit (newton)": lambda: Logit(answers, design).fit(disp=0),
    }
    for title, work in fits.items():
        clock, cores = best_of(3, work)
        print(f"{title:<50} {clock:7.3f} s, {cores:7.3f} s of the processor")
    for size, covariates in ((300_000, 6), (2_423, 5)):
        print(ratio(size, covariates, generator))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", type=int, nargs="?", default=1_000_000)
    main(parser.parse_args().rows)
