"""Every address of the panel and the API, and the least role that each method takes."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from estimator.exports import services as exporting
from estimator.models import Export, Run
from surveys.accounts.access import Role
from surveys.lifecycle.exports import execute_export
from surveys.lifecycle.services import write_survey
from surveys.models import Mailing, Recipient, Survey, Team
from surveys.opening.services import open_survey
from surveys.outreach import invitations
from tests.factories import payloads

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
    "panel:preview-page": form("survey", VIEWER, EDITOR),
    "panel:preview-links": act("survey"),
    "panel:preview-link-revoke": act("survey"),
    "panel:dossier": read("survey"),
    "panel:board-package": read("survey"),
    "panel:edit": read("survey", EDITOR),
    "panel:edit-save": act("survey"),
    "panel:edit-look": read("survey", EDITOR),
    "panel:edit-prices": act("survey"),
    "panel:edit-protect": act("survey"),
    "panel:edit-options": act("survey"),
    "panel:edit-cells": act("survey"),
    "panel:edit-dismiss": act("survey"),
    "panel:edit-revisions": read("survey", EDITOR),
    "panel:edit-translations": read("survey", EDITOR),
    "panel:edit-translations-read": act("survey"),
    "panel:edit-pictures": act("survey"),
    "panel:picture": read("picture"),
    "panel:question": read("question", EDITOR),
    "panel:survey": read("survey"),
    "panel:definition": read("survey"),
    "panel:questionnaire": read("survey"),
    "panel:survey-plan": read("survey"),
    "panel:survey-watch": read("survey"),
    "panel:use": act("survey"),
    "panel:fit": act("survey"),
    "panel:rehearse": form("survey", VIEWER, EDITOR),
    "panel:rehearsal": read("rehearsal"),
    "panel:rehearsal-repeat": act("rehearsal"),
    "panel:rehearsal-stop": act("rehearsal"),
    "panel:rehearsal-delete": act("rehearsal"),
    "panel:opening": form("survey", VIEWER, EDITOR),
    "panel:extend": act("survey"),
    "panel:call-off": act("survey"),
    "panel:archive": act("survey", OWNER),
    "panel:tags": act("survey"),
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
    "panel:undo-closing": act("survey"),
    "panel:finish-closing": act("survey"),
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
    "panel:directory-group-add": act("team", OWNER),
    "panel:directory-group-remove": act("directory group", OWNER),
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
    "panel:sessions-end": act("", STAFF),
    "panel:passkey-new": form("", STAFF),
    "panel:institution-connect": form("", STAFF),
    "panel:institution-disconnect": act("", STAFF),
    "panel:tokens": form("", STAFF),
    "panel:second-factor": form("", STAFF),
    "panel:second-factor-off": act("", STAFF),
    "panel:recovery-codes": act("", STAFF),
    "panel:code": form("", STAFF),
    "panel:kept": form("", STAFF),
    "panel:survey-analyse": form("survey", VIEWER, ANALYST),
    "panel:survey-screen": read("survey"),
    "panel:analysis": read("analysis"),
    "panel:analysis-csv": read("analysis", ANALYST),
    "panel:analysis-json": read("analysis", ANALYST),
    "panel:analysis-bundle": read("analysis", ANALYST),
    "panel:analysis-again": act("analysis", ANALYST),
    "panel:analysis-name": act("analysis", ANALYST),
    "api:plan": read("", STAFF),
    "api:teams": read("", STAFF),
    "api:formats": read("", STAFF),
    "api:surveys": form("", STAFF),
    "api:survey": Row("survey", {"GET": VIEWER, "DELETE": OWNER}),
    "api:definition": Row("survey", {"GET": VIEWER, "PUT": EDITOR, "PATCH": EDITOR}),
    "api:imports": act("", STAFF),
    "api:questionnaire": read("survey"),
    "api:translations": form("survey", EDITOR),
    "api:next-design": read("survey"),
    "api:dossier": read("survey"),
    "api:batches": form("survey", VIEWER, EDITOR),
    "api:batch": Row("batch", {"DELETE": EDITOR}),
    "api:versions": read("survey"),
    "api:open": act("survey"),
    "api:close": act("survey"),
    "api:undo-close": act("survey"),
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
    "api:analyses": form("survey", VIEWER, ANALYST),
    "api:analysis": Row("analysis", {"GET": VIEWER, "PATCH": ANALYST}),
    "api:analysis-result": read("analysis", ANALYST),
}
# The admin answers every method as GET or POST; what it has for everybody signed in is its own.
ADMIN = {
    "admin:login": form("", EVERYBODY),
    "admin:index": read("", STAFF),
    "admin:search": read("", STAFF),
    "admin:jsi18n": read("", STAFF),
    "admin:password_change": form("", STAFF),
    "admin:password_change_done": read("", STAFF),
    "admin:surveys_survey_changelist": read("", STAFF),
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
