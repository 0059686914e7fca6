"""The simulated surveys in the manual of R's package RRreg 0.7.5, made again from its seed, and what it prints of them.

Heck, D. W. & Moshagen, M. (2018). RRreg: an R package for correlation and regression analyses of randomized response
data. J. Statistical Software 85(2). The numbers are those of its vignette of 25 November 2022.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

Floats = NDArray[np.float64]
Answers = NDArray[np.int64]

SEED = 123
BETWEEN = 2002
"""Random numbers that the fits between the first survey and the second take, as its `lm` of the truth tells."""
TRUTH_OF_FIRST, TRUTH_OF_SECOND = "1/6", "35/100"

LOGISTIC = {"(Intercept)": ("-1.35386", "0.16999"), "cov": ("1.01691", "0.14569")}
"""`RRlog(response ~ cov)`: coefficients and standard errors."""
FORMATS = {
    "(Intercept)": ("-0.40811", "0.08519"),
    "RR.design": ("0.26118", "0.08519"),
    "z.age": ("0.19927", "0.09474"),
    "RR.design:z.age": ("0.33441", "0.09474"),
}
"""`RRlog(response ~ RR.design * z.age)`: half of the people were asked directly."""
DROPPED = {"RR.design": "9.1437", "z.age": "4.8658", "RR.design:z.age": "14.4201"}
"""Likelihood-ratio statistics of leaving one coefficient out."""
PREDICTOR = {"(Intercept)": ("-0.01317", "0.04512"), "response": ("1.02931", "0.10611")}
"""`RRlin(cov ~ response)`: a randomised predictor of a number."""
PREDICTORS = {
    "(Intercept)": ("0.78721", "0.48491"),
    "response": ("2.07495", "0.83232"),
    "response2": ("-3.19676", "1.22070"),
}
"""`RRlin(cov ~ response + response2)`, where its search by `optim` stops."""
PREDICTORS_SIGMA, PREDICTORS_SHARES = 4.897, (0.4317846, 0.2688669, 0.1557977, 0.1435508)
"""What it prints beside them: sigma, and the shares of 0:0, 0:1, 1:0 and 1:1."""


class RandomNumbers:
    """R's random numbers of `set.seed`: Mersenne Twister, normal variates by inversion, one draw of a binomial each."""

    def __init__(self, seed: int) -> None:
        numbers = []
        for _ in range(50 + 625):
            seed = (69069 * seed + 1) % 2**32
            numbers.append(seed)
        self._generator = np.random.MT19937()
        self._generator.state = {"bit_generator": "MT19937", "state": {"key": numbers[51:], "pos": 624}}

    def uniform(self, n: int) -> Floats:
        return self._generator.random_raw(n) * 2.3283064365386963e-10

    def binomial(self, n: int, share: float) -> Answers:
        """`rbinom(n, 1, share)`, share at most 1/2."""
        return (self.uniform(n) >= 1 - share).astype(np.int64)

    def normal(self, n: int) -> Floats:
        coarse, fine = self.uniform(2 * n).reshape(n, 2).T
        values: Floats = ndtri((np.floor(2**27 * coarse) + fine) / 2**27)
        return values

    def warner(self, n: int, share: float, p: float) -> tuple[Answers, Answers]:
        """`RRgen(n, share, "Warner", p)`: the truth, and the responses."""
        asked = self.uniform(n) < p
        truth = self.binomial(n, share)
        self.uniform(n)  # of who complies: everybody
        return truth, np.where(asked, truth, 1 - truth)


@dataclass(frozen=True)
class Surveys:
    """Three surveys of 1,000 people each, the first two of the same people.

    `measured` is a number that goes with the first answer, `outcome` one that goes with both. In the third survey
    `design` is 1 where people were randomised and -1 where they were asked directly.
    """

    first_truth: Answers
    first: Answers
    second: Answers
    measured: Floats
    predictor: Floats
    outcome: Floats
    third: Answers
    design: Floats
    age: Floats


def surveys() -> Surveys:
    numbers, n = RandomNumbers(SEED), 1000
    truth, first = numbers.warner(n, 0.3, 1 / 6)
    measured = np.empty(n)
    measured[truth == 1] = 1 + numbers.normal(int(truth.sum()))
    measured[truth == 0] = numbers.normal(int((1 - truth).sum()))
    numbers.uniform(BETWEEN)
    predictor = numbers.normal(n)
    other_truth, second = numbers.warner(n, 0.45, 0.35)
    outcome = 2 * truth - 3 * other_truth + 1 + 5 * numbers.normal(n)
    randomised_truth, randomised = numbers.warner(n // 2, 0.5, 2 / 12)
    direct = numbers.binomial(n // 2, 0.35)
    age = np.concatenate([randomised_truth + 3 * numbers.normal(n // 2), 0.5 + 3 * numbers.normal(n // 2)])
    return Surveys(
        truth, first, second, measured, predictor, outcome,
        np.concatenate([randomised, direct]), np.repeat([1.0, -1.0], n // 2), (age - age.mean()) / age.std(ddof=1),
    )  # fmt: skip
