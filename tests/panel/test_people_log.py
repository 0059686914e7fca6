"""The log of researchers' acts: each act is one row, nothing can change a row, and none is about a respondent."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction

from surveys import services
from surveys.lifecycle import NotAllowed
from surveys.models import Survey
from surveys.people.log import record
from surveys.people.models import AuditEntry

pytestmark = pytest.mark.django_db


def acts() -> list[tuple[str, str, str]]:
    """Who, what, and to which survey; the oldest first."""
    return list(
        AuditEntry.objects.exclude(act__in=["made a team", "signed in"])
        .order_by("pk")
        .values_list("name", "act", "slug")
    )


def test_each_act_is_written_down(survey: Survey, alice: User) -> None:
    services.open_survey(survey, by=alice)
    services.close_survey(survey)
    services.revise_survey(survey, by=alice)
    services.duplicate_survey(survey, slug="again", by=alice)
    assert acts() == [
        ("", "wrote", "campus"), ("alice", "opened", "campus"), ("", "closed", "campus"),
        ("alice", "revised", "campus"), ("alice", "duplicated", "campus"), ("alice", "wrote", "again"),
    ]  # fmt: skip
    opened = AuditEntry.objects.get(act="opened")
    assert opened.team_id == survey.team_id
    assert opened.detail == f"version 1, design {survey.versions.get().design_id}"


def test_what_is_refused_is_not_written_down(survey: Survey, alice: User) -> None:
    before = acts()
    with pytest.raises(NotAllowed):
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
def test_a_row_stays_as_it_was_written(alice: User, change: Callable[[AuditEntry], object]) -> None:
    record(alice, "exported")
    entry = AuditEntry.objects.get()
    with pytest.raises(IntegrityError, match="log"), transaction.atomic():
        change(entry)
    assert acts() == [("alice", "exported", "")]


def test_it_outlives_what_it_is_about(survey: Survey, alice: User) -> None:
    """A survey and an account can go; who did what stays, and a new survey of that name does not inherit it."""
    record(alice, "wrote", survey=survey)
    old = survey.pk
    survey.delete()
    alice.delete()
    entry = AuditEntry.objects.first()
    assert entry is not None
    assert (entry.name, entry.slug, entry.survey_id) == ("alice", "campus", old)
    assert Survey.objects.create(slug="campus", team=survey.team).pk != old
