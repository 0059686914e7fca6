"""Leaving the plain form: the browser asks where something is not saved, and only there."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Dialog, Page

from surveys.accounts.teams import home_team
from surveys.lifecycle.services import write_survey
from surveys.models import Survey
from tests.browser.panel import sign_in
from tests.factories import payloads


@pytest.fixture
def form(panel_page: Page, alice: User) -> Page:
    survey = write_survey(payloads.definition(), team=home_team(alice))
    sign_in(panel_page, alice)
    panel_page.goto(f"/panel/surveys/survey/{survey.pk}/change/")
    return panel_page


def unfold(page: Page) -> None:
    page.get_by_role("button", name="Have you cheated?").click()
    page.locator("#id_items-0-wording").wait_for()


def retitle(page: Page) -> None:
    page.get_by_label("Title").fill("Another title")


def move(page: Page) -> None:
    page.get_by_role("button", name="Move down: ").first.click()


def copy(page: Page) -> None:
    page.get_by_role("button", name="Duplicate").first.click()
    page.get_by_text("is a copy of").wait_for(state="attached")


def delete(page: Page) -> None:
    page.locator("#id_items-1-DELETE").check(force=True)


def refused(page: Page) -> None:
    page.get_by_label("Title").fill("<b>")
    page.get_by_role("button", name="Save", exact=True).click()
    page.locator("[data-errors]").wait_for()


def saved(page: Page) -> None:
    retitle(page)
    page.get_by_role("button", name="Save and continue editing").click()
    page.wait_for_load_state()


def looked_at(page: Page) -> None:
    page.get_by_label("Title").click()


@pytest.mark.long
@pytest.mark.parametrize(
    ("act", "asks"),
    [
        (looked_at, False), (saved, False), (retitle, True), (delete, True), (refused, True),
        (unfold, False), (move, True), (copy, True),
    ],
)  # fmt: skip
def test_leaving_the_form_asks_where_something_is_not_saved(
    form: Page, act: Callable[[Page], None], asks: bool
) -> None:
    act(form)
    asked = list[str]()

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    form.on("dialog", stay)
    form.get_by_role("link", name="← ").click()
    form.wait_for_url("**/panel/survey/campus/")
    assert asked == (["beforeunload"] if asks else [])
    if act is saved:
        assert Survey.objects.get().title == {"en": "Another title"}
