"""The address that takes reports: a status and a sentence for everything that can arrive there."""

import json

import pytest
from django.test import Client
from django.urls import reverse

from collector.designs import Design
from collector.models import WaitingReport
from collector.services import close
from tests import payloads

pytestmark = pytest.mark.django_db
ADDRESS = reverse("collector:reports", args=["campus"])
ORIGIN = {"origin": "http://127.0.0.1:8000", "host": "127.0.0.1:8000"}


def post(body: bytes, content_type: str = "application/json", **headers: str) -> tuple[int, dict[str, object]]:
    response = Client().post(ADDRESS, body, content_type=content_type, headers=ORIGIN | headers)
    assert not response.cookies
    return response.status_code, json.loads(response.content)


def test_created_then_known(design: Design) -> None:
    body = payloads.body(design)
    status, answer = post(body)
    assert status == 201
    assert list(answer) == ["receipt"]
    assert post(body) == (200, answer)


@pytest.mark.parametrize("content_type", ["application/json; charset=utf-8", "application/json;charset=UTF-8"])
def test_json_may_name_its_charset(design: Design, content_type: str) -> None:
    assert post(payloads.body(design), content_type)[0] == 201


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin-1", ""]
)
def test_415_for_anything_but_json(design: Design, content_type: str) -> None:
    status, answer = post(payloads.body(design), content_type)
    assert status == 415
    assert answer["error"] == {"field": "Content-Type", "message": "Content-Type must be application/json."}


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://elsewhere.example"},
        {"origin": "null"},
        {"origin": ""},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "none"},
    ],
)
def test_403_for_another_site(design: Design, headers: dict[str, str]) -> None:
    status, _ = post(payloads.body(design), **headers)
    assert status == 403
    assert not WaitingReport.objects.exists()


def test_404_409_410_422_in_words(design: Design) -> None:
    body = payloads.body(design, nonce="ee" * 16)
    assert post(payloads.body(design, design="0" * 64))[0] == 404
    assert post(payloads.body(design, report="0200")) == (
        422,
        {"error": {"field": "report", "message": "report: symbol 0 must be from 0 to 1; got 2."}},
    )
    assert post(body)[0] == 201
    assert post(payloads.body(design, nonce="ee" * 16, report="0101"))[0] == 409
    close(design.digest)
    assert post(payloads.body(design))[0] == 410
    assert WaitingReport.objects.count() == 1


def test_413_before_the_body_is_read(design: Design) -> None:
    status, answer = post(b" " * 20_000)
    assert status == 413
    assert "at most 16384 bytes; got 20000" in json.dumps(answer)


@pytest.mark.parametrize("method", ["get", "put", "patch", "delete", "head"])
def test_nothing_but_post(design: Design, method: str) -> None:
    assert getattr(Client(headers=ORIGIN), method)(ADDRESS).status_code == 405


def test_the_answer_names_no_value_that_was_sent_for_a_nonce(design: Design) -> None:
    _, answer = post(payloads.body(design, nonce="not a nonce"))
    assert answer["error"] == {"field": "nonce", "message": "nonce must be 32 hex digits."}
