"""Limits: who is counted, for how long, by what; and that a report is worth more than a limit."""

import ipaddress
from collections.abc import Iterator
from typing import Any

import pytest
import redis
from django.core.exceptions import SynchronousOnlyOperation

from collector.designs import Design
from collector.designs.selectors import _read
from collector.endpoint import rate_limits
from collector.endpoint.application import Response
from collector.endpoint.rate_limits import Limit, Limits
from collector.errors import RequestRefused
from config.redis_server import RedisServer
from tests.factories import payloads
from tests.tools.door import DOOR, environ_of, send
from tests.tools.event_loop import run_in_event_loop
from tests.tools.redis import running_redis
from tests.tools.refusals import refuses

NOON = 1_800_014_400.0
"""A full hour of some day."""
THREE = Limit("responses from one address", 3, "hour")


class Clock:
    now = NOON

    def time(self) -> float:
        return self.now

    def monotonic(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(rate_limits, "time", clock)
    return clock


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    with running_redis() as server:
        yield server


@pytest.fixture(params=["alone", "with Redis"])
def counting(request: pytest.FixtureRequest) -> Limits:
    if request.param == "alone":
        return Limits()
    server = request.getfixturevalue("server")
    redis.Redis.from_url(server.url).flushall()
    return Limits(server.url)


def taken(counting: Limits, limit: Limit, whom: str, tries: int) -> int:
    """How many of the tries are let through."""
    passed = 0
    for _ in range(tries):
        try:
            counting.take(limit, whom)
            passed += 1
        except RequestRefused as refusal:
            if refusal.status != 429:
                raise
    return passed


def test_rate_limit_counts_per_address_and_window(counting: Limits, clock: Clock) -> None:
    clock.now += 600
    assert taken(counting, THREE, "192.0.2.1", 5) == 3
    assert taken(counting, THREE, "192.0.2.2", 5) == 3, "another is counted apart"
    clock.now += 3_000
    assert taken(counting, THREE, "192.0.2.1", 5) == 3


@pytest.mark.parametrize(("most", "unit"), [(1, "minute"), (250, "minute"), (1_000, "day")])
def test_rate_limit_any_size_is_exact(counting: Limits, most: int, unit: str) -> None:
    assert taken(counting, Limit("things", most, unit), "somebody", most + 5) == most


def test_rate_limit_refusal_names_limit_and_retry(counting: Limits, clock: Clock) -> None:
    clock.now += 600
    taken(counting, THREE, "192.0.2.1", 3)
    with refuses(429) as refusal:
        counting.take(THREE, "192.0.2.1")
    assert refusal.value.retry == 3_000
    said = "At most 3 responses from one address are accepted per hour. Try again in 50 minutes."
    assert refusal.value.message == said


def test_rate_limit_off_counts_nothing(counting: Limits) -> None:
    assert taken(counting, Limit.read("reports", "off"), "192.0.2.1", 50) == 50


@pytest.mark.parametrize("rate", ["", "12", "12/week", "-1/hour", "1.5/hour", "12 / hour", "hour"])
def test_rate_limit_invalid_text_raises(rate: str) -> None:
    with pytest.raises(ValueError, match="The limit of reports must be like 1200/hour, or off; got"):
        Limit.read("reports", rate)


def test_rate_limit_redis_is_shared_between_processes(server: RedisServer) -> None:
    redis.Redis.from_url(server.url).flushall()
    two = [Limits(server.url), Limits(server.url)]
    limit = Limit("responses from one address", 50, "hour")
    assert sum(taken(two[number % 2], limit, "192.0.2.1", 1) for number in range(100)) == 50


def test_rate_limit_redis_is_not_asked_in_an_event_loop(server: RedisServer) -> None:
    redis.Redis.from_url(server.url).flushall()
    counting, limit = Limits(server.url), Limit("responses from one address", 200, "hour")

    async def take() -> None:
        counting.take(limit, "192.0.2.1")

    with pytest.raises(SynchronousOnlyOperation):
        run_in_event_loop(take())
    counting.take(limit, "192.0.2.1")
    run_in_event_loop(take())
    with pytest.raises(SynchronousOnlyOperation):  # two at a time are fetched
        run_in_event_loop(take())
    assert taken(counting, limit, "192.0.2.1", 300) == 198


def test_rate_limit_redis_stores_no_address_and_expires(server: RedisServer, clock: Clock) -> None:
    there = redis.Redis.from_url(server.url)
    there.flushall()
    clock.now += 600
    Limits(server.url).take(THREE, "192.0.2.1")
    held = {name: there.get(name) for name in there.keys()}  # noqa: SIM118 - not a dictionary
    assert len(held) == 2
    assert not any(b"192.0.2.1" in name + value for name, value in held.items())
    assert {there.ttl(name) > 0 for name in held} == {True}
    (count,) = [name for name in held if b":key:" not in name]
    assert there.ttl(count) <= 3_000


def test_rate_limit_memory_stores_no_address_and_expires(clock: Clock) -> None:
    counting = Limits()
    counting.take(THREE, "192.0.2.1")
    assert "192.0.2.1" not in repr(vars(counting))
    before, key = set(counting._permits), counting._key
    clock.now += 3_600
    counting.take(THREE, "192.0.2.1")
    assert len(before) == len(counting._permits) == 1
    assert before != set(counting._permits)
    assert counting._key == key
    clock.now += 86_400
    counting.take(THREE, "192.0.2.1")
    assert counting._key != key, "with the day the key goes"


def test_rate_limit_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limits, "MOST_COUNTS", 10)
    counting = Limits()
    for number in range(100):
        counting.take(THREE, str(ipaddress.ip_address(number)))
    assert sum(map(len, counting._permits.values())) <= 11


