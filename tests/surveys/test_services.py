"""The life of a survey: draft, open, closed, and the next version."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from collector.designs.selectors import get_design, is_open
from collector.errors import Conflict, ValidationError
from collector.models import FrozenDesign
from collector.reports import selectors as reports
from estimator.models import Run
from estimator.runs import services as estimator
from surveys.accounts import access
from surveys.accounts.teams import home_team
from surveys.lifecycle import selectors, services, transitions
from surveys.models import Survey, Version
from surveys.opening.services import open_survey
from tests.factories import payloads
from tests.factories.reports import store_report
from tests.tools.designs import stored_page
from tests.tools.gate import few

pytestmark = pytest.mark.django_db


def test_definition_written_is_read_back(survey: Survey) -> None:
    assert selectors.definition_of(survey) == payloads.definition()


def test_write_survey_again_replaces_draft(survey: Survey, alice: User) -> None:
    again = services.write_survey(payloads.definition(title={"en": "Renamed"}), team=home_team(alice))
    assert again.pk == survey.pk
    assert (again.items.count(), str(again)) == (2, "Renamed")


def test_write_survey_slug_of_another_is_refused(survey: Survey, bob: User) -> None:
    with pytest.raises(ValidationError, match="slug 'campus' is used"):
        services.write_survey(payloads.definition(), team=home_team(bob))


def test_write_survey_invalid_definition_writes_nothing(alice: User) -> None:
    with pytest.raises(ValidationError):
        services.write_survey(payloads.definition(items=[]), team=home_team(alice))
    assert not Survey.objects.exists()


def test_open_survey_freezes_design_and_page(survey: Survey) -> None:
    version = open_survey(survey)
    design = get_design(version.design_id)
    assert design.document == payloads.document(ceilings={"question": "3", "total": "4"})
    assert design.canonical.decode() == FrozenDesign.objects.get().document
    assert version.design_id.encode() in stored_page(version)
    assert survey.state == Survey.State.OPEN


def test_open_survey_fault_leaves_draft_unchanged(survey: Survey) -> None:
    survey.items.filter(key="mood").update(truth="1")
    assert "items[1].channel: truth must be" in selectors.opening_fault(survey)
    with pytest.raises(Conflict, match="truth must be"):
        open_survey(survey)
    survey.refresh_from_db()
    assert survey.state == Survey.State.DRAFT
    assert not FrozenDesign.objects.exists()


def test_write_survey_open_survey_is_refused(version: Version, alice: User) -> None:
    with pytest.raises(Conflict, match="campus is open; only a draft can be changed"):
        services.write_survey(payloads.definition(), team=home_team(alice))


@pytest.mark.parametrize("state", few(Survey.State.values, slice(3)))
@pytest.mark.parametrize("name", transitions.MOVES)
def test_every_transition_from_every_state(version: Version, state: str, name: str) -> None:
    survey = version.survey
    Survey.objects.filter(pk=survey.pk).update(state=state)
    survey.refresh_from_db()
    move = transitions.MOVES[name]
    if state == move.source:
        transitions.move(survey, name)
        assert survey.state == move.target
    else:
        with pytest.raises(Conflict, match=f"campus is {transitions.STATES[state]}"):
            transitions.move(survey, name)
    assert Survey.objects.get().state == survey.state


def test_close_survey_requests_final_estimate(version: Version) -> None:
    run = services.close_survey(version.survey)
    assert run.trigger == Run.Trigger.CLOSING
    assert not is_open(version.design_id)
    assert Version.objects.get().closed_at is not None


def test_next_version_has_own_design_and_reports(version: Version) -> None:
    survey = version.survey
    store_report(payloads.body(get_design(version.design_id)))
    services.close_survey(survey)
    services.revise_survey(survey)
    second = open_survey(survey, reason="It is a test.")
    assert (second.number, second.design_id != version.design_id) == (2, True)
    assert (selectors.report_count(survey), reports.received_count(version.design_id)) == (0, 1)


def test_web_shows_only_opened_versions(survey: Survey) -> None:
    assert selectors.version_on_the_web("campus") is None
    version = open_survey(survey)
    assert selectors.version_on_the_web("campus") == version
    services.close_survey(survey)
    assert selectors.version_on_the_web("campus") == version


def test_duplicate_survey_is_a_new_draft(version: Version) -> None:
    copy = services.duplicate_survey(version.survey, slug="campus-2")
    assert copy.state == Survey.State.DRAFT
    assert selectors.definition_of(copy) == payloads.definition(slug="campus-2")


def test_access_lists_own_surveys(survey: Survey, alice: User, bob: User, admin_user: User) -> None:
    assert access.get_survey_or_404(alice, "campus") == survey
    assert list(access.surveys_of(bob)) == []
    assert list(access.surveys_of(admin_user)) == [survey]


def test_access_run_of_another_looks_missing(version: Version, alice: User, bob: User) -> None:
    run = services.close_survey(version.survey)
    assert access.get_run_or_404(alice, run.key) == run
    faults = []
    for key in (run.key, "0" * 32):
        with pytest.raises(Exception, match="no such run") as caught:
            access.get_run_or_404(bob, key)
        faults.append((type(caught.value), str(caught.value)))
    assert faults[0] == faults[1]


def test_access_inactive_account_sees_nothing(survey: Survey, alice: User) -> None:
    alice.is_active = False
    assert list(access.surveys_of(alice)) == []


def test_link_stays_while_next_version_is_draft(version: Version) -> None:
    services.close_survey(version.survey)
    services.revise_survey(version.survey)
    shown = selectors.published_version("campus", "")
    assert shown is not None
    assert (shown.version, shown.closed) == (version, True)


def test_archive_needs_final_estimate_and_is_reversible(version: Version) -> None:
    survey = version.survey
    run = services.close_survey(survey)
    with pytest.raises(Conflict, match="The final estimate is still being computed"):
        services.archive_survey(survey)
    estimator.execute(run.pk)
    services.archive_survey(survey)
    assert Survey.objects.get().state == Survey.State.ARCHIVED
    with pytest.raises(Conflict, match="“Revise” needs a survey that is closed; campus is archived"):
        services.revise_survey(survey)
    shown = selectors.published_version("campus", "")
    assert shown is not None
    assert shown.closed
    services.restore_survey(survey)
    assert Survey.objects.get().state == Survey.State.CLOSED


def test_every_state_has_a_transition() -> None:
    sources: set[Any] = {move.source for move in transitions.MOVES.values()}
    assert sources == set(Survey.State)
