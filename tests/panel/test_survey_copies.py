"""Copies for the same people go on from what was spent; who says that a copy is for others is written down."""

import json
import threading
from fractions import Fraction
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import reverse

from collector.errors import Conflict, ValidationError
from surveys.accounts.audit_log import survey_events
from surveys.accounts.teams import home_team
from surveys.definition import definitions
from surveys.lifecycle import selectors, services
from surveys.lifecycle.budget import budget_of
from surveys.lifecycle.services import duplicate_survey
from surveys.models import Survey, Version
from surveys.opening.services import open_survey, open_wave
from tests.factories import payloads
from tests.factories.reports import store_one
from tests.tools.api import Program

pytestmark = pytest.mark.django_db
REASON = "The panel agreed to a second survey."


@pytest.fixture
def answered(version: Version) -> Survey:
    """Closed, and 12 to 1 was spent in it."""
    store_one(version)
    services.close_survey(version.survey)
    return version.survey


def spent_before(survey: Survey) -> str:
    return str(selectors.design_to_open(survey)[0].document.get("waves", {}).get("spent", "1/1"))


def test_copy_for_same_people_inherits_privacy_loss(answered: Survey) -> None:
    assert spent_before(duplicate_survey(answered, slug="again")) == "12/1"
    assert spent_before(duplicate_survey(answered, slug="others", same_people=False)) == "1/1"


def test_copies_share_budget_in_every_direction(answered: Survey) -> None:
    """A copy of a copy, a second copy, and the first survey's own next wave: all of it counts in all of them."""
    copy = duplicate_survey(answered, slug="copy")
    second, of_copy = duplicate_survey(answered, slug="second"), duplicate_survey(copy, slug="of-copy")
    store_one(open_survey(copy, reason=REASON))
    services.close_survey(copy)
    assert [spent_before(one) for one in (second, of_copy)] == ["144/1", "144/1"]
    assert selectors.wave_to_open(answered)[0].document["waves"]["spent"] == "144/1"
    store_one(open_survey(second, reason=REASON))  # 1,728 to 1; once more would be 20,736, above 2,980
    for refused in (of_copy, answered):
        with pytest.raises((ValidationError, Conflict), match=r"at most 7\.9997 per person"):
            (open_wave if refused == answered else open_survey)(refused, reason=REASON)
    services.delete_survey(of_copy)
    assert "at most 7.9997" in selectors.next_wave_fault(answered)


def test_survey_made_rehearsal_keeps_its_privacy_loss(answered: Survey, alice: User) -> None:
    """Revised, its draft can be said to be a rehearsal, and back again once the copy is open."""
    copy = duplicate_survey(answered, slug="copy")
    services.revise_survey(answered)
    Program(alice).done("PATCH", "surveys/campus/definition/", {"rehearsal": True})
    assert spent_before(copy) == "12/1"


def test_audit_log_names_who_chose_other_people(answered: Survey, alice: User) -> None:
    copy = duplicate_survey(answered, slug="copy", same_people=False, by=alice)
    entry = survey_events(copy).get(act="changed the respondents")
    assert (entry.name, entry.detail) == ("alice", "a copy of campus, for other people")
    assert survey_events(answered).get(act="duplicated").detail == "as copy, for other people"


def test_panel_copy_requires_answer_on_same_people(answered: Survey, her: Client) -> None:
    page, new = reverse("panel:duplicate", args=["campus"]), reverse("panel:new")
    for address, fields in ((page, {"slug": "copy"}), (new, {"survey": "campus"})):
        for wrong in ({}, {"same_people": "maybe"}):
            said = her.post(address, fields | wrong, follow=True).content.decode()
            assert "same people" in said
            assert Survey.objects.count() == 1
    her.post(page, {"slug": "copy", "same_people": "yes"})
    her.post(new, {"survey": "campus", "same_people": "no"})
    others = Survey.objects.exclude(slug="campus")
    assert {one.slug: spent_before(one) for one in others} == {"copy": "12/1", "campus-2": "1/1"}
    opening = her.get(reverse("panel:opening", args=["copy"])).content.decode()
    assert "data-spent" in opening


