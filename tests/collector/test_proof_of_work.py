"""Work for a report: what the door takes, what it refuses, and that nothing of an answer is in it."""

import inspect
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import SynchronousOnlyOperation
from django.db import OperationalError
from django.test import Client
from jsonschema import validate

from collector.designs import Design
from collector.endpoint import openapi, proof_of_work, rate_limits
from collector.endpoint.application import ReportEndpoint
from collector.endpoint.rate_limits import Limit
from collector.reports import selectors
from collector.reports.storing import NewReport
from config.middleware import headers_without_django
from config.wsgi import django
from surveys.lifecycle.proof_of_work import ask_for_work
from surveys.models import Survey, Version
from tests.factories import payloads
from tests.tools.door import ORIGIN, AtOnce, send
from tests.tools.event_loop import run_in_event_loop
from tests.tools.refusals import refuses
from tests.vectors import make_work

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "work.json").read_text(encoding="utf-8"))
BITS = 8
"""Of the sums that are found here: some 256 tries each."""


def door_that_asks(bits: int) -> ReportEndpoint:
    return ReportEndpoint(django, writer=AtOnce(), headers=headers_without_django, bits=lambda slug: bits)


def sum_of(digest: str, report: dict[str, Any], bits: int = BITS) -> str:
    return make_work.smallest(digest, bytes.fromhex(report["nonce"]), bits)


def report_of(one: dict[str, Any], **changes: Any) -> NewReport:
    return NewReport(bytes.fromhex(one["nonce"]), one["digest"], 0, b"\x00", 0)._replace(**changes)


def test_proof_of_work_vectors_match_generator() -> None:
    assert make_work.vectors() == make_work.TARGET.read_text(encoding="utf-8")


@pytest.mark.parametrize("one", VECTORS, ids=lambda one: f"{one['bits']} bits")
def test_proof_of_work_accepts_vector_and_no_smaller_counter(one: dict[str, Any]) -> None:
    proof_of_work.check(one["sum"], report_of(one), one["bits"])
    for smaller in range(int(one["sum"], 16)):
        with refuses(429):
            proof_of_work.check(f"{smaller:016x}", report_of(one), one["bits"])


def test_proof_of_work_depends_on_nonce_and_digest_only() -> None:
    """What the page sends, and what is looked at here: so a sum can tell nothing of an answer."""
    assert list(inspect.signature(proof_of_work.zero_bits).parameters) == ["digest", "nonce", "counter"]
    one = VECTORS[-1]
    for symbols, stratum, mode in ((b"\x00", 0, 0), (b"\x01", 0, 0), (b"\x01\x02\x03", 7, 1)):
        proof_of_work.check(one["sum"], report_of(one, report=symbols, stratum=stratum, mode=mode), one["bits"])


@pytest.mark.django_db
def test_endpoint_proof_of_work_accepted_again_on_retry(design: Design) -> None:
    report, door = payloads.report(design), door_that_asks(BITS)
    found = sum_of(design.digest, report)
    answers = [send(payloads.body(design, **report), door=door, HTTP_CANDOR_WORK=found) for _ in range(2)]
    assert [answer.status for answer in answers] == [201, 200]


@pytest.mark.django_db
def test_endpoint_wrong_proof_of_work_answers_429(design: Design) -> None:
    report, door = payloads.report(design), door_that_asks(BITS)
    found, body = sum_of(design.digest, report), payloads.body(design, **report)
    wrong = f"{next(one for one in range(99) if one != int(found, 16)):016x}"
    other = sum_of(design.digest, payloads.report(design))
    foreign = sum_of("0" * 64, report)
    for sent in (None, "", wrong, found[1:], f"0{found}", found.upper() + " ", "g" * 16, "²" * 16, other, foreign):
        answer = send(body, door=door, HTTP_CANDOR_WORK=sent)
        assert answer.status == 429, sent
        assert "Retry-After" not in answer.headers, "no time makes it right"
        assert answer.error == {
            "field": "Candor-Work",
            "message": "This survey requires a proof of work: a hash that begins with 8 zero bits.",
            "bits": BITS,
        }
        validate(answer.said, openapi.REFUSAL)
    assert selectors.received_count(design.digest) == 0


