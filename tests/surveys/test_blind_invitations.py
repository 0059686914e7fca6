"""Blind invitations: the key in the design, one token for each code, and nothing kept of which."""

import csv
import hashlib
import io
import json
import threading
from datetime import date
from itertools import cycle
from random import Random
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from collector.designs.selectors import get_design
from collector.endpoint import rate_limits
from collector.errors import Conflict, RequestRefused
from collector.invitations import tokens as door
from collector.invitations.codes import hash_of, new_code
from collector.reports import folding
from surveys.accounts.teams import home_team
from surveys.definition.definitions import NO_KEY
from surveys.lifecycle import selectors, signing_keys
from surveys.lifecycle.services import close_survey, revise_survey, write_survey
from surveys.models import FetchCode, SigningKey, SigningSecret, Survey, Version
from surveys.opening import schedules
from surveys.opening.services import open_survey, open_wave
from surveys.outreach import fetch_codes
from surveys.respondent import blind_signature, tokens
from tests.factories import payloads
from tests.factories.reports import store_report
from tests.tools import blind as client
from tests.tools.refusals import refuses

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys that were made before: a new one takes a second. Each test begins with the same ones."""
    ready = cycle(client.ready())
    monkeypatch.setattr("cryptography.hazmat.primitives.asymmetric.rsa.generate_private_key", lambda **_: next(ready))


def blind_draft(alice: User, **changes: Any) -> Survey:
    return write_survey(payloads.definition(invitations="blind", **changes), team=home_team(alice))


@pytest.fixture
def opened(alice: User) -> Version:
    return open_survey(blind_draft(alice))


@pytest.fixture
def held(opened: Version) -> list[str]:
    """Ten one-time codes."""
    made = [new_code() for _ in range(10)]
    fetch_codes.add(opened.design_id, [hash_of(code) for code in made], kind="file")
    return made


def modulus_of(version: Version) -> int:
    return int(get_design(version.design_id).modulus, 16)


def ask(version: Version, code: str, blinded: str, **headers: str) -> HttpResponse:
    body = json.dumps({"design": version.design_id, "code": code, "blinded": blinded})
    return post(version.survey.slug, body, **headers)


def post(slug: str, body: str | bytes, **headers: str) -> HttpResponse:
    sent = {"Host": "testserver", "Origin": "http://testserver", "Sec-Fetch-Site": "same-origin"} | headers
    address = reverse("surveys:token-sign", args=[slug])
    return Client().post(address, body, content_type="application/json", headers=sent)  # type: ignore[return-value]


def fetching(version: Version, seed: int = 1) -> client.Fetching:
    return client.Fetching(modulus_of(version), Random(seed))


def test_blind_confirmed_digest_holds_signing_key(alice: User) -> None:
    draft = blind_draft(alice)
    (shown, _), (again, _) = selectors.design_to_open(draft), selectors.design_to_open(draft)
    assert shown.digest == again.digest
    version = open_survey(draft, confirmed=shown.digest)
    assert f"{modulus_of(version):0768x}" == SigningKey.objects.get().modulus
    assert modulus_of(version).bit_length() == 3072


def test_blind_wave_gets_new_key_and_drops_old_secret(opened: Version) -> None:
    survey = opened.survey
    close_survey(survey)
    assert SigningSecret.objects.get().key.number == 2, "the next one's; that of the closed version is gone"
    revise_survey(survey)
    second = open_survey(survey)
    assert modulus_of(second) != modulus_of(opened)
    assert SigningSecret.objects.get().key.number == 2
    with pytest.raises(Conflict):
        open_survey(survey)
    close_survey(survey)
    third = open_wave(survey)
    assert len({modulus_of(one) for one in (opened, second, third)}) == 3
    assert b"Get your invitation" in Client().get("/s/campus/token/").content
    assert SigningSecret.objects.get().key.number == 3


def test_blind_draft_without_secret_gets_new_key(alice: User) -> None:
    draft = blind_draft(alice)
    before, _ = selectors.design_to_open(draft)
    SigningSecret.objects.all().delete()
    after, _ = selectors.design_to_open(draft)
    assert before.digest != after.digest
    with pytest.raises(Conflict, match="changed since"):
        open_survey(Survey.objects.get(), confirmed=before.digest)
    version = open_survey(draft, confirmed=after.digest)
    assert f"{modulus_of(version):0768x}" == SigningSecret.objects.get().key.modulus
    assert modulus_of(version) not in (int(NO_KEY, 16), int(before.document["invitations"]["modulus"], 16))


@pytest.mark.django_db(transaction=True)
def test_blind_missing_key_is_generated_before_opening(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    drafts = [blind_draft(alice, slug=f"blind-{number}") for number in range(2)]
    SigningSecret.objects.all().delete()
    within, ready = [], cycle(client.ready())

    def generate(**_: object) -> object:
        within.append(connection.in_atomic_block)
        return next(ready)

    monkeypatch.setattr("cryptography.hazmat.primitives.asymmetric.rsa.generate_private_key", generate)
    open_survey(drafts[0])
    digest = selectors.design_to_open(drafts[1])[0].digest
    schedules.open_on(drafts[1], schedules.OpeningPlan(), confirmed=digest)
    assert within == [False, False], "others write while a key is computed"


def test_blind_rehearsal_has_no_key(alice: User) -> None:
    selectors.design_to_open(blind_draft(alice, rehearsal=True))
    assert not SigningKey.objects.exists()


def test_token_from_code_is_accepted_by_endpoint(opened: Version, held: list[str]) -> None:
    asking = fetching(opened)
    answer = ask(opened, held[0], asking.blinded)
    assert answer.status_code == 200
    token = asking.token(answer.json()["signed"])
    assert (
        door.read(token, f"{modulus_of(opened):0768x}") == hashlib.sha256(asking.message + asking.randomizer).digest()
    )


def test_token_repeated_request_gets_the_same_signature(opened: Version, held: list[str]) -> None:
    asking = fetching(opened)
    first, again = (ask(opened, held[0], asking.blinded) for _ in range(2))
    assert first.json() == again.json()
    other = ask(opened, held[0], fetching(opened, seed=2).blinded)
    assert other.status_code == 403
    assert SigningKey.objects.get().issued == 1


def test_token_wrong_used_revoked_codes_get_one_message(opened: Version, held: list[str], alice: User) -> None:
    other = open_survey(blind_draft(alice, slug="other"))
    theirs = new_code()
    fetch_codes.add(other.design_id, [hash_of(theirs), *(hash_of(new_code()) for _ in range(9))], kind="file")
    ask(opened, held[0], fetching(opened).blinded)
    assert fetch_codes.withdraw(opened.design_id, 1) == 9
    refused = [
        ask(opened, code, fetching(opened, seed=2).blinded)
        for code in (new_code(), held[0], held[1], theirs, held[2][:-1] + ("0" if held[2][-1] != "0" else "1"))
    ]
    assert {(one.status_code, one.content) for one in refused} == {
        (
            403,
            b'{"error": {"field": "code", "message": "This code cannot be used: it is not one of this '
            b"survey's, or it was used before.\"}}",
        )
    }
    assert ask(opened, held[0], fetching(opened).blinded).status_code == 200, "what was fetched stays good"


def test_token_malformed_request_is_refused_without_echo(opened: Version, held: list[str]) -> None:
    good = {"design": opened.design_id, "code": held[0], "blinded": fetching(opened).blinded}
    twice = json.dumps(good)[:-1] + f', "code": "{held[1]}"}}'
    bodies = [json.dumps(good | change) for change in (
        {"code": held[0].upper() + "!"}, {"code": 7}, {"blinded": "0x" + good["blinded"][2:]}, {"blinded": None},
        {"blinded": "f" * 768}, {"more": held[0]}, {"design": held[0]},
    )]  # fmt: skip
    others = twice, "[]", "7", json.dumps([[held[0]] * 2] * 3), "[" * 400, b"\xed\xa0\x80"
    for body in (*bodies, *others):
        answer = post("campus", body)
        assert answer.status_code == 422, body
        assert held[0].encode() not in answer.content.lower()
    assert post("campus", json.dumps(good | {"more": "x" * 200})).status_code == 413
    assert post("campus", json.dumps(good | {"design": "0" * 64})).status_code == 404
    assert post("no-such", json.dumps(good)).status_code == 404
    assert not FetchCode.objects.exclude(blinded=None).exists(), "a refused request uses no code up"


@pytest.mark.parametrize(
    "headers", [{"Origin": "https://elsewhere.example"}, {"Origin": ""}, {"Sec-Fetch-Site": "cross-site"}]
)
def test_token_cross_site_request_is_refused(opened: Version, held: list[str], headers: dict[str, str]) -> None:
    assert ask(opened, held[0], fetching(opened).blinded, **headers).status_code == 403
    assert not FetchCode.objects.exclude(blinded=None).exists()


def test_token_form_post_answers_415(opened: Version) -> None:
    address = reverse("surveys:token-sign", args=["campus"])
    headers = {"Host": "testserver", "Origin": "http://testserver"}
    assert Client().post(address, {"code": "x"}, headers=headers).status_code == 415
    assert Client().get(address).status_code == 405


def test_token_closed_survey_answers_410_and_drops_codes(opened: Version, held: list[str]) -> None:
    ask(opened, held[0], fetching(opened).blinded)
    close_survey(opened.survey)
    assert not FetchCode.objects.exists()
    assert SigningKey.objects.get(number=1).issued == 1
    assert ask(opened, held[1], fetching(opened).blinded).status_code == 410
    with pytest.raises(ValueError, match="after closing"):
        fetch_codes.add(opened.design_id, [hash_of(new_code()) for _ in range(10)], kind="file")


def test_token_without_secret_is_accepted_but_not_issued(opened: Version, held: list[str]) -> None:
    """As after a restore: the secret and the codes are in no backup."""
    asking = fetching(opened)
    token = asking.token(ask(opened, held[0], asking.blinded).json()["signed"])
    SigningSecret.objects.all().delete()
    assert ask(opened, held[1], fetching(opened, seed=2).blinded).status_code == 410
    assert store_report(payloads.body(get_design(opened.design_id), invitation=token))


def test_sign_computation_fault_reveals_nothing(opened: Version, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bellcore's attack: a signature that is right by one prime only gives both away, so none leaves."""
    numbers = signing_keys.secret_of(SigningKey.objects.get())
    assert numbers is not None
    right = blind_signature._power
    monkeypatch.setattr(
        blind_signature, "_power", lambda base, private: (right(base, private) + private.p) % (private.p * private.q)
    )
    with pytest.raises(RuntimeError, match="did not verify"):
        blind_signature.sign(12345, numbers)


