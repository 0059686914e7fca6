"""From the sign-in link to an open survey of 8 questions of all kinds in two languages: every click is counted.

How long a person takes for it is reckoned by the keystroke-level model (Card, Moran and Newell 1980): to think 1.35 s,
to point 1.1 s, to press a key or a button 0.2 s, to move the hand between keys and mouse 0.4 s.
"""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Locator, Page, expect

from surveys.definition.mechanisms import KINDS
from surveys.lifecycle import selectors
from surveys.models import Survey
from tests.browser.panel import follow_sign_in_link

MOST_CLICKS, MOST_SECONDS = 40, 360
THINK, POINT, PRESS, HOME = 1.35, 1.1, 0.2, 0.4
CLICK = THINK + POINT + PRESS
COPY = THINK + 2 * PRESS + HOME + 2 * POINT + PRESS + HOME + 2 * PRESS
"""To the document, mark a text there from its beginning to its end, and copy it."""
PASTE_TEXT = THINK + 2 * PRESS + 2 * PRESS
"""Back from it, and paste."""
WIDE = {"width": 1440, "height": 900}

QUESTIONS = [
    ("Yes or no", "Have you ever cheated in an exam?", ""),
    ("Yes or no", "Have you ever paid for a text?", ""),
    ("Yes or no", "Do you know somebody who sells texts?", ""),
    ("One choice", "Which drug did you try first?", "- None\n- Cannabis\n- Ecstasy\n- Another one"),
    ("One choice", "Where do you study most?", "1. At home\n2. In the library\n3. Elsewhere"),
    ("Several choices", "Which of these did you take this year?", "Coffee tablets\nRitalin\nModafinil"),
    ("Scale", "How well do you feel?", "Very badly\nBadly\nSo-so\nWell\nVery well"),
    ("Number", "How many exams did you fail?", ""),
]
"""Kind, wording, and options as they stand in a document."""

PASTE = """(text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    const paste = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
    document.activeElement.dispatchEvent(paste);
}"""


class Author:
    """Somebody at the editor, who presses what can be seen and pastes her texts where the focus is."""

    def __init__(self, page: Page) -> None:
        self.page, self.clicks, self.pasted = page, list[str](), 0

    def press(self, what: Locator) -> None:
        what.click()
        self.clicks.append(str(what))

    def button(self, name: str, *, exact: bool = False) -> None:
        self.press(self.page.get_by_role("button", name=name, exact=exact))

    def paste(self, words: str) -> None:
        """A line into a field; several lines as the editor takes a list."""
        self.pasted += 1
        if "\n" in words:
            self.page.evaluate(PASTE, words)
        else:
            self.page.keyboard.insert_text(words)

    @property
    def seconds(self) -> float:
        return len(self.clicks) * CLICK + self.pasted * (COPY + PASTE_TEXT)


def add_question(author: Author, kind: str, wording: str, options: str) -> None:
    author.button("+ Add question")
    author.press(author.page.locator(".editor-kind", has_text=kind).first)
    expect(author.page.get_by_label("Question", exact=True)).to_be_focused()
    author.paste(wording)
    if options:
        author.button("+ Add option")
        author.paste(options)


def translate(author: Author, folder: Path) -> None:
    """The table out to a translator, and in again with every text in German."""
    page = author.page
    author.button("Title, introduction, languages")
    author.press(page.get_by_label("Deutsch"))
    author.button("Translate", exact=True)
    with page.expect_download() as download:
        author.button("Download CSV")
    head, *rows = download.value.path().read_text(encoding="utf-8-sig").splitlines()
    assert head == '"text","en","de"'
    filled = [f'{row[:-2]}"Auf Deutsch"' if row.endswith(',""') else row for row in rows]
    sheet = folder / "texts.csv"
    sheet.write_text("\n".join([head, *filled]), encoding="utf-8")
    page.get_by_label("Upload translations").set_input_files(sheet)
    author.clicks.append("Upload CSV")
    page.get_by_text("are taken over.").wait_for()


@pytest.mark.long
def test_survey_in_two_languages_is_open_after_few_clicks(panel_page: Page, alice: User, tmp_path: Path) -> None:
    page = panel_page
    page.set_viewport_size(WIDE)  # type: ignore[arg-type]
    author = Author(page)
    follow_sign_in_link(page, alice)
    author.clicks.append("Sign in")
    author.press(page.get_by_role("main").get_by_role("link", name="New survey"))
    author.press(page.get_by_label("Title"))
    author.paste("Students and drugs")
    author.button("Write questions")
    page.wait_for_url("**/edit/")
    for question in QUESTIONS:
        add_question(author, *question)
    translate(author, tmp_path)
    over = page.get_by_role("button", name="Fit to budget")
    expect(page.locator(".editor-budget")).to_have_attribute("aria-busy", "false")
    if over.is_visible():
        author.press(over)
    page.get_by_text("Ready to open").wait_for()
    expect(page.locator(".editor-status")).to_contain_text("Saved")
    author.press(page.get_by_role("link", name="Open …"))
    author.button("Open version 1")
    page.locator(".candor-mark.candor-open").first.wait_for()
    survey = Survey.objects.get()
    definition = selectors.definition_of(survey)
    assert survey.state == Survey.State.OPEN
    assert {item["kind"] for item in definition["items"]} >= {
        "yes_no",
        "one_choice",
        "several_choices",
        "scale",
        "number",
    }
    assert set(KINDS) >= {item["kind"] for item in definition["items"]}
    assert (len(definition["items"]), definition["languages"]) == (8, ["en", "de"])
    assert definition["items"][0]["key"] == "have_you_ever_cheated_in_an_exam", "no key was typed"
    assert len(author.clicks) <= MOST_CLICKS, author.clicks
    assert author.pasted == 1 + len(QUESTIONS) + sum(bool(options) for _, _, options in QUESTIONS)
    assert author.seconds <= MOST_SECONDS
