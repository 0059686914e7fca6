"""Signing in: the second factor, its recovery codes, throttled passwords, sessions that end."""

import hashlib
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client, RequestFactory
from django.urls import reverse
from django_otp.plugins.otp_totp.models import TOTPDevice
from sesame.utils import get_token

from surveys.accounts.sessions import sessions_of
from surveys.models import AuditEntry
from tests.tools.gate import few
from tests.tools.second_factor import code_of, forget_attempts, set_up

pytestmark = pytest.mark.django_db

PASSWORD = "a long passphrase"
LIST = "/panel/surveys/survey/"


@pytest.fixture(autouse=True)
def _fresh() -> None:
    cache.clear()


def signed_in_with_password(name: str = "alice", password: str = PASSWORD, client: Client | None = None) -> Any:
    client = client or Client()
    client.answer = client.post(reverse("admin:login"), {"username": name, "password": password})  # type: ignore[attr-defined]
    return client


def test_second_factor_is_enabled_by_a_code(her: Client, alice: User) -> None:
    page = her.get(reverse("panel:second-factor")).content.decode()
    device = TOTPDevice.objects.get()
    assert "<svg" in page
    assert "style=" not in re.findall(r"<svg.*?</svg>", page, re.S)[-1]
    assert device.config_url.partition("secret=")[2].partition("&")[0] in re.sub(r"\s", "", page)
    assert her.post(reverse("panel:second-factor"), {"code": "000000"}).status_code == 200
    device.refresh_from_db()
    assert (device.confirmed, device.throttling_failure_count) == (False, 1)
    forget_attempts(alice)
    assert len(set(set_up(her, alice))) == 10
    assert her.get(LIST).status_code == 200  # this session has passed
    assert AuditEntry.objects.filter(name="alice", act="enabled the second factor").exists()


@pytest.mark.parametrize("by_link", few([False, True]))
def test_second_factor_is_required_before_any_page(her: Client, alice: User, by_link: bool) -> None:
    set_up(her, alice)
    client = Client() if by_link else signed_in_with_password()
    if by_link:
        client.post(reverse("sign-in"), {"code": get_token(alice)})
    for address in (LIST, "/panel/", "/panel/teams/", "/panel/account/", "/panel/join/", "/panel/password_change/"):
        answer = client.get(address)
        assert (answer.status_code, answer["Location"].split("?")[0]) == (302, "/panel/code/")
    assert client.get("/api/v1/plan/").status_code == 403
    assert client.get("/api/").status_code == client.get("/api/schema/").status_code == 200  # which are for everybody
    key = client.session.session_key
    page = client.post("/panel/code/", {"code": "000000"})
    assert (page.status_code, "This code is wrong" in page.content.decode()) == (422, True)
    assert client.post("/panel/code/", {"code": code_of(alice)}).status_code == 422  # too soon after a wrong one
    forget_attempts(alice)
    done = client.post("/panel/code/?next=/panel/teams/", {"code": code_of(alice)})
    assert (done.status_code, done["Location"]) == (302, "/panel/teams/")
    assert client.session.session_key != key
    assert client.get(LIST).status_code == 200


def test_second_factor_and_recovery_codes_work_once(her: Client, alice: User) -> None:
    recovery = set_up(her, alice)[0]
    used = code_of(alice)
    assert signed_in_with_password().post("/panel/code/", {"code": used})["Location"] == "/panel/"
    assert signed_in_with_password().post("/panel/code/", {"code": used}).status_code == 422
    forget_attempts(alice)
    assert signed_in_with_password().post("/panel/code/", {"code": recovery.upper()})["Location"] == "/panel/"
    forget_attempts(alice)
    assert signed_in_with_password().post("/panel/code/", {"code": recovery}).status_code == 422
    forget_attempts(alice)
    assert "9 recovery codes left" in her.get(reverse("panel:account")).content.decode()
    forget_attempts(alice)
    fresh = her.post(reverse("panel:recovery-codes"), {"code": code_of(alice)}).content.decode()
    assert len(re.findall(r"<li>[a-z2-7]{8}</li>", fresh)) == 10


def test_second_factor_redirects_only_within_site(her: Client, alice: User) -> None:
    set_up(her, alice)
    client = signed_in_with_password()
    assert client.post("/panel/code/?next=https://evil.example/", {"code": code_of(alice)})["Location"] == "/panel/"


def test_second_factor_is_disabled_by_a_code(her: Client, alice: User, settings: Any) -> None:
    set_up(her, alice)
    off = reverse("panel:second-factor-off")
    assert "This code is wrong" in her.post(off, {"code": "000000"}, follow=True).content.decode()
    forget_attempts(alice)
    settings.CANDOR_SECOND_FACTOR = "required"
    assert "requires a second factor" in her.post(off, {"code": code_of(alice)}, follow=True).content.decode()
    settings.CANDOR_SECOND_FACTOR = ""
    her.post(off, {"code": code_of(alice)})
    assert not TOTPDevice.objects.exists()
    assert signed_in_with_password().get(LIST).status_code == 200


