"""Every refusal of the API is a problem document; a POST with a key is done once."""

import json
import threading
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone

from surveys.accounts.teams import home_team
from surveys.api.base import LARGEST_BODY, delete_expired_replies
from surveys.lifecycle import selectors
from surveys.models import AuditEntry, KeptAnswer, Membership, Role, Survey
from tests.factories import payloads
from tests.tools.api import PROBLEM, Program

DUPLICATE = "surveys/campus/duplicate/"


@pytest.fixture
def hers(alice: User) -> Program:
    return Program(alice)


@pytest.mark.django_db
def test_api_errors_are_problem_documents(
    hers: Program, alice: User, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    viewer = User.objects.create_user("vera", is_staff=True)
    Membership.objects.create(team=survey.team, user=viewer, role=Role.VIEWER)
    unauthorised = Program().refused(401, "GET", "surveys/")
    assert unauthorised["title"] == "Unauthorized"
    assert Program()("GET", "surveys/")["WWW-Authenticate"] == 'Bearer realm="Candor"'
    assert "this needs an editor" in Program(viewer).refused(403, "POST", DUPLICATE, {"slug": "x"})["detail"]
    assert "only reads" in Program(alice, "read").refused(403, "POST", DUPLICATE, {"slug": "x"})["detail"]
    hers.refused(404, "GET", "surveys/none/")
    hers.refused(404, "GET", "no/such/address/")
    assert "DELETE" not in hers("DELETE", "plan/")["Allow"]
    hers.refused(405, "DELETE", "plan/")
    hers.refused(406, "GET", "surveys/", Accept="text/html")
    hers.refused(413, "POST", "surveys/", json.dumps({"yaml": " " * LARGEST_BODY}))
    hers.refused(415, "POST", "surveys/", "slug: x", Content_Type="text/plain")
    for body in ("{", "[" * 100_000, '{"slug": "\\u0000"}', '{"slug": "\\ud800"}', b'{"slug": "\xff"}', "NaN"):
        hers.refused(400, "POST", DUPLICATE, body)
    for number in ("1e999", "-1e999", "Infinity", "9" * 5_000):
        hers.refused(400, "POST", DUPLICATE, f'{{"slug": "x", "team": {number}}}')
    assert "stands twice" in hers.refused(400, "POST", DUPLICATE, '{"slug": "x", "slug": "y"}')["detail"]
    assert hers.refused(422, "POST", DUPLICATE, "[]")["errors"][0]["field"] == "body"
    short = hers.refused(422, "POST", DUPLICATE, {"slug": "A B", "tem": 1})["errors"]
    known = "slug, same_people, team"
    assert short == [{"field": "tem", "message": f"This field is not known here; there are: {known}.", "value": 1}]

    def away(*_given: object) -> None:
        raise OperationalError("connection refused: host 10.0.0.5")

    monkeypatch.setattr(selectors, "definition_of", away)
    assert "10.0.0.5" not in str(hers.refused(503, "GET", "surveys/campus/definition/"))


@pytest.mark.django_db
def test_api_browser_change_needs_csrf_token(alice: User, survey: Survey) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    answer = client.post(f"/api/v1/{DUPLICATE}", {"slug": "copy"}, content_type="application/json")
    assert (answer.status_code, answer["Content-Type"]) == (403, PROBLEM)
    assert client.get("/api/v1/surveys/campus/").status_code == 200


@pytest.mark.django_db
def test_idempotency_key_is_for_one_request(hers: Program, survey: Survey, bob: User) -> None:
    first = hers("POST", DUPLICATE, {"slug": "copy"}, Idempotency_Key="k1")
    again = hers("POST", DUPLICATE, {"slug": "copy"}, Idempotency_Key="k1")
    assert (first.status_code, again.status_code, again.content) == (201, 201, first.content)
    assert (first.get("Idempotency-Replayed"), again["Idempotency-Replayed"]) == (None, "true")
    assert AuditEntry.objects.filter(act="duplicated").count() == 1
    hers.refused(409, "POST", DUPLICATE, {"slug": "copy"}, Idempotency_Key="k2")
    other = hers.refused(422, "POST", DUPLICATE, {"slug": "other"}, Idempotency_Key="k1")
    assert other["errors"][0]["field"] == "Idempotency-Key"
    hers.refused(422, "POST", "surveys/copy/duplicate/", {"slug": "copy"}, Idempotency_Key="k1")
    Program(bob).refused(404, "POST", DUPLICATE, {"slug": "copy"}, Idempotency_Key="k1")
    for key in ("", "x" * 256, "a b"):
        hers.refused(400, "POST", DUPLICATE, {"slug": "copy"}, Idempotency_Key=key)


@pytest.mark.django_db
def test_idempotency_key_free_after_error_keeps_no_body(hers: Program, survey: Survey) -> None:
    hers.refused(422, "POST", DUPLICATE, {"slug": "Not One"}, Idempotency_Key="a-secret-key")
    assert not KeptAnswer.objects.exists()
    definition = payloads.definition(slug="other", consent={"en": "a sentence of the body"})
    hers.post("surveys/", {"definition": definition}, Idempotency_Key="a-secret-key")
    kept = str(KeptAnswer.objects.values_list().get())
    assert "a-secret-key" not in kept
    assert "a sentence of the body" not in kept
    assert '"slug":"other"' in kept


@pytest.mark.django_db
def test_idempotency_key_is_kept_for_a_day(hers: Program, survey: Survey) -> None:
    hers.post(DUPLICATE, {"slug": "copy"}, Idempotency_Key="k")
    delete_expired_replies()
    assert KeptAnswer.objects.count() == 1
    KeptAnswer.objects.update(kept_at=timezone.now() - timedelta(days=1, seconds=1))
    assert hers.post(DUPLICATE, {"slug": "second"}, Idempotency_Key="k")["slug"] == "second"
    KeptAnswer.objects.update(kept_at=timezone.now() - timedelta(days=1, seconds=1))
    delete_expired_replies()
    assert not KeptAnswer.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_idempotency_key_two_at_once_one_is_done(hers: Program, alice: User) -> None:
    home_team(alice)
    together, answers = threading.Barrier(2), list[Any]()
    body = {"definition": payloads.definition()}

    def ask() -> None:
        together.wait(timeout=30)
        try:
            answers.append(hers("POST", "surveys/", body, Idempotency_Key="race"))
        finally:
            connection.close()

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].content == answers[1].content
    assert sorted(bool(answer.get("Idempotency-Replayed")) for answer in answers) == [False, True]
    assert AuditEntry.objects.filter(act="created").count() == 1
