"""The plain form saved from an older revision: nothing of either side is lost without a word."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from surveys.accounts.teams import home_team
from surveys.definition.changes import ABSENT, Change
from surveys.lifecycle import drafts, selectors
from surveys.lifecycle.services import write_survey
from surveys.models import Survey
from tests.factories import payloads
from tests.panel.forms import change, form_of, save
from tests.tools.html import words

pytestmark = pytest.mark.django_db


@pytest.fixture
def draft(alice: User) -> Survey:
    return write_survey(payloads.definition(), team=home_team(alice))


def meanwhile(draft: Survey, *path: str | int, was: Any, now: Any) -> None:
    """Somebody else saves in the editor."""
    assert not drafts.save_changes(draft, [Change(path, was, now)]).clashes


def saved(draft: Survey) -> Any:
    return selectors.definition_of(Survey.objects.get(pk=draft.pk))


def test_stale_form_keeps_another_tabs_title(her: Client, draft: Survey) -> None:
    fields = form_of(her, change(draft))
    meanwhile(draft, "title", "en", was="Campus", now="College")
    page = save(her, change(draft), fields | {"items-1-wording": "How are you?"})
    assert "Changes by others in the meantime were merged" in page
    assert saved(draft)["title"] == {"en": "College"}
    assert saved(draft)["items"][1]["wording"] == {"en": "How are you?"}


def test_stale_form_asks_where_both_changed(her: Client, draft: Survey) -> None:
    fields = form_of(her, change(draft))
    meanwhile(draft, "title", "en", was="Campus", now="College")
    meanwhile(draft, "consent", "en", was="You may leave at any time.", now="Leave when you like.")
    mine = fields | {"title": "School", "introduction": "Three questions."}
    page = save(her, change(draft), mine)
    assert "Someone else has changed the same fields. Nothing has been saved yet." in page
    assert "Title › en Saved version College Your version School" in words(page)
    assert saved(draft)["introduction"] == {"en": "Two questions."}
    save(her, change(draft), mine | {"replace": str(drafts.revision_of(draft))})
    assert saved(draft)["title"] == {"en": "School"}
    assert saved(draft)["introduction"] == {"en": "Three questions."}
    assert saved(draft)["consent"] == {"en": "Leave when you like."}, "of which the form is older, too"


def test_stale_choice_to_replace_is_of_what_was_shown(her: Client, draft: Survey) -> None:
    fields = form_of(her, change(draft)) | {"title": "School"}
    meanwhile(draft, "title", "en", was="Campus", now="College")
    shown = drafts.revision_of(draft)
    meanwhile(draft, "title", "en", was="College", now="University")
    assert "University" in save(her, change(draft), fields | {"replace": str(shown)})
    assert saved(draft)["title"] == {"en": "University"}


def test_stale_form_with_folded_rows_restores_no_question(her: Client, draft: Survey) -> None:
    fields = form_of(her, change(draft), opened=[])
    items = saved(draft)["items"]
    meanwhile(draft, "items", "cheated", was=items[0], now=ABSENT)
    save(her, change(draft), fields | {"title": "School"})
    assert [item["key"] for item in saved(draft)["items"]] == ["mood"]
    assert saved(draft)["title"] == {"en": "School"}


def test_stale_form_of_a_forgotten_revision_shows_what_differs(her: Client, draft: Survey) -> None:
    fields = form_of(her, change(draft)) | {"title": "School"}
    meanwhile(draft, "consent", "en", was="You may leave at any time.", now="Leave when you like.")
    draft.revisions.filter(number=1).delete()
    page = words(save(her, change(draft), fields))
    assert "Title › en Saved version Campus Your version School" in page
    assert "Consent › en Saved version Leave when you like. Your version You may leave at any time." in page
    assert saved(draft)["title"] == {"en": "Campus"}
    save(her, change(draft), fields | {"replace": str(drafts.revision_of(draft))})
    assert saved(draft)["title"] == {"en": "School"}


def test_stale_form_with_errors_shows_them_and_saves_nothing(her: Client, draft: Survey) -> None:
    fields = form_of(her, change(draft)) | {"title": "School", "items-0-truth": "5/4"}
    meanwhile(draft, "title", "en", was="Campus", now="College")
    assert "truth must be greater than 0 and less than 1; got 5/4" in words(save(her, change(draft), fields))
    assert saved(draft)["title"] == {"en": "College"}


def test_form_save_is_a_revision(her: Client, draft: Survey, alice: User) -> None:
    save(her, change(draft), form_of(her, change(draft)) | {"title": "School"})
    newest = draft.revisions.first()
    assert newest is not None
    assert (newest.number, newest.saved_by, newest.definition["title"]) == (2, alice, {"en": "School"})
