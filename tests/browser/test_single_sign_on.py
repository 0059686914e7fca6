"""Signing in through an institution in a browser, with a certified provider at another site: in, roles, out."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models import F
from playwright.sync_api import Page, expect

from surveys.accounts import teams
from surveys.accounts.access import Role
from surveys.models import Identity, Membership
from tests.browser.accessibility import CLEAN, THEME, on_every_screen
from tests.browser.panel import sign_in
from tests.tools.browser import IMAGES
from tests.tools.certified_provider import CertifiedProvider, certified_provider


@pytest.fixture
def page(panel_page: Page) -> Page:
    """Its console may say that an answer was a refusal."""
    return panel_page


@pytest.fixture
def idp(running_site: str, settings: Any) -> Iterator[CertifiedProvider]:
    settings.CANDOR_URL = running_site
    with certified_provider(f"{running_site}/panel/institution/back/") as found:
        settings.CANDOR_OIDC_ISSUER, settings.CANDOR_INSTITUTION_NAME = found.issuer, "Analytical University"
        settings.CANDOR_OIDC_CLIENT_ID, settings.CANDOR_OIDC_CLIENT_SECRET = "candor", "a secret of the client"
        yield found


def clean(page: Page) -> bool:
    return dict(on_every_screen(page, excused=THEME)) == CLEAN


def picture(page: Page, name: str) -> None:
    if IMAGES:
        page.screenshot(path=f"{IMAGES}/{name}.png", full_page=True)


def at_the_provider(page: Page, name: str) -> None:
    """What a person does there."""
    page.locator("input[name=login]").fill(name)
    page.locator("input[name=password]").fill("known to the provider alone")
    page.get_by_role("button", name="Sign-in").click()
    page.get_by_role("button", name="Continue").click()


def pass_minutes(minutes: int) -> None:
    behind = timedelta(minutes=minutes)
    Identity.objects.update(confirmed_at=F("confirmed_at") - behind, asked_at=F("asked_at") - behind)


@pytest.mark.long
def test_researcher_signs_in_and_is_out_when_she_leaves(page: Page, idp: CertifiedProvider, alice: User) -> None:
    team = teams.make_team(alice, "Sociology")
    teams.add_directory_group(team, "researchers", Role.EDITOR, by=alice)
    page.goto(f"/panel/teams/{team.pk}/")
    assert clean(page)
    picture(page, "sign-in-institution")
    page.get_by_role("link", name="Sign in at Analytical University").click()
    at_the_provider(page, "grace")
    expect(page.get_by_role("heading", name="Sociology")).to_be_visible()  # the page that she had asked for
    assert Membership.objects.get(user__username="grace").role == Role.EDITOR
    pass_minutes(3)
    page.goto("/panel/account/")
    expect(page.get_by_text("This account signs in at Analytical University.")).to_be_visible()
    assert clean(page)
    picture(page, "account-institution")
    idp.set_groups([])
    pass_minutes(3)
    page.goto("/panel/teams/")
    assert not Membership.objects.filter(user__username="grace").exists()
    idp.set_groups(None)
    pass_minutes(3)
    page.goto("/panel/teams/")
    page.wait_for_url(f"{idp.issuer}/**")  # signed out here, and asked who she is there
    page.goto("/panel/account/")
    page.wait_for_url("**/panel/login/**")


@pytest.mark.long
def test_owner_gives_a_group_a_role(page: Page, idp: CertifiedProvider, alice: User) -> None:
    team = teams.make_team(alice, "Sociology")
    sign_in(page, alice)
    page.goto(f"/panel/teams/{team.pk}/")
    page.get_by_label("Group", exact=True).fill("researchers")
    page.locator("#group-role").select_option("analyst")
    page.get_by_role("button", name="Add the group").click()
    expect(page.get_by_text("Members of researchers get their role")).to_be_visible()
    assert clean(page)
    picture(page, "team-directory-groups")
    page.get_by_role("button", name="Remove the group researchers").click()
    expect(page.get_by_text("The group researchers has no role here any longer.")).to_be_visible()


@pytest.mark.long
def test_page_waits_while_the_institution_is_away(page: Page, idp: CertifiedProvider, settings: Any) -> None:
    page.goto("/panel/login/?next=/panel/account/")
    page.get_by_role("link", name="Sign in at Analytical University").click()
    at_the_provider(page, "grace")
    expect(page.locator("main").get_by_role("heading", name="My account")).to_be_visible()
    right = settings.CANDOR_OIDC_CLIENT_SECRET
    settings.CANDOR_OIDC_CLIENT_SECRET = "of yesterday"
    pass_minutes(10)
    page.goto("/panel/account/")
    expect(page.get_by_role("heading", name="One moment")).to_be_visible()
    assert clean(page)
    picture(page, "institution-away")
    settings.CANDOR_OIDC_CLIENT_SECRET = right
    pass_minutes(1)
    expect(page.locator("main").get_by_role("heading", name="My account")).to_be_visible()  # by itself
