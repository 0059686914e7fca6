"""Every address of the panel, every method, everybody: a row for each says the least role that each method takes.

The addresses come from the URL configuration, so a new one without a row fails. A stranger's object and a missing one
look the same to the byte; who is in the team with a smaller role is told so; who is not signed in is asked to.
"""

import random
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from estimator.models import Run
from surveys.accounts.access import Role
from surveys.accounts.teams import home_team
from surveys.definition import definitions
from surveys.lifecycle import selectors
from surveys.models import Survey
from tests.panel.access import (
    ADMIN,
    METHODS,
    OWNER,
    ROWS,
    STAFF,
    VIEWER,
    Cast,
    Row,
    act,
    ask,
    expected,
    form,
    read,
    verdict,
)
from tests.panel.forms import form_of
from tests.tools.gate import few
from tests.tools.html import FORBIDDEN_IN_PAGES

pytestmark = pytest.mark.django_db


APART = {
    "admin:logout",
    "admin:autocomplete",
    "admin:app_list",
    "admin:view_on_site",
    "panel:token-revoke",
    "panel:passkey-remove",
}
APART |= {"panel:set-language", "panel:texts"}
"""What needs something else than a row; each has its test below, the last in test_tokens.py and test_language.py."""


def names_of(patterns: list[URLPattern | URLResolver], namespace: str) -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from names_of(pattern.url_patterns, pattern.namespace or namespace)
        elif pattern.name:
            yield f"{namespace}:{pattern.name}"


def test_every_address_has_a_row() -> None:
    known = {
        name for name in names_of(get_resolver().url_patterns, "") if name.startswith(("panel:", "api:", "admin:"))
    }
    assert known - {*ROWS, *ADMIN, *APART} == set(), "an address without a row"
    assert {*ROWS, *ADMIN, *APART} - known == set(), "a row without an address"


def is_page(answer: HttpResponse) -> bool:
    """Whether a browser shows it under the policy of its address; a file that is saved has none of ours."""
    shown = "attachment" not in answer.headers.get("Content-Disposition", "")
    return shown and answer.headers.get("Content-Type", "").startswith("text/html")


def faults(cast: Cast, who: str, name: str, row: Row, methods: tuple[str, ...]) -> Iterator[str]:
    there, missing = cast.requests(name, row)
    for method in methods:
        answer = ask(cast.clients[who], method, *there)
        found, wanted = verdict(answer), expected(who, cast.held[who], row, method, name.startswith("api:"))
        if found != wanted:
            yield f"{who}: {method} {name} is {found} ({answer.status_code}), not {wanted}"
        if is_page(answer) and (excused := FORBIDDEN_IN_PAGES.search(answer.content.decode())):
            yield f"{who}: {method} {name} has {excused[0]}, which its policy forbids"
        if wanted == "missing" and answer.content != ask(cast.clients[who], method, *missing).content:
            yield f"{who}: {method} {name} tells whether it is there"


WHO = "nobody", "stranger", "viewer", "no staff", "analyst", "editor", "owner", "superuser"


@pytest.mark.parametrize("who", few(WHO, slice(1, 3)))
def test_every_address_answers_by_role(cast: Cast, who: str) -> None:
    found = list[str]()
    for name, row in ROWS.items():
        methods = METHODS if who in ("nobody", "owner") else tuple(dict.fromkeys((*METHODS[:2], *row.methods)))
        found += faults(cast, who, name, row, methods)
    found += [fault for name, row in ADMIN.items() for fault in faults(cast, who, name, row, tuple(row.methods))]
    assert "\n".join(found) == ""


def test_access_table_wrong_row_is_found(cast: Cast) -> None:
    """The test of the tests above: each kind of fault is made once."""
    for who, name, row, what in (
        ("viewer", "panel:close", act("survey", VIEWER), "is refused (403), not answered"),
        ("editor", "panel:close", act("survey", OWNER), "is answered (302), not refused"),
        ("stranger", "panel:survey", read("survey", STAFF), "is missing (404), not answered"),
        ("stranger", "panel:plan", Row("", {"GET": VIEWER}), "is answered (200), not missing"),
        ("owner", "panel:close", form("survey", OWNER), "GET panel:close is no such method (405), not answered"),
    ):
        assert what in "".join(faults(cast, who, name, row, tuple(row.methods)))


def test_access_role_too_low_names_needed_role(cast: Cast) -> None:
    answer = cast.clients["viewer"].post(reverse("panel:close", args=["campus"]))
    assert answer.status_code == 403
    assert "You are a viewer in this team; this needs an editor." in answer.content.decode()


def test_admin_popups_and_lists_hide_others_surveys(cast: Cast) -> None:
    """Nothing is found by completing, listing or following what is somebody else's."""
    stranger, draft = cast.clients["stranger"], cast.places["draft"][0][0]
    field = {"app_label": "surveys", "model_name": "survey", "field_name": "team", "term": ""}
    assert stranger.get(reverse("admin:autocomplete"), field).status_code == 403
    assert stranger.get(reverse("admin:app_list", args=["auth"])).status_code == 404
    content_type = ContentType.objects.get_for_model(Survey).pk
    there, missing = (stranger.get(f"/panel/r/{content_type}/{pk}/") for pk in (draft, 987654))
    assert (there.status_code, there.content) == (missing.status_code, missing.content) == (404, missing.content)
    assert cast.clients["owner"].post(reverse("admin:logout")).status_code in (200, 302)
    assert verdict(cast.clients["owner"].get("/panel/new/")) == "sign in"  # type: ignore[arg-type]


