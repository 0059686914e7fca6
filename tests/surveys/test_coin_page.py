"""The own-coin page: the same bytes for everybody, no script, an ordinary form that the collector takes."""

import hashlib
import html
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client

from collector.endpoint import receiving
from collector.invitations import batches
from collector.invitations.codes import hash_of, new_code
from collector.models import Invitation, Report, WaitingReport
from config.middleware import COIN_POLICY, RESPONDENT_POLICY
from surveys.accounts.teams import home_team
from surveys.lifecycle import links, services
from surveys.models import Page, Survey, Version
from surveys.opening.services import open_survey
from tests.factories import payloads
from tests.tools.designs import stored_page
from tests.tools.refusals import refuses

pytestmark = pytest.mark.django_db

ADDRESS = "/s/campus/coin/"
SEND = f"{ADDRESS}send/"
ORIGIN = {"origin": "http://127.0.0.1:8000", "host": "127.0.0.1:8000", "sec-fetch-site": "same-origin"}
FORM = "application/x-www-form-urlencoded"


def marked(version: Version, **changes: str) -> dict[str, str]:
    return {"design": version.design_id, "stratum": "y1", "item-1": "1", "item-2": "0"} | changes


def post(fields: dict[str, str], content_type: str = FORM, address: str = ADDRESS, **headers: str) -> Any:
    response = Client().post(address, urlencode(fields), content_type=content_type, headers=ORIGIN | headers)
    assert not response.cookies
    return response


def looked(version: Version, **changes: str) -> dict[str, str]:
    """What a browser sends from the page that shows what was marked."""
    response = post(marked(version, **changes))
    assert response.status_code == 200
    inputs = re.findall(r'<input type="(\w+)" name="([\w-]+)" value="(\w+)"([^>]*)>', response.content.decode())
    return {name: value for kind, name, value, more in inputs if kind == "hidden" or "checked" in more}


def send(fields: dict[str, str], content_type: str = FORM, **headers: str) -> Any:
    return post(fields, content_type, SEND, **headers)


