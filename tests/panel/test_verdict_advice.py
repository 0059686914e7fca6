"""What an author is asked for each verdict on the precision to expect: only "too imprecise" asks for anything."""

import pytest
from django.test import Client

from surveys.lifecycle import selectors
from surveys.models import Survey
from surveys.panel.editor.problems import problems_of
from surveys.planning.checklist import checklist
from surveys.planning.draft_prices import price_of
from tests.panel.pages import digest_shown, html_of, outcome

pytestmark = pytest.mark.django_db

VERDICTS = pytest.mark.parametrize(
    ("truth", "verdict"), [("1/2", "usable"), ("1/4", "rough"), ("1/50", "too_imprecise")]
)
"""Of a yes/no question by two coins, with the 1,000 responses that are expected where nothing is known."""


@VERDICTS
def test_only_too_imprecise_question_is_advised_on(survey: Survey, truth: str, verdict: str) -> None:
    """To dismiss advice takes a reason; a rough estimate has its verdict beside its price, and no more."""
    survey.items.filter(key="cheated").update(truth=truth)
    definition = selectors.definition_of(survey)
    assert price_of(definition["items"], 1_000).questions["cheated"].verdict == verdict
    found = [one for one in problems_of(survey, definition) if "too imprecise" in one.text]
    places = [(one.level, one.path) for one in found]
    assert places == [("advice", ("items", "cheated", "channel"))] * (verdict == "too_imprecise")


@pytest.mark.long
@VERDICTS
def test_opening_needs_no_reason_for_its_verdicts(survey: Survey, her: Client, truth: str, verdict: str) -> None:
    """The list before opening names what is too imprecise; the verdict itself never keeps a survey from opening."""
    survey.items.filter(key="cheated").update(truth=truth)
    design = selectors.design_to_open(survey)[0]
    (precision,) = [one for one in checklist(survey, design, 1_000) if one.name == "precision"]
    assert precision.done == (verdict != "too_imprecise")
    assert 'name="reason"' not in html_of(her, "opening", "campus")
    assert outcome(her, "opening", "campus", digest=digest_shown(her), opens="now") == "success"
