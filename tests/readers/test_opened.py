"""The exported files in programs that people open them with: the same texts and numbers, and nothing is computed.

Left out of `make test`, as it needs LibreOffice and R; `make audit-files` installs and runs it.
"""

import csv
import math
import os
import subprocess
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest

from estimator.exports.estimates import estimate_rows
from estimator.models import Run
from estimator.runs import results
from tests.factories import special_texts

HERE = Path(__file__).parent
TEXTS = ("item", "wording", "choice_label", "stratum")
DECIMAL = 1e-14
"""LibreOffice shows 15 digits, a workbook holds 16, and R reads decimals to about the last bit."""

NUMBERS = ("n", "sent", "estimate", "standard_error", "low", "noise_high")
CSV_OF_EVERY_SHEET = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false,false,false,-1"


def reads(reader: str, files: str) -> Any:
    return pytest.mark.reads(reader, files)


def office(folder: Path, *arguments: str) -> None:
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    command = ["soffice", profile, "--headless", *arguments, "--outdir", str(folder / "opened")]
    subprocess.run(command, check=True, capture_output=True, timeout=180)


def compare(found: list[dict[str, Any]], run: Run, *, quoted: bool = False, within: float = 0.0) -> None:
    known = estimate_rows(results.read(run))
    assert len(found) == len(known)
    for row, told in zip(found, known, strict=True):
        for name in TEXTS:
            prefix = "'" if quoted and str(told[name]).startswith(("=", "+", "-", "@")) else ""
            assert (row[name] or "") == prefix + told[name]
        for name in NUMBERS:
            if told[name] is None:
                assert row[name] in (None, "")
            else:
                assert math.isclose(float(row[name]), told[name], rel_tol=within), name


@reads("LibreOffice", "xlsx")
def test_libreoffice_opens_the_workbook(run: Run, folder: Path) -> None:
    office(folder, "--convert-to", CSV_OF_EVERY_SHEET, str(folder / "xlsx.xlsx"))
    sheets = {path.stem.partition("-")[2]: path for path in (folder / "opened").glob("*.csv")}
    assert set(sheets) == {"readme", "estimates", "questions", "groups", "tallies", "privacy", "tickets", "poisoning"}
    with sheets["estimates"].open(encoding="utf-8-sig", newline="") as file:
        compare(list(csv.DictReader(file)), run, within=DECIMAL)


@reads("LibreOffice", "csv")
def test_libreoffice_opens_the_csv_file_and_computes_nothing(run: Run, folder: Path) -> None:
    office(folder, "--infilter=CSV:44,34,76,1", "--convert-to", "xlsx", str(folder / "csv.csv"))
    names, *rows = openpyxl.load_workbook(folder / "opened/csv.xlsx").active.iter_rows()  # type: ignore[union-attr]
    assert "f" not in {cell.data_type for row in rows for cell in row}
    found = [{name.value: cell.value for name, cell in zip(names, row, strict=True)} for row in rows]
    compare(found, run, quoted=True, within=DECIMAL)


@pytest.mark.parametrize(
    ("reader", "file", "quoted", "within"),
    [
        pytest.param("csv", "csv.csv", True, DECIMAL, marks=reads("R, read.csv", "csv")),
        pytest.param("readxl", "xlsx.xlsx", False, DECIMAL, marks=reads("R, readxl", "xlsx")),
        pytest.param("haven_sav", "sav.sav", False, 0.0, marks=reads("R, haven", "sav")),
        pytest.param("haven_dta", "dta.dta", False, 0.0, marks=reads("R, haven", "dta")),
        pytest.param("foreign_sav", "sav.sav", False, 0.0, marks=reads("R, foreign", "sav")),
        pytest.param("jsonlite", "json.json", False, DECIMAL, marks=reads("R, jsonlite", "json")),
    ],
)
def test_r_opens_it(run: Run, folder: Path, reader: str, file: str, quoted: bool, within: float) -> None:
    command = ["Rscript", "--vanilla", str(HERE / "read.R"), str(folder), reader, file]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=_environment())
    assert done.returncode == 0, done.stderr
    with (folder / "found.csv").open(encoding="utf-8", newline="") as sheet:
        compare(list(csv.DictReader(sheet)), run, quoted=quoted, within=within)


def _environment() -> dict[str, str]:
    return {**os.environ, "LC_ALL": "C.UTF-8"}


@reads("R, haven", "reports-sav, reports-dta")
def test_r_reads_the_labels_of_reports(folder: Path) -> None:
    said = """
    for (path in commandArgs(trailingOnly = TRUE)) {
      found <- if (grepl("sav$", path)) haven::read_sav(path) else haven::read_dta(path)
      cat(nrow(found), attr(found$randomised_mood, "label"), names(attr(found$randomised_mood, "labels")), sep = "|")
      cat("\\n")
    }
    """
    paths = [str(folder / f"reports-{kind}.{kind}") for kind in ("sav", "dta")]
    done = subprocess.run(
        ["Rscript", "--vanilla", "-e", said, *paths], capture_output=True, text=True, check=True, env=_environment()
    )
    line = "120|Randomised, not the true answer: How do you feel?|Well|So-so|Low"
    assert done.stdout.splitlines() == [line, line]


@reads("R, read.csv", "reports-csv")
def test_r_counts_the_reports_as_pandas_does(folder: Path) -> None:
    path = folder / "reports-csv.csv"
    said = "d <- read.csv(commandArgs(TRUE)[1]); cat(table(d$stratum, d$randomised_cheated))"
    done = subprocess.run(["Rscript", "--vanilla", "-e", said, str(path)], capture_output=True, text=True, check=True)
    counted = pd.crosstab(*pd.read_csv(path)[["stratum", "randomised_cheated"]].to_numpy().T)
    assert [int(number) for number in done.stdout.split()] == counted.to_numpy().T.ravel().tolist()
    assert special_texts.GROUP not in path.read_text()
