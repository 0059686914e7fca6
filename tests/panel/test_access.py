"""Every address of the panel, every method, everybody: a row for each says the least role that each method takes.

The addresses come from the URL configuration, so a new one without a row fails. A stranger's object and a missing one
look the same to the byte; who is in the team with a smaller role is told so; who is not signed in is asked to.
"""

import json
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from collector.designs.selectors import get_design
from estimator.analyses import services as analyses
from estimator.exports import services as exporting
from estimator.models import Export, Run
from surveys.accounts.access import Role
from surveys.accounts.invitations import invite
from surveys.accounts.teams import home_team
from surveys.definition import definitions
from surveys.lifecycle import selectors
from surveys.lifecycle.exports import execute_export
from surveys.lifecycle.services import write_survey
from surveys.models import Mailing, Membership, Recipient, Survey, Team
from surveys.opening.services import open_survey
from surveys.outreach import invitations
from surveys.outreach.webhooks import services as webhooks
from surveys.planning.rehearsals.services import request_rehearsal
from tests.config.test_headers import FORBIDDEN
from tests.factories import payloads
from tests.panel.test_authoring import form_of

pytestmark = pytest.mark.django_db

VIEWER, ANALYST, EDITOR, OWNER = Role
EVERYBODY, STAFF, SUPERUSER = "everybody", "staff", "superuser"
Least = Role | str
METHODS = "GET", "POST", "PUT", "PATCH", "DELETE"


@dataclass(frozen=True)
class Row:
    """What an address is about (a name in `Cast.places`; empty: nobody's), and the least role that each method takes.

    A method that is not here is not answered: 405. `body` says of a field of a POST what it names.
    """

    about: str
    methods: dict[str, Least]
    body: dict[str, str] = field(default_factory=dict)


def read(about: str, role: Least = VIEWER) -> Row:
    return Row(about, {"GET": role})


def act(about: str, role: Least = EDITOR, **body: str) -> Row:
    return Row(about, {"POST": role}, body)


def form(about: str, role: Least, least: Least | None = None, **body: str) -> Row:
    return Row(about, {"GET": role, "POST": role if least is None else least}, body)


