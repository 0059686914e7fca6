"""What every page of a draft does once, and what none of them does."""

import sys
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from collector.designs import Design
from surveys.accounts.teams import home_team
from surveys.definition import definitions
from surveys.lifecycle.services import write_survey
from surveys.models import SigningKey, SigningSecret, Survey
from tests.factories import payloads
from tests.panel.access import ROWS

pytestmark = pytest.mark.django_db

PAGES = sorted(
    name for name, row in ROWS.items() if row.about == "survey" and "GET" in row.methods and name.startswith("panel:")
)


@pytest.fixture
def blind(alice: User) -> Survey:
    return write_survey(payloads.definition(invitations="blind"), team=home_team(alice))


@pytest.fixture
def derived(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For each time that a design is derived, whether it is that of a rehearsal."""
    found: list[bool] = []
    real = definitions.design_of

    def counted(definition: definitions.Definition, **kwargs: Any) -> Design:
        found.append(definition["rehearsal"])
        return real(definition, **kwargs)

    for name, module in list(sys.modules.items()):
        if name.startswith("surveys.") and getattr(module, "design_of", None) is real:
            monkeypatch.setattr(module, "design_of", counted)
    return found


@pytest.mark.long
def test_draft_pages_write_nothing(blind: Survey, her: Client) -> None:
    SigningSecret.objects.all().delete()  # as after a restore
    written = {}
    for name in PAGES:
        with CaptureQueriesContext(connection) as queries:
            her.get(reverse(name, args=[blind.slug]))
        written[name] = list(_writes(queries))
    assert not any(written.values()), written


def _writes(queries: CaptureQueriesContext) -> Iterator[str]:
    """But for the log of what was exported."""
    for query in queries:
        if query["sql"].startswith(("INSERT", "UPDATE", "DELETE")) and "surveys_auditentry" not in query["sql"]:
            yield query["sql"]


def test_draft_saved_has_signing_key(blind: Survey, her: Client) -> None:
    key = SigningKey.objects.get(survey=blind, number=1, secret__isnull=False)
    assert key.modulus in her.get(reverse("api:next-design", args=[blind.slug])).content.decode()


@pytest.mark.long
@pytest.mark.parametrize("complete", [True, False])
def test_draft_pages_derive_design_at_most_once(
    survey: Survey, her: Client, derived: list[bool], complete: bool
) -> None:
    if not complete:
        survey.items.update(truth="")
    addresses = {name: reverse(name, args=[survey.slug]) for name in PAGES}
    addresses["form"] = reverse("admin:surveys_survey_change", args=[survey.pk])
    times = {}
    for name, address in addresses.items():
        derived.clear()
        her.get(address)
        times[name] = derived.count(False)
    assert max(times.values()) == 1, times
