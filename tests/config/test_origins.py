"""An origin of its own for respondents: neither serves what the other has, and links lead to the right one."""

from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client

from collector.designs.selectors import get_design
from config.variables import checks
from surveys.accounts.teams import home_team
from surveys.lifecycle import links
from surveys.lifecycle.services import write_survey
from surveys.models import Version
from surveys.opening.services import open_survey
from tests.factories import payloads
from tests.tools.door import send

SITE, THEIRS = "https://panel.example", "https://answers.example"
OF_RESPONDENTS = ("/s/campus/", "/s/campus/design.json", "/s/campus/coin/", "/spent/")
REPORT = "0123456789abcdef" * 2
OF_THE_SITE = (
    *("/", "/panel/", "/panel/sign-in/", "/panel/help/", "/api/", "/api/v1/surveys/", "/healthz", "/readyz"),
    *("/metrics", f"/reports/{REPORT}/", f"/preview/{32 * 'a'}/"),
)


@pytest.fixture
def version(alice: User, settings: Any) -> Version:
    settings.CANDOR_URL, settings.CANDOR_RESPONDENT_URL = SITE, THEIRS
    settings.ALLOWED_HOSTS = ["panel.example", "answers.example", "localhost"]
    return open_survey(write_survey(payloads.definition(), team=home_team(alice)))


def host(url: str) -> str:
    return str(urlsplit(url).hostname)


@pytest.mark.django_db
@pytest.mark.parametrize("path", OF_RESPONDENTS)
def test_pages_for_respondents_are_at_their_origin_alone(client: Client, version: Version, path: str) -> None:
    assert client.get(path, headers={"host": host(THEIRS)}).status_code == 200
    for other in (host(SITE), "localhost"):
        answer = client.get(path, headers={"host": other})
        assert (answer.status_code, answer.headers["Location"]) == (308, THEIRS + path)
        assert client.post(path, headers={"host": other}).status_code in (403, 404)


@pytest.mark.django_db
@pytest.mark.parametrize("path", OF_THE_SITE)
def test_nothing_else_is_at_the_origin_of_respondents(client: Client, version: Version, path: str) -> None:
    for method in (client.get, client.post):
        answer = method(path, headers={"host": host(THEIRS)})
        assert answer.status_code == 404
        assert "Content-Security-Policy" in answer.headers
        assert not answer.cookies


@pytest.mark.django_db
def test_site_serves_what_is_not_for_respondents(client: Client, version: Version) -> None:
    assert client.get("/healthz", headers={"host": host(SITE)}).status_code == 200
    assert client.get("/panel/sign-in/", headers={"host": host(SITE)}).status_code == 200


@pytest.mark.django_db
def test_without_an_origin_of_their_own_all_is_at_the_site(client: Client) -> None:
    assert client.get("/spent/").status_code == 200
    assert client.get("/healthz").status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("site", "origin", "status"),
    [
        (SITE, SITE, 400),
        (SITE, THEIRS, 400),
        ("https://localhost", THEIRS, 400),
        (THEIRS, SITE, 403),
        (THEIRS, THEIRS, 201),
    ],
)
def test_responses_are_taken_at_the_origin_of_respondents_alone(
    version: Version, site: str, origin: str, status: int
) -> None:
    body = payloads.body(get_design(version.design_id))
    assert send(body, HTTP_HOST=host(site), HTTP_ORIGIN=origin).status == status


@pytest.mark.django_db
def test_links_lead_to_the_origin_of_their_page(version: Version, alice: User) -> None:
    theirs = [links.respondent_link(version), links.coin_link(version), links.record_link()]
    theirs += [one.address for one in (*links.language_links(version), *links.group_links(version))]
    theirs += links.sheet_links(version).values()
    assert len(theirs) >= 5
    assert all(link.startswith(f"{THEIRS}/s") for link in theirs)
    assert links.sign_in_link(alice).startswith(f"{SITE}/panel/")
    assert links.link_to("estimator:report", REPORT).startswith(f"{SITE}/reports/")


@pytest.mark.parametrize(
    ("theirs", "allowed"),
    [("https://answers.example", True), ("https://panel.example:8443", False), ("http://answers.example", False)],
)
def test_origins_must_have_different_hosts_and_one_scheme(theirs: str, allowed: bool) -> None:
    said = {"CANDOR_URL": SITE, "CANDOR_RESPONDENT_URL": theirs}
    if allowed:
        checks.check(said)
        return
    with pytest.raises(ValueError, match="CANDOR_RESPONDENT_URL must begin like CANDOR_URL"):
        checks.check(said)
