"""The page of opening asks for a reason above a ceiling, and shows doubtful words until they were read."""

import re
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from surveys.accounts.audit_log import survey_events
from surveys.accounts.teams import home_team
from surveys.definition.ceilings import with_reason
from surveys.lifecycle import selectors, services
from surveys.models import Survey
from tests.factories import payloads
from tests.factories.payloads import weak
from tests.panel.pages import digest_shown, press
from tests.tools.api import Program
from tests.tools.html import words

pytestmark = pytest.mark.django_db
REASON = "A pilot among our own staff,\nwho agreed to it."
DOUBTFUL = {"en": "This survey is anonymous; write your name to ada@example.org."}


@pytest.fixture
def risky(alice: User) -> Survey:
    return services.write_survey(weak(), team=home_team(alice))


@pytest.fixture
def doubtful(alice: User) -> Survey:
    return services.write_survey(payloads.definition(introduction=DOUBTFUL), team=home_team(alice))


def test_opening_page_asks_for_reason_and_keeps_it(risky: Survey, her: Client) -> None:
    digest, address = digest_shown(her), reverse("panel:opening", args=["campus"])
    said = words(her.get(address).content.decode())
    assert "Question 1 (cheated) has a privacy loss (epsilon) of 3.05, above 3." in said
    for wrong in ("", "  ", "x" * 501, "a\u202eb"):
        answer = her.post(address, {"digest": digest, "opens": "now", "cap": "100", "reason": wrong})
        assert (answer.status_code, answer.context["form"].errors.keys()) == (422, {"reason"})
        assert 'value="100"' in answer.content.decode()
    design, _ = selectors.design_to_open(risky)
    assert "Version 1 is open and its design is frozen." in press(
        her, "opening", "campus", digest=digest, opens="now", reason=REASON
    )
    assert risky.versions.get().design_id == with_reason(design, REASON).digest
    assert REASON in re.findall(r"<q [^>]*>([^<]*)</q>", her.get(address).content.decode())


def test_opening_page_below_ceilings_asks_no_reason(survey: Survey, her: Client) -> None:
    html = her.get(reverse("panel:opening", args=["campus"])).content.decode()
    assert 'name="reason"' not in html
    assert 'name="warned"' not in html


def test_opening_page_shows_text_warnings_until_read(doubtful: Survey, her: Client) -> None:
    digest = digest_shown(her)
    answer = her.post(reverse("panel:opening", args=["campus"]), {"digest": digest, "opens": "now"})
    assert (answer.status_code, list(answer.context["form"].errors)) == (422, ["warned"])
    for words_ in ("ada@example.org", "anonymous", "your name"):
        assert words_ in answer.content.decode()
    assert "Version 1 is open and its design is frozen." in press(
        her, "opening", "campus", digest=digest, opens="now", warned="on"
    )
    assert "with 3 warnings about its wording" in survey_events(doubtful).get(act="opened").detail


def test_api_and_commands_list_text_warnings(doubtful: Survey, alice: User) -> None:
    program = Program(alice)
    ahead = program.get("surveys/campus/next-design/")
    found = [one.partition("”")[0] for one in ahead["warnings"]]
    assert found == [
        "introduction.en: “ada@example.org",
        "introduction.en: “anonymous",
        "introduction.en: “write your name",
    ]
    opened = program.post("surveys/campus/open/", {"digest": ahead["digest"]})
    assert (opened["state"], opened["warnings"]) == ("open", ahead["warnings"])


def test_command_prints_text_warnings_on_stderr(doubtful: Survey) -> None:
    out, err = StringIO(), StringIO()
    call_command("open_survey", "campus", "--json", stdout=out, stderr=err)
    assert err.getvalue().count("Warning: introduction.en: “") == 3
    assert out.getvalue().count("introduction.en: ") == 3
