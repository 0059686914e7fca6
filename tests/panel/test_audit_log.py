"""The log of researchers' acts: each act is one row, nothing can change a row, and none is about a respondent."""

import csv
import io
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.urls import reverse

from collector.designs.selectors import get_design
from collector.errors import Conflict
from estimator.runs import services as estimator
from surveys.accounts.audit_log import as_json, record_event
from surveys.lifecycle import services
from surveys.models import AuditEntry, Survey
from surveys.opening.services import open_survey
from tests.factories import payloads
from tests.factories.reports import store_report
from tests.panel.forms import form_of

pytestmark = pytest.mark.django_db


def acts() -> list[tuple[str, str, str]]:
    """Who, what, and to which survey; the oldest first."""
    return list(
        AuditEntry.objects.exclude(act__in=["created a team", "signed in"])
        .order_by("pk")
        .values_list("name", "act", "slug")
    )


def test_audit_log_has_each_act(survey: Survey, alice: User) -> None:
    open_survey(survey, by=alice)
    services.close_survey(survey)
    services.revise_survey(survey, by=alice)
    services.duplicate_survey(survey, slug="again", by=alice)
    assert acts() == [
        ("", "created", "campus"), ("alice", "opened", "campus"), ("", "closed", "campus"),
        ("alice", "revised", "campus"), ("alice", "duplicated", "campus"), ("alice", "created", "again"),
        ("alice", "changed the respondents", "again"),
    ]  # fmt: skip
    opened = AuditEntry.objects.get(act="opened")
    assert opened.team_id == survey.team_id
    assert opened.detail == f"version 1, design {survey.versions.get().design_id}"


def test_audit_log_omits_refused_acts(survey: Survey, alice: User) -> None:
    before = acts()
    with pytest.raises(Conflict):
        services.close_survey(survey, by=alice)
    assert acts() == before


@pytest.mark.parametrize(
    "change",
    [
        lambda entry: AuditEntry.objects.filter(pk=entry.pk).update(name="bob"),
        lambda entry: AuditEntry.objects.filter(pk=entry.pk).delete(),
        lambda entry: connection.cursor().execute("UPDATE surveys_auditentry SET act = 'read'"),
        lambda entry: connection.cursor().execute("DELETE FROM surveys_auditentry"),
    ],
)
def test_audit_log_rows_cannot_change(alice: User, change: Callable[[AuditEntry], object]) -> None:
    record_event(alice, "exported")
    entry = AuditEntry.objects.get()
    with pytest.raises(IntegrityError, match="log"), transaction.atomic():
        change(entry)
    assert acts() == [("alice", "exported", "")]


def test_audit_log_outlives_survey_and_account(survey: Survey, alice: User) -> None:
    """A survey and an account can go; who did what stays, and a new survey of that name does not inherit it."""
    record_event(alice, "created", survey=survey)
    old = survey.pk
    survey.delete()
    alice.delete()
    entry = AuditEntry.objects.first()
    assert entry is not None
    assert (entry.name, entry.slug, entry.survey_id) == ("alice", "campus", old)
    assert Survey.objects.create(slug="campus", team=survey.team).pk != old


def test_audit_log_page_and_csv_of_survey_and_team(survey: Survey, her: Client, bob: User) -> None:
    record_event(bob, "=HYPERLINK", survey=survey, detail="+1 <script>")
    hers = reverse("panel:log", args=["campus"])
    page = her.get(hers).content.decode()
    assert "+1 &lt;script&gt;" in page
    assert "<td>created</td>" not in her.get(hers, {"who": "bob"}).content.decode()
    assert "<td>created</td>" in her.get(hers, {"who": "Candor", "act": "created"}).content.decode()
    rows = list(
        csv.DictReader(io.StringIO(her.get(reverse("panel:log-csv", args=["campus"])).content.decode("utf-8-sig")))
    )
    assert (rows[1]["who"], rows[1]["act"], rows[1]["detail"]) == ("bob", "'=HYPERLINK", "'+1 <script>")
    team = her.get(reverse("panel:team-log-json", args=[survey.team_id]), {"who": "bob"}).json()
    assert [(row["who"], row["act"], row["survey"]) for row in team] == [("bob", "=HYPERLINK", "campus")]
    assert AuditEntry.objects.filter(name="alice", act="exported").count() == 2
    record_event(bob, "opened")  # of no survey and no team
    assert "<td>opened</td>" not in page + her.get(reverse("panel:team-log", args=[survey.team_id])).content.decode()


def test_audit_log_edit_names_fields_not_texts(survey: Survey, her: Client) -> None:
    address = reverse("admin:surveys_survey_change", args=[survey.pk])
    her.post(address, form_of(her, address) | {"title": "Very new title", "items-0-wording": "Very new?"})
    entry = AuditEntry.objects.get(act="changed")
    assert (entry.name, entry.slug) == ("alice", "campus")
    assert "Changed title" in entry.detail
    assert "new" not in entry.detail.lower().replace("renewed", "")
    her.post(reverse("admin:surveys_survey_delete", args=[survey.pk]), {"post": "yes"})
    assert AuditEntry.objects.filter(act="deleted", slug="campus", name="alice").exists()


def test_audit_log_holds_nothing_of_respondents(survey: Survey, alice: User) -> None:
    """A full flow: neither a nonce, nor the symbols of a report, nor a group, nor a count that one report moves."""
    version = open_survey(survey, by=alice)
    design = get_design(version.design_id)
    canaries = [f"ca9a7c0ffee{number:021x}" for number in range(37)]
    for number, nonce in enumerate(canaries):
        symbols = bytes([number % 2, number % 3]).hex()
        store_report(payloads.body(design, report=symbols, nonce=nonce))
    written = AuditEntry.objects.count()
    run = estimator.execute(services.request_estimate(survey, by=alice).pk)
    services.publish_run(run, published=True, by=alice)
    services.close_survey(survey, by=alice)
    assert AuditEntry.objects.count() == written + 3
    kept = as_json(AuditEntry.objects.exclude(act="signed in")).decode()
    assert [word for word in (*canaries, '"37', " 37", "y1", "y2") if word in kept] == []
