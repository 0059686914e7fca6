"""Signing in through an institution: ways to come in as somebody else, each refused, of a provider over HTTP."""

import time
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.test import Client
from django.utils import timezone

from collector.errors import RequestRefused
from surveys.accounts import openid
from surveys.models import Identity
from surveys.panel.accounts.single_sign_on import COOKIE
from tests.tools.openid_provider import CLIENT, Provider, key, provider

pytestmark = pytest.mark.django_db

BEGIN, BACK = "/panel/institution/", "/panel/institution/back/"


def attempt(idp: Provider, client: Client, onward: str = "") -> dict[str, str]:
    """Leave for the provider and sign in there; what the browser brings back."""
    left = client.get(BEGIN, {"next": onward} if onward else {})
    assert left.status_code == 302, left.content.decode()
    return idp.sign_in(left["Location"])


def is_signed_in(client: Client) -> bool:
    return client.get("/panel/account/").status_code == 200


def refused(client: Client, answer: dict[str, str], status: int = 403) -> str:
    """The page of a refusal, after which nobody is signed in and no account was made."""
    before = set(User.objects.values_list("pk", flat=True))
    page = client.get(BACK, answer)
    assert page.status_code == status
    assert not is_signed_in(client)
    assert set(User.objects.values_list("pk", flat=True)) == before
    return page.content.decode()


def test_signing_in_leads_to_the_page_that_was_asked_for(idp: Provider) -> None:
    client = Client()
    page = client.get(BACK, attempt(idp, client, "/panel/teams/"))
    assert (
        page.status_code == 200
    )  # a page of ours leads on, and not a redirect: the session's cookie is SameSite=Strict
    assert 'content="0; url=/panel/teams/"' in page.content.decode()
    assert is_signed_in(client)
    user = User.objects.get()
    assert (user.username, user.email, user.is_staff, user.is_superuser) == ("grace", "grace@example.org", True, False)
    assert not user.has_usable_password()
    assert (Identity.objects.get().subject, client.cookies[COOKIE].value) == ("7f3a", "")


def test_cookie_of_the_attempt_is_for_this_page_alone(idp: Provider) -> None:
    client = Client()
    client.get(BEGIN)
    cookie = client.cookies[COOKIE]
    assert (cookie["path"], cookie["samesite"], cookie["httponly"], cookie["max-age"]) == (BEGIN, "Lax", True, 600)


TOKENS: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "algorithm none": ({"alg": "none"}, {}, "first"),
    "signed with the client's secret": ({"alg": "HS256"}, {}, "secret"),
    "signed with the public key as a secret": ({"alg": "HS256"}, {}, "first"),
    "signed with another key under the name of a published one": ({}, {}, "attacker"),
    "signed with a key that it brings along": ({"jwk": key("attacker").as_dict(private=False)}, {}, "attacker"),
    "signed with a key of an address that it names": ({"jku": "http://127.0.0.1:9/keys"}, {}, "attacker"),
    "names a key that is not published": ({"kid": "attacker"}, {}, "attacker"),
    "for another client": ({}, {"aud": "another"}, "first"),
    "for another client that asked for us too": ({}, {"aud": ["another", CLIENT], "azp": "another"}, "first"),
    "for another client that names us as the one who asked": ({}, {"aud": "another", "azp": CLIENT}, "first"),
    "for nobody": ({}, {"aud": None}, "first"),
    "of another issuer": ({}, {"iss": "https://evil.example"}, "first"),
    "of no issuer": ({}, {"iss": None}, "first"),
    "of nobody": ({}, {"sub": None}, "first"),
    "of an empty person": ({}, {"sub": ""}, "first"),
    "expired": ({}, {"exp": int(time.time()) - 120}, "first"),
    "without an end": ({}, {"exp": None}, "first"),
    "of tomorrow": ({}, {"iat": int(time.time()) + 86_400, "exp": int(time.time()) + 90_000}, "first"),
    "of another attempt": ({}, {"nonce": "of-another-attempt"}, "first"),
    "of no attempt": ({}, {"nonce": None}, "first"),
    "beside another access token": ({}, {"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"}, "first"),
}


@pytest.mark.parametrize("attack", TOKENS)
def test_id_token_that_proves_nothing_is_refused(idp: Provider, attack: str) -> None:
    idp.header, idp.claims, idp.signs_with = TOKENS[attack]
    client = Client()
    assert "did not confirm who you are" in refused(client, attempt(idp, client))


MFA = "https://refeds.org/profile/mfa"


@pytest.mark.parametrize("acr", [None, "0", "https://refeds.org/profile/sfa", [MFA], f"{MFA} "], ids=str)
def test_sign_in_that_is_too_weak_is_refused(idp: Provider, settings: Any, acr: Any) -> None:
    """Whatever the provider does with the wish, and whatever its userinfo endpoint says."""
    settings.CANDOR_OIDC_STRENGTH = (MFA, "phrh")
    idp.claims, idp.userinfo = {"acr": acr}, {"acr": MFA}
    client = Client()
    assert "more weakly than is asked for" in refused(client, attempt(idp, client))


