"""What is said of the way into a survey: its own sentences in report, PDF, privacy label and files, and no other's."""

import io
import json
import re
from html import unescape

import jsonschema
import pytest
from openpyxl import load_workbook

from collector.designs import Design
from collector.designs.services import freeze_design
from collector.models import FrozenDesign, Report, WaitingReport
from estimator.base.languages import LANGUAGES, activated
from estimator.base.ways_in import BLIND, OPEN, SECRET, WayIn
from estimator.exports.formats import FORMATS
from estimator.models import Run
from estimator.reports import files, paper, report
from tests.factories import payloads
from tests.factories.runs import run_of
from tests.tools.gate import few
from tests.tools.schemas import REPORT_SCHEMA

pytestmark = pytest.mark.django_db

MODULUS = (1 << 3071 | 1).to_bytes(384).hex()
WAYS = {
    "open": (OPEN, {}),
    "secret": (SECRET, {"invitations": {"kind": "secret"}}),
    "blind": (BLIND, {"invitations": {"kind": "blind", "modulus": MODULUS}}),
}
SENTENCES = ("mode", "false_reports", "protection", "uncounted")


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def run(way: str) -> Run:
    design = freeze_design(payloads.document(**WAYS[way][1]))
    _store(design)
    return run_of(design)


def _store(design: Design, mode: Report.Mode = Report.Mode.BROWSER) -> None:
    """90 reports, as the collector leaves them."""
    number = FrozenDesign.objects.get(digest=design.digest).number
    WaitingReport.objects.bulk_create(
        WaitingReport(
            nonce=place.to_bytes(16),
            design_id=number,
            stratum=place % 2,
            report=bytes([place % 3 != 0, place % 3]),
            mode=mode,
        )
        for place in range(90)
    )


def _said(one: WayIn) -> set[str]:
    return {str(getattr(one, name)) for name in SENTENCES}


def _only(way: str, text: str, names: tuple[str, ...] = SENTENCES) -> None:
    mine = WAYS[way][0]
    words = " ".join(text.split())
    assert [name for name in names if " ".join(str(getattr(mine, name)).split()) not in words] == []
    others = set().union(*(_said(one) for one, _changes in WAYS.values())) - _said(mine)
    assert [sentence for sentence in others if sentence in words] == []


@pytest.mark.parametrize("language", few(LANGUAGES))
def test_report_states_its_way_in_only(run: Run, way: str, language: str) -> None:
    page = unescape(re.sub(r"<style>.*?</style>|<[^>]*>", "", files.html_file(run, language).decode(), flags=re.S))
    with activated(language):
        _only(way, page)
        _only(way, json.dumps(paper.data(report.build(run)), ensure_ascii=False, default=str))
        if language != "en":
            assert all(sentence not in page for sentence in _said_in_english(way))


def _said_in_english(way: str) -> set[str]:
    with activated("en"):
        return _said(WAYS[way][0])


def test_privacy_label_states_who_could_answer(run: Run, way: str) -> None:
    facts = {fact.title: fact.text for fact in report.build(run).label_facts}
    assert facts["Who could answer"] == WAYS[way][0].protection
    assert facts["Not included"] == WAYS[way][0].uncounted


def test_export_states_its_way_in_only(run: Run, way: str) -> None:
    document = json.loads(FORMATS["json"].whole(run))
    jsonschema.validate(document, REPORT_SCHEMA)
    assert document["privacy"]["way_in"] == WAYS[way][0].name
    sheet = load_workbook(io.BytesIO(FORMATS["xlsx"].whole(run))).worksheets[0]
    _only(way, " ".join(str(row[1]) for row in sheet.iter_rows(values_only=True)), ("protection",))
    _only(way, unescape(FORMATS["ddi"].whole(run).decode()), ("mode",))
    _only(way, unescape(FORMATS["codebook"].whole(run).decode()), ("protection", "uncounted"))


def test_report_rehearsal_names_no_way_in() -> None:
    design = freeze_design(payloads.document(rehearsal=True, slug="rehearsed", invitations={"kind": "secret"}))
    _store(design, Report.Mode.SIMULATED)
    page = files.html_file(run_of(design), "en").decode()
    assert all(str(getattr(one, name)) not in page for one, _c in WAYS.values() for name in SENTENCES)


def test_report_invited_own_coins_are_not_on_paper() -> None:
    design = freeze_design(payloads.document(invitations={"kind": "secret"}))
    _store(design, Report.Mode.COIN)
    page = files.html_file(run_of(design), "en").decode()
    assert "own coin or die, on a page without a script." in page
    assert "or on paper" not in page


@pytest.mark.parametrize("coins", [False, True])
def test_ddi_names_own_coins_only_if_used(coins: bool) -> None:
    design = freeze_design(payloads.document())
    _store(design, Report.Mode.COIN if coins else Report.Mode.BROWSER)
    assert ("or with their own coin" in unescape(FORMATS["ddi"].whole(run_of(design)).decode())) is coins
