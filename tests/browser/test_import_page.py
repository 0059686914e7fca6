"""The import report in a browser: a file is chosen, its report is read on a phone too, the draft is made."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page

from surveys.models import Survey
from tests.browser.accessibility import CLEAN, THEME, on_every_screen
from tests.browser.panel import PHONE, fits, sign_in
from tests.exchange import samples


@pytest.mark.long
def test_import_report_on_phone_leads_to_draft(page: Page, alice: User) -> None:
    sign_in(page, alice)
    page.set_viewport_size(PHONE)
    page.goto("/panel/upload/")
    page.get_by_label("File", exact=True).set_input_files(samples.FILES / "form.csv")
    page.get_by_role("button", name="Import").click()
    report = page.get_by_role("table")
    report.wait_for()
    assert "Free text cannot be randomised" in report.inner_text()
    assert fits(page)
    assert dict(on_every_screen(page, excused=THEME)) == CLEAN
    page.get_by_role("button", name="Create the draft").click()
    page.wait_for_url("**/panel/survey/smoke-test/")
    assert Survey.objects.get().items.count() == 4
