"""A run counts the reports that people randomised with a real coin, and says what no interval covers."""

import html
import json
import secrets
from urllib.parse import urlencode

import pytest
from django.test import Client

from collector.designs import Design
from collector.designs.services import freeze_design
from collector.endpoint.receiving import receive_form, receive_sheet
from estimator.exports.formats import FORMATS
from tests.factories import payloads
from tests.factories.runs import fill, run_of

pytestmark = pytest.mark.django_db

SENTENCE = "Some may not have tossed it, or not marked what it required. No interval here covers that."


def marks(design: Design) -> dict[str, str]:
    return {
        "design": design.digest,
        "nonce": secrets.token_hex(16),
        "stratum": "y1",
        "item-1": "1",
        "item-2": "0",
    }


def send_form(design: Design) -> None:
    receive_form(urlencode(marks(design)).encode(), slug=design.slug)


def test_run_with_coin_reports_states_their_number(design: Design) -> None:
    fill(design)
    for _ in range(40):
        send_form(design)
    run = run_of(design, published=True, final=False)
    counted = run.coin_reports
    assert run.reports in (110, 120)
    assert counted in (10, 20, 30), "in steps and one behind, those of the snapshot"
    assert json.loads(FORMATS["json"].whole(run))["run"]["reports_with_a_real_coin"] == counted
    page = Client().get(f"/reports/{run.key}/").content.decode()
    assert f"of which randomised with a real coin: {counted}" in page
    assert SENTENCE in page


def test_run_counts_paper_as_coin_reports(design: Design) -> None:
    fill(design)
    send_form(design)
    receive_sheet(marks(design), slug=design.slug)
    run = run_of(design)
    assert (run.reports, run.coin_reports) == (92, 2)


def test_run_without_coin_reports_states_nothing(design: Design) -> None:
    fill(design)
    run = run_of(design, published=True)
    assert "reports_with_a_real_coin" not in json.loads(FORMATS["json"].whole(run))["run"]
    page = Client().get(f"/reports/{run.key}/").content.decode()
    assert "real coin" not in page
    assert SENTENCE not in page


def test_run_with_birthdays_names_them_in_place_of_coins() -> None:
    document = payloads.document()
    channel = {"name": "crosswise", "prevalence": "1/4", "weights": [[1, 3], [3, 1]]}
    document["items"] = [item | {"channel": channel} for item in document["items"][:1]]
    design = freeze_design(document)
    marked = urlencode({"design": design.digest, "stratum": "y1", "item-1": "1"})
    for _ in range(40):
        receive_form(f"{marked}&nonce={secrets.token_hex(16)}".encode(), slug=design.slug)
    run = run_of(design, published=True)
    page = html.unescape(Client().get(f"/reports/{run.key}/").content.decode())
    assert "of which randomised by a birthday: 40" in page
    assert "40 responses were randomised by a birthday that the respondent knows" in page
    assert "Birthdays used wrongly." in page
    assert "on the respondent’s own device, or by a birthday" in page
    assert "whether the page or a birthday randomised them" in page
    assert "coin" not in page.lower()
    codebook = FORMATS["ddi"].whole(run).decode()
    assert "or by a birthday" in codebook
    assert "coin" not in codebook.lower()
