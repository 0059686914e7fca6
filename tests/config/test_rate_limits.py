"""What else is limited than reports, and what the pages say while the database is away."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError
from django.test import Client

from collector.endpoint import rate_limits
from surveys.lifecycle import selectors
from tests.tools.limits import limit_to_two

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
    assert said.startswith(f"At most 2 {settings.CANDOR_LIMITS[name].things} are taken in one hour.")
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
