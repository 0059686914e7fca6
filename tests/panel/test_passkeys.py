"""Passkeys: alone and as a second factor, and 15 wrong answers to a challenge, each refused."""

import html
import re
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from surveys.accounts import tokens
from surveys.models import AccessToken, AuditEntry, Identity, Passkey
from tests.tools.authenticator import PRESENT, VERIFIED, Authenticator
from tests.tools.gate import few
from tests.tools.second_factor import code_of, forget_attempts, set_up

pytestmark = pytest.mark.django_db

ACCOUNT = "/panel/account/"


@pytest.fixture(autouse=True)
def _site(settings: Any) -> None:
    cache.clear()
    settings.CANDOR_URL = "http://localhost:8000"


def challenge(client: Client, path: str) -> tuple[str, str]:
    """The options and the state of the form on this page."""
    page = client.get(path).content.decode()
    options = re.search(r'data-options="([^"]*)"', page)
    state = re.search(r'name="state" value="([^"]*)"', page)
    assert options and state, page  # noqa: PT018 - one page
    return html.unescape(options[1]), html.unescape(state[1])


PASSWORD = "a long passphrase"


def add(client: Client, device: Authenticator, name: str = "laptop", password: str = PASSWORD) -> Any:
    options, state = challenge(client, reverse("panel:passkey-new"))
    given = {"name": name, "state": state, "answer": device.create(options), "password": password}
    return client.post(reverse("panel:passkey-new"), given)


def use(client: Client, device: Authenticator, path: str = "/panel/passkey/") -> Any:
    options, state = challenge(client, path)
    return client.post(path, {"state": state, "answer": device.get(options)})


def is_signed_in(client: Client) -> bool:
    return client.get(ACCOUNT).status_code == 200


@pytest.fixture
def device(her: Client) -> Authenticator:
    """alice's, with a passkey of hers."""
    made = Authenticator()
    assert add(her, made).status_code == 200
    return made


def test_passkey_signs_in_alone(device: Authenticator, alice: User) -> None:
    client = Client()
    answer = use(client, device, "/panel/passkey/?next=/panel/teams/")
    assert (answer.status_code, answer["Location"]) == (302, "/panel/teams/")
    assert is_signed_in(client)  # and no second factor is asked for: the device has asked for a finger
    assert AuditEntry.objects.filter(name="alice", act="used a passkey", detail="laptop").exists()
    assert Passkey.objects.get().used_on == timezone.now().date()


def test_first_passkey_comes_with_recovery_codes(her: Client, alice: User) -> None:
    tokens.make(alice, "old", scope=AccessToken.Scope.READ)
    page = add(her, Authenticator()).content.decode()
    assert len(re.findall(r"<li>[a-z2-7]{8}</li>", page)) == 10
    assert not AccessToken.objects.exists()  # they were made without a second factor
    assert add(her, Authenticator(), "phone").status_code == 302
    text = her.get(ACCOUNT).content.decode()
    assert "laptop" in text
    assert "phone" in text
    assert "10 recovery codes left" in text


def test_passkey_is_a_second_factor(device: Authenticator) -> None:
    client = Client()
    client.post(reverse("admin:login"), {"username": "alice", "password": "a long passphrase"})
    asked = client.get(ACCOUNT)
    assert asked["Location"].startswith("/panel/code/")
    assert "Use a passkey" in client.get(asked["Location"]).content.decode()
    assert use(client, device).status_code == 302
    assert is_signed_in(client)


def test_passkey_of_a_colleague_is_no_second_factor(device: Authenticator, bob: User, sign_in: Any) -> None:
    bobs, other = sign_in(bob), Authenticator()
    add(bobs, other)
    client = Client()
    client.post(reverse("admin:login"), {"username": "alice", "password": "a long passphrase"})
    assert use(client, other).status_code == 422
    assert not is_signed_in(client)


