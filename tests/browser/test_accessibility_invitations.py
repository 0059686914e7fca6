"""WCAG 2.2 AA on the pages that invite people, by axe-core, light and dark, on a phone and a desktop."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page

from surveys.accounts.teams import home_team
from surveys.lifecycle.selectors import latest_version
from surveys.lifecycle.services import write_survey
from surveys.models import Mailing, Recipient, Survey
from surveys.opening.services import open_survey
from surveys.outreach import invitations
from tests.browser.accessibility import CLEAN, found
from tests.browser.panel import sign_in
from tests.factories import payloads


@pytest.fixture
def invited(alice: User, settings: Any) -> Survey:
    """A survey by invitation with batches, one of them withdrawn, and a mail that did not reach everybody."""
    settings.EMAIL_HOST, settings.DEFAULT_FROM_EMAIL = "127.0.0.1", "study@example.org"
    written = payloads.definition(invitations="secret", title={"en": "Student life"})
    open_survey(write_survey(written, team=home_team(alice)))
    survey = Survey.objects.get()
    for count, group, kind in ((2_500, "", "csv"), (40, "y1", "cards"), (812, "", "mail")):
        invitations.make(survey, count, group=group, kind=kind, by=alice)
    invitations.withdraw(survey, 2, by=alice)
    said = {"kind": "invitation", "subject": "You are invited", "text": "{link}", "total": 812}
    sent = Mailing.objects.create(version=latest_version(survey), state="failed", fault="It stopped.", **said)
    left = (("waiting", None, 30), ("uncertain", None, 1), ("refused", 550, 3))
    for state, status, count in left:
        for number in range(count):
            Recipient.objects.create(mailing=sent, address=f"{state}{number}@example.org", state=state, status=status)
    return survey


@pytest.mark.long
def test_axe_invitation_and_mail_pages(page: Page, alice: User, invited: Survey) -> None:
    sign_in(page, alice)
    sent = Mailing.objects.get()
    assert found(page, "/panel/survey/campus/invitations/") == CLEAN
    assert found(page, f"/panel/survey/campus/mail/{sent.key}/") == CLEAN
    assert found(page, "/panel/survey/campus/mail/?kind=reminder") == CLEAN
    page.goto("/panel/survey/campus/mail/")
    page.fill("#mail-addresses", "\n".join(f"person{number}@example.org" for number in [*range(12), 3]))
    page.fill("#mail-subject", "You are invited")
    page.get_by_role("button", name="Preview").click()
    page.wait_for_selector("text=more than once")
    assert page.locator("text=12 addresses").count() == 1