def sign_in_minutes_ago(idp: Provider, client: Client) -> None:
    client.get(BACK, attempt(idp, client))
    assert is_signed_in(client)
    old = timezone.now() - timedelta(minutes=3)
    Identity.objects.update(confirmed_at=old, asked_at=old)


def test_strength_is_asked_of_the_provider(idp: Provider, settings: Any) -> None:
    settings.CANDOR_OIDC_STRENGTH = (MFA, "phrh")
    client = Client()
    left = client.get(BEGIN)["Location"]
    assert dict(parse_qsl(urlsplit(left).query))["acr_values"] == f"{MFA} phrh"
    idp.claims = {"acr": "phrh"}
    sign_in_minutes_ago(idp, client)
    idp.claims = {}  # which a provider may leave out where it is asked again
    assert is_signed_in(client)


def test_who_signs_in_more_weakly_later_is_out(idp: Provider, settings: Any) -> None:
    settings.CANDOR_OIDC_STRENGTH = (MFA,)
    idp.claims = {"acr": MFA}
    client = Client()
    sign_in_minutes_ago(idp, client)
    idp.claims = {"acr": "0"}
    assert not is_signed_in(client)


def test_key_that_was_withdrawn_is_refused(idp: Provider) -> None:
    client = Client()
    answer = attempt(idp, client)
    assert client.get(BACK, answer).status_code == 200
    idp.keys = ["second"]
    other = Client()
    refused(other, attempt(idp, other))


@pytest.mark.parametrize("issuer", [None, "https://evil.example"])
def test_answer_of_another_provider_is_refused(idp: Provider, issuer: str | None) -> None:
    idp.answer = {"iss": issuer}
    client = Client()
    assert "(iss)" in refused(client, attempt(idp, client))
    assert "/token" not in idp.asked  # and the code was shown to nobody


def test_answer_with_another_state_is_refused(idp: Provider) -> None:
    client, other = Client(), Client()
    answer = attempt(idp, client)
    attempt(idp, other)
    refused(other, answer)  # somebody else's link, opened in a browser that is signing in itself
    assert "/token" not in idp.asked


def test_answer_without_an_attempt_is_refused(idp: Provider) -> None:
    client = Client()
    answer = attempt(idp, client)
    assert "not begun in this browser" in refused(Client(), answer)
    client.get(BACK, answer)
    client.logout()
    assert "not begun in this browser" in refused(client, answer)  # the attempt is spent


@pytest.mark.parametrize("change", [lambda value: value[:-1] + ("A" if value[-1] != "A" else "B"), lambda value: ""])
def test_forged_attempt_is_refused(idp: Provider, change: Any) -> None:
    client = Client()
    answer = attempt(idp, client)
    client.cookies[COOKIE] = change(client.cookies[COOKIE].value)
    refused(client, answer)


def test_attempt_ends_after_ten_minutes(idp: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client()
    answer = attempt(idp, client)
    later = time.time() + 601
    monkeypatch.setattr("django.core.signing.time.time", lambda: later)
    assert "more than ten minutes ago" in client.get(BACK, answer).content.decode()


def test_code_of_another_attempt_is_refused(idp: Provider) -> None:
    client, attacker = Client(), Client()
    mine, theirs = attempt(idp, client), attempt(idp, attacker)
    refused(client, mine | {"code": theirs["code"]})  # PKCE: the code was made for the other browser's challenge


def test_code_works_once(idp: Provider) -> None:
    client = Client()
    left = client.get(BEGIN)
    answer, cookie = idp.sign_in(left["Location"]), client.cookies[COOKIE].value
    assert client.get(BACK, answer).status_code == 200
    other = Client()
    other.cookies[COOKIE] = cookie
    refused(other, answer)


def test_person_of_other_claims_is_refused(idp: Provider) -> None:
    idp.userinfo = {"sub": "somebody else"}
    client = Client()
    assert "(sub)" in refused(client, attempt(idp, client))


@pytest.mark.parametrize("claim", [{"email": "alice@example.org"}, {"preferred_username": "Alice"}])
def test_name_or_mail_address_of_a_colleague_opens_no_account(
    idp: Provider, alice: User, claim: dict[str, str]
) -> None:
    alice.email = "alice@example.org"
    alice.save()
    idp.person |= claim | {"email_verified": True}
    client = Client()
    client.get(BACK, attempt(idp, client))
    assert Identity.objects.get().user != alice
    assert User.objects.exclude(pk=alice.pk).get().username in ("grace", "Alice-2")


@pytest.mark.parametrize(
    "onward", ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)"]
)
def test_signing_in_leads_to_no_other_site(idp: Provider, onward: str) -> None:
    client = Client()
    page = client.get(BACK, attempt(idp, client, onward)).content.decode()
    assert 'content="0; url=/panel/"' in page
    assert "evil" not in page


