"""Accounts of an institution: roles by groups, out within five minutes, programs, no passwords, links by command."""

import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db.models import F
from django.test import Client
from django.urls import reverse

from surveys.accounts import teams, tokens
from surveys.accounts.access import Role
from surveys.models import AccessToken, AuditEntry, DirectoryGroup, Identity, Membership, Survey, Team
from tests.tools.openid_provider import Provider

pytestmark = pytest.mark.django_db

FROM_HERE = {"HTTP_SEC_FETCH_SITE": "same-origin"}


def sign_in(idp: Provider, client: Client | None = None) -> Client:
    client = client or Client()
    page = client.get(reverse("institution-back"), idp.sign_in(client.get(reverse("institution"))["Location"]))
    assert page.status_code == 200, page.content.decode()
    return client


def pass_minutes(minutes: float) -> None:
    """Have the last confirmation so much behind us."""
    behind = timedelta(minutes=minutes)
    Identity.objects.update(confirmed_at=F("confirmed_at") - behind, asked_at=F("asked_at") - behind)


def come_back() -> None:
    """The seconds have passed in which a provider that was away is not asked, and the minute of who asked last."""
    cache.clear()
    pass_minutes(1)


def account() -> str:
    return reverse("panel:account")


def test_who_leaves_the_institution_is_out(idp: Provider) -> None:
    client, other = sign_in(idp), sign_in(idp)
    idp.refuses = "invalid_grant"
    assert client.get(account()).status_code == 200  # confirmed seconds ago
    pass_minutes(3)
    assert client.get(account())["Location"].startswith("/panel/institution/?next=")
    for browser in (client, other):  # a session that asked nothing has ended too
        assert browser.get("/panel/teams/").status_code == 302
    assert Identity.objects.get().credentials == ""


def test_session_of_before_does_not_come_back(idp: Provider) -> None:
    left_behind = sign_in(idp)
    idp.refuses = "invalid_grant"
    pass_minutes(3)
    assert left_behind.get(account()).status_code == 302
    stolen = {name: morsel.value for name, morsel in left_behind.cookies.items()}
    idp.refuses = ""
    sign_in(idp)
    again = Client()
    for name, value in stolen.items():
        again.cookies[name] = value
    assert again.get(account()).status_code == 302


@pytest.mark.parametrize("minutes", [1, 3, 60])
def test_who_stays_is_asked_about_in_the_background(idp: Provider, minutes: int) -> None:
    client = sign_in(idp)
    idp.asked.clear()
    pass_minutes(minutes)
    assert client.get(account()).status_code == 200
    assert ("/token" in idp.asked) == (minutes > 2)
    idp.asked.clear()
    assert client.get(account()).status_code == 200
    assert idp.asked == []  # and not at each page


@pytest.mark.parametrize(("minutes", "status"), [(3, 200), (5.1, 503)])
def test_institution_that_is_away_is_borne_for_five_minutes(idp: Provider, minutes: float, status: int) -> None:
    client = sign_in(idp)
    idp.is_away = True
    pass_minutes(minutes)
    page = client.get(account())
    assert page.status_code == status
    if status == 503:
        assert 'data-retry="/panel/account/"' in page.content.decode()
        assert page["Retry-After"] == "5"
        assert client.get("/api/v1/teams/").status_code == 503
        idp.is_away = False
        come_back()
        assert client.get(account()).status_code == 200  # the session has not ended


def test_provider_that_is_away_is_not_asked_by_everybody(idp: Provider) -> None:
    """Or whoever opens the page again and again would have all threads wait, respondents' too."""
    idp.is_away = True
    for _ in range(5):
        assert Client().get(reverse("institution")).status_code == 503
    assert len(idp.asked) == 1


def test_form_is_kept_while_the_institution_is_away(idp: Provider) -> None:
    client = sign_in(idp)
    idp.is_away = True
    pass_minutes(6)
    page = client.post("/panel/teams/", {"name": "Field workers"}, **FROM_HERE)
    assert (page.status_code, "Field workers" in page.content.decode()) == (503, True)
    assert not Team.objects.exists()


