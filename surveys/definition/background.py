"""Background questions of a definition, and the cells that opening makes of them.

The cells are as fine as the expected responses allow: each is expected to hold at least `smallest_cell` of them. The
first question is kept finest, the last is given up first (docs/adr/0049-background-questions.md).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext

from collector.designs.arms import check_arms, versions_of
from collector.designs.background import (
    MOST_CELLS,
    MOST_QUESTIONS,
    PLACE,
    SMALLEST_CELL,
    Answers,
    check_shares,
    expected_shares,
)
from collector.designs.checks import listed, require, whole
from collector.designs.documents import FEWEST_IN_GROUP
from collector.errors import Path, ValidationError
from estimator.base.languages import filled
from surveys.definition.keys import key_from
from surveys.definition.parts import BackgroundPart, BackgroundQuestionPart, Definition
from surveys.definition.questions import prefer_not, words_of
from surveys.definition.validation import exact, known_keys, text

USUAL_RESPONSES = 1000
VERSION = {
    "en": "Version of this page",
    "de": "Fassung dieser Seite",
    "es": "Versión de esta página",
    "fr": "Version de cette page",
    "ar": "نسخة هذه الصفحة",
}
"""What the question is called whose answer is the arm."""
ARM_NAMES = {
    "before": {
        "en": "Explained before",
        "de": "Vorher erklärt",
        "es": "Explicada antes",
        "fr": "Expliquée avant",
        "ar": "الشرح قبل الأسئلة",
    },
    "after": {
        "en": "Explained afterwards",
        "de": "Nachher erklärt",
        "es": "Explicada después",
        "fr": "Expliquée après",
        "ar": "الشرح بعد الإرسال",
    },
    "own_coin": {
        "en": "Own coin",
        "de": "Eigene Münze",
        "es": "Moneda propia",
        "fr": "Pièce personnelle",
        "ar": "عملة معدنية خاصة",
    },
}
"""What arms are called, by when they explain the tickets, if they have some."""
ARM_CONSENT = {
    "en": "On my version of this page, fewer tickets decide than on another version. I agree to that.",
    "de": "In meiner Fassung dieser Seite entscheiden weniger Lose als in einer anderen. Damit bin ich einverstanden.",
    "es": "En mi versión de esta página deciden menos papeletas que en otra versión. Estoy de acuerdo.",
    "fr": "Dans ma version de cette page, moins de tickets décident que dans une autre version. Je suis d’accord.",
    "ar": "في نسختي من هذه الصفحة يقرر عدد أقل من التذاكر مقارنة بنسخة أخرى. أوافق على ذلك.",
}
"""The usual consent statement of an arm that protects less than another."""
Cell = tuple[Answers, ...]


def complete_background(raw: object, languages: list[str]) -> dict[str, object]:
    """The background questions as a definition has them; empty without questions."""
    if not raw:
        return {}
    names = {"questions", "expected_responses", "smallest_cell"}
    background = known_keys(raw, names, PLACE)
    questions: list[dict[str, object]] = []
    for number, one in enumerate(listed(background.get("questions") or [], (*PLACE, "questions"))):
        taken = [str(question["key"]) for question in questions]
        questions.append(_complete_question(one, languages, (*PLACE, "questions", number), taken))
    made = {
        "expected_responses": background.get("expected_responses", USUAL_RESPONSES),
        "smallest_cell": background.get("smallest_cell", FEWEST_IN_GROUP),
        "questions": questions,
    }
    return {"background_questions": made} if questions else {}


def _complete_question(raw: object, languages: list[str], path: Path, taken: Sequence[str]) -> dict[str, object]:
    question = known_keys(raw, {"key", "wording", "choices", "shares", "prefer_not", "arms"}, path)
    if question.get("arms"):
        return _complete_arms(question, languages, path, taken)
    wording = text(question.get("wording", ""), languages)
    named = wording.get(languages[0], "") if isinstance(wording, dict) else ""
    choices = [text(exact(choice), languages) for choice in listed(question.get("choices") or [], (*path, "choices"))]
    shares = [exact(share) for share in listed(question.get("shares") or [], (*path, "shares"))]
    return {
        "key": question.get("key") or key_from(str(named), taken, f"background_{len(taken) + 1}"),
        "wording": wording,
        "choices": choices,
        **({"shares": shares} if shares else {}),
        "prefer_not": text(question["prefer_not"], languages) if question.get("prefer_not") else prefer_not(languages),
    }


def _complete_arms(
    question: dict[str, object], languages: list[str], path: Path, taken: Sequence[str]
) -> dict[str, object]:
    """The question whose answer the browser draws, with the platform's words where it has none of its own."""
    arms: list[dict[str, object]] = []
    for number, one in enumerate(listed(question["arms"], (*path, "arms"))):
        names = {"explanation", "weight", "introduction", "instead", "consent"}
        arm = known_keys(one, names, (*path, "arms", number))
        own = {name: text(arm[name], languages) for name in ("introduction", "consent") if arm.get(name)}
        own |= {"instead": arm["instead"]} if arm.get("instead") else {}
        arms.append({"explanation": arm.get("explanation", "before"), "weight": arm.get("weight", 1), **own})
    named = listed(question.get("choices") or [], (*path, "choices"))
    wording = question.get("wording")
    return {
        "key": question.get("key") or key_from("arm", taken, f"background_{len(taken) + 1}"),
        "wording": text(wording, languages) if wording else words_of(VERSION, languages),
        "choices": [text(exact(name), languages) for name in named]
        or [words_of(ARM_NAMES.get(str(arm["explanation"]), {}), languages) for arm in arms],
        "arms": arms,
    }