ROWS = {
    "panel:index": read("", STAFF),
    "panel:new": form("", STAFF, EDITOR, survey="survey"),
    "panel:templates": form("", STAFF, template="template"),
    "panel:upload": form("", STAFF),
    "panel:plan": read("", STAFF),
    "panel:operation": read("", SUPERUSER),
    "panel:preview-form": act("", EDITOR, **{"preview-survey": "survey"}),
    "panel:preview": read("survey"),
    "panel:preview-page": read("survey"),
    "panel:question": read("question", EDITOR),
    "panel:survey": read("survey"),
    "panel:definition": read("survey"),
    "panel:survey-plan": read("survey"),
    "panel:survey-watch": read("survey"),
    "panel:use": act("survey"),
    "panel:rehearse": form("survey", VIEWER, EDITOR),
    "panel:rehearsal": read("rehearsal"),
    "panel:rehearsal-repeat": act("rehearsal"),
    "panel:rehearsal-stop": act("rehearsal"),
    "panel:rehearsal-delete": act("rehearsal"),
    "panel:opening": form("survey", VIEWER, EDITOR),
    "panel:extend": act("survey"),
    "panel:call-off": act("survey"),
    "panel:archive": act("survey", OWNER),
    "panel:restore": act("survey", OWNER),
    "panel:disclose": form("survey", EDITOR),
    "panel:share": read("survey"),
    "panel:share-svg": read("survey"),
    "panel:share-png": read("survey"),
    "panel:share-poster": read("survey"),
    "panel:embed": act("survey"),
    "panel:show-results": act("survey", OWNER),
    "panel:keep-reports": act("survey", OWNER),
    "panel:ask-for-work": act("survey"),
    "panel:fetch-by-account": act("survey", OWNER),
    "panel:invitations": read("survey"),
    "panel:invitations-make": act("survey"),
    "panel:invitations-withdraw": act("batch"),
    "panel:mail": form("survey", EDITOR),
    "panel:mailing": read("mailing", EDITOR),
    "panel:mailing-rest": act("mailing"),
    "panel:mailing-delete": act("mailing"),
    "panel:close": act("survey"),
    "panel:waves": form("survey", VIEWER, EDITOR),
    "panel:revise": act("survey"),
    "panel:reopen": act("survey", OWNER),
    "panel:estimate": act("survey", ANALYST),
    "panel:duplicate": act("survey"),
    "panel:paper": form("survey", EDITOR, design="design"),
    "panel:paper-pile": act("survey"),
    "panel:report": read("run"),
    "panel:report-html": read("run"),
    "panel:report-pdf": read("run"),
    "panel:report-csv": read("run", ANALYST),
    "panel:report-json": read("run", ANALYST),
    "panel:publish": act("run", OWNER),
    "panel:webhooks": form("survey", EDITOR),
    "panel:webhook-secret": act("webhook"),
    "panel:webhook-test": act("webhook"),
    "panel:webhook-delete": act("webhook"),
    "panel:webhook-again": act("delivery"),
    "panel:export": form("survey", VIEWER, ANALYST),
    "panel:export-progress": read("survey"),
    "panel:export-file": read("export", ANALYST),
    "panel:export-delete": act("export", ANALYST),
    "panel:teams": form("", STAFF),
    "panel:team": read("team"),
    "panel:team-rename": act("team", OWNER),
    "panel:team-delete": act("team", OWNER),
    "panel:team-leave": act("team", VIEWER),
    "panel:team-invite": act("team", OWNER),
    "panel:invitation-revoke": act("invitation", OWNER),
    "panel:member-role": act("member", OWNER),
    "panel:member-remove": act("member", OWNER),
    "panel:team-log": read("team"),
    "panel:team-log-csv": read("team", ANALYST),
    "panel:team-log-json": read("team", ANALYST),
    "panel:people": read("survey"),
    "panel:move": act("survey", OWNER),
    "panel:log": read("survey"),
    "panel:log-csv": read("survey", ANALYST),
    "panel:log-json": read("survey", ANALYST),
    "panel:account": read("", STAFF),
    "panel:tokens": form("", STAFF),
    "panel:second-factor": form("", STAFF),
    "panel:second-factor-off": act("", STAFF),
    "panel:recovery-codes": act("", STAFF),
    "panel:code": form("", STAFF),
    "panel:survey-analyse": form("survey", VIEWER, ANALYST),
    "panel:analysis": read("analysis"),
    "panel:analysis-csv": read("analysis", ANALYST),
    "panel:analysis-json": read("analysis", ANALYST),
    "panel:analysis-again": act("analysis", ANALYST),
    "api:plan": read("", STAFF),
    "api:teams": read("", STAFF),
    "api:formats": read("", STAFF),
    "api:surveys": form("", STAFF),
    "api:survey": Row("survey", {"GET": VIEWER, "DELETE": OWNER}),
    "api:definition": Row("survey", {"GET": VIEWER, "PUT": EDITOR, "PATCH": EDITOR}),
    "api:next-design": read("survey"),
    "api:batches": form("survey", VIEWER, EDITOR),
    "api:batch": Row("batch", {"DELETE": EDITOR}),
    "api:versions": read("survey"),
    "api:open": act("survey"),
    "api:close": act("survey"),
    "api:wave": act("survey"),
    "api:ledger": read("survey"),
    "api:revise": act("survey"),
    "api:archive": act("survey", OWNER),
    "api:restore": act("survey", OWNER),
    "api:duplicate": act("survey"),
    "api:runs": form("survey", VIEWER, ANALYST),
    "api:rehearsals": form("survey", VIEWER, EDITOR),
    "api:rehearsal-stop": act("rehearsal"),
    "api:findings": read("rehearsal"),
    "api:design": read("design"),
    "api:estimates": read("run", ANALYST),
    "api:publish": act("run", OWNER),
    "api:run-exports": act("run", ANALYST),
    "api:survey-exports": read("survey"),
    "api:export": Row("export", {"GET": VIEWER, "DELETE": ANALYST}),
    "api:export-file": read("export", ANALYST),
    "api:survey-plan": read("survey"),
    "api:survey-watch": read("survey"),
    "api:rehearsal": Row("rehearsal", {"GET": VIEWER, "DELETE": EDITOR}),
    "api:run": read("run"),
    "api:analysis": read("analysis"),
}

