"""Background questions of a frozen design: asked openly, and sent as the cell of all their answers together.

A cell takes, for each question, some of its answers; the cells are disjoint and cover every combination. Where few
respondents are expected a cell takes several answers at once, so that nothing finer is ever sent or stored
(docs/adr/0049-background-questions.md).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any, Self

from django.utils.translation import gettext

from collector.designs.arms import Arm, check_arms, shares_of
from collector.designs.blocks import Text
from collector.designs.checks import distinct, exact_keys, fraction, key, listed, require, text, whole
from collector.errors import Path, ValidationError

MOST_QUESTIONS = 6
MOST_CHOICES = 40
MOST_CELLS = 4096
SMALLEST_CELL = 5
"""Fewest respondents that may be expected in a cell; authors may ask for more."""

WITHHELD = Fraction(1, 20)
"""Share of respondents who are expected to skip a background question, or prefer not to say."""

PLACE: Path = ("background_questions",)

Answers = tuple[int, ...]
"""The answers to one question that a cell takes, as ascending indices; "prefer not to say" is the last one."""


@dataclass(frozen=True, slots=True)
class BackgroundQuestion:
    """A question that is asked openly; the last of its `choices` is "prefer not to say", also for those who skip it.

    `shares` are those of respondents who are expected to give each answer; they sum to 1. Where there are `arms` nobody
    is asked: the browser draws one of them, whose name is the answer, and no choice is "prefer not to say".
    """

    key: str
    wording: Text
    choices: tuple[Text, ...]
    shares: tuple[Fraction, ...]
    arms: tuple[Arm, ...] = ()

    @property
    def offered(self) -> Answers:
        """Its answers without "prefer not to say"."""
        return tuple(range(len(self.choices) - (not self.arms)))

    @property
    def everyone(self) -> Answers:
        """All its answers: a cell that takes them says nothing about the question."""
        return tuple(range(len(self.choices)))


@dataclass(frozen=True)
class Background:
    """The background questions and their cells; `cells[i][q]` are the answers to question q that cell i takes.

    `expected_responses` and `smallest_cell` are what the cells were made for: so many respondents in all, and at least
    so many of them in each cell.
    """

    questions: tuple[BackgroundQuestion, ...] = ()
    cells: tuple[tuple[Answers, ...], ...] = ()
    expected_responses: int = 0
    smallest_cell: int = 0

    @classmethod
    def of(cls, background: Mapping[str, Any]) -> Self:
        """Return the background questions of a validated document; an invalid one may raise any error."""
        if not background:
            return cls()
        questions = tuple(
            BackgroundQuestion(
                one["key"],
                one["wording"],
                tuple(one["choices"]),
                expected_shares(one),
                tuple(map(Arm.of, one.get("arms", ()))),
            )
            for one in background["questions"]
        )
        cells = tuple(
            tuple(
                question.everyone if answers is None else tuple(answers)
                for question, answers in zip(questions, cell, strict=True)
            )
            for cell in background["cells"]
        )
        return cls(questions, cells, background["expected_responses"], background["smallest_cell"])

    def __bool__(self) -> bool:
        return bool(self.questions)

    @property
    def arms(self) -> tuple[Arm, ...]:
        """The arms of which the browser draws one, as the answer to the first question; empty without arms."""
        return self.questions[0].arms if self.questions else ()

    @property
    def asked(self) -> tuple[BackgroundQuestion, ...]:
        """The questions that respondents are asked."""
        return self.questions[1:] if self.arms else self.questions

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The key of each cell, as responses name it; all of one length, so that every request has one size."""
        return tuple(f"c{number:04d}" for number in range(1, len(self.cells) + 1))

    def cell_of(self, answers: Sequence[int]) -> int:
        """The index of the cell of one answer to each question."""
        fits = (all(map(tuple.__contains__, cell, answers)) for cell in self.cells)
        return next(place for place, holds in enumerate(fits) if holds)

    def expected_share(self, cell: int) -> Fraction:
        """The share of respondents who are expected in a cell, as if the answers to each question were independent."""
        taken = zip(self.questions, self.cells[cell], strict=True)
        return prod(
            (sum((one.shares[answer] for answer in answers), Fraction(0)) for one, answers in taken), start=Fraction(1)
        )

    @cached_property
    def silent(self) -> str:
        """The key of the cell of respondents who prefer not to say anything; with arms, of those in the last one."""
        return self.keys[self.cell_of([len(question.choices) - 1 for question in self.questions])]

    def label(self, cell: int, language: str) -> str:
        """What a cell says, in words."""
        return self.in_words(self.cells[cell], language)

    def in_words(self, row: Sequence[Answers], language: str) -> str:
        """The answers to each question that they tell anything about, in a language; empty if to none."""
        told = (
            " / ".join(question.choices[answer][language] for answer in answers)
            for question, answers in zip(self.questions, row, strict=True)
            if len(answers) < len(question.choices)
        )
        return " · ".join(told)


def expected_shares(question: Mapping[str, Any]) -> tuple[Fraction, ...]:
    """The expected share of each answer to a question of a valid document, "prefer not to say" last."""
    if "arms" in question:
        return shares_of(question["arms"])
    told = len(question["choices"]) - 1
    shares = [Fraction(share) for share in question.get("shares", [])] or [Fraction(1, told)] * told
    return (*((1 - WITHHELD) * share for share in shares), WITHHELD)