def versions_in(definition: Definition) -> tuple[tuple[int, ...], ...]:
    """The places of the questions that each version of the page asks; one version without arms."""
    asked = definition.get("background_questions")
    arms = asked["questions"][0].get("arms", ()) if asked and asked["questions"] else ()
    return versions_of([item["key"] for item in definition["items"]], [arm.get("instead", {}) for arm in arms])


def frozen_part(definition: Definition) -> dict[str, object]:
    """The background questions of a definition under their name in a design; empty where there are none."""
    asked = definition.get("background_questions")
    return {"background_questions": frozen_background(asked)} if asked else {}


def frozen_background(background: BackgroundPart) -> dict[str, object]:
    """The background questions as a design has them, with their cells; raises ValidationError where there are none."""
    questions = background["questions"]
    many = gettext("must be 1 to {most} questions; got {count}").format(most=MOST_QUESTIONS, count=len(questions))
    require(1 <= len(questions) <= MOST_QUESTIONS, (*PLACE, "questions"), many)
    frozen = [_frozen_question(one) for one in questions]
    cells = [
        [
            None if len(answers) == len(one["choices"]) else list(answers)
            for answers, one in zip(cell, frozen, strict=True)
        ]
        for cell in cells_of(background)
    ]
    return {
        "questions": frozen,
        "cells": cells,
        "expected_responses": background["expected_responses"],
        "smallest_cell": background["smallest_cell"],
    }


def _frozen_question(question: Mapping[str, Any]) -> Mapping[str, Any]:
    """A question as a design has it: its choices with "prefer not to say" last, shares only where they were given."""
    if "arms" in question:
        return {name: question[name] for name in ("key", "wording", "choices", "arms")}
    shares = {"shares": question["shares"]} if "shares" in question else {}
    choices = [*question["choices"], question.get("prefer_not")]
    return {"key": question.get("key"), "wording": question.get("wording"), "choices": choices, **shares}


