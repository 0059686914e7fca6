"""A survey with background questions in the panel: rehearsed, opened, watched, closed, reported."""

import gzip
import math

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from collector.designs.selectors import get_design
from estimator.models import KnownShare
from estimator.runs import results
from estimator.runs import services as estimator
from surveys.accounts.teams import home_team
from surveys.lifecycle.services import close_survey, write_survey
from surveys.models import Rehearsal, Survey, Version
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


def test_pages_of_a_draft_name_the_questions(her: Client, survey: Survey) -> None:
    for name in ("survey", "survey-plan", "rehearse", "opening", "edit"):
        shown(her, name)
    assert her.get(reverse("panel:dossier", args=["campus"])).content.startswith(b"%PDF")
    assert "Where do you live?" in shown(her, "preview-page")


def test_rehearsal_knows_the_truth_by_answer(her: Client, survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rehearsals, "wake", lambda number: None)
    said = {"respondents": 1000, "shares": {"cheated": [0.7, 0.3]}}
    asked = rehearsals.request_rehearsal(survey, said, repetitions=2, seed=3)
    rehearsals.execute(asked.pk, seconds=math.inf)
    asked.refresh_from_db()
    assert asked.state == Rehearsal.State.DONE
    page = shown(her, "rehearsal", asked.number)
    assert "Where do you live? North" in page


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
