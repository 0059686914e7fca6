"""The door for what people marked themselves: one strict form, a nonce of our own, the mode."""

import secrets
from urllib.parse import urlencode

import pytest
from django.db import IntegrityError, transaction

from collector.designs import MOST_SYMBOLS, Design
from collector.designs.services import close_design, freeze_design
from collector.endpoint.parsing import LARGEST_BODY
from collector.endpoint.receiving import preview_form, receive_form, receive_sheet
from collector.models import FrozenDesign, Report, WaitingReport
from collector.reports import selectors
from collector.reports.folding import fold
from tests.factories import payloads
from tests.factories.reports import store_report
from tests.tools.refusals import refuses

pytestmark = pytest.mark.django_db


def fields(design: Design, /, **changes: str | None) -> dict[str, str]:
    sound = {"design": design.digest, "nonce": secrets.token_hex(16), "stratum": "y2", "item-1": "1", "item-2": "2"}
    return {name: value for name, value in (sound | changes).items() if value is not None}


def form(design: Design, /, **changes: str | None) -> bytes:
    return urlencode(fields(design, **changes)).encode()


def test_preview_form_stores_nothing_and_draws_new_nonce(design: Design) -> None:
    first, second = (preview_form(form(design, nonce=None), slug="campus") for _ in range(2))
    assert (first.design, first.stratum, first.report) == (design.digest, "y2", b"\x01\x02")
    assert first.nonce != second.nonce
    assert len(bytes.fromhex(first.nonce)) == 16
    assert not WaitingReport.objects.exists()


def test_receive_form_after_preview_is_stored(design: Design) -> None:
    looked = preview_form(form(design, nonce=None), slug="campus")
    receive_form(form(design, nonce=looked.nonce), slug="campus")
    assert WaitingReport.objects.get().nonce.hex() == looked.nonce


def test_preview_form_with_nonce_is_rejected(design: Design) -> None:
    with refuses(422, match="the review page adds it"):
        preview_form(form(design), slug="campus")


def test_preview_form_closed_design_answers_410(design: Design) -> None:
    close_design(design.digest)
    with refuses(410):
        preview_form(form(design, nonce=None), slug="campus")


def test_receive_form_same_nonce_is_stored_once(design: Design) -> None:
    for _ in range(3):
        receive_form(form(design, nonce="ab" * 16), slug="campus")
    assert WaitingReport.objects.count() == 1
    close_design(design.digest)
    receive_form(form(design, nonce="ab" * 16), slug="campus")


def test_receive_form_changed_report_same_nonce_answers_409(design: Design) -> None:
    receive_form(form(design, nonce="ab" * 16), slug="campus")
    with refuses(409):
        receive_form(form(design, nonce="ab" * 16, **{"item-1": "0"}), slug="campus")
    assert bytes(WaitingReport.objects.get().report) == b"\x01\x02"


def test_receive_sheet_sets_paper_mode(design: Design) -> None:
    sheet = fields(design)
    assert receive_sheet(sheet, slug="campus") is True
    assert receive_sheet(sheet, slug="campus") is False
    stored = WaitingReport.objects.get()
    assert (bytes(stored.report), stored.mode) == (b"\x01\x02", Report.Mode.PAPER)


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"item-2": None}, 422),
        ({"nonce": None}, 422),
        ({"nonce": "1"}, 422),
        ({"design": None}, 404),
        ({"design": "0" * 64}, 404),
        ({"next": "/"}, 422),
    ],
)
def test_receive_sheet_invalid_field_is_rejected(design: Design, changes: dict[str, str | None], status: int) -> None:
    with refuses(status):
        receive_sheet(fields(design, **changes), slug="campus")
    assert not WaitingReport.objects.exists()


def test_receive_sheet_closed_design_answers_410(design: Design) -> None:
    close_design(design.digest)
    with refuses(410):
        receive_sheet(fields(design), slug="campus")
    assert not WaitingReport.objects.exists()


def test_receive_form_sets_coin_mode(design: Design) -> None:
    receive_form(form(design), slug="campus")
    stored = WaitingReport.objects.get()
    assert (stored.design.digest, stored.stratum, bytes(stored.report)) == (design.digest, 1, b"\x01\x02")
    assert stored.mode == Report.Mode.COIN
    assert len(stored.nonce) == 16


def test_receive_form_each_form_is_one_report(design: Design) -> None:
    for _ in range(3):
        receive_form(form(design), slug="campus")
    assert WaitingReport.objects.count() == 3