def said(response: HttpResponse) -> str:
    return html.unescape(" ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split()))


def stage(response: HttpResponse) -> str:
    """Which page it is: review, sent, refused or closed."""
    return re.findall(r'<html data-now="(\w+)"', response.content.decode())[0]


def test_coin_page_same_bytes_for_everyone(version: Version) -> None:
    hashes = set()
    for number in range(50):
        client = Client(REMOTE_ADDR=f"10.0.0.{number}")
        client.cookies["sessionid"] = f"cookie{number}"
        headers = {"accept-language": ("en", "de", "ar")[number % 3], "user-agent": f"Browser/{number}"}
        response = client.get(ADDRESS, {"utm": number}, headers=headers)
        assert response.status_code == 200
        assert not response.cookies
        hashes.add(hashlib.sha256(response.content).hexdigest())
    assert hashes == {hashlib.sha256(stored_page(version, Page.Kind.COIN)).hexdigest()}


def test_coin_page_has_no_script_style_or_outside_address(version: Version) -> None:
    page = stored_page(version, Page.Kind.COIN).decode()
    page = re.sub(r'integrity="[^"]*"', "", page)  # base64 has slashes of its own
    assert not re.search(r"<script|javascript:|\son\w+=|\sstyle=|<style|//", page, re.I)
    assert page.count("<form") == 1
    assert 'method="post" action="/s/campus/coin/"' in page
    assert "csrf" not in page


def test_coin_style_sheet_is_hashed_and_loads_nothing(version: Version) -> None:
    page = stored_page(version, Page.Kind.COIN).decode()
    assert re.search(r'href="/static/surveys/coin/coin\.[0-9a-f]{12}\.css" integrity="sha384-[^"]{64}"', page)
    style = (Path(__file__).parents[2] / "surveys/static/surveys/coin/coin.css").read_text()
    assert not re.search(r"url\(|@import|image-set|src:", style)


def test_coin_form_has_exactly_its_fields(version: Version) -> None:
    inputs = re.findall(
        r'<input type="(\w+)" name="([\w-]+)" value="(\w+)"( required)?', stored_page(version, Page.Kind.COIN).decode()
    )
    assert inputs == [
        ("hidden", "design", version.design_id, ""),
        *(("radio", "stratum", key, " required") for key in ("y1", "y2")),
        *(("radio", "item-1", value, " required") for value in "01"),
        *(("radio", "item-2", value, " required") for value in "012"),
    ]


def test_coin_page_texts(version: Version) -> None:
    words = said(Client().get(ADDRESS))
    assert "You need 2 coins and one die, and a place where nobody can see you." in words
    assert "Two heads: mark “No”, whatever your answer is." in words
    assert "The die shows 4 to 6: mark your true answer." in words
    assert "change the odds of a guess about you by a factor of at most 12." in words


def test_coin_page_headers(version: Version) -> None:
    response = Client().get(ADDRESS)
    assert response["Content-Security-Policy"] == COIN_POLICY
    assert {"script-src 'none'", "form-action 'self'"} <= set(COIN_POLICY.split("; "))
    assert response["Referrer-Policy"] == "same-origin", "without it a browser posts the form with Origin: null"
    assert response["Cache-Control"] == "no-store"
    sent = Client().get(f"{ADDRESS}sent/")
    assert (sent["Content-Security-Policy"], sent["Referrer-Policy"]) == (RESPONDENT_POLICY, "no-referrer")
    assert Client().get("/s/campus/")["Referrer-Policy"] == "no-referrer"


def test_coin_form_is_reviewed_before_storing(version: Version) -> None:
    response = post(marked(version))
    assert response["Content-Security-Policy"] == COIN_POLICY
    assert (response["Referrer-Policy"], response["Cache-Control"]) == ("same-origin", "no-store")
    assert stage(response) == "review"
    legends = re.findall(r"<legend>([^<]+)</legend>", response.content.decode())
    assert legends == ["Which year are you in?", "Have you cheated?", "How do you feel?"]
    assert re.search(r'<div class="consent">.*<p>You may leave at any time.</p>', response.content.decode())
    assert not re.search(r"<script|javascript:|\son\w+=|\sstyle=|<style", response.content.decode(), re.I)
    assert not WaitingReport.objects.exists()


def test_coin_review_keeps_marks_with_new_nonce(version: Version) -> None:
    first, second = looked(version), looked(version)
    assert first.pop("nonce") != second.pop("nonce")
    assert first == second == marked(version)


def test_coin_send_twice_stores_one_report(version: Version) -> None:
    fields = looked(version)
    assert {(send(fields).status_code, send(fields)["Location"]) for _ in range(2)} == {(303, f"{ADDRESS}sent/")}
    assert WaitingReport.objects.count() == 1


def test_coin_other_marks_same_nonce_answers_409(version: Version) -> None:
    fields = looked(version)
    send(fields)
    response = send(fields | {"item-1": "0"})
    assert (response.status_code, stage(response)) == (409, "refused")
    assert bytes(WaitingReport.objects.get().report) == b"\x01\x00"


def test_coin_send_without_review_answers_422(version: Version) -> None:
    assert send(marked(version)).status_code == 422
    assert post(looked(version)).status_code == 422
    assert Client().get(SEND).status_code == 405
    assert not WaitingReport.objects.exists()


def test_coin_send_stores_report_and_redirects(version: Version) -> None:
    response = send(looked(version))
    assert (response.status_code, response["Location"]) == (303, "/s/campus/coin/sent/")
    report = WaitingReport.objects.get()
    assert (report.stratum, bytes(report.report), report.mode) == (0, b"\x01\x00", Report.Mode.COIN)


def test_coin_sent_page_is_the_same_for_every_mark(version: Version) -> None:
    pages = {Client().get(f"{ADDRESS}sent/").content}
    for value in "01":
        send(looked(version, **{"item-1": value}))
        pages.add(Client().get(f"{ADDRESS}sent/").content)
    assert len(pages) == 1
    assert b"Your marks have arrived" in pages.pop()


@pytest.mark.parametrize(
    ("changes", "status", "sentence"),
    [
        ({"item-2": "3"}, 422, "Question 2 has no mark."),
        ({"stratum": "y9"}, 422, "No group is marked."),
        ({"more": "1"}, 422, "This was not the form of this page."),
        ({"design": "0" * 64}, 404, "It belongs to another version of the survey"),
    ],
)
def test_coin_errors_are_sentences_on_a_page(
    version: Version, changes: dict[str, str], status: int, sentence: str
) -> None:
    response = post(marked(version, **changes))
    assert response.status_code == status
    assert f"Nothing was stored {sentence}" in said(response)
    assert b"<script" not in response.content
    assert not WaitingReport.objects.exists()


@pytest.mark.parametrize("change", [{"origin": "null"}, {"origin": "https://elsewhere.example"}, {"origin": ""}])
@pytest.mark.parametrize("site", ["same-origin", "cross-site"])
def test_coin_cross_site_form_answers_403(version: Version, change: dict[str, str], site: str) -> None:
    for response in (
        post(marked(version), **change, **{"sec-fetch-site": site}),
        send(looked(version), **change, **{"sec-fetch-site": site}),
    ):
        assert (response.status_code, stage(response)) == (403, "refused")
    assert not WaitingReport.objects.exists()


@pytest.mark.parametrize("content_type", ["multipart/form-data; boundary=x", "application/json", "text/plain"])
def test_coin_other_content_type_answers_415(version: Version, content_type: str) -> None:
    assert post(marked(version), content_type).status_code == 415
    assert send(looked(version), content_type).status_code == 415


def test_coin_form_too_large_answers_413(version: Version) -> None:
    assert post(marked(version, more="x" * 20_000)).status_code == 413


def test_coin_closed_survey_says_so(version: Version) -> None:
    ready = looked(version)
    services.close_survey(version.survey)
    for response in (post(marked(version)), send(ready)):
        assert (response.status_code, stage(response)) == (410, "closed")
    shown = Client().get(ADDRESS)
    assert (shown.status_code, stage(shown)) == (200, "closed")
    assert not WaitingReport.objects.exists()


def test_coin_form_of_earlier_version_answers_410(version: Version) -> None:
    ready, survey = looked(version), version.survey
    services.close_survey(survey)
    services.revise_survey(survey)
    open_survey(survey)
    for response in (post(marked(version)), send(ready)):
        assert (response.status_code, stage(response)) == (410, "refused")


def test_coin_page_without_device_is_404_and_unlinked(alice: User) -> None:
    version = open_survey(services.write_survey(payloads.without_device(), team=home_team(alice)))
    missing = {Client().get(address).status_code for address in (ADDRESS, f"{ADDRESS}sent/")}
    assert missing | {post(marked(version)).status_code} == {404}
    assert b"/coin/" not in stored_page(version)
    assert links.coin_link(version) == ""
    client = Client()
    client.force_login(alice)
    assert "/coin/" not in client.get("/panel/survey/campus/").content.decode()


def test_coin_page_rehearsal_has_none(survey: Survey) -> None:
    rehearsal = open_survey(services.duplicate_survey(survey, slug="campus-rehearsal", rehearsal=True))
    assert stored_page(rehearsal, Page.Kind.COIN) == b""
    assert Client().get("/s/campus-rehearsal/coin/").status_code == 404
    assert Client().post("/s/campus-rehearsal/coin/").status_code == 404


def test_coin_page_draft_has_none(survey: Survey) -> None:
    assert Client().get(ADDRESS).status_code == 404


def test_answer_page_noscript_links_coin_page(version: Version) -> None:
    inside = re.findall(r"<noscript>.*?</noscript>", stored_page(version).decode(), re.S)
    assert any(f'href="{ADDRESS}"' in part for part in inside)


def test_answer_page_refusal_links_coin_page(version: Version) -> None:
    page = stored_page(version, Page.Kind.ANSWER).decode()
    refused = page[page.index('data-stage="refused"') :]
    assert f'href="{ADDRESS}"' in refused[: refused.index("</section>")]
    trust = "Use your own coin or die. Then your true answer never touches a page."
    assert page.count(f'<a href="{ADDRESS}">{trust}</a>') == 2


def test_panel_shows_coin_link_and_count(version: Version, alice: User) -> None:
    client = Client()
    client.force_login(alice)
    assert links.coin_link(version) in client.get("/panel/survey/campus/share/").content.decode()
    before = client.get("/panel/survey/campus/").content.decode()
    assert "of these with own coin" not in before
    send(looked(version))
    assert "of these with own coin" not in client.get("/panel/survey/campus/").content.decode(), "one is no step"
    services.close_survey(version.survey)
    assert "of these with own coin: 1" in client.get("/panel/survey/campus/").content.decode()


def invited(alice: User, kind: str = "secret") -> Version:
    survey = services.write_survey(payloads.definition(invitations=kind), team=home_team(alice))
    return open_survey(survey)


def test_coin_code_loosely_typed_admits_one_report(alice: User) -> None:
    """In capitals, with dashes and spaces, with letters for the digits that look like them."""
    version, codes = invited(alice), [new_code() for _ in range(10)]
    batches.add(version.design_id, [hash_of(code) for code in codes], stratum=None, kind="cards")
    page = stored_page(version, Page.Kind.COIN).decode()
    assert 'name="invitation" value="" required' in page
    spelled = "-".join(re.findall("....", codes[0])).upper().replace("0", "O").replace("1", "l") + " "
    response = post(marked(version, invitation=spelled))
    assert response.status_code == 200
    assert Invitation.objects.count() == 10, "a look uses nothing up"
    (shown,) = re.findall(r'name="invitation" value="([^"]*)"', response.content.decode())
    assert shown.replace(" ", "") == codes[0]
    (nonce,) = re.findall(r'name="nonce" value="(\w+)"', response.content.decode())
    for _ in range(2):
        assert send(marked(version, invitation=shown, nonce=nonce)).status_code == 303, "also where it is pressed twice"
    again = send(marked(version, invitation=codes[0], nonce="ab" * 16))
    assert (again.status_code, stage(again)) == (403, "refused")
    assert codes[0] not in again.content.decode()
    assert (WaitingReport.objects.count(), Invitation.objects.count()) == (1, 9)
    wrong = post(marked(version, invitation=codes[1][:-1]))
    assert (wrong.status_code, stage(wrong)) == (422, "refused")
    assert post(marked(version)).status_code == 422


def test_coin_invited_survey_has_no_sheet_blind_no_page(alice: User) -> None:
    version = invited(alice)
    researcher = Client()
    researcher.force_login(alice)
    assert not version.pages.filter(kind=Page.Kind.SHEET).exists()
    assert "/coin/sheet.pdf" not in stored_page(version, Page.Kind.COIN).decode()
    assert researcher.get("/panel/survey/campus/paper/").status_code == 404
    shared = researcher.get("/panel/survey/campus/share/").content.decode()
    assert ('id="share-coin"' in shared, "/panel/survey/campus/paper/" in shared) == (True, False)
    with refuses(422, match="accepts no sheets"):
        receiving.receive_sheet(marked(version, nonce="ab" * 16, invitation=new_code()), slug="campus")
    definition = payloads.definition(slug="blind", invitations="blind")
    blind = open_survey(services.write_survey(definition, team=home_team(alice)))
    assert not blind.pages.filter(kind__in=[Page.Kind.COIN, Page.Kind.SHEET]).exists()
