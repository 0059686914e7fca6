"""A control question in the survey editor: its known share is written beside it, refused where it tells nothing."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from surveys.accounts.teams import home_team
from surveys.lifecycle.services import write_survey
from surveys.models import Survey
from tests.browser.editing import WIDE, definition, opened, picture, wait_until_saved
from tests.factories import payloads
from tests.tools.gate import few

CONTROL = "Control question: known share of Yes"


@pytest.fixture(autouse=True)
def draft(alice: User) -> Survey:
    return write_survey(payloads.definition(), team=home_team(alice))


@pytest.fixture
def editor(panel_page: Page, alice: User) -> Page:
    panel_page.set_viewport_size(WIDE)  # type: ignore[arg-type]
    return opened(panel_page, alice)


@pytest.mark.long
def test_known_share_is_saved_and_takes_prefer_not_away(editor: Page) -> None:
    editor.get_by_role("button", name="Have you cheated?").first.click()
    editor.get_by_label("Offer “prefer not to say”").check()
    wait_until_saved(editor)
    editor.get_by_label(CONTROL).fill("1/3")
    expect(editor.get_by_label("Offer “prefer not to say”")).not_to_be_checked()
    expect(
        editor.get_by_text("responses show it in 80 % of surveys if 8 % of people answer at random.")
    ).to_be_visible()
    wait_until_saved(editor)
    picture(editor, "control")
    item = definition()["items"][0]
    assert item["known_share"] == "1/3"
    assert "prefer_not" not in item
    editor.get_by_label(CONTROL).fill("")
    wait_until_saved(editor)
    assert "known_share" not in definition()["items"][0]


@pytest.mark.long
def test_half_is_refused_in_words(editor: Page) -> None:
    editor.get_by_role("button", name="Have you cheated?").first.click()
    editor.get_by_label(CONTROL).fill("1/2")
    expect(editor.get_by_text("must not be 1/2").first).to_be_visible()


CHOSEN = [
    ("Understood the ticket?", "Can what this device sends differ from what I tick?", "1"),
    ("Nobody’s Yes", "Have you ever been to the Moon?", "0"),
    ("Attention check", "2, 4, 6: is the next number of this sequence 8?", "1"),
    ("Known share", "Were you born in January, February, March or April?", "120/365"),
]


@pytest.mark.parametrize(("name", "wording", "share"), few(CHOSEN), ids=[name for name, _wording, _share in CHOSEN])
def test_control_question_is_added_by_one_click(editor: Page, name: str, wording: str, share: str) -> None:
    editor.get_by_role("button", name="+ Add question").click()
    if share == "0":
        picture(editor, "control-menu")
    editor.get_by_role("button", name=name).click()
    expect(editor.get_by_label(CONTROL)).to_have_value(share)
    wait_until_saved(editor)
    (item,) = (one for one in definition()["items"] if "known_share" in one)
    assert (item["kind"], item["wording"], item["known_share"]) == ("yes_no", {"en": wording}, share)
    assert "prefer_not" not in item
    assert not item["key"].startswith("new")
    assert item["channel"]["name"]
