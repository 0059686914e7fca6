"""A page in each language of the survey: at an address of its own, the same bytes for everyone."""

import hashlib
import json
import re
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.test import Client
from django.urls import reverse

from collector.designs.selectors import get_design
from collector.errors import ValidationError
from collector.models import WaitingReport
from config.middleware import COIN_POLICY, RESPONDENT_POLICY
from estimator.models import Run
from estimator.runs import services as estimator
from surveys.accounts.teams import home_team
from surveys.definition import definitions
from surveys.lifecycle import links, selectors, services
from surveys.models import Page, Survey, Version
from surveys.opening.services import open_survey
from tests.factories import payloads, translations
from tests.factories.reports import store_report
from tests.tools.designs import stored_page
from tests.tools.gate import few

pytestmark = pytest.mark.django_db

PAGES = {
    "": ("ar", "rtl"),
    "ar/": ("ar", "rtl"),
    "en/": ("en", "ltr"),
    "de/": ("de", "ltr"),
    "es/": ("es", "ltr"),
    "fr/": ("fr", "ltr"),
}
"""Where the pages are of a survey whose own language is Arabic."""


@pytest.fixture
def version(alice: User) -> Version:
    definition = translations.definition("ar", "en", "de", "es", "fr")
    return open_survey(services.write_survey(definition, team=home_team(alice)))


def in_italian_too(value: Any) -> Any:
    if isinstance(value, list):
        return [in_italian_too(part) for part in value]
    if isinstance(value, dict):
        return value | {"it": "testo"} if set(value) == {"en"} else {k: in_italian_too(v) for k, v in value.items()}
    return value


def without(place: str, language: str, *, text: str | None) -> dict[str, Any]:
    """The survey in English and German with one text changed, or missing where there is none."""
    definition = translations.definition("en", "de")
    texts = definition["items"][1]["wording"] if place == "wording" else definition[place]
    del texts[language]
    return definition if text is None else definition | {place: texts | {language: text}}


@pytest.mark.parametrize(
    ("definition", "sentence"),
    [
        (
            in_italian_too(payloads.definition()) | {"languages": ["en", "it"]},
            "languages: respondents' pages are not available in 'it', only in en, de, es, fr, ar",
        ),
        (without("consent", "de", text=" "), "consent.de must not be empty: the text exists in en"),
        (without("introduction", "en", text=""), "introduction.en must not be empty: the text exists in de"),
        (without("title", "de", text=None), r"title must have exactly the keys ['de', 'en']; got ['en']"),
        (without("wording", "de", text=None), r"items[1].wording must have exactly the keys ['de', 'en']; got ['en']"),
    ],
)
def test_definition_incomplete_language_is_refused(alice: User, definition: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(sentence)):
        services.write_survey(definition, team=home_team(alice))


@pytest.mark.parametrize("kind", [Page.Kind.ANSWER, Page.Kind.COIN])
@pytest.mark.parametrize("path", few(PAGES, slice(2)))
def test_language_page_same_bytes_for_everyone(version: Version, path: str, kind: str) -> None:
    language, direction = PAGES[path]
    address = f"/s/campus/{path}" + ("coin/" if kind == Page.Kind.COIN else "")
    hashes = set()
    for number in range(20):
        client = Client(REMOTE_ADDR=f"10.0.0.{number}")
        client.cookies["django_language"] = ("en", "de", "ar")[number % 3]
        response = client.get(address, {"utm": number}, headers={"accept-language": ("fr", "es", "en")[number % 3]})
        assert response.status_code == 200
        assert not response.cookies
        hashes.add(hashlib.sha256(response.content).hexdigest())
    stored = stored_page(version, kind, language)
    assert hashes == {hashlib.sha256(stored).hexdigest()}
    assert re.search(rf'<html lang="{language}" dir="{direction}"', stored.decode())
    assert translations.text("Have you cheated?", language) in stored.decode()


@pytest.mark.parametrize(
    "address",
    few(
        [
            "/s/campus/it/",
            "/s/campus/EN/",
            "/s/campus/en",
            "/s/campus/en/en/",
            "/s/campus/coin/en/",
            "/s/campus/en/reports",
            "/s/campus/en/design.json",
            "/s/campus/it/coin/",
            "/s/campus/it/coin/sent/",
            "/s/nothing/en/",
        ]
    ),
)
def test_unknown_language_answers_404(version: Version, address: str) -> None:
    assert Client().get(address).status_code == 404


