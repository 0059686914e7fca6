"""Groups before anything is opened: at most fifty, a warning of small ones, and what respondents are told of theirs."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from collector.designs import MOST_GROUPS, Design
from collector.designs.selectors import get_design
from collector.errors import Conflict
from estimator.base.verdict import Verdict
from surveys.accounts.teams import home_team
from surveys.definition import definitions
from surveys.lifecycle import selectors, services
from surveys.opening.services import open_survey
from surveys.planning.forecast import enough_responses, precision_of
from surveys.planning.group_warnings import group_warnings
from surveys.planning.parameters import PlanParameters
from surveys.planning.question import AS_USUAL, WRITTEN, PlannedQuestion, forecast
from tests.factories import payloads, translations
from tests.tools.api import Program
from tests.tools.html import words
from tests.tools.paper import sheet_data as on_paper

pytestmark = pytest.mark.django_db


@pytest.fixture
def hers(alice: User) -> Program:
    return Program(alice)


BOUND = "must have at most 50 groups; got 51"


def definition(count: int, **changes: Any) -> dict[str, Any]:
    groups = [{"key": f"g{place:02d}", "label": f"Faculty {place:02d}"} for place in range(count)]
    return {**payloads.definition(), "strata": {"wording": "Which faculty?", "groups": groups}, **changes}


def test_yaml_more_than_fifty_groups_is_refused(tmp_path: Path, alice: User) -> None:
    path = tmp_path / "survey.yaml"
    path.write_text(definitions.dump(definitions.complete(definition(MOST_GROUPS + 1))), encoding="utf-8")
    with pytest.raises(CommandError, match=rf"strata\.groups {BOUND}"):
        call_command("import_survey", str(path), stdout=io.StringIO())


def test_api_more_than_fifty_groups_is_refused(hers: Program) -> None:
    hers.post("surveys/", {"definition": definition(MOST_GROUPS)})
    refused = hers.refused(422, "POST", "surveys/", {"definition": definition(MOST_GROUPS + 1, slug="more")})
    assert f"strata.groups {BOUND}" in refused["detail"]


def test_draft_more_than_fifty_groups_cannot_open(alice: User) -> None:
    """As a form saves them: one by one, beyond the bound."""
    survey = services.write_survey(definitions.take_checked(definition(MOST_GROUPS)), team=home_team(alice))
    survey.groups.create(position=51, key="g50", label={"en": "Faculty 50"}, share="")
    assert f"Groups {BOUND}" in selectors.opening_fault(survey)
    with pytest.raises(Conflict, match=BOUND):
        open_survey(survey)


def test_group_warnings_use_known_shares() -> None:
    document = payloads.with_known_shares("1/100", "99/100")
    questions = [(PlannedQuestion(item), PlanParameters()) for item in payloads.DEFINITION["items"]]
    found = group_warnings(Design.of(document).groups, "en", questions, 3_600)
    assert found is not None
    assert (found.small, found.enough, found.needed) == ((("First year", 36),), 197, 19_700)
    assert "Of 3,600 responses" in found.in_words
    assert "First year (about 36)" in found.in_words
    enough = group_warnings(Design.of(document).groups, "en", questions, 19_700)
    assert enough is not None
    assert (enough.small, enough.in_words) == ((), "")
    assert group_warnings((), "en", questions) is None


def test_enough_responses_are_the_fewest_to_report() -> None:
    """By two coins 197 responses for 20 % within 13 points, 65 % of it; by truth 9/10 51."""
    coins, told = (
        PlannedQuestion(
            payloads.DEFINITION["items"][0] | {"channel": {"name": "forced_response", "yes": "1/2", "truth": truth}}
        )
        for truth in ("1/2", "9/10")
    )
    for asked, enough in ((coins, 197), (told, 51)):
        assert enough_responses(asked, PlanParameters()) == enough
        for n, expected in ((enough, Verdict.ROUGH), (enough - 1, Verdict.TOO_IMPRECISE)):
            ahead = forecast(asked, asked.at(WRITTEN), asked.shares(AS_USUAL), n, 0.95)
            assert precision_of(asked, ahead).verdict is expected
    assert enough_responses(coins, PlanParameters(), Verdict.USABLE) == 844


def test_group_below_thirty_reports_is_always_warned() -> None:
    """Of questions that cannot be planned yet, too."""
    for expected, small in ((58, 2), (60, 0)):
        found = group_warnings(Design.of(payloads.document()).groups, "en", [(None, PlanParameters())], expected)
        assert found is not None
        assert (found.enough, len(found.small)) == (30, small)


def test_opening_page_warns_of_small_groups(alice: User, client: Client) -> None:
    client.force_login(alice)
    services.write_survey(definitions.take_checked(definition(40)), team=home_team(alice))
    address = reverse("panel:opening", args=["campus"])
    said = words(client.get(address).content.decode())
    assert "Of 1,000 responses these groups would have fewer than 197" in said
    assert "Faculty 39 (about 25). It takes about 7,880 responses for every group to have 197." in said
    said = words(client.get(address, {"expected": "7880"}).content.decode())
    assert "Of 7880 responses every group would have at least 197" in said


def test_api_and_command_warn_of_small_groups(hers: Program) -> None:
    hers.post("surveys/", {"definition": definition(40)})
    ahead = hers.get("surveys/campus/next-design/")
    (warning,) = ahead["warnings"]
    assert warning.startswith("A group is sent openly, not randomised. Of 1,000 responses these groups would have")
    (warning,) = hers.post("surveys/campus/open/", {"digest": ahead["digest"], "cap": 60})["warnings"]
    assert "Of 60 responses" in warning
    hers.post("surveys/", {"definition": definition(5, slug="wide")})
    assert hers.get("surveys/wide/next-design/")["warnings"] == []
    for expect, small in (("", False), ("984", True), ("985", False)):
        hers.post("surveys/", {"definition": definition(5, slug=f"wide{expect}x")})
        out = io.StringIO()
        call_command("open_survey", f"wide{expect}x", "--expect", expect, "--json", stdout=out)
        assert bool(json.loads(out.getvalue())["warnings"]) == small


OPENLY = {
    "en": ("Sent openly, without a ticket", "There are 2 groups."),
    "de": ("Wird offen gesendet, ohne Los", "Es gibt 2 Gruppen."),
    "fr": ("Envoyé ouvertement, sans ticket", "Il y a 2 groupes."),
    "es": ("Se envía abiertamente, sin papeleta", "Hay 2 grupos."),
    "ar": ("تُرسل علنًا بلا تذكرة", "عدد المجموعات: 2."),
}


def test_respondents_read_that_group_is_not_randomised(alice: User) -> None:
    """By the question, before Send and on the receipt; on the own-coin page, and on its sheet."""
    version = open_survey(services.write_survey(translations.definition(*OPENLY), team=home_team(alice)))
    document = get_design(version.design_id).document
    client = Client()
    for language, (openly, number) in OPENLY.items():
        address = "/s/campus/" if language == "en" else f"/s/campus/{language}/"
        page = client.get(address).content.decode()
        said = words(page)
        assert said.count(openly) >= 3, (language, "question, review, receipt")
        assert said.count(number) >= 3, language
        assert "{group}" in page
        coin = words(client.get(f"{address}coin/").content.decode())
        assert openly in coin, language
        assert number in coin, language
        assert number in on_paper(document, language)["group"]["note"]
