"""What pictures of the page say of its tables equals what the browser tests expect of the page itself."""

import pytest

from collector.designs import Design
from estimator.base.languages import activated
from surveys.rendering import page_sentences
from surveys.rendering.page_sentences import Phrases, Sentences
from surveys.rendering.pages import render_page
from tests.browser import chance
from tests.browser.expected_texts import Told, opening, sentences_of, sums
from tests.factories import kinds


def phrases_of(document: dict[str, object], language: str = "en") -> list[Phrases]:
    design = Design.of(document)
    sentences = Sentences(sentences_of(render_page(design, language)), rtl=language == "ar")
    return [Phrases(item, language, sentences) for item in design.items]


SEEDS = (0, 1, 2, 3, 4, 6, 15, 24, 33, 35, 40)
"""Between them every shape, as in `tests/browser/test_explanations.py`; `make test-long` takes the others."""


@pytest.mark.parametrize(
    "seed", [seed if seed in SEEDS else pytest.param(seed, marks=pytest.mark.long) for seed in range(50)]
)
def test_phrases_of_random_designs_equal_those_of_the_page(seed: int) -> None:
    document = chance.design(seed)
    phrases = phrases_of(document)
    told = [Told(item, sentences_of(render_page(Design.of(document)))) for item in document["items"]]
    assert page_sentences.opening(phrases) == opening(told)
    items = [one.item for one in phrases]
    assert page_sentences.sums(items, phrases[0].sentences) == sums(told)
    for one, other in zip(phrases, told, strict=True):
        assert one.shape == other.manner
        assert one.say("tickets") == other.say("tickets")
        assert one.say("leaves") == other.say("leaves")
        assert one.odds() == other.odds()[:-4], "without the two pictures, each with a title and a caption"
        box = one.tickets()
        names = [entry["name"] for entry in (*box["strips"], *box["bars"])]  # type: ignore[misc]
        assert all(name in other.box(brief=True) for name in names if name)
        if box["strips"]:
            strips = [(name, own) for name, own, _title in other.strips(brief=True)]
            assert [(entry["name"], entry["own"]) for entry in box["strips"]] == strips  # type: ignore[attr-defined]


def test_phrases_note_what_may_be_answered() -> None:
    notes = {one.item.key: one.note() for one in phrases_of(kinds.document())}
    assert notes["habits"] == "Tick at most 2."
    assert notes["drinks"] == "A number from 0 to 40, in steps of 1."
    assert notes["hours"] == "A number from 0 to 10, in steps of 0.5."
    assert notes["smokes"] == ""


@pytest.mark.parametrize(
    ("language", "number", "written"),
    [("en", 1234567, "1,234,567"), ("de", 1234567, "1.234.567"), ("es", 1234, "1234"), ("es", 12345, "12.345"),
     ("fr", 1234, "1\u202f234"), ("ar", 1234, "1,234")],
)  # fmt: skip
def test_sentences_write_numbers_in_the_language(language: str, number: int, written: str) -> None:
    with activated(language, ("en", "de", "es", "fr", "ar")):
        assert Sentences({"all": "{number}"}, rtl=language == "ar").say("all", {"number": number}) == written


def test_sentences_choose_the_plural_form_of_the_language() -> None:
    forms = {f"days.{name}": name for name in ("zero", "one", "two", "few", "many", "other")}
    with activated("ar", ("en", "ar")):
        said = [Sentences(forms, rtl=True).say("days", {"count": count}) for count in (0, 1, 2, 3, 11, 100)]
    assert said == ["zero", "one", "two", "few", "many", "other"]


def test_sentences_isolate_words_within_arabic() -> None:
    assert Sentences({"sent": "{answer}"}, rtl=True).say("sent", {"answer": "Yes"}) == "\u2066Yes\u2069"
    assert Sentences({"sent": "{answer}"}, rtl=True).say("sent", {"answer": "نعم"}) == "\u2067نعم\u2069"
