"""What else is limited than reports, and what the pages say while the database is away."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axes.handlers.proxy import AxesProxyHandler
from django.contrib.auth.models import User
from django.db import ConnectionHandler, OperationalError
from django.http import HttpResponse
from django.test import Client

from collector.endpoint import rate_limits
from config.database import database
from surveys.lifecycle import selectors
from tests.tools.limits import limit_to_two
from tests.tools.postgresql import running_postgresql

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _afresh(settings: Any) -> Iterator[None]:
    settings.REDIS_URL = None
    rate_limits.shared.cache_clear()
    yield
    rate_limits.shared.cache_clear()


@pytest.mark.parametrize(
    ("name", "method", "path"),
    [
        ("sign-ins by address", "POST", "/panel/login/"),
        ("sign-ins by address", "POST", "/panel/code/"),
        ("sign-ins by address", "POST", "/panel/sign-in/"),
        ("requests by researcher", "GET", "/api/v1/runs/none/"),
        ("requests by researcher", "POST", "/api/v1/plan/"),
        ("files by reader", "GET", "/reports/none/estimates.csv"),
        ("files by reader", "GET", "/panel/run/none/report.json"),
        ("files by reader", "GET", "/panel/survey/campus/share/poster.pdf"),
        ("files by reader", "GET", "/panel/survey/campus/definition.yaml"),
    ],
)
def test_rate_limit_each_kind_answers_429(settings: Any, name: str, method: str, path: str) -> None:
    limit_to_two(settings, name)
    answers = [Client().generic(method, path) for _ in range(3)]
    assert [answer.status_code == 429 for answer in answers] == [False, False, True]
    assert 0 < int(answers[2]["Retry-After"]) <= 3_600
    said = answers[2].json()["detail"] if path.startswith("/api/") else answers[2].content.decode()
    assert said.startswith(f"At most 2 {settings.CANDOR_LIMITS[name].things} are accepted per hour.")
    assert Client(REMOTE_ADDR="192.0.2.1").generic(method, path).status_code != 429


def test_rate_limit_counts_researchers_not_addresses(settings: Any, alice: User, bob: User) -> None:
    limit_to_two(settings, "requests by researcher")
    for user in (alice, bob):
        client = Client()
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        statuses = [client.get("/api/v1/runs/none/").status_code for _ in range(3)]
        assert statuses == [404, 404, 429]


def test_page_database_down_answers_503(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_given: object) -> None:
        raise OperationalError("connection refused: host 10.0.0.5")

    monkeypatch.setattr(selectors, "published_version", away)
    answer = Client().get("/s/campus/")
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert answer.content == b"The database is away. Please try again."


def test_page_write_on_former_primary_answers_503(monkeypatch: pytest.MonkeyPatch) -> None:
    """A real PostgreSQL that takes no write, as one that has become a standby; the next attempt finds the primary."""
    with running_postgresql() as server:
        options = database(server.url, Path()) | {"OPTIONS": {"options": "-c default_transaction_read_only=on"}}
        there = ConnectionHandler({"default": options})["default"]

        def page_that_executes(statement: str) -> HttpResponse:
            def execute(*_given: object) -> None:
                with there.cursor() as cursor:
                    cursor.execute(statement)

            monkeypatch.setattr(selectors, "published_version", execute)
            return Client(raise_request_exception=False).get("/s/campus/")

        refused = page_that_executes("CREATE TABLE plain (nonce bytea)")
        broken = page_that_executes("SELECT * FROM nothing")
        there.close()
    assert (refused.status_code, refused["Retry-After"]) == (503, "5")
    assert refused.content == b"The database is away. Please try again."
    assert broken.status_code == 500, "a fault of the program stays one"


def test_sign_in_without_redis_answers_503(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong passwords cannot be counted there; that passes once a replica has become the master."""
    url = "redis://127.0.0.1:1/0"
    settings.REDIS_URL = url
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": url}}
    monkeypatch.setattr(AxesProxyHandler, "implementation", None)  # it holds the cache of before
    answer = Client().post("/panel/login/", {"username": "alice", "password": "wrong"})
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert answer.content == b"Redis is away. Please try again."
