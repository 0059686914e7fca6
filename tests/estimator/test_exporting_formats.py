"""Every format of the registry: read back by its own readers, the same bytes twice, no formula, no text lost."""

import io
import json
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pyreadstat
import pytest
import xlsxwriter
from django.utils import translation

from collector.errors import InputError
from estimator.base.cells import ExportError
from estimator.exports import services, workbook
from estimator.exports.columns import ESTIMATES
from estimator.exports.estimates import estimate_rows
from estimator.exports.formats import FORMATS
from estimator.exports.variables import distinct
from estimator.models import Run
from estimator.runs import results
from estimator.runs.results import NOTHING_KNOWN
from tests.factories import special_texts
from tests.factories.runs import run_of

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).parents[2]
WARNING = "Randomised, not the true answer"


@pytest.fixture
def run() -> Run:
    design = special_texts.design()
    special_texts.answer(design)
    return run_of(design)


@pytest.mark.long
def test_export_twice_gives_same_bytes(run: Run) -> None:
    """More than a second lies between them, so that no file holds the time of its writing."""
    first = {name: one.whole(run) for name, one in FORMATS.items()}
    time.sleep(1.1)
    again = Run.objects.get(pk=run.pk)
    assert [name for name, one in FORMATS.items() if one.whole(again) != first[name]] == []


