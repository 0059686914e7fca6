"""A survey with background questions in the panel: rehearsed, opened, watched, closed, reported."""

import gzip
import math
import re

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from collector.designs.selectors import get_design
from estimator.analyses import services as analyses
from estimator.models import Analysis, KnownShare
from estimator.runs import results
from estimator.runs import services as estimator
from surveys.accounts.teams import home_team
from surveys.lifecycle.services import close_survey, write_survey
from surveys.models import AuditEntry, Rehearsal, Survey, Version
from surveys.opening.services import open_survey
from surveys.planning.rehearsals import services as rehearsals
from surveys.rendering import pages
from tests.factories import background, simulation

pytestmark = pytest.mark.django_db


@pytest.fixture
def survey(alice: User) -> Survey:
    questions = (background.REGION, background.AGE, background.GENDER)
    return write_survey(background.definition(*questions, expected=1000), team=home_team(alice))


def shown(her: Client, name: str, *more: object) -> str:
    page = her.get(reverse(f"panel:{name}", args=["campus", *more]), follow=True)
    assert page.status_code == 200, name
    return page.content.decode()


def filled(version: Version, n: int = 1000) -> None:
    design = get_design(version.design_id)
    random = np.random.default_rng(3)
    shares = [float(design.background.expected_share(cell)) for cell in range(len(design.strata))]
    people = simulation.People(
        random.choice(len(shares), size=n, p=shares),
        {"cheated": random.choice(2, size=n), "mood": random.choice(3, size=n)},
    )
    simulation.store(design, people, simulation.symbols(design, people, random))


@pytest.mark.long
def test_pages_of_a_draft_name_the_questions(her: Client, survey: Survey) -> None:
    for name in ("survey", "survey-plan", "rehearse", "opening", "edit"):
        shown(her, name)
    assert her.get(reverse("panel:dossier", args=["campus"])).content.startswith(b"%PDF")
    assert "Where do you live?" in shown(her, "preview-page")


@pytest.mark.long
def test_rehearsal_knows_the_truth_by_answer(her: Client, survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rehearsals, "wake", lambda number: None)
    said = {"respondents": 1000, "shares": {"cheated": [0.7, 0.3]}}
    asked = rehearsals.request_rehearsal(survey, said, repetitions=2, seed=3)
    rehearsals.execute(asked.pk, seconds=math.inf)
    asked.refresh_from_db()
    assert asked.state == Rehearsal.State.DONE
    page = shown(her, "rehearsal", asked.number)
    assert re.search(r"By group: \d+ of \d+ intervals contained the true value", page)
    tables = page.split("<summary>By group:")[1].split("</table>")[0]
    assert tables.count("Where do you live?") == 1, "the heading of its answers"
    assert ">North</td>" in tables
    assert ">All</td>" not in page


def test_pages_before_opening_say_what_is_sent_openly(her: Client, survey: Survey) -> None:
    written = shown(her, "survey")
    for question in (background.REGION, background.AGE, background.GENDER):
        assert question["wording"] in written
    assert "North · South" in written
    opening = shown(her, "opening")
    assert "3 questions sent openly, without a ticket" in opening
    cells = len(get_design(open_survey(survey).design_id).background.cells)
    assert f"one of {cells} combinations of answers. Each is made for at least 10 of 1,000 expected" in opening
    assert "Background questions, and which combinations of their answers are sent" in opening
    assert "Of each response also what is sent openly." in opening
    assert "Groups and their shares" not in opening
    frozen = shown(her, "opening").split('id="field-frozen"')[1]
    assert frozen.index("Where do you live?") < frozen.index("with their tables")


def test_open_survey_tells_nothing_by_cell_and_a_closed_one_by_answer(her: Client, survey: Survey) -> None:
    version = open_survey(survey)
    filled(version)
    run = estimator.execute(estimator.request_run(version.design_id).pk)
    assert {estimate.stratum for estimate in run.estimates.all()} == {None}
    for name in ("survey", "survey-watch", "share", "survey-analyse", "export", "paper"):
        shown(her, name)
    close_survey(survey)
    her.post(reverse("panel:finish-closing", args=["campus"]))
    final = estimator.execute(estimator.request_run(version.design_id).pk)
    read = results.read(final)
    assert "Where do you live? North" in {cell.group for cell in read.items[0].cells}
    report = her.get(reverse("panel:report", args=[final.key])).content.decode()
    assert "How old are you? 30–44" in report
    assert "Background questions" in report
    assert KnownShare.objects.count() == 0


def test_page_stays_small_with_two_thousand_cells() -> None:
    """What the cells add to what is sent, packed as a server packs it: the whole page may weigh 100 kB."""
    many = background.design(*background.SIX, expected=1_000_000)
    few = background.design(*background.SIX[:2], expected=1000)
    packed = [len(gzip.compress(pages.render_page(design), 9)) for design in (many, few)]
    assert packed[0] - packed[1] < 10_000


