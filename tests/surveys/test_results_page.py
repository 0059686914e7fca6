"""What respondents find once a survey is closed: the final estimates, if its owner lets them, alike for everybody."""

import gzip
import re
from html import unescape

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import translation

from collector.designs.selectors import get_design
from config.middleware import RESPONDENT_POLICY
from estimator.base.verdict import Verdict
from estimator.runs import services as estimator
from estimator.runs.results import QuestionResults
from surveys.accounts.teams import home_team
from surveys.lifecycle import services
from surveys.models import Survey, Version
from surveys.opening.services import open_survey
from surveys.rendering import results_page
from tests.factories import kinds, payloads, simulation, translations
from tests.factories.runs import fill
from tests.factories.surveys import open_document
from tests.tools.gate import few

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimator, "wake", lambda run_id: None)


@pytest.fixture
def spoken(alice: User) -> Version:
    """The survey in every language."""
    definition = translations.definition(*translations.CODES)
    return open_survey(services.write_survey(definition, team=home_team(alice)))


def finish(version: Version, *, shown: bool = True, count: int = 90, first: int = 75) -> None:
    """Reports come in, the survey closes, its final estimate is made. Of the later years there are few."""
    fill(get_design(version.design_id), count=count, first=first)
    services.show_results(version.survey, shown=shown)
    estimator.execute(services.close_survey(version.survey).pk)


def text_of(address: str = "/s/campus/") -> str:
    response = Client().get(address)
    assert response.status_code == 200
    body = response.content.decode().partition("<body>")[2]
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", body)).replace("\u00a0", " ").split())


def test_results_page_shows_estimates_with_intervals(version: Version) -> None:
    finish(version)
    said = text_of()
    assert "It counts 90 responses." in said
    assert "1. Have you cheated?" in said
    assert re.search(r"Yes 83 % \d+ – \d+ %", said), said
    assert "How chance helped" in said
    assert "Of 100 such bars, about 95 hold the true number" in said
    assert re.search(r"Later Yes \d+ % \d+ – \d+ %", said), said


def test_results_page_shown_only_if_owner_allows(version: Version) -> None:
    finish(version, shown=False)
    assert 'data-now="closed"' in Client().get("/s/campus/").content.decode()
    assert "%" not in text_of()
    services.show_results(version.survey, shown=True)
    assert "83 %" in text_of()
    services.show_results(version.survey, shown=False)
    assert "%" not in text_of()


def test_results_page_open_or_not_computed_is_empty(version: Version) -> None:
    services.show_results(version.survey, shown=True)
    fill(get_design(version.design_id))
    running = estimator.request_run(version.design_id)
    estimator.execute(running.pk)
    assert "83 %" not in text_of()
    services.close_survey(version.survey)
    assert 'data-now="closed"' in Client().get("/s/campus/").content.decode()
    assert "%" not in text_of(), "the estimate that was made before is not the final one"


def test_results_page_below_minimum_has_no_number(version: Version) -> None:
    finish(version, count=9)
    said = text_of()
    assert not re.search(r"\d – \d", said)
    assert said.count("Too few responses for an estimate") >= 4


@pytest.mark.parametrize(("verdict", "wide"), [(Verdict.TOO_IMPRECISE, True), (Verdict.ROUGH, False)])
def test_results_page_imprecise_estimate_is_explained(
    version: Version, monkeypatch: pytest.MonkeyPatch, verdict: Verdict, wide: bool
) -> None:
    monkeypatch.setattr(QuestionResults, "verdict", lambda self, estimate: verdict)
    finish(version)
    said = text_of()
    assert re.search(r"\d – \d", said), "the table has the band all the same"
    assert ("Where a range is very wide, there are too few responses to tell." in said) is wide


def test_results_page_same_bytes_without_cookie_or_script(version: Version) -> None:
    finish(version)
    seen = set()
    for number in range(6):
        client = Client()
        client.cookies["sessionid"] = str(number)
        response = client.get("/s/campus/", {"n": number}, headers={"accept-language": "de", "user-agent": str(number)})
        assert not response.cookies
        assert response["Content-Security-Policy"] == RESPONDENT_POLICY
        seen.add(response.content)
    results_page.rendered.cache_clear()
    packed = Client().get("/s/campus/", headers={"accept-encoding": "gzip"}).content
    assert {*seen, gzip.decompress(packed)} == {page := next(iter(seen))}
    assert b"<script" not in page
    assert b"style=" not in page


@pytest.mark.parametrize(
    ("language", "words"),
    few(
        [
            ("de", ("Haben Sie getäuscht?", "Alle, die teilgenommen haben", "Gezählte randomisierte Antworten: 1.020")),
            ("es", ("¿Ha hecho trampa?", "Resultados de esta encuesta", "Sí")),
            ("fr", ("Avez-vous triché ?", "Résultats de cette enquête", "Oui")),
            ("ar", ("هل سبق أن غششتم في امتحان؟", "نتائج هذا الاستبيان", "نعم")),
        ]
    ),
)
def test_results_page_in_languages_of_the_survey(spoken: Version, language: str, words: tuple[str, ...]) -> None:
    finish(spoken, count=1020, first=600)
    said = text_of(f"/s/campus/{language}/")
    assert all(word in said for word in words), said
    left = re.findall(r"[A-Za-z]{2,}", re.sub("English|Deutsch|Español|Français", "", said))
    assert language != "ar" or left == [], "no English word is left on an Arabic page"


def test_results_page_numbers_follow_the_language() -> None:
    for language, written in (("en", "-1,234.50 0.0"), ("de", "-1.234,50 0,0"), ("fr", "-1\xa0234,50 0,0")):
        with translation.override(language):
            assert f"{results_page._number(-1234.5, 2)} {results_page._number(-0.01, 1)}" == written


def test_results_page_every_kind_of_question(alice: User) -> None:
    version = open_document(kinds.document(), alice)
    design, generator = get_design(version.design_id), np.random.default_rng(8)
    who = simulation.people(design, 200, generator)
    simulation.store(design, who, simulation.symbols(design, who, generator))
    Survey.objects.update(results_shown=True)
    estimator.execute(services.close_survey(version.survey).pk)
    said = text_of("/s/kinds/")
    for item in design.document["items"]:
        assert item["wording"]["en"] in said
    assert "Not everyone got this question. Those who did not count as" in said
    assert "People could tick more than one answer" in said
    assert "Average" in said
    assert "nan" not in said.lower().split()
    worry = said.partition("Question about worry?")[2].partition("Question about drinks?")[0]
    assert "Average" in worry
    assert not re.search(r"\d %", worry), "of a scale with discrete Laplace noise there are no shares"


@pytest.mark.parametrize("share", [None, "1/2"])
def test_results_page_names_population_of_interval(alice: User, share: str | None) -> None:
    document = payloads.document()
    for group in document["strata"]["groups"]:
        group["share"] = share
    finish(open_document(document, alice))
    said = text_of()
    of_all = "For all groups together, the true number and the estimate are weighted by the known group sizes."
    assert (of_all in said) == ("Everyone who took part: weighted by the known group sizes." in said) == bool(share)
