"""Whatever a respondent can be shown is translated, and a translation says what its original says."""

import re
from html import unescape

import polib
import pytest
from django.conf import settings
from django.utils import translation

from bin import catalog
from bin.catalog import Shelf, Text
from collector.designs import Design
from randomized_response import forced_response
from surveys.definition.languages import PLURALS
from surveys.rendering import pages
from surveys.rendering.own_coin import page as coin
from tests.factories import translations

OTHERS = [code for code, _name in settings.LANGUAGES if code != settings.LANGUAGE_CODE]

in_each_language = pytest.mark.parametrize("language", OTHERS)
in_each_catalog = pytest.mark.parametrize(
    ("shelf", "language"), [(shelf, language) for shelf in catalog.SHELVES for language in shelf.languages]
)

PLACEHOLDER = re.compile(r"\{\w+\}|%\(\w+\)s")

SAME_IN_EVERY_LANGUAGE = re.compile(r"JavaScript|SHA-256|PDF|https|curl|sha256sum|English|Deutsch|Español|Français")


def test_catalog_finds_texts_in_branches_and_plurals() -> None:
    found = catalog.texts()
    assert len(found) > 200
    within_if = "The group you choose is sent openly, without a ticket."
    assert found[Text(within_if)] == [
        "templates/surveys/coin/_how.html",
        "templates/surveys/respond/_consequences.html",
    ]
    assert Text("{count} sends another", "{count} send another") in found
    assert found[Text("one coin", "%(count)s coins")] == ["surveys/rendering/own_coin/sentences.py"]
    assert Text("Two heads") in found
    assert Text("Do you like rain?") in found
    assert Text("You need %(needs)s, and a place where nobody can see you.") in found


@in_each_catalog
def test_every_text_is_translated(shelf: Shelf, language: str) -> None:
    missing = catalog.untranslated(catalog.catalog(language, shelf), shelf)
    assert missing == [], "run `make messages`, then translate in locale/"


@in_each_catalog
def test_catalog_compiled_equals_source(shelf: Shelf, language: str) -> None:
    compiled = catalog.path_of(language, "mo", shelf=shelf).read_bytes()
    assert compiled == catalog.catalog(language, shelf).to_binary(), "run `make messages`"


@in_each_catalog
def test_catalog_has_no_fuzzy_or_unused_entry(shelf: Shelf, language: str) -> None:
    texts = catalog.texts(shelf)
    for entry in catalog.catalog(language, shelf):
        assert not entry.fuzzy, entry.msgid
        assert Text.of(entry) in texts, f"{entry.msgid}: run `make messages`"


@in_each_catalog
def test_placeholders_survive(shelf: Shelf, language: str) -> None:
    for entry in catalog.catalog(language, shelf).translated_entries():
        if not entry.msgid_plural:
            assert placeholders(entry.msgstr) == placeholders(entry.msgid), entry.msgid
        else:
            forms = dict(zip(PLURALS[language].values(), entry.msgstr_plural.values(), strict=True))
            for number, form in forms.items():
                assert placeholders(form) in allowed(entry, number), form


def placeholders(text: str) -> list[str]:
    return sorted(set(PLACEHOLDER.findall(text)))


def allowed(entry: polib.POEntry, number: int) -> list[list[str]]:
    """A form for one number alone may leave the number out."""
    whole = placeholders(entry.msgid_plural)
    counted = [name for name in whole if "count" not in name]
    return {0: [whole, counted], 1: [placeholders(entry.msgid), counted], 2: [whole, counted]}.get(number, [whole])


def test_catalog_every_language_has_name_and_plurals() -> None:
    assert set(PLURALS) == {code for code, _name in settings.LANGUAGES}
    assert {path.name for path in catalog.RESPONDENTS.folder.iterdir() if path.is_dir()} == set(OTHERS)
    for language in OTHERS:
        of = catalog.catalog(language)
        assert of.metadata["Language"] == language
        assert len(catalog.plural_forms(of)) == len(PLURALS[language])


@pytest.mark.parametrize(
    ("shelf", "language"),
    [(shelf, code) for shelf in catalog.SHELVES if shelf is not catalog.SCRIPTS for code in shelf.languages],
)
def test_catalog_overrides_django_texts(shelf: Shelf, language: str) -> None:
    """Django and its admin bring catalogs of their own, with words like "Yes"; scripts are given one catalog alone."""
    with translation.override(language):
        for entry in catalog.catalog(language, shelf):
            if not entry.msgid_plural and entry.msgstr:
                asked = (entry.msgctxt, entry.msgid) if entry.msgctxt else (entry.msgid,)
                assert (translation.pgettext if entry.msgctxt else translation.gettext)(*asked) == entry.msgstr


@pytest.mark.parametrize("page", ["answer", "closed", "coin", "sent"])
def test_arabic_pages_have_no_english_word(page: str) -> None:
    """Also none that is written into a template without being given to the translators."""
    document = translations.document("ar", "en")
    design = Design.of(document)
    rendered = {
        "answer": lambda: pages.render_page(design, "ar", with_coin=True),
        "closed": lambda: pages.render_closed(design, "ar"),
        "coin": lambda: coin.render_page(design, "ar"),
        "sent": lambda: coin.render_sent(design, "ar", birthdays=False),
    }[page]().decode()
    body = rendered.partition("<body>")[2].replace(design.canonical.decode(), "")
    body = re.sub(r'<div hidden data-part="design">.*?</div>|<code.*?</code>', "", body, flags=re.DOTALL)
    labels = " ".join(re.findall(r'aria-label="([^"]*)"', body))
    words = re.sub(r"\{\w+\}", "", unescape(re.sub(r"<[^>]+>", " ", body) + labels))
    assert re.findall(r"[A-Za-z]{2,}", SAME_IN_EVERY_LANGUAGE.sub("", words)) == []
    assert len(re.findall(r"[\u0600-\u06ff]{2,}", words)) > 10


def test_texts_say_changed_answer_makes_result_wrong() -> None:
    """It does: by a coin's toss Yes is sent of 70 of 100 whose answer is Yes, and of 30 of those who say No instead.

    What is true of both is that the result is wrong then, and that nobody can see it.
    """
    weights = forced_response(truth="2/5").weights
    assert [answer[1] / sum(answer) for answer in (weights[1], weights[0])] == [0.7, 0.3]
    said = [text.singular for text in catalog.texts()]
    assert [text for text in said if "protect you more" in text] == []
    assert (
        len([text for text in said if re.search("the result (?:is )?wrong, and nobody can (?:tell|see it).$", text)])
        == 3
    )