def test_form_is_kept_when_the_session_has_ended(idp: Provider) -> None:
    client = sign_in(idp)
    idp.refuses = "invalid_grant"
    pass_minutes(6)
    page = client.post("/panel/teams/", {"name": "Field workers"}, **FROM_HERE)
    text = page.content.decode()
    assert (page.status_code, "Field workers" in text) == (403, True)
    assert re.search(r'href="/panel/institution/"\s+target="_blank"', text)


def test_of_several_requests_one_asks(idp: Provider) -> None:
    client = sign_in(idp)
    pass_minutes(6)
    Identity.objects.update(asked_at=F("asked_at") + timedelta(minutes=6))  # another request has just begun to
    idp.asked.clear()
    assert client.get(account()).status_code == 503
    assert idp.asked == []  # a refresh token that is used twice ends them all


def test_provider_without_refresh_tokens_is_asked_by_the_access_token(idp: Provider) -> None:
    idp.refreshes = False
    client = sign_in(idp)
    idp.asked.clear()
    pass_minutes(3)
    assert client.get(account()).status_code == 200
    assert idp.asked == ["/.well-known/openid-configuration", "/userinfo"]
    idp.refuses = "invalid_token"
    pass_minutes(3)
    assert client.get(account()).status_code == 302


def test_another_provider_confirms_nobody_of_before(idp: Provider, settings: Any) -> None:
    client = sign_in(idp)
    settings.CANDOR_OIDC_ISSUER = "https://another.example"
    assert client.get(account()).status_code == 302


@pytest.fixture
def team(alice: User) -> Team:
    return teams.make_team(alice, "Sociology")


@pytest.fixture
def grace(idp: Provider) -> User:
    sign_in(idp)
    return User.objects.get(username="grace")


def roles(user: User) -> dict[str, tuple[int, str]]:
    return {member.team.name: (member.role, member.granted_by) for member in Membership.objects.filter(user=user)}


def test_group_gives_a_role_for_as_long_as_somebody_is_in_it(idp: Provider, team: Team, alice: User) -> None:
    for name, role in (("researchers", Role.VIEWER), ("field office", Role.EDITOR)):
        teams.add_directory_group(team, name, role, by=alice)
    client = sign_in(idp)
    user = User.objects.get(username="grace")
    assert roles(user) == {"Sociology": (Role.VIEWER, "researchers")}
    for groups, expected in (
        (["researchers", "/field office"], {"Sociology": (Role.EDITOR, "field office")}),
        (["researchers"], {"Sociology": (Role.VIEWER, "researchers")}),
        ([], {}),
    ):
        idp.person["groups"] = groups
        pass_minutes(3)
        assert client.get("/panel/teams/").status_code == 200
        assert roles(user) == expected
    entries = list(
        AuditEntry.objects.filter(name="grace").exclude(act="signed in").order_by("pk").values_list("act", "detail")
    )
    assert entries[1:] == [
        ("joined a team", "as viewer, by researchers"),
        ("joined a team", "as editor, by field office"),
        ("joined a team", "as viewer, by researchers"),
        ("left a team", "grace: no longer in researchers"),
    ]


def test_role_that_a_person_gave_counts_before_a_group(idp: Provider, team: Team, alice: User, grace: User) -> None:
    Membership.objects.create(team=team, user=grace, role=Role.EDITOR)
    teams.add_directory_group(team, "researchers", Role.VIEWER, by=alice)
    sign_in(idp)
    assert roles(grace) == {"Sociology": (Role.EDITOR, "")}
    idp.person["groups"] = []
    sign_in(idp)
    assert roles(grace) == {"Sociology": (Role.EDITOR, "")}


def test_owners_manage_groups_on_the_page_of_the_team(idp: Provider, team: Team, her: Client) -> None:
    add, page = reverse("panel:directory-group-add", args=[team.pk]), reverse("panel:team", args=[team.pk])
    her.post(add, {"group": "researchers", "role": "1"})
    assert "already" in her.post(add, {"group": "researchers", "role": "2"}, follow=True).content.decode()
    for wrong in ({"group": "", "role": "1"}, {"group": "x" * 201, "role": "1"}, {"group": "x", "role": "5"}):
        assert "1 to 200 characters" in her.post(add, wrong, follow=True).content.decode()
    sign_in(idp)
    text = her.get(page).content.decode()
    assert "by the group researchers" in text
    member = Membership.objects.get(granted_by="researchers")
    for name in ("panel:member-remove", "panel:member-role"):
        told = her.post(reverse(name, args=[team.pk, member.pk]), {"role": "4"}, follow=True).content.decode()
        assert "by the group researchers of the institution" in told
    assert Membership.objects.get(pk=member.pk).role == Role.VIEWER
    group = DirectoryGroup.objects.get()
    her.post(reverse("panel:directory-group-remove", args=[team.pk, group.pk]))
    assert not Membership.objects.filter(granted_by="researchers").exists()
    assert not DirectoryGroup.objects.exists()


