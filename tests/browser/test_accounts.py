"""Being invited and signing in with a second factor, in a real browser, by what is on the pages; axe finds nothing."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Browser, Page, expect
from sesame.utils import get_token

from surveys.accounts.access import Role
from surveys.accounts.invitations import invite
from surveys.lifecycle.links import sign_in_link
from surveys.models import Survey
from tests.browser.accessibility import CLEAN, THEME, on_every_screen
from tests.browser.panel import follow_sign_in_link, sign_in
from tests.tools.browser import IMAGES
from tests.tools.second_factor import code_of


@pytest.fixture
def page(panel_page: Page) -> Page:
    """Its console may say that an answer was a refusal."""
    return panel_page


def clean(page: Page) -> bool:
    return dict(on_every_screen(page, excused=THEME)) == CLEAN


@pytest.mark.long
def test_join_link_makes_account(page: Page, survey: Survey, alice: User) -> None:
    """The secret leaves the address before anything else is asked for, and no address that is requested holds it."""
    _made, secret = invite(survey.team, Role.EDITOR, by=alice)
    asked = list[str]()
    page.on("request", lambda request: asked.append(request.url.partition("#")[0]))
    page.goto(f"/panel/join/#{secret}")
    page.get_by_role("heading", name="Join Surveys of alice").wait_for()
    assert secret not in page.url + "".join(asked)
    assert clean(page)
    page.get_by_label("User name").fill("erin")
    for label in ("Password", "Password confirmation"):
        page.get_by_label(label, exact=True).fill("seven green bottles")
    page.get_by_role("button", name="Create the account and join").click()
    page.get_by_text("You joined Surveys of alice as editor.").wait_for()
    assert survey.team.memberships.get(user__username="erin").role == Role.EDITOR
    page.goto("/panel/survey/campus/log/")
    assert clean(page)


@pytest.mark.long
def test_sign_in_link_waits_for_button(page: Page, alice: User, survey: Survey) -> None:
    """Its code leaves the address at once, is in no request before the press, and the page is there without scripts."""
    code, asked = get_token(alice), list[str]()
    page.on("request", lambda request: asked.append(f"{request.method} {request.url.partition('#')[0]}"))
    for _ in range(2):  # whoever looked before leaves it whole
        page.goto(f"/panel/sign-in/#{code}")
        page.get_by_text("The link signs you in once.").wait_for()
        assert page.url.endswith("/panel/sign-in/")
        assert not page.get_by_label("Sign-in link, or the part after its #").is_visible()
    assert {line.split()[0] for line in asked} == {"GET"}
    assert clean(page)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/panel/surveys/survey/")
    assert code not in "".join(asked)
    page.go_back()
    assert code not in page.url


def test_a_sign_in_link_is_pasted_without_scripts(browser: Browser, running_site: str, alice: User) -> None:
    context = browser.new_context(base_url=running_site, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"/panel/sign-in/#{get_token(alice)}")
    page.get_by_label("Sign-in link, or the part after its #").fill(sign_in_link(alice))
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/panel/surveys/survey/")
    context.close()


@pytest.mark.long
def test_other_session_is_ended_by_a_press(page: Page, alice: User) -> None:
    elsewhere = Client()
    elsewhere.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    sign_in(page, alice)
    page.goto("/panel/account/")
    sessions = page.get_by_role("region", name="Sessions").get_by_role("listitem")
    expect(sessions).to_have_count(2)
    expect(sessions.first).to_contain_text("This browser")
    assert clean(page)
    if IMAGES:
        page.screenshot(path=f"{IMAGES}/sessions.png", full_page=True)
    sessions.last.get_by_role("button").click()
    expect(page.get_by_text("1 session has ended.")).to_be_visible()
    assert elsewhere.get("/panel/account/").status_code == 302


@pytest.mark.long
def test_second_factor_is_set_up_and_used(page: Page, survey: Survey, alice: User) -> None:
    sign_in(page, alice)
    page.goto(f"/panel/teams/{survey.team_id}/")
    page.get_by_role("button", name="Create a link").click()
    assert "/panel/join/#" in page.get_by_label("Invitation link").input_value()
    assert clean(page)
    page.get_by_role("link", name="My account").click()
    page.get_by_role("link", name="Set up").click()
    assert clean(page)
    page.get_by_label("Code, six digits").fill(code_of(alice))
    page.get_by_role("button", name="Switch on").click()
    recovery = page.locator(".people-codes li").first.inner_text()
    page.context.clear_cookies()
    alice.refresh_from_db()
    follow_sign_in_link(page, alice)
    page.get_by_role("heading", name="Second factor").wait_for()
    assert clean(page)
    page.get_by_label("Code").fill(recovery)
    page.keyboard.press("Enter")
    page.get_by_role("link", name="New survey").first.wait_for()