def test_unsafe_requests_without_csrf_token_answer_403(cast: Cast, alice: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    for name, row in (ROWS | ADMIN).items():
        address, body = next(cast.requests(name, row))
        for method in METHODS[1:] if name.startswith("panel:") else ("POST",):
            refused = client.post(address, body) if method == "POST" else client.generic(method, address)
            assert (name, method, refused.status_code) in ((name, method, 403), (name, method, 405))
            assert refused.status_code == 403 or method not in row.methods


@pytest.mark.long
def test_guessed_ids_find_nothing_of_others(cast: Cast) -> None:
    """A stranger who tries slugs, keys and numbers, near and random, sees no byte that is alice's."""
    stranger, chance, found = cast.clients["stranger"], random.Random(7), list[str]()
    numbers = [*range(1, 5), *(chance.randrange(10**9) for _ in range(2))]
    keys = ["".join(chance.choices("0123456789abcdef", k=32)) for _ in range(2)]
    walked: dict[str, list[Any]] = {
        "draft": numbers, "user": numbers, "survey": ["campus", "draft", "campus-rehearsal", *map(str, numbers[-3:])],
        "run": [*cast.places["run"][0], *keys], "analysis": [*cast.places["analysis"][0], *keys],
    }  # fmt: skip
    for name, row in (ROWS | ADMIN).items():
        for value in walked.get(row.about, []):
            address = reverse(name, args=[value, *cast.places[row.about][0][1:]])
            for method in row.methods:
                seen = ask(stranger, method, address, {}).content
                found += [address for word in (b"Campus", b"Have you cheated", b"alice") if word in seen]
    assert found == []
    listed = stranger.get("/panel/surveys/survey/", {"q": "campus", "team__name": "Surveys of alice"})
    assert b"Campus" not in listed.content


def test_forms_ignore_fields_that_they_do_not_show(cast: Cast, bob: User, alice: User) -> None:
    """State, team and rows of another survey are not set by naming them; a team of others is no choice."""
    draft, opened, theirs = Survey.objects.get(slug="draft"), Survey.objects.get(slug="campus"), home_team(bob)
    editor, address = cast.clients["editor"], reverse("admin:surveys_survey_change", args=[draft.pk])
    alien = {"state": "open", "team": theirs.pk, "pk": opened.pk, "id": opened.pk}
    frozen = list(opened.items.values())
    sent = form_of(editor, address) | alien | {"title": "Changed"}
    assert editor.post(address, sent).status_code == 302
    editor.post(address, sent | {"items-0-id": frozen[0]["id"], "items-0-wording": "Mine now?"})
    editor.post(address, sent | {"items-0-survey": opened.pk})
    assert list(opened.items.values()) == frozen
    assert (
        editor.post(
            reverse("panel:duplicate", args=["draft"]), {"slug": "copied", "same_people": "no", **alien}
        ).status_code
        == 302
    )
    text = definitions.dump(selectors.definition_of(draft) | {"slug": "uploaded"})
    assert editor.post(reverse("panel:upload"), {"text": text, **alien}).status_code == 302
    assert not Survey.objects.filter(team=theirs).exists()
    draft.refresh_from_db()
    assert (draft.state, draft.team, str(draft)) == ("draft", home_team(alice), "Changed")


def test_survey_list_holds_surveys_of_own_teams(cast: Cast) -> None:
    address = reverse("admin:surveys_survey_changelist")
    found = {who: client.get(address).content.decode() for who, client in cast.clients.items()}
    assert [who for who in found if "Campus" in found[who]] == ["viewer", "analyst", "editor", "owner", "superuser"]
    assert "/s/campus/" in found["viewer"]
    assert "Researchers" not in found["owner"]
    assert "Researchers" in found["superuser"]


def test_api_run_shows_progress(run: Run, her: Client) -> None:
    answer = her.get(reverse("api:run", args=[run.key])).json()
    assert answer == {
        "key": run.key, "design": run.design_id, "trigger": "demand", "state": "done", "progress": 100, "fault": "",
        "reports": 90, "confidence": 0.95, "published": False,
        "snapshot_at": run.snapshot_at.isoformat().replace("+00:00", "Z"),  # type: ignore[union-attr]
    }  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("who", ["viewer", "analyst", "editor"])
def test_pages_offer_only_permitted_actions(cast: Cast, who: str) -> None:
    """Every link leads on, and every button of every page of a survey may be pressed by whoever sees it."""
    client, held, found = cast.clients[who], cast.held[who], list[str]()
    offered: set[tuple[str, str, str]] = set()
    for name, row in ROWS.items():
        least = row.methods.get("GET")
        if row.about in ("survey", "run", "team") and isinstance(least, Role) and held is not None and held >= least:
            answer = client.get(next(cast.requests(name, row))[0])
            if answer["Content-Type"].startswith("text/html") and answer.status_code == 200:
                page = answer.content.decode()
                offered |= {(name, "GET", address) for address in re.findall(r'<a [^>]*href="(/panel/[^"#?]+)', page)}
                offered |= {(name, "POST", address) for address in re.findall(r'ction="(/panel/[^"#?]+)', page)}
    for name, method, address in sorted(offered):
        if ask(client, method, address, {}).status_code == 403:
            found.append(f"{name} offers {method} {address}")
    assert "\n".join(found) == ""
    assert len(offered) > 20