def test_second_factor_off_command_lets_user_in(her: Client, alice: User) -> None:
    set_up(her, alice)
    call_command("second_factor_off", "alice")
    assert signed_in_with_password().get(LIST).status_code == 200


def test_second_factor_required_by_setting(her: Client, alice: User, settings: Any) -> None:
    settings.CANDOR_SECOND_FACTOR = "required"
    assert her.get(LIST)["Location"].startswith("/panel/account/second-factor/")
    assert her.post("/panel/teams/", {"name": "x"}).status_code == 302
    assert her.get("/api/v1/plan/").status_code == 403
    assert len(set_up(her, alice)) == 10
    assert her.get(LIST).status_code == 200


def test_sign_in_unknown_name_and_wrong_password_same_page(alice: User) -> None:
    pages = [
        re.sub(rb'value="[^"]*"', b"", signed_in_with_password(name, "wrong").answer.content)
        for name in ("alice", "nobody")
    ]
    assert pages[0] == pages[1]
    assert b"Please enter the correct username and password" in pages[0]


@pytest.mark.parametrize("name", ["alice", "nobody"])
def test_sign_in_ten_wrong_passwords_lock_out(alice: User, name: str, caplog: Any) -> None:
    for _ in range(10):
        signed_in_with_password(name, "wrong")
    client = signed_in_with_password(name)
    assert client.answer.status_code == 429
    assert "Too many attempts" in client.answer.content.decode()
    link = Client()
    link.post(reverse("sign-in"), {"code": get_token(alice)})
    assert link.get(LIST).status_code == 200  # a one-time link works meanwhile
    assert caplog.text == ""


def sign_in_from(address: str, name: str = "alice", password: str = PASSWORD) -> int:
    answer = Client(REMOTE_ADDR=address).post(reverse("admin:login"), {"username": name, "password": password})
    return int(answer.status_code)


@pytest.mark.parametrize(
    ("attacker", "neighbour", "elsewhere"),
    [
        ("192.0.2.1", "192.0.2.1", "192.0.2.2"),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:db8:1:3::1"),
    ],
)
def test_lockout_holds_for_name_and_address_together(
    alice: User, attacker: str, neighbour: str, elsewhere: str
) -> None:
    assert [sign_in_from(attacker, password="wrong") for _ in range(10)] == [200] * 9 + [429]
    assert sign_in_from(elsewhere) == 302, "nobody locks a colleague out"
    assert sign_in_from(attacker) == sign_in_from(neighbour) == 429, "a success elsewhere opens nothing here"
    assert sign_in_from(attacker, name="nobody") == 200, "another name"


def test_sign_in_success_resets_wrong_passwords(alice: User) -> None:
    assert [sign_in_from("192.0.2.1", password="wrong") for _ in range(9)] == [200] * 9
    assert sign_in_from("192.0.2.1") == 302
    assert sign_in_from("192.0.2.1", password="wrong") == 200


def test_sign_in_many_names_from_one_address_are_limited(alice: User, settings: Any) -> None:
    from collector.endpoint import rate_limits
    from collector.endpoint.rate_limits import Limit

    settings.REDIS_URL = None
    things = settings.CANDOR_LIMITS["sign-ins by address"].things
    settings.CANDOR_LIMITS = settings.CANDOR_LIMITS | {"sign-ins by address": Limit(things, 4, "day")}
    rate_limits.shared.cache_clear()
    tried = [sign_in_from("192.0.2.7", name=f"name{number}", password="wrong") for number in range(6)]
    assert tried == [200] * 4 + [429] * 2
    assert sign_in_from("192.0.2.8") == 302
    rate_limits.shared.cache_clear()


def test_counts_of_sign_ins_hold_no_address(alice: User) -> None:
    from axes.helpers import get_client_cache_keys
    from django.core.cache import cache

    sign_in_from("192.0.2.9", password="wrong")
    kept = getattr(cache, "_cache", {})
    assert "192.0.2.9" not in repr(kept)
    request = RequestFactory(REMOTE_ADDR="192.0.2.9").post("/", {})
    plain = hashlib.sha256(b"alice192.0.2.9").hexdigest()
    assert get_client_cache_keys(request, {"username": "alice"}) != [f"axes-{plain}"]


def test_sign_in_wrong_passwords_are_not_stored(alice: User) -> None:
    from axes.models import AccessAttempt, AccessFailureLog, AccessLog

    signed_in_with_password("alice", "wrong")
    signed_in_with_password()
    assert [model.objects.count() for model in (AccessAttempt, AccessFailureLog, AccessLog)] == [0, 0, 0]
    assert [*AuditEntry.objects.values_list("name", "act")] == [("alice", "signed in")]