def test_rate_limit_redis_down_allows_and_retries_seldom(clock: Clock, caplog: Any) -> None:
    counting = Limits("redis://127.0.0.1:1/0")
    assert taken(counting, THREE, "192.0.2.1", 50) == 50
    assert [record.getMessage() for record in caplog.records] == [
        "nothing is limited until Redis answers: ConnectionError"
    ]
    clock.now += 6
    assert taken(counting, THREE, "192.0.2.1", 1) == 1
    assert len(caplog.records) == 2


@pytest.mark.parametrize(
    ("proxies", "environ", "address"),
    [
        (0, {}, "203.0.113.9"),
        (0, {"HTTP_X_FORWARDED_FOR": "192.0.2.1"}, "203.0.113.9"),
        (1, {"HTTP_X_FORWARDED_FOR": "192.0.2.1"}, "192.0.2.1"),
        (1, {"HTTP_X_FORWARDED_FOR": "198.51.100.7, 192.0.2.1"}, "192.0.2.1"),
        (2, {"HTTP_X_FORWARDED_FOR": "198.51.100.7,192.0.2.1, 10.0.0.1"}, "192.0.2.1"),
        (2, {"HTTP_X_FORWARDED_FOR": "192.0.2.1"}, "203.0.113.9"),
        (1, {}, "203.0.113.9"),
        (1, {"HTTP_X_FORWARDED_FOR": "198.51.100.7, nonsense"}, "unknown"),
        (1, {"HTTP_X_FORWARDED_FOR": "192.0.2.1:4711"}, "192.0.2.1"),
        (1, {"HTTP_X_FORWARDED_FOR": "[2001:db8:1:2:3:4:5:6]:4711"}, "2001:db8:1:2::/64"),
        (1, {"HTTP_X_FORWARDED_FOR": "2001:db8:1:2:3:4:5:6"}, "2001:db8:1:2::/64"),
        (0, {"REMOTE_ADDR": "2001:db8:1:2:3:4:5:6"}, "2001:db8:1:2::/64"),
        (0, {"REMOTE_ADDR": "::ffff:192.0.2.1"}, "192.0.2.1"),
        (0, {"REMOTE_ADDR": ""}, "unknown"),
    ],
)
def test_address_of_trusts_own_proxies_only(settings: Any, proxies: int, environ: dict[str, str], address: str) -> None:
    settings.CANDOR_PROXIES = proxies
    assert rate_limits.address_of({"REMOTE_ADDR": "203.0.113.9"} | environ) == address


@pytest.fixture
def afresh(settings: Any) -> Iterator[None]:
    settings.REDIS_URL = None
    rate_limits.shared.cache_clear()
    yield
    rate_limits.shared.cache_clear()


@pytest.mark.django_db
@pytest.mark.usefixtures("afresh")
def test_endpoint_address_limit_answers_429(design: Design, settings: Any) -> None:
    settings.CANDOR_LIMITS = settings.CANDOR_LIMITS | {"reports by address": THREE}
    ours = [send(payloads.body(design)).status for _ in range(5)]
    assert ours == [201, 201, 201, 429, 429]
    spoofed = send(payloads.body(design), HTTP_X_FORWARDED_FOR="192.0.2.1")
    assert (spoofed.status, spoofed.headers["Retry-After"]) == (429, "3600")
    assert spoofed.error["message"].startswith("At most 3 responses from one address are accepted per hour.")
    assert send(payloads.body(design), REMOTE_ADDR="192.0.2.2").status == 201


@pytest.mark.django_db
@pytest.mark.usefixtures("afresh")
def test_endpoint_survey_limit_counts_valid_reports_only(design: Design, settings: Any) -> None:
    three = Limit("responses to one survey", 3, "hour")
    settings.CANDOR_LIMITS = settings.CANDOR_LIMITS | {"reports by survey": three}
    refused = [send(payloads.body(design, nonce="none")).status for _ in range(5)]
    answers = [send(payloads.body(design), REMOTE_ADDR=f"192.0.2.{number}") for number in range(4)]
    assert [*refused, *(one.status for one in answers)] == [422] * 5 + [201] * 3 + [429]
    assert answers[3].error["message"].startswith("At most 3 responses to one survey are accepted per hour.")


@pytest.mark.django_db
@pytest.mark.usefixtures("afresh")
def test_endpoint_report_that_goes_on_in_a_thread_is_counted_once(design: Design, settings: Any) -> None:
    """The event loop has counted its address when it finds that it would wait for the design."""
    settings.CANDOR_LIMITS = settings.CANDOR_LIMITS | {"reports by address": Limit("reports", 1, "hour")}
    _read.cache_clear()
    environ, answers = environ_of(payloads.body(design)), list[Response]()

    async def begin() -> None:
        DOOR.submit_at_once(environ, answers.append)

    with pytest.raises(SynchronousOnlyOperation):
        run_in_event_loop(begin())
    DOOR.submit(environ, answers.append)
    assert [answer.status for answer in answers] == [201]
    assert send(payloads.body(design)).status == 429
