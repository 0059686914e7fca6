"""What may be opened: above a ceiling of epsilon only with a reason, which the design, the log and the report show."""

import json
import os
import subprocess
import sys
from datetime import timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from collector.designs import LONGEST_REASON, Design, check
from collector.designs.selectors import get_design
from collector.designs.services import freeze_design
from collector.errors import InputError, ValidationError
from estimator.exports.json_document import json_file
from estimator.reports.report import build
from estimator.runs import services as estimator
from estimator.runs.results import NOTHING_KNOWN
from randomized_response import exceeds_epsilon
from surveys.accounts.audit_log import survey_events
from surveys.accounts.teams import home_team
from surveys.definition import ceilings, definitions
from surveys.definition.definitions import OpeningOptions, design_of
from surveys.definition.privacy_budget import PrivacyLossSum
from surveys.lifecycle import selectors, services
from surveys.models import Appointment, Survey
from surveys.opening import schedules
from surveys.opening.schedules import OpeningPlan
from surveys.opening.services import open_survey, open_wave
from tests.factories import payloads
from tests.factories.payloads import weak
from tests.factories.reports import store_one
from tests.system.installation import ROOT
from tests.tools.api import Program
from tests.tools.schemas import REPORT_SCHEMA

REASON = "A pilot among our own staff,\nwho agreed to it."


def several(count: int) -> dict[str, Any]:
    """So many questions of epsilon 1.0987."""
    item = payloads.definition()["items"][0]
    return payloads.definition(items=[item | {"key": f"q{number}"} for number in range(count)])


def above(definition: dict[str, Any], **opening: Any) -> list[str]:
    document = design_of(definition, version=1, opening=OpeningOptions(**opening)).document
    return [one.in_words for one in ceilings.excesses(Design.of(document))]


@pytest.fixture
def risky(alice: User) -> Survey:
    return services.write_survey(weak(), team=home_team(alice))


def test_ceilings_both_sides_of_each_bound() -> None:
    assert above(weak("9/10")) == []  # 19 to 1, where e^3 is 20.09
    assert above(weak()) == ["question 1 (cheated) has epsilon 3.05, above 3"]
    assert above(several(3)) == []
    assert above(several(4)) == ["all questions together have epsilon 4.40, above 4"]
    (told,) = above(several(3), spent=Fraction(3))
    assert told == "all questions together, including earlier waves, have epsilon 4.40, above 4"
    assert above(weak(rehearsal=True)) == []


@given(st.integers(1, 10**40), st.fractions(0, 8))
def test_ceiling_exact_near_powers_of_e(denominator: int, epsilon: Fraction) -> None:
    """Fractions around e^epsilon, closer than a float can tell: at most one neighbour apart on either side."""
    digits = Fraction(str(epsilon.numerator / epsilon.denominator))
    low, high = 1, 2981 * denominator
    while low < high:
        middle = (low + high) // 2
        low, high = (
            (low, middle)
            if exceeds_epsilon([PrivacyLossSum(most=Fraction(middle, denominator))], digits)
            else (middle + 1, high)
        )
    if low > denominator:
        assert not exceeds_epsilon([PrivacyLossSum(most=Fraction(low - 1, denominator))], digits)


def test_ceiling_from_settings_changes_digest(settings: Any) -> None:
    before = design_of(weak("9/10"), version=1)
    assert before.document["ceilings"] == {"question": "3", "total": "4"}
    settings.CANDOR_EPSILON_CEILING_QUESTION = "2.5"
    after = design_of(weak("9/10"), version=1)
    assert after.digest != before.digest
    assert [one.ceiling for one in ceilings.excesses(after)] == ["2.5"]


@pytest.mark.parametrize("reason", ["", " \n ", "x" * (LONGEST_REASON + 1), "a\u202eb", "\x1b[2J"])
@pytest.mark.django_db
def test_opening_above_a_ceiling_needs_a_reason(risky: Survey, reason: str) -> None:
    with pytest.raises(InputError, match="reason"):
        open_survey(risky, reason=reason)
    risky.refresh_from_db()
    assert (risky.state, risky.versions.count()) == ("draft", 0)


@pytest.mark.django_db
def test_missing_reason_is_named_with_bound_and_value(risky: Survey) -> None:
    with pytest.raises(InputError) as caught:
        open_survey(risky)
    assert str(caught.value) == (
        "reason must say in 1 to 500 characters why the survey is opened although question 1 (cheated) has epsilon "
        "3.05, above 3; got none"
    )


