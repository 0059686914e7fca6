"""Before the first question stand at most sixty words of ours, in every language, whatever kind of question it is."""

import re
from html import unescape
from typing import Any

import pytest

from collector.designs import Design
from estimator.base.languages import activated
from surveys.rendering.page_sentences import Phrases, Sentences, opening
from surveys.rendering.pages import render_page
from tests.browser.expected_texts import sentences_of
from tests.factories import kinds
from tests.tools.gate import few
from tests.tools.page_states import in_language

LANGUAGES = ("en", "de", "es", "fr", "ar")
MOST = 60
WARNING = 6
"""Words that a warning may add."""


def first(item: dict[str, Any]) -> dict[str, Any]:
    """A design that begins with this question and has another one."""
    other = next(one for one in kinds.items() if one["key"] != item["key"])
    dropped = ("section", "asked_if", "unasked")
    items = [{name: value for name, value in one.items() if name not in dropped} for one in (item, other)]
    document = kinds.document(items=items, consent={"en": "Leave when you like."})
    document.pop("sections")
    return document


def promised(design: Design, language: str) -> str:
    """What is read before a fold is opened; an answer counts as one word, however its author words it."""
    page = render_page(design, language)
    promise = page.decode().partition('<section class="promise"')[2].partition("</section>")[0]
    folded = re.sub(r'<div class="fold-body".*?</details>', "", f"<{promise}", flags=re.DOTALL)
    phrases = [Phrases(item, language, Sentences(sentences_of(page), rtl=False)) for item in design.items]
    box = phrases[0].tickets()
    names = [part["name"] for kind in ("strips", "bars") for part in box[kind]]  # type: ignore[attr-defined]
    words = " ".join([unescape(re.sub(r"<[^>]+>", " ", folded)), opening(phrases), *names])
    return re.sub("[“«„][^”»“]*[”»“]", "“…”", words)


@pytest.mark.parametrize("language", few(LANGUAGES))
def test_promise_has_at_most_sixty_words_in_every_language(language: str) -> None:
    for item in kinds.items():
        design = Design.of(in_language(first(item), language))
        with activated(language, LANGUAGES):
            said = promised(design, language)
        most = MOST + WARNING * ('class="honest"' in render_page(design, language).decode().partition("picture")[0])
        assert 30 < len(said.split()) <= most, (item["key"], said)
