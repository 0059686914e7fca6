"""Doubtful words of a survey: what is warned of in each language, and what is no alarm."""

import re
import time
from dataclasses import replace
from pathlib import Path

import pytest

from surveys.definition import question_advice
from surveys.definition.definitions import drawn_items, load
from surveys.definition.text_warnings import kinds, text_warnings
from tests.factories import payloads, translations

ROOT = Path(__file__).parents[2]
SHIPPED = [
    *sorted((ROOT / "surveys/definition/templates").glob("[!a]*.yaml")),
    ROOT / "surveys/definition/templates/academic-cheating.yaml",
    ROOT / "surveys/management/demo/student-life.yaml", ROOT / "surveys/management/demo/redbook-1974.yaml",
    ROOT / "docs/examples/every-kind.yaml",
]  # fmt: skip

DOUBTFUL = {
    "mail": {
        "en": ["Write to ada.love+study@cs.example.org.", "Contact ada [at] example"],
        "ar": ["راسلونا على help@example.org"],
    },
    "phone": {
        "en": ["Call 555-123-4567 now", "Ring +44 20 7946 0018"],
        "de": ["Rufen Sie 030 / 1234567 an.", "(0221) 123-4567"],
        "ar": ["اتصل على +٩٦٦ ٥٠ ١٢٣ ٤٥٦٧"],
    },
    "randomised": {
        "en": ["Your answer is not randomised.", "These are unrandomized", "sent without any randomisation"],
        "de": ["Ihre Antwort wird nicht randomisiert.", "ohne Zufall gesendet"],
        "es": ["Su respuesta no se aleatoriza.", "sin aleatorizar"],
        "fr": ["Votre réponse n'est pas randomisée.", "sans tirage"],
        "ar": ["إجابتك غير عشوائية", "بدون عشوائية"],
    },
    "anonymous": {
        "en": ["This is anonymous.", "100 % private", "strictly confidential", "anony\u00admous", "No one can trace"],
        "de": ["Die Umfrage ist anonym.", "anonyme Umfrage", "100% sicher", "streng vertraulich"],
        "es": ["Es una encuesta anónima.", "Se garantiza el anonimato", "totalmente confidencial"],
        "fr": ["Ce sondage est anonyme.", "Votre anonymat", "strictement confidentiel"],
        "ar": ["الاستبيان مجهول الهوية", "دون الكشف عن هويتك", "سرية تامة", "مَجهُول الهويّة"],
    },
    "identity": {
        "en": [
            "What is your full name?", "Please enter your student number", "your e-mail address", "your date of birth",
            "State your home address", "Write down your staff ID", "When were you born?",
        ],
        "de": ["Wie heißen Sie?", "Ihr Name", "Geben Sie Ihre Matrikelnummer an", "Ihr Geburtsdatum?", "Ihre Adresse"],
        "es": ["¿Cuál es su nombre?", "Indique su número de estudiante", "Su fecha de nacimiento", "¿Cómo se llama?"],
        "fr": ["Quel est votre nom ?", "Indiquez votre numéro d'étudiant", "votre date de naissance", "votre adresse"],
        "ar": ["ما اسمك؟", "اكتب رقمك الجامعي", "تاريخ ميلادك", "رقم هاتفك"],
    },
}  # fmt: skip

HARMLESS = [
    "Have you been to a meeting of Alcoholics Anonymous?", "Bei den Anonymen Alkoholikern?", "Alcohólicos Anónimos",
    "les Alcooliques anonymes", "Have you ever used somebody else's name?", "Do you know the name of the drug?",
    "Between 2019 and 2024", "from 10 000 to 20 000 euros", "since 01.01.2024", "on 2024-05-01", "3.5 to 4.25",
    "Your answer is randomised on your device.", "Ihre Antwort wird zufällig verändert.", "How old are you?",
    "Do you use your phone in lectures?", "How many names can you recall?",
    "Haben Sie schon unter fremdem Namen bestellt?", "¿Ha mentido en nombre de otra persona?", "au nom de la loi",
    "هل غششت في امتحان؟", "ما اسم الدواء؟", "Is there a private room?", "a secret ballot", "@home", "50 % of people",
]  # fmt: skip


def found_in(words: str, language: str = "en") -> set[str]:
    design = replace(drawn_items(payloads.definition(), version=1), introduction={language: words})
    return {one.kind for one in text_warnings(design) if one.place == "introduction"}


@pytest.mark.parametrize(
    ("kind", "language", "words"),
    [(kind, code, words) for kind, said in DOUBTFUL.items() for code, some in said.items() for words in some],
)
def test_text_warnings_find_doubtful_words(kind: str, language: str, words: str) -> None:
    assert kind in found_in(words, language)


@pytest.mark.parametrize("words", HARMLESS)
def test_text_warnings_skip_harmless_words(words: str) -> None:
    assert found_in(words) == set()


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_text_warnings_shipped_surveys_have_none(path: Path) -> None:
    definition = load(path.read_text(encoding="utf-8"))
    assert [one.in_words for one in text_warnings(drawn_items(definition, version=1))] == []


def test_text_warnings_test_survey_has_none() -> None:
    definition = translations.definition("en", "de", "es", "fr", "ar")
    assert text_warnings(drawn_items(definition, version=1)) == []


def test_every_reason_is_in_english_and_german() -> None:
    reasons = [kind.reason for kind in (*kinds(), *question_advice.kinds())]
    assert len(reasons) == 8
    assert all(set(reason) == {"en", "de"} and all(reason.values()) for reason in reasons)


def test_text_warning_names_place_language_and_reason() -> None:
    definition = payloads.definition()
    definition["items"][1]["choices"][2] = {"en": "Low, anonymously"}
    definition["strata"]["wording"] = {"en": "Your group is not randomised. Which?"}  # which is true
    (found,) = text_warnings(drawn_items(definition, version=1))
    assert (found.place, found.language, found.match) == ("items[1].choices[2]", "en", "anonymously")
    assert found.in_words.startswith("items[1].choices[2].en: “anonymously”. Nobody can promise this")


def test_text_warnings_take_linear_time() -> None:
    """A text of many almost-matches takes moments; the test hangs where one takes the square of its length or more."""
    began = time.process_time()
    found_in("مدمن" * 5_000)  # 2 s a text once, of which a file holds a dozen
    assert time.process_time() - began < 1
    for piece in ("your ", "0 1", "a.b+", "not is ", "100 % ", "enter x", "anonym "):
        assert len(found_in((piece * 20_000)[:20_000])) <= len(kinds())


def test_text_warnings_have_patterns_in_all_languages() -> None:
    source = re.findall(
        r"^([a-z]+):$|^    (en|de|es|fr|ar):", (ROOT / "surveys/definition/text_warnings.yaml").read_text(), re.M
    )
    languages: dict[str, set[str]] = {}
    for kind, language in source:
        name = kind or name if kind else name  # noqa: F821
        languages.setdefault(name, set()).update({language} - {""})
    assert all(languages[kind] == {"en", "de", "es", "fr", "ar"} for kind in ("randomised", "anonymous", "identity"))
