"""Signing in tells nobody who has an account: the same words after the same work, counted in hashings and queries."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher, make_password
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django_otp.plugins.otp_totp.models import TOTPDevice
from sesame.utils import get_token

from surveys.accounts.invitations import invite
from surveys.accounts.teams import home_team
from surveys.models import Invitation, Role
from tests.panel.conftest import SignIn

pytestmark = pytest.mark.django_db
RIGHT, WRONG = "a long passphrase", "another passphrase"
hashings: list[int] = []


class Counted(PBKDF2PasswordHasher):
    """What an installation has, with fewer rounds; each call is written down with its rounds."""

    iterations = 10

    def encode(self, password: str, salt: str, iterations: int | None = None) -> str:
        hashings.append(iterations or self.iterations)
        return str(super().encode(password, salt, iterations))


@pytest.fixture(autouse=True)
def counted(settings: Any) -> Iterator[None]:
    settings.PASSWORD_HASHERS = [f"{__name__}.Counted"]
    cache.clear()
    yield
    cache.clear()


def work(client: Client, address: str, **sent: str) -> tuple[Any, ...]:
    """What this request costs and what is said: rounds of hashing, queries without their values, the page."""
    hashings.clear()
    with CaptureQueriesContext(connection) as asked:
        answer = client.post(address, sent) if sent else client.get(address)
    queries = [re.sub(r"'[^']*'|\b\d+\b", "?", query["sql"]) for query in asked.captured_queries]
    page = re.sub(rb'(?:value|content|nonce)="[^"]*"', b"", answer.content)
    return sum(hashings), queries, answer.status_code, page


def accounts() -> None:
    User.objects.create_user("staff", password=RIGHT, is_staff=True)
    User.objects.create_user("other", password=RIGHT)
    User.objects.create_user("off", password=RIGHT, is_staff=True, is_active=False)
    User.objects.create_user("without", is_staff=True)
    guarded = User.objects.create_user("guarded", password=RIGHT, is_staff=True)
    TOTPDevice.objects.create(user=guarded, name="app", confirmed=True)
    old = make_password(RIGHT).split("$")
    User.objects.create_user("old", is_staff=True)
    stored = Counted().encode(RIGHT, old[2], 4)
    User.objects.filter(username="old").update(password=stored)


def test_sign_in_existing_account_looks_like_unknown() -> None:
    accounts()
    names = ("nobody", "staff", "other", "off", "without", "guarded", "old")
    found = {name: work(Client(), reverse("admin:login"), username=name, password=WRONG) for name in names}
    assert found["nobody"][0] == Counted.iterations
    assert b"Please enter the correct username and password" in found["nobody"][3]
    for name, one in found.items():
        assert one == found["nobody"], name


def test_sign_in_inactive_account_looks_like_unknown() -> None:
    accounts()
    nobody = work(Client(), reverse("admin:login"), username="nobody", password=WRONG)
    for name in ("other", "off"):
        assert work(Client(), reverse("admin:login"), username=name, password=RIGHT) == nobody, name


def test_sign_in_locked_name_costs_no_work() -> None:
    accounts()
    for name in ("nobody", "staff", "without"):
        for _ in range(10):
            Client().post(reverse("admin:login"), {"username": name, "password": WRONG})
    found = [
        work(Client(), reverse("admin:login"), username=name, password=RIGHT) for name in ("nobody", "staff", "without")
    ]
    assert [one[:3] for one in found] == [(0, [], 429)] * 3
    assert len({one[3] for one in found}) == 1


def test_sign_in_link_invalid_hides_its_account(alice: User, bob: User) -> None:
    """Used up, of an account that is gone or off, or with a sign changed: the same answer, and as many queries."""
    address, dave = reverse("sign-in"), User.objects.create_user("dave", is_staff=True)
    codes = {user.username: get_token(user) for user in (alice, bob, dave)}
    changed = codes["alice"][:-1] + ("A" if codes["alice"][-1] != "A" else "B")
    Client().post(address, {"code": codes["alice"]})
    User.objects.filter(pk=bob.pk).update(is_active=False)
    dave.delete()
    found = [work(Client(), address, code=one) for one in (changed, *codes.values())]
    assert {one[2] for one in found} == {403}
    assert len({(one[0], len(one[1]), one[3]) for one in found}) == 1


def test_join_link_invalid_looks_the_same(alice: User) -> None:
    team = home_team(alice)
    secrets = {name: invite(team, Role.VIEWER, by=alice)[1] for name in ("used", "expired")}
    Invitation.objects.all().delete()
    found = []
    for secret in (*secrets.values(), "never made", "x" * 43):
        client = Client()
        client.post("/panel/join/", {"secret": secret})
        found.append(work(client, "/panel/join/"))
    assert {one[2] for one in found} == {404}
    assert len({(one[0], len(one[1]), one[3]) for one in found}) == 1


def test_second_step_without_password_looks_nothing_up(sign_in: SignIn, alice: User) -> None:
    """Of a stranger nothing is looked up."""
    TOTPDevice.objects.create(user=alice, name="app", confirmed=True)
    stranger = work(Client(), reverse("panel:code"), code="000000")
    assert (stranger[0], stranger[1], stranger[2]) == (0, [], 302)
    assert work(sign_in(alice), reverse("panel:code"), code="000000")[2] == 422
