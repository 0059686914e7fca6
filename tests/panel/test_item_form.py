"""Every kind of question in the panel's form: written, changed, refused in words beside the field, never lost."""

import re
from collections.abc import Sequence
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from surveys.accounts.teams import home_team
from surveys.definition.definitions import Definition, load
from surveys.lifecycle import selectors
from surveys.lifecycle.services import write_survey
from surveys.models import Survey
from surveys.panel.forms.classes import BY, USED
from tests.factories.surveys import example
from tests.panel.forms import (
    BILINGUAL,
    DRINKS,
    HABITS,
    HOURS,
    MOOD,
    OFTEN,
    PLACE,
    SMOKES,
    SUBSTANCE,
    WORRY,
    change,
    errors_of,
    form_of,
    save,
)
from tests.tools.gate import few

pytestmark = pytest.mark.django_db


@pytest.fixture
def kinds(alice: User) -> Survey:
    return write_survey(example(), team=home_team(alice))


def saved() -> Definition:
    return selectors.definition_of(Survey.objects.get())


def item(place: int, **fields: Any) -> dict[str, Any]:
    return {f"items-{place}-{name}": value for name, value in fields.items()}


def send(client: Client, survey: Survey, *changes: dict[str, Any], without: tuple[str, ...] = ()) -> Any:
    """Save the form as a browser would after these changes; the answer's page."""
    fields = form_of(client, change(survey))
    for said in changes:
        fields |= said
    sent = {name: value for name, value in fields.items() if value is not None and name not in without}
    return client.post(change(survey), sent, follow=True)


def unfolded(client: Client, survey: Survey) -> Any:
    """The forms of all questions as the page shows them."""
    page = client.get(change(survey), {"open": [question.pk for question in survey.items.all()]})
    return page.context["inline_admin_formsets"][-1].formset.forms


def test_item_form_saved_unchanged_keeps_definition(kinds: Survey, her: Client) -> None:
    assert "is saved." in save(her, change(kinds), form_of(her, change(kinds)))
    assert saved() == example()


WRITTEN = (
    "kind: scale, choices: [Low, Middle, High], channel: {name: discrete_laplace, epsilon: 0.5}",
    "kind: number, minimum: -1, maximum: 1, step: 0.25, channel: {name: one_bit, truth: 1/2}",
    "kind: several_choices, choices: [A, B, C], most: 2, shuffle: true, keep_last: true, required: false, "
    "channel: {name: warner, truth: 2/3}",
    "kind: one_choice, choices: [A, B, C], prefer_not: true, channel: {name: subset, epsilon: 1}",
    "kind: one_choice, choices: [A, B, C], channel: {name: unary, on: 1/2, off: 1/3}",
    "prefer_not: true, channel: {name: custom, weights: [[4, 1, 1], [1, 4, 1], [1, 1, 4]]}",
    "channel: {name: crosswise, prevalence: 1/4}",
    "channel: {name: triangular, truth: 3/4, prevalence: 1/6}",
    "kind: one_choice, choices: [A, B, C], dropdown: true, channel: {name: k_ary, truth: 1/2}",
    "kind: scale, heading: How good?, choices: [A, B, C], channel: {name: k_ary, truth: 1/2}",
)


def survey_of(questions: Sequence[str]) -> Definition:
    items = (f"  - {{key: q{number}, wording: Question, {said}}}\n" for number, said in enumerate(questions))
    return load("slug: s\ntitle: T\nitems:\n" + "".join(items))


def test_item_form_writes_each_kind(alice: User, her: Client) -> None:
    """Ten yes/no questions become each kind, two with a harmless second question, a dropdown and a row of a grid."""
    survey = write_survey(survey_of(["channel: {name: warner, truth: 1/3}"] * 10), team=home_team(alice))
    choices = "A\nB\nC"
    fields = (
        item(0, kind="scale", choices="Low\nMiddle\nHigh", mechanism="discrete_laplace", epsilon="0.5", truth=""),
        item(1, kind="number", choices="", minimum="-1", maximum="1", step="0.25", mechanism="one_bit", truth="1/2"),
        item(
            2,
            kind="several_choices",
            choices=choices,
            most="2",
            shuffle="on",
            keep_last="on",
            may_be_blank="on",
            truth="2/3",
        ),
        item(3, kind="one_choice", choices=choices, prefer_not="on", mechanism="subset", epsilon="1", truth=""),
        item(4, kind="one_choice", choices=choices, mechanism="unary", on="1/2", off="1/3"),
        item(5, choices="", prefer_not="on", mechanism="custom", weights="4 1 1\n1 4 1\n1 1 4"),
        item(6, choices="", mechanism="crosswise", prevalence="1/4", truth=""),
        item(7, choices="", mechanism="triangular", prevalence="1/6", truth="3/4"),
        item(8, kind="one_choice", choices=choices, dropdown="on", mechanism="k_ary", truth="1/2"),
        item(9, kind="scale", choices=choices, heading="How good?", mechanism="k_ary", truth="1/2"),
    )
    send(her, survey, *fields)
    assert saved() == survey_of(WRITTEN)


