"""Questions on dates and times in the survey editor: added by one click, their classes made in every language."""

import re

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from surveys.accounts.teams import home_team
from surveys.lifecycle.services import write_survey
from surveys.models import Survey
from tests.browser.editing import WIDE, definition, frame, opened, picture, wait_until_saved
from tests.browser.panel import PHONE
from tests.factories import payloads


@pytest.fixture(autouse=True)
def draft(alice: User) -> Survey:
    return write_survey(payloads.definition(), team=home_team(alice))


@pytest.fixture
def editor(panel_page: Page, alice: User) -> Page:
    panel_page.set_viewport_size(WIDE)  # type: ignore[arg-type]
    return opened(panel_page, alice)


def added(page: Page, kind: str, wording: str) -> None:
    page.get_by_role("button", name="+ Add question").click()
    page.get_by_role("button", name=re.compile(f"^{kind} ")).click()
    expect(page.get_by_label("Question", exact=True)).to_be_focused()
    page.keyboard.type(wording)


def choices(key: str, language: str = "en") -> list[str]:
    item = next(item for item in definition()["items"] if item["key"] == key)
    return [choice[language] for choice in item["choices"]]


@pytest.mark.long
def test_date_is_added_by_one_click_and_made_by_month(editor: Page) -> None:
    added(editor, "Date", "When were you tested?")
    expect(editor.get_by_label("Option 6", exact=True)).to_have_value(re.compile(r"^20\d\d$"))
    editor.get_by_label("Classes", exact=True).select_option(label="Month")
    editor.get_by_label("From", exact=True).fill("2024-01")
    editor.get_by_label("To", exact=True).fill("2025-12")
    editor.get_by_role("button", name="Make options").click()
    expect(
        editor.locator("[aria-live=polite]").filter(has_text="25 options were made, in every language.")
    ).to_be_visible()
    expect(editor.get_by_label("Dropdown", exact=True)).to_be_checked()
    frame(editor).locator("#question-2 option").nth(26).wait_for(state="attached")
    wait_until_saved(editor)
    picture(editor, "date")
    made = choices("when_were_you_tested")
    assert (made[0], made[1], made[-1], len(made)) == ("Before January 2024", "January 2024", "December 2025", 25)


@pytest.mark.long
def test_classes_are_there_again_after_a_reload_and_can_be_changed(editor: Page) -> None:
    added(editor, "Date", "When were you tested?")
    editor.get_by_label("Classes", exact=True).select_option(label="Quarter")
    editor.get_by_label("From", exact=True).fill("2024-02")
    editor.get_by_label("To", exact=True).fill("2024-11")
    editor.get_by_label("An option for later").check()
    editor.get_by_role("button", name="Make options").click()
    expect(editor.get_by_label("Option 5", exact=True)).to_have_value("October – December 2024")
    wait_until_saved(editor)
    editor.reload()
    editor.get_by_role("button", name=re.compile("When were you tested")).click()
    editor.get_by_text("Options from dates or times").click()
    expect(editor.get_by_label("From", exact=True)).to_have_value("2024-01")
    expect(editor.get_by_label("Classes", exact=True)).to_have_value("quarter")
    expect(editor.get_by_label("To", exact=True)).to_have_value("2024-12")
    expect(editor.get_by_label("An option for later")).to_be_checked()
    picture(editor, "date-again")
    editor.get_by_label("To", exact=True).fill("2025-03")
    editor.get_by_role("button", name="Make options").click()
    expect(editor.get_by_label("Option 6", exact=True)).to_have_value("January – March 2025")
    wait_until_saved(editor)
    made = choices("when_were_you_tested")
    assert (made[0], made[-1], len(made)) == ("Before January 2024", "April 2025 or later", 7)


@pytest.mark.long
def test_wrong_dates_are_named_by_their_field(editor: Page) -> None:
    added(editor, "Date", "When?")
    expect(editor.get_by_label("Option 6", exact=True)).to_have_value(re.compile(r"^20\d\d$"))
    before = choices_shown(editor)
    editor.get_by_label("Classes", exact=True).select_option(label="Dates that you enter")
    editor.get_by_label("Dates", exact=True).fill("2024-03-15, 2024-02-30")
    editor.get_by_role("button", name="Make options").click()
    expect(
        editor.locator("[aria-live=polite]").filter(has_text="Date 2 must be a day such as 2024-03-15")
    ).to_be_visible()
    assert choices_shown(editor) == before
    editor.get_by_label("Dates", exact=True).fill("2024-03-15\n2024-07-01")
    editor.get_by_role("button", name="Make options").click()
    expect(editor.get_by_label("Option 2", exact=True)).to_have_value("15 March 2024 – 30 June 2024")


def choices_shown(page: Page) -> list[str]:
    return [one.input_value() for one in page.get_by_label(re.compile(r"^Option \d+$")).all()]


@pytest.mark.long
def test_conditions_follow_options_that_stay(editor: Page) -> None:
    added(editor, "Time of day", "When do you drink?")
    added(editor, "Yes or no", "Alone?")
    editor.get_by_label("Who is asked").select_option(label="only after some answers to: When do you drink?")
    editor.get_by_label("Prefer not to say", exact=True).uncheck()
    editor.get_by_label("18:00 – 23:59", exact=True).check()
    editor.get_by_role("button", name=re.compile("When do you drink")).click()
    editor.get_by_text("Options from dates or times").click()
    editor.get_by_label("Classes", exact=True).select_option(label="Time of day")
    editor.get_by_label("From", exact=True).fill("12:00")
    editor.get_by_role("button", name="Make options").click()
    expect(
        editor.locator("[aria-live=polite]").filter(has_text="4 options were made, in every language.")
    ).to_be_visible()
    expect(editor.get_by_label("Option 1", exact=True)).to_have_value("12:00 – 17:59")
    wait_until_saved(editor)
    alone = next(item for item in definition()["items"] if item["key"] == "alone")
    assert alone["asked_if"]["answers"] == [choices("when_do_you_drink").index("18:00 – 23:59")]


@pytest.mark.long
def test_classes_that_were_typed_outlast_a_late_event_of_opening(editor: Page) -> None:
    added(editor, "Time of day", "When do you drink?")
    expect(editor.get_by_label("Option 1", exact=True)).to_have_value("00:00 – 05:59")
    editor.get_by_label("From", exact=True).fill("12:00")
    with editor.expect_response(re.compile("/edit/options")):
        editor.locator(".editor-classes").dispatch_event("toggle")
    editor.get_by_role("button", name="Make options").click()
    expect(editor.get_by_label("Option 1", exact=True)).to_have_value("12:00 – 17:59")


@pytest.mark.long
def test_time_needs_no_mouse_and_fits_a_phone(panel_page: Page, alice: User) -> None:
    page = panel_page
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    opened(page, alice)
    page.get_by_role("button", name="Questions", exact=True).click()
    page.get_by_role("button", name="+ Add question").press("Enter")
    page.get_by_role("button", name=re.compile("^Time of day ")).press("Enter")
    expect(page.get_by_label("Question", exact=True)).to_be_focused()
    page.keyboard.type("When do you sleep?")
    page.get_by_label("Hours", exact=True).select_option("8")
    page.get_by_label("From", exact=True).fill("22:00")
    page.get_by_role("button", name="Make options").press("Enter")
    expect(page.get_by_label("Option 1", exact=True)).to_have_value("22:00 – 05:59")
    picture(page, "time-phone")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    wait_until_saved(page)
    assert choices("when_do_you_sleep") == ["22:00 – 05:59", "06:00 – 13:59", "14:00 – 21:59"]