@pytest.mark.parametrize(
    ("package", "names"),
    [
        ("pandas", {"sav", "dta", "reports-sav", "reports-dta"}),
        ("pyarrow", {"parquet", "reports-csv", "reports-parquet"}),
        ("pyreadstat", {"sav", "dta", "reports-sav", "reports-dta"}),
        ("xlsxwriter", {"xlsx"}),
    ],
)
def test_export_missing_package_is_rejected(
    run: Run, package: str, names: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    refused = {}
    for name, form in FORMATS.items():
        if not name.startswith("bundle"):
            try:
                services.check(run, name, microdata=form.microdata)
            except InputError as refusal:
                refused[name] = str(refusal)
    sentence = f"{package} is not installed here. Install it with: .venv/bin/pip install -r requirements-formats.txt"
    assert {name for name, said in refused.items() if said == sentence} == names
    assert package in (ROOT / "requirements-formats.txt").read_text()


@pytest.mark.long
def test_export_untranslated_format_ignores_active_language() -> None:
    design = special_texts.of_every_kind()
    special_texts.answer(design)
    run = run_of(design)
    of_one_language = {name: one for name, one in FORMATS.items() if not one.translated and one.suffix != ".zip"}
    files = {}
    for language in ("en", "de"):
        with translation.override(language):
            files[language] = {name: one.whole(run) for name, one in of_one_language.items()}
    assert [name for name, content in files["en"].items() if files["de"][name] != content] == []


def test_export_stopped_leaves_no_file(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stopped(Exception):
        pass

    def stop(done: float) -> None:
        assert 0 <= done <= 1
        raise Stopped

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for one in FORMATS.values():
        with pytest.raises(Stopped):
            one.write(run, NOTHING_KNOWN, io.BytesIO(), stop)
        assert list(tmp_path.iterdir()) == [], one.name


def test_export_formats_are_documented() -> None:
    page = (Path(__file__).parents[2] / "docs/evidence/exported-files.md").read_text(encoding="utf-8")
    assert [name for name in FORMATS if f"`{name}`" not in page] == []
    assert all(one.about and one.label for one in FORMATS.values())


def _pandas(content: bytes, path: Path) -> list[dict[str, Any]]:
    return _plain(pd.read_csv(io.BytesIO(content), encoding="utf-8-sig"))


def _polars(content: bytes, path: Path) -> list[dict[str, Any]]:
    return pl.read_csv(content).to_dicts()


def _openpyxl(content: bytes, path: Path) -> list[dict[str, Any]]:
    names, *rows = openpyxl.load_workbook(io.BytesIO(content))["estimates"].values
    return [dict(zip(names, row, strict=True)) for row in rows]


def _pandas_xlsx(content: bytes, path: Path) -> list[dict[str, Any]]:
    return _plain(pd.read_excel(io.BytesIO(content), sheet_name="estimates"))


def _arrow(content: bytes, path: Path) -> list[dict[str, Any]]:
    return pq.read_table(io.BytesIO(content)).to_pylist()


def _polars_parquet(content: bytes, path: Path) -> list[dict[str, Any]]:
    return pl.read_parquet(content).to_dicts()


def _json(content: bytes, path: Path) -> list[dict[str, Any]]:
    rows = ({**row, "flags": " ".join(row["flags"])} for row in json.loads(content)["estimates"])
    return [{column.name: row[column.name] for column in ESTIMATES} for row in rows]


def _sav(content: bytes, path: Path) -> list[dict[str, Any]]:
    path.write_bytes(content)
    return _plain(pyreadstat.read_sav(path)[0])


def _dta(content: bytes, path: Path) -> list[dict[str, Any]]:
    path.write_bytes(content)
    return _plain(pyreadstat.read_dta(path)[0])


def _plain(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return frame.astype(object).where(frame.notna(), None).to_dict("records")  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("name", "read", "digits"),
    [
        ("csv", _pandas, 17),
        ("csv", _polars, 17),
        ("xlsx", _openpyxl, 16),
        ("xlsx", _pandas_xlsx, 16),
        ("parquet", _arrow, 17),
        ("parquet", _polars_parquet, 17),
        ("json", _json, 17),
        ("sav", _sav, 17),
        ("dta", _dta, 17),
    ],
)
def test_export_read_back_keeps_texts_and_numbers(
    run: Run, tmp_path: Path, name: str, read: Callable[[bytes, Path], list[dict[str, Any]]], digits: int
) -> None:
    rows = read(FORMATS[name].whole(run), tmp_path / f"file{FORMATS[name].suffix}")
    known = estimate_rows(results.read(run))
    assert [list(row) for row in rows] == [[column.name for column in ESTIMATES]] * len(known)
    assert {row["wording"] for row in known} >= {special_texts.WORDING}
    quote = "'" if name == "csv" else ""
    for row, told in zip(rows, known, strict=True):
        for column in ESTIMATES:
            found, said = row[column.name], told[column.name]
            if said is None or said == "":
                assert found in (None, ""), column
            elif column.kind == "text":
                hidden = quote if said.startswith(("=", "+", "-", "@")) else ""
                assert found == hidden + said
            elif column.kind == "moment":
                _is_the_moment(found, datetime.fromisoformat(said))
            else:
                assert float(found) == float(format(said, f".{digits}g")), column


def _is_the_moment(found: Any, said: datetime) -> None:
    read = pd.Timestamp(found)
    utc = read.tz_convert(None) if read.tzinfo else read
    assert abs(utc - pd.Timestamp(said).tz_convert(None)) < pd.Timedelta(milliseconds=2)


def test_xlsx_export_types_cells_and_has_no_formula(run: Run) -> None:
    book = openpyxl.load_workbook(io.BytesIO(FORMATS["xlsx"].whole(run)))
    assert book.sheetnames == [
        "readme", "estimates", "questions", "groups", "tallies", "privacy", "tickets", "poisoning",
    ]  # fmt: skip
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row if cell.value is not None]
    assert {cell.data_type for cell in cells} == {"s", "n", "d"}
    hidden = [cell for cell in cells if str(cell.value).startswith(("=", "+", "-", "@")) and cell.data_type == "s"]
    assert {cell.value for cell in hidden} == {
        special_texts.WORDING,
        special_texts.CHOICE,
        special_texts.GROUP,
        special_texts.TITLE,
    }
    assert all(cell.quotePrefix for cell in hidden)
    estimates = [cell for cell in book["estimates"][2] if cell.value is not None]
    assert {cell.data_type for cell in estimates} == {"s", "n", "d"}
    assert sum(row[5] for row in book["tallies"].iter_rows(min_row=2, values_only=True)) == 120 * 2
    assert book.properties.created == run.snapshot_at.replace(microsecond=0, tzinfo=None)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a\x01b\x0b\ufffe", "a\ufffdb\ufffd\ufffd"),
        ("one\r\ntwo\rthree\tfour", "one\ntwo\nthree\tfour"),
        ("<r>raw</r>", "<r>raw</r> "),
        ("x" * 40_000, "x" * 32_766 + "…"),
        ("😀" * 20_000, "😀" * 16_383 + "…"),
    ],
)
def test_xlsx_export_cell_takes_any_text(text: str, kept: str) -> None:
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {"constant_memory": True})
    book.add_worksheet("one").write_string(0, 0, workbook.column_width(text))
    book.close()
    found = openpyxl.load_workbook(out)["one"]["A1"].value
    assert found == kept


