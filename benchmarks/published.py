"""Regressions that R packages print in their documentation, and the library's numbers for the same data: a table.

    python -m benchmarks.published NIGERIA.csv > docs/evidence/published.md

NIGERIA.csv is the data set `nigeria` of R's package rr, which is not copied here; R writes it by

    Rscript -e 'data(nigeria, package = "rr"); write.csv(nigeria, "nigeria.csv", row.names = FALSE, na = "")'

The regression of GLMMRR needs only counts of responses, which stand below. The surveys of RRreg's manual are simulated
by R from a seed, and made again by benchmarks/_rrreg.py.
"""

import argparse
import csv
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from benchmarks import _rrreg as rrreg
from randomized_response import (
    Channel,
    LogisticFit,
    PredictorFit,
    correlation,
    estimate_proportions,
    forced_response,
    logistic_regression,
    multilevel_regression,
    predictor_regression,
    warner,
)

CONTACTS = {
    "(Intercept)": ("-0.34017", "0.50856"),
    "cov.asset.index": ("0.07896", "0.04136"),
    "cov.married": ("-0.26743", "0.25451"),
    "I(cov.age/10)": ("-0.35283", "0.26423"),
    "I((cov.age/10)^2)": ("0.04099", "0.02603"),
    "cov.education": ("-0.00691", "0.04558"),
    "cov.female": ("-0.55439", "0.16244"),
}
"""Coefficients and standard errors that the page on `rrreg` prints: table 3 of Blair, Imai & Zhou (2015)."""
CHEATING = {
    "(Intercept)": ("-4.8807", "0.6043"),
    "cheaterdc": ("5.8302", "0.8087"),
    "CW": ("2.8283", "0.6375"),
    "UQ": ("1.3453", "0.8399"),
    "FR": ("-1.3582", "0.6941"),
    "cheaterdc:CW": ("-3.6246", "0.9143"),
    "cheaterdc:UQ": ("-2.0967", "1.0798"),
}
"""The same of `RRglm`, object rolla6A in Fox, Klotzke & Veen (2021), The R Journal 13(2), RJ-2021-104."""
DEVIANCE, CRITERION = "2631.5", "2645.5"
"""The residual deviance and the AIC that it prints."""
PREVALENCES = {"DQ": ("0.039370", "0.0099632"), "Forced": ("-0.019361", "0.0172690"), "Crosswise": ("0.143393", None)}
"""The prevalences that it prints of the same responses, with the standard errors that are not those of a weighting."""
DICE = {
    ("DQ", 1.0, 0.0): ((361, 3), (5, 12)),
    ("Crosswise", 0.1594625, 0.0): ((117, 417), (20, 15)),
    ("Crosswise", 0.1971293, 0.0): ((155, 384), (16, 18)),
    ("Forced", 0.75, 2 / 3): ((631, 98), (21, 19)),
    ("UQM", 0.778, 0.49): ((156, 27), (3, 6)),
    ("UQM", 0.778, 0.493): ((164, 20), (4, 5)),
    ("UQM", 0.778, 0.495): ((154, 33), (6, 5)),
    ("UQM", 0.778, 0.521): ((167, 18), (5, 5)),
}
"""The data set MTURK of GLMMRR, game 2, question "cheating dice game": by design and its two parameters the responses 0
and 1 of those who were honest, and of those who cheated (Hoeglinger & Jann 2018)."""


@dataclass(frozen=True)
class Printed:
    """A number that a package prints, and the library's; `last` is one unit of its last digit."""

    name: str
    theirs: str
    ours: float

    @property
    def last(self) -> float:
        return float(10.0 ** -len(self.theirs.partition(".")[2]))

    @property
    def units(self) -> float:
        """How far apart the two are, in units of the last digit that is printed."""
        return abs(float(self.theirs) - self.ours) / self.last


