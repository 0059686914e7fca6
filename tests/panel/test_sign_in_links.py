"""One-time links: looking at the address leaves them as they are, pressing the button uses them up, once."""

import re
import threading
import time
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse
from sesame.utils import get_token

from surveys.lifecycle.links import sign_in_link

LIST = "/panel/surveys/survey/"


def signs_in(code: str, client: Client | None = None) -> bool:
    answer = (client or Client()).post(reverse("sign-in"), {"code": code})
    assert answer.status_code in (302, 403)
    return answer.status_code == 302


@pytest.mark.django_db
def test_sign_in_link_has_secret_only_in_fragment(alice: User, settings: Any) -> None:
    before, _, code = sign_in_link(alice).partition("#")
    assert before == settings.CANDOR_URL + reverse("sign-in")
    assert signs_in(code)


@pytest.mark.django_db
@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE"])
def test_sign_in_link_fetched_by_scanner_stays_valid(alice: User, method: str) -> None:
    """A mail scanner that asks for the address, also one that writes the fragment into the query."""
    code = get_token(alice)
    for address in ("", f"?sesame={code}", f"?code={code}"):
        client = Client()
        answer = client.generic(method, reverse("sign-in") + address)
        assert answer.status_code in (200, 405)
        assert code.encode() not in answer.content
        assert client.get(LIST).status_code == 302
    assert signs_in(code)


@pytest.mark.django_db
def test_page_is_the_same_for_every_link(alice: User) -> None:
    answer = Client().get(reverse("sign-in"))
    assert answer["Cache-Control"] == "no-store"
    assert 'name="code"' in answer.content.decode(), "who has no script pastes it"


@pytest.mark.django_db
def test_sign_in_link_needs_csrf_token(alice: User) -> None:
    client, code = Client(enforce_csrf_checks=True), get_token(alice)
    assert client.post(reverse("sign-in"), {"code": code}).status_code == 403
    page = client.get(reverse("sign-in")).content.decode()
    token = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page)[0]
    answer = client.post(reverse("sign-in"), {"code": code, "csrfmiddlewaretoken": token})
    assert (answer.status_code, answer["Location"]) == (302, reverse("admin:index"))


@pytest.mark.django_db
def test_whole_link_may_be_pasted(alice: User) -> None:
    assert signs_in(f" {sign_in_link(alice)}\n")


@pytest.mark.django_db
@pytest.mark.parametrize("code", ["", "x", "é" * 300, "a:b:c", "A" * 5_000, "\0"])
def test_sign_in_invalid_code_is_refused(alice: User, code: str) -> None:
    assert not signs_in(code)
    answer = Client().post(reverse("sign-in"), {"code": code}).content.decode()
    assert "works once" in answer


@pytest.mark.django_db
def test_sign_in_wrong_links_lock_nobody_out(alice: User) -> None:
    for _ in range(12):
        assert not signs_in("wrong")
    assert signs_in(get_token(alice))


@pytest.mark.django_db
def test_sign_in_link_expires_after_a_day(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    code, now = get_token(alice), time.time()
    monkeypatch.setattr(time, "time", lambda: now + 24 * 60 * 60 + 2)
    assert not signs_in(code)


@pytest.mark.django_db(transaction=True)
def test_sign_in_link_eight_at_once_admits_one(alice: User) -> None:
    code, start, found = get_token(alice), threading.Barrier(8), list[bool]()

    def press() -> None:
        start.wait()
        try:
            found.append(signs_in(code))
        finally:
            connection.close()

    pressing = [threading.Thread(target=press) for _ in range(8)]
    for one in pressing:
        one.start()
    for one in pressing:
        one.join()
    assert sorted(found) == [False] * 7 + [True]
