"""Numbers that R packages print: those of `benchmarks.published`, and R's own, from `tests/library/published.R`."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks import _rrreg as rrreg
from benchmarks.published import (
    CHEATING,
    CONTACTS,
    Printed,
    cheating,
    compared,
    of_one_answer,
    of_two_formats,
    printed_likelihood,
    summary,
    table,
    two_predictors,
)

# glm of R 4.2.2 with epsilon = 1e-14, in the order of CHEATING; what GLMMRR prints is where glm stops by default.
ESTIMATES = [-4.8803092, 5.8295548, 2.8278921, 1.3449346, -1.3576735, -3.6239250, -2.0960069]
ERRORS = [0.60478632, 0.80923604, 0.63798631, 0.84023185, 0.69430581, 0.91473503, 1.08021405]
PAGE = Path(__file__).parents[2] / "docs" / "evidence" / "published.md"


def test_regression_of_four_designs_is_that_of_glm():
    fit = cheating()
    np.testing.assert_allclose(fit.coefficients, ESTIMATES, atol=2e-6)
    np.testing.assert_allclose(fit.standard_errors, ERRORS, atol=2e-6)


def test_regression_of_four_designs_has_the_printed_deviance_and_prevalences():
    found = list(summary(cheating()))
    assert len(found) == 7
    assert [one.name for one in found if one.units > 0.5] == []


def test_printed_coefficients_are_the_maximum_but_for_where_glm_stops():
    assert max(one.units for one in compared(CHEATING, cheating())) < 7


def test_page_has_the_numbers_that_the_library_finds():
    """Those of the regression on counts; the other one's data are not here, and its printed numbers stand there."""
    said = PAGE.read_text(encoding="utf-8")
    assert table(list(compared(CHEATING, cheating()))) in said
    assert table(list(summary(cheating()))) in said
    lines = said.partition("## GLMMRR")[0].splitlines()
    rows = {
        line[2:].split(" | ")[0]: line.removesuffix(" |").split(" | ")[1:] for line in lines if line.startswith("|")
    }
    for name, (estimate, error) in CONTACTS.items():
        for key, number in ((name, estimate), (f"{name}, standard error", error)):
            assert rows[key][0] == number
            assert float(rows[key][2]) <= 0.5


@pytest.fixture(scope="module")
def simulated() -> rrreg.Surveys:
    return rrreg.surveys()


def test_surveys_are_those_of_the_manual(simulated):
    """It prints the correlation of the truth and `lm(cov ~ true + pred)`, which the tickets have no part in."""
    truth = simulated.first_truth
    assert f"{np.corrcoef(truth, simulated.measured)[0, 1]:.7f}" == "0.4491291"
    columns = np.column_stack([np.ones(1000), truth, simulated.predictor])
    found = np.linalg.lstsq(columns, simulated.measured, rcond=None)[0]
    assert [f"{one:.5f}" for one in found] == ["-0.02671", "1.07878", "-0.03004"]


def test_manual_has_the_same_digits_but_for_where_its_search_ends(simulated):
    rows = [*of_one_answer(simulated), *of_two_formats(simulated)]
    found = {one.name: one.units for one in rows}
    assert len(found) == len(rows) == 34
    early = ["RRlog, cov", "RRlin, (Intercept)", "Share at z.age = 0, randomised"]
    assert [name for name, units in found.items() if units > 0.51] == early
    assert max(found.values()) < 3
    said = PAGE.read_text(encoding="utf-8")
    assert table(rows[:19]) in said
    assert table(rows[19:]) in said


def test_two_predictors_are_more_likely_than_what_the_manual_prints(simulated):
    fit = two_predictors(simulated)
    assert 0 < fit.log_likelihood - printed_likelihood(simulated) < 1e-4
    assert table(list(compared(rrreg.PREDICTORS, fit))) in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize(("theirs", "ours", "units"), [("0.50", 0.504, 0.4), ("12", 13.5, 1.5), ("-1.2", -1.2, 0.0)])
def test_difference_is_in_units_of_the_last_digit(theirs, ours, units):
    assert Printed("", theirs, ours).units == pytest.approx(units)
