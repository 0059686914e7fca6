"""The planner in a real browser: a slider moves numbers and curves without a reload, by keyboard, for everybody."""

import re

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Locator, Page, Route

from surveys.models import Survey
from tests.browser.accessibility import THEME, on_every_screen
from tests.browser.panel import sign_in
from tests.browser.states import UNFOLD
from tests.tools.browser import PATIENCE


@pytest.fixture
def frank_page(panel_page: Page) -> Page:
    """A page whose console may say that an answer was a refusal."""
    return panel_page


def slider(page: Page, name: str) -> Locator:
    return page.locator(f"[data-slides=plan-{name}]")


def value(page: Page, tile: str) -> str:
    return page.locator(f"[data-tile={tile}] .planner-value").inner_text().replace("\u00a0", " ")


def dot(page: Page, curve: str) -> tuple[str | None, str | None]:
    mark = page.locator(f"[data-curve={curve}] .curve-dot")
    return mark.get_attribute("cx"), mark.get_attribute("cy")


def line(page: Page, curve: str) -> str | None:
    return page.locator(f"[data-curve={curve}] .curve-line").get_attribute("points")


@pytest.mark.long
def test_plan_slider_updates_numbers_without_reload(page: Page, alice: User) -> None:
    sign_in(page, alice)
    page.goto("/panel/plan/")
    page.evaluate("window.same = true")
    assert (value(page, "epsilon"), value(page, "direct")) == ("1.10", "176 respondents")
    before = (dot(page, "epsilon"), line(page, "width-n"), line(page, "width"))
    slider(page, "truth").focus()
    page.keyboard.press("End")
    page.locator("[data-tile=epsilon] .planner-value", has_text="5.30").wait_for()
    assert page.locator("[data-tile=epsilon] .planner-cautions p").first.inner_text().startswith("Weak protection")
    assert page.locator("#plan-truth").input_value() == "0.99"
    assert page.locator("#plan-epsilon").input_value() == "5.30"
    after = (dot(page, "epsilon"), line(page, "width-n"), line(page, "width"))
    assert after[0] != before[0], "the dot moved"
    assert after[1] != before[1], "the curve over the respondents is another one"
    assert after[2] == before[2], "the curve over the truth is the same, wherever the dot stands on it"
    page.keyboard.press("ArrowLeft")
    page.locator("[data-tile=epsilon] .planner-value", has_text="4.60").wait_for()
    assert page.evaluate("window.same"), "nothing was loaded anew"
    assert "truth=0.98" in page.url, "the address holds the plan"


@pytest.mark.long
def test_plan_epsilon_moves_truth_and_respondents_width(page: Page, alice: User) -> None:
    sign_in(page, alice)
    page.goto("/panel/plan/")
    page.locator("#plan-epsilon").fill("2")
    page.locator("[data-tile=epsilon] .planner-value", has_text="2.00").wait_for()
    assert page.locator("#plan-truth").input_value() == "0.7615"
    assert page.get_by_label("use this value").nth(1).is_checked()
    width = value(page, "width")
    slider(page, "respondents").focus()
    page.keyboard.press("Home")
    page.locator("[data-tile=width]", has_text="With 100 responses").wait_for()
    assert page.locator("#plan-respondents").input_value() == "100"
    assert value(page, "width") != width
    assert "100 responses" in page.locator("[aria-live=polite]").first.inner_text()


@pytest.mark.long
def test_plan_other_kind_has_own_fields(frank_page: Page, alice: User) -> None:
    page = frank_page
    sign_in(page, alice)
    page.goto("/panel/plan/")
    page.locator("#plan-kind").select_option("number")
    page.locator("[data-tile=width] .planner-value", has_text="units").wait_for()
    assert page.locator("#plan-mechanism").input_value() == "one_bit"
    assert not page.locator("#plan-share").is_visible()
    page.locator("#plan-mechanism").select_option("discrete_laplace")
    page.locator("[data-curve=width]", has_text="epsilon").wait_for()
    assert not page.locator("#plan-truth").is_visible()
    page.locator("#plan-maximum").fill("-3")
    page.get_by_role("alert").filter(has_text="maximum must be greater than minimum").wait_for()


