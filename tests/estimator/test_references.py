"""The works that a report lists: all that its texts and its published analyses cite, in every language."""

import re

import pytest
from django.conf import settings
from django.utils import translation

from estimator.analyses import method_texts, services
from estimator.models import Analysis
from estimator.reports import report
from estimator.reports.references import WORKS, cited_in, listed
from tests.factories import background
from tests.factories.runs import run_of

TEXTS = tuple(method_texts.METHODS.values())


def cited() -> set[str]:
    return cited_in(map(str, TEXTS))


def test_each_citation_of_an_analysis_is_of_a_work() -> None:
    """An author and a year in parentheses; several are separated by semicolons."""
    found = [
        one
        for text in TEXTS
        for inside in re.findall(r"\(([^()]*)\)", str(text))
        for one in inside.split(";")
        if re.search(r"[12]\d{3}", one)
    ]
    assert len(found) > 30
    for one in found:
        assert len(cited_in([one])) == 1, one


@pytest.mark.parametrize("language", [code for code, _ in settings.LANGUAGES if code != "en"])
def test_works_are_cited_in_every_language(language: str) -> None:
    expected = cited()
    with translation.override(language):
        assert cited() == expected


def test_other_years_and_authors_are_not_cited() -> None:
    assert cited_in(["as in Warner 1965", "(Zou & Donner 2007; 1982)", "White wrote it"]) == {"warner", "zou_waves"}


def test_works_are_in_the_order_of_their_authors() -> None:
    names = [work.partition(",")[0] for work in listed(set(WORKS))]
    assert names.index("Scheers") < names.index("Šidák") < names.index("Tukey") < names.index("van den Hout")


@pytest.mark.django_db
def test_report_lists_the_works_of_its_published_analyses() -> None:
    design = background.answered()
    run = run_of(design, published=True)
    before = report.build(run).references
    fields = {"outcome": "cheated", "predictor-where_do_you_live": "yes"}
    services.keep(background.done(Analysis.Kind.REGRESSION, design, **fields), name="Who cheats", published=True)
    added = set(report.build(run).references) - set(before)
    assert {work.partition(",")[0] for work in added} == {"Blair", "Graubard", "Scheers"}
