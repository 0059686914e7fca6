"""The panel in a browser: signing in, and the screens that it is looked at on."""

import re

from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Page
from sesame.utils import get_token

PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1280, "height": 900}


def sign_in(page: Page, user: User) -> None:
    """By a session that is made in the database: the page has to be opened."""
    client = Client()
    client.force_login(user, backend="sesame.backends.ModelBackend")
    cookie = client.cookies[settings.SESSION_COOKIE_NAME]
    page.context.add_cookies([{"name": cookie.key, "value": cookie.value, "domain": "127.0.0.1", "path": "/"}])


def follow_sign_in_link(page: Page, user: User) -> None:
    """As far as the first page; where a second factor is on, that asks for its code."""
    page.goto(f"/panel/sign-in/#{get_token(user)}")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(re.compile("/panel/(surveys/survey|code)/"))


def fits(page: Page) -> bool:
    """Whether nothing has to be scrolled sideways."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