def test_sign_number_above_modulus_is_refused() -> None:
    with pytest.raises(ValueError, match="below the modulus"):
        blind_signature.sign(client.key().public_numbers.n, client.key())


@pytest.mark.django_db(transaction=True)
def test_token_twenty_at_once_issues_one(opened: Version, held: list[str]) -> None:
    asked = [fetching(opened, seed=number) for number in range(20)]
    found: list[int] = []
    started = threading.Barrier(len(asked))

    def go(one: client.Fetching) -> None:
        started.wait()
        try:
            found.append(ask(opened, held[0], one.blinded).status_code)
        finally:
            connection.close()

    threads = [threading.Thread(target=go, args=(one,)) for one in asked]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [200] + [403] * 19
    assert SigningKey.objects.get().issued == 1


def test_token_rate_limit_by_address_answers_429(opened: Version, held: list[str], settings: Any) -> None:
    rate_limits.shared.cache_clear()
    one = rate_limits.Limit("requests", 1, "hour")
    settings.CANDOR_LIMITS = settings.CANDOR_LIMITS | {"tokens by address": one}
    answers = [ask(opened, held[0], fetching(opened).blinded) for _ in range(2)]
    assert [one.status_code for one in answers] == [200, 429]
    assert answers[1]["Retry-After"]


