"""Consent statements and the screening question, from the file to the pages; the browser's part is in tests/browser."""

import copy
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from collector.designs import Design
from collector.errors import ValidationError
from surveys.accounts.teams import home_team
from surveys.definition.definitions import complete, design_of, dump, load, take_checked
from surveys.definition.text_warnings import text_warnings
from surveys.lifecycle import selectors, services
from surveys.models import Survey
from surveys.panel.editor.presentable import presentable
from surveys.panel.editor.problems import problems_of
from surveys.panel.forms.missing import missing_texts
from surveys.rendering.own_coin.page import render_page as render_coin_page
from surveys.rendering.own_coin.sheet import render_sheet
from surveys.rendering.pages import render_page
from tests.factories import payloads
from tests.panel.forms import BILINGUAL, change, form_of, save
from tests.tools.paper import sheet_data

STATEMENTS = [{"en": "I am at least 18."}, {"en": "I have read this."}]
SCREENING = {
    "wording": {"en": "Do you study here?"},
    "choices": [{"en": "Yes"}, {"en": "No"}],
    "ends": [1],
    "text": {"en": "This survey is for students.\nThank you."},
}
ENTRY: dict[str, Any] = {"consent_statements": STATEMENTS, "screening": SCREENING}


def screening(**changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(SCREENING), **changes}


@pytest.fixture
def survey(alice: User, client: Client) -> Survey:
    client.force_login(alice)
    return services.write_survey(payloads.definition(**ENTRY), team=home_team(alice), by=alice)


def test_yaml_of_one_language_is_plain_and_loads_again() -> None:
    definition = load(
        """
slug: s
title: T
consent_statements: [I am at least 18., I have read this.]
screening:
  wording: Do you study here?
  choices: ["Yes", "No"]
  ends: [1]
  text: "This survey is for students.\\nThank you."
items: [{key: a, wording: "A?"}]
"""
    )
    assert {name: definition[name] for name in ENTRY} == ENTRY  # type: ignore[literal-required]
    assert load(dump(definition)) == definition


def test_design_holds_entry_and_reads_it_back() -> None:
    design = design_of(complete(payloads.definition(**ENTRY)), version=1)
    assert design.document["consent_statements"] == STATEMENTS
    assert design.document["screening"] == SCREENING
    assert design.consent_statements == tuple(STATEMENTS)
    assert design.screening is not None
    assert design.screening.ends == (1,)


def test_design_without_entry_has_no_key_of_it() -> None:
    """So that the designs and digests of before stay what they were."""
    design = design_of(complete(payloads.definition(consent_statements=[], screening={})), version=1)
    assert not {"consent_statements", "screening"} & set(design.document)
    assert (design.consent_statements, design.screening) == ((), None)


@pytest.mark.parametrize(
    ("entry", "place"),
    [
        ({"consent_statements": [{"en": ""}]}, "consent_statements[0].en must not be empty"),
        ({"consent_statements": [{"en": "I agree."}] * 21}, "must be 1 to 20 texts; got 21"),
        (
            {"screening": screening(choices=[{"en": "Yes"}])},
            "screening.choices must be a list of 2 to 20 texts; got 1",
        ),
        ({"screening": screening(choices=[{"en": "Yes"}] * 21)}, "must be a list of 2 to 20 texts; got 21"),
        ({"screening": screening(ends=[])}, "screening.ends must be some, but not all, of 0 to 1, in order; got []"),
        ({"screening": screening(ends=[0, 1])}, "must be some, but not all, of 0 to 1, in order; got [0, 1]"),
        ({"screening": screening(ends=[2])}, "screening.ends must be an integer from 0 to 1; got 2"),
        ({"screening": screening(text={"en": " "})}, "screening.text.en must not be empty"),
        ({"screening": screening(goto=3)}, "screening.goto is not possible"),
        ({"disqualify": "Yes"}, "define it as screening"),
    ],
)
def test_definition_with_bad_entry_names_place_and_bound(entry: dict[str, Any], place: str) -> None:
    with pytest.raises(ValidationError) as caught:
        take_checked(payloads.definition(**entry))
    assert place in str(caught.value)


def test_entry_texts_are_read_for_doubtful_words() -> None:
    document = payloads.document(consent_statements=[{"en": "I know that this is 100% anonymous."}])
    assert [warning.place for warning in text_warnings(Design.of(document))] == ["consent_statements[0]"]