def test_item_form_changed_kind_drops_unused_fields(kinds: Survey, her: Client) -> None:
    """The script takes away the fields of a number, so that they are not sent; nothing of them stays."""
    away = tuple(f"items-{DRINKS}-{name}" for name in ("minimum", "maximum", "step"))
    chosen = item(MOOD, kind="number", minimum="0", maximum="2", step="1", mechanism="one_bit")
    away = (*away, f"items-{MOOD}-choices", f"items-{MOOD}-heading")
    send(her, kinds, item(DRINKS, kind="yes_no", mechanism="warner"), chosen, without=away)
    found = saved()["items"][DRINKS]
    assert saved()["items"][MOOD]["choices"] == []
    assert "heading" not in saved()["items"][MOOD]
    assert found["channel"] == {"name": "warner", "truth": "1/3"}
    assert not {"minimum", "maximum", "step"} & set(found)


@pytest.mark.parametrize(
    ("fields", "choices"),
    few([
        ({"classes_by": "date", "classes_at": "2024-07\n2025-01"},
         [{"en": "Before July 2024", "de": "Vor Juli 2024"},
          {"en": "July – December 2024", "de": "Juli – Dezember 2024"},
          {"en": "January 2025 or later", "de": "Januar 2025 oder später"}]),
        ({"classes_by": "year", "classes_from": "2024", "classes_to": "2024", "classes_earlier": "on",
          "classes_later": "on"},
         [{"en": "Before 2024", "de": "Vor 2024"}, {"en": "2024", "de": "2024"},
          {"en": "2025 or later", "de": "2025 oder später"}]),
        ({"classes_by": "time", "classes_hours": "8", "classes_from": "06:00", "classes_to": "2024"},
         [{"en": span, "de": span} for span in ("06:00 – 13:59", "14:00 – 21:59", "22:00 – 05:59")]),
    ]),
)  # fmt: skip
def test_item_form_makes_choices_of_dates_and_times(
    alice: User, her: Client, fields: dict[str, str], choices: list[dict[str, str]]
) -> None:
    survey = write_survey(BILINGUAL, team=home_team(alice))
    send(her, survey, item(1, **fields))
    assert saved()["items"][1]["choices"] == choices
    (_, mood) = unfolded(her, survey)[:2]
    shown = {name: mood[name].value() for name in mood.fields if name.startswith("classes_") and mood[name].value()}
    used = (BY, *USED[fields[BY]])
    assert shown == {name: True if value == "on" else value for name, value in fields.items() if name in used}
    send(her, survey, {"title": "Another title"})
    assert saved()["items"][1]["choices"] == choices


@pytest.mark.long
def test_item_form_with_classes_takes_choices_that_are_written(alice: User, her: Client) -> None:
    survey = write_survey(BILINGUAL, team=home_team(alice))
    send(her, survey, item(1, classes_by="year", classes_from="2023", classes_to="2025"))
    send(her, survey, item(1, choices="2023\n2024\nThis year"))
    assert [choice["en"] for choice in saved()["items"][1]["choices"]] == ["2023", "2024", "This year"]
    assert not unfolded(her, survey)[1]["classes_by"].value()


def test_item_form_carries_the_classes_that_it_showed(alice: User, her: Client) -> None:
    survey = write_survey(BILINGUAL, team=home_team(alice))
    send(her, survey, item(1, classes_by="year", classes_from="2023", classes_to="2025"))
    page = her.get(change(survey), {"open": [question.pk for question in survey.items.all()]}).content.decode()
    shown = dict(re.findall(r'<input type="hidden" name="initial-items-1-classes_(\w+)" value="([^"]*)"', page))
    assert {name: value for name, value in shown.items() if value != "False"} == {
        "by": "year",
        "from": "2023",
        "to": "2025",
    }