def contacts(file: Path) -> LogisticFit:
    """Who knows members of armed groups: the regression of `rrreg`, with errors by the outer product of scores."""
    names = ("cov_asset_index", "cov_married", "cov_age", "cov_education", "cov_female")
    rows = list[Sequence[float]]()
    with file.open(encoding="utf-8", newline="") as lines:
        for line in csv.DictReader(lines):
            told = {re.sub(r"\W", "_", name): value for name, value in line.items()}
            wanted = [told[name] for name in ("rr_q1", *names)]
            if all(value not in ("", "NA") for value in wanted):
                rows.append([float(value) for value in wanted])
    report, asset, married, age, education, female = np.array(rows).T
    covariates = np.column_stack([asset, married, age / 10, (age / 10) ** 2, education, female])
    return logistic_regression(covariates, report.astype(int), forced_response(truth="2/3"), information="opg")


def parameters(model: str, first: float, second: float) -> tuple[Fraction, Fraction]:
    """c and d of GLMMRR: a response of 1 has the chance c + d times the share."""
    p, q = (Fraction(one).limit_denominator(10**7) for one in (first, second))
    if model == "DQ":
        return Fraction(0), Fraction(1)
    return (1 - p, 2 * p - 1) if model == "Crosswise" else ((1 - p) * q, p)


def channel(model: str, first: float, second: float) -> Channel:
    c, d = parameters(model, first, second)
    tickets = math.lcm(c.denominator, (c + d).denominator)
    no, yes = int(c * tickets), int((c + d) * tickets)
    return Channel(((tickets - no, no), (tickets - yes, yes)))


def cheating() -> LogisticFit:
    """Who admits to have cheated, by design and whether the dice say so; errors of the expected information."""
    covariates, reports, channels, counts = list[list[float]](), list[int](), list[Channel](), list[int]()
    for design, table in DICE.items():
        for cheated, row in enumerate(table):
            for report, count in enumerate(row):
                by_design = [float(design[0] == name) for name in ("Crosswise", "UQM", "Forced")]
                covariates.append([cheated, *by_design, cheated * by_design[0], cheated * by_design[1]])
                reports.append(report)
                channels.append(channel(*design))
                counts.append(count)
    return logistic_regression(covariates, reports, channels, counts=counts, information="expected")


def prevalence(model: str) -> tuple[float, float]:
    """The share that one design estimates with its standard error; of several parameters by their responses."""
    found = [(design, np.array(table).sum(axis=0)) for design, table in DICE.items() if design[0] == model]
    n, share, variance = sum(int(counts.sum()) for _, counts in found), 0.0, 0.0
    for design, counts in found:
        c, d = map(float, parameters(*design))
        rate, part = counts[1] / counts.sum(), counts.sum() / n
        share += part * (rate - c) / d
        variance += part**2 * rate * (1 - rate) / counts.sum() / d**2
    return float(share), float(np.sqrt(variance))


def compared(printed: dict[str, tuple[str, str]], fit: LogisticFit | PredictorFit) -> Iterator[Printed]:
    """The coefficients that are printed, the first ones of a fit, with their standard errors."""
    for (name, theirs), estimate, error in zip(printed.items(), fit.coefficients, fit.standard_errors, strict=False):
        yield Printed(name, theirs[0], float(estimate))
        yield Printed(f"{name}, standard error", theirs[1], float(error))


def summary(fit: LogisticFit) -> Iterator[Printed]:
    """What RRglm prints below its coefficients, and its prevalences."""
    yield Printed("Residual deviance", DEVIANCE, -2 * fit.log_likelihood)
    yield Printed("AIC", CRITERION, fit.aic)
    for model, (share, error) in PREVALENCES.items():
        found = prevalence(model)
        yield Printed(f"Prevalence, {model}", share, found[0])
        if error is not None:
            yield Printed(f"Prevalence, {model}, standard error", error, found[1])


