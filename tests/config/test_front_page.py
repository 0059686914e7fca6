"""The page at /: what the site is, and the way in for each of its readers."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from tests.tools.help_site import ROOT

pytestmark = pytest.mark.django_db


def links_of(client: Client) -> dict[str, str]:
    answer = client.get("/")
    assert answer.status_code == 200
    return {
        text: address
        for address, text in re.findall(r'<a [^>]*href="([^"]+)"[^>]*>([^<]+)</a>', answer.content.decode())
    }


def test_front_page_offers_sign_in_and_help(client: Client) -> None:
    links = links_of(client)
    assert (links["Sign in"], links["Sign in with a link"]) == (reverse("admin:login"), reverse("sign-in"))
    assert (links["Help"], links["My survey record"]) == (reverse("help"), reverse("surveys:spent"))
    assert "Go to your surveys" not in links
    for address in links.values():
        if address.startswith(reverse("help")):
            page = address.removeprefix(reverse("help")) or "index.html"
            assert (ROOT / "docs" / page).with_suffix(".md").is_file()
        else:
            assert client.get(address).status_code == 200


def test_front_page_leads_researchers_to_the_panel(client: Client, alice: User) -> None:
    client.force_login(alice)
    links = links_of(client)
    assert (links["Go to your surveys"], links["New survey"]) == (reverse("panel:index"), reverse("panel:new"))
    assert "Sign in" not in links


def test_front_page_sets_no_cookie_and_no_script(client: Client) -> None:
    answer = client.get("/")
    assert not answer.cookies
    assert "<script" not in answer.content.decode()
    assert client.post("/").status_code == 405
