"""Closing in a browser: the dialog, one click back, and for good."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page

from estimator.runs import services as estimator
from surveys.models import Survey, Version
from tests.browser.panel import PHONE, fits, sign_in
from tests.tools.webkit import expect


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimator, "wake", lambda run_id: None)


def close(page: Page, *, for_good: bool = False) -> None:
    page.locator("summary", has_text="Close …").click()
    if for_good:
        page.get_by_label("Close permanently at once").check()
    page.locator('form[action$="/close"] button').click()


@pytest.mark.long
def test_close_undo_and_close_for_good_on_a_phone(panel_page: Page, alice: User, version: Version) -> None:
    page = panel_page
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    sign_in(page, alice)
    page.goto("/panel/survey/campus/")
    close(page)
    expect(page.locator("[data-closing]")).to_contain_text("the survey takes no more responses")
    assert fits(page)
    page.get_by_role("button", name="Undo closing").click()
    expect(page.get_by_text("The survey takes responses again.")).to_be_visible()
    assert Survey.objects.get().state == "open"
    close(page)
    page.locator("summary", has_text="Close permanently now …").click()
    page.get_by_role("button", name="Close permanently").click()
    expect(page.get_by_text("No response came, so there is nothing to estimate.").first).to_be_visible()
    expect(page.locator("[data-closing]")).to_have_count(0)
    expect(page.get_by_text("Watch the progress")).to_have_count(0)


def test_close_for_good_at_once(panel_page: Page, alice: User, version: Version) -> None:
    page = panel_page
    sign_in(page, alice)
    page.goto("/panel/survey/campus/open/")
    close(page, for_good=True)
    expect(page.get_by_text("The survey is closed permanently.").first).to_be_visible()
    expect(page.get_by_role("button", name="Undo closing")).to_have_count(0)