class TestAccounts:
    def test_account_gets_one_code_where_allowed(self, opened: Version, bob: User) -> None:
        address = reverse("fetch", args=["campus"])
        visitor = Client()
        assert visitor.get(address).status_code == 302, "first sign in"
        visitor.force_login(bob, backend="django.contrib.auth.backends.ModelBackend")
        assert visitor.get(address).status_code == visitor.post(address).status_code == 404
        tokens.let_accounts_fetch(opened.survey, allowed=True)
        assert b"bob" in visitor.get(address).content
        assert not FetchCode.objects.exists(), "looking makes nothing"
        links = [visitor.post(address).context["link"] for _ in range(2)]
        assert links[0] == links[1]
        start, _, code = links[0].rpartition("&code=")
        assert start.endswith(f"/s/campus/token/#{opened.design_id}")
        assert ask(opened, code, fetching(opened).blinded).status_code == 200
        assert ask(opened, code, fetching(opened, seed=2).blinded).status_code == 403
        assert FetchCode.objects.get().account == bob

    def test_account_codes_differ_by_person_and_wave(self, opened: Version, alice: User, bob: User) -> None:
        tokens.let_accounts_fetch(opened.survey, allowed=True)
        opened.survey.refresh_from_db()
        made = {tokens.code_for(person, opened) for person in (alice, bob)}
        close_survey(opened.survey)
        with pytest.raises(RequestRefused):
            tokens.code_for(alice, opened)
        revise_survey(opened.survey)
        made.add(tokens.code_for(alice, open_survey(opened.survey)))
        assert len(made) == 3


