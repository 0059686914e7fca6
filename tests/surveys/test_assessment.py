"""The data-protection impact assessment and the package for an ethics board: filled, and resting on tests."""

import io
import zipfile
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import translation

from collector.errors import Conflict
from config.variables.registry import VARIABLES
from surveys.accounts.teams import home_team
from surveys.definition import definitions
from surveys.lifecycle import selectors
from surveys.lifecycle.services import write_survey
from surveys.models import AuditEntry, Survey
from surveys.planning import assessment
from surveys.planning.board_package import board_package
from tests.factories import background, payloads
from tests.tools.paper import pdf_text

ROOT = Path(__file__).parents[2]
DAY = date(2026, 11, 28)
pytestmark = pytest.mark.django_db


@pytest.fixture
def survey(alice: User) -> Survey:
    about = {"institution": "University of Candor", "data_protection": "The office of data protection"}
    return write_survey(background.definition(background.AGE, about=about), team=home_team(alice))


def contents(survey: Survey, language: str = "en") -> Any:
    design, _ = selectors.design_to_open(survey)
    with translation.override(language):
        return assessment.contents(survey, design, today=DAY, language=language)


@pytest.mark.parametrize("measure", assessment.MEASURES, ids=lambda one: one.rests_on[0])
def test_measure_rests_on_tests_and_settings_that_are_there(measure: assessment.Measure) -> None:
    assert measure.rests_on
    for name in measure.rests_on:
        if name.startswith("tests/"):
            assert "def test_" in (ROOT / name).read_text(encoding="utf-8")
        else:
            assert name in VARIABLES


def test_assessment_is_filled_from_the_survey(survey: Survey) -> None:
    processing = dict(contents(survey)["sections"][0][1])
    assert processing["Controller"] == "University of Candor"
    assert processing["Asked with a ticket"] == "Have you cheated?; How do you feel?"
    assert processing["Sent openly"] == "How old are you?"
    assert processing["Files"] == "exported files 7 days, with a row for each response 1"
    necessity = dict(contents(survey)["sections"][1][1])
    assert necessity["Privacy loss"].startswith("epsilon 2.49 for all questions")


def test_what_only_people_know_is_left_to_write(alice: User) -> None:
    bare = write_survey(payloads.definition(introduction={"en": ""}), team=home_team(alice))
    processing = dict(contents(bare)["sections"][0][1])
    assert processing["Controller"] == processing["Purpose"] == "[to be written]"


def test_assessment_speaks_german(survey: Survey) -> None:
    data = contents(survey, "de")
    assert data["kind"] == "Datenschutz-Folgenabschätzung"
    english = {text for row in contents(survey)["measures"] for text in row[:2]}
    assert not english & {text for row in data["measures"] for text in row[:2]}


def test_package_has_all_files_and_is_the_same_each_time(survey: Survey, alice: User) -> None:
    made = board_package(survey, expected=1000, today=DAY, by=alice)
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    assert set(files) == {"dossier.pdf", "impact-assessment.pdf", "questionnaire.yaml", "design.json", "README.txt"}
    design, _ = selectors.design_to_open(survey)
    digest = sha256(files["design.json"]).hexdigest()
    assert digest == design.digest
    assert digest in files["README.txt"].decode()
    assert definitions.load(files["questionnaire.yaml"].decode())["title"] == {"en": "Campus"}
    assert "UniversityofCandor" in pdf_text(files["impact-assessment.pdf"])
    assert made == board_package(survey, expected=1000, today=DAY, by=alice)
    assert AuditEntry.objects.filter(act="exported the package for an ethics board").count() == 2


def test_draft_that_cannot_be_opened_has_no_package(alice: User) -> None:
    empty = write_survey(payloads.definition(items=[]), team=home_team(alice), unfinished=True)
    with pytest.raises(Conflict, match="The dossier describes what opening would freeze"):
        board_package(empty, expected=1000, today=DAY)