def check_background(value: object, languages: list[str], items: list[str]) -> None:
    """Validate the background questions and their cells; `items` are the keys of the other questions."""
    names = {"questions", "cells", "expected_responses", "smallest_cell"}
    background = exact_keys(value, names, PLACE)
    whole(background["expected_responses"], (*PLACE, "expected_responses"), low=1)
    whole(background["smallest_cell"], (*PLACE, "smallest_cell"), low=SMALLEST_CELL)
    questions = listed(background["questions"], (*PLACE, "questions"))
    many = gettext("must be 1 to {most} questions; got {count}").format(most=MOST_QUESTIONS, count=len(questions))
    require(1 <= len(questions) <= MOST_QUESTIONS, (*PLACE, "questions"), many)
    sizes = [_question(one, (*PLACE, "questions", number), languages) for number, one in enumerate(questions)]
    distinct([one["key"] for one in questions] + items, (*PLACE, "questions"))  # type: ignore[index]
    drawn = [number for number, one in enumerate(questions) if "arms" in one]  # type: ignore[operator]
    require(drawn in ([], [0]), (*PLACE, "questions"), gettext("may have arms in the first question alone"))
    cells = listed(background["cells"], (*PLACE, "cells"))
    many = gettext("must be 2 to {most} cells; got {count}").format(most=MOST_CELLS, count=len(cells))
    require(2 <= len(cells) <= MOST_CELLS, (*PLACE, "cells"), many)
    read = [_cell(cell, sizes, (*PLACE, "cells", number)) for number, cell in enumerate(cells)]
    for question, size in enumerate(sizes):
        told = any(len(cell[question]) < size for cell in read)
        never = gettext("must tell something in at least one cell; question {number} never does")
        require(told, (*PLACE, "cells"), never.format(number=question + 1))
    require(
        _is_partition(read, sizes), (*PLACE, "cells"), gettext("must hold each combination of answers exactly once")
    )
    apart = not drawn or all(len(cell[0]) == 1 for cell in read)
    require(apart, (*PLACE, "questions", 0, "arms"), gettext("must be so few that each is expected to fill a cell"))
    _require_sizes(background)


def _require_sizes(document: Mapping[str, Any]) -> None:
    """Require of each cell of a document, valid so far, as many expected responses as the document says."""
    background = Background.of(document)
    least = min(map(background.expected_share, range(len(background.cells)))) * background.expected_responses
    words = gettext("must be expected to hold {smallest} responses each; one holds {least:.1f}")
    message = words.format(smallest=background.smallest_cell, least=float(least))
    require(least >= background.smallest_cell, (*PLACE, "cells"), message)


def _question(value: object, path: Path, languages: list[str]) -> int:
    """Validate one question and return the number of its answers."""
    question = exact_keys(value, {"key", "wording", "choices"}, path, optional={"shares", "arms"})
    key(question["key"], (*path, "key"))
    text(question["wording"], (*path, "wording"), languages)
    choices = listed(question["choices"], (*path, "choices"))
    if "arms" in question:
        count, place = check_arms(question["arms"], (*path, "arms"), languages), (*path, "choices")
        names = gettext("must have a name for each of the {count} arms; got {got}")
        require(len(choices) == count, place, names.format(count=count, got=len(choices)))
        require("shares" not in question, (*path, "shares"), gettext("are the weights of the arms; leave them out"))
    else:
        many = gettext('must be 2 to {most} choices, and "prefer not to say" last; got {count} in all')
        fits = 3 <= len(choices) <= MOST_CHOICES + 1
        require(fits, (*path, "choices"), many.format(most=MOST_CHOICES, count=len(choices)))
    for number, choice in enumerate(choices):
        text(choice, (*path, "choices", number), languages)
    for language in languages:
        words = [choice[language].strip() for choice in choices]  # type: ignore[index]
        twice = next((one for one in words if words.count(one) > 1), "")
        require(not twice, (*path, "choices"), gettext("must differ; {twice!r} is there twice").format(twice=twice))
    if "shares" in question:
        check_shares(question["shares"], len(choices) - 1, (*path, "shares"))
    return len(choices)


def check_shares(value: object, count: int, path: Path) -> None:
    """Validate the expected shares of so many choices; they sum to 1."""
    shares = listed(value, path)
    many = gettext("must have a share for each of the {count} choices; got {got}")
    require(len(shares) == count, path, many.format(count=count, got=len(shares)))
    total = sum((fraction(share, (*path, number)) for number, share in enumerate(shares)), Fraction(0))
    require(total == 1, path, gettext(": the shares must sum to 1; they sum to {total}").format(total=total))


def _cell(value: object, sizes: Sequence[int], path: Path) -> tuple[Answers, ...]:
    cell = listed(value, path)
    many = gettext("must have an entry for each of the {count} questions; got {got}")
    require(len(cell) == len(sizes), path, many.format(count=len(sizes), got=len(cell)))
    return tuple(
        _answers(answers, size, (*path, number)) for number, (answers, size) in enumerate(zip(cell, sizes, strict=True))
    )


def _answers(value: object, size: int, path: Path) -> Answers:
    if value is None:
        return tuple(range(size))
    answers = tuple(whole(answer, path, low=0, high=size - 1) for answer in listed(value, path))
    if not 1 <= len(answers) < size or list(answers) != sorted(set(answers)):
        message = gettext("must be null for every answer, or some of 0 to {last} in order; got {got}")
        raise ValidationError(path, message.format(last=size - 1, got=list(answers)))
    return answers


def _is_partition(cells: Sequence[tuple[Answers, ...]], sizes: Sequence[int]) -> bool:
    """Whether the cells are the leaves of a tree that divides by one question after the other.

    Where that holds, each combination is in exactly one of them.
    """
    if not sizes:
        return len(cells) == 1
    branches: dict[Answers, list[tuple[Answers, ...]]] = {}
    for cell in cells:
        branches.setdefault(cell[0], []).append(cell[1:])
    covered = sorted(answer for answers in branches for answer in answers)
    return covered == list(range(sizes[0])) and all(_is_partition(rest, sizes[1:]) for rest in branches.values())
