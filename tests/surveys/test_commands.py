"""The command line: words for people, one JSON object for scripts, one sentence for faults."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from estimator.exports.formats import FORMATS
from estimator.models import Run
from surveys.accounts.teams import home_team
from surveys.definition import definitions
from surveys.lifecycle import selectors
from surveys.models import Rehearsal, Survey, Version
from tests.exchange import samples
from tests.factories import payloads

pytestmark = pytest.mark.django_db


def run(name: str, *words: Any) -> str:
    out = io.StringIO()
    call_command(name, *words, stdout=out)
    return out.getvalue()


def facts(name: str, *words: Any) -> dict[str, Any]:
    return json.loads(run(name, *words, "--json"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "survey.yaml"
    path.write_text(definitions.dump(payloads.definition()), encoding="utf-8")
    return path


def test_commands_from_file_to_estimate(alice: User, file: Path) -> None:
    assert run("import_survey", file) == "campus is a draft with 2 questions.\n"
    opened = facts("open_survey", "campus")
    assert opened["link"].endswith(f"/s/campus/#{opened['digest']}")
    assert opened["version"] == 1
    estimated = facts("estimate", "campus")
    assert (estimated["state"], estimated["reports"]) == ("done", 0)
    assert facts("close_survey", "campus", "--now")["reports"] == 0
    assert facts("open_survey", "campus", "--wave")["version"] == 2
    assert run("ledger", "campus").splitlines() == [
        "wave 1: epsilon 2.49, nobody answered; responses: 0",
        "wave 2: epsilon 2.49, 2.49 in all; responses: 0",
        "one person, all answers, all waves so far: epsilon 2.49 of at most 7.9997",
    ]
    assert [one["name"] for one in facts("ledger", "campus")["waves"]] == ["wave 1", "wave 2"]


def test_export_survey_and_import_survey_are_inverse(survey: Survey, tmp_path: Path) -> None:
    output = tmp_path / "out.yaml"
    assert f"campus is written to {output}" in run("export_survey", "campus", "--output", output)
    exported = payloads.definition(same_people_as="campus")
    assert definitions.load(output.read_text(encoding="utf-8")) == exported
    assert definitions.load(run("export_survey", "campus")) == exported


def test_import_survey_names_missing_texts_by_language(alice: User) -> None:
    said = run("import_survey", samples.FILES / "form.csv")
    assert "Before it can be opened: There is no text in Deutsch yet for: the title" in said


def test_rehearse_with_simulated_respondents(survey: Survey) -> None:
    told = facts("rehearse", "campus", "--respondents", 60, "--share", "cheated=0.3", "--seed", 5)
    assert (told["slug"], told["rehearsal"], told["reports"], told["seed"]) == ("campus", 1, 60, 5)
    again = facts("rehearse", "campus", "--respondents", 60, "--repetitions", 2)
    assert (again["rehearsal"], again["repetitions"]) == (2, 2)
    assert Survey.objects.count() == 1, "what is rehearsed stands beside its survey, not in the list"


def test_rehearse_with_people_who_do_not_say_what_is_true(survey: Survey) -> None:
    facts("rehearse", "campus", "--respondents", 20, "--misunderstanding", "0.1", "--denial", "0.1,y2=0.2,y1=0.3")
    said = Rehearsal.objects.get().assumptions
    assert (said["at_random"], said["misunderstanding"], said["denial"]) == (0.0, 0.1, 0.1)
    assert said["misreporting_groups"] == {"y2": {"denial": 0.2}, "y1": {"denial": 0.3}}


def test_rehearse_with_answers_from_a_file(survey: Survey, tmp_path: Path) -> None:
    answers = tmp_path / "answers.csv"
    answers.write_text("stratum,cheated,mood\n" + "y1,1,Low\n" * 40)
    told = facts("rehearse", "campus", "--answers", answers)
    assert told["reports"] == 40
    (first, *_) = Run.objects.get(key=told["run"]).tallies
    assert np.sum(first) == 40
    assert "Low" not in str(Rehearsal.objects.get().said), "true answers are not kept"


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_export_report_writes_the_panel_file(version: Version, tmp_path: Path, kind: str) -> None:
    facts("estimate", "campus")
    output = tmp_path / f"report.{kind}"
    told = facts("export_report", "campus", "--format", kind, "--output", output)
    run = Run.objects.get()
    assert told["run"] == run.key
    assert output.read_bytes() == FORMATS[kind].whole(run)


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["open_survey", "missing"], "There is no survey 'missing'; there are: campus."),
        (["close_survey", "campus"], "“Close” needs a survey that is open; campus is a draft."),
        (["estimate", "campus"], "campus was never opened"),
        (["export_report", "campus", "--output", "x.csv"], "campus has no estimates yet; manage.py estimate campus"),
        (["rehearse", "campus", "--respondents", "0"], "--respondents must be from 1 to 1000000; got 0"),
        (["rehearse", "campus", "--share", "cheated=many"], "--share must be ITEM=S1"),
        (["rehearse", "campus", "--denial", "0.1,y2"], "--denial must be SHARE[,GROUP=SHARE...]; got '0.1,y2'."),
        (["rehearse", "campus", "--denial", "y9=1"], "of answers to a background question; got 'y9'"),
        (["rehearse", "campus", "--answers", "/nowhere.csv"], "No such file"),
        (["import_survey", "/nowhere.yaml"], "No such file"),
    ],
)
def test_command_errors_are_one_sentence(survey: Survey, words: list[str], fault: str) -> None:
    with pytest.raises(CommandError) as caught:
        run(*words)
    assert fault in str(caught.value)


def test_estimate_confidence_is_validated(version: Version) -> None:
    with pytest.raises(CommandError, match=r"--confidence must be greater than 0 and less than 1; got 1\.0"):
        run("estimate", "campus", "--confidence", "1")


@pytest.mark.parametrize("people", [0, 2])
def test_import_survey_without_owner_lists_researchers(file: Path, people: int) -> None:
    for number in range(people):
        User.objects.create_user(f"person{number}", is_staff=True)
    with pytest.raises(CommandError, match=r"--owner must name one researcher; there are: (nobody|person0, person1)"):
        run("import_survey", file)


def test_import_survey_owner_option(alice: User, bob: User, file: Path) -> None:
    run("import_survey", file, "--owner", "bob")
    assert Survey.objects.get().team == home_team(bob)
    assert selectors.definition_of(Survey.objects.get()) == payloads.definition()
