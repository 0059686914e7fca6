"""Regressions that R packages print in their documentation, and the library's numbers for the same data: a table.

    python -m benchmarks.published NIGERIA.csv > docs/evidence/published.md

NIGERIA.csv is the data set `nigeria` of R's package rr, which is not copied here; R writes it by

    Rscript -e 'data(nigeria, package = "rr"); write.csv(nigeria, "nigeria.csv", row.names = FALSE, na = "")'

The other regression needs only counts of responses, which stand below.
"""

import argparse
import csv
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from randomized_response import Channel, LogisticFit, forced_response, logistic_regression

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


def compared(printed: dict[str, tuple[str, str]], fit: LogisticFit) -> Iterator[Printed]:
    for (name, theirs), estimate, error in zip(printed.items(), fit.coefficients, fit.standard_errors, strict=True):
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


PAGE = """# Published regressions

*For statisticians who know R's packages.*

`python -m benchmarks.published NIGERIA.csv` writes this page: numbers that two R packages print in their
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
    first, second = contacts(parser.parse_args().nigeria), cheating()
    print(
        PAGE.format(
            people=f"{first.n:,}",
            responses=f"{second.n:,}",
            contacts=table(list(compared(CONTACTS, first))),
            cheating=table(list(compared(CHEATING, second))),
            summary=table(list(summary(second))),
        ),
        end="",
    )


if __name__ == "__main__":
    main()