# The admin answers every method as GET or POST; what it has for everybody signed in is its own.
ADMIN = {
    "admin:login": form("", EVERYBODY),
    "admin:index": read("", STAFF),
    "admin:search": read("", STAFF),
    "admin:jsi18n": read("", STAFF),
    "admin:password_change": form("", STAFF),
    "admin:password_change_done": read("", STAFF),
    "admin:surveys_survey_changelist": form("", STAFF),
    "admin:surveys_survey_add": form("", STAFF),
    "admin:surveys_survey_change": form("draft", VIEWER, EDITOR),
    "admin:surveys_survey_delete": form("draft", OWNER),
    "admin:surveys_survey_history": read("draft"),
    "admin:auth_user_changelist": form("", SUPERUSER),
    "admin:auth_user_add": form("", SUPERUSER),
    "admin:auth_user_change": form("user", SUPERUSER),
    "admin:auth_user_delete": form("user", SUPERUSER),
    "admin:auth_user_history": read("user", SUPERUSER),
    "admin:auth_user_password_change": form("user", SUPERUSER),
}
APART = {"admin:logout", "admin:autocomplete", "admin:app_list", "admin:view_on_site", "panel:token-revoke"}
"""What needs something else than a row; each has its test below, the last in test_tokens.py."""


@dataclass(frozen=True)
class Cast:
    """alice's survey, open, with a run, and her draft; everybody who may ask for them; and where each thing is."""

    clients: dict[str, Client]
    held: dict[str, Role | None]
    places: dict[str, tuple[list[Any], list[Any]]]

    def requests(self, name: str, row: Row) -> Iterator[tuple[str, dict[str, str]]]:
        """Address and body that ask for what is there, and those that ask for what is not."""
        for number in (0, 1):
            body = {field: str(self.places[place][number][0]) for field, place in row.body.items()}
            yield reverse(name, args=self.places[row.about][number]), body


@pytest.fixture
def cast(
    run: Run, survey: Survey, alice: User, bob: User, dave: User, sign_in: Callable[[User | None], Client]
) -> Cast:
    team = survey.team
    draft = write_survey(payloads.definition(slug="draft"), team=team)
    asked = {"quantity": "cheated:1", "against": "pairs"}
    analysis = analyses.execute(analyses.request("comparison", asked, [get_design(run.design_id)]).pk)
    people: dict[str, User | None] = {"nobody": None, "no staff": dave, "stranger": bob}
    for role in (VIEWER, ANALYST, EDITOR):
        member = User.objects.create_user(role.label, is_staff=True)
        Membership.objects.create(team=team, user=member, role=role)
        people[role.label] = member
    people |= {"owner": alice, "superuser": User.objects.create_superuser("root")}
    held = {role.label: role for role in Role}
    rehearsal = request_rehearsal(survey, {"respondents": 60, "shares": {}}, repetitions=1, seed=1)
    delivery = webhooks.send_test(webhooks.add(survey, "https://example.org/", ["closed"], [])[0])
    places: dict[str, tuple[list[Any], list[Any]]] = {
        "": ([], []),
        "survey": ([survey.slug], ["no-such"]),
        "run": ([run.key], ["0" * 32]),
        "rehearsal": ([survey.slug, rehearsal.number], ["no-such", 1]),
        "analysis": ([analysis.key], ["0" * 32]),
        "batch": ([batch_of(team).slug, 1], ["no-such", 1]),
        "mailing": ([survey.slug, mailing_of(survey).key], ["no-such", "0" * 32]),
        "webhook": ([survey.slug, delivery.webhook.key], ["no-such", "0" * 32]),
        "delivery": ([survey.slug, delivery.webhook.key, delivery.key], ["no-such", "0" * 32, "0" * 32]),
        "export": ([export_of(run).key], ["0" * 32]),
        "draft": ([draft.pk], [987654]),
        "question": ([draft.slug, draft.items.all()[0].pk], [draft.slug, 987654]),
        "user": ([alice.pk], [987654]),
        "team": ([team.pk], [987654]),
        "member": ([team.pk, team.memberships.get(user=alice).pk], [987654, 987654]),
        "invitation": ([team.pk, invite(team, Role.VIEWER, by=alice)[0].pk], [987654, 987654]),
        "design": ([run.design_id], ["0" * 64]),
        "template": (["tax"], ["no-such"]),
    }
    return Cast({name: sign_in(user) for name, user in people.items()}, {**dict.fromkeys(people), **held}, places)


