"""Advice on the wording of questions: what is advised in each language, and what is none."""

from pathlib import Path
from typing import Any

import pytest

from surveys.definition.definitions import complete, load
from surveys.definition.question_advice import lix, question_advice

TEMPLATES = sorted(set(Path("surveys/definition/templates").glob("*-*.yaml")))

ADVISED = [
    ("double-barrelled", "en", "Are you satisfied with your pay and your hours?"),
    ("double-barrelled", "en", "Have you cheated? Would you again?"),
    ("double-barrelled", "de", "Sind Sie mit Lohn und Arbeitszeit zufrieden?"),
    ("double-barrelled", "es", "¿Está satisfecho con su sueldo y su horario?"),
    ("double-barrelled", "fr", "Êtes-vous content de votre salaire et de vos horaires ?"),
    ("double-barrelled", "ar", "هل غششت؟ وهل ستكرر ذلك؟"),
    ("leading", "en", "Don’t you think that drugs are dangerous?"),
    ("leading", "en", "Surely you have paid all of your taxes?"),
    ("leading", "de", "Finden Sie nicht auch, dass Drogen gefährlich sind?"),
    ("leading", "es", "¿No cree que las drogas son peligrosas?"),
    ("leading", "fr", "Ne pensez-vous pas que la drogue est dangereuse ?"),
    ("leading", "ar", "ألا تعتقد أن المخدرات خطيرة؟"),
    ("negated", "en", "Have you never cheated in an exam?"),
    ("negated", "de", "Haben Sie nie betrogen?"),
    ("too long", "en", "Is it so that you " + "really " * 30 + "did?"),
    (
        "hard to read",
        "en",
        "Considering your institutional responsibilities regarding the confidentiality, would your participation in "
        "clandestine pharmaceutical experimentation constitute unacceptable professional misconduct in hospitals?",
    ),
]
PLAIN = [
    ("en", "Have you ever cheated in an exam?"),
    ("en", "Was it between 2020 and 2023?"),
    ("en", "Do you ever drink and drive?"),
    ("de", "Haben Sie in einer Prüfung betrogen?"),
    ("de", "Trinken Sie ab und zu Alkohol?"),
    ("es", "¿Ha copiado alguna vez en un examen?"),
    ("fr", "Avez-vous déjà triché à un examen ?"),
    ("ar", "هل غششت في امتحان؟"),
    ("xx", "Surely and obviously?"),
]


def advice_on(language: str, wording: str) -> list[str]:
    item: Any = {"key": "q", "kind": "yes_no", "wording": {language: wording}}
    return [one.kind for one in question_advice(complete({"slug": "s", "languages": [language], "items": [item]}))]


@pytest.mark.parametrize(("kind", "language", "wording"), ADVISED)
def test_question_that_could_be_asked_better_is_advised_on(kind: str, language: str, wording: str) -> None:
    assert kind in advice_on(language, wording)


@pytest.mark.parametrize(("language", "wording"), PLAIN)
def test_plain_question_gets_no_advice(language: str, wording: str) -> None:
    assert advice_on(language, wording) == []


def test_scale_of_two_things_is_advised_on_but_not_a_list() -> None:
    item: Any = {"key": "q", "wording": "How often beer and wine?", "choices": ["Never", "Often"]}
    for kind, kinds in (("scale", ["double-barrelled"]), ("several_choices", [])):
        channel = {"name": "k_ary" if kind == "scale" else "forced_response", "truth": "1/2"}
        made = complete({"slug": "s", "items": [item | {"kind": kind, "channel": channel}]})
        assert [one.kind for one in question_advice(made)] == kinds


def test_lix_is_that_of_its_definition() -> None:
    """Björnsson 1968: words a sentence, and the per cent of words with more than six letters."""
    assert lix("Consider the question. It has one difficult word.") == pytest.approx(8 / 2 + 100 * 3 / 8)
    assert lix("One two three.") == 3


def test_templates_get_little_advice() -> None:
    """What we ship is worded with care: at most one question in eight has advice."""
    found = {path.name: list(question_advice(load(path.read_text()))) for path in TEMPLATES}
    questions = sum(len(load(path.read_text())["items"]) for path in TEMPLATES)
    assert sum(len({one.path for one in some}) for some in found.values()) <= questions / 8, found
