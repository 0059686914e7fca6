"""Access tokens: made on one's own page and shown once, ended by whoever made them, by time and by a new password."""

import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse
from django_otp.plugins.otp_totp.models import TOTPDevice

from surveys.accounts import tokens
from surveys.models import AccessToken, AuditEntry, Survey

pytestmark = pytest.mark.django_db
PAGE, PLAN = "/panel/account/tokens/", "/api/v1/plan/"
SECRET = re.compile(r"candor_[A-Za-z0-9_-]{43}")


def status_with(secret: str, address: str = PLAN, **more: Any) -> int:
    return Client().get(address, headers={"Authorization": f"Bearer {secret}"}, **more).status_code


def test_token_is_made_shown_once_and_revoked(her: Client, alice: User) -> None:
    answer = her.post(PAGE, {"name": "the nightly job", "scope": "read", "days": "30"})
    (secret,) = SECRET.findall(answer.content.decode())
    made = AccessToken.objects.get()
    assert (made.user, made.name, made.scope, made.used_on) == (alice, "the nightly job", "read", None)
    assert made.expires_on == tokens.today() + timedelta(days=30)
    again = her.get(PAGE).content.decode()
    assert ("the nightly job" in again, "never used" in again, secret in again) == (True, True, False)
    assert status_with(secret) == 200
    assert "last used on" in her.get(PAGE).content.decode()
    assert AuditEntry.objects.filter(name="alice", act="created a token", detail__startswith="the nightly job").exists()
    her.post(reverse("panel:token-revoke", args=[made.pk]))
    assert status_with(secret) == 401
    assert AuditEntry.objects.filter(act="revoked a token").exists()


def test_token_form_errors_stand_beside_fields(her: Client) -> None:
    page = her.post(PAGE, {"name": "", "scope": "all", "days": "1"})
    assert (page.status_code, AccessToken.objects.exists()) == (422, False)
    assert page.content.decode().count('role="alert"') == 3


def test_token_of_other_user_looks_missing(her: Client, bob: User, sign_in: Any) -> None:
    made, _ = tokens.make(bob, "his", scope="read")
    answers = [her.post(reverse("panel:token-revoke", args=[pk])) for pk in (made.pk, 987654)]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert answers[0].content == answers[1].content
    root = sign_in(User.objects.create_superuser("root"))
    assert root.post(reverse("panel:token-revoke", args=[made.pk])).status_code == 404


def test_token_secret_is_stored_and_logged_nowhere(her: Client, caplog: pytest.LogCaptureFixture, capfd: Any) -> None:
    page = her.post(PAGE, {"name": "job", "scope": "write", "days": ""})
    (secret,) = SECRET.findall(page.content.decode())
    assert status_with(secret) == 200
    assert status_with(secret, "/api/v1/surveys/none/plan/") == 404
    assert status_with(secret + "x") == 401
    with connection.cursor() as cursor:
        rows = []
        for model in apps.get_models():
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(model._meta.db_table)}")
            rows += [str(cell) for row in cursor.fetchall() for cell in row]
    written = "\n".join([*rows, caplog.text, *capfd.readouterr()])
    assert tokens.digest_of(secret) in written
    assert secret not in written
    assert secret.removeprefix(tokens.PREFIX) not in written


def test_token_ends_by_time_account_and_password(alice: User, her: Client, settings: Any) -> None:
    def fresh(**more: Any) -> str:
        return tokens.make(alice, "t", scope="write", **more)[1]

    lasts = fresh(days=1)
    AccessToken.objects.update(expires_on=tokens.today())
    assert status_with(lasts) == 200
    AccessToken.objects.update(expires_on=tokens.today() - timedelta(days=1))
    assert status_with(lasts) == 401
    alice.set_password("quite another passphrase")
    before = fresh()
    alice.save()
    assert status_with(before) == 401
    off = fresh()
    User.objects.update(is_active=False)
    assert status_with(off) == 401
    User.objects.update(is_active=True, is_staff=False)
    assert status_with(off) == 403
    User.objects.update(is_staff=True)
    settings.CANDOR_SECOND_FACTOR = "required"
    assert status_with(off) == 401
    TOTPDevice.objects.create(user=alice, confirmed=True)
    assert status_with(off) == 200  # made by whoever had given it


def test_token_made_before_second_factor_ends(her: Client, alice: User) -> None:
    from tests.tools.second_factor import set_up

    secret = tokens.make(alice, "before", scope="read")[1]
    set_up(her, alice)
    assert status_with(secret) == 401
    secret = SECRET.findall(her.post(PAGE, {"name": "after", "scope": "read", "days": "7"}).content.decode())[0]
    assert status_with(secret) == 200
    password_alone = Client()
    password_alone.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    assert password_alone.post(PAGE, {"name": "x", "scope": "read", "days": "7"})["Location"].startswith("/panel/code/")
    assert AccessToken.objects.count() == 1


def test_token_number_per_user_is_limited(alice: User, her: Client) -> None:
    for number in range(tokens.MOST):
        tokens.make(alice, str(number), scope="read")
    page = her.post(PAGE, {"name": "more", "scope": "read", "days": "7"}).content.decode()
    assert "the maximum" in page
    assert AccessToken.objects.count() == tokens.MOST


def test_token_rate_limit_counts_per_user(alice: User, bob: User, settings: Any) -> None:
    from collector.endpoint import rate_limits
    from tests.tools.limits import limit_to_two

    limit_to_two(settings, "requests by researcher")
    rate_limits.shared.cache_clear()
    hers = [tokens.make(alice, name, scope="read")[1] for name in ("one", "two")]
    his = tokens.make(bob, "one", scope="read")[1]
    assert [status_with(secret) for secret in (hers[0], hers[1], his, hers[0])] == [200, 200, 200, 429]
    assert [status_with("candor_" + "x" * 43) for _ in range(3)] == [401, 401, 429]
    rate_limits.shared.cache_clear()


def test_token_request_ignores_session(her: Client, survey: Survey, bob: User) -> None:
    address = "/api/v1/surveys/campus/plan/"
    assert her.get(address).status_code == 200
    assert her.get(address, headers={"Authorization": "Bearer wrong"}).status_code == 401
    his = tokens.make(bob, "his", scope="read")[1]
    refused = her.get(address, headers={"Authorization": f"Bearer {his}"})
    assert (refused.status_code, refused["Content-Type"]) == (404, "application/problem+json")
    assert json.loads(refused.content)["title"] == "Not Found"
