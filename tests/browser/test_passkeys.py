"""Passkeys in a browser, on a device that the browser plays: added, used alone, used beside a password."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from surveys.lifecycle.links import sign_in_link
from surveys.models import Passkey
from tests.browser.accessibility import CLEAN, THEME, on_every_screen
from tests.tools.browser import IMAGES

DEVICE = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture
def page(panel_page: Page) -> Page:
    """Its console may say that an answer was a refusal."""
    return panel_page


def clean(page: Page) -> bool:
    return dict(on_every_screen(page, excused=THEME)) == CLEAN


def picture(page: Page, name: str) -> None:
    if IMAGES:
        page.screenshot(path=f"{IMAGES}/{name}.png", full_page=True)


@pytest.mark.long
def test_passkey_is_added_and_signs_in(
    page: Page, running_site: str, site_port: int, alice: User, settings: Any
) -> None:
    site = settings.CANDOR_URL = f"http://localhost:{site_port}"
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    device = session.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})["authenticatorId"]
    page.goto(sign_in_link(alice))
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/panel/surveys/survey/")
    page.goto(f"{site}/panel/account/")
    page.get_by_role("link", name="Add a passkey").click()
    page.get_by_label("Name of the passkey").fill("laptop")
    page.get_by_label("Your password").fill("a long passphrase")
    assert clean(page)
    picture(page, "passkey-new")
    page.get_by_role("button", name="Create the passkey").click()
    expect(page.get_by_role("heading", name="Recovery codes", level=1).last).to_be_visible()
    assert (Passkey.objects.get().user, Passkey.objects.get().name) == (alice, "laptop")

    page.context.clear_cookies()
    page.goto(f"{site}/panel/login/?next=/panel/account/")
    assert clean(page)
    picture(page, "passkey-login")
    page.get_by_role("link", name="Sign in with a passkey").click()
    assert clean(page)
    picture(page, "passkey-use")
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_text("You are signed in as alice.")).to_be_visible()
    picture(page, "passkey-account")
    assert clean(page)

    page.context.clear_cookies()
    page.goto(f"{site}/panel/login/?next=/panel/account/")
    page.get_by_label("Username").fill("alice")
    page.get_by_label("Password").fill("a long passphrase")
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("link", name="Use a passkey").click()
    session.send("WebAuthn.setUserVerified", {"authenticatorId": device, "isUserVerified": False})
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_text("The browser did not use a passkey")).to_be_visible()
    session.send("WebAuthn.setUserVerified", {"authenticatorId": device, "isUserVerified": True})
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_text("You are signed in as alice.")).to_be_visible()
    session.detach()
