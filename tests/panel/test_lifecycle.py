"""The buttons of a survey's page, and what the page says after each."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from collector.designs.selectors import get_design
from collector.errors import Conflict
from estimator.models import Run
from estimator.runs import selectors as estimates
from estimator.runs import services as estimator
from surveys.accounts.teams import home_team
from surveys.lifecycle.services import close_survey, publish_run, request_estimate, write_survey
from surveys.models import Item, Survey, Version
from tests.factories import payloads
from tests.factories.runs import fill
from tests.panel.pages import digest_shown, html_of, look, marks, outcome, press
from tests.tools.html import words

pytestmark = pytest.mark.django_db


def test_open_draft_once_double_press_is_harmless(survey: Survey, her: Client) -> None:
    assert "Ready to open." in look(her)
    digest = digest_shown(her)
    assert "Respondents can answer." in press(her, "opening", "campus", digest=digest, opens="now")
    assert outcome(her, "opening", "campus", digest=digest, opens="now") == "success", "a double press"
    assert outcome(her, "opening", "campus", digest="0" * 64, opens="now") == "error"
    assert survey.versions.count() == 1


def test_open_incomplete_draft_names_what_is_missing(survey: Survey, her: Client) -> None:
    Item.objects.filter(survey=survey, position=2).update(truth="7/5")
    html = html_of(her, "survey", "campus")
    assert "truth" in html[html.index('class="candor-missing"') :]
    page = words(her.get(reverse("panel:opening", args=["campus"])).content.decode())
    assert "items[1].channel: truth" in page
    assert "Open version 1" not in page
    assert "items[1].channel: truth" in press(her, "opening", "campus", digest="0" * 64, opens="now")
    survey.refresh_from_db()
    assert survey.state == Survey.State.DRAFT


def test_share_page_link_holds_digest(version: Version, her: Client) -> None:
    html = her.get("/panel/survey/campus/share/").content.decode()
    assert f'value="http://127.0.0.1:8000/s/campus/#{version.design_id}"' in html


def test_close_requests_final_estimate(version: Version, her: Client) -> None:
    fill(get_design(version.design_id))
    assert outcome(her, "close", "campus", now="yes") == "success"
    run = Run.objects.get(design=version.design)
    assert run.trigger == Run.Trigger.CLOSING
    assert marks(html_of(her, "survey", "campus"), "run") == [f"/api/v1/runs/{run.key}/"]
    assert outcome(her, "close", "campus") == "error"
    assert outcome(her, "undo-closing", "campus") == "error"


def test_close_can_be_undone_by_one_click(version: Version, her: Client) -> None:
    assert outcome(her, "close", "campus") == outcome(her, "close", "campus") == "success", "a double press is one"
    page = html_of(her, "survey", "campus")
    assert marks(page, "closing") == [""]
    assert "/panel/survey/campus/undo-closing" in page
    assert "No response came" not in page, "nobody can tell before it is final"
    for button in ("revise", "archive", "waves"):
        assert outcome(her, button, "campus", digest="0" * 64, opens="now") == "error"
    said = press(her, "undo-closing", "campus")
    assert "The survey takes responses again. It stays open until you close it." in said
    assert "Respondents can answer." in said
    assert outcome(her, "undo-closing", "campus") == "error"
    press(her, "close", "campus")
    assert "The survey is closed permanently. No response came" in press(her, "finish-closing", "campus")
    page = html_of(her, "survey", "campus")
    assert marks(page, "closing") == []
    assert "undo-closing" not in page


def test_close_dialog_says_what_is_true_of_the_survey(version: Version, her: Client, settings: Any) -> None:
    def said() -> str:
        html = html_of(her, "survey", "campus")
        return words(html[html.index('class="candor-means"') :])

    assert "Later it can be opened again as its next wave" in said()
    assert "Responses counted so far: fewer than 10. With fewer than 10 in all there is no estimate." in said()
    assert "The scheduled closing is cancelled" not in said()
    settings.CANDOR_EPSILON_CEILING = 2.5
    assert "The survey could not be opened again as its next wave" in said()
    assert "Later it can be opened again" not in said()


def test_close_without_reports_promises_no_estimate(version: Version, her: Client) -> None:
    said = press(her, "close", "campus", now="yes")
    assert "The survey is closed permanently. No response came, so there is nothing to estimate." in said
    for page in (said, words(her.get("/panel/survey/campus/watch/").content.decode())):
        assert "is being computed" not in page
        assert "made automatically" not in page
        assert "No response came, so there is nothing to estimate." in page


def test_close_with_nine_reports_promises_no_estimate(version: Version, her: Client) -> None:
    fill(get_design(version.design_id), count=9, first=9)
    said = press(her, "close", "campus", now="yes")
    assert "Responses: 9. An estimate needs at least 10, so there will be none." in said
    assert "is being computed" not in said


def test_close_with_ten_reports_estimates_without_quote(version: Version, her: Client) -> None:
    fill(get_design(version.design_id), count=10, first=10)
    assert "The final estimate is being computed." in press(her, "close", "campus", now="yes")
    estimator.execute(Run.objects.get(design=version.design).pk)
    for page in ("", "watch/"):
        told = words(her.get(f"/panel/survey/campus/{page}").content.decode())
        assert "“Yes”: too imprecise to report (10 respondents, 95 % CI " in told
        assert "An estimated" not in told


def test_revise_closed_survey_and_open_again(version: Version, her: Client) -> None:
    close_survey(version.survey)
    assert outcome(her, "revise", "campus") == "success"
    assert outcome(her, "opening", "campus", digest=digest_shown(her), opens="now") == "success"
    assert [line.number for line in version.survey.versions.all()] == [2, 1]


def test_estimate_on_demand(version: Version, her: Client, django_capture_on_commit_callbacks: object) -> None:
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        assert outcome(her, "estimate", "campus") == "success"
    run = estimates.last_run(version.design_id)
    assert run is not None
    assert f'data-run="/api/v1/runs/{run.key}/"' in her.get("/panel/survey/campus/").content.decode()
    assert outcome(her, "estimate", "campus") == "error"
    with pytest.raises(Conflict, match="already being computed"):
        request_estimate(version.survey)
    assert version.design.runs.count() == 1
    estimator.execute(run.pk)
    assert "data-run" not in her.get("/panel/survey/campus/").content.decode()


def test_estimate_never_opened_survey_is_refused(survey: Survey, her: Client) -> None:
    assert outcome(her, "estimate", "campus") == "error"
    assert not Run.objects.exists()


def test_failed_run_shows_reason(version: Version, her: Client) -> None:
    run = estimator.request_run(version.design_id)
    Run.objects.filter(pk=run.pk).update(state="failed", fault="KeyError")
    html = html_of(her, "survey", "campus")
    assert (marks(html, "failed"), "KeyError" in html) == ([""], True)


def test_results_page_shows_intervals_and_charts(run: Run, her: Client) -> None:
    said = look(her)
    # Which 90 of 110 is drawn, and with it whether the interval that holds at every look is of use.
    told = r"Of the 90 respondents, an estimated \d+ % \(95 % CI|“Yes”: too imprecise to report \(90 respondents"
    assert re.search(told, said)
    assert "Responses: 90, counted" in said
    html = her.get("/panel/survey/campus/watch/").content.decode()
    assert html.count('<svg xmlns="http://www.w3.org/2000/svg" class="picture') == 6, "two layouts of three pictures"
    assert "nan" not in html.lower().split()


def test_report_publish_and_unpublish(run: Run, her: Client, client: Client) -> None:
    address = reverse("estimator:report", args=[run.key])
    assert client.get(address).status_code == 404
    assert outcome(her, "publish", run.key, published="yes") == "success"
    assert client.get(address).status_code == 200
    assert outcome(her, "publish", run.key, published="no") == "success"
    assert client.get(address).status_code == 404


def test_publish_run_without_estimates_is_refused(version: Version, her: Client) -> None:
    run = estimator.request_run(version.design_id)
    assert outcome(her, "publish", run.key, published="yes") == "error"
    with pytest.raises(Conflict, match="no estimates to publish"):
        publish_run(run, published=True)
    assert her.get(reverse("panel:report", args=[run.key])).status_code == 404


def test_duplicate_makes_draft(version: Version, her: Client) -> None:
    assert outcome(her, "duplicate", "campus", slug="campus-2", same_people="yes") == "success"
    copy = Survey.objects.get(slug="campus-2")
    assert (copy.state, copy.items.count(), copy.groups.count()) == ("draft", 2, 2)


@pytest.mark.parametrize(("slug", "fault"), [("campus", "is taken"), ("", "required"), ("A b", "valid")])
def test_duplicate_needs_free_slug(version: Version, her: Client, slug: str, fault: str) -> None:
    assert fault in press(her, "duplicate", "campus", slug=slug, same_people="yes")
    assert Survey.objects.count() == 1


def test_rehearsal_is_labelled_and_has_no_link(alice: User, her: Client) -> None:
    write_survey(payloads.definition(rehearsal=True), team=home_team(alice))
    said = press(her, "opening", "campus", digest=digest_shown(her), opens="now")
    assert "rehearsal: simulated respondents" in said
    assert "Share it whole" not in said
    assert "rehearsal" in words(her.get(reverse("admin:surveys_survey_changelist")).content.decode())