def test_report_modes_counted_apart_tallied_together(design: Design) -> None:
    store_report(payloads.body(design, stratum="y2", report="0102"))
    receive_form(form(design), slug="campus")
    receive_sheet(fields(design), slug="campus")
    close_design(design.digest)
    assert (selectors.received_count(design.digest), selectors.coin_report_count(design.digest)) == (3, 2)
    assert (selectors.sheet_count(design.digest), selectors.folded_coin_report_count(design.digest)) == (1, 0)
    fold(design.digest)
    assert selectors.folded_coin_report_count(design.digest) == 2
    assert [table.tolist() for table in selectors.totals(design.digest)] == [[[0, 0], [0, 3]], [[0, 0, 0], [0, 0, 3]]]


def test_browser_report_sets_browser_mode(design: Design) -> None:
    store_report(payloads.body(design))
    assert WaitingReport.objects.get().mode == Report.Mode.BROWSER


def test_report_unknown_mode_raises_integrity_error(design: Design) -> None:
    number = FrozenDesign.objects.get().number
    row = WaitingReport(nonce=b"n" * 16, design_id=number, stratum=0, report=b"\x00\x00", mode=4)
    with pytest.raises(IntegrityError), transaction.atomic():
        row.save()


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"item-1": None}, "item-1"),
        ({"item-2": None}, "item-2"),
        ({"item-1": "2"}, "item-1"),
        ({"item-1": "-1"}, "item-1"),
        ({"item-1": "01"}, "item-1"),
        ({"item-1": "1.0"}, "item-1"),
        ({"item-1": ""}, "item-1"),
        ({"item-1": "٠"}, "item-1"),
        ({"item-1": "1" * 5000}, "item-1"),
        ({"stratum": None}, "stratum"),
        ({"stratum": "y3"}, "stratum"),
        ({"stratum": ""}, "stratum"),
        ({"design": None}, "design"),
        ({"design": "0"}, "design"),
        ({"nonce": None}, "nonce"),
        ({"nonce": "AB" * 16}, "nonce"),
        ({"nonce": ""}, "nonce"),
        ({"item-3": "0"}, "body"),
        ({"item-01": "0"}, "body"),
        ({"csrfmiddlewaretoken": ""}, "body"),
    ],
)
def test_receive_form_invalid_field_is_named(design: Design, changes: dict[str, str | None], field: str) -> None:
    with refuses(422) as refusal:
        receive_form(form(design, **changes), slug="campus")
    assert refusal.value.field == field
    assert not WaitingReport.objects.exists()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"item-1",
        b"\xff=1",
        b'{"design": 1}',
        b"&".join(b"a%d=1" % n for n in range(MOST_SYMBOLS + 4)),
    ],
)
def test_receive_form_malformed_body_answers_422(design: Design, body: bytes) -> None:
    with refuses(422):
        receive_form(body, slug="campus")


def test_receive_form_repeated_field_is_rejected(design: Design) -> None:
    with refuses(422, match="once"):
        receive_form(form(design) + b"&item-1=0", slug="campus")


@pytest.mark.parametrize(
    ("slug", "changes", "status"),
    [("campus", {"design": "0" * 64}, 404), ("another", {}, 404)],
)
def test_receive_form_unknown_design_is_rejected(
    design: Design, slug: str, changes: dict[str, str], status: int
) -> None:
    with refuses(status):
        receive_form(form(design, **changes), slug=slug)


def test_receive_form_rehearsal_answers_404(db: None) -> None:
    rehearsed = freeze_design(payloads.document(rehearsal=True))
    with refuses(404):
        receive_form(form(rehearsed), slug="campus")


def test_receive_form_closed_design_answers_410(design: Design) -> None:
    close_design(design.digest)
    with refuses(410):
        receive_form(form(design), slug="campus")
    assert not WaitingReport.objects.exists()


def test_receive_form_large_body_answers_413(design: Design) -> None:
    with refuses(413):
        receive_form(b"a" * (LARGEST_BODY + 1), slug="campus")


def test_receive_form_design_without_strata_has_no_field(db: None) -> None:
    design = freeze_design(payloads.document(strata={"wording": {"en": ""}, "groups": []}))
    with refuses(422):
        receive_form(form(design, stratum=""), slug="campus")
    receive_form(form(design, stratum=None), slug="campus")
    assert WaitingReport.objects.get().stratum == 0