def export_of(run: Run) -> Export:
    """A file that was made of the run."""
    export, _ = exporting.request(run, "csv")
    execute_export(export.pk)
    return export


def batch_of(team: Team) -> Survey:
    """An open survey by invitation, with one batch."""
    open_survey(write_survey(payloads.definition(slug="coded", invitations="secret"), team=team))
    survey = Survey.objects.get(slug="coded")
    invitations.make(survey, 10, kind="csv", by=None)
    return survey


def mailing_of(survey: Survey) -> Mailing:
    """A mail that was sent to a list, of which an address is left."""
    version = survey.versions.all()[:1].get()
    sent = Mailing.objects.create(version=version, kind="reminder", subject="A", text="B", total=12, state="done")
    Recipient.objects.create(mailing=sent, address="person@example.org", state="refused", status=550)
    return sent


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


def ask(client: Client, method: str, address: str, body: dict[str, str]) -> HttpResponse:
    """The answer; whatever it changed is as it was before."""
    with transaction.atomic():
        if method == "POST" and not address.startswith("/api/"):
            answer = client.post(address, body)
        else:
            sent = json.dumps(body) if method in ("POST", "PUT", "PATCH") else ""
            answer = client.generic(method, address, sent, content_type="application/json")
        transaction.set_rollback(True)
    return answer  # type: ignore[return-value]


ANSWERED = 200, 201, 202, 204, 302, 400, 409, 422


def verdict(answer: HttpResponse) -> str:
    if answer.status_code == 302 and answer["Location"].startswith("/panel/login/?next="):
        return "sign in"
    # What is asked for without what it needs is refused in words, which is an answer too.
    return {401: "refused", 403: "refused", 404: "missing", 405: "no such method"}.get(
        answer.status_code, "answered" if answer.status_code in ANSWERED else str(answer.status_code)
    )


def is_page(answer: HttpResponse) -> bool:
    """Whether a browser shows it under the policy of its address; a file that is saved has none of ours."""
    shown = "attachment" not in answer.headers.get("Content-Disposition", "")
    return shown and answer.headers.get("Content-Type", "").startswith("text/html")


def expected(who: str, held: Role | None, row: Row, method: str, api: bool) -> str:
    least = row.methods.get(method)
    if who in ("nobody", "no staff") and least != EVERYBODY:
        return "refused" if api else "sign in"
    if least is None:
        return "no such method"
    if who == "superuser" or least in (STAFF, EVERYBODY):
        return "answered"
    if least == SUPERUSER:
        return "refused"
    assert isinstance(least, Role)
    if held is None:
        return "missing"
    return "answered" if held >= least else "refused"


def faults(cast: Cast, who: str, name: str, row: Row, methods: tuple[str, ...]) -> Iterator[str]:
    there, missing = cast.requests(name, row)
    for method in methods:
        answer = ask(cast.clients[who], method, *there)
        found, wanted = verdict(answer), expected(who, cast.held[who], row, method, name.startswith("api:"))
        if found != wanted:
            yield f"{who}: {method} {name} is {found} ({answer.status_code}), not {wanted}"
        if is_page(answer) and (excused := FORBIDDEN.search(answer.content.decode())):
            yield f"{who}: {method} {name} has {excused[0]}, which its policy forbids"
        if wanted == "missing" and answer.content != ask(cast.clients[who], method, *missing).content:
            yield f"{who}: {method} {name} tells whether it is there"


WHO = "nobody", "no staff", "stranger", "viewer", "analyst", "editor", "owner", "superuser"


@pytest.mark.parametrize("who", WHO)
def test_everybody_everywhere(cast: Cast, who: str) -> None:
    methods = METHODS if who in ("nobody", "stranger", "owner") else METHODS[:2]
    found = [fault for name, row in ROWS.items() for fault in faults(cast, who, name, row, methods)]
    found += [fault for name, row in ADMIN.items() for fault in faults(cast, who, name, row, tuple(row.methods))]
    assert "\n".join(found) == ""


