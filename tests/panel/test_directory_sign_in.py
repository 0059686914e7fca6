"""Signing in by the institution's LDAP directory: a real server, groups, leaving, and ways in that are refused."""

import logging
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db.models import F
from django.test import Client
from django.urls import reverse

from surveys.accounts import teams, tokens
from surveys.accounts.access import Role
from surveys.models import AccessToken, Identity, Membership
from tests.tools import slapd
from tests.tools.slapd import BASE, PASSWORD, DirectoryServer

pytestmark = pytest.mark.django_db

BEGIN = "/panel/institution/"


@pytest.fixture(scope="module")
def server() -> Iterator[DirectoryServer]:
    with slapd.directory_server() as found:
        yield found


@pytest.fixture
def directory(server: DirectoryServer, settings: Any) -> Iterator[DirectoryServer]:
    """The server, which the installation is told of, with the person grace as she was."""
    cache.clear()
    settings.CANDOR_LDAP, settings.CANDOR_INSTITUTION_NAME = server.setting, "Analytical University"
    yield server
    server.remove("grace")
    server.add_person("grace")
    server.set_members("researchers", "grace")
    server.set_members("it")


def sign_in(name: str = "grace", password: str = PASSWORD, client: Client | None = None, onward: str = "") -> Client:
    client = client or Client()
    client.post(BEGIN, {"name": name, "password": password, "next": onward})
    return client


def is_signed_in(client: Client) -> bool:
    return client.get(reverse("panel:account")).status_code == 200


def refused(name: str, password: str, status: int = 403) -> str:
    """The page of a refusal, after which nobody is signed in and no account was made."""
    before, client = User.objects.count(), Client()
    page = client.post(BEGIN, {"name": name, "password": password})
    assert page.status_code == status
    assert not is_signed_in(client)
    assert User.objects.count() == before
    return page.content.decode()


def pass_minutes(minutes: float) -> None:
    behind = timedelta(minutes=minutes)
    Identity.objects.update(confirmed_at=F("confirmed_at") - behind, asked_at=F("asked_at") - behind)


def test_name_and_password_of_the_directory_sign_in(directory: DirectoryServer) -> None:
    client = Client()
    page = client.get(BEGIN, {"next": "/panel/teams/"}).content.decode()
    assert ("Sign in at Analytical University" in page, 'value="/panel/teams/"' in page) == (True, True)
    answer = client.post(BEGIN, {"name": " grace ", "password": PASSWORD, "next": "/panel/teams/"})
    assert (answer.status_code, answer["Location"]) == (302, "/panel/teams/")
    assert is_signed_in(client)
    user = User.objects.get()
    told = (user.username, user.email, user.first_name, user.last_name, user.is_staff, user.is_superuser)
    assert told == ("grace", "grace@example.org", "Grace", "Hopper", True, False)
    assert not user.has_usable_password()
    sign_in()
    assert User.objects.count() == 1


