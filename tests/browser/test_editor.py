"""The survey editor: writing a survey by mouse and by keys, saving by itself, and two people in one draft."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, Route, expect

from surveys.accounts.teams import home_team
from surveys.definition.changes import Change
from surveys.lifecycle import drafts
from surveys.lifecycle.services import write_survey
from surveys.models import Survey
from surveys.planning.draft_prices import price_of
from tests.browser.accessibility import CLEAN, THEME, on_every_screen
from tests.browser.editing import WIDE, definition, frame, opened, picture, wait_until_saved
from tests.browser.panel import PHONE, fits, sign_in
from tests.factories import payloads

SHOWN = ".editor-screen iframe:not([data-coming])"
EDITOR = "document.querySelector('[data-editor]')"


@pytest.fixture
def draft(alice: User) -> Survey:
    return write_survey(payloads.definition(), team=home_team(alice))


@pytest.fixture
def page(panel_page: Page) -> Page:
    panel_page.set_viewport_size(WIDE)  # type: ignore[arg-type]
    return panel_page


@pytest.fixture
def editor(page: Page, alice: User, draft: Survey) -> Page:
    return opened(page, alice)


def test_survey_is_written_from_title_to_ready(page: Page, alice: User) -> None:
    sign_in(page, alice)
    page.goto("/panel/new/")
    page.get_by_label("Title").fill("Drug use among students")
    page.get_by_role("button", name="Write questions").click()
    page.wait_for_url("**/panel/survey/drug-use-among-students/edit/")
    page.get_by_role("button", name="+ Add question").click()
    picture(page, "kinds")
    page.get_by_role("button", name="One choice").click()
    page.get_by_label("Question", exact=True).fill("Which drug did you try first?")
    page.get_by_role("button", name="+ Add option").click()
    page.get_by_label("Option 1", exact=True).fill("None")
    page.keyboard.press("Enter")
    page.keyboard.type("Cannabis")
    page.keyboard.press("Enter")
    page.evaluate(
        """(text) => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text/plain", text);
            const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
            document.activeElement.dispatchEvent(event);
        }""",
        "- Ecstasy\n- Cocaine\n3. Heroin\n",
    )
    expect(page.get_by_label("Option 5", exact=True)).to_have_value("Heroin")
    page.get_by_label("Offer “prefer not to say”").check()
    frame(page).get_by_text("Which drug did you try first?").first.wait_for()
    frame(page).locator("#question-1").get_by_text("Prefer not to say", exact=True).first.wait_for()
    page.get_by_text("Ready to open").wait_for()
    picture(page, "written")
    wait_until_saved(page)
    (item,) = definition()["items"]
    assert item["key"] == "which_drug_did_you_try_first"
    assert [choice["en"] for choice in item["choices"]] == ["None", "Cannabis", "Ecstasy", "Cocaine", "Heroin"]
    assert item["prefer_not"] == {"en": "Prefer not to say"}
    page.get_by_role("button", name="+ Add question").click()
    page.get_by_role("button", name="Number").click()
    page.get_by_label("Question", exact=True).fill("How often in a month?")
    page.get_by_label("Who is asked").select_option(index=1)
    others = page.get_by_label("Answer randomised and sent for everyone else")
    expect(others).to_have_value("0")
    others.fill("11")
    page.locator(".editor-condition").get_by_text("Must be a number from 0 to 10 in steps of 1; got '11'").wait_for()
    others.fill("3")
    page.get_by_role("button", name="Title, introduction, languages").click()
    page.get_by_label("Deutsch").check()
    page.get_by_text("Deutsch: 8 texts are not translated.").wait_for()
    picture(page, "survey")
    page.get_by_role("button", name="Translate", exact=True).click()
    page.get_by_label("Title in Deutsch").fill("Drogen unter Studierenden")
    sheet = "text;de\r\nitems/how_often_in_a_month/wording;Wie oft im Monat?\r\n"
    file = {"name": "texts.csv", "mimeType": "text/csv", "buffer": sheet.encode()}
    page.get_by_label("Upload translations").set_input_files([file])  # type: ignore[list-item]
    page.get_by_text("1 text is taken over.").wait_for()
    picture(page, "translations")
    page.get_by_text("Deutsch: 6 texts are not translated.").wait_for()
    wait_until_saved(page)
    often = definition()["items"][1]
    assert (often["key"], often["asked_if"], often["unasked"]) == (
        "how_often_in_a_month",
        {"item": "which_drug_did_you_try_first", "answers": [4]},
        "3",
    )
    page.get_by_role("button", name="1 Which drug").click()
    page.get_by_role("button", name="Delete: Option 1").click()
    page.get_by_role("button", name="2 How often").click()
    expect(page.get_by_label("Heroin")).to_be_checked()


@pytest.mark.long
def test_refused_character_is_named_with_its_question(editor: Page) -> None:
    editor.get_by_label("Question", exact=True).fill("Have you \u202eever?")
    status = editor.locator(".editor-status")
    expect(status).to_contain_text("Not saved: Question 1 has U+202E (RIGHT-TO-LEFT OVERRIDE) as character 10")
    editor.get_by_label("Question", exact=True).fill("Have you ever?")
    wait_until_saved(editor)


def losses() -> dict[str, float]:
    """The privacy loss of each question as it is saved, and of all."""
    found = price_of(definition()["items"], 1000)
    return {key: one.epsilon or 0 for key, one in found.questions.items()} | {"all": found.epsilon}


@pytest.mark.long
def test_budget_is_divided_by_sensitivity_and_an_overdraft_is_fitted(editor: Page) -> None:
    budget = editor.locator(".editor-budget")
    very = editor.get_by_role("button", name="Very sensitive")
    expect(budget).to_contain_text("Privacy loss 2.49 of")
    expect(editor.locator(".editor-marks")).to_contain_text("Set by hand")
    very.click()
    expect(very).to_have_attribute("aria-pressed", "true")
    expect(budget).to_contain_text("Privacy loss 1.89 of")
    editor.get_by_role("button", name="Duplicate").click()
    editor.get_by_role("heading", name="Question 2").wait_for()
    editor.get_by_role("button", name="Somewhat").click()
    expect(budget).to_contain_text("Privacy loss 2.89 of")
    picture(editor, "budget")
    editor.get_by_label("Limit of the privacy loss").select_option("2")
    expect(budget).not_to_contain_text("Privacy loss 2.89")
    expect(budget.get_by_role("button")).to_have_count(0)
    expect(budget).to_have_attribute("aria-busy", "false")  # all protection that it led to is in the draft
    wait_until_saved(editor)
    expect(editor.locator(".editor-status")).not_to_contain_text("Not saved")
    spent = losses()
    assert 1.9 < spent["all"] <= 2
    assert spent["cheated_2"] == pytest.approx(2 * spent["cheated"], rel=0.05)
    assert spent["mood"] == pytest.approx(1.386, abs=0.001), "it was set by hand"
    editor.get_by_label("Protection, from stronger to more precise").fill("70")
    expect(editor.locator(".editor-marks")).to_contain_text("Set by hand")
    editor.get_by_role("button", name="Fit to budget").click()
    expect(budget.get_by_role("button")).to_have_count(0)
    expect(budget).to_have_attribute("aria-busy", "false")  # all protection that it led to is in the draft
    wait_until_saved(editor)
    expect(editor.locator(".editor-status")).not_to_contain_text("Not saved")
    assert 1.9 < losses()["all"] <= 2
    editor.get_by_label("Limit of the privacy loss").select_option("other")
    editor.get_by_label("Total privacy loss").fill("0,01")
    editor.keyboard.press("Enter")
    editor.get_by_role("button", name="Fit to budget").click()
    editor.get_by_text("Too little for so many questions").wait_for()
    picture(editor, "budget-stuck")
    editor.get_by_label("Total privacy loss").fill("3.5")
    editor.keyboard.press("Enter")
    expect(editor.get_by_text("Too little for so many questions")).to_have_count(0)
    expect(budget).to_have_attribute("aria-busy", "false")
    wait_until_saved(editor)
    expect(editor.locator(".editor-status")).not_to_contain_text("Not saved")
    assert definition()["privacy_budget"] == "3.5"


@pytest.mark.long
def test_typed_budget_stays_when_a_price_comes(editor: Page) -> None:
    held = list[Route]()
    editor.route("**/edit/pr*", lambda route: held.append(route) if not held else route.continue_())
    budget = editor.locator(".editor-budget")
    editor.get_by_label("Limit of the privacy loss").select_option("other")
    editor.get_by_role("button", name="Very sensitive").click()
    editor.get_by_label("Total privacy loss").fill("3.5")
    expect(budget).to_have_attribute("aria-busy", "true")
    assert held, "else no price comes"
    for route in held:
        route.continue_()
    expect(budget).to_have_attribute("aria-busy", "false")
    expect(editor.get_by_label("Total privacy loss")).to_have_value("3.5")


def meanwhile(draft: Survey, *path: str | int, was: Any, now: Any) -> None:
    """Somebody else saves."""
    assert not drafts.save_changes(draft, [Change(path, was, now)]).clashes


@pytest.mark.long
def test_editor_keeps_both_peoples_changes_and_undoes(editor: Page, draft: Survey) -> None:
    wording = editor.get_by_label("Question", exact=True)
    meanwhile(draft, "items", "mood", "wording", "en", was="How do you feel?", now="How are you?")
    wording.fill("Have you ever cheated?")
    editor.get_by_role("button", name="2 How are you?").wait_for()
    wait_until_saved(editor)
    assert [item["wording"]["en"] for item in definition()["items"]] == ["Have you ever cheated?", "How are you?"]
    editor.route("**/edit/*", lambda route: route.fulfill(status=503))
    wording.fill("Mine?")
    editor.get_by_text("Still trying; nothing is lost.").wait_for()
    meanwhile(draft, "items", "cheated", "wording", "en", was="Have you ever cheated?", now="Theirs?")
    editor.unroute("**/edit/*")
    dialog = editor.get_by_role("dialog")
    dialog.wait_for()
    picture(editor, "clash")
    assert "Theirs?" in dialog.inner_text()
    assert "Mine?" in dialog.inner_text()
    dialog.get_by_role("button", name="Keep mine").click()
    wait_until_saved(editor)
    assert definition()["items"][0]["wording"]["en"] == "Mine?"
    editor.reload()
    editor.get_by_role("heading", name="Question 1").wait_for()
    editor.get_by_role("button", name="Undo").click()
    expect(editor.get_by_label("Question", exact=True)).not_to_have_value("Mine?")
    wait_until_saved(editor)
    assert definition()["items"][0]["wording"]["en"] != "Mine?"


@pytest.mark.long
def test_editor_preview_goes_to_a_question_far_below(page: Page, alice: User) -> None:
    """What is out of sight is not laid out, so where a question stands is known only on the way there."""
    one = payloads.definition()["items"][1]
    items = [one | {"key": f"q{number}", "channel": one["channel"] | {"truth": "1/40"}} for number in range(1, 25)]
    write_survey(payloads.definition(items=items), team=home_team(alice))
    opened(page, alice)
    for number in (24, 9):
        page.locator(".editor-outline").get_by_text(str(number), exact=True).click()
        question = frame(page).locator(f"#question-{number}")
        expect(question.locator("label.choice").last).to_be_in_viewport(ratio=1)
        expect(question.get_by_role("heading").or_(question.locator("legend")).first).to_be_in_viewport(ratio=1)


@pytest.mark.long
def test_editor_by_keys_on_a_phone_and_signed_out(editor: Page, alice: User) -> None:
    editor.get_by_role("button", name="2 How do you feel?").press("Alt+ArrowUp")
    editor.get_by_role("button", name="1 How do you feel?").wait_for()
    wait_until_saved(editor)
    assert [item["key"] for item in definition()["items"]] == ["mood", "cheated"]
    assert dict(on_every_screen(editor, excused=THEME, within=EDITOR)) == CLEAN
    picture(editor, "wide-dark")
    editor.set_viewport_size(PHONE)  # type: ignore[arg-type]
    picture(editor, "phone")
    assert fits(editor)
    editor.get_by_role("button", name="Questions", exact=True).click()
    picture(editor, "phone-outline")
    assert fits(editor)
    editor.get_by_role("button", name="Preview", exact=True).click()
    frame(editor).get_by_text("Have you cheated?").first.wait_for()
    picture(editor, "phone-preview")
    editor.get_by_role("button", name="Edit", exact=True).click()
    editor.context.clear_cookies()
    editor.get_by_label("Question", exact=True).fill("Typed while signed out?")
    editor.get_by_text("Your session has ended.").wait_for()
    sign_in(editor, alice)
    editor.evaluate("window.dispatchEvent(new Event('focus'))")
    wait_until_saved(editor)
    assert "Typed while signed out?" in {item["wording"]["en"] for item in definition()["items"]}


@pytest.mark.long
def test_preview_stays_the_page_when_the_session_ends(editor: Page) -> None:
    question = frame(editor).get_by_text("Have you cheated?").first
    question.wait_for()
    editor.context.clear_cookies()
    with editor.expect_response("**/preview/page"):
        editor.get_by_label("Offer “prefer not to say”").check()
    expect(editor.locator(".editor-screen [data-coming]")).to_have_count(0)
    expect(question).to_be_visible()


def test_find_without_a_match_says_so(editor: Page) -> None:
    rows = editor.locator(".editor-outline [data-of^='item:']")
    expect(rows).to_have_count(2)
    editor.get_by_label("Find a question").fill("feel")
    expect(rows).to_have_count(1)
    editor.get_by_label("Find a question").fill("zebra")
    editor.get_by_text("No question matches.").wait_for()
    expect(rows).to_have_count(0)


@pytest.mark.long
def test_editor_advice_is_dismissed_with_a_reason(editor: Page) -> None:
    editor.get_by_label("Question", exact=True).fill("Surely you have cheated?")
    wait_until_saved(editor)
    editor.locator("[data-advice] summary").click()
    advice = editor.locator("[data-advice] li", has_text="“Surely”")
    advice.get_by_role("button", name="Question 1").click()
    expect(editor.get_by_label("Question", exact=True)).to_be_focused()
    advice.get_by_role("button", name="Dismiss …").click()
    reason = editor.get_by_label("Reason why it does not apply")
    expect(reason).to_be_focused()
    reason.fill("It is a quotation.")
    picture(editor, "advice")
    reason.press("Enter")
    editor.locator("[data-dismissed] summary").click()
    expect(editor.locator("[data-dismissed]")).to_contain_text("It is a quotation.")
    editor.get_by_role("button", name="Show again").click()
    expect(editor.locator("[data-dismissed]")).to_have_count(0)


@pytest.mark.long
def test_editor_compares_versions_and_brings_one_back(editor: Page) -> None:
    editor.get_by_label("Question", exact=True).fill("Did you cheat?")
    wait_until_saved(editor)
    editor.get_by_label("Question", exact=True).fill("Did you cheat in an exam?")
    wait_until_saved(editor)
    expect(editor.locator(".editor-status")).not_to_contain_text("Not saved")
    editor.get_by_role("button", name="Versions").click()
    editor.get_by_role("button", name="Compare version 1").click()
    compared = editor.locator("[data-compared]")
    expect(compared).to_contain_text("Question 1")
    expect(compared).to_contain_text("Have you cheated?")
    picture(editor, "compared")
    editor.get_by_role("button", name="Restore version 1").click()
    expect(editor.get_by_label("Question", exact=True)).to_have_value("Have you cheated?")


def name_of_preview(editor: Page) -> str:
    """The name of the frame, which is another one for each load; its page has reached its first stage."""
    frame(editor).locator("html[data-now]").wait_for()
    return str(editor.locator(SHOWN).get_attribute("name"))


@pytest.mark.long
def test_typed_words_are_put_into_the_preview_that_is_there(editor: Page) -> None:
    question = frame(editor).locator("#question-1")
    question.get_by_text("Question 1").first.wait_for()
    name = name_of_preview(editor)
    wording = editor.get_by_label("Question", exact=True)
    wording.press("End")
    wording.press_sequentially(" & <again>", delay=60)
    expect(question.locator("[data-part=wording]")).to_contain_text("& <again>")
    put = question.inner_text()
    assert put
    assert name_of_preview(editor) == name, "the page was loaded anew"
    editor.locator(".editor-screen").hover()
    expect(editor.locator(SHOWN)).not_to_have_attribute("name", name)
    expect(question).to_have_js_property("innerText", put)


@pytest.mark.long
def test_new_option_is_put_into_the_preview_that_is_there(editor: Page) -> None:
    editor.get_by_role("button", name="2 How do you feel?").click()
    choices = frame(editor).locator("#question-2 label.choice")
    expect(choices).to_have_count(3)
    name = name_of_preview(editor)
    before = editor.locator(".editor-price").first.inner_text()
    editor.get_by_label("Option 3", exact=True).press("Enter")
    editor.keyboard.type("Very low", delay=60)
    expect(choices.last).to_have_text("Very low")
    editor.get_by_label("Offer “prefer not to say”").check()
    expect(choices.last).to_have_text("Prefer not to say")
    editor.get_by_role("button", name="Very sensitive").click()
    expect(editor.locator(".editor-price").first).not_to_have_text(before)
    wait_until_saved(editor)
    assert name_of_preview(editor) == name, "the page was loaded anew"
    editor.locator(".editor-screen").hover()
    expect(editor.locator(SHOWN)).not_to_have_attribute("name", name)
    expect(choices).to_have_text(["Well", "So-so", "Low", "Very low", "Prefer not to say"])
    question = frame(editor).locator("#question-2")
    question.get_by_text("How your answer is protected").click()
    said = "“Prefer not to say” works like the other choices."
    expect(question.locator("[data-part=question-odds]")).to_contain_text(said)