def test_a_row_that_is_wrong_is_seen(cast: Cast) -> None:
    """The test of the tests above: each kind of fault is made once."""
    for who, name, row, what in (
        ("viewer", "panel:close", act("survey", VIEWER), "is refused (403), not answered"),
        ("editor", "panel:close", act("survey", OWNER), "is answered (302), not refused"),
        ("stranger", "panel:survey", read("survey", STAFF), "is missing (404), not answered"),
        ("stranger", "panel:plan", Row("", {"GET": VIEWER}), "is answered (200), not missing"),
        ("owner", "panel:close", form("survey", OWNER), "GET panel:close is no such method (405), not answered"),
    ):
        assert what in "".join(faults(cast, who, name, row, tuple(row.methods)))


def test_who_may_too_little_is_told_which_role_it_takes(cast: Cast) -> None:
    answer = cast.clients["viewer"].post(reverse("panel:close", args=["campus"]))
    assert answer.status_code == 403
    assert "You are a viewer in this team; this takes an editor." in answer.content.decode()


def test_what_the_admin_has_besides(cast: Cast) -> None:
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


def test_every_unsafe_request_needs_its_token(cast: Cast, alice: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    for name, row in (ROWS | ADMIN).items():
        address, body = next(cast.requests(name, row))
        for method in METHODS[1:] if name.startswith("panel:") else ("POST",):
            refused = client.post(address, body) if method == "POST" else client.generic(method, address)
            assert (name, method, refused.status_code) in ((name, method, 403), (name, method, 405))
            assert refused.status_code == 403 or method not in row.methods


def test_walking_ids_finds_nothing_of_others(cast: Cast) -> None:
    """A stranger who tries slugs, keys and numbers, near and random, sees no byte that is alice's."""
    stranger, chance, seen = cast.clients["stranger"], random.Random(7), b""
    numbers = [*range(12), *(chance.randrange(10**9) for _ in range(12))]
    keys = ["".join(chance.choices("0123456789abcdef", k=32)) for _ in range(12)]
    walked: dict[str, list[Any]] = {
        "draft": numbers, "user": numbers, "survey": ["campus", "draft", "campus-rehearsal", *map(str, numbers)],
        "run": [*cast.places["run"][0], *keys], "analysis": [*cast.places["analysis"][0], *keys],
    }  # fmt: skip
    for name, row in (ROWS | ADMIN).items():
        for value in walked.get(row.about, []):
            arguments = [value, *cast.places[row.about][0][1:]]
            seen += b"".join(ask(stranger, method, reverse(name, args=arguments), {}).content for method in row.methods)
    assert [word for word in (b"Campus", b"Have you cheated", b"alice") if word in seen] == []
    listed = stranger.get("/panel/surveys/survey/", {"q": "campus", "team__name": "Surveys of alice"})
    assert b"Campus" not in listed.content


def test_a_form_takes_no_field_that_it_does_not_show(cast: Cast, bob: User, alice: User) -> None:
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


def test_the_list_holds_the_surveys_of_ones_own_teams_alone(cast: Cast) -> None:
    address = reverse("admin:surveys_survey_changelist")
    found = {who: client.get(address).content.decode() for who, client in cast.clients.items()}
    assert [who for who in found if "Campus" in found[who]] == ["viewer", "analyst", "editor", "owner", "superuser"]
    assert "/s/campus/" in found["viewer"]
    assert "Researchers" not in found["owner"]
    assert "Researchers" in found["superuser"]


def test_how_far_a_run_is(run: Run, her: Client) -> None:
    answer = her.get(reverse("api:run", args=[run.key])).json()
    assert answer == {
        "key": run.key, "design": run.design_id, "trigger": "demand", "state": "done", "progress": 100, "fault": "",
        "reports": 90, "confidence": 0.95, "published": False,
        "snapshot_at": run.snapshot_at.isoformat().replace("+00:00", "Z"),  # type: ignore[union-attr]
    }  # fmt: skip


@pytest.mark.parametrize("who", ["viewer", "analyst", "editor"])
def test_no_page_offers_what_its_reader_may_not_do(cast: Cast, who: str) -> None:
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