def test_item_form_sent_late_keeps_classes_of_others(alice: User, her: Client) -> None:
    survey = write_survey(BILINGUAL, team=home_team(alice))
    send(her, survey, item(1, classes_by="year", classes_from="2023", classes_to="2025"))
    mine = form_of(her, change(survey))
    send(her, survey, item(1, classes_from="2022", classes_to="2024"))
    save(her, change(survey), mine | item(1, wording="When was it?"))
    found = saved()["items"][1]
    assert found["wording"]["en"] == "When was it?"
    assert [choice["en"] for choice in found["choices"]] == ["2022", "2023", "2024"]


FAULTS = [
    (DRINKS, {"prefer_not": "on"}, "prefer_not", "every response to a number is a number. Ask first"),
    (DRINKS, {"choices": "A\nB"}, "choices", "Not for a question of this kind."),
    (DRINKS, {"maximum": "many"}, "maximum", "Enter a number like 12 or 0.5; got many."),
    (DRINKS, {"step": "3"}, "maximum", "Must be a whole number of steps above the minimum; got 40/3"),
    (DRINKS, {"step": "0"}, "step", "Must be greater than 0; got 0"),
    (DRINKS, {"step": "0.1"}, "step", "Must have at most 256 points; got 401"),
    (DRINKS, {"mechanism": "k_ary"}, "mechanism", "For this question choose one bit (for the mean), discrete"),
    (SMOKES, {"prefer_not": "on"}, "mechanism", "choose k-ary randomized response or your own table."),
    (SMOKES, {"kind": "text"}, "kind", "text is not possible: Candor has no free text"),
    (SMOKES, {"kind": "upload"}, "kind", "upload is not possible: Candor takes no files"),
    (SMOKES, {"kind": "ranking"}, "kind", "ranking is not possible: Candor has no ranking"),
    (MOOD, {"kind": "script"}, "kind", "script is not possible: Candor runs no scripts and no HTML"),
    (MOOD, {"kind": "branch"}, "kind", "branch is not possible: Candor asks no server which question comes next"),
    (WORRY, {"kind": "quota"}, "kind", "quota is not possible: Candor has no quotas on answers"),
    (WORRY, {"kind": "matrix"}, "kind", "matrix is not one of the available choices"),
    (HABITS, {"wording": "Have <b>you</b>?"}, "wording", "English: this contains HTML (<b>), which is not allowed"),
    (MOOD, {"choices": "<i>A</i>\nB"}, "choices", "English: this contains HTML (<i>), which is not allowed"),
    (SMOKES, {"minimum": "3"}, "minimum", "Not for a question of this kind."),
    (SMOKES, {"dropdown": "on"}, "dropdown", "Not for a question of this kind."),
    (HABITS, {"heading": "Rows"}, "heading", "Not for a question of this kind."),
    (SUBSTANCE, {"heading": "Rows"}, "shuffle", "Is not allowed together with heading: the rows of a"),
    (SMOKES, {"classes_by": "year"}, "classes_by", "Not for a question of this kind."),
    (MOOD, {"classes_by": "week"}, "classes_by", "week is not one of the available choices"),
    (SUBSTANCE, {"classes_by": "year", "classes_to": "2024"}, "classes_from", "must be a year such as 2024"),
    (PLACE, {"classes_by": "date", "classes_at": "2024 2023"}, "classes_at", "at[1] must be later than 2024"),
    (HABITS, {"classes_by": "time", "classes_hours": "5"}, "classes_hours", "must be one of 1, 2, 3, 4, 6,"),
    (MOOD, {"classes_by": "year", "classes_from": "1", "classes_to": "2"}, "classes_from", "a year such as 2024; got"),
    (PLACE, {"classes_by": "year", "classes_from": "1200", "classes_to": "2024"}, "classes_by", "2 to 256 choices"),
    (MOOD, {"shuffle": "on"}, "shuffle", "Not for a question of this kind."),
    (PLACE, {"keep_last": "on"}, "keep_last", "Is only allowed together with shuffle"),
    (SUBSTANCE, {"choices": "A\nB", "keep_last": "on"}, "keep_last", "Must leave at least 2 choices to shuffle; got 1"),
    (MOOD, {"may_be_blank": "on"}, "may_be_blank", "Can be false only if prefer_not is true"),
    (HABITS, {"most": "5"}, "most", "Must be an integer from 1 to 4; got 5"),
    (SUBSTANCE, {"off": "2/3"}, "on", "On must be greater than off"),
    (SUBSTANCE, {"epsilon": "1"}, "epsilon", "Epsilon must stand without on and off"),
    (PLACE, {"size": "8"}, "size", "Size must be from 1 to 7; got 8"),
    (PLACE, {"truth": "1/9"}, "truth", "Truth must be more than size / k"),
    (WORRY, {"epsilon": "20"}, "epsilon", "Epsilon must be greater than 0 and at most 16; got 20"),
    (WORRY, {"epsilon": "some"}, "epsilon", "Enter a number like 12 or 0.5; got some."),
    (OFTEN, {"asked_if_item": "mood"}, "asked_if_item", "There is no earlier question mood."),
    (OFTEN, {"asked_if_item": ""}, "asked_if_item", "Enter the question that it depends on"),
    (OFTEN, {"asked_if_answers": "Maybe"}, "asked_if_answers", "Each must be one of No, Yes; got Maybe."),
    (OFTEN, {"asked_if_answers": ""}, "asked_if_answers", "Enter after which of its answers."),
    (OFTEN, {"asked_if_answers": "No\nYes"}, "asked_if_answers", "These are all of its answers; leave at least one"),
    (OFTEN, {"sent_if_unasked": ""}, "sent_if_unasked", "Enter what is sent for everyone who is not asked."),
    (OFTEN, {"sent_if_unasked": "Now"}, "sent_if_unasked", "Each must be one of Never, Sometimes, Often, Prefer"),
    (HOURS, {"sent_if_unasked": "0.3"}, "sent_if_unasked", "Enter one of the possible numbers."),
    (HABITS, {"asked_if_item": "smokes", "asked_if_answers": "Yes", "sent_if_unasked": "Smoking"},
     "sent_if_unasked", "Leave empty: none is ticked."),
]  # fmt: skip


