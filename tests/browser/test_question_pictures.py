"""Texts and pictures beside questions in a browser: shown where their question is, and loaded alike by everybody."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import BrowserContext, Page, Route, expect

from surveys.accounts.teams import home_team
from surveys.definition.definitions import load
from surveys.definition.pictures import clean_picture
from surveys.lifecycle.services import write_survey
from surveys.models import Survey
from surveys.opening.services import open_survey
from tests.browser.panel import sign_in
from tests.browser.visit import Visit, new_visit, targets
from tests.factories import payloads
from tests.tools.capture import Capture
from tests.tools.picture_files import base64, jpeg, png

SURVEY = f"""
slug: shown
title: Faces
look: {{logo: {{file: seal, alternative: A seal}}}}
sections: [{{key: a, title: First}}, {{key: b, title: Second}}]
pictures: {{seal: {base64(png(300, 80))}, wide: {base64(png(900, 300))},
  glad: {base64(jpeg())}, sad: {base64(png(40, 40, shade=5))}}}
items:
  - key: first
    section: a
    wording: Have you cheated?
  - key: asked
    section: a
    before:
      heading: About that time
      text: "Think of the last time.\\n\\nTake your time."
      picture: {{file: wide, alternative: An empty hall}}
    wording: How did you feel?
    kind: one_choice
    choices: [Well, Low]
    choice_pictures: [{{file: glad, alternative: A smile}}, {{file: sad, alternative: A tear}}]
    channel: {{name: k_ary, truth: 1/3}}
    asked_if: {{item: first, answers: [1]}}
    unasked: Well
  - key: last
    section: b
    before: {{picture: {{file: sad, alternative: A tear again}}}}
    wording: Would you do it again?