def of_one_answer(them: rrreg.Surveys) -> Iterator[Printed]:
    """What RRreg prints of the first survey: a share, a correlation, a regression, random intercepts, a predictor."""
    channel, covariates = warner(truth=rrreg.TRUTH_OF_FIRST), them.measured[:, None]
    found = estimate_proportions(np.bincount(them.first), channel)
    yield Printed("RRuni, share", "0.300500", float(found.unbiased[1]))
    yield Printed("RRuni, standard error", "0.022874", float(found.standard_error[1]))
    yield Printed("RRcor, correlation", "0.436066", correlation(them.first, them.measured, channel).unbiased)
    fit = logistic_regression(covariates, them.first, channel)
    yield from (replace(one, name=f"RRlog, {one.name}") for one in compared(rrreg.LOGISTIC, fit))
    yield Printed("RRlog, log likelihood", "-617.2771", fit.log_likelihood)
    yield Printed("RRlog, likelihood ratio of cov", "80.125", fit.likelihood_ratio.statistic)
    mixed = multilevel_regression(covariates, them.first, channel, groups=np.arange(1000) % 2)
    for name, theirs, ours in zip(("(Intercept)", "cov"), ("-1.354", "1.017"), mixed.coefficients, strict=True):
        yield Printed(f"RRmixed, {name}", theirs, float(ours))
    yield Printed("RRmixed, log likelihood", "-617.2771", mixed.log_likelihood)
    yield Printed("RRmixed, AIC", "1240.5541", mixed.aic)
    yield Printed("RRmixed, BIC", "1255.2774", mixed.bic)
    linear = predictor_regression(them.measured, np.empty((1000, 0)), them.first, channel)
    yield from (replace(one, name=f"RRlin, {one.name}") for one in compared(rrreg.PREDICTOR, linear))
    yield Printed("RRlin, sigma", "0.995", linear.sigma)


def of_two_formats(them: rrreg.Surveys) -> Iterator[Printed]:
    """What it prints of people who were randomised or asked directly, as one regression."""
    covariates = np.column_stack([them.design, them.age, them.design * them.age])
    channels = [warner(truth=rrreg.TRUTH_OF_FIRST) if design > 0 else None for design in them.design]

    def fitted(*columns: int) -> LogisticFit:
        return logistic_regression(covariates[:, columns], them.third, channels)

    fit = fitted(0, 1, 2)
    yield from compared(rrreg.FORMATS, fit)
    yield Printed("Log likelihood", "-659.0337", fit.log_likelihood)
    for left_out, (name, theirs) in enumerate(rrreg.DROPPED.items()):
        smaller = fitted(*(column for column in range(3) if column != left_out))
        yield Printed(f"Likelihood ratio of {name}", theirs, 2 * (fit.log_likelihood - smaller.log_likelihood))
    ratio = 2 * (fit.log_likelihood - fitted(0).log_likelihood)
    yield Printed("Likelihood ratio of z.age and its interaction", "15.147", ratio)
    intercept, design = fit.coefficients[:2]
    for name, theirs, sign in (("randomised", "0.4633332", 1), ("asked directly", "0.3386545", -1)):
        yield Printed(f"Share at z.age = 0, {name}", theirs, float(1 / (1 + math.exp(-intercept - sign * design))))


def two_predictors(them: rrreg.Surveys) -> PredictorFit:
    """A number on two randomised answers."""
    channels = [warner(truth=rrreg.TRUTH_OF_FIRST), warner(truth=rrreg.TRUTH_OF_SECOND)]
    return predictor_regression(them.outcome, np.empty((1000, 0)), np.column_stack([them.first, them.second]), channels)