@pytest.mark.django_db
def test_endpoint_more_bits_need_new_proof_of_work(design: Design) -> None:
    report = payloads.report(design)
    found, body = sum_of(design.digest, report), payloads.body(design, **report)
    more = next(bits for bits in range(BITS, 257) if sum_of(design.digest, report, bits) != found)
    assert send(body, door=door_that_asks(more), HTTP_CANDOR_WORK=found).error["bits"] == more
    assert send(body, door=door_that_asks(BITS - 1), HTTP_CANDOR_WORK=found).status == 201


@pytest.mark.django_db
@pytest.mark.parametrize("sent", [None, "", "f" * 16, "nonsense"])
def test_endpoint_without_proof_of_work_ignores_header(design: Design, sent: str | None) -> None:
    assert send(payloads.body(design), door=door_that_asks(0), HTTP_CANDOR_WORK=sent).status == 201


@pytest.mark.django_db
def test_endpoint_validates_report_before_proof_of_work(design: Design) -> None:
    """And a slug that is none is never looked up."""
    asked: list[str] = []
    door = ReportEndpoint(
        django, writer=AtOnce(), headers=headers_without_django, bits=lambda slug: asked.append(slug) or 0
    )
    assert send(payloads.body(design, report="0200"), door=door).status == 422
    assert send(payloads.body(design), door=door, path="/s/another/reports").status == 404
    assert asked == []


class Clock:
    """Of `collector.endpoint.proof_of_work`."""

    now = 1_000.0

    def monotonic(self) -> float:
        return self.now


def test_required_work_is_cached_for_one_second(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, asked, bits = Clock(), [], {"campus": 0, "other": 3}
    monkeypatch.setattr(proof_of_work, "time", clock)
    lately = proof_of_work.RequiredWork(lambda slug: asked.append(slug) or bits[slug])
    assert [lately("campus") for _ in range(3)] == [0, 0, 0]
    assert lately("other") == 3
    bits["campus"] = 12
    assert lately("campus") == 0
    assert asked == ["campus", "other"]
    clock.now += 1
    assert lately("campus") == 12


def test_required_work_is_not_looked_up_in_an_event_loop() -> None:
    """Of what is known nothing changes by that: who looks in a thread finds it as it was."""
    asked: list[str] = []
    lately = proof_of_work.RequiredWork(lambda slug: asked.append(slug) or 12)

    async def look() -> int:
        return lately("campus")

    for _ in range(2):
        with pytest.raises(SynchronousOnlyOperation):
            run_in_event_loop(look())
    assert asked == []
    assert lately("campus") == 12
    assert run_in_event_loop(look()) == 12
    assert asked == ["campus"]


def test_required_work_database_down_uses_last_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is none yet, the report waits for the database as every other does."""
    clock = Clock()
    monkeypatch.setattr(proof_of_work, "time", clock)
    answers: list[Any] = [12]

    def look_up(slug: str) -> int:
        if answers:
            return int(answers.pop())
        raise OperationalError("connection refused: host 10.0.0.5")

    lately = proof_of_work.RequiredWork(look_up)
    assert lately("campus") == 12
    clock.now += 5
    assert lately("campus") == 12
    with pytest.raises(OperationalError):
        lately("other")


@pytest.fixture
def _counted_afresh(settings: Any) -> Iterator[None]:
    settings.REDIS_URL = None
    settings.CANDOR_LIMITS = settings.CANDOR_LIMITS | {"coins by survey": Limit("own-coin reports", 2, "hour")}
    rate_limits.shared.cache_clear()
    yield
    rate_limits.shared.cache_clear()


@pytest.mark.django_db
@pytest.mark.usefixtures("_counted_afresh")
@pytest.mark.parametrize(("bits", "statuses"), [(0, [303] * 4), (12, [303, 303, 429, 429])])
def test_coin_page_with_proof_of_work_is_rate_limited(version: Version, bits: int, statuses: list[int]) -> None:
    """It has no script that could do the work, and a robot would come in there."""
    ask_for_work(Survey.objects.get(), bits)
    address, kind = "/s/campus/coin/send/", "application/x-www-form-urlencoded"
    answers = []
    for number in range(4):
        form = f"design={version.design_id}&stratum=y2&item-1=1&item-2=0&nonce={number:032x}"
        answers.append(Client().post(address, form, content_type=kind, headers=ORIGIN))
    assert [answer.status_code for answer in answers] == statuses
    if bits:
        assert "The server is busy. Nothing was stored." in answers[-1].content.decode()
        assert 0 < int(answers[-1]["Retry-After"]) <= 3_600
