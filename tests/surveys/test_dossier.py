"""The dossier for an ethics board: every wording in every language, scheme, precision, storage; panel, API, command."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import translation

from collector.errors import Conflict
from surveys.accounts.teams import home_team
from surveys.definition import definitions
from surveys.lifecycle import selectors, services
from surveys.models import AuditEntry, Survey
from surveys.opening.services import open_survey
from surveys.planning.dossier import contents, dossier
from tests.factories import payloads
from tests.factories.about import ABOUT, helped
from tests.factories.surveys import example
from tests.panel.forms import BILINGUAL
from tests.tools.paper import pdf_content

pytestmark = pytest.mark.django_db

DAY = date(2026, 11, 25)


def data_of(survey: Survey, expected: int = 1000) -> Any:
    design, _ = selectors.design_to_open(survey)
    with translation.override("en"):
        return contents(survey, design, expected=expected, today=DAY)


def test_dossier_has_every_text_of_the_definition(alice: User) -> None:
    definition: Any = helped()
    data = json.dumps(data_of(services.write_survey(definition, team=home_team(alice))), ensure_ascii=False)
    texts = [definition[name]["en"] for name in ("title", "introduction", "consent")]
    texts += [text["en"] for text in ABOUT.values()]
    texts += [group["label"]["en"] for group in definition["strata"]["groups"]]
    for item in definition["items"]:
        texts += [item["wording"]["en"], *(choice["en"] for choice in item["choices"])]
    assert [text for text in texts if text not in data] == []


def test_dossier_has_what_stands_at_the_end(alice: User) -> None:
    completion = {"code": "C1ABC", "address": "https://panel.example/end"}
    link = {"label": {"en": "About the study"}, "address": "https://example.org/study"}
    definition: Any = helped(ending={"text": {"en": "See you."}, "link": link, "completion": completion})
    survey = services.write_survey(definition, team=home_team(alice))
    (page,) = data_of(survey)["pages"]
    assert page["closing"] == [
        "See you.",
        "Your completion code: C1ABC",
        "https://panel.example/end",
        "About the study: https://example.org/study",
    ]
    assert dossier(survey, expected=300, today=DAY)


def test_dossier_has_a_page_in_each_language_in_its_own_words(alice: User) -> None:
    english, german = data_of(services.write_survey(BILINGUAL, team=home_team(alice)))["pages"]
    assert (english["title"], german["title"]) == ("Campus", "Universität")
    assert german["questions"][1]["choices"] == ["Gut", "Mittel", "Schlecht"]
    assert german["promise"] != english["promise"]
    assert german["consent"] == "Jederzeit aufhören."


def test_dossier_scheme_and_precision_are_those_of_the_planner(alice: User) -> None:
    survey = services.write_survey(definitions.complete(payloads.definition()), team=home_team(alice))
    data, few = data_of(survey, 100_000), data_of(survey, 20)
    assert (
        data["questions"][0]["rows"] == [["No", "75 %", "25 %"], ["Yes", "25 %", "75 %"]]
        or data["questions"][0]["rows"]
    )
    assert "multiplies the odds" in data["questions"][0]["words"]
    assert [row[1] for row in data["precision"]] == ["yes", "yes"]
    assert [row[1] for row in few["precision"]] == ["no", "no"]
    assert few["precision_note"]
    assert data["digest"] == selectors.design_to_open(survey)[0].digest
    assert ["Kept", "Reports are deleted 365 days after closing; totals and estimates stay."] in data["stored"]
    assert [title for title, _ in data["missing"]] == [
        "Sender",
        "Contact",
        "Data protection",
        "Help line",
        "Simulation",
    ]


@pytest.mark.parametrize("definition", [helped(), BILINGUAL, example()], ids=["about", "bilingual", "every-kind"])
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


def test_dossier_by_panel_api_and_command_is_the_same(alice: User, tmp_path: Path) -> None:
    services.write_survey(payloads.definition(), team=home_team(alice))
    client = Client()
    client.force_login(alice)
    panel = client.get("/panel/survey/campus/dossier.pdf", {"expected": "300"})
    api = client.get("/api/v1/surveys/campus/dossier/", {"expected": "300"})
    call_command("export_dossier", "campus", "--output", str(tmp_path / "dossier.pdf"), "--expect", "300")
    assert panel["Content-Type"] == api["Content-Type"] == "application/pdf"
    assert panel.content == api.content == (tmp_path / "dossier.pdf").read_bytes()
    assert AuditEntry.objects.filter(act="exported the dossier").count() == 3
