"""A twelve-year-old can read every state of every page that respondents see, in every language."""

import pytest

from tests.tools.page_states import states
from tests.tools.readability import INDEX, measure, syllables

EASY = {"en": 7.0, "de": 8.0, "es": 55.0, "fr": 60.0, "ar": 13.1}
"""The hardest that a state may be: a school year in English and German; "normal" on the scales of Spanish and French,
which rise with ease; in Arabic eight words of five letters.
"""
RISES_WITH_EASE = {"es", "fr"}
FOR_EXPERTS = {"experts"}
"""A fold of this name has the mathematics, and nobody needs it to answer."""

HARD = {
    "en": "Notwithstanding uncertainties concerning individual participation, respondents' contributions are "
    "irreversibly randomised by probabilistic mechanisms guaranteeing differential confidentiality.",
    "de": "Ungeachtet verbleibender Unsicherheiten hinsichtlich individueller Teilnahmebereitschaft gewährleisten "
    "wahrscheinlichkeitstheoretische Verfahren die Vertraulichkeit übermittelter Antwortinformationen.",
    "es": "No obstante las incertidumbres referentes a la participación individual, los procedimientos probabilísticos "
    "garantizan irreversiblemente la confidencialidad diferencial de las contribuciones comunicadas.",
    "fr": "Nonobstant les incertitudes relatives à la participation individuelle, les procédures probabilistes "
    "garantissent irréversiblement la confidentialité différentielle des contributions communiquées.",
    "ar": "على الرغم من الاستفسارات المتعلقة باستعدادات المشاركين الفردية، تضمن الإجراءات الاحتمالية المستخدمة سرية "
    "المعلومات المرسلة ضمانًا تفاضليًا نهائيًا لا يمكن الاستغناء عنه في الاستطلاعات المستقبلية.",
}
"""What no page may sound like."""

in_each_language = pytest.mark.parametrize("language", EASY)


def is_easy(texts: list[str], language: str) -> bool:
    index = INDEX[language](measure(texts, language))
    return index >= EASY[language] if language in RISES_WITH_EASE else index <= EASY[language]


@in_each_language
def test_every_state_of_every_page_is_easy_to_read(language: str) -> None:
    found = states(language)
    assert {"questions", "review", "sending", "sent", "failed", "refused", "discarded", "cleared"} <= set(found)
    assert {"record", "token", "coin page", "coin review", "coin sent", "sheet", "cards", "results", "closed"} <= set(
        found
    )
    hard = {state: texts for state, texts in found.items() if not is_easy(texts, language)}
    assert set(hard) <= FOR_EXPERTS, hard


@in_each_language
def test_readability_hard_text_is_found(language: str) -> None:
    assert not is_easy([HARD[language]], language)
    assert not is_easy([*states(language)["sent"][:1], HARD[language]], language), "also beside an easy one"


@pytest.mark.parametrize(
    ("language", "word", "count"),
    [
        ("en", "make", 1), ("en", "table", 2), ("en", "started", 2), ("en", "wiped", 1), ("en", "video", 3),
        ("en", "pages", 2), ("en", "question", 2), ("en", "privacy", 3), ("de", "Gerät", 2), ("de", "Zufall", 2),
        ("de", "beweist", 2), ("es", "leer", 2), ("es", "día", 2), ("es", "respuesta", 3), ("fr", "page", 1),
        ("fr", "donnent", 1), ("fr", "réponse", 2),
    ],
)  # fmt: skip
def test_syllables_of_known_words(language: str, word: str, count: int) -> None:
    assert syllables(word, language) == count


def test_readability_index_of_known_sentence() -> None:
    """Computed by hand: ten words of ten syllables; 0.39 * 10 + 11.8 * 1 - 15.59."""
    assert INDEX["en"](measure(["The cat sat on the mat and then it slept."], "en")) == pytest.approx(0.11)