"""


@pytest.fixture
def opened(site: Capture, alice: User, context: BrowserContext) -> Visit:
    survey = write_survey(load(SURVEY), team=home_team(alice))
    open_survey(survey, by=alice)
    return new_visit(site, "/s/shown/", context)


def test_every_picture_is_loaded_before_anything_is_answered(opened: Visit, site: Capture, tmp_path: Path) -> None:
    page = opened.open().stage("questions").page
    page.wait_for_function("[...document.images].every((image) => image.complete && image.naturalWidth > 0)")
    assert page.evaluate("document.images.length") == 5
    loaded = sorted(target for target in targets(site) if "/pictures/" in target)
    assert len(loaded) == 4, "each once, also those of hidden questions and sections"
    site.forget()
    title = page.get_by_role("heading", level=1).bounding_box()
    logo = page.get_by_alt_text("A seal", exact=True).bounding_box()
    assert title is not None
    assert logo is not None
    assert logo["y"] + logo["height"] <= title["y"]
    assert not page.get_by_text("Take your time.", exact=True).is_visible()
    opened.choose(1, "Yes")
    assert page.get_by_text("Take your time.", exact=True).is_visible()
    assert page.get_by_alt_text("An empty hall").is_visible()
    for width, scheme in ((360, "light"), (1280, "dark")):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.screenshot(path=tmp_path / f"pictures-{width}.png", full_page=True)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    opened.choose(1, "No")
    assert not page.get_by_alt_text("An empty hall").is_visible()
    opened.press("Next")
    assert page.get_by_alt_text("A tear again").is_visible()
    opened.choose(3, "No").press("Review your answers").stage("review").press("Send").stage("sent")
    assert [target for target in targets(site) if not target.endswith("/reports")] == [], "no request tells anything"
    assert opened.faults == []


def test_picture_command_names_its_own_digest(opened: Visit) -> None:
    page = opened.open().stage("questions").page
    lines = page.locator("[data-part=check-pictures]").text_content()
    assert lines is not None
    assert lines.count("curl -s http://127.0.0.1") == lines.count("| sha256sum") == 4


@pytest.mark.parametrize(
    ("shown", "instead"),
    [
        ('alt="A seal"', 'alt="Another seal"'),
        (clean_picture(png(300, 80)).digest + '.png"', "0" * 64 + '.png"'),
        ('data-part="logo"', ""),
    ],
)
def test_page_with_another_logo_than_the_design_is_refused(opened: Visit, shown: str, instead: str) -> None:
    def changed(route: Route) -> None:
        fetched = route.fetch()
        assert fetched.text().count(shown) == 1
        route.fulfill(response=fetched, body=fetched.text().replace(shown, instead))

    opened.page.route("**/s/shown/", changed)
    opened.open().stage("refused")


@pytest.fixture
def editor(panel_page: Page, alice: User) -> Page:
    write_survey(payloads.definition(), team=home_team(alice))
    panel_page.set_viewport_size({"width": 1440, "height": 900})
    sign_in(panel_page, alice)
    panel_page.goto("/panel/survey/campus/edit/")
    panel_page.get_by_role("heading", name="Question 1").wait_for()
    return panel_page


def test_editor_takes_text_pictures_statements_and_screening(editor: Page, tmp_path: Path) -> None:
    def item() -> Any:
        return Survey.objects.get().items.get(key="cheated")

    editor.get_by_text("Text or image before this question").click()
    editor.locator("[data-path='before/heading']").fill("About exams")
    file = {"name": "hall.png", "mimeType": "image/png", "buffer": png(900, 300)}
    editor.locator("[data-path='before/picture']").set_input_files(file)  # type: ignore[arg-type]
    editor.locator("[data-path='before/picture/alternative']").fill("A hall")
    editor.get_by_text("Images of options").click()
    photo = {"name": "photo.jpg", "mimeType": "image/jpeg", "buffer": jpeg()}
    editor.locator("[data-path='choice_pictures/1']").set_input_files(photo)  # type: ignore[arg-type]
    editor.locator("[data-path='choice_pictures/1/alternative']").fill("A smile")
    shown = editor.frame_locator(".editor-screen iframe:not([data-coming])")
    expect(shown.get_by_alt_text("A smile")).to_be_visible()
    expect(editor.locator(".editor-status")).to_contain_text("Saved")
    editor.screenshot(path=tmp_path / "editor-pictures.png", full_page=True)
    assert item().before["heading"] == {"en": "About exams"}
    assert item().before["picture"]["type"] == "png"
    assert item().choice_pictures[1]["type"] == "webp", "a photo is written anew by the browser"
    editor.get_by_role("button", name="Title, introduction, languages").click()
    editor.locator("summary").get_by_text("Look", exact=True).click()
    seal = {"name": "seal.png", "mimeType": "image/png", "buffer": png(900, 240)}
    editor.locator("[data-path='look/logo']").set_input_files(seal)  # type: ignore[arg-type]
    editor.get_by_role("button", name="The text is empty.").click()
    expect(editor.locator("[data-path='look/logo/alternative']")).to_be_focused()
    editor.keyboard.type("A seal")
    expect(shown.get_by_alt_text("A seal", exact=True)).to_be_visible()
    editor.get_by_text("Consent statements").click()
    editor.get_by_role("button", name="+ Add statement").click()
    editor.get_by_label("Statement 1", exact=True).fill("I am 18.")
    editor.get_by_text("Screening question", exact=True).click()
    editor.get_by_role("button", name="+ Add screening question").click()
    editor.locator("[data-path='screening/wording']").fill("Do you study?")
    editor.get_by_label("Answer 1", exact=True).fill("Yes")
    editor.get_by_label("Answer 2", exact=True).fill("No")
    editor.locator("[data-path='screening/text']").fill("Thank you.")
    expect(editor.locator(".editor-status")).to_contain_text("Saved")
    editor.screenshot(path=tmp_path / "editor-entry.png", full_page=True)
    survey = Survey.objects.get()
    assert survey.logo["width"] == 640, "the browser makes it smaller"
    assert survey.logo["alternative"] == {"en": "A seal"}
    assert survey.consent_statements == [{"en": "I am 18."}]
    assert survey.screening["ends"] == [1]
