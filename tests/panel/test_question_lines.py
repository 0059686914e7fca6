"""The questions of a draft as lines that unfold: what is closed costs little, is not touched, and is never lost."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from surveys.accounts.teams import home_team
from surveys.definition.definitions import Definition
from surveys.lifecycle import selectors
from surveys.lifecycle.services import write_survey
from surveys.models import Item, Survey, Version
from tests.factories import payloads
from tests.factories.surveys import example
from tests.panel.forms import BILINGUAL, HABITS, HOURS, MOOD, OFTEN, SMOKES, change, errors_of, form_of
from tests.tools.gate import few

pytestmark = pytest.mark.django_db

LARGEST = 450_000
"""Characters of the form of fifty questions, all of them lines; with every question unfolded it has 2.5 million."""


@pytest.fixture
def kinds(alice: User) -> Survey:
    return write_survey(example(), team=home_team(alice))


def keys_of(survey: Survey) -> list[int]:
    return [item.pk for item in survey.items.all()]


def saved() -> Definition:
    return selectors.definition_of(Survey.objects.get())


def press(client: Client, survey: Survey, opened: list[int], **fields: Any) -> Any:
    """Save with these questions unfolded, after these changes; the page that follows."""
    sent = form_of(client, change(survey), opened=opened)
    named = {name.replace("__", "-"): value for name, value in fields.items()}
    return client.post(change(survey), sent | named, follow=True)


def test_question_line_describes_and_names_faults(kinds: Survey, her: Client) -> None:
    Item.objects.filter(key="mood").update(choices=[{"en": "Low"}])
    html = her.get(change(kinds)).content.decode()
    assert html.count('name="_open"') == 9
    assert not re.search(r'name="items-\d+-wording"', html)
    assert "number · 0 to 40 in steps of 1 · section second · truth 1/3, epsilon 0.7" in html
    assert "Choices: At least 2 are needed; there is 1." in html


def test_closed_questions_are_saved_unchanged(kinds: Survey, her: Client) -> None:
    press(her, kinds, [], title="Other")
    assert saved() == example() | {"title": {"en": "Other"}}


def test_closed_question_keeps_concurrent_edit(kinds: Survey, her: Client) -> None:
    sent = form_of(her, change(kinds), opened=[keys_of(kinds)[SMOKES]])
    Item.objects.filter(key="mood").update(wording={"en": "Hers"})
    her.post(change(kinds), sent | {f"items-{SMOKES}-wording": "Mine"})
    assert [saved()["items"][place]["wording"]["en"] for place in (SMOKES, MOOD)] == ["Mine", "Hers"]


def test_closed_questions_can_be_moved_and_deleted(kinds: Survey, her: Client) -> None:
    press(her, kinds, [], items__5__position="99", items__6__DELETE="on")
    keys = [item["key"] for item in example()["items"]]
    assert [item["key"] for item in saved()["items"]] == [*keys[:5], *keys[7:], keys[5]]


def test_condition_follows_edited_choices(kinds: Survey, her: Client) -> None:
    choices = "Gambling\nFasting\nSmoking\nDrinking"
    press(her, kinds, [keys_of(kinds)[HABITS]], **{f"items__{HABITS}__choices": choices})
    assert saved()["items"][HOURS]["asked_if"] == {"item": "habits", "answers": [0, 3]}


@pytest.mark.long
def test_condition_that_breaks_opens_its_question(kinds: Survey, her: Client) -> None:
    """By an answer that goes, a question that goes, one that moves behind: said beside the field, nothing saved."""
    choices = "Smoking\nDrinking\nFasting\nSleeping"
    page = press(her, kinds, [keys_of(kinds)[HABITS]], **{f"items__{HABITS}__choices": choices})
    assert "got Gambling" in errors_of(page, HOURS)["asked_if_answers"]
    assert f'name="items-{HOURS}-asked_if_answers"' in page.content.decode()
    for fields in ({f"items__{SMOKES}__DELETE": "on"}, {f"items__{SMOKES}__position": "5"}):
        page = press(her, kinds, [], **fields)
        assert errors_of(page, OFTEN) == {"asked_if_item": "There is no earlier question smokes."}
        assert f'name="items-{MOOD}-closed"' in page.content.decode(), "the others stay lines"
    assert saved() == example()


def test_language_change_reaches_closed_questions(alice: User, her: Client) -> None:
    survey = write_survey(BILINGUAL, team=home_team(alice))
    press(her, survey, [], more_languages=["de", "fr"])
    first, second = saved()["items"]
    assert first["choices"] == [{"en": "No", "de": "Nein", "fr": "Non"}, {"en": "Yes", "de": "Ja", "fr": "Oui"}]
    assert second["choices"][1] == {"en": "So-so", "de": "Mittel", "fr": ""}
    press(her, survey, [], own_language="fr", more_languages=["en", "de"])
    for _ in range(2):  # the one that was the survey's own until now can be taken away the time after
        press(her, survey, [], own_language="en", more_languages=["de"])
    assert saved() == BILINGUAL


def test_closed_row_of_other_survey_is_refused(kinds: Survey, version: Version, her: Client) -> None:
    alien = version.survey.items.all()[0]
    page = press(her, kinds, [], items__0__id=alien.pk, title="Other")
    assert page.context["errors"]
    assert Item.objects.filter(pk=alien.pk, survey=version.survey).exists()


@pytest.mark.parametrize(
    ("button", "shown"),
    few([("_open", "mood"), ("_duplicate", "mood_2"), ("_continue", "smokes"), ("_another", "")]),
)
def test_question_buttons_work_without_script(kinds: Survey, her: Client, button: str, shown: str) -> None:
    """The draft is saved, and the form comes back at the question that it is about."""
    first, mood = keys_of(kinds)[SMOKES], keys_of(kinds)[MOOD]
    page = press(her, kinds, [first], title="Other", **{button: str(mood)})
    assert saved()["title"] == {"en": "Other"}
    forms = page.context["inline_admin_formsets"][-1].formset.forms
    assert [form.instance.key for form in forms if not form.closed] == [shown]
    items = saved()["items"]
    if button == "_duplicate":
        assert [item["key"] for item in items[MOOD : MOOD + 3]] == ["mood", "mood_2", "worry"]
        assert items[MOOD + 1] == items[MOOD] | {"key": "mood_2"}
    else:
        assert items == example()["items"]


def test_question_fields_are_fetched_when_opened(kinds: Survey, her: Client) -> None:
    address = reverse("panel:question", args=["kinds", keys_of(kinds)[MOOD]])
    html = her.get(address, {"row": "7"}).content.decode()
    assert 'name="items-7-wording"' in html
    assert "I am content with my life." in html
    assert "<html" not in html
    assert "a response changes the odds" in html


def test_question_fields_of_open_survey_are_refused(kinds: Survey, version: Version, her: Client) -> None:
    opened = version.survey
    answer = her.get(reverse("panel:question", args=[opened.slug, opened.items.all()[0].pk]))
    assert answer.status_code == 403
    other = her.get(reverse("panel:question", args=["kinds", opened.items.all()[0].pk]))
    assert other.status_code == 404


@pytest.mark.long
def test_fifty_questions_use_as_many_queries_as_two(alice: User, her: Client) -> None:
    """The page, the fields of one question, the preview and saving: as many queries as for two questions."""

    def queries(count: int) -> dict[str, int]:
        asked = payloads.definition()["items"][0]
        asked |= {"channel": asked["channel"] | {"truth": "1/16"}}  # fifty of them are within the ceiling
        items = [asked | {"key": f"q{number}"} for number in range(count)]
        survey = write_survey(payloads.definition(slug="long", items=items), team=home_team(alice))
        last = keys_of(survey)[-1]
        sent = form_of(her, change(survey), opened=[last])
        acts: dict[str, Callable[[], Any]] = {
            "form": lambda: her.get(change(survey)),
            "fields": lambda: her.get(reverse("panel:question", args=["long", last])),
            "preview": lambda: her.post(reverse("panel:preview-form"), sent | {"preview-survey": "long"}),
            "save": lambda: her.post(change(survey), sent | {f"items-{count - 1}-wording": "Changed?"}),
        }
        found = {}
        for name, act in acts.items():
            with CaptureQueriesContext(connection) as caught:
                answer = act()
            assert answer.status_code in (200, 302)
            assert len(answer.content) < LARGEST
            found[name] = len(caught)
        return found

    queries(2)
    assert queries(2) == queries(50)


@pytest.mark.long
def test_default_language_without_texts_loses_nothing(alice: User, her: Client) -> None:
    """With every question unfolded, saved twice, and back again: no choice, no condition and no wording is lost."""
    for definition in (BILINGUAL, example()):
        survey = write_survey(definition, team=home_team(alice))
        others = definition["languages"][1:]
        for own, more in (("fr", others), ("fr", ["en", *others]), ("en", others), ("en", others)):
            page = press(her, survey, keys_of(survey), own_language=own, more_languages=more)
            assert not page.context.get("errors"), page.context["errors"]
            now = selectors.definition_of(Survey.objects.get(pk=survey.pk))
            assert now["languages"][0] == own
            assert [len(item["choices"]) for item in now["items"]] == [
                len(item["choices"]) for item in definition["items"]
            ]
        assert now == definition


def test_untranslated_choice_keeps_its_place(alice: User, her: Client) -> None:
    survey = write_survey(BILINGUAL, team=home_team(alice))
    untranslated = [{"en": "Well", "de": ""}, {"en": "So-so", "de": "Mittel"}, {"en": "Low", "de": ""}]
    Item.objects.filter(key="mood").update(choices=untranslated)
    press(her, survey, keys_of(survey))
    assert saved()["items"][1]["choices"] == untranslated