def test_xlsx_export_too_many_rows_is_rejected(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook, "MOST_ROWS", 3)
    with pytest.raises(ExportError, match="3 rows at most"):
        FORMATS["xlsx"].whole(run)


@pytest.mark.parametrize(("name", "read"), [("sav", pyreadstat.read_sav), ("dta", pyreadstat.read_dta)])
def test_sav_and_dta_export_have_labels_and_timestamp(
    run: Run, tmp_path: Path, name: str, read: Callable[..., Any]
) -> None:
    path = tmp_path / f"file.{name}"
    path.write_bytes(FORMATS[name].whole(run))
    _, about = read(path)
    assert about.column_names_to_labels == {column.name: column.label for column in ESTIMATES}
    assert about.file_label == special_texts.TITLE
    whole = {"sav": {"microsecond": 0}, "dta": {"second": 0, "microsecond": 0}}[name]
    assert about.creation_time == run.snapshot_at.replace(tzinfo=None, **whole)  # type: ignore[union-attr]

    path.write_bytes(FORMATS[f"reports-{name}"].whole(run))
    rows, about = read(path)
    assert list(rows) == ["stratum", "randomised_cheated", "randomised_mood"]
    coded = pd.read_csv(io.BytesIO(FORMATS["reports-csv"].whole(run)))
    assert rows["randomised_mood"].tolist() == coded["randomised_mood"].tolist()
    assert [["y1", "y2"][int(index)] for index in rows["stratum"]] == coded["stratum"].tolist()
    assert about.variable_value_labels == {
        "stratum": {0: special_texts.GROUP, 1: "Later"},
        "randomised_cheated": {0: "No", 1: special_texts.CHOICE},
        "randomised_mood": {0: "Well", 1: "So-so", 2: "Low"},
    }
    labels = about.column_names_to_labels
    assert labels["randomised_mood"] == f"{WARNING}: How do you feel?"
    assert labels["randomised_cheated"] == f"{WARNING}: {special_texts.WORDING}"[: 80 if name == "dta" else None]
    assert about.file_label.startswith(WARNING)


def test_microdata_variables_are_labelled_randomised() -> None:
    design = special_texts.of_every_kind()
    special_texts.answer(design)
    run = run_of(design)
    table = pq.read_table(io.BytesIO(FORMATS["reports-parquet"].whole(run)))
    fields = list(table.schema)
    assert len(fields) == 1 + len(design.alphabets)
    for one in fields[1:]:
        assert one.name.startswith("randomised_")
        assert one.metadata[b"label"].startswith(WARNING.encode())
    rows = table.to_pandas()
    for place, (one, size) in enumerate(zip(fields[1:], design.alphabets, strict=True)):
        for number, key in enumerate(design.strata):
            values = rows.loc[rows["stratum"] == key, one.name]
            assert np.bincount(values, minlength=size).tolist() == run.tallies[place][number]


def test_variable_names_are_valid_and_distinct() -> None:
    long = "randomised_" + "a" * 30
    assert distinct(["a-b", "a_b", "A_b", long, long + "x"], most=32) == [
        "a_b", "a_b_2", "a_b_3", long[:32], long[:30] + "_2",
    ]  # fmt: skip