def test_coin_path_is_not_a_language(version: Version) -> None:
    assert b"<form" in Client().get("/s/campus/coin/").content
    assert b"<form" not in Client().get("/s/campus/en/").content


@pytest.mark.parametrize("path", few(PAGES))
def test_language_page_headers(version: Version, path: str) -> None:
    for page in (f"/s/campus/{path}", f"/s/campus/{path}coin/sent/"):
        response = Client().get(page)
        assert (response["Content-Security-Policy"], response["Referrer-Policy"]) == (RESPONDENT_POLICY, "no-referrer")
        assert (response["Cache-Control"], response["Integrity-Policy"]) == (
            "no-store",
            "blocked-destinations=(script)",
        )
    coin = Client().get(f"/s/campus/{path}coin/")
    assert (coin["Content-Security-Policy"], coin["Referrer-Policy"]) == (COIN_POLICY, "same-origin")


@pytest.mark.parametrize("kind", [Page.Kind.ANSWER, Page.Kind.COIN])
def test_language_switch_names_each_language_natively(version: Version, kind: str) -> None:
    page = stored_page(version, kind, "de")
    inside = re.findall(r"<nav.*?</nav>", page.decode(), re.S)[0]
    end = "coin/" if kind == Page.Kind.COIN else ""
    assert re.findall(r'<a href="([^"]+)" lang="(\w+)" hreflang="(\w+)" dir="(\w+)">([^<]+)</a>', inside) == [
        (f"/s/campus/{end}", "ar", "ar", "rtl", "العربية"),
        (f"/s/campus/en/{end}", "en", "en", "ltr", "English"),
        (f"/s/campus/es/{end}", "es", "es", "ltr", "Español"),
        (f"/s/campus/fr/{end}", "fr", "fr", "ltr", "Français"),
    ]
    assert '<span aria-current="page">Deutsch</span>' in inside


@pytest.mark.parametrize("path", ["", "coin/"])
def test_single_language_has_no_switch(alice: User, path: str) -> None:
    open_survey(services.write_survey(payloads.definition(), team=home_team(alice)))
    assert b"<nav" not in Client().get(f"/s/campus/{path}").content


@pytest.mark.parametrize("path", few(PAGES))
def test_closed_page_in_each_language(version: Version, path: str) -> None:
    services.close_survey(version.survey)
    for page in (f"/s/campus/{path}", f"/s/campus/{path}coin/"):
        response = Client().get(page)
        assert response.status_code == 200
        assert f'<html data-now="closed" lang="{PAGES[path][0]}" dir="{PAGES[path][1]}"'.encode() in response.content
        assert response.content.count(b"hreflang") == 4
    assert Client().get("/s/campus/it/").status_code == 404


@pytest.mark.parametrize("path", few(PAGES))
def test_coin_form_answer_in_language_of_page(version: Version, path: str) -> None:
    language = PAGES[path][0]
    address = reverse("surveys:coin", args=["campus", language] if language != "ar" else ["campus"])
    page = Client().get(f"/s/campus/{path}coin/").content.decode()
    assert f'action="{address}"' in page
    form = {"design": version.design_id, "stratum": "y1", "item-1": "1", "item-2": "0"}
    origin = {"origin": "http://127.0.0.1:8000", "host": "127.0.0.1:8000", "sec-fetch-site": "same-origin"}

    def post(fields: dict[str, str], more: str = "") -> object:
        return Client().post(address + more, urlencode(fields), "application/x-www-form-urlencoded", headers=origin)

    look = post(form).content.decode()
    assert f'action="{address}send/"' in look
    nonce = re.search(r'name="nonce" value="(\w+)"', look)[1]
    taken = post(form | {"nonce": nonce}, "send/")
    assert (taken.status_code, taken["Location"]) == (303, f"{address}sent/")
    sent = Client().get(taken["Location"]).content.decode()
    refused = post(form | {"item-2": "9"}).content.decode()
    for answer in (look, sent, refused):
        assert re.search(rf'<html data-now="\w+" lang="{language}"', answer)
        assert translations.text("Campus", language) in answer
    assert f'href="{address}"' in refused
    assert WaitingReport.objects.count() == 1


