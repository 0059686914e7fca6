"""The papers on data protection and the package for an ethics board: filled, and resting on tests."""

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
from surveys.planning.privacy_notice import privacy_notices
from tests.factories import background, payloads, translations
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
    papers = {"dossier.pdf", "impact-assessment.pdf", "record-of-processing.pdf", "privacy-notice.en.md"}
    assert set(files) == papers | {"questionnaire.yaml", "design.json", "README.txt"}
    design, _ = selectors.design_to_open(survey)
    digest = sha256(files["design.json"]).hexdigest()
    assert digest == design.digest
    assert digest in files["README.txt"].decode()
    assert definitions.load(files["questionnaire.yaml"].decode())["title"] == {"en": "Campus"}
    for paper in ("impact-assessment.pdf", "record-of-processing.pdf"):
        assert "UniversityofCandor" in pdf_text(files[paper])
    assert made == board_package(survey, expected=1000, today=DAY, by=alice)
    assert AuditEntry.objects.filter(act="exported the package for an ethics board").count() == 2


@pytest.mark.parametrize(("language", "kind"), [("en", "respondents; "), ("de", "Befragte; ")])
def test_record_of_processing_has_what_article_30_asks_for(survey: Survey, language: str, kind: str) -> None:
    design, _ = selectors.design_to_open(survey)
    with translation.override(language):
        data: Any = assessment.record_contents(survey, design, today=DAY, language=language)
    ((_title, rows),) = data["sections"]
    assert any(text.startswith(kind) for _name, text in rows)
    names = {name for name, _text in rows}
    if language == "en":
        asked = {"Controller", "Data protection officer", "Purpose", "Categories of people", "Categories of data"}
        assert asked | {"Recipients", "Transfers to third countries", "Kept"} <= names
    assert len(data["measures"]) == len(assessment.MEASURES)


def notices(alice: User, *languages: str, **changes: Any) -> dict[str, str]:
    made = write_survey(translations.definition(*languages, **changes), team=home_team(alice))
    return privacy_notices(made, selectors.design_to_open(made)[0])


def test_privacy_notice_is_in_each_language_of_the_survey(alice: User) -> None:
    found = notices(alice, "de", "en", "es", "fr", "ar")
    assert list(found) == ["de", "en", "es", "fr", "ar"]
    titles = {text.splitlines()[0].partition(":")[0] for text in found.values()}
    assert len(titles) == 5
    english = [line for line in found["en"].splitlines() if len(line) > 25]
    for language in ("de", "es", "fr", "ar"):
        assert not [line for line in english if line in found[language]]


def test_privacy_notice_says_what_is_sent_and_kept(alice: User) -> None:
    about = {"institution": "University of Candor", "data_protection": "The office of data protection"}
    made = write_survey(background.definition(background.AGE, about=about), team=home_team(alice))
    text = privacy_notices(made, selectors.design_to_open(made)[0])["en"]
    assert "## Who is responsible\n\nUniversity of Candor\n" in text
    assert "Sent openly, not randomised: How old are you?" in text
    assert "Responses are deleted 365 days after closing" in text
    assert "## Legal basis\n\n[consent" in text  # what only the institution knows is left to write
    assert "keeps a number" not in text


@pytest.mark.parametrize(
    ("invitations", "words"),
    [
        (None, "Everybody with the link, any number of times."),
        ("secret", "A hash of its code is stored until it is used"),
        ("blind", "The server has signed it without seeing it"),
    ],
)
def test_privacy_notice_says_who_can_take_part(alice: User, invitations: str | None, words: str) -> None:
    changes = {} if invitations is None else {"invitations": invitations}
    assert words in notices(alice, "en", **changes)["en"]


def test_privacy_notice_names_what_a_device_keeps(alice: User) -> None:
    assert "your device keeps a number" in notices(alice, "en", repeats="remember")["en"]


def test_draft_that_cannot_be_opened_has_no_package(alice: User) -> None:
    empty = write_survey(payloads.definition(items=[]), team=home_team(alice), unfinished=True)
    with pytest.raises(Conflict, match="The dossier describes what opening would freeze"):
        board_package(empty, expected=1000, today=DAY)
