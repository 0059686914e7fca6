"""The page to watch a survey from: whole without a script, and the small answer that keeps it up to date with one."""

from datetime import date, timedelta

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from collector.designs.selectors import get_design
from collector.models import DailyCount
from collector.reports import folding
from estimator.models import Run, Worker
from estimator.runs import services as estimator
from surveys.accounts.teams import home_team
from surveys.definition import templates as topics
from surveys.lifecycle.services import close_survey, write_survey
from surveys.models import Survey, Version
from surveys.opening.services import open_survey
from surveys.panel.field_days import days_of
from tests.factories import payloads, simulation
from tests.factories.reports import store_report
from tests.factories.runs import fill, run_of

pytestmark = pytest.mark.django_db
PAGE, API = "/panel/survey/campus/watch/", "/api/v1/surveys/campus/watch/"


def said(client: Client) -> str:
    return " ".join(client.get(PAGE).content.decode().replace("\u00a0", " ").split())


def test_watch_page_draft_has_nothing_to_watch(survey: Survey, her: Client) -> None:
    assert "data-unopened" in said(her)
    answer = her.get(API).json()
    assert (answer["results"], answer["ends"], answer["words"]["reports"]) == ("", True, "0")


def test_watch_page_below_minimum_says_how_many_missing(version: Version, her: Client) -> None:
    design = get_design(version.design_id)
    fill(design, count=19, first=19)
    folding.fold(design.digest)
    assert 'id="lacking"' in said(her)
    assert "10 more are missing." in said(her)
    words = her.get(API).json()["words"]
    assert f"{words['reports']} {words['waiting']}" == "fewer than 10 counted so far, in steps of 10"
    fill(design, count=12, first=12)
    folding.fold(design.digest)
    assert 'id="lacking"' not in said(her)
    assert her.get(API).json()["words"]["reports"] == "20"


def test_watch_page_interim_results_are_anytime_valid(run: Run, survey: Survey, alice: User, her: Client) -> None:
    page = said(her)
    assert "Anytime-valid." in page
    assert "no share shifts by more than" in page, "what false reports could do stands under each question"
    closing = close_survey(survey, by=alice)
    estimator.execute(closing.pk)
    final = said(her)
    assert "Anytime-valid." not in final
    assert "Responses: 110, counted" in final
    assert her.get(API).json()["ends"] is True


def test_watch_page_shows_alarms(version: Version, her: Client) -> None:
    design = get_design(version.design_id)
    for _ in range(200):
        store_report(payloads.body(design, stratum="y1", report="0000"))
    run_of(design, final=False)
    assert 'id="alarms"' in said(her)


def test_watch_page_without_cause_has_no_alarm(run: Run, her: Client) -> None:
    assert 'id="alarms"' not in said(her)


