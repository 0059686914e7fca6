"""The first screen of a report: a row for each question, its verdict, the contents, and what it says on protection."""

import csv
import io
import json
import math
import re
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client

from estimator.base.languages import LANGUAGES, activated
from estimator.base.verdict import LABELS, Verdict
from estimator.exports.formats import FORMATS
from estimator.models import Run
from estimator.reports import files, paper, reading, report
from estimator.runs import results, services
from tests.factories.simulation import simulated_run
from tests.tools.gate import few
from tests.tools.html import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr(services, "wake", lambda run_id: None)
    return simulated_run()


def page_of(run: Run, language: str = "en") -> str:
    return Client().get(f"/reports/{run.key}/", {"language": language}).content.decode()


def test_summary_has_a_row_for_each_question(run: Run) -> None:
    (table,) = re.findall(r'<table class="summary".*?</table>', page_of(run), re.S)
    built = report.build(run)
    rows = re.findall(r"<tr>(.*?)</tr>", table, re.S)[1:]
    assert len(rows) == len(built.blocks) == 9
    for row, block in zip(rows, built.blocks, strict=True):
        assert f'href="#{block.anchor}"' in row
        assert block.headline.line.estimate in row
        assert 'class="strip"' in row
        assert f'data-verdict="{block.headline.verdict.verdict}"' in row
    assert {block.headline.verdict.verdict for block in built.blocks} == {"rough", "too_imprecise"}


def test_summary_comes_before_questions_and_its_links_lead(run: Run) -> None:
    page = page_of(run)
    assert page.index('class="summary"') < page.index('class="contents"') < page.index('class="block"')
    targets = set(re.findall(r'href="#([^"]+)"', page))
    assert len(targets) > 15
    assert targets <= set(re.findall(r'\bid="([^"]+)"', page))


def test_summary_stands_in_pdf_with_contents(run: Run) -> None:
    with activated("en"):
        data: Any = paper.data(report.build(run))
    assert [row["question"] for row in data["summary"]] == [block.wording for block in report.build(run).blocks]
    assert all(row["verdict"]["text"] and 0 <= row["marks"]["estimate"] <= 1 for row in data["summary"])
    assert data["words"]["contents"] == "Contents"


def test_verdict_is_the_same_in_page_and_files(run: Run) -> None:
    read = results.read(run)
    found = {
        (item.key, cell.estimate.measure, str(cell.estimate.choice), cell.group_key): item.verdict(cell.estimate)
        for item in read.items
        for cell in item.cells
    }
    names = ("item", "measure", "choice", "stratum")
    sheet = csv.DictReader(io.StringIO(FORMATS["csv"].whole(run).decode("utf-8-sig")))
    document = json.loads(FORMATS["json"].whole(run))["estimates"]
    for rows in (list(sheet), document):
        assert {tuple(str(row[name]) for name in names): row["verdict"] for row in rows} == found
    lines = [
        cell for block in report.build(run).blocks for part in block.parts for row in part.main.rows for cell in row
    ]
    shown = {cell.verdict: cell.text for cell in lines if cell.verdict}
    assert shown == {one.value: str(LABELS[one]) for one in Verdict if one.value in shown}
    assert len(shown) >= 2


@pytest.mark.parametrize("language", few(LANGUAGES))
def test_report_direction_follows_its_language(run: Run, language: str) -> None:
    direction = "rtl" if language == "ar" else "ltr"
    assert f'<html lang="{language}" dir="{direction}">' in page_of(run, language)
    assert f'<html lang="{language}" dir="{direction}">' in files.html_file(run, language).decode()
    with activated(language):
        data: Any = paper.data(report.build(run))
    assert data["mirrored"] == (direction == "rtl")
    assert files.pdf_file(run, language).startswith(b"%PDF-")


@pytest.mark.parametrize(
    ("epsilon", "level"),
    [(0.0, "little"), (1.0, "little"), (1.0001, "some"), (4.0, "some"), (4.0001, "large"), (math.inf, "large")],
)
def test_protection_level_has_two_bounds(epsilon: float, level: str) -> None:
    assert reading.level(epsilon) == level


def label_of(epsilon: float, before: float | None = None) -> Any:
    earlier = None if before is None else SimpleNamespace(epsilon_together=before, odds_text="99")
    return SimpleNamespace(epsilon=epsilon, odds_text="3", before=earlier)


def test_protection_sentence_follows_epsilon() -> None:
    assert "reveal little about them" in reading.sentence(label_of(1.0))
    assert "evidence about them, but no proof" in reading.sentence(label_of(1.1))
    assert reading.sentence(label_of(4.1)).startswith(
        "Weak protection: the total privacy loss is epsilon = 4.10, above 4."
    )
    assert (reading.warning(label_of(4.0)), bool(reading.warning(label_of(4.1)))) == ("", True)


def test_protection_counts_earlier_waves() -> None:
    assert reading.level(reading.total(label_of(1.0, before=4.5))) == "large"
    assert "by a factor of up to 99" in reading.sentence(label_of(1.0, before=4.5))


def test_report_page_warns_of_large_privacy_loss(run: Run) -> None:
    """The questions of this survey have epsilon 6.99 together."""
    page = text_of(page_of(run))
    assert page.count("Weak protection: the total privacy loss is epsilon = 6.99") == 2, (
        "at the head, and where it is read"
    )
    assert "reveal little about them" not in page
