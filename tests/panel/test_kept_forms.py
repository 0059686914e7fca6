"""A form whose session has ended, or whose token is old, comes back as it was typed; that of another site not."""

import json
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from tests.tools.second_factor import code_of, set_up

pytestmark = pytest.mark.django_db

HERE: Any = {"HTTP_SEC_FETCH_SITE": "same-origin"}
PASSWORD = "a long passphrase"
TITLE = "“Drugs”\n& <other> things"
NEW = "/panel/new/"


@pytest.fixture(autouse=True)
def _fresh() -> None:
    cache.clear()


def hidden(html: str, name: str) -> str:
    found = re.search(rf'<textarea name="{name}" hidden>\n(.*?)</textarea>', html, re.S)
    assert found, html
    for code, sign in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#x27;", "'"), ("&amp;", "&")):
        html = found[1] if code == "&lt;" else html
        html = html.replace(code, sign)
    return html


def kept_json(html: str) -> str:
    found = re.search(r'name="kept" form="login-form" value="([^"]*)"', html)
    assert found, html
    return (
        found[1]
        .replace("&quot;", '"')
        .replace("&#x27;", "'")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
    )


def sign_in_with(client: Client, kept: str, password: str = PASSWORD) -> Any:
    fields = {"username": "alice", "password": password, "kept": kept, "next": reverse("panel:kept")}
    return client.post(f"{reverse('admin:login')}?next={reverse('panel:kept')}", fields)


def test_form_of_an_ended_session_comes_back_after_sign_in(alice: User) -> None:
    client = Client()
    refused = client.post(NEW, {"title": TITLE}, **HERE)
    assert refused.status_code == 403
    kept = kept_json(refused.content.decode())
    wrong = sign_in_with(client, kept, "wrong")
    assert kept_json(wrong.content.decode()) == kept, "a wrong password does not lose it"
    assert sign_in_with(client, kept)["Location"] == reverse("panel:kept")
    back = client.get(reverse("panel:kept")).content.decode()
    assert f'action="{NEW}"' in back
    assert hidden(back, "title") == TITLE
    assert client.post(reverse("panel:kept"))["Location"] == reverse("panel:index")
    assert client.get(reverse("panel:kept")).status_code == 302, "it was discarded"


def test_form_comes_back_after_the_second_factor_too(her: Client, alice: User) -> None:
    set_up(her, alice)
    client = Client()
    answer = sign_in_with(client, kept_json(client.post(NEW, {"title": TITLE}, **HERE).content.decode()))
    code = client.get(answer["Location"])["Location"]
    assert code.startswith("/panel/code/?next=")
    assert client.post(code, {"code": code_of(alice)})["Location"] == reverse("panel:kept")
    assert hidden(client.get(reverse("panel:kept")).content.decode(), "title") == TITLE


def test_form_with_an_old_token_comes_back(her: Client) -> None:
    client = Client(enforce_csrf_checks=True)
    client.cookies = her.cookies
    refused = client.post(NEW, {"title": TITLE}, **HERE)
    html = refused.content.decode()
    assert refused.status_code == 403
    assert hidden(html, "title") == TITLE
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', html)
    assert token
    assert client.post(NEW, {"title": TITLE, "csrfmiddlewaretoken": token[1]}, **HERE).status_code == 302


@pytest.mark.parametrize(
    "origin", [{}, {"HTTP_ORIGIN": "https://elsewhere.example"}, {"HTTP_SEC_FETCH_SITE": "cross-site"}]
)
def test_form_of_another_site_is_never_given_back(her: Client, alice: User, origin: Any) -> None:
    assert Client().post(NEW, {"title": TITLE}, **origin).status_code == 302
    client = Client(enforce_csrf_checks=True)
    client.cookies = her.cookies
    assert "textarea" not in client.post(NEW, {"title": TITLE}, **origin).content.decode()


def test_secrets_and_large_forms_are_not_given_back(alice: User) -> None:
    for fields in ({"new_password1": "x"}, {"title": "x" * 600_000}, {}):
        assert Client().post("/panel/password_change/", fields, **HERE).status_code == 302
    client = Client()
    for kept in ("{", "[]", '{"path": "https://elsewhere.example/", "fields": []}', '{"path": "/s/x/", "fields": []}'):
        sign_in_with(client, kept)
        assert client.get(reverse("panel:kept"))["Location"] == reverse("panel:index")


@pytest.mark.parametrize("name", ["panel:paper", "panel:mail"])
def test_form_with_responses_or_addresses_is_not_kept(alice: User, name: str) -> None:
    path, client = reverse(name, args=["campus"]), Client()
    assert client.post(path, {"item-1": "0", "to": "person@example.org"}, **HERE).status_code == 302
    sign_in_with(client, json.dumps({"path": path, "fields": [["item-1", "0"]]}))
    assert "kept_form" not in client.session


def test_address_of_a_button_has_a_page(her: Client) -> None:
    answer = her.get(reverse("panel:team-rename", args=[1]))
    assert (answer.status_code, answer["Allow"]) == (405, "POST")
    assert reverse("panel:index") in answer.content.decode()


def test_request_that_cannot_be_read_has_a_page(her: Client, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = 2
    answer = her.post(NEW, {str(number): "x" for number in range(9)})
    assert answer.status_code == 400
    assert "Invalid request" in answer.content.decode()
