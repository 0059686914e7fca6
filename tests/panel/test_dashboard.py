"""The panel's first page: what each survey's row says, and how surveys are found."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from collector.models import DailyCount, FrozenDesign
from surveys.accounts.access import Role
from surveys.accounts.teams import home_team
from surveys.lifecycle.services import close_survey, write_survey
from surveys.lifecycle.tags import set_tags
from surveys.models import AuditEntry, Membership, Survey, Team
from surveys.opening.services import open_survey
from tests.factories import payloads
from tests.panel.conftest import SignIn

pytestmark = pytest.mark.django_db

LIST = reverse("admin:surveys_survey_changelist")


def made(user: User, slug: str, title: str = "Campus", **more: Any) -> Survey:
    return write_survey(
        payloads.definition(slug=slug, title={"en": title}, **more), team=home_team(user), unfinished=True
    )


def slugs(client: Client, **query: str) -> list[str]:
    html = client.get(LIST, query).content.decode()
    return re.findall(r'class="candor-name" href="/panel/survey/([^/]+)/"', html)


def row(client: Client, slug: str) -> str:
    html = client.get(LIST).content.decode()
    return next(part for part in html.split('<li class="candor-card board-row">') if f"/panel/survey/{slug}/" in part)


def test_first_page_without_surveys_teaches(her: Client) -> None:
    html = her.get(LIST).content.decode()
    assert 'id="begin"' in html
    assert reverse("panel:templates") in html
    assert her.get(reverse("panel:index"))["Location"] == LIST
    assert her.get(reverse("panel:index") + "?q=campus&tag=a+b")["Location"] == LIST + "?q=campus&tag=a+b"


def test_row_names_the_next_step_of_each_state(her: Client, alice: User) -> None:
    made(alice, "draft")
    made(alice, "empty", items=[])
    opened = open_survey(made(alice, "opened"))
    closed = open_survey(made(alice, "closed"))
    close_survey(closed.survey)
    for slug, page in (("draft", "edit"), ("empty", "edit"), ("opened", "share"), ("closed", "survey")):
        assert f'href="{reverse(f"panel:{page}", args=[slug])}"' in row(her, slug).partition("board-next")[2]
    number = FrozenDesign.objects.get(digest=opened.design_id).number
    day = opened.design.opened_on
    DailyCount.objects.create(design_id=number, first_day=day, last_day=day, count=120)
    html = row(her, "opened")
    assert reverse("panel:survey-watch", args=["opened"]) in html.partition("board-next")[2]
    assert 'class="spark"' in html
    assert "120 responses" in html
    assert slugs(her) == ["opened", "empty", "draft", "closed"], "open ones first, then drafts, the newest first"


def test_viewer_is_led_to_what_she_may_do(alice: User, bob: User, sign_in: SignIn) -> None:
    survey = made(alice, "draft")
    Membership.objects.create(team=survey.team, user=bob, role=Role.VIEWER)
    assert reverse("panel:preview", args=["draft"]) in row(sign_in(bob), "draft").partition("board-next")[2]


def test_surveys_are_found_by_words_tags_and_teams(her: Client, alice: User) -> None:
    first, second = made(alice, "first", "Über Drogen"), made(alice, "second", "Tax 100 %")
    set_tags(first, " Panel  2026, panel 2026,Pilot ", by=alice)
    other = Team.objects.create(name="Clinic")
    Membership.objects.create(team=other, user=alice, role=Role.OWNER)
    second.team = other
    second.save()
    assert slugs(her, q="über") == ["first"]
    assert slugs(her, q="100 %") == ["second"]
    assert slugs(her, q="pilot drogen") == ["first"]
    assert slugs(her, q="nothing") == []
    assert slugs(her, tag="Pilot") == ["first"]
    assert slugs(her, team=str(other.pk)) == ["second"]
    assert slugs(her, team="x") == ["second", "first"]
    assert "No survey matches" in her.get(LIST, {"q": "<none>"}).content.decode()
    assert list(first.tags.values_list("name", flat=True)) == ["Pilot", "panel 2026"]


def test_archive_is_a_list_of_its_own(her: Client, alice: User) -> None:
    closed = open_survey(made(alice, "old")).survey
    Survey.objects.filter(pk=closed.pk).update(state=Survey.State.ARCHIVED)
    assert slugs(her) == []
    assert slugs(her, archived="yes") == ["old"]


def test_tags_are_saved_by_editors_and_logged(her: Client, alice: User) -> None:
    survey = made(alice, "draft")
    address = reverse("panel:tags", args=["draft"])
    her.post(address, {"tags": "a, b"})
    her.post(address, {"tags": "a, b"})
    assert [entry.detail for entry in AuditEntry.objects.filter(act="changed the tags")] == ["a, b"]
    for wrong in (",".join(map(str, range(11))), "x" * 41, "a\u200bb"):
        her.post(address, {"tags": wrong})
        assert list(survey.tags.values_list("name", flat=True)) == ["a", "b"]


def test_further_pages_keep_the_filters(her: Client, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("surveys.panel.dashboard.ROWS", 1)
    for slug in ("first", "second"):
        set_tags(made(alice, slug), "a & b", by=alice)
    html = her.get(LIST, {"tag": "a & b", "q": "campus"}).content.decode()
    assert 'href="?p=2&amp;q=campus&amp;tag=a+%26+b"' in html
    assert slugs(her, tag="a & b", p="2") == ["first"]
    assert slugs(her, p="99") == ["first"]