@pytest.mark.long
def test_plan_truth_is_used_in_draft(page: Page, alice: User, survey: Survey) -> None:
    sign_in(page, alice)
    page.goto("/panel/survey/campus/")
    page.get_by_role("link", name="Plan the questions").click()
    page.get_by_role("link", name="How do you feel?").click()
    slider(page, "truth").focus()
    page.keyboard.press("ArrowLeft")
    page.locator("[data-total=text]", has_text="2.46").wait_for()
    assert page.locator("[data-total=written]").inner_text() == "2.49"
    assert page.locator("[data-line=mood] [data-of=epsilon]").inner_text() == "1.36"
    assert survey.items.get(key="mood").truth == "1/2"
    page.get_by_role("button", name="Use in the draft").click()
    page.get_by_text("mood now has truth probability 0.49.").wait_for()
    assert survey.items.get(key="mood").truth == "0.49"
    assert page.locator("[data-total=written]").inner_text() == "2.46"


def test_plan_use_takes_the_number_shown(page: Page, alice: User, survey: Survey) -> None:
    """Before the script has heard what it means; and Enter in the field computes, and writes nothing."""
    sign_in(page, alice)
    page.route("**/api/v1/surveys/campus/plan/**", lambda route: None)  # it never answers
    page.goto("/panel/survey/campus/plan/?item=mood")
    page.locator("#plan-truth").fill("0.37")
    page.locator("#plan-truth").press("Enter")
    assert survey.items.get(key="mood").truth == "1/2"
    page.get_by_role("button", name="Use in the draft").click()
    page.get_by_text("mood now has truth probability 0.37.").wait_for()
    assert survey.items.get(key="mood").truth == "0.37"


@pytest.mark.long
def test_plan_input_before_script_runs_is_computed(page: Page, alice: User, survey: Survey) -> None:
    """On a slow line: the page stands, its script is still on its way."""
    sign_in(page, alice)
    held: list[Route] = []
    page.route("**/panel/plan*.js", lambda route: held.append(route))
    page.goto("/panel/survey/campus/plan/?item=mood", wait_until="commit")
    page.locator("#plan-truth").fill("0.37")
    while not held:
        page.wait_for_timeout(20)
    held[0].continue_()
    page.locator("[data-status]", has_text="37").wait_for()
    assert "truth=0.37" in page.url


@pytest.mark.long
def test_plan_without_script_is_a_form(
    browser: Browser,
    frank_page: Page,
    running_site: str,
    alice: User,
) -> None:
    sign_in(frank_page, alice)
    signed_in = frank_page.context.storage_state()
    context = browser.new_context(base_url=running_site, java_script_enabled=False, storage_state=signed_in)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto("/panel/plan/")
    page.locator("#plan-truth").fill("1/3")
    page.get_by_role("button", name="Compute").click()
    assert value(page, "epsilon") == "0.70"
    assert page.locator("svg.curve").count() == 7
    assert not slider(page, "truth").is_visible()
    context.close()


@pytest.mark.long
@pytest.mark.parametrize(
    "path",
    [
        "/panel/plan/?kind=one_choice&choices=10&truth=0.6&share=2&respondents=200",
        "/panel/plan/?kind=number&truth=2",
        "/panel/survey/campus/plan/?item=mood",
    ],
)
def test_axe_plan_page_and_width(frank_page: Page, alice: User, survey: Survey, path: str) -> None:
    page = frank_page
    sign_in(page, alice)
    page.goto(path)
    page.evaluate(UNFOLD)
    for screen, found in on_every_screen(page, excused=THEME):
        assert found == [], screen
        fields, result = (page.locator(part).bounding_box() for part in (".planner-form", ".planner-result"))
        assert fields is not None
        assert result is not None
        assert (result["x"] > fields["x"]) == ("1280" in screen), "beside each other where there is room"
        assert result["width"] > 300


@pytest.mark.long
def test_plan_curves_have_text_alternatives(page: Page, alice: User) -> None:
    """What the picture shows is read out: its name, and the value at the chosen point; after a move too."""
    sign_in(page, alice)
    page.goto("/panel/plan/")
    page.locator("#plan-truth").fill("0.8")
    page.locator("[data-tile=epsilon] .planner-value", has_text="2.20").wait_for()
    pictures = page.get_by_role("img").filter(has=page.locator("polyline")).all()
    assert len(pictures) == 7
    for picture in pictures:
        title, words = picture.locator("title").text_content(), picture.locator("desc").text_content()
        assert title
        assert re.search(r"At a truth probability of 80 %: |With 1,000 responses: ", words or "")