def test_api_copy_inherits_by_default(answered: Survey, alice: User) -> None:
    program = Program(alice)
    program.post("surveys/campus/duplicate/", {"slug": "copy"})
    program.post("surveys/campus/duplicate/", {"slug": "others", "same_people": False})
    assert [spent_before(Survey.objects.get(slug=slug)) for slug in ("copy", "others")] == ["12/1", "1/1"]
    ledger = program.get("surveys/copy/ledger/")
    assert (ledger["elsewhere"]["odds"], ledger["total"]["odds"], ledger["next"]["total"]["odds"]) == (
        "12",
        "12",
        "144",
    )
    assert ledger["next"]["waves_that_fit"] == 2
    program.refused(422, "POST", "surveys/campus/duplicate/", {"slug": "x", "same_people": "perhaps"})


def test_import_under_other_slug_inherits(answered: Survey, alice: User, tmp_path: Any) -> None:
    file = tmp_path / "campus.yaml"
    call_command("export_survey", "campus", "--output", str(file))
    text = file.read_text()
    assert "same_people_as: campus" in text
    file.write_text(text.replace("slug: campus", "slug: imported"))
    call_command("import_survey", str(file), "--owner", "alice")
    imported = Survey.objects.get(slug="imported")
    assert spent_before(imported) == "12/1"
    # Read in once more without the line, it stays linked: what was spent is never taken back.
    file.write_text(file.read_text().replace("same_people_as: campus\n", ""))
    call_command("import_survey", str(file), "--owner", "alice")
    assert spent_before(imported) == "12/1"
    assert "same_people_as" not in json.dumps(selectors.design_to_open(imported)[0].document)
    file.write_text(text.replace("same_people_as: campus", "same_people_as: nobody").replace("slug: campus", "slug: x"))
    with pytest.raises(CommandError, match="must name a survey of this installation that you can edit; got 'nobody'"):
        call_command("import_survey", str(file), "--owner", "alice")


def test_same_people_as_survey_of_others_is_refused(answered: Survey, bob: User) -> None:
    definition = definitions.complete(payloads.definition(slug="bobs", same_people_as="campus"))
    with pytest.raises(ValidationError, match="must name a survey of this installation that you can edit"):
        services.write_survey(definition, team=home_team(bob), by=bob)
    assert not Survey.objects.filter(slug="bobs").exists()


def test_ledger_names_loss_in_other_surveys(answered: Survey, her: Client) -> None:
    copy = duplicate_survey(answered, slug="copy")
    book = budget_of(copy)
    assert (book.elsewhere.most, book.total.most) == (12, 12)
    page = " ".join(her.get(reverse("panel:waves", args=["copy"])).content.decode().split())
    assert "from other surveys for the same people" in page
    assert "This account cannot know of other installations" in page


@pytest.mark.django_db(transaction=True)
def test_two_copies_opening_at_once_count_each_other(answered: Survey) -> None:
    """Both fit alone and not together: 432 of 2,980 was spent, and each adds 12."""
    extra = duplicate_survey(answered, slug="extra")
    items = payloads.definition()["items"]
    services.write_survey(payloads.definition(slug="extra", items=items * 1), team=extra.team)
    store_one(open_survey(extra, reason=REASON))
    pair = [duplicate_survey(answered, slug=slug) for slug in ("left", "right")]
    barrier, outcomes = threading.Barrier(2), []

    def open_it(survey: Survey) -> None:
        try:
            barrier.wait()
            open_survey(survey, reason=REASON)
            outcomes.append("open")
        except (ValidationError, Conflict):
            outcomes.append("refused")
        finally:
            connection.close()

    threads = [threading.Thread(target=open_it, args=[one]) for one in pair]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["open", "refused"]


def test_rehearsal_copy_adds_no_privacy_loss(answered: Survey) -> None:
    copy = duplicate_survey(answered, slug="copy", rehearsal=True)
    design, _ = selectors.design_to_open(copy)
    assert {"waves", "ceilings"}.isdisjoint(design.document)
    assert Fraction(12) == budget_of(answered).total.most