def cells_of(background: BackgroundPart) -> list[Cell]:
    """The cells, each with the answers that it takes to each question, in the order of the questions.

    Raises ValidationError where a share is wrong, a question would be told by no cell, or there are too many cells.
    """
    expected = whole(background["expected_responses"], (*PLACE, "expected_responses"), low=1)
    smallest = whole(background["smallest_cell"], (*PLACE, "smallest_cell"), low=SMALLEST_CELL)
    shares = [_shares(one, (*PLACE, "questions", n)) for n, one in enumerate(background["questions"])]
    if smallest > expected:
        message = gettext("must be at most the expected responses, {expected:,}; got {smallest:,}")
        raise ValidationError((*PLACE, "smallest_cell"), filled(message, expected=expected, smallest=smallest))
    cells = [cell for cell, _ in _divided(shares, Fraction(smallest, expected), Fraction(1))]
    if len(cells) > MOST_CELLS:
        message = gettext("makes {cells:,} cells; at most {most:,} are possible. Expect more responses in each")
        raise ValidationError((*PLACE, "smallest_cell"), filled(message, cells=len(cells), most=MOST_CELLS))
    for number, one in enumerate(shares):
        if all(len(cell[number]) == len(one) for cell in cells):
            message = gettext(
                ": of {expected:,} responses no answer to it could be kept with at least {smallest:,} in each cell. "
                "Ask fewer questions, offer fewer choices, or expect more responses"
            )
            path = (*PLACE, "questions", number)
            raise ValidationError(path, filled(message, expected=expected, smallest=smallest))
    return cells


@dataclass(frozen=True)
class Kept:
    """How much of a background question the cells keep: the expected share of responses with its answer by itself."""

    question: BackgroundQuestionPart
    share: float


def kept(background: BackgroundPart) -> list[Kept]:
    """For each question, the share of responses in which its answer is expected to be sent by itself."""
    shares = [_shares(one, ()) for one in background["questions"]]
    found = [Fraction(0)] * len(shares)
    for cell in cells_of(background):
        weight = Fraction(1)
        for answers, one in zip(cell, shares, strict=True):
            weight *= sum((one[answer] for answer in answers), Fraction(0))
        for number, answers in enumerate(cell):
            found[number] += weight if len(answers) == 1 else 0
    return [Kept(one, float(share)) for one, share in zip(background["questions"], found, strict=True)]


def _shares(question: Mapping[str, Any], path: Path) -> tuple[Fraction, ...]:
    """The expected share of each answer, "prefer not to say" last."""
    if "arms" in question:
        check_arms(question["arms"], (*path, "arms"))
    require(question["choices"], (*path, "choices"), gettext("must not be empty"))
    if "shares" in question:
        check_shares(question["shares"], len(question["choices"]), (*path, "shares"))
    return expected_shares(_frozen_question(question))


def _divided(shares: Sequence[Sequence[Fraction]], least: Fraction, share: Fraction) -> Iterator[tuple[Cell, Fraction]]:
    """Divide respondents who are `share` of all by the questions from here on, into cells of at least `least`.

    Answers too rare for a cell are pooled; where the pool is too rare as well, the next rarest answer joins it.
    """
    if not shares:
        yield (), share
        return
    everyone = tuple(range(len(shares[0])))
    if share < 2 * least:
        rest = tuple(tuple(range(len(one))) for one in shares[1:])
        yield (everyone, *rest), share
        return
    by_size = sorted(everyone, key=lambda answer: (shares[0][answer], answer))
    pool = [answer for answer in by_size if share * shares[0][answer] < least]
    alone = [answer for answer in by_size if answer not in pool]
    while pool and alone and share * sum(shares[0][answer] for answer in pool) < least:
        pool.append(alone.pop(0))
    branches = [(answer,) for answer in sorted(alone)] + ([tuple(sorted(pool))] if pool else [])
    for answers in branches:
        part = share * sum((shares[0][answer] for answer in answers), Fraction(0))
        for rest, held in _divided(shares[1:], least, part):
            yield (answers, *rest), held