def printed_likelihood(them: rrreg.Surveys) -> float:
    """The log likelihood of what RRreg prints for two predictors: a mixture of four normal distributions."""
    intercept, *effects = (float(estimate) for estimate, _ in rrreg.PREDICTORS.values())
    mixture = np.zeros(1000)
    for answers, share in zip(((0, 0), (0, 1), (1, 0), (1, 1)), rrreg.PREDICTORS_SHARES, strict=True):
        chance, center = share, intercept
        for answer, effect, reports, truth in zip(
            answers, effects, (them.first, them.second), (1 / 6, 0.35), strict=True
        ):
            chance = chance * np.where(reports == answer, truth, 1 - truth)
            center += effect * answer
        mixture += chance * np.exp(-(((them.outcome - center) / rrreg.PREDICTORS_SIGMA) ** 2) / 2)
    return float(np.log(mixture / (rrreg.PREDICTORS_SIGMA * math.sqrt(2 * math.pi))).sum())


PAGE = """# Published regressions

*For statisticians who know R's packages.*

`python -m benchmarks.published NIGERIA.csv` writes this page: numbers that three R packages print in their
documentation, and the library's for the same data. A difference is in units of the last digit that is printed; up to
0.5 the digits agree.

## rr: contacts with armed groups

The page on `rrreg` in the package rr (Blair, Imai & Zhou 2015, table 3): forced response by a die, {people} people.
Standard errors are those of the outer product of scores, `information="opg"`.

{contacts}

## GLMMRR: who admits to have cheated with dice

The object rolla6A in Fox, Klotzke & Veen (2021), The R Journal 13(2): four designs with eight pairs of parameters in
one regression, {responses} responses. Standard errors are those of the expected information. R's `glm` stops where the
deviance changes by less than a hundred-millionth, seven steps from its start, so the printed coefficients differ from
those of the maximum in the fourth digit. Those of the maximum, which `glm` finds too with `epsilon = 1e-14`, are the
library's.

{cheating}

{summary}

The package prints more of these data than can be compared here: a prevalence by unrelated questions with parameters
rounded in another way, standard errors of prevalences put together, and regressions and mixed models of several
questions, whose data were not at hand.

## RRreg: the surveys of its manual

The vignette of RRreg 0.7.5 (Heck & Moshagen 2018) simulates surveys by Warner's design from `set.seed(123)`. They are
made again by R's random numbers, and are the same. `RRmixed` ends at a standard deviation of 0.0005 between its two
groups, the library at its limit of 0. Where a difference is above 0.5, the package's search ended a little before the
maximum.

{one_answer}

Half of another 1,000 people were randomised, half asked directly, and one regression is of both:
`RRlog(response ~ RR.design * z.age)`.

{formats}

Two randomised predictors of a number: `RRlin` stops searching a little before the maximum, so that its digits are
not those of the maximum. Its log likelihood is {below:.6f} below the library's.

{predictors}

`RRlin` takes a randomised answer to be as frequent whatever the other predictors are; the library lets its share depend
on them. So its regression with a further predictor is not compared.
"""


def table(rows: Sequence[Printed]) -> str:
    lines = ["| Number | Printed | Library | Difference |", "|---|---|---|---|"]
    for row in rows:
        digits = len(row.theirs.partition(".")[2])
        lines.append(f"| {row.name} | {row.theirs} | {row.ours:.{digits + 1}f} | {row.units:.1f} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("nigeria", type=Path, help="the data set of the package rr as CSV")
    first, second, them = contacts(parser.parse_args().nigeria), cheating(), rrreg.surveys()
    predictors = two_predictors(them)
    print(
        PAGE.format(
            people=f"{first.n:,}",
            responses=f"{second.n:,}",
            contacts=table(list(compared(CONTACTS, first))),
            cheating=table(list(compared(CHEATING, second))),
            summary=table(list(summary(second))),
            one_answer=table(list(of_one_answer(them))),
            formats=table(list(of_two_formats(them))),
            predictors=table(list(compared(rrreg.PREDICTORS, predictors))),
            below=predictors.log_likelihood - printed_likelihood(them),
        ),
        end="",
    )


if __name__ == "__main__":
    main()
