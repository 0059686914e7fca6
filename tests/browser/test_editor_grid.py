"""Grids and dropdowns in the survey editor: rows typed and pasted, one scale for all, and what respondents see."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from surveys.accounts.teams import home_team
from surveys.lifecycle.services import write_survey
from surveys.models import Survey
from tests.browser.editing import WIDE, definition, frame, opened, picture, wait_until_saved
from tests.browser.panel import PHONE
from tests.factories import payloads

PASTE = """(text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
    document.activeElement.dispatchEvent(event);
}"""


@pytest.fixture(autouse=True)
def draft(alice: User) -> Survey:
    return write_survey(payloads.definition(), team=home_team(alice))


@pytest.fixture
def editor(panel_page: Page, alice: User) -> Page:
    panel_page.set_viewport_size(WIDE)  # type: ignore[arg-type]
    return opened(panel_page, alice)


def rows() -> list[dict[str, Any]]:
    return [item for item in definition()["items"] if "heading" in item]


@pytest.mark.long
def test_grid_is_written_by_rows_and_one_scale(editor: Page) -> None:
    editor.get_by_role("button", name="+ Add question").click()
    editor.get_by_role("button", name="Grid Several items with one scale").click()
    expect(editor.get_by_label("Heading of the grid")).to_be_focused()
    editor.keyboard.type("How good was your week?")
    editor.get_by_label("Row 1", exact=True).fill("Sleep")
    editor.keyboard.press("Enter")
    editor.evaluate(PASTE, "- Food\n- Work\n")
    expect(editor.get_by_label("Row 3", exact=True)).to_have_value("Work")
    editor.get_by_role("button", name="Delete: Row 4").click()
    editor.get_by_role("button", name="+ Add option").click()
    editor.keyboard.type("Bad")
    editor.keyboard.press("Enter")
    editor.keyboard.type("Good")
    editor.get_by_label("Required").uncheck()
    frame(editor).get_by_text("How good was your week?").first.wait_for()
    wait_until_saved(editor)
    picture(editor, "grid")
    assert [row["wording"]["en"] for row in rows()] == ["Sleep", "Food", "Work"]
    assert [row["key"] for row in rows()] == ["sleep", "food", "work"]
    shared = [{name: value for name, value in row.items() if name not in ("key", "wording")} for row in rows()]
    assert shared[0] == shared[1] == shared[2]
    assert [choice["en"] for choice in shared[0]["choices"]] == ["Bad", "Good"]
    assert shared[0]["required"] is False
    editor.get_by_role("button", name="Move up: Row 3").click()
    editor.get_by_role("slider").fill("20")
    wait_until_saved(editor)
    editor.wait_for_timeout(500)
    wait_until_saved(editor)
    assert [row["key"] for row in rows()] == ["sleep", "work", "food"]
    assert len({str(row["channel"]) for row in rows()}) == 1, "one protection for all rows"
    editor.get_by_role("button", name="Delete", exact=True).click()
    wait_until_saved(editor)
    assert rows() == []


@pytest.mark.long
def test_dropdown_takes_a_long_pasted_list(editor: Page) -> None:
    editor.get_by_role("button", name="+ Add question").click()
    editor.get_by_role("button", name="Dropdown One of a long list").click()
    editor.keyboard.type("Where do you live?")
    editor.get_by_role("button", name="+ Add option").click()
    editor.evaluate(PASTE, "\n".join(f"Region {number}" for number in range(1, 256)))
    expect(editor.get_by_label("Option 255", exact=True)).to_have_value("Region 255")
    frame(editor).locator("#question-2 option").nth(255).wait_for(state="attached")
    wait_until_saved(editor)
    picture(editor, "dropdown")
    found = next(item for item in definition()["items"] if item["key"] == "where_do_you_live")
    assert (found["kind"], found["dropdown"], len(found["choices"])) == ("one_choice", True, 255)


@pytest.mark.long
def test_grid_needs_no_mouse_and_is_read_on_a_phone(panel_page: Page, alice: User) -> None:
    page = panel_page
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    opened(page, alice)
    page.get_by_role("button", name="Questions", exact=True).click()
    page.get_by_role("button", name="+ Add question").press("Enter")
    page.get_by_role("button", name="Grid Several items with one scale").press("Enter")
    page.keyboard.type("How often?")
    page.keyboard.press("Tab")
    page.keyboard.type("Wine")
    page.keyboard.press("Enter")
    page.keyboard.type("Beer")
    picture(page, "grid-phone")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    wait_until_saved(page)
    assert [row["wording"]["en"] for row in rows()][:2] == ["Wine", "Beer"]


def orders() -> dict[str, Any]:
    """What the new question says of the order of its options."""
    written = next(item for item in definition()["items"] if item["key"] == "which_one")
    return {name: written[name] for name in ("shuffle", "keep_last") if name in written}


@pytest.mark.long
def test_last_option_stays_last_only_while_the_others_are_shuffled(editor: Page) -> None:
    editor.get_by_role("button", name="+ Add question").click()
    editor.get_by_role("button", name="One choice").click()
    editor.keyboard.type("Which one?")
    editor.get_by_role("button", name="+ Add option").click()
    editor.evaluate(PASTE, "A\nB\nOther")
    expect(editor.get_by_label("Option 3", exact=True)).to_have_value("Other")
    kept = editor.get_by_label("Last option stays last", exact=True)
    expect(kept).to_have_count(0)
    editor.get_by_label("Shuffle options", exact=True).check()
    kept.check()
    wait_until_saved(editor)
    picture(editor, "last-option")
    assert orders() == {"shuffle": True, "keep_last": True}
    frame(editor).locator(".choice", has_text="Other").wait_for()
    editor.get_by_label("Shuffle options", exact=True).uncheck()
    expect(kept).to_have_count(0)
    wait_until_saved(editor)
    assert orders() == {}
