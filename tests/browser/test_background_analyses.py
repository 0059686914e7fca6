"""Weights to several margins and a regression with an interaction, by hand: entered, run, named, read, published."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from collector.designs.selectors import get_design
from estimator.analyses import services as analyses
from estimator.models import Analysis
from estimator.runs import services as estimator
from surveys.accounts.teams import home_team
from surveys.lifecycle.services import close_survey, write_survey
from surveys.models import Survey
from surveys.opening.services import open_survey
from tests.browser.accessibility import CLEAN, THEME, on_every_screen
from tests.browser.panel import sign_in
from tests.factories import background
from tests.tools.browser import IMAGES

SHARES = "question;answer;share\nWhere do you live?;North;25\nwhere_do_you_live;South;25\n"
SHARES += "Where do you live?;3;25,0\nWhere do you live?;West;25\n"


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analyses, "wake", lambda analysis_id: None)
    monkeypatch.setattr(estimator, "wake", lambda run_id: None)


@pytest.fixture
def survey(alice: User, transactional_db: None) -> Survey:
    questions = (background.REGION, background.AGE, background.GENDER)
    found = write_survey(background.definition(*questions, expected=2000), team=home_team(alice))
    background.answer(get_design(open_survey(found).design_id))
    close_survey(found, by=alice)
    return found


def picture(page: Page, name: str) -> None:
    if IMAGES:
        for width, scheme in ((390, "light"), (1280, "light"), (1280, "dark")):
            page.set_viewport_size({"width": width, "height": 800})
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            page.screenshot(path=f"{IMAGES}/analyse-{name}-{width}-{scheme}.png", full_page=True)


def run(page: Page) -> None:
    page.get_by_role("button", name="Run the analysis").click()
    page.wait_for_url("**/panel/analysis/**")
    analyses.execute(Analysis.objects.first().pk)  # type: ignore[union-attr]
    expect(page.locator("[data-run]")).to_have_count(0)  # it looks every few seconds, and loads itself again


@pytest.mark.long
def test_weights_are_found_named_and_used_in_a_regression(page: Page, alice: User, survey: Survey) -> None:
    sign_in(page, alice)
    page.goto("/panel/survey/campus/analyse/?kind=weighting")
    assert dict(on_every_screen(page, excused=THEME)) == CLEAN
    page.get_by_label("18–29").fill("30")
    page.get_by_label("30–44").fill("30")
    page.get_by_label("45–59").fill("20")
    page.get_by_label("60 or older").fill("20")
    page.get_by_label("Shares as a table").fill(SHARES)
    page.get_by_label("Name").fill("Census 2021")
    picture(page, "weighting-form")
    run(page)
    expect(page.get_by_role("heading", name="Census 2021")).to_be_visible()
    expect(page.locator(".quote")).to_contain_text("In a population with these shares an estimated")
    assert dict(on_every_screen(page, excused=THEME)) == CLEAN
    picture(page, "weighting")

    page.goto("/panel/survey/campus/analyse/?kind=regression")
    page.get_by_label("Weights").select_option(label="Census 2021")
    page.get_by_label("What is your gender?", exact=True).select_option(label="No predictor")
    picture(page, "regression-form")
    run(page)
    expect(page.locator(".quote").last).to_contain_text("The groups differ (Wald statistic")
    picture(page, "regression-weighted")

    page.goto("/panel/survey/campus/analyse/?kind=areas")
    page.get_by_label("How old are you?", exact=True).check()
    assert dict(on_every_screen(page, excused=THEME)) == CLEAN
    picture(page, "areas-form")
    run(page)
    expect(page.locator(".quote").nth(1)).to_contain_text("It is highest in “West”")
    assert dict(on_every_screen(page, excused=THEME)) == CLEAN
    picture(page, "areas")

    page.goto("/panel/survey/campus/analyse/?kind=regression")
    page.get_by_label("What is your gender?", exact=True).select_option(label="No predictor")
    page.get_by_label("Where do you live? × How old are you?").check()
    page.get_by_label("Weakly informative priors").check()
    run(page)
    expect(page.locator(".quote").last).to_contain_text("do not show that “Where do you live?” and “How old are you?”")
    assert dict(on_every_screen(page, excused=THEME)) == CLEAN
    picture(page, "regression-interaction")
    page.get_by_label("Name").fill("Region by age")
    page.get_by_label("Show it in the report").check()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", name="Region by age")).to_be_visible()
    assert Analysis.objects.get(name="Region by age").published


@pytest.mark.long
def test_groups_are_compared_with_weights_to_two_questions_together(page: Page, alice: User, survey: Survey) -> None:
    lines = [f"Where do you live?;{k};How old are you?;{a};{1000 - 100 * a}" for k in range(1, 5) for a in range(1, 5)]
    sign_in(page, alice)
    page.goto("/panel/survey/campus/analyse/?kind=weighting")
    page.get_by_label("Shares as a table").fill("\n".join(lines))
    run(page)
    expect(page.get_by_role("alert").or_(page.locator(".quote").first)).to_be_visible()
    expect(page.get_by_role("heading", name="Where do you live? × How old are you?")).to_be_visible()
    assert dict(on_every_screen(page, excused=THEME)) == CLEAN
    picture(page, "weighting-together")
    page.goto("/panel/survey/campus/analyse/?kind=comparison")
    page.get_by_label("Which groups").select_option("pairs:where_do_you_live")
    page.get_by_label("Weights").select_option(index=1)
    picture(page, "comparison-form")
    run(page)
    expect(page.locator(".quote").first).to_contain_text("Where do you live?")
    expect(page.locator(".analyse-method").filter(has_text="Šidák")).to_be_visible()
    assert dict(on_every_screen(page, excused=THEME)) == CLEAN
    picture(page, "comparison-weighted")


@pytest.mark.long
def test_predictor_enters_in_steps(page: Page, alice: User, survey: Survey) -> None:
    sign_in(page, alice)
    page.goto("/panel/survey/campus/analyse/?kind=regression")
    page.get_by_label("Where do you live?", exact=True).select_option(label="In steps, first to last")
    page.get_by_label("What is your gender?", exact=True).select_option(label="No predictor")
    assert dict(on_every_screen(page, excused=THEME)) == CLEAN
    picture(page, "regression-steps-form")
    run(page)
    expect(page.locator(".quote").first).to_contain_text("With each further answer to “Where do you live?” the odds")
    expect(page.get_by_role("heading", name="Model")).to_be_visible()
    assert dict(on_every_screen(page, excused=THEME)) == CLEAN
    picture(page, "regression-steps")


def test_background_question_is_crossed_with_a_randomised_one(page: Page, alice: User, survey: Survey) -> None:
    sign_in(page, alice)
    page.goto("/panel/survey/campus/analyse/?kind=cross-table")
    page.get_by_label("First question").select_option(label="In steps · Where do you live?")
    page.get_by_label("Second question").select_option("cheated")
    picture(page, "cross-table-form")
    run(page)
    expect(page.locator(".quote").last).to_contain_text("Where one number is higher, so is the other: the correlation")
    assert dict(on_every_screen(page, excused=THEME)) == CLEAN
    picture(page, "cross-table-steps")


@pytest.mark.long
def test_all_choices_of_a_question_are_regressed_in_order(page: Page, alice: User, survey: Survey) -> None:
    sign_in(page, alice)
    page.goto("/panel/survey/campus/analyse/?kind=regression")
    page.get_by_label("Answer", exact=True).select_option("mood")
    page.get_by_label("Model", exact=True).select_option("ordinal")
    page.get_by_label("What is your gender?", exact=True).select_option(label="No predictor")
    page.get_by_label("How old are you?", exact=True).select_option(label="No predictor")
    run(page)
    expect(page.get_by_role("heading", name="Share of “Low” in each group")).to_be_visible()
    expect(page.get_by_role("heading", name="Odds ratios of a higher choice")).to_be_visible()
    assert dict(on_every_screen(page, excused=THEME)) == CLEAN
    picture(page, "regression-ordinal")


@pytest.mark.long
def test_randomised_answer_is_a_predictor(page: Page, alice: User, survey: Survey) -> None:
    sign_in(page, alice)
    page.goto("/panel/survey/campus/analyse/?kind=regression")
    page.get_by_label("Randomised answer as a predictor").select_option("mood")
    page.get_by_label("What is your gender?", exact=True).select_option(label="No predictor")
    page.get_by_label("Where do you live?", exact=True).select_option(label="No predictor")
    page.get_by_label("Their effects differ by").select_option(label="Where do you live?")
    page.get_by_label("Weakly informative priors").check()
    picture(page, "regression-latent-form")
    run(page)
    expect(page.locator(".quote").last).to_contain_text("The data do not show that the effect of the answer to “How")
    expect(page.locator(".quote").last).to_contain_text("differs by “Where do you live?”")
    assert dict(on_every_screen(page, excused=THEME)) == CLEAN
    expect(page.get_by_role("heading", name="Differences of the share of “Yes”")).to_be_visible()
    picture(page, "regression-latent")


@pytest.mark.long
def test_yes_to_several_questions_is_counted(page: Page, alice: User, survey: Survey) -> None:
    sign_in(page, alice)
    page.goto("/panel/survey/campus/analyse/?kind=scores")
    expect(page.get_by_label("Have you cheated?")).to_be_checked()
    page.get_by_label("How do you feel? “Low”").check()
    picture(page, "scores-form")
    run(page)
    expect(page.locator(".quote").first).to_contain_text("would truthfully say Yes to none of the 2 questions.")
    assert dict(on_every_screen(page, excused=THEME)) == CLEAN
    picture(page, "scores")