def test_page_has_entry_only_where_the_design_has_it() -> None:
    plain, full = (render_page(Design.of(payloads.document(**entry))).decode() for entry in ({}, ENTRY))
    assert "entry." not in plain
    assert 'data-stage="consent' not in plain.replace('data-stage="consent declined', "").replace(
        'data-stage="consent screening', ""
    )
    for words in ("I am at least 18.", "Do you study here?", "This survey is for students.\nThank you."):
        assert words in full
    for tag in re.findall(r"<input[^>]*>", full):
        assert " name=" not in tag


def test_coin_page_demands_ticks_that_are_never_sent() -> None:
    page = render_coin_page(Design.of(payloads.document(**ENTRY)), "en").decode()
    boxes = re.findall(r'<input type="checkbox"[^>]*>', page)
    assert boxes == ['<input type="checkbox" required autocomplete="off">'] * len(STATEMENTS)
    assert "Go on only if your answer is one of these:" in page


def test_coin_sheet_has_statements_and_screening() -> None:
    document = payloads.document(**ENTRY)
    data = sheet_data(document)
    assert data["statements"]["texts"] == [statement["en"] for statement in STATEMENTS]
    assert (data["screening"]["leading"], data["screening"]["ending"]) == (["Yes"], ["No"])
    assert render_sheet(Design.of(document), "en").startswith(b"%PDF-")


@pytest.mark.django_db
def test_survey_and_form_keep_entry(survey: Survey, client: Client) -> None:
    assert {name: selectors.definition_of(survey)[name] for name in ENTRY} == ENTRY  # type: ignore[literal-required]
    fields = form_of(client, change(survey))
    assert fields["consent_statements"] == "I am at least 18.\nI have read this."
    assert (fields["screening_choices"], fields["screening_ends"]) == ("Yes\nNo", "No")
    save(client, change(survey), fields)
    assert {name: selectors.definition_of(survey)[name] for name in ENTRY} == ENTRY  # type: ignore[literal-required]


@pytest.mark.long
@pytest.mark.django_db
def test_form_changes_and_removes_entry(survey: Survey, client: Client) -> None:
    fields = form_of(client, change(survey)) | {
        "consent_statements": "",
        "screening_choices": "No\nPerhaps\nYes",
        "screening_ends": "No\nPerhaps",
    }
    save(client, change(survey), fields)
    survey.refresh_from_db()
    assert survey.consent_statements == []
    assert survey.screening["ends"] == [0, 1]
    save(client, change(survey), fields | {"screening_ends": "Never"})
    survey.refresh_from_db()
    assert survey.screening["ends"] == [0, 1], "an answer that is not there is refused, and nothing is saved"
    empty = dict.fromkeys(("screening_wording", "screening_choices", "screening_ends", "screening_text"), "")
    save(client, change(survey), form_of(client, change(survey)) | empty)
    survey.refresh_from_db()
    assert survey.screening == {}


@pytest.mark.django_db
def test_form_takes_statements_in_two_languages(alice: User, client: Client) -> None:
    client.force_login(alice)
    survey = services.write_survey(copy.deepcopy(BILINGUAL), team=home_team(alice), by=alice)
    fields = form_of(client, change(survey)) | {
        "consent_statements": "I am 18.\nI agree.",
        "consent_statements_de": "Ich bin 18.\nIch stimme zu.",
    }
    save(client, change(survey), fields)
    survey.refresh_from_db()
    assert survey.consent_statements == [
        {"en": "I am 18.", "de": "Ich bin 18."},
        {"en": "I agree.", "de": "Ich stimme zu."},
    ]


@pytest.mark.django_db
def test_unfinished_entry_is_kept_previewed_and_named(alice: User) -> None:
    unfinished = {"screening": screening(choices=[{"en": "Yes"}], ends=[]), "consent_statements": [{"en": ""}]}
    definition = complete(payloads.definition(**unfinished))
    survey = services.write_survey(definition, team=home_team(alice), by=alice, unfinished=True)
    design = presentable(definition)
    assert design.screening is not None
    assert design.screening.ends == (1,)
    paths = {problem.path for problem in problems_of(survey, definition)}
    assert {("screening", "choices"), ("consent_statements", 0, "en")} <= paths
    sentences = missing_texts(definition, "x")
    assert "Screening, choices: At least 2 are needed; there is 1." in sentences
