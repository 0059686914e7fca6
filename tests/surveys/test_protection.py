"""What is claimed of protection follows the total privacy loss: both sides of each bound, in every language."""

from decimal import Decimal, localcontext
from fractions import Fraction
from html import unescape
from typing import Any

import pytest
from django.conf import settings
from django.utils import translation

from collector.designs import Design
from estimator.base.protection import BOUNDS, Level, level_of, level_of_design
from surveys.rendering import claims
from surveys.rendering.own_coin.page import render_page as render_coin_page
from surveys.rendering.pages import render_page
from tests.factories import translations

LANGUAGES = [code for code, _name in settings.LANGUAGES]

SIDES = [
    ((1648, 1000), Level.LITTLE), ((1649, 1000), Level.HINT),
    ((7389, 1000), Level.HINT), ((7390, 1000), Level.STRONG),
    ((54598, 1000), Level.STRONG), ((54599, 1000), Level.WARNING),
]  # fmt: skip
"""Tickets that send a true answer and its opposite: their ratio is just below e^(1/2), e^2 and e^4, and just above."""

PROOF = {
    "en": "proves nothing",
    "de": "beweist nichts",
    "es": "no prueba nada",
    "fr": "ne prouve rien",
    "ar": "لا تثبت شيئًا",
}
CARE = {"en": "Be careful:", "de": "Vorsicht:", "es": "Cuidado:", "fr": "Attention\u00a0:", "ar": "انتبه:"}


def design(*tables: tuple[int, int], spent: str = "", language: str = "en") -> Design:
    """Yes/no questions, each with so many tickets for the true answer and for its opposite."""
    document = translations.document(language)
    question = document["items"][0]
    document["items"] = [
        question | {"key": f"q{number}", "channel": {"name": "custom", "weights": [[own, other], [other, own]]}}
        for number, (own, other) in enumerate(tables)
    ]
    waves: dict[str, Any] = {"waves": {"repeats": "fresh", "spent": spent}} if spent else {}
    return Design.of(document | waves)


@pytest.mark.parametrize(("most", "power"), zip((most for most, _level in BOUNDS), ("0.5", "2", "4"), strict=True))
def test_bounds_are_cut_off_below_power(most: Fraction, power: str) -> None:
    with localcontext() as context:
        context.prec = 60
        exact = Fraction(Decimal(power).exp())
    assert 0 < exact - most < Fraction(1, 10**30)
    assert level_of(Fraction(1)) is Level.LITTLE


@pytest.mark.parametrize(("tickets", "level"), SIDES)
def test_level_changes_at_each_bound(tickets: tuple[int, int], level: Level) -> None:
    assert level_of_design(design(tickets)) is level


def test_level_counts_all_questions_and_waves() -> None:
    assert level_of_design(design((7, 1))) is Level.HINT
    assert level_of_design(design((7, 1), (7, 1))) is Level.STRONG
    assert level_of_design(design((7, 1), (8, 1))) is Level.WARNING
    assert level_of_design(design((7, 1), (7, 1), spent="2/1")) is Level.WARNING


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("tickets", "level"), SIDES)
def test_page_claims_what_its_level_allows(language: str, tickets: tuple[int, int], level: Level) -> None:
    page = unescape(render_page(design(tickets, language=language), language).decode())
    shown = page.partition('data-part="sentences"')[0]
    with translation.override(language):
        said = {one: str(text) for one, text in claims.CLAIMS.items()}
    assert f'<p data-sentence="claim">{said[level]}</p>' in page
    assert (CARE[language] in shown) is (level is Level.WARNING), "a warning stands above the questions, unfolded"
    assert all(text not in page for one, text in said.items() if one is not level)
    assert (PROOF[language].lower() in page.lower()) is (level in (Level.LITTLE, Level.HINT))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("tickets", "level"), [((7, 5), Level.LITTLE), ((7, 1), Level.HINT), ((35, 1), Level.STRONG)])
def test_coin_page_makes_the_same_claim(language: str, tickets: tuple[int, int], level: Level) -> None:
    page = unescape(render_coin_page(design(tickets, language=language), language).decode())
    with translation.override(language):
        assert str(claims.CLAIMS[level]) in page
