"""The panel's form of a question: what its kind and mechanism have no use for is away; without script all is there."""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Page, expect

from surveys.accounts.teams import home_team
from surveys.lifecycle import selectors
from surveys.lifecycle.services import write_survey
from surveys.models import Survey
from tests.browser.panel import DESKTOP, fits, sign_in
from tests.factories.surveys import example
from tests.tools.browser import IMAGES, PATIENCE

OF_KIND = ("choices", "minimum", "maximum", "step", "most", "prefer_not", "may_be_blank", "shuffle", "keep_last")
OF_MECHANISM = ("truth", "yes", "on", "off", "size", "epsilon", "weights")


@pytest.fixture
def kinds(alice: User) -> Survey:
    return write_survey(example(), team=home_team(alice))


@pytest.fixture
def page(browser: Browser, running_site: str, request: pytest.FixtureRequest) -> Iterator[Page]:
    context = browser.new_context(base_url=running_site, viewport=DESKTOP, java_script_enabled=request.param)
    context.set_default_timeout(PATIENCE)
    yield context.new_page()
    context.close()


def shown(page: Page, place: int) -> set[str]:
    fields = (*OF_KIND, *OF_MECHANISM)
    return {name for name in fields if page.locator(f"#id_items-{place}-{name}").locator("xpath=..").is_visible()}


def unfolded(survey: Survey) -> str:
    keys = "&".join(f"open={item.pk}" for item in survey.items.all())
    return f"/panel/surveys/survey/{survey.pk}/change/?{keys}"


@pytest.mark.long
@pytest.mark.parametrize("page", [True], indirect=True)
def test_item_form_shows_only_fields_of_the_kind(page: Page, alice: User, kinds: Survey) -> None:
    sign_in(page, alice)
    page.goto(unfolded(kinds))
    assert shown(page, 0) == {"choices", "prefer_not", "may_be_blank", "truth", "yes"}
    assert shown(page, 2) == {"choices", "prefer_not", "may_be_blank", "shuffle", "keep_last", "on", "off", "epsilon"}
    assert shown(page, 4) == {"choices", "most", "prefer_not", "may_be_blank", "shuffle", "keep_last", "truth", "yes"}
    assert shown(page, 8) == {"minimum", "maximum", "step", "epsilon"}
    page.select_option("#id_items-0-kind", "number")
    assert page.input_value("#id_items-0-mechanism") == "one_bit"
    assert shown(page, 0) == {"minimum", "maximum", "step", "truth"}
    page.select_option("#id_items-0-mechanism", "discrete_laplace")
    assert shown(page, 0) == {"minimum", "maximum", "step", "epsilon"}
    if IMAGES:
        page.set_viewport_size({"width": 1280, "height": 1400})
        page.goto(f"/panel/surveys/survey/{kinds.pk}/change/")
        page.get_by_role("button", name="I am content with my life.").click()
        page.locator("#id_items-5-wording").wait_for()
        page.locator("[data-key=substance]").evaluate("row => row.scrollIntoView()")
        page.screenshot(path=f"{IMAGES}/panel-desktop-questions.png")
    page.set_viewport_size({"width": 360, "height": 800})
    assert fits(page)


@pytest.mark.long
@pytest.mark.parametrize("page", [False], indirect=True)
def test_item_form_without_script_shows_all_fields(page: Page, alice: User, kinds: Survey) -> None:
    sign_in(page, alice)
    page.goto(unfolded(kinds))
    assert page.locator("#id_items-0-minimum").is_enabled()
    assert page.locator("#id_items-0-weights").is_enabled()
    page.goto(f"/panel/surveys/survey/{kinds.pk}/change/")
    page.locator("#id_title").fill("Other")
    page.locator("[data-key=mood] button[name=_duplicate]").click()
    assert page.locator("#items-data [name$='-key']:visible").input_value() == "mood_2"
    page.locator("#id_title").press("Enter")
    page.get_by_text("Before it can be opened", exact=False).or_(page.get_by_text("Ready to open.")).first.wait_for()
    assert selectors.definition_of(kinds)["items"][6]["key"] == "mood_2"


@pytest.mark.long
@pytest.mark.parametrize("page", [True], indirect=True)
def test_item_form_change_to_number_drops_choices(page: Page, alice: User, kinds: Survey) -> None:
    sign_in(page, alice)
    page.goto(unfolded(kinds))
    page.select_option("#id_items-5-kind", "number")
    page.fill("#id_items-5-minimum", "0")
    page.fill("#id_items-5-maximum", "2")
    page.fill("#id_items-5-step", "half")
    page.get_by_role("button", name="Save", exact=True).click()
    summary = page.locator("[data-errors]")
    expect(summary).to_be_focused()
    expect(summary).to_contain_text("Enter a number like 12 or 0.5; got half.")
    summary.get_by_role("link", name="Question 6, Step").click()
    expect(page.locator("#id_items-5-step")).to_be_focused()
    page.fill("#id_items-5-step", "0.5")
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url("**/panel/survey/kinds/#*")  # browsers keep the fragment of the link above in a redirect
    assert selectors.definition_of(kinds)["items"][5] == {
        "key": "mood",
        "kind": "number",
        "wording": {"en": "I am content with my life."},
        "choices": [],
        "minimum": "0",
        "maximum": "2",
        "step": "0.5",
        "section": "second",
        "channel": {"name": "one_bit", "truth": "1/6"},
    }