def test_second_factor_that_is_required_may_be_a_passkey(her: Client, settings: Any) -> None:
    settings.CANDOR_SECOND_FACTOR = "required"
    assert her.get(ACCOUNT).status_code == 302
    assert add(her, Authenticator()).status_code == 200
    assert is_signed_in(her)
    told = her.post(reverse("panel:passkey-remove", args=[Passkey.objects.get().pk]), follow=True)
    assert "requires a second factor" in told.content.decode()
    assert Passkey.objects.exists()


def wrong_key(device: Authenticator) -> None:
    device.key = ec.generate_private_key(ec.SECP256R1())


def set_to(**changes: Any) -> Any:
    def change(device: Authenticator) -> None:
        for name, value in changes.items():
            setattr(device, name, value)

    return change


DEVICES = {
    "another key": wrong_key,
    "another site": set_to(origin="https://evil.example", host="evil.example"),
    "another site that passes its challenge on": set_to(origin="https://evil.example"),
    "a host below ours": set_to(origin="http://answers.localhost:8000"),
    "another port": set_to(origin="http://localhost:9000"),
    "a key for another site": set_to(host="evil.example"),
    "nobody there": set_to(flags=VERIFIED),
    "nobody asked for": set_to(flags=PRESENT),
    "an identifier of nobody": set_to(identifier=b"x" * 32),
    "a copy with a counter that stands still": set_to(count=0),
}


@pytest.mark.parametrize("fault", few(DEVICES, slice(3)))
def test_device_that_proves_nothing_is_refused(device: Authenticator, fault: str) -> None:
    for _ in range(2):
        use(Client(), device)
    DEVICES[fault](device)
    client = Client()
    assert use(client, device).status_code == 422
    assert not is_signed_in(client)


ANSWERS = {"another kind": {"type": "webauthn.create"}, "another challenge": {"challenge": "A" * 43}}


@pytest.mark.parametrize("fault", ANSWERS)
def test_answer_to_something_else_is_refused(device: Authenticator, fault: str) -> None:
    client = Client()
    options, state = challenge(client, "/panel/passkey/")
    sent = {"state": state, "answer": device.get(options, **ANSWERS[fault])}
    assert client.post("/panel/passkey/", sent).status_code == 422
    assert not is_signed_in(client)


@pytest.mark.parametrize("answer", ["", "{", "[]", "{}", '{"id": 3}', '{"id": "AA", "response": {}}', "x" * 100_001])
def test_answer_that_is_none_is_refused(device: Authenticator, answer: str) -> None:
    client = Client()
    _options, state = challenge(client, "/panel/passkey/")
    assert client.post("/panel/passkey/", {"state": state, "answer": answer}).status_code in (413, 422)
    assert not is_signed_in(client)


def test_challenge_is_answered_once(device: Authenticator) -> None:
    device.counts = False  # as most passkeys of today: a copied answer is not known by its counter
    client, thief = Client(), Client()
    options, state = challenge(client, "/panel/passkey/")
    sent = {"state": state, "answer": device.get(options)}
    assert client.post("/panel/passkey/", sent).status_code == 302
    assert thief.post("/panel/passkey/", sent).status_code == 422
    assert not is_signed_in(thief)
    assert use(Client(), device).status_code == 302  # a device that does not count signs in again


