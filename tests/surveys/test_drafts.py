"""Saving drafts: revisions, what two authors change at once, and what is refused before the database sees it."""

from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from collector.errors import Conflict, ValidationError
from surveys.accounts.teams import home_team
from surveys.definition.changes import Change, apply_changes, differences, read_changes
from surveys.lifecycle import drafts, selectors, services
from surveys.models import AuditEntry, DraftRevision, Survey
from surveys.opening.services import open_survey
from tests.factories import payloads

pytestmark = pytest.mark.django_db


@pytest.fixture
def draft(alice: User) -> Survey:
    return services.write_survey(payloads.definition(), team=home_team(alice))


def change(*path: str | int, was: Any, now: Any) -> Change:
    return Change(path, was, now)


def test_draft_save_keeps_what_another_editor_changed(draft: Survey, alice: User, bob: User) -> None:
    title = change("title", "en", was="Campus", now="College")
    first = drafts.save_changes(draft, [title], by=alice)
    wording = change("items", "mood", "wording", "en", was="How do you feel?", now="How are you?")
    second = drafts.save_changes(draft, [wording], by=bob)
    assert (first.revision, second.revision) == (2, 3)
    saved = selectors.definition_of(draft)
    assert saved["items"][1]["wording"] == {"en": "How are you?"}
    assert Survey.objects.get().title == {"en": "College"}
    assert [one.saved_by for one in draft.revisions.all()] == [bob, alice, None]


def test_draft_clash_saves_nothing_and_names_both_values(draft: Survey, alice: User, bob: User) -> None:
    drafts.save_changes(draft, [change("title", "en", was="Campus", now="College")], by=alice)
    mine = [
        change("title", "en", was="Campus", now="School"),
        change("introduction", "en", was="Two questions.", now="2"),
    ]
    refused = drafts.save_changes(draft, mine, by=bob)
    assert [one.to_dict() for one in refused.clashes] == [
        {"path": ["title", "en"], "was": "Campus", "theirs": "College", "yours": "School"}
    ]
    assert refused.revision == drafts.revision_of(draft) == 2
    assert selectors.definition_of(Survey.objects.get())["introduction"] == {"en": "Two questions."}


def test_draft_parts_keep_their_rows(draft: Survey, alice: User) -> None:
    before = {item.key: item.pk for item in draft.items.all()}
    definition = selectors.definition_of(draft)
    new = definition["items"][0] | {"key": "lied", "wording": {"en": "Have you lied?"}}
    changed = {**definition, "items": [new, definition["items"][1], definition["items"][0]]}
    drafts.save_changes(draft, differences(definition, changed), by=alice)
    after = {item.key: item.pk for item in draft.items.all()}
    assert [item.key for item in draft.items.all()] == ["lied", "mood", "cheated"]
    assert {key: pk for key, pk in after.items() if key in before} == before


@pytest.mark.parametrize(
    ("path", "was", "now", "words"),
    [
        (["slug"], "campus", "Not a name", "slug"),
        (["title"], {"en": "Campus"}, ["Campus"], "title must be a text for each language; got"),
        (["title", "en"], "Campus", 3, "title.en must be a text; got 3"),
        (["items", "mood", "key"], "mood", "Has Spaces", r"items\[1\].key"),
        (["items", "mood", "key"], "mood", "k" * 65, r"items\[1\].key"),
        (["items", "mood", "kind"], "one_choice", "open_text", "is not possible"),
        (["items", "mood", "most"], None, "two", r"items\[1\].most must be a whole number; got 'two'"),
        (["items", "mood", "section"], None, "s" * 65, r"items\[1\].section"),
        (["items", "mood", "channel"], {"name": "k_ary", "truth": "1/2"}, {"name": "dice"}, r"items\[1\].mechanism"),
        (["items", "mood", "channel"], {"name": "k_ary", "truth": "1/2"}, {"name": "k_ary", "truth": "1" * 65}, "64"),
        (["title", "en"], "Campus", "<script>", "title.en"),
        (["extra"], None, 1, "unknown"),
        (["strata"], None, 5, "must name a part of strata"),
        (["items", "new"], None, 5, r"items\[2\] must be an object"),
    ],
)
def test_draft_save_refuses_with_the_path(draft: Survey, path: list[str], was: Any, now: Any, words: str) -> None:
    raw = {"path": path, "now": now} | ({} if was is None else {"was": was})
    with pytest.raises(ValidationError, match=words):
        drafts.save_changes(draft, read_changes([raw]))
    assert drafts.revision_of(draft) == 1
    assert selectors.definition_of(Survey.objects.get()) == payloads.definition()