def test_code_batches_of_ten_hide_use(opened: Version, held: list[str]) -> None:
    ask(opened, held[0], fetching(opened).blinded)
    (made,) = fetch_codes.batches(opened.design_id)
    assert (made.number, made.count, made.kind, made.stratum) == (1, 10, "file", None)
    assert isinstance(made.made_on, date)
    with pytest.raises(ValueError, match="at least 10"):
        fetch_codes.add(opened.design_id, [hash_of(new_code())], kind="file")
    with pytest.raises(ValueError, match="no group"):
        fetch_codes.add(opened.design_id, [hash_of(new_code()) for _ in range(10)], stratum="y1", kind="file")


def test_token_rows_hold_no_time_code_or_token(opened: Version, held: list[str]) -> None:
    """Nothing of a row is finer than a day, and neither a code, nor what was blinded, nor a token is in any of them."""
    asking = fetching(opened)
    token = asking.token(ask(opened, held[0], asking.blinded).json()["signed"])
    kept = "".join(
        repr([bytes(value) if isinstance(value, memoryview) else value for value in row])
        for model in (SigningKey, FetchCode)
        for row in model.objects.values_list()
    )
    assert "datetime" not in kept
    for secret in (held[0], asking.blinded, asking.message.hex(), token[:40]):
        assert secret not in kept
    assert repr(asking.message)[2:-1] not in kept


def test_token_page_same_bytes_for_everyone(opened: Version) -> None:
    first, second = (
        Client(headers=h).get("/s/campus/token/") for h in ({}, {"Cookie": "a=b", "Accept-Language": "de"})
    )
    assert first.content == second.content
    assert first.status_code == 200
    assert not first.cookies
    assert "script-src 'self'" in first["Content-Security-Policy"]
    close_survey(opened.survey)
    assert b"This survey is closed" in Client().get("/s/campus/token/").content


def test_token_page_other_surveys_answer_404(version: Version) -> None:
    assert Client().get("/s/campus/token/").status_code == 404


