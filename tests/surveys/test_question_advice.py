"""Advice on the wording of questions: what is advised in each language, and what is none."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from surveys.definition.definitions import complete, load
from surveys.definition.question_advice import lix, question_advice

TEMPLATES = sorted(set(Path("surveys/definition/templates").glob("*-*.yaml")))

LABELLED = yaml.safe_load(Path(__file__).with_name("double_barrelled.yaml").read_text(encoding="utf-8"))

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
    ("es", "¿Bebe usted los sábados y domingos?"),
    ("es", "¿Usted y su pareja se han pegado alguna vez?"),
    ("es", "Piense en su trabajo y su familia. ¿Se siente a menudo cansado?"),
    ("es", "¿Ha tomado drogas (por ejemplo, cocaína y heroína)?"),
    ("fr", "Avez-vous déjà triché à un examen ?"),
    ("fr", "Buvez-vous le samedi et le dimanche ?"),
    ("fr", "Vous et votre partenaire, vous êtes-vous déjà frappés ?"),
    ("fr", "Pensez à votre travail et à votre famille. Êtes-vous souvent fatigué ?"),
    ("fr", "Avez-vous pris des drogues (par exemple, de la cocaïne et de l’héroïne) ?"),
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


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize(("part", "precision", "recall"), [("first", 1, 1), ("later", 0.9, 0.9)])
def test_double_barrelled_advice_is_precise_and_quiet(
    part: str, language: str, precision: float, recall: float
) -> None:
    """Of the later questions 25 of 27 that ask two things are flagged, and 2 of 27 that ask one (precision 0.93, recall
    0.93); of the first ones 64 of 64, and 0 of 68. The rule of before flagged 85 of all 95 that ask one.
    """
    sets = LABELLED[part][language]
    flagged = {
        kind: [one for one in sets[kind] if "double-barrelled" in advice_on(language, one)] for kind in ("two", "one")
    }
    right, wrong = len(flagged["two"]), len(flagged["one"])
    assert right / (right + wrong) >= precision, flagged["one"]
    assert right / len(sets["two"]) >= recall, set(sets["two"]) - set(flagged["two"])
    assert wrong <= len(sets["one"]) / 10, flagged["one"]


def test_double_barrelled_advice_quotes_the_words_that_are_joined() -> None:
    item: Any = {"key": "q", "kind": "yes_no", "wording": {"en": "Are you satisfied with your pay and your hours?"}}
    made = complete({"slug": "s", "languages": ["en"], "items": [item]})
    assert [one.words.split(":")[0] for one in question_advice(made)] == ["“pay and your”"]


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
