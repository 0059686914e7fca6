"""Entering sheets of paper: owner only, one sheet at a time, each stored once, counted, and never in a log."""

import logging
import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from collector.endpoint import receiving
from collector.models import Report, WaitingReport
from surveys.accounts.teams import home_team
from surveys.lifecycle import services
from surveys.models import Survey, Version
from surveys.opening.services import open_survey
from tests.factories import payloads

pytestmark = pytest.mark.django_db

ADDRESS = "/panel/survey/campus/paper/"


def empty_sheet(client: Client, **marks: str) -> dict[str, str]:
    """The fields of the page as it stands, with these marks."""
    page = client.get(ADDRESS).content.decode()
    hidden = dict(re.findall(r'<input type="hidden" name="(design|nonce)" value="(\w+)">', page))
    return hidden | {"stratum": "y1", "item-1": "1", "item-2": "2"} | marks


def counts(page: str) -> tuple[int, int]:
    pile, whole = (re.search(rf"<dd data-{name}>(\d+)</dd>", page) for name in ("pile", "all"))
    assert pile
    assert whole
    return int(pile[1]), int(whole[1])


def test_paper_sheet_is_stored_and_counted(version: Version, her: Client) -> None:
    for number in (1, 2, 3):
        answer = her.post(ADDRESS, empty_sheet(her), follow=True)
        assert answer.redirect_chain == [(ADDRESS, 302)]
        assert counts(answer.content.decode()) == (number, 0), "three are no step"
    assert {(bytes(row.report), row.stratum, row.mode) for row in WaitingReport.objects.all()} == {
        (b"\x01\x02", 0, Report.Mode.PAPER)
    }
    services.close_survey(version.survey)
    assert "of these with own coin: 3" in her.get("/panel/survey/campus/").content.decode()


def test_paper_same_sheet_twice_is_stored_once(version: Version, her: Client) -> None:
    sheet = empty_sheet(her)
    her.post(ADDRESS, sheet)
    again = her.post(ADDRESS, sheet, follow=True)
    assert [message.level_tag for message in again.context["messages"]] == ["info"]
    assert counts(again.content.decode()) == (1, 0)
    assert WaitingReport.objects.count() == 1


def test_paper_other_marks_same_nonce_are_refused(version: Version, her: Client) -> None:
    sheet = empty_sheet(her)
    her.post(ADDRESS, sheet)
    refused = her.post(ADDRESS, sheet | {"item-1": "0"})
    assert refused.status_code == 409
    assert "checked" not in refused.content.decode()
    assert sheet["nonce"] not in refused.content.decode(), "the next sheet has a nonce of its own"
    assert bytes(WaitingReport.objects.get().report) == b"\x01\x02"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"item-2": ""}, "Question 2 has no mark."),
        ({"item-1": "2"}, "Question 1 has no mark."),
        ({"stratum": "y9"}, "No group is marked."),
        ({"more": "1"}, "This was not the form of this page."),
    ],
)
def test_paper_missing_mark_keeps_the_others(
    version: Version, her: Client, change: dict[str, str], sentence: str
) -> None:
    sheet = empty_sheet(her, **change)
    answer = her.post(ADDRESS, sheet)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert sentence in page
    assert f'name="nonce" value="{sheet["nonce"]}"' in page
    assert page.count(" checked") == (3 if "more" in change else 2)
    assert not WaitingReport.objects.exists()


def test_paper_repeated_field_is_refused(version: Version, her: Client) -> None:
    assert her.post(ADDRESS, empty_sheet(her) | {"item-1": ["0", "1"]}).status_code == 422
    assert not WaitingReport.objects.exists()


def test_paper_new_pile_counts_from_zero(version: Version, her: Client) -> None:
    her.post(ADDRESS, empty_sheet(her))
    page = her.post(f"{ADDRESS}new-pile", follow=True).content.decode()
    assert counts(page) == (0, 0)
    assert WaitingReport.objects.count() == 1


def test_paper_session_holds_count_without_marks(version: Version, her: Client) -> None:
    her.post(ADDRESS, empty_sheet(her))
    kept = {name: value for name, value in her.session.items() if not name.startswith("_auth")}
    assert kept.keys() == {"piles", "began_at", "used_at"}
    assert kept["piles"] == {version.design_id: 1}


def test_paper_after_closing_is_refused(version: Version, survey: Survey, her: Client) -> None:
    sheet = empty_sheet(her)
    survey.refresh_from_db()
    services.close_survey(survey)
    for answer, status in ((her.get(ADDRESS), 200), (her.post(ADDRESS, sheet), 410)):
        assert answer.status_code == status
        page = answer.content.decode()
        assert ("data-closed" in page, "data-paper" in page) == (True, False)
    assert not WaitingReport.objects.exists()


def test_paper_sheet_of_other_design_answers_404(version: Version, her: Client) -> None:
    assert her.post(ADDRESS, empty_sheet(her, design="0" * 64)).status_code == 404
    assert not WaitingReport.objects.exists()


def test_paper_design_without_coin_page_answers_404(alice: User, her: Client) -> None:
    definition = payloads.definition()
    definition["items"][0]["channel"]["truth"] = "2/5"
    survey = services.write_survey(definition, team=home_team(alice))
    assert her.get(ADDRESS).status_code == 404, "a draft"
    open_survey(survey)
    for answer in (her.get(ADDRESS), her.post(ADDRESS, {}), her.post(f"{ADDRESS}new-pile")):
        assert answer.status_code == 404
    assert "/paper/" not in her.get("/panel/survey/campus/").content.decode()


def test_paper_logs_and_error_page_hold_no_marks(
    version: Version, her: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(fields: object, *, slug: str) -> bool:
        raise RuntimeError("the disk is full")

    sheet = empty_sheet(her)
    monkeypatch.setattr(receiving, "receive_sheet", fail)
    her.raise_request_exception = False
    with caplog.at_level(logging.DEBUG):
        answer = her.post(ADDRESS, sheet)
    assert answer.status_code == 500
    assert "the disk is full" in caplog.text, "the fault is logged"
    for said in (caplog.text, answer.content.decode()):
        assert sheet["nonce"] not in said
        assert "item-1" not in said