def test_password_is_stored_and_logged_nowhere(directory: DirectoryServer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    client = sign_in()
    again = client.post(BEGIN, {"name": "grace", "password": "a wrong one of hers"}).content.decode()
    assert ('value="grace"' in again, "a wrong one" in again) == (True, False)
    assert "a wrong one" not in caplog.text
    assert PASSWORD not in caplog.text
    identity = Identity.objects.get()
    assert PASSWORD not in str(vars(identity)) + str(dict(client.session))


@pytest.mark.parametrize(
    ("name", "password"),
    {
        "wrong password": ("grace", "guessed"),
        "no password": ("grace", ""),
        "password that ends at a null byte": ("grace", f"{PASSWORD}\0"),
        "password of another length": ("grace", "x" * 1001),
        "nobody of this name": ("ada", PASSWORD),
        "no name": ("", PASSWORD),
        "every name": ("*", PASSWORD),
        "part of a name": ("gr*", PASSWORD),
        "filter in the name": ("grace)(objectClass=*", PASSWORD),
        "filter of another attribute": ("nobody)(|(mail=grace@example.org)", PASSWORD),
        "distinguished name": (f"uid=grace,ou=people,{BASE}", PASSWORD),
        "mail address": ("grace@example.org", PASSWORD),
        "installation's own user": ("candor", slapd.READERS_SECRET),
        "manager": ("manager", slapd.SECRET),
        "person in another part of the directory": ("eve", PASSWORD),
        "two people of one name": ("twin", PASSWORD),
    }.values(),
)
def test_wrong_names_and_passwords_are_refused(directory: DirectoryServer, name: str, password: str) -> None:
    assert "The user name or the password is wrong" in refused(name, password)


@pytest.fixture(scope="module", autouse=True)
def _others(server: DirectoryServer) -> None:
    server.add_person("eve", part="ou=students")
    server.add_person("twin")
    server.add("ou=visitors,ou=people", objectClass="organizationalUnit", ou="visitors")
    server.add_person("twin", part="ou=visitors,ou=people")


def test_wrong_passwords_are_counted(directory: DirectoryServer, alice: User) -> None:
    alice.set_password("a long passphrase")
    alice.save()
    for _ in range(10):
        Client().post(BEGIN, {"name": "alice", "password": "guessed"})
    page = Client().post(BEGIN, {"name": "alice", "password": "guessed"})
    assert page.status_code == 429
    assert is_signed_in(sign_in())  # another name is not kept out
    own = Client()
    own.post(reverse("admin:login"), {"username": "alice", "password": "a long passphrase"})
    assert is_signed_in(own)  # nor is the namesake with a password of Candor's


def test_account_of_the_same_name_or_mail_is_not_taken_over(directory: DirectoryServer) -> None:
    User.objects.create_superuser("grace", email="grace@example.org", password="a long passphrase")
    client = sign_in()
    assert "signed in as grace-2" in client.get(reverse("panel:account")).content.decode()
    assert not Identity.objects.get().user.is_superuser


def test_name_that_was_given_to_somebody_else_opens_another_account(directory: DirectoryServer) -> None:
    client = sign_in()
    directory.remove("grace")
    directory.add_person("grace")
    pass_minutes(3)
    assert not is_signed_in(client)
    sign_in()
    assert sorted(User.objects.values_list("username", flat=True)) == ["grace", "grace-2"]


@pytest.mark.parametrize("way", ["removed", "moved", "filtered out", "new password"])
def test_who_leaves_the_directory_is_out(directory: DirectoryServer, settings: Any, way: str) -> None:
    if way == "filtered out":
        settings.CANDOR_LDAP = replace(settings.CANDOR_LDAP, person_filter="(&(uid={name})(!(employeeType=former)))")
    client = sign_in()
    if way == "removed":
        directory.remove("grace")
    if way == "moved":
        directory.move("grace", "ou=students")
    if way == "filtered out":
        directory.change("grace", "employeeType", "former")
    if way == "new password":
        directory.change("grace", "userPassword", "made anew")
    assert is_signed_in(client)  # confirmed seconds ago
    pass_minutes(3)
    assert client.get(reverse("panel:account"))["Location"].startswith("/panel/institution/?next=")
    assert Identity.objects.get().credentials == ""
    if way == "moved":
        directory.move("grace", "ou=people", before="ou=students")
    if way == "removed":
        directory.add_person("grace")


def test_groups_give_and_take_roles(directory: DirectoryServer, settings: Any, alice: User) -> None:
    team = teams.make_team(alice, "Sociology")
    teams.add_directory_group(team, "researchers", Role.EDITOR, by=alice)
    settings.CANDOR_INSTITUTION_OWNERS = ("it",)
    client = sign_in()
    assert Membership.objects.get(user__username="grace").role == Role.EDITOR
    directory.set_members("researchers")
    directory.set_members("it", "grace")
    pass_minutes(3)
    assert client.get("/panel/operation/").status_code == 200
    assert not Membership.objects.filter(user__username="grace").exists()
    directory.set_members("it")
    pass_minutes(3)
    assert client.get("/panel/operation/").status_code == 403


def test_group_in_another_part_of_the_directory_gives_nothing(directory: DirectoryServer, settings: Any) -> None:
    settings.CANDOR_INSTITUTION_OWNERS = ("owners",)
    grace = f"uid=grace,ou=people,{BASE}"
    directory.add("cn=owners,ou=students", objectClass="groupOfNames", cn="owners", member=grace)
    assert sign_in().get("/panel/operation/").status_code == 403


def test_only_members_of_admitted_groups_get_in(directory: DirectoryServer, settings: Any) -> None:
    settings.CANDOR_INSTITUTION_ADMIT = ("it",)
    assert "only members of these groups may sign in here: it" in refused("grace", PASSWORD)
    directory.set_members("it", "grace")
    assert is_signed_in(sign_in())


@pytest.fixture
def other_server() -> Iterator[DirectoryServer]:
    with slapd.directory_server(host="another.example") as found:
        yield found


@pytest.mark.parametrize("fault", ["certificate of another host", "unknown authority", "wrong own password", "away"])
def test_directory_that_cannot_be_trusted_gets_no_password(
    directory: DirectoryServer, other_server: DirectoryServer, settings: Any, fault: str
) -> None:
    right = settings.CANDOR_LDAP
    settings.CANDOR_LDAP = {
        "certificate of another host": replace(right, url=other_server.url, authorities=other_server.authorities),
        "unknown authority": replace(right, authorities=other_server.authorities),
        "wrong own password": replace(right, password="of yesterday"),
        "away": replace(right, url="ldap://localhost:1"),
    }[fault]
    assert "cannot be reached, or answers wrongly" in refused("grace", PASSWORD, status=503)
    cache.clear()
    settings.CANDOR_LDAP = right
    assert is_signed_in(sign_in())  # the server was fit, but for that


def test_no_password_is_sent_where_tls_is_refused(settings: Any, directory: DirectoryServer) -> None:
    """Somebody in between who answers StartTLS with a refusal hears nothing else."""
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def refuse() -> None:
            connection, _ = listener.accept()
            with connection:
                heard.append(connection.recv(4096))
                identifier = heard[0][2:5]  # of the message: an INTEGER of one byte
                body = bytes.fromhex("0a01 35 0400 0400".replace(" ", ""))  # unwillingToPerform
                answer = identifier + bytes([0x78, len(body)]) + body
                connection.sendall(bytes([0x30, len(answer)]) + answer)
                while more := connection.recv(4096):
                    heard.append(more)

        thread = threading.Thread(target=refuse, daemon=True)
        thread.start()
        url = f"ldap://127.0.0.1:{listener.getsockname()[1]}"
        settings.CANDOR_LDAP = replace(settings.CANDOR_LDAP, url=url)
        refused("grace", PASSWORD, status=503)
        thread.join(10)
    assert b"1.3.6.1.4.1.1466.20037" in heard[0]
    assert not any(secret.encode() in b"".join(heard) for secret in (PASSWORD, slapd.READERS_SECRET))


def test_referral_to_another_server_is_not_followed(
    directory: DirectoryServer, other_server: DirectoryServer, settings: Any
) -> None:
    entry = {"objectClass": ["referral", "extensibleObject"], "uid": "ada"}
    directory.add("uid=ada,ou=people", **entry, ref=f"{other_server.url}/uid=grace,ou=people,{BASE}")
    assert "The user name or the password is wrong" in refused("ada", PASSWORD)


def test_directory_that_is_away_is_borne_for_five_minutes(directory: DirectoryServer) -> None:
    client = sign_in()
    directory.stop()
    try:
        pass_minutes(3)
        assert is_signed_in(client)
        pass_minutes(3)
        page = client.get(reverse("panel:account"))
        assert (page.status_code, 'data-retry="/panel/account/"' in page.content.decode()) == (503, True)
    finally:
        directory.start()
    cache.clear()
    pass_minutes(1)
    assert is_signed_in(client)


def test_token_of_a_program_goes_on_while_the_directory_has_its_owner(directory: DirectoryServer) -> None:
    sign_in()
    _token, secret = tokens.make(User.objects.get(), "nightly", scope=AccessToken.Scope.READ)

    def status() -> int:
        return Client().get("/api/v1/teams/", HTTP_AUTHORIZATION=f"Bearer {secret}").status_code

    pass_minutes(600)
    assert status() == 200
    directory.remove("grace")
    pass_minutes(6)
    assert status() == 401
    directory.add_person("grace")


def test_account_connects_by_password_and_disconnects(directory: DirectoryServer, alice: User, her: Client) -> None:
    connect = reverse("panel:institution-connect")
    assert "Password there" in her.get(connect).content.decode()
    assert her.post(connect, {"name": "grace", "password": "guessed"}).status_code == 403
    her.post(connect, {"name": "grace", "password": PASSWORD})
    assert Identity.objects.get().user == alice
    assert "This account signs in at Analytical University" in her.get(reverse("panel:account")).content.decode()
    her.post(reverse("panel:institution-disconnect"))
    assert not Identity.objects.exists()


def test_page_of_return_is_not_there(directory: DirectoryServer) -> None:
    assert Client().get("/panel/institution/back/").status_code == 404


def test_page_leads_to_no_other_site(directory: DirectoryServer) -> None:
    answer = Client().post(BEGIN, {"name": "grace", "password": PASSWORD, "next": "https://evil.example/"})
    assert answer["Location"] == reverse("admin:index")


def test_second_factor_of_candor_counts(directory: DirectoryServer, settings: Any) -> None:
    settings.CANDOR_SECOND_FACTOR = "required"
    assert sign_in().get("/panel/teams/")["Location"].startswith(reverse("panel:second-factor"))


def test_identifier_of_active_directory_is_read_as_it_writes_it(directory: DirectoryServer, settings: Any) -> None:
    """Its GUIDs are 16 bytes, the first three parts the little end first; a certificate's bytes stand for one here."""
    from surveys.accounts import directory as client

    settings.CANDOR_LDAP = replace(settings.CANDOR_LDAP, identifier="objectGUID")
    told = {"objectGUID": [bytes.fromhex("33221100554477668899aabbccddeeff")]}
    assert client._identifier(told) == "00112233-4455-6677-8899-aabbccddeeff"


def test_page_says_what_to_install(directory: DirectoryServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("estimator.base.extras.find_spec", lambda name: None)
    page = Client().get(BEGIN)
    assert (page.status_code, "requirements-ldap.txt" in page.content.decode()) == (503, True)
