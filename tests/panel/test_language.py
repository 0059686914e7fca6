"""The panel speaks the reader's language: the one chosen, else the browser's, else English."""

import json
import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from bin import catalog
from tests.panel.access import Cast
from tests.panel.pages import content, every_page

pytestmark = pytest.mark.django_db

NUMERIC = re.compile(r'\s(?:value|min|max|step|width|height|x|y|x1|x2|y1|y2|r|cx|cy|d|points|data-[\w-]+)="([^"]*)"')
DECIMAL_COMMA = re.compile(r"-?\d+,\d+")


@pytest.fixture(autouse=True)
def german(settings: Any) -> None:
    settings.PANEL_LANGUAGES = ("en", "de")


def page(client: Client) -> str:
    return client.get(reverse("panel:teams")).content.decode()


def language_of(client: Client, accepted: str = "") -> str:
    html = client.get(reverse("panel:teams"), headers={"accept-language": accepted}).content.decode()
    found = re.search(r'<html lang="([\w-]+)"', html)
    assert found is not None
    return found[1]


def test_browser_languages_are_tried_in_order(her: Client) -> None:
    assert language_of(her) == "en"
    assert language_of(her, "de-AT,en;q=0.5") == "de"
    assert language_of(her, "fr,de;q=0.8,en;q=0.5") == "de"
    assert language_of(her, "fr") == "en"


def test_chosen_language_counts_before_the_browsers(her: Client) -> None:
    chosen = her.post(reverse("panel:set-language"), {"language": "de", "next": reverse("panel:index")})
    assert chosen.status_code == 302
    assert chosen.headers["Location"] == reverse("panel:index")
    cookie = chosen.cookies["candor_language"]
    assert (cookie["path"], cookie["samesite"], cookie["httponly"]) == ("/panel/", "Strict", True)
    assert language_of(her, "en") == "de"
    assert her.get("/api/v1/surveys/", headers={"accept-language": "de"}).headers.get("Content-Language") is None


def test_language_without_a_catalog_is_not_spoken(her: Client) -> None:
    her.cookies["candor_language"] = "ar"
    assert language_of(her) == "en"


def test_menu_offers_languages_when_there_are_several(her: Client, settings: Any) -> None:
    assert 'name="language" type="hidden" value="de"' in page(her)
    settings.PANEL_LANGUAGES = ("en",)
    assert 'name="language"' not in page(her)


def test_scripts_get_their_catalog_in_other_languages_alone(her: Client) -> None:
    address = reverse("panel:texts")
    assert address not in page(her)
    her.cookies["candor_language"] = "de"
    html = page(her)
    assert f'<script src="{address}"></script>' in html
    texts = her.get(address)
    body = texts.content.decode()
    assert texts.headers["Content-Type"].startswith("text/javascript")
    for entry in catalog.catalog("de", catalog.SCRIPTS):
        assert json.dumps(entry.msgid) in body
    again = her.get(address, headers={"if-none-match": texts.headers["ETag"]})
    assert again.status_code == 304


@pytest.mark.long
def test_numbers_of_german_pages_stay_readable_by_programs(cast: Cast) -> None:
    """German writes a decimal comma; fields, drawings and data for scripts need a point."""
    for client in cast.clients.values():
        client.cookies["candor_language"] = "de"
    seen, spoiled = 0, []
    for name, response in every_page(cast):
        if response.headers.get("Content-Type", "").startswith("text/html"):
            html = content(response).decode()
            seen += '<html lang="de"' in html
            values = NUMERIC.findall(html)
            spoiled += [f"{name}: {value}" for value in values if DECIMAL_COMMA.fullmatch(value.strip())]
    assert spoiled == []
    assert seen > 30
    assert translation.get_language() == "en"


def test_german_pages_write_numbers_as_german_does(her: Client) -> None:
    her.cookies["candor_language"] = "de"
    asked = {
        "kind": "one_choice",
        "mechanism": "k_ary",
        "choices": "4",
        "respondents": "12000",
        "by": "epsilon",
        "epsilon": "1.1",
    }
    html = her.get(reverse("panel:plan"), asked).content.decode()
    assert "1,10" in html
    assert 'value="1.1"' in html
    assert "12.000" in html
    refused = her.get(reverse("panel:plan"), asked | {"respondents": "5"}).content.decode()
    assert "von 10 bis 10.000.000" in refused
    her.cookies["candor_language"] = "en"
    assert "12,000" in her.get(reverse("panel:plan"), asked).content.decode()