def test_group_of_owners_makes_and_unmakes_owners(idp: Provider, settings: Any) -> None:
    settings.CANDOR_INSTITUTION_OWNERS = ("it",)
    idp.person["groups"] = ["it"]
    client = sign_in(idp)
    assert client.get("/panel/operation/").status_code == 200
    idp.person["groups"] = []
    pass_minutes(3)
    assert client.get("/panel/operation/").status_code == 403
    assert not User.objects.get().is_superuser


def test_owner_by_hand_stays_one(idp: Provider, settings: Any, grace: User) -> None:
    settings.CANDOR_INSTITUTION_OWNERS = ("it",)
    User.objects.update(is_superuser=True)
    sign_in(idp)
    grace.refresh_from_db()
    assert grace.is_superuser


def test_token_of_a_program_waits_for_its_owner(idp: Provider, grace: User) -> None:
    _token, secret = tokens.make(grace, "nightly", scope=AccessToken.Scope.READ)

    def status() -> int:
        return Client().get("/api/v1/teams/", HTTP_AUTHORIZATION=f"Bearer {secret}").status_code

    assert status() == 200
    pass_minutes(60)
    assert status() == 200  # the provider still confirms her
    idp.is_away = True
    pass_minutes(6)
    assert status() == 503
    idp.is_away, idp.refuses = False, "invalid_grant"
    come_back()
    assert status() == 401
    idp.refuses = ""
    assert status() == 401
    sign_in(idp)
    assert status() == 200


def test_account_connects_and_disconnects(idp: Provider, alice: User, her: Client) -> None:
    assert "you can sign in at Analytical University as well" in her.get(account()).content.decode()
    there = her.get(reverse("panel:institution-connect"))
    session = her.cookies.pop("sessionid")  # from the provider's site the browser does not send it
    assert her.get(reverse("institution-back"), idp.sign_in(there["Location"])).status_code == 200
    her.cookies["sessionid"] = session.value
    assert Identity.objects.get().user == alice
    text = her.get(account()).content.decode()
    assert "This account signs in at Analytical University" in text
    client = sign_in(idp)
    assert "signed in as alice" in client.get(account()).content.decode()
    her.post(reverse("panel:institution-disconnect"))
    assert not Identity.objects.exists()
    assert client.get(account()).status_code == 302


@pytest.fixture
def connected(idp: Provider, alice: User, her: Client, bob: User, settings: Any) -> Client:
    """alice's browser, signed in by password; groups make her an owner and a member of bob's team."""
    settings.CANDOR_INSTITUTION_OWNERS = ("researchers",)
    teams.add_directory_group(teams.make_team(bob, "Sociology"), "researchers", Role.VIEWER, by=bob)
    there = her.get(reverse("panel:institution-connect"))
    session = her.cookies.pop("sessionid")
    her.get(reverse("institution-back"), idp.sign_in(there["Location"]))
    her.cookies["sessionid"] = session.value
    alice.refresh_from_db()
    assert (alice.is_superuser, roles(alice)) == (True, {"Sociology": (Role.VIEWER, "researchers")})
    return her


@pytest.mark.parametrize("gone", ["disconnected", "left", "left, long ago", "away"])
def test_password_keeps_nothing_that_a_group_gave(idp: Provider, alice: User, connected: Client, gone: str) -> None:
    """Or who has left, or disconnects in time, would be an owner for good."""
    if gone == "disconnected":
        connected.post(reverse("panel:institution-disconnect"))
    idp.is_away, idp.refuses = gone == "away", "invalid_grant" if gone.startswith("left") else ""
    pass_minutes(6 if gone in ("left", "away") else 10_000)
    assert connected.get("/panel/operation/").status_code == 403
    alice.refresh_from_db()
    assert (alice.is_superuser, roles(alice)) == (False, {})
    assert connected.get(account()).status_code == 200  # signed in by the password still