def asked(her: Client, **fields: object) -> str:
    """The page after an analysis is requested."""
    return her.post(reverse("panel:survey-analyse", args=["campus"]), fields, follow=True).content.decode()


def test_shares_are_uploaded_or_refused_with_what_was_entered(
    her: Client, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analyses, "wake", lambda number: None)
    filled(open_survey(survey))
    close_survey(survey, by=survey.team.memberships.get().user)
    table = "Question;Answer;Share\nWhere do you live?;North;25\nWhere do you live?;South;25\n"
    refused = asked(her, kind="weighting", item="cheated", table=table, **{"share-how_old_are_you-1": "7"})
    assert "must sum to 100 % (or 1), or be numbers of people; they sum to 50" in refused
    assert "Where do you live?;South;25" in refused
    assert 'value="7"' in refused
    latin = SimpleUploadedFile("shares.csv", "Köln".encode("latin-1"))
    assert "must be text in UTF-8" in asked(her, kind="weighting", item="cheated", table_file=latin)
    large = SimpleUploadedFile("shares.csv", b"x" * 100_001)
    assert "at most 100000 bytes; it has 100001" in asked(her, kind="weighting", item="cheated", table_file=large)
    assert not Analysis.objects.exists()
    whole = SimpleUploadedFile("shares.csv", f"\ufeff{table}where_do_you_live;3;50".encode())
    assert "Waiting for a worker" in asked(her, kind="weighting", item="cheated", table_file=whole, name="Census")
    (found,) = Analysis.objects.all()
    assert found.name == "Census"
    assert found.parameters["margins"] == {"where_do_you_live": {"1": "1/4", "2": "1/4", "3": "1/2"}}


def test_analysis_is_named_in_the_panel_and_by_the_api(
    her: Client, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analyses, "wake", lambda number: None)
    filled(open_survey(survey))
    asked(her, kind="comparison", quantity="cheated:1", against="pairs:where_do_you_live")
    (found,) = Analysis.objects.all()
    her.post(reverse("panel:analysis-name", args=[found.key]), {"name": "Regions"})
    assert "Regions" in shown(her, "survey-analyse")
    address = reverse("api:analysis", args=[found.key])
    answer = her.patch(address, {"name": "By region"}, content_type="application/json")
    assert (answer.status_code, answer.json()["name"]) == (200, "By region")
    refused = her.patch(address, {"published": True}, content_type="application/json")
    assert refused.status_code == 422
    analyses.execute(found.pk)
    assert her.patch(address, {"published": True}, content_type="application/json").status_code == 422  # open
    assert not Analysis.objects.get().published


@pytest.mark.long
def test_report_shows_published_analyses(her: Client, survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analyses, "wake", lambda number: None)
    monkeypatch.setattr(estimator, "wake", lambda number: None)
    version = open_survey(survey)
    filled(version)
    close_survey(survey, by=survey.team.memberships.get().user)
    run = estimator.execute(estimator.request_run(version.design_id).pk)
    asked(her, kind="regression", outcome="cheated", prior="yes", **{"predictor-where_do_you_live": "yes"})
    asked(her, kind="weighting", item="cheated", **{f"share-where_do_you_live-{k}": "25" for k in range(1, 5)})
    for found in Analysis.objects.all():
        analyses.execute(found.pk)
        assert "Further analyses" not in shown_report(her, run.key)
        her.post(reverse("panel:analysis-name", args=[found.key]), {"name": f"A {found.kind}", "published": "yes"})
        her.post(reverse("panel:analysis-name", args=[found.key]), {"name": f"A {found.kind}"})
    assert "Further analyses" not in shown_report(her, run.key)
    Analysis.objects.update(published=True)
    page = shown_report(her, run.key)
    for words in (
        "Further analyses",
        "A regression",
        "A weighting",
        "Odds ratios of “Yes”",
        "In a population with these",
    ):
        assert words in page
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    for language, words in (
        ("de", "In einer Bevölkerung mit diesen Anteilen"),
        ("es", "En una población con estas proporciones"),
        ("fr", "Dans une population avec ces proportions"),
        ("ar", "في مجتمع بهذه النسب"),
    ):
        spoken = her.get(reverse("panel:report", args=[run.key]), {"language": language}).content.decode()
        assert words in spoken
        assert "In a population with these" not in spoken
    Analysis.objects.update(name="")
    spanish = her.get(reverse("panel:report", args=[run.key]), {"language": "es"}).content.decode()
    assert "Regresión sobre grupos" in spanish
    pdf = her.get(reverse("panel:report-pdf", args=[run.key]))
    assert pdf.content.startswith(b"%PDF")
    acts = [entry.act for entry in AuditEntry.objects.filter(act__contains="an analysis").order_by("pk")]
    assert acts.count("published an analysis") == acts.count("withdrew an analysis") == 2


def shown_report(her: Client, key: str) -> str:
    page = her.get(reverse("panel:report", args=[key]))
    assert page.status_code == 200
    return page.content.decode()
