"""The respondent's addresses: the same bytes for everyone, and no cookie."""

import hashlib

import pytest
from django.test import Client

from config.middleware import RESPONDENT_POLICY
from surveys import services
from surveys.models import Survey, Version
from tests.tools.designs import stored_page

pytestmark = pytest.mark.django_db


def test_the_same_bytes_for_everyone(version: Version) -> None:
    """100 fetches with different cookies, languages, browsers, addresses: one hash."""
    hashes = set()
    for number in range(100):
        client = Client(REMOTE_ADDR=f"10.0.0.{number}")
        client.cookies["sessionid"] = f"cookie{number}"
        headers = {"accept-language": ("en", "de", "ar")[number % 3], "user-agent": f"Browser/{number}"}
        response = client.get("/s/campus/", {"utm": number}, headers=headers)
        assert response.status_code == 200
        assert not response.cookies
        hashes.add(hashlib.sha256(response.content).hexdigest())
    assert hashes == {hashlib.sha256(stored_page(version)).hexdigest()}


def test_design_json_hashes_to_the_digest(version: Version) -> None:
    response = Client().get("/s/campus/design.json")
    assert hashlib.sha256(response.content).hexdigest() == version.design_id
    assert response["Content-Type"] == "application/json"


@pytest.mark.parametrize("address", ["/s/campus/", "/s/campus/design.json", "/s/campus/reports", "/s/nothing/"])
def test_headers_on_every_respondent_address(version: Version, address: str) -> None:
    response = Client().get(address)
    assert response["Content-Security-Policy"] == RESPONDENT_POLICY
    assert response["Integrity-Policy"] == "blocked-destinations=(script)"
    assert response["Referrer-Policy"] == "no-referrer"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Cross-Origin-Opener-Policy"] == "same-origin"
    assert response["Cross-Origin-Resource-Policy"] == "same-origin"
    assert response["Permissions-Policy"].startswith("accelerometer=(), camera=()")
    assert response["Cache-Control"] == "no-store"
    assert not response.cookies


def test_drafts_rehearsals_and_what_does_not_exist_look_the_same(survey: Survey) -> None:
    rehearsal = services.duplicate_survey(survey, slug="campus-rehearsal", rehearsal=True)
    services.open_survey(rehearsal)
    answers = {
        (response.status_code, response.content)
        for slug in ("campus", "campus-rehearsal", "missing")
        for response in (Client().get(f"/s/{slug}/"),)
    }
    assert len(answers) == 1
    assert next(iter(answers))[0] == 404


def test_a_closed_survey_says_so_and_has_no_script(version: Version) -> None:
    services.close_survey(version.survey)
    response = Client().get("/s/campus/")
    assert response.status_code == 200
    assert b"closed" in response.content.lower()
    assert b"<script" not in response.content


@pytest.mark.parametrize("method", ["post", "put", "delete", "patch"])
def test_nothing_but_reading(version: Version, method: str) -> None:
    assert getattr(Client(), method)("/s/campus/").status_code == 405