def test_challenge_ends_after_ten_minutes(device: Authenticator, monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client()
    options, state = challenge(client, "/panel/passkey/")
    later = timezone.now().timestamp() + 601
    monkeypatch.setattr("django.core.signing.time.time", lambda: later)
    assert client.post("/panel/passkey/", {"state": state, "answer": device.get(options)}).status_code == 422


def test_challenge_of_another_purpose_is_refused(her: Client, device: Authenticator, bob: User, sign_in: Any) -> None:
    options, state = challenge(her, reverse("panel:passkey-new"))
    given = {"name": "phone", "state": state, "answer": Authenticator().create(options), "password": PASSWORD}
    assert sign_in(bob).post(reverse("panel:passkey-new"), given).status_code == 422
    assert Client().post("/panel/passkey/", {"state": state, "answer": device.get(options)}).status_code == 422
    assert her.post(reverse("panel:passkey-new"), given).status_code == 302


def test_passkey_belongs_to_one_account(device: Authenticator, bob: User, sign_in: Any) -> None:
    assert "belongs to an account already" in add(sign_in(bob), device).content.decode()


def test_account_that_is_switched_off_has_no_passkey(device: Authenticator, alice: User) -> None:
    User.objects.update(is_active=False)
    assert use(Client(), device).status_code == 422


def test_account_of_an_institution_signs_in_there(device: Authenticator, alice: User, settings: Any) -> None:
    now = timezone.now()
    Identity.objects.create(user=alice, issuer="https://idp", subject="1", confirmed_at=now, asked_at=now)
    assert use(Client(), device).status_code == 302  # she has a password as well
    settings.CANDOR_LOCAL_SIGN_IN = False
    assert "through its institution" in use(Client(), device).content.decode()


def test_lost_device_is_taken_away_by_command(device: Authenticator) -> None:
    call_command("second_factor_off", "alice")
    assert not Passkey.objects.exists()
    client = Client()
    client.post(reverse("admin:login"), {"username": "alice", "password": "a long passphrase"})
    assert is_signed_in(client)


def test_passkey_stays_when_the_app_goes(her: Client, device: Authenticator, alice: User) -> None:
    set_up(her, alice)
    forget_attempts(alice)
    her.post(reverse("panel:second-factor-off"), {"code": code_of(alice)})
    assert Passkey.objects.exists()
    assert alice.staticdevice_set.exists()  # type: ignore[attr-defined]


def test_last_passkey_takes_its_recovery_codes_along(her: Client, device: Authenticator, alice: User) -> None:
    her.post(reverse("panel:passkey-remove", args=[Passkey.objects.get().pk]))
    assert not Passkey.objects.exists()
    assert not alice.staticdevice_set.exists()  # type: ignore[attr-defined]


def test_passkey_of_a_colleague_is_not_removed(device: Authenticator, bob: User, sign_in: Any) -> None:
    place = reverse("panel:passkey-remove", args=[Passkey.objects.get().pk])
    assert sign_in(bob).post(place).status_code == 404
    assert Passkey.objects.exists()


@pytest.mark.parametrize(
    ("site", "offered"),
    [
        ("https://survey.example.org", True),
        ("http://localhost:8000", True),
        ("http://survey.example.org", False),
        ("http://127.0.0.1:8000", False),
        ("https://192.0.2.1", False),
        ("https://[2001:db8::1]", False),
    ],
)
def test_passkeys_are_offered_where_browsers_allow_them(her: Client, settings: Any, site: str, offered: bool) -> None:
    settings.CANDOR_URL = site
    assert ("Add a passkey" in her.get(ACCOUNT).content.decode()) is offered
    assert ("Sign in with a passkey" in Client().get(reverse("admin:login")).content.decode()) is offered
    assert her.get(reverse("panel:passkey-new")).status_code == (200 if offered else 302)
    assert Client().get("/panel/passkey/").status_code == (200 if offered else 302)


def test_passkey_is_added_with_the_password_alone(her: Client, alice: User) -> None:
    for password in ("", "another passphrase"):
        answer = add(her, Authenticator(), password=password)
        assert answer.status_code == 422
        assert "This is not your password." in answer.content.decode()
    assert not Passkey.objects.exists()
    assert add(her, Authenticator()).status_code == 200


def test_who_has_no_password_adds_a_passkey_without(her: Client, alice: User) -> None:
    alice.set_unusable_password()
    alice.save()
    her.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    assert "Your password" not in her.get(reverse("panel:passkey-new")).content.decode()
    assert add(her, Authenticator(), password="").status_code == 200