def test_token_of_a_connected_account_keeps_nothing_that_a_group_gave(
    idp: Provider, alice: User, connected: Client
) -> None:
    _token, secret = tokens.make(alice, "nightly", scope=AccessToken.Scope.READ)
    idp.refuses = "invalid_grant"
    pass_minutes(6)
    assert Client().get("/api/v1/teams/", HTTP_AUTHORIZATION=f"Bearer {secret}").json() == []


def test_password_keeps_roles_while_the_institution_confirms(idp: Provider, alice: User, connected: Client) -> None:
    pass_minutes(60)
    assert connected.get("/panel/operation/").status_code == 200
    assert "/token" in idp.asked


def test_identity_belongs_to_one_account(idp: Provider, grace: User, her: Client) -> None:
    there = her.get(reverse("panel:institution-connect"))
    page = her.get(reverse("institution-back"), idp.sign_in(there["Location"]))
    assert (page.status_code, "Another account" in page.content.decode()) == (403, True)


def test_account_without_a_password_cannot_disconnect(idp: Provider) -> None:
    client = sign_in(idp)
    told = client.post(reverse("panel:institution-disconnect"), follow=True).content.decode()
    assert "you could not sign in" in told
    assert Identity.objects.exists()


@pytest.fixture
def no_passwords(idp: Provider, settings: Any) -> None:
    settings.CANDOR_LOCAL_SIGN_IN = False
    settings.AUTHENTICATION_BACKENDS = [
        name for name in settings.AUTHENTICATION_BACKENDS if name != "django.contrib.auth.backends.ModelBackend"
    ]


@pytest.mark.usefixtures("no_passwords")
def test_without_passwords_nobody_signs_in_by_one(alice: User, her: Client) -> None:
    assert her.get(account()).status_code == 302  # the session that a password began has ended
    client, login = Client(), reverse("admin:login")
    page = client.get(login, {"next": "/panel/teams/"}).content.decode()
    assert 'href="/panel/institution/?next=/panel/teams/"' in page
    assert 'type="password"' not in page
    client.post(login, {"username": "alice", "password": "a long passphrase"})
    assert client.get(account()).status_code == 302


@pytest.mark.usefixtures("no_passwords")
def test_without_passwords_nobody_makes_an_account_with_one(idp: Provider, alice: User, team: Team) -> None:
    from surveys.accounts.invitations import invite

    _invitation, secret = invite(team, Role.EDITOR, by=alice)
    client = Client()
    client.post(reverse("join"), {"secret": secret})
    page = client.get(reverse("join")).content.decode()
    assert 'type="password"' not in page
    given = {"username": "eve", "password1": "a long passphrase", "password2": "a long passphrase"}
    assert client.post(reverse("join"), given).status_code == 403
    assert not User.objects.filter(username="eve").exists()
    sign_in(idp, client)
    assert client.get(reverse("admin:password_change")).status_code == 403


@pytest.mark.usefixtures("no_passwords")
def test_sign_in_link_opens_the_panel_without_the_institution(
    idp: Provider, alice: User, capsys: pytest.CaptureFixture[str]
) -> None:
    idp.is_away = True
    call_command("sign_in_link", "alice", json=True)
    link = json.loads(capsys.readouterr().out)["link"]
    client = Client()
    assert client.post(reverse("sign-in"), {"code": link}).status_code == 302
    assert client.get(account()).status_code == 200
    assert AuditEntry.objects.filter(act="made a sign-in link", detail="for alice", name="").exists()
    with pytest.raises(CommandError, match="no active account 'nobody'"):
        call_command("sign_in_link", "nobody")


def test_respondents_do_not_depend_on_the_institution(idp: Provider, version: Any) -> None:
    idp.is_away = True
    idp.asked.clear()
    assert Client().get(f"/s/{Survey.objects.get().slug}/").status_code == 200
    assert idp.asked == []


def test_sign_in_page_offers_both_ways(idp: Provider) -> None:
    page = Client().get(reverse("admin:login"), {"next": "/panel/teams/"}).content.decode()
    assert "Sign in at Analytical University" in page
    assert 'type="password"' in page


def test_sign_in_page_without_an_institution_is_as_before() -> None:
    assert "institution" not in Client().get(reverse("admin:login")).content.decode()