class TestPanel:
    """Codes, the count of tokens and the switch for accounts, as the panel has them."""

    @pytest.fixture
    def hers(self, alice: User) -> Client:
        client = Client()
        client.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
        return client

    def test_panel_makes_codes_that_lead_to_token_page(self, opened: Version, hers: Client) -> None:
        made = hers.post(reverse("panel:invitations-make", args=["campus"]), {"count": "10", "form": "csv"})
        rows = list(csv.DictReader(io.StringIO(made.content.decode("utf-8-sig"))))
        start, _, code = rows[0]["link"].rpartition("&code=")
        assert start.endswith(f"/s/campus/token/#{opened.design_id}")
        assert len(rows) == 10
        assert ask(opened, code, fetching(opened).blinded).status_code == 200
        shown = hers.get(reverse("panel:invitations", args=["campus"])).content.decode()
        assert "0 tokens issued, in steps of 10" in shown
        assert f"/s/campus/token/#{opened.design_id}" in shown
        assert "answered" in shown
        assert "Nothing was created. group must be left out" in hers.post(
            reverse("panel:invitations-make", args=["campus"]), {"count": "10", "form": "csv", "group": "y1"}
        ).content.decode().replace("&#x27;", "'")
        hers.post(reverse("panel:invitations-withdraw", args=["campus", 1]))
        assert FetchCode.objects.count() == 1, "what was fetched stays"

    def test_panel_owner_allows_codes_by_account(self, opened: Version, hers: Client) -> None:
        address = reverse("panel:fetch-by-account", args=["campus"])
        assert "Allow accounts" in hers.get(reverse("panel:share", args=["campus"])).content.decode()
        said = hers.post(address, {"allowed": "yes"}, follow=True).content.decode()
        assert "/panel/fetch/campus/" in said
        assert hers.get(reverse("fetch", args=["campus"])).status_code == 200
        hers.post(address, {"allowed": "no"})
        assert hers.get(reverse("fetch", args=["campus"])).status_code == 404


def test_account_code_needs_csrf_token(opened: Version, bob: User) -> None:
    tokens.let_accounts_fetch(opened.survey, allowed=True)
    visitor = Client(enforce_csrf_checks=True)
    visitor.force_login(bob, backend="django.contrib.auth.backends.ModelBackend")
    assert visitor.post(reverse("fetch", args=["campus"])).status_code == 403
    assert Client().post(reverse("fetch", args=["campus"])).status_code == 302, "who is not signed in is asked to"
    assert not FetchCode.objects.exists()


def test_issued_and_stored_rows_share_no_value(opened: Version, held: list[str], bob: User) -> None:
    """Ten codes and an account fetch, and all answer in another order: no value is on both sides, and no time."""
    tokens.let_accounts_fetch(opened.survey, allowed=True)
    opened.survey.refresh_from_db()
    asked = [fetching(opened, seed=number) for number in range(11)]
    taken = [
        one.token(ask(opened, code, one.blinded).json()["signed"])
        for one, code in zip(asked, [*held, tokens.code_for(bob, opened)], strict=True)
    ]
    design = get_design(opened.design_id)
    for token in Random(3).sample(taken, len(taken)):
        store_report(payloads.body(design, invitation=token))
        with refuses(403):
            store_report(payloads.body(design, invitation=token))
    folding.fold(opened.design_id)
    issued = values("surveys_fetchcode", "surveys_fetchbatch")
    stored = values("collector_report", "collector_waitingreport", "collector_usedtoken")
    assert len(issued) == 22, "of each a code and what was blinded"
    assert len(stored) == 22, "of each a nonce and a token"
    assert issued & stored == set()
    assert SigningKey.objects.get().issued == 11


def values(*names: str) -> set[object]:
    """Every value of these tables that is more than a small number."""
    found: set[object] = set()
    with connection.cursor() as cursor:
        for name in names:
            cursor.execute(f"SELECT * FROM {name}")
            rows = [bytes(one) if isinstance(one, memoryview) else one for row in cursor.fetchall() for one in row]
            found |= {one for one in rows if isinstance(one, bytes | str) and len(one) > 8}
    return found