@pytest.mark.parametrize("path", [["title", "en", "x"], ["items", "mood", "choices", 7], ["items", "gone", "wording"]])
def test_draft_change_of_a_part_that_cannot_be_is_a_clash(draft: Survey, path: list[str | int]) -> None:
    assert [one.path for one in drafts.save_changes(draft, read_changes([{"path": path, "now": 1}])).clashes] == [
        tuple(path)
    ]


def test_draft_may_be_unfinished(draft: Survey) -> None:
    choices = payloads.definition()["items"][1]["choices"]
    saved = drafts.save_changes(draft, [change("items", "mood", "choices", was=choices, now=[])])
    assert saved.definition["items"][1]["choices"] == []
    assert "at least 2" in selectors.opening_fault(Survey.objects.get())


def test_draft_slug_of_another_survey_is_refused(draft: Survey, alice: User) -> None:
    services.write_survey(payloads.definition(slug="other"), team=home_team(alice))
    with pytest.raises(ValidationError, match="'other' is used by another survey"):
        drafts.save_changes(draft, [change("slug", was="campus", now="other")])
    drafts.save_changes(draft, [change("slug", was="campus", now="college")])
    assert set(Survey.objects.values_list("slug", flat=True)) == {"college", "other"}


def test_open_survey_takes_no_changes(draft: Survey) -> None:
    open_survey(draft)
    with pytest.raises(Conflict, match="only a draft can be changed"):
        drafts.save_changes(draft, [change("title", "en", was="Campus", now="College")])


def test_every_way_to_write_records_a_revision(draft: Survey, alice: User) -> None:
    services.write_survey(payloads.definition(title={"en": "By a file"}), team=draft.team, by=alice)
    services.duplicate_item(draft.items.all()[0], by=alice)
    assert drafts.revision_of(draft) == 3
    assert [len(one.definition["items"]) for one in draft.revisions.all()] == [3, 2, 2]


def test_draft_of_before_is_recorded_with_its_first_save(draft: Survey) -> None:
    DraftRevision.objects.all().delete()
    before = selectors.definition_of(draft)
    assert drafts.definition_at(draft, 0) == before
    saved = drafts.save_changes(draft, [change("title", "en", was="Campus", now="College")])
    assert saved.revision == 1
    assert drafts.definition_at(draft, 0) == before
    assert drafts.definition_at(draft, 7) is None


def test_unchanged_draft_records_nothing(draft: Survey, alice: User) -> None:
    drafts.save_changes(draft, [change("title", "en", was="Campus", now="Campus")], by=alice)
    services.write_survey(payloads.definition(), team=draft.team, by=alice)
    assert drafts.revision_of(draft) == 1


def test_revisions_kept_are_bounded(draft: Survey) -> None:
    now, definition = timezone.now(), selectors.definition_of(draft)
    DraftRevision.objects.all().delete()
    DraftRevision.objects.bulk_create(
        DraftRevision(survey=draft, number=n, definition=definition, saved_at=now - timedelta(minutes=400 - n))
        for n in range(1, 400)
    )
    drafts.save_changes(draft, [change("title", "en", was="Campus", now="College")])
    assert drafts.revision_of(draft) == 400
    numbers = list(draft.revisions.values_list("number", flat=True))
    assert len(numbers) == 50
    assert numbers[:20] == list(range(400, 380, -1))
    steps = {one - other for one, other in pairwise(numbers[20:])}
    assert steps <= {10, numbers[20] - numbers[21]}, "of older ones the last of each ten minutes"


def test_log_of_saves_names_no_text_and_stays_short(draft: Survey, alice: User) -> None:
    for number in range(5):
        words = [f"Title {number}", f"Title {number + 1}"]
        was = "Campus" if number == 0 else words[0]
        drafts.save_changes(draft, [change("title", "en", was=was, now=words[1])], by=alice)
    logged = AuditEntry.objects.filter(act="changed")
    assert [one.detail for one in logged] == ["revision 2"]


def test_restored_revision_is_a_change_like_any_other(draft: Survey, alice: User) -> None:
    first = drafts.definition_at(draft, 1)
    assert first is not None
    drafts.save_changes(draft, [change("title", "en", was="Campus", now="College")], by=alice)
    now = selectors.definition_of(Survey.objects.get())
    assert apply_changes(now, differences(now, first)) == (first, [])
    drafts.save_changes(draft, differences(now, first), by=alice)
    assert selectors.definition_of(Survey.objects.get()) == payloads.definition()
    assert drafts.revision_of(draft) == 3
