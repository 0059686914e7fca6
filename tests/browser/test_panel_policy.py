"""The panel under its policy, in a real browser: what opens and closes still does, and nothing of it is blocked."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Page

from surveys.models import Survey
from tests.browser.panel import PHONE, sign_in
from tests.tools.browser import IMAGES

BLOCKED = """async () => {
    const found = [];
    document.addEventListener("securitypolicyviolation", (event) => found.push(event.effectiveDirective));
    const script = document.createElement("script");
    script.textContent = "window.ran = true";
    document.body.append(script);
    document.body.setAttribute("style", "color: red");
    document.body.append(document.createElement("style"));
    document.body.lastChild.textContent = "body { color: red }";
    const link = document.createElement("button");
    link.setAttribute("onclick", "window.ran = true");
    link.click();
    setTimeout("window.ran = true", 0);
    await new Promise((resolve) => setTimeout(resolve, 100));
    return [found.sort(), window.ran === true];
}"""


@pytest.fixture
def page(panel_page: Page) -> Iterator[Page]:
    """A page in whose console nothing may be said: a blocked script or style would be."""
    page, faults = panel_page, list[str]()
    page.on("console", lambda said: faults.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: faults.append(f"error: {error}"))
    yield page
    page.close()
    assert faults == []


@pytest.fixture
def root(alice: User, survey: Survey) -> User:
    """alice, who may see every account."""
    User.objects.filter(pk=alice.pk).update(is_superuser=True)
    for number in range(3):
        User.objects.create_user(f"colleague-{number}", is_staff=True)
    alice.refresh_from_db()
    return alice


def picture(page: Page, name: str) -> None:
    if IMAGES:
        page.screenshot(path=Path(IMAGES) / f"policy-{name}.png")


@pytest.mark.long
def test_panel_menu_and_theme(page: Page, root: User) -> None:
    sign_in(page, root)
    page.goto("/panel/surveys/survey/")
    menu = page.locator("details[data-menu]")
    menu.locator("summary").click()
    picture(page, "menu")
    menu.get_by_role("button", name="Dark").click()
    assert page.locator("html.dark").count() == 1
    assert menu.get_by_role("button", name="Dark").get_attribute("aria-pressed") == "true"
    picture(page, "menu-dark")
    page.reload()
    assert page.locator("html.dark").count() == 1, "it is remembered"
    menu.locator("summary").press("Enter")
    page.keyboard.press("Escape")
    assert not menu.get_by_role("button", name="Light").is_visible()
    page.keyboard.press("Control+e")
    assert page.locator("html.light").count() == 1
    menu.locator("summary").click()
    menu.get_by_role("button", name="System").click()
    page.emulate_media(color_scheme="dark")
    page.locator("html.dark").wait_for()
    page.locator("h1").first.click()
    assert not menu.get_by_role("button", name="Light").is_visible(), "a press elsewhere closes it"
    menu.locator("summary").click()
    menu.get_by_role("button", name="Log out").click()
    page.wait_for_url("**/panel/logout/")


def test_sidebar_opens_and_closes(page: Page, root: User) -> None:
    sign_in(page, root)
    page.goto("/panel/surveys/survey/")
    templates, toggle = page.locator("#nav-sidebar").get_by_text("Templates"), page.locator("button[data-sidebar]")
    assert templates.is_visible()
    toggle.locator("visible=true").click()
    assert not templates.is_visible()
    page.reload()
    assert not templates.is_visible(), "it is remembered"
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    assert not templates.is_visible()
    toggle.locator("visible=true").click()
    picture(page, "sidebar-phone")
    assert templates.is_visible()
    page.locator("#nav-sidebar button[data-sidebar]").click()
    assert not templates.is_visible()


@pytest.mark.long
def test_list_is_searched_filtered_and_acted_on(page: Page, root: User) -> None:
    sign_in(page, root)
    page.goto("/panel/auth/user/")
    page.keyboard.press("/")
    page.keyboard.type("colleague")
    page.keyboard.press("Enter")
    page.get_by_text("3 results").wait_for()
    page.get_by_role("button", name="Filters").click()
    picture(page, "filters")
    page.keyboard.press("Escape")
    assert not page.locator("#changelist-filter").is_visible()
    page.get_by_role("button", name="Filters").click()
    page.locator("#changelist-filter-close").click(position={"x": 20, "y": 300})
    page.get_by_role("button", name="Filters").click()
    page.locator("#changelist-filter").get_by_role("link", name="Yes").first.click()
    page.wait_for_url("**is_staff__exact=1**")
    page.locator("input.action-select").first.check()
    page.locator("select[name=action]").select_option("delete_selected")
    picture(page, "actions")
    page.get_by_role("button", name="Run").click()
    page.get_by_text("Are you sure").wait_for()
    picture(page, "delete")


@pytest.mark.long
def test_form_has_its_calendar_clock_and_chooser(page: Page, root: User) -> None:
    sign_in(page, root)
    page.goto(f"/panel/auth/user/{User.objects.get(username='colleague-0').pk}/change/")
    page.locator("#calendarlink1").click()
    picture(page, "calendar")
    page.locator(".calendarbox:visible td a", has_text="15").first.click()
    assert page.locator("#id_date_joined_0").input_value().endswith("15")
    page.locator("#id_email").fill("colleague@example.org")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("was changed successfully").wait_for()
    assert User.objects.get(username="colleague-0").email == "colleague@example.org"
    assert page.goto(f"/panel/auth/user/{root.pk}/password/") is not None
    picture(page, "password")


@pytest.mark.long
def test_rows_are_added_and_saved(page: Page, root: User, survey: Survey) -> None:
    """Groups are the theme's own table, questions our lines."""
    sign_in(page, root)
    page.goto(f"/panel/surveys/survey/{survey.pk}/change/")
    groups = page.locator("#groups-group")
    before = survey.groups.count()
    groups.locator(".add-row").click()
    row = groups.locator(".form-group:not(.empty-form)").last
    row.locator("input[name$=-key]").fill("third")
    row.locator("input[name*=-label]").first.fill("Third year")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("is saved").wait_for()
    assert survey.groups.count() == before + 1


def test_sign_in_page_theme(page: Page) -> None:
    page.goto("/panel/login/")
    page.locator("summary[title=Theme]").click()
    page.get_by_role("button", name="Dark").click()
    assert page.locator("html.dark").count() == 1
    assert page.locator("[data-theme-icon]").inner_text() == "dark_mode"
    picture(page, "login-dark")


def test_policy_blocks_inline_script_and_style(browser: Browser, running_site: str) -> None:
    """The test of the tests above: an inline script, handler, style and text that becomes a script are blocked."""
    page = browser.new_page()
    page.goto(f"{running_site}/panel/login/")
    found: Any = page.evaluate(BLOCKED)
    page.close()
    directives, ran = found
    assert set(directives) == {"script-src", "script-src-attr", "script-src-elem", "style-src-attr", "style-src-elem"}
    assert not ran