@pytest.mark.parametrize("place", ["token", "keys", "userinfo"])
def test_redirect_of_the_provider_is_not_followed(idp: Provider, place: str) -> None:
    client = Client()
    answer = attempt(idp, client)
    with provider() as evil:
        idp.redirects[f"/{place}"] = f"{evil.issuer}/{place}"
        assert "cannot be reached" in refused(client, answer, 503)
        assert evil.asked == []  # neither code nor secret went there


def test_provider_that_is_away_lets_nobody_in(idp: Provider) -> None:
    client = Client()
    answer = attempt(idp, client)
    idp.is_away = True
    assert "cannot be reached" in refused(client, answer, 503)
    assert Client().get(BEGIN).status_code == 503


def test_refusal_at_the_provider_is_said(idp: Provider) -> None:
    idp.answer = {"error": "access_denied", "error_description": "<b>call 555</b>", "code": None}
    client = Client()
    page = refused(client, attempt(idp, client))
    assert "cancelled or refused at Analytical University" in page
    assert "555" not in page


def test_wrong_secret_of_the_client_is_no_answer_about_a_person(idp: Provider, settings: Any) -> None:
    client = Client()
    answer = attempt(idp, client)
    settings.CANDOR_OIDC_CLIENT_SECRET = "another"
    assert "invalid_client" in refused(client, answer, 503)


METADATA = {
    "another issuer": {"issuer": "https://evil.example"},
    "no issuer": {"issuer": None},
    "no keys": {"jwks_uri": None},
    "no page": {"authorization_endpoint": None},
}


@pytest.mark.parametrize("fault", METADATA)
def test_provider_with_wrong_metadata_is_not_asked(idp: Provider, fault: str) -> None:
    idp.metadata = METADATA[fault]
    assert Client().get(BEGIN).status_code == 503


def test_provider_with_https_names_no_endpoint_without(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    issuer = settings.CANDOR_OIDC_ISSUER = "https://login.example.org"
    names = ("authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint")
    told: dict[str, Any] = {"issuer": issuer} | {name: f"{issuer}/{name}" for name in names}
    monkeypatch.setattr(openid, "_read", lambda answer: told)
    monkeypatch.setattr(openid.requests, "get", lambda *given, **more: None)
    assert openid.address(openid.Attempt(""), "https://survey.example.org/back").startswith(issuer)
    for name in names:
        right, told[name] = told[name], "http://login.example.org/"
        with pytest.raises(RequestRefused, match=name):
            openid.address(openid.Attempt(""), "https://survey.example.org/back")
        told[name] = right


def test_address_asks_for_a_code_with_a_challenge(idp: Provider) -> None:
    queries = [dict(parse_qsl(urlsplit(Client().get(BEGIN)["Location"]).query)) for _ in range(2)]
    for query in queries:
        assert query["redirect_uri"] == f"http://127.0.0.1:8000{BACK}"
        assert (query["scope"], query["code_challenge_method"]) == ("openid profile email", "S256")
        assert min(len(query[name]) for name in ("state", "nonce", "code_challenge")) >= 43
    for name in ("state", "nonce", "code_challenge"):
        assert queries[0][name] != queries[1][name]


def test_account_that_is_switched_off_stays_off(idp: Provider) -> None:
    client = Client()
    client.get(BACK, attempt(idp, client))
    User.objects.update(is_active=False)
    other = Client()
    assert "switched off" in refused(other, attempt(idp, other))


def test_whoever_is_in_no_admitted_group_is_told_so(idp: Provider, settings: Any) -> None:
    settings.CANDOR_INSTITUTION_ADMIT = ("survey-staff", "statistics")
    client = Client()
    assert "statistics, survey-staff" in refused(client, attempt(idp, client))
    idp.person["groups"] = ["/survey-staff"]  # as Keycloak writes it
    assert client.get(BACK, attempt(idp, client)).status_code == 200


def test_installation_without_a_provider_has_no_such_pages() -> None:
    assert {Client().get(page).status_code for page in (BEGIN, BACK)} == {404}


def test_credentials_are_encrypted(idp: Provider) -> None:
    client = Client()
    client.get(BACK, attempt(idp, client))
    (refresh,) = idp.refresh_tokens
    assert refresh not in Identity.objects.get().credentials
    assert len(Identity.objects.get().credentials) > 100


def test_refresh_token_of_somebody_else_is_refused(idp: Provider) -> None:
    client = Client()
    client.get(BACK, attempt(idp, client))
    (refresh,) = idp.refresh_tokens
    assert timezone.now() >= Identity.objects.get().confirmed_at
    with pytest.raises(PermissionDenied, match="sub"):
        openid.confirm_again("another", {"refresh_token": refresh})
