"""Background questions in the survey editor: written, priced in cells, and refused where they are too fine."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from surveys.accounts.teams import home_team
from surveys.lifecycle.selectors import error_of_draft
from surveys.lifecycle.services import write_survey
from surveys.models import Survey
from tests.browser.editing import WIDE, definition, frame, opened, picture, wait_until_saved
from tests.browser.panel import PHONE
from tests.factories import payloads


@pytest.fixture(autouse=True)
def draft(alice: User) -> Survey:
    return write_survey(payloads.definition(strata={"wording": {"en": ""}, "groups": []}), team=home_team(alice))


@pytest.fixture
def editor(panel_page: Page, alice: User) -> Page:
    panel_page.set_viewport_size(WIDE)  # type: ignore[arg-type]
    page = opened(panel_page, alice)
    page.locator("[data-of=background]").click()
    return page


def ask(page: Page, number: int, wording: str, *choices: str) -> None:
    """Add a background question with these choices."""
    page.get_by_role("button", name="+ Add background question").click()
    page.get_by_label(f"Background question {number}", exact=True).first.fill(wording)
    question = page.locator(".editor-background > li").nth(number - 1)
    for place, words in enumerate(choices, start=1):
        if place > 2:
            question.get_by_role("button", name="+ Add choice").click()
        question.get_by_label(f"Choice {place}", exact=True).fill(words)


@pytest.mark.long
def test_questions_are_written_and_shown(editor: Page) -> None:
    ask(editor, 1, "Where do you live?", "North", "South", "East")
    ask(editor, 2, "Do you have a job?", "Yes", "No")
    expect(frame(editor).get_by_text("Do you have a job?", exact=True)).to_be_visible()
    editor.get_by_label("Expected responses").fill("5000")
    expect(editor.get_by_text("12 cells: so many combinations of answers are told apart.")).to_be_visible()
    expect(editor.get_by_text("kept for 100% of responses")).to_have_count(2)
    editor.locator(".editor-kept").scroll_into_view_if_needed()
    picture(editor, "background")
    wait_until_saved(editor)
    written = definition()["background_questions"]
    assert (written["expected_responses"], written["smallest_cell"]) == (5000, 10)
    assert [one["wording"]["en"] for one in written["questions"]] == ["Where do you live?", "Do you have a job?"]
    assert error_of_draft(Survey.objects.get()) is None


@pytest.mark.long
def test_order_decides_what_is_kept(editor: Page) -> None:
    ask(editor, 1, "Do you have a job?", "Yes", "No")
    ask(editor, 2, "Where do you live?", "North", "South", "East", "West")
    editor.get_by_label("Expected responses").fill("300")
    expect(editor.locator(".editor-kept dt").first).to_have_text("Do you have a job?")
    editor.get_by_role("button", name="Move up: Background question 2").click()
    expect(editor.locator(".editor-kept dt").first).to_have_text("Where do you live?")
    wait_until_saved(editor)
    assert definition()["background_questions"]["questions"][0]["wording"] == {"en": "Where do you live?"}


@pytest.mark.long
def test_too_fine_questions_are_refused_beside_them(editor: Page) -> None:
    ask(editor, 1, "Do you have a job?", "Yes", "No")
    editor.get_by_label("Expected responses").fill("12")
    expect(editor.get_by_text("no answer to it could be kept with at least 10 in each cell").first).to_be_visible()
    editor.get_by_role("button", name="Delete: Background question 1").click()
    wait_until_saved(editor)
    editor.wait_for_timeout(500)
    wait_until_saved(editor)
    assert "background_questions" not in definition()


@pytest.mark.long
def test_shares_decide_what_is_kept(editor: Page) -> None:
    ask(editor, 1, "What is your gender?", "Woman", "Man", "Another")
    for number, share in enumerate(("0.49", "0.49", "2 %"), start=1):
        editor.get_by_label(f"Expected share of choice {number}").fill(share)
    editor.get_by_label("Expected responses").fill("500")
    expect(editor.get_by_text("3 cells: so many combinations")).to_be_visible()
    wait_until_saved(editor)
    assert definition()["background_questions"]["questions"][0]["shares"] == ["0.49", "0.49", "0.02"]


@pytest.mark.long
def test_phone_shows_them(editor: Page) -> None:
    ask(editor, 1, "Do you have a job?", "Yes", "No")
    editor.set_viewport_size(PHONE)  # type: ignore[arg-type]
    editor.get_by_role("button", name="Edit", exact=True).click()
    editor.locator(".editor-kept").scroll_into_view_if_needed()
    picture(editor, "background-phone")
    assert editor.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


@pytest.mark.long
def test_versions_of_the_page_are_added_weighed_and_removed(editor: Page) -> None:
    ask(editor, 1, "Do you have a job?", "Yes", "No")
    editor.get_by_role("button", name="+ Compare versions of the page").click()
    expect(editor.get_by_label("Version 2", exact=True)).to_have_value("Explained afterwards")
    editor.get_by_label("Expected responses").fill("2000")
    expect(editor.get_by_text("percentage points from version 1 would be found in 80 %")).to_be_visible()
    editor.get_by_role("button", name="+ Add version").click()
    editor.get_by_label("Version 3", exact=True).fill("Longer")
    editor.get_by_label("Introduction of this version").nth(2).fill("Thank you for your time.")
    editor.get_by_label("Weight").nth(0).fill("2")
    expect(editor.get_by_text("drawn 2 times of 4")).to_be_visible()
    editor.locator(".editor-background").first.scroll_into_view_if_needed()
    picture(editor, "arms")
    wait_until_saved(editor)
    arms, job = definition()["background_questions"]["questions"]
    assert [one["explanation"] for one in arms["arms"]] == ["before", "after", "before"]
    assert arms["arms"][2]["introduction"] == {"en": "Thank you for your time."}
    assert arms["choices"][2] == {"en": "Longer"}
    assert job["key"] == "background_1"
    assert error_of_draft(Survey.objects.get()) is None
    expect(editor.get_by_role("button", name="Move up")).to_have_count(0)
    editor.get_by_role("button", name="Delete all versions").click()
    wait_until_saved(editor)
    assert len(definition()["background_questions"]["questions"]) == 1


@pytest.mark.long
def test_version_asks_a_question_in_another_way(editor: Page) -> None:
    editor.get_by_role("button", name="+ Compare versions of the page").click()
    editor.get_by_label("Question to ask in another way").select_option(label="1: Have you cheated?")
    editor.get_by_role("button", name="+ Ask it in another way").click()
    expect(editor.get_by_text("Question 2: Have you cheated? instead of question 1: Have you cheated?")).to_be_visible()
    expect(editor.locator("[data-of='item:cheated_2']")).to_contain_text("version 2 only")
    editor.get_by_role("button", name="Use the usual words: Version 2").click()
    expect(editor.get_by_label("Consent statement of this version").nth(1)).to_have_value(
        "On my version of this page, fewer tickets decide than on another version. I agree to that."
    )
    expect(editor.get_by_text("Version 2: privacy loss (epsilon)")).to_be_visible()
    editor.get_by_role("group", name="Asked in another way: Version 2").scroll_into_view_if_needed()
    picture(editor, "arms-instead")
    wait_until_saved(editor)
    editor.locator("[data-of='item:cheated_2']").click()
    expect(editor.get_by_role("button", name="Version 2", exact=True)).to_have_attribute("aria-pressed", "true")
    expect(frame(editor).locator("#question-1")).to_be_hidden()
    expect(frame(editor).locator("#question-2 .question-number")).to_have_text("Question 1")
    editor.locator("[data-of='item:cheated']").click()
    expect(frame(editor).locator("#question-2")).to_be_hidden()
    expect(frame(editor).locator("#question-1 .question-number")).to_have_text("Question 1")
    editor.locator("[data-of=background]").click()
    saved = definition()
    assert saved["background_questions"]["questions"][0]["arms"][1]["instead"] == {"cheated": "cheated_2"}
    assert [item["key"] for item in saved["items"]] == ["cheated", "cheated_2", "mood"]
    error = error_of_draft(Survey.objects.get())
    assert error is not None
    assert "consent_statements" in str(error)
    editor.get_by_role("button", name="Delete all versions").click()
    wait_until_saved(editor)
    assert [item["key"] for item in definition()["items"]] == ["cheated", "mood"]


@pytest.mark.long
def test_two_versions_with_a_coin_are_added_by_a_click(editor: Page) -> None:
    editor.get_by_role("button", name="+ Compare versions of the page").click()
    editor.get_by_role("button", name="+ Add two versions with a coin").click()
    expect(editor.get_by_label("Version 4", exact=True)).to_have_value("Own coin 2")
    expect(editor.get_by_label("Randomised by").nth(3)).to_have_value("own_coin")
    expect(editor.get_by_role("button", name="+ Add two versions with a coin")).to_have_count(0)
    editor.get_by_label("Expected responses").fill("4000")
    expect(editor.get_by_text("responses show 10 % of people who mark No whatever their coin shows")).to_be_visible()
    editor.get_by_label("Randomised by").nth(2).scroll_into_view_if_needed()
    wait_until_saved(editor)
    picture(editor, "arms-coins")
    editor.get_by_role("button", name="Version 3", exact=True).click()
    rules = frame(editor).locator("#question-1 .toss")
    expect(rules).to_contain_text("Two heads: mark “No”, whatever your answer is.")
    editor.locator("[data-of='item:cheated']").click()
    editor.get_by_label("Question", exact=True).first.fill("Have you ever cheated?")
    expect(frame(editor).locator("#question-1")).to_contain_text("Have you ever cheated?")
    expect(rules).to_be_visible()
    editor.locator("[data-of=background]").click()
    wait_until_saved(editor)
    saved = definition()
    assert [one["explanation"] for one in saved["background_questions"]["questions"][0]["arms"][2:]] == ["own_coin"] * 2
    assert saved["items"][1]["channel"] == {"name": "warner", "truth": "1/4"}
    assert error_of_draft(Survey.objects.get()) is None


@pytest.mark.long
def test_version_with_a_coin_is_refused_beside_itself(editor: Page, draft: Survey) -> None:
    draft.items.filter(key="mood").update(truth="2/5")
    editor.reload()
    editor.locator("[data-of=background]").click()
    editor.get_by_role("button", name="+ Compare versions of the page").click()
    editor.get_by_label("Expected responses").fill("4000")
    editor.get_by_label("Randomised by").nth(1).select_option("own_coin")
    expect(
        editor.get_by_text("own_coin needs tables that coins or dice have; that of mood has 5 tickets").first
    ).to_be_visible()


@pytest.mark.long
def test_list_counts_them_and_a_fault_leads_to_its_field(editor: Page) -> None:
    row = editor.locator("[data-of=background]")
    ask(editor, 1, "Where do you live?", "North", "South")
    ask(editor, 2, "Do you have a job?", "Yes", "")
    expect(row).to_contain_text("2 questions, sent openly")
    expect(row.locator(".editor-count")).to_contain_text("1 missing")
    editor.locator("[data-of='item:cheated']").click()
    editor.locator(".editor-problems").get_by_role("button", name="Background question 2").first.click()
    expect(row).to_have_attribute("aria-current", "true")
    expect(editor.get_by_label("Choice 2", exact=True).nth(1)).to_be_focused()
    expect(frame(editor).get_by_text("Do you have a job?", exact=True)).to_be_in_viewport()
