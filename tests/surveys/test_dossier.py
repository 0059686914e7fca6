"""The dossier for an ethics board: every wording in every language, scheme, precision, storage; panel, API, command."""

import json
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from collector.errors import Conflict
from estimator.base.languages import activated
from surveys.accounts.teams import home_team
from surveys.definition import definitions
from surveys.lifecycle import selectors, services
from surveys.models import AuditEntry, Survey
from surveys.opening.services import open_survey
from surveys.planning.dossier import LANGUAGES, contents, dossier
from surveys.planning.draft_prices import price_of
from tests.factories import payloads, translations
from tests.factories.about import ABOUT, helped
from tests.factories.surveys import example
from tests.panel.forms import BILINGUAL
from tests.tools.gate import few
from tests.tools.paper import pdf_content, pdf_text, texts, words_of

pytestmark = pytest.mark.django_db

DAY = date(2026, 11, 25)

NO_WORDS = ("digest", "language", "survey_language")
NEUTRAL = re.compile(r"SHA-256|\bIP\b|/s/campus/|%\(\w+\)s")
"""The same in every language."""


def data_of(survey: Survey, expected: int = 1000, language: str = "en") -> Any:
    design, _ = selectors.design_to_open(survey)
    with activated(language, LANGUAGES):
        return contents(survey, design, expected=expected, today=DAY, language=language)


def test_dossier_has_every_text_of_the_definition(alice: User) -> None:
    definition: Any = helped()
    data = json.dumps(data_of(services.write_survey(definition, team=home_team(alice))), ensure_ascii=False)
    texts = [definition[name]["en"] for name in ("title", "introduction", "consent")]
    texts += [text["en"] for text in ABOUT.values()]
    texts += [group["label"]["en"] for group in definition["strata"]["groups"]]
    for item in definition["items"]:
        texts += [item["wording"]["en"], *(choice["en"] for choice in item["choices"])]
    assert [text for text in texts if text not in data] == []


def test_dossier_scheme_and_precision_are_those_of_the_planner(alice: User) -> None:
    survey = services.write_survey(definitions.complete(payloads.definition()), team=home_team(alice))
    data, few = data_of(survey, 100_000), data_of(survey, 20)
    assert data["questions"][0]["rows"] == [["No", "3", "1"], ["Yes", "1", "3"]]
    assert "changes the odds" in data["questions"][0]["words"]
    assert [row[1] for row in data["precision"]] == ["usable", "usable"]
    assert [row[1] for row in few["precision"]] == ["too imprecise to report"] * 2
    assert few["precision_note"]
    assert data["digest"] == selectors.design_to_open(survey)[0].digest
    assert ["Kept", "Responses are deleted 365 days after closing; totals and estimates are kept."] in data["stored"]
    assert [title for title, _ in data["missing"]] == [
        "Sender",
        "Contact",
        "Data protection",
        "Help line",
        "Simulation",
    ]


@pytest.mark.parametrize("definition", few([helped(), BILINGUAL, example()]), ids=["about", "bilingual", "every-kind"])
def test_dossier_is_a_tagged_pdf_of_the_same_bytes(alice: User, definition: Any) -> None:
    survey = services.write_survey(definition, team=home_team(alice))
    first, second = (dossier(survey, expected=1000, today=DAY) for _ in range(2))
    assert first == second
    assert first.startswith(b"%PDF-")
    assert b"pdfuaid:part" in pdf_content(first)


def test_dossier_of_an_open_survey_is_of_its_frozen_design(alice: User) -> None:
    survey = services.write_survey(payloads.definition(), team=home_team(alice))
    version = open_survey(survey)
    survey.refresh_from_db()
    assert dossier(survey, expected=1000, today=DAY)
    assert AuditEntry.objects.get(act="exported the dossier").detail == f"design {version.design_id}"


def test_dossier_of_an_unfinished_draft_says_what_is_missing(alice: User, tmp_path: Path) -> None:
    services.write_survey(payloads.definition(items=[]), team=home_team(alice), unfinished=True)
    with pytest.raises(Conflict):
        dossier(Survey.objects.get(), expected=1000, today=DAY)
    with pytest.raises(CommandError):
        call_command("export_dossier", "campus", "--output", str(tmp_path / "dossier.pdf"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("language", few(["", "de"]))
def test_dossier_by_panel_api_and_command_is_the_same(alice: User, tmp_path: Path, language: str) -> None:
    services.write_survey(payloads.definition(), team=home_team(alice))
    client = Client()
    client.force_login(alice)
    asked = {"expected": "300"} | ({"language": language} if language else {})
    panel = client.get("/panel/survey/campus/dossier.pdf", asked)
    api = client.get("/api/v1/surveys/campus/dossier/", asked)
    spoken = ["--language", language] if language else []
    call_command("export_dossier", "campus", "--output", str(tmp_path / "dossier.pdf"), "--expect", "300", *spoken)
    assert panel["Content-Type"] == api["Content-Type"] == "application/pdf"
    assert panel.content == api.content == (tmp_path / "dossier.pdf").read_bytes()
    assert ("Umfrage" in pdf_text(panel.content)) == (language == "de")
    assert AuditEntry.objects.filter(act="exported the dossier").count() == 3


def test_dossier_api_refuses_a_language_by_name(alice: User) -> None:
    services.write_survey(payloads.definition(), team=home_team(alice))
    client = Client()
    client.force_login(alice)
    refused = client.get("/api/v1/surveys/campus/dossier/", {"language": "tlh"})
    assert refused.status_code == 400
    assert refused.json()["errors"][0]["field"] == "language"


def test_dossier_comes_in_the_main_language_of_the_survey(alice: User) -> None:
    survey = services.write_survey(translations.definition("fr", "de"), team=home_team(alice))
    usual, german, unknown = (dossier(survey, expected=300, today=DAY, language=code) for code in ("", "de", "tlh"))
    assert "Dossierd’uneenquête" in pdf_text(usual)
    assert "DossiereinerUmfrage" in pdf_text(german)
    assert unknown == usual


def test_dossier_in_arabic_has_no_english_word(alice: User) -> None:
    survey = services.write_survey(translations.definition("ar"), team=home_team(alice))
    data = data_of(survey, language="ar")
    (page,) = data.pop("pages")
    words = [screen["caption"] for screen in page["screens"]] + list(words_of(page))
    words += [text for name, part in data.items() if name not in NO_WORDS for text in texts(part)]
    assert len(words) > 200
    assert [text for text in words if re.search("[A-Za-z]{2}", NEUTRAL.sub("", text))] == []


def test_dossier_in_german_leaves_the_panels_numbers_english(alice: User) -> None:
    """Prices of questions are kept between requests, whatever language asked for them first."""
    survey = services.write_survey(payloads.definition(), team=home_team(alice))
    expected = 987
    german = data_of(survey, expected, language="de")["precision"][0][0]
    price = price_of(selectors.definition_of(survey)["items"], expected).questions["cheated"]
    assert re.fullmatch(r"± \d+,\d Prozentpunkte", german)
    assert re.fullmatch(r"\d+\.\d points", price.width)
    assert re.fullmatch(r"\d\.\d\d", price.epsilon_text)


def test_opening_page_leads_to_the_dossier_in_each_language(alice: User) -> None:
    services.write_survey(payloads.definition(), team=home_team(alice))
    client = Client()
    client.force_login(alice)
    page = client.get("/panel/survey/campus/open/", {"expected": "300"}).content.decode()
    led = re.findall(r'/panel/survey/campus/dossier\.pdf\?expected=300(?:&amp;language=(\w\w))?"', page)
    assert led == ["", *LANGUAGES]