def test_answer_page_links_coin_page_of_its_language(version: Version) -> None:
    assert 'href="/s/campus/fr/coin/"' in stored_page(version, Page.Kind.ANSWER, "fr").decode()


def test_language_pages_send_to_one_address(version: Version) -> None:
    for language in translations.CODES:
        assert 'data-survey="/s/campus/"' in stored_page(version, Page.Kind.ANSWER, language).decode()


def test_language_pages_carry_one_design(version: Version) -> None:
    document = json.loads(version.design.document)
    assert document["languages"] == ["ar", "en", "de", "es", "fr"]
    for page in version.pages.filter(kind=Page.Kind.ANSWER):
        assert f'data-digest="{version.design_id}"'.encode() in bytes(page.content)


def test_panel_shows_digest_of_each_language_page(version: Version, alice: User) -> None:
    digests = selectors.page_digests([version])[version.pk]
    assert list(digests) == ["ar", "en", "de", "es", "fr"]
    assert digests["de"] == hashlib.sha256(Client().get("/s/campus/de/").content).hexdigest()
    client = Client()
    client.force_login(alice)
    shown = client.get("/panel/survey/campus/").content.decode()
    assert all(digest in shown for digest in digests.values())
    assert links.respondent_link(version).endswith(f"/s/campus/#{version.design_id}")


@pytest.fixture
def _up_to_date_again(transactional_db: None) -> Iterator[None]:
    """Whatever becomes of the test, the next one finds every table."""
    yield
    last = MigrationExecutor(connection)
    last.migrate(last.loader.graph.leaf_nodes())


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_up_to_date_again")
def test_migration_moves_single_pages_to_language() -> None:
    """Forwards the bytes are kept under the survey's own language, backwards they come back."""
    executor = MigrationExecutor(connection)
    before, after = [("surveys", "0002_coin_page"), ("collector", "0003_report_mode")], [("surveys", "0003_pages")]
    executor.migrate(before)
    old = executor.loader.project_state(before).apps
    owner = old.get_model("auth", "User").objects.create(username="carol")
    survey = old.get_model("surveys", "Survey").objects.create(slug="campus", owner=owner, state="open")
    design = old.get_model("collector", "FrozenDesign").objects.create(
        digest="0" * 64,
        document='{"languages":["de","en"],"rehearsal":false}',
        opened_on="2026-01-01",
        closed_on="2026-01-02",
    )
    kept = {"survey": survey, "number": 1, "design": design, "page": b"<page>", "coin_page": b""}
    old.get_model("surveys", "Version").objects.create(**kept)
    MigrationExecutor(connection).migrate(after)
    pages = executor.loader.project_state(after).apps.get_model("surveys", "Page").objects.all()
    assert [(page.language, page.kind, bytes(page.content)) for page in pages] == [("de", "answer", b"<page>")]
    MigrationExecutor(connection).migrate(before[:1])
    assert bytes(old.get_model("surveys", "Version").objects.get().page) == b"<page>"
    last = MigrationExecutor(connection)
    last.migrate(last.loader.graph.leaf_nodes())
    member = Survey.objects.get().team.memberships.get()
    assert (member.user.username, member.get_role_display()) == ("carol", "owner")  # who owned it owns its team


def test_multilingual_survey_from_file_to_report(alice: User, tmp_path: Path) -> None:
    """One design and one result; the report is in the survey's own language."""
    file = tmp_path / "survey.yaml"
    file.write_text(definitions.dump(translations.definition("de", "en", "ar")), encoding="utf-8")
    call_command("import_survey", file, stdout=StringIO())
    call_command("open_survey", "campus", stdout=StringIO())
    version = Version.objects.get()
    for number in range(40):
        symbols = bytes([number % 2, number % 3]).hex()
        design = get_design(version.design_id)
        store_report(payloads.body(design, report=symbols))
    call_command("estimate", "campus", stdout=StringIO())
    output = tmp_path / "report.json"
    call_command("export_report", "campus", "--format", "json", "--output", output, stdout=StringIO())
    assert "Haben Sie getäuscht?" in output.read_text(encoding="utf-8")
    run = Run.objects.get()
    estimator.publish(run)
    page = Client().get(reverse("estimator:report", args=[run.key])).content.decode()
    assert "Haben Sie getäuscht?" in page
    assert "Have you cheated?" not in page