def in_rounds() -> list[dict[int, tuple[dict[str, str], str, str]]]:
    """The faults, so many at a time as are about different questions."""
    rounds: list[dict[int, tuple[dict[str, str], str, str]]] = []
    for place, *fault in FAULTS:
        free = next((one for one in rounds if place not in one), None)
        if free is None:
            rounds.append(free := {})
        free[place] = tuple(fault)  # type: ignore[assignment]
    return rounds


@pytest.mark.parametrize("faults", few(in_rounds()))
def test_item_form_errors_stand_beside_fields(
    kinds: Survey, her: Client, faults: dict[int, tuple[dict[str, str], str, str]]
) -> None:
    response = send(her, kinds, *(item(place, **fields) for place, (fields, _, _) in faults.items()))
    for place in range(9):
        _, field, words = faults.get(place, ({}, "", ""))
        errors = errors_of(response, place)
        assert list(errors) == ([field] if field else [])
        assert not field or words in errors[field]
    assert saved() == example()


@pytest.mark.parametrize(
    ("kind", "others", "mechanism", "offered"),
    [
        ("yes_no", {}, "k_ary", True),
        ("one_choice", {"choices": "a\nb\nc"}, "k_ary", True),
        ("several_choices", {"choices": "a\nb"}, "forced_response", True),
        ("number", {"minimum": "0", "maximum": "2", "step": "1"}, "one_bit", False),
    ],
)
def test_new_question_takes_the_defaults_of_its_kind(
    alice: User, her: Client, kind: str, others: dict[str, str], mechanism: str, offered: bool
) -> None:
    """As form.js would set them: without it the mechanism and "prefer not to say" are those of yes/no."""
    survey = write_survey({**load("slug: new"), "title": {"en": "New"}}, team=home_team(alice), unfinished=True)
    fields = form_of(her, change(survey) + "?another=1") | item(0, kind=kind, wording="?", **others)
    assert "is saved." in save(her, change(survey), fields)
    (made,) = saved()["items"]
    assert (made["kind"], made["channel"]["name"], "prefer_not" in made) == (kind, mechanism, offered)