@pytest.mark.django_db
def test_reason_is_in_design_log_report_and_exports(risky: Survey, alice: User) -> None:
    shown, _ = selectors.design_to_open(risky)
    version = open_survey(risky, confirmed=shown.digest, reason=f" {REASON} ", by=alice)
    document = get_design(version.design_id).document
    assert document["ceilings"] == {"question": "3", "total": "4", "reason": REASON}
    assert check(document).digest == version.design_id != shown.digest
    logged = survey_events(risky).filter(act="recorded a reason to exceed a ceiling").get()
    assert (logged.detail, logged.name) == (REASON, "alice")
    run = estimator.execute(estimator.request_run(version.design_id).pk)
    (told,) = [fact for fact in build(run).label_facts if fact.title == "Above the ceiling"]
    assert (told.written, told.language) == (REASON, "en")
    exported = json.loads(json_file(run, NOTHING_KNOWN))
    assert exported["privacy"]["ceilings"]["reason"] == REASON
    jsonschema.validate(exported, REPORT_SCHEMA)


@pytest.mark.django_db
def test_wave_above_total_ceiling_needs_reason(survey: Survey) -> None:
    store_one(open_survey(survey))
    services.close_survey(survey)
    with pytest.raises(InputError, match=r"including earlier waves, have epsilon 4\.97, above 4"):
        open_wave(survey)
    second = open_wave(survey, reason=REASON)
    assert get_design(second.design_id).reason == REASON


@pytest.mark.django_db
def test_scheduled_opening_keeps_reason(risky: Survey, alice: User) -> None:
    digest = selectors.design_to_open(risky)[0].digest
    later = OpeningPlan(opens_at=timezone.now() + timedelta(hours=1))
    with pytest.raises(InputError):
        schedules.open_on(risky, later, confirmed=digest, by=alice)
    assert not Appointment.objects.exists()
    schedules.open_on(risky, later, confirmed=digest, reason=REASON, by=alice)
    Appointment.objects.update(due_at=timezone.now())
    schedules.run_due()
    version = selectors.latest_version(risky)
    assert version is not None
    assert get_design(version.design_id).reason == REASON


@pytest.mark.django_db
def test_api_open_above_ceiling_needs_reason(risky: Survey, alice: User) -> None:
    program = Program(alice)
    ahead = program.get("surveys/campus/next-design/")
    assert ahead["above"] == ["question 1 (cheated) has epsilon 3.05, above 3"]
    body = {"digest": ahead["digest"]}
    for wrong in ({}, {"reason": " "}, {"reason": "x" * 501}):
        (fault,) = program.refused(422, "POST", "surveys/campus/open/", body | wrong)["errors"]
        assert fault["field"] == "reason"
    assert program.post("surveys/campus/open/", body | {"reason": REASON})["state"] == "open"


@pytest.mark.django_db
def test_command_open_above_ceiling_needs_reason(risky: Survey) -> None:
    with pytest.raises(CommandError, match="reason must say in 1 to 500 characters"):
        call_command("open_survey", "campus")
    call_command("open_survey", "campus", "--reason", "A pilot.")
    assert Survey.objects.get().state == "open"


@pytest.mark.django_db
def test_opening_above_installation_total_is_refused(alice: User) -> None:
    with pytest.raises(definitions.ValidationError, match=r"at most 7\.9997 per person"):
        design_of(several(8), version=1, opening=OpeningOptions())


@pytest.mark.django_db
def test_design_without_ceilings_keeps_its_digest() -> None:
    """The digest of a design that was frozen before there were ceilings, written down then."""
    document = payloads.document()
    assert "ceilings" not in document
    design = freeze_design(document)
    assert design.digest == "c32df510958b9cd99ea88bebcb2e56473aceb2ef9dfa6d2790bf1ac87648d1ef"
    run = estimator.execute(estimator.request_run(design.digest).pk)
    exported = json.loads(json_file(run, NOTHING_KNOWN))
    assert "ceilings" not in exported["privacy"]
    jsonschema.validate(exported, REPORT_SCHEMA)


@pytest.mark.parametrize(
    "wrong",
    [
        None, {}, {"question": "3"}, {"question": 3, "total": "4"}, {"question": "0", "total": "4"},
        {"question": "9", "total": "4"}, {"question": "3", "total": "4", "reason": ""},
        {"question": "3", "total": "4", "reason": "x" * 501}, {"question": "3", "total": "4", "reason": "a\u200fb"},
    ],
)  # fmt: skip
def test_design_invalid_ceilings_are_refused(wrong: Any) -> None:
    with pytest.raises(ValidationError, match="ceilings"):
        check(payloads.document(ceilings=wrong))


@pytest.mark.parametrize(
    ("name", "value"), [("CANDOR_EPSILON_CEILING", "nan"), ("CANDOR_EPSILON_CEILING_QUESTION", "9")]
)
def test_settings_invalid_ceiling_stops_start(name: str, value: str, tmp_path: Path) -> None:
    environment = os.environ | {"CANDOR_DATA": str(tmp_path), "DJANGO_SETTINGS_MODULE": "config.settings", name: value}
    command = [sys.executable, "-c", "import config.settings"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert f"{name} must be" in done.stderr.splitlines()[-1]
