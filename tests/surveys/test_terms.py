"""Translations of what respondents read keep to the table of terms, and every number to its plural forms."""

import re
from collections.abc import Iterator

import pytest
import yaml
from django.conf import settings

from bin import catalog
from surveys.definition.languages import PLURALS

TERMS = yaml.safe_load((catalog.RESPONDENTS.folder / "terms.yaml").read_text(encoding="utf-8"))
OTHERS = [code for code, _name in settings.LANGUAGES if code != "en"]
PLACEHOLDER = re.compile(r"\{\w+\}|%\(\w+\)s")
NOT_RESPONDENTS = ("surveys/planning/",)
"""What ethics boards and researchers read has words of its own."""

in_each_language = pytest.mark.parametrize("language", OTHERS)


def of_respondents() -> dict[catalog.Text, list[str]]:
    found = catalog.texts()
    return {
        text: places for text, places in found.items() if not all(one.startswith(NOT_RESPONDENTS) for one in places)
    }


def pairs(language: str) -> Iterator[tuple[str, list[str]]]:
    """Each English text that respondents read, and its translations: several where it counts."""
    texts = of_respondents()
    for entry in catalog.catalog(language):
        if catalog.Text(entry.msgid, entry.msgid_plural) in texts:
            forms = list(entry.msgstr_plural.values()) if entry.msgid_plural else [entry.msgstr]
            yield entry.msgid_plural or entry.msgid, forms


def test_terms_have_every_language() -> None:
    assert all(set(words) == set(OTHERS) for words in TERMS["terms"].values())
    assert set(TERMS["never"]) == {"en", *OTHERS}


@in_each_language
def test_translations_use_the_terms(language: str) -> None:
    wrong = [
        (term, form)
        for english, forms in pairs(language)
        for term, words in TERMS["terms"].items()
        if re.search(rf"\b{re.escape(term)}", PLACEHOLDER.sub("", english), re.IGNORECASE)
        for form in forms
        if not re.search(words[language], form, re.IGNORECASE)
    ]
    assert wrong == []


@in_each_language
def test_translations_have_no_forbidden_word(language: str) -> None:
    said = [form for _english, forms in pairs(language) for form in forms]
    assert forbidden(said, language) == []


def test_english_texts_have_no_forbidden_word() -> None:
    assert forbidden([form for text in of_respondents() for form in (text.singular, text.plural)], "en") == []


def test_forbidden_words_are_found() -> None:
    wrong = {
        "en": "Whoever has her report knows epsilon 3.",
        "de": "Das ist dein Gerät.",
        "es": "Tu respuesta llegó.",
        "fr": "Voici ton rapport.",
        "ar": "وصلت إجابتكم.",
    }
    assert all(forbidden([text], language) for language, text in wrong.items())


def forbidden(texts: list[str], language: str) -> list[tuple[str, str]]:
    return [
        (word, text)
        for text in texts
        for word in TERMS["never"][language]
        if re.search(word, PLACEHOLDER.sub("", text), re.IGNORECASE)
    ]


@in_each_language
def test_every_plural_has_all_forms_of_its_language(language: str) -> None:
    counted = [entry for entry in catalog.catalog(language) if entry.msgid_plural]
    assert len(counted) > 15
    for entry in counted:
        forms = list(entry.msgstr_plural.values())
        assert len(forms) == len(PLURALS[language])
        assert all(form.strip() for form in forms), entry.msgid
        if language == "ar":
            zero, one, two, few, many, other = forms
            assert len({zero, one, two, few}) == 4, f"{entry.msgid}: none, one, two and a few are worded apart"
            number = re.search(r"\{count\}|%\(count\)s", entry.msgid_plural)
            assert not number or all(number[0] in form for form in (few, many, other)), entry.msgid
