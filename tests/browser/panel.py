"""The panel in a browser: signing in, and the screens that it is looked at on."""

import re

from django.contrib.auth.models import User
from playwright.sync_api import Page
from sesame.utils import get_token

PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1280, "height": 900}


def sign_in(page: Page, user: User) -> None:
    """By a one-time link, as far as the first page; where a second factor is on, that asks for its code."""
    page.goto(f"/panel/sign-in/#{get_token(user)}")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(re.compile("/panel/(surveys/survey|code)/"))


def sign_in_by_hand(page: Page, user: User) -> None:
    """The same in a browser without scripts, which takes no code out of a link: it is typed, or pasted."""
    page.goto("/panel/sign-in/")
    page.get_by_label("The link that you were given").fill(get_token(user))
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(re.compile("/panel/(surveys/survey|code)/"))


def fits(page: Page) -> bool:
    """Whether nothing has to be scrolled sideways."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