def test_sign_in_rotates_session_and_sign_out_ends_it(alice: User) -> None:
    client = Client()
    client.post("/panel/join/", {"secret": "x"})
    before = client.session.session_key
    signed_in_with_password(client=client)
    key = client.session.session_key
    assert before != key
    stolen = Client()
    stolen.cookies["sessionid"] = key
    assert stolen.get(LIST).status_code == 200
    client.post(reverse("admin:logout"))
    assert stolen.get(LIST).status_code == 302
    assert AuditEntry.objects.filter(act="signed out").count() == 1


def unused_for(client: Client, hours: float) -> None:
    session = client.session
    session["used_at"] -= int(hours * 3600)
    session.save()


def test_session_that_nobody_uses_ends(alice: User, settings: Any) -> None:
    client = signed_in_with_password()
    assert client.get(LIST).status_code == 200
    unused_for(client, 23)
    assert client.get(LIST).status_code == 200
    unused_for(client, 23)
    assert client.get(LIST).status_code == 200  # it was used an hour before it would have ended
    unused_for(client, 25)
    assert client.get(LIST)["Location"] == "/panel/login/?next=%2Fpanel%2Fsurveys%2Fsurvey%2F"
    assert client.get(LIST).status_code == 302
    settings.CANDOR_SESSION_UNUSED = 0
    client = signed_in_with_password()
    client.get(LIST)
    assert client.get(LIST).status_code == 200


def test_sessions_are_seen_and_ended(alice: User, bob: User) -> None:
    here, there, third, other = (signed_in_with_password() for _ in range(4))
    bobs = Client()
    bobs.force_login(bob, backend="django.contrib.auth.backends.ModelBackend")
    text = here.get(reverse("panel:account")).content.decode()
    assert (text.count("This browser"), text.count("Another browser")) == (1, 3)
    assert not any(one.session.session_key in text for one in (here, there, third, other))
    name = next(one.name for one in sessions_of(alice, there.session) if one.is_here)
    end = reverse("panel:sessions-end")
    assert "1 session has ended" in here.post(end, {"session": name}, follow=True).content.decode()
    assert there.get(LIST).status_code == 302
    assert third.get(LIST).status_code == 200
    mine = next(one.name for one in sessions_of(bob, bobs.session) if one.is_here)
    for wrong in (mine, "unknown", next(one.name for one in sessions_of(alice, here.session) if one.is_here)):
        assert "0 sessions have ended" in here.post(end, {"session": wrong}, follow=True).content.decode()
    assert "2 sessions have ended" in here.post(end, follow=True).content.decode()
    assert [one.get(LIST).status_code for one in (here, third, other, bobs)] == [200, 302, 302, 200]
    acts = AuditEntry.objects.filter(act="ended sessions").order_by("pk").values_list("detail", flat=True)
    assert list(acts) == ["1 elsewhere", "2 elsewhere"]


def test_page_that_asks_by_itself_is_no_use(alice: User) -> None:
    client = signed_in_with_password()
    client.get(LIST)
    unused_for(client, 23)
    assert client.get("/api/v1/teams/", HTTP_SEC_FETCH_MODE="cors").status_code == 200
    unused_for(client, 2)
    answer = client.get("/api/v1/teams/", HTTP_SEC_FETCH_MODE="cors")
    assert (answer.status_code, "not used for long" in answer.content.decode()) == (403, True)


def test_form_of_a_session_that_nobody_used_is_given_back(alice: User) -> None:
    client = signed_in_with_password()
    client.get(LIST)
    unused_for(client, 25)
    page = client.post("/panel/teams/", {"name": "Field workers"}, HTTP_SEC_FETCH_SITE="same-origin")
    assert (page.status_code, "Field workers" in page.content.decode()) == (403, True)


def test_a_new_password_ends_the_other_sessions(alice: User) -> None:
    here, there = signed_in_with_password(), signed_in_with_password()
    new = "another long passphrase"
    fields = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
    assert here.post(reverse("admin:password_change"), fields).status_code == 302
    assert (here.get(LIST).status_code, there.get(LIST).status_code) == (200, 302)
    assert AuditEntry.objects.filter(name="alice", act="changed the password").exists()
    alice.refresh_from_db()
    alice.is_active = False
    alice.save()
    assert here.get(LIST).status_code == 302  # an account that is off has no session


def test_sign_in_link_used_twice_says_so(alice: User) -> None:
    link, code = reverse("sign-in"), {"code": get_token(alice)}
    assert Client().post(link, code).status_code == 302
    again_answer = Client().post(link, code)
    assert (again_answer.status_code, "works once" in again_answer.content.decode()) == (403, True)