EMPTY = [
    (DRINKS, {"minimum": ""}, "minimum", "A question for a number needs it."),
    (SUBSTANCE, {"off": ""}, "off", "This randomisation method needs it."),
    (MOOD, {"choices": "Low"}, "choices", "At least 2 are needed; there is 1."),
    (SMOKES, {"wording": ""}, "wording", "the text in English."),
]


@pytest.mark.long
def test_item_form_missing_values_saved_and_named(kinds: Survey, her: Client) -> None:
    html = send(her, kinds, *(item(place, **fields) for place, fields, _, _ in EMPTY)).content.decode()
    for place, _, field, words in EMPTY[:3]:
        assert re.search(rf"Question {place + 1} \(\w+\), {field}: {re.escape(words)}", html)
    assert "There is no text yet for: question 1 (smokes)." in html
    forms = unfolded(her, kinds)
    for place, _, field, words in EMPTY:
        assert f"Still missing: {words}" in str(forms[place].fields[field].help_text)
    assert "Still missing" not in "".join(str(field.help_text) for field in forms[PLACE].fields.values())


def test_item_form_moved_choice_moves_conditions(kinds: Survey, her: Client) -> None:
    """The condition of `hours` is kept in words, and `hours` itself is not touched."""
    send(her, kinds, item(HABITS, choices="Gambling\nFasting\nSmoking\nDrinking"))
    assert saved()["items"][HOURS]["asked_if"] == {"item": "habits", "answers": [0, 3]}


@pytest.mark.long
def test_item_form_removed_choice_in_condition_is_error(kinds: Survey, her: Client) -> None:
    errors = errors_of(send(her, kinds, item(HABITS, choices="Smoking\nDrinking\nFasting\nSleeping")), HOURS)
    assert "got Gambling" in errors["asked_if_answers"]
    assert saved() == example()


@pytest.mark.long
def test_item_form_removed_item_in_condition_is_error(kinds: Survey, her: Client) -> None:
    errors = errors_of(send(her, kinds, item(SMOKES, DELETE="on")), OFTEN)
    assert errors == {"asked_if_item": "There is no earlier question smokes."}


@pytest.mark.long
def test_item_form_moved_item_in_condition_is_error(kinds: Survey, her: Client) -> None:
    errors = errors_of(send(her, kinds, item(SMOKES, position="5")), OFTEN)
    assert errors == {"asked_if_item": "There is no earlier question smokes."}


def test_survey_page_describes_each_question(kinds: Survey, her: Client) -> None:
    html = her.get(reverse("panel:survey", args=["kinds"])).content.decode()
    for words in (
        "number · 0 to 40 in steps of 1 · section second",
        "several choices · at most 2 · “prefer not to say” offered · shuffled · section second",
        "one choice · “prefer not to say” offered · optional · asked only after some answers to smokes",
    ):
        assert words in html
    assert html.count("a response changes the odds") == html.count(">epsilon 0.7") == 9


@pytest.mark.long
def test_item_form_sections_are_saved(kinds: Survey, her: Client) -> None:
    section = {"sections-1-key": "rest", "sections-1-title": "The rest", "sections-1-introduction": "Nearly done."}
    html = send(her, kinds, section).content.decode()
    assert "section must be one of first, rest; got &#x27;second&#x27;" in html
    forms = unfolded(her, kinds)
    assert "Still missing: section must be one of first, rest; got" in str(forms[HABITS].fields["section"].help_text)
    assert "Still missing" not in str(forms[PLACE].fields["section"].help_text)
    send(her, kinds, section, *(item(place, section="rest") for place in range(HABITS, HOURS + 1)))
    assert saved()["sections"][1] == {
        "key": "rest", "title": {"en": "The rest"}, "introduction": {"en": "Nearly done."},
    }  # fmt: skip
    assert not selectors.opening_fault(Survey.objects.get())


def test_item_form_custom_prefer_not_text_is_kept(alice: User, her: Client) -> None:
    definition = example()
    definition["items"][OFTEN]["prefer_not"] = {"en": "No comment"}
    survey = write_survey(definition, team=home_team(alice))
    send(her, survey, {"title": "Other"})
    assert saved()["items"][OFTEN]["prefer_not"] == {"en": "No comment"}
    send(her, survey, without=(f"items-{OFTEN}-prefer_not", f"items-{OFTEN}-may_be_blank"))
    assert not {"prefer_not", "required"} & set(saved()["items"][OFTEN])
