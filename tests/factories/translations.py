"""The campus survey of `payloads` in every language that the platform speaks."""

from typing import Any

from tests.factories import payloads

CODES = ("en", "de", "es", "fr", "ar")

TEXTS = {
    "Campus": ("Studium", "Campus", "Campus", "الحياة الجامعية"),
    "Two questions.": ("Zwei Fragen.", "Dos preguntas.", "Deux questions.", "سؤالان."),
    "You may leave at any time.": (
        "Sie können jederzeit abbrechen.",
        "Puede abandonar en cualquier momento.",
        "Vous pouvez arrêter à tout moment.",
        "يمكنكم التوقف في أي وقت.",
    ),
    "Which year are you in?": (
        "In welchem Jahr studieren Sie?",
        "¿En qué año está?",
        "En quelle année êtes-vous ?",
        "في أي سنة دراسية أنتم؟",
    ),
    "First year": ("Erstes Jahr", "Primer año", "Première année", "السنة الأولى"),
    "Later": ("Später", "Más adelante", "Plus tard", "بعد ذلك"),
    "Have you cheated?": (
        "Haben Sie getäuscht?",
        "¿Ha hecho trampa?",
        "Avez-vous triché ?",
        "هل سبق أن غششتم في امتحان؟",
    ),
    "How do you feel?": ("Wie geht es Ihnen?", "¿Cómo se siente?", "Comment allez-vous ?", "كيف حالكم؟"),
    "No": ("Nein", "No", "Non", "لا"),
    "Yes": ("Ja", "Sí", "Oui", "نعم"),
    "Well": ("Gut", "Bien", "Bien", "جيد"),
    "So-so": ("Geht so", "Regular", "Moyennement", "متوسط"),
    "Low": ("Schlecht", "Mal", "Mal", "سيئ"),
}


def text(english: str, code: str) -> str:
    """A text of the survey in one language."""
    return dict(zip(CODES, (english, *TEXTS[english]), strict=True))[code]


def definition(*codes: str, **changes: Any) -> dict[str, Any]:
    """The survey in these languages, the first its own."""
    return _in(payloads.definition(), codes) | {"languages": list(codes)} | changes


def document(*codes: str) -> dict[str, Any]:
    """Its frozen design."""
    return _in(payloads.document(), codes) | {"languages": list(codes)}


def _in(value: Any, codes: tuple[str, ...]) -> Any:
    if isinstance(value, list):
        return [_in(part, codes) for part in value]
    if isinstance(value, dict) and set(value) == {"en"}:
        return {code: text(value["en"], code) for code in codes}
    return {key: _in(part, codes) for key, part in value.items()} if isinstance(value, dict) else value