def test_watch_api_is_small_and_answers_304(run: Run, version: Version, her: Client) -> None:
    first = her.get(API)
    assert len(first.content) < 500
    assert set(first.json()) == {"words", "progress", "page", "results", "ends"}
    assert first.headers["Cache-Control"] == "private, no-cache"
    again = her.get(API, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    store_report(payloads.body(get_design(version.design_id)))
    folding.fold(version.design_id)
    after = her.get(API, headers={"If-None-Match": first.headers["ETag"]})
    assert (after.status_code, after.content) == (304, b""), "one report moves nothing"
    fill(get_design(version.design_id), count=9, first=9)
    folding.fold(version.design_id)
    after = her.get(API, headers={"If-None-Match": first.headers["ETag"]})
    assert (after.status_code, after.json()["words"]["reports"]) == (200, "100")
    assert after.json()["page"] == first.json()["page"], "a number that rises is no reason to fetch the page"


def test_watch_api_page_hash_changes_with_state(run: Run, version: Version, her: Client) -> None:
    seen = [her.get(API).json()["page"]]

    def told() -> str:
        seen.append(her.get(API).json()["page"])
        return her.get(API).json()["words"]["job"]

    assert her.get(API).json()["words"]["job"] == "Finished, from 90 responses"
    asked = estimator.request_run(version.design_id)
    assert told() == "On demand: waiting for a worker"
    Run.objects.filter(pk=asked.pk).update(state=Run.State.RUNNING, progress=40)
    assert told() == "On demand: 40 % computed"
    assert her.get(API).json()["progress"] == 40
    Run.objects.filter(pk=asked.pk).update(state=Run.State.FAILED, fault="KeyError.")
    assert told() == "The last one failed. KeyError."
    Worker.objects.create(seen_at=timezone.now())
    told()
    Worker.objects.update(seen_at=timezone.now() - timedelta(minutes=2))
    told()
    assert len(set(seen)) == len(seen)


@pytest.mark.parametrize(("ago", "words"), [(None, "Not seen yet."), (5, "Working:"), (120, "Not seen for more")])
def test_watch_page_shows_worker_state(version: Version, her: Client, ago: int | None, words: str) -> None:
    if ago is not None:
        Worker.objects.create(seen_at=timezone.now() - timedelta(seconds=ago))
    assert words in said(her)


def test_estimate_request_redirects_to_watch_page(version: Version, her: Client) -> None:
    assert her.post("/panel/survey/campus/estimate")["Location"] == PAGE
    assert "<progress" in said(her)
    assert "disabled>Estimate now" in said(her)


def test_watch_page_without_script_has_reload_link(version: Version, her: Client) -> None:
    page = said(her)
    assert f'<a href="{PAGE}">Reload this page</a>' in page[page.index("<noscript>") :]


def test_watch_page_days_as_chart_and_table(version: Version, her: Client) -> None:
    fill(get_design(version.design_id), count=24)
    assert "Responses by day" not in said(her), "nothing is counted yet"
    folding.fold(version.design_id)
    page = said(her)
    assert 'aria-labelledby="days-title days-desc"' in page
    assert page.count('<rect class="bar"') == 1
    today = timezone.now().date()
    assert f'<th scope="row">{today.day} {today:%b %Y}</th>' in page


def counted(first: tuple[int, int], last: tuple[int, int], count: int) -> DailyCount:
    return DailyCount(first_day=date(2026, *first), last_day=date(2026, *last), count=count)


def test_days_chart_merges_days_with_few_reports() -> None:
    days = days_of([counted((2, 27), (2, 27), 40), counted((2, 28), (3, 3), 10), counted((3, 4), (3, 4), 12)])
    assert days is not None
    assert [(line.days, line.reports, line.a_day) for line in days.lines] == [
        ("27 Feb 2026", "40", "40"),
        ("28 Feb 2026 to 3 Mar 2026", "10", "2.5"),
        ("4 Mar 2026", "12", "12"),
    ]
    assert "fewer than 10 responses are combined" in days.remark
    heights = [float(bar.split('height="')[1].split('"')[0]) for bar in days.picture.split("<rect")[1:]]
    widths = [float(bar.split('width="')[1].split("%")[0]) for bar in days.picture.split("<rect")[1:]]
    assert heights == [100.0, 6.2, 30.0], "as high as the reports a day"
    assert 3.9 < widths[1] / widths[0] < 4.2, "as wide as its days"
    assert days_of([]) is None
    alone = days_of([counted((3, 4), (3, 4), 12)])
    assert alone is not None
    assert alone.remark == ""


def test_survey_page_shows_newest_results_briefly(run: Run, her: Client) -> None:
    page = her.get("/panel/survey/campus/").content.decode()
    assert "Latest results" in page
    assert page.count('class="quote"') > 0
    assert "<svg" not in page[page.index("Latest results") : page.index("</section>", page.index("Latest results"))]
    assert PAGE in page


def test_screen_shows_the_code_the_tickets_and_then_the_estimates(
    her: Client, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(estimator, "wake", lambda run_id: None)
    template = topics.find("classroom")
    assert template is not None
    survey = write_survey(template.definition, team=home_team(alice))
    address = "/panel/survey/classroom/screen/"
    assert "Open the survey first" in her.get(address).content.decode()
    version = open_survey(survey)
    page = her.get(address).content.decode()
    assert 'class="qr"' in page
    assert "/s/classroom/" in page
    assert "No estimates yet" in page
    design = get_design(version.design_id)
    source = np.random.default_rng(5)
    born = (source.random(300) < 120 / 365).astype(np.int64)
    who = simulation.People(np.zeros(300, dtype=np.int64), {"born_early": born})
    simulation.store(design, who, simulation.symbols(design, who, source))
    close_survey(survey, by=alice)
    estimator.execute(estimator.request_run(version.design_id).pk)
    page = her.get(address).content.decode()
    assert "And what is known" in page
    assert "33 % is known" in page.replace("\u00a0", " ")
    assert "Show on a screen" in her.get("/panel/survey/classroom/watch/").content.decode()
