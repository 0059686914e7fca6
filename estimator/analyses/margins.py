"""Known shares of a population, as a researcher types or pastes them: parsed to exact fractions or refused in words."""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NoReturn

from django.utils.translation import gettext

from collector.designs import Background, BackgroundQuestion, Design, Text
from estimator.analyses.quantities import AnalysisError

METHODS = ("raking", "linear", "logit")
SHARE = re.compile(r"(\d{1,12}(?:[.,]\d{0,12})?|\.\d{1,12})(?:/(\d{1,12}))? ?(%?)")
LARGEST = re.compile(r"\d{1,4}(?:[.,]\d{1,4})?")
MOST_LARGEST = 1000
ROUNDING = Fraction(1, 200)
"""By how much published shares of the answers to one question may miss 100 % because each was rounded."""
LEAST_PEOPLE = 1000
"""From this sum on, entries are numbers of people."""

Margins = dict[str, dict[str, str]]
"""By background question, by the number of each answer from 1: its share of the population; they sum to 1."""


def share_fields(design: Design) -> list[str]:
    """The names of the fields of shares: one for each group, or for each choice of each background question."""
    if not design.background:
        return [f"share-{group.key}" for group in design.groups]
    return [
        share_name(question.key, answer)
        for place, question in enumerate(design.background.questions)
        for answer in choices_of(design.background, place)
    ]


def share_name(question: str, answer: int) -> str:
    """The name of the field of an answer's share, from the key of the question and the index of the answer."""
    return f"share-{question}-{answer + 1}"


def choices_of(background: Background, place: int) -> Sequence[int]:
    """The indices of the choices of a question, without "prefer not to say"; none of arms, which no population has."""
    question = background.questions[place]
    return () if question.arms else question.offered


def read_shares(fields: Mapping[str, str], design: Design) -> dict[str, str]:
    """Parse each group's population share as an exact fraction; as percentages if they sum to 100."""
    shares = {}
    for group in design.groups:
        label = group.label[design.language]
        shares[group.key] = share = _share(fields.get(f"share-{group.key}", ""), label)
        if share <= 0:
            raise AnalysisError(
                gettext("The share of “{label}” must be greater than 0; every group of the survey needs one.").format(
                    label=label
                )
            )
    total = sum(shares.values(), Fraction(0))
    if total == 100:
        shares = {key: share / 100 for key, share in shares.items()}
    elif total != 1:
        text = gettext("The shares must sum to 100 % (or 1); they sum to {plain}.")
        raise AnalysisError(text.format(plain=_plain(total)))
    return {key: str(share) for key, share in shares.items()}


def read_margins(fields: Mapping[str, str], design: Design) -> Margins:
    """Parse the shares of the answers to each background question that has any; scaled to sum to 1 exactly.

    Raises AnalysisError where there is no question with shares, or those of one do not sum to about 100 %, about 1, or
    LEAST_PEOPLE people and more.
    """
    margins = {}
    for place, question in enumerate(design.background.questions):
        names = [share_name(question.key, answer) for answer in choices_of(design.background, place)]
        if any(fields.get(name, "").strip() for name in names):
            labels = [choice[design.language] for choice in question.choices]
            given = [_optional(fields.get(name, ""), label) for name, label in zip(names, labels, strict=False)]
            total = _total(sum(given, Fraction(0)), question.wording[design.language])
            margins[question.key] = {str(k): str(share / total) for k, share in enumerate(given, start=1) if share}
    if not margins:
        raise AnalysisError(gettext("Enter the shares of the answers to at least one background question."))
    return margins


def read_method(fields: Mapping[str, str]) -> dict[str, object]:
    """The method of calibration and how many times the average weight any response may have at most, or None."""
    method, text = fields.get("method") or METHODS[0], fields.get("largest", "").strip()
    if method not in METHODS:
        raise AnalysisError(gettext("Choose raking, linear or logit calibration."))
    if text and not (LARGEST.fullmatch(text) and 1 < float(text.replace(",", ".")) <= MOST_LARGEST):
        need = gettext("The largest weight must be a number above 1, at most {most}, such as 5; got “{text}”.")
        raise AnalysisError(need.format(most=MOST_LARGEST, text=text[:32]))
    if not text and method != METHODS[0]:
        raise AnalysisError(gettext("Linear and logit calibration need a largest weight, such as 5."))
    return {"method": method, "largest": float(text.replace(",", ".")) if text else None}


def pasted(text: str, design: Design) -> dict[str, str]:
    """The fields of shares in a pasted table: question, answer and share in a line; of a survey with groups two cells.

    Cells are separated by tabs, semicolons or commas. A question is named by its key or its words, an answer by its
    words or its number from 1. Raises AnalysisError naming the line.
    """
    found: dict[str, str] = {}
    names = {one.key: one.label for one in design.groups}
    names |= {one.key: one.wording for one in design.background.questions}
    for number, cells in _lines(text):
        known = any(cells[0] == key or _is(cells[0], label) for key, label in names.items())
        if number == 1 and not known and not any(one.isdecimal() for one in cells[-1]):
            continue  # a heading
        width = 3 if design.background else 2
        if len(cells) != width:
            need = gettext("Line {number} of the table must have {width} cells: {cells}; it has {got}.")
            order = gettext("question, answer, share") if design.background else gettext("group, share")
            raise AnalysisError(need.format(number=number, width=width, cells=order, got=len(cells)))
        name = _named(cells, design, number)
        if name in found:
            again = gettext("Line {number} of the table gives “{name}” a second share.")
            raise AnalysisError(again.format(number=number, name=cells[-2]))
        found[name] = cells[-1]
    return found


def read_census(text: str, design: Design, keys: Sequence[str]) -> list[list[int]]:
    """The cells of a population in a pasted table: the number of an answer to each question from 1, and the people.

    A line has the answers in the order of `keys`, by their words or numbers, and the number of people. Raises
    AnalysisError naming the line.
    """
    found: dict[tuple[int, ...], int] = {}
    asked = [next(one for one in design.background.questions if one.key == key) for key in keys]
    for number, cells in _lines(text):
        if number == 1 and not cells[-1].replace(",", "").isdecimal():
            continue  # a heading
        if len(cells) != len(asked) + 1:
            need = gettext("Line {number} of the table must have {width} cells: {cells}; it has {got}.")
            order = ", ".join([*(one.wording[design.language] for one in asked), gettext("people")])
            raise AnalysisError(need.format(number=number, width=len(asked) + 1, cells=order, got=len(cells)))
        answers = tuple(_answer(cell, one, number) for cell, one in zip(cells, asked, strict=False))
        if answers in found:
            raise AnalysisError(
                gettext("Line {number} of the table has the answers of an earlier one.").format(number=number)
            )
        people = cells[-1].replace(",", "")
        if not (people.isascii() and people.isdecimal() and len(people) <= 12):
            need = gettext("Line {number} of the table must end in a whole number of people; got “{text}”.")
            raise AnalysisError(need.format(number=number, text=cells[-1][:32]))
        found[answers] = int(people)
    if found and not sum(found.values()):
        raise AnalysisError(gettext("The table must have at least one person."))
    return [[*answers, people] for answers, people in sorted(found.items())]


def _answer(words: str, question: BackgroundQuestion, number: int) -> int:
    """The number of an answer from 1, from its words or its number."""
    choices = [question.choices[answer] for answer in question.offered]
    place = next((k for k, choice in enumerate(choices, start=1) if _is(words, choice)), None)
    if place is None and words.isdecimal() and 1 <= int(words) <= len(choices):
        place = int(words)
    if place is None:
        _unknown(gettext("an answer"), words, number)
    return place


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """The numbers of the lines and their cells, without empty lines."""
    delimiter = next((one for one in "\t;" if one in text), ",")
    rows = csv.reader(text.replace("\ufeff", "").splitlines(), delimiter=delimiter, skipinitialspace=True)
    for number, row in enumerate(rows, start=1):
        cells = [cell.strip() for cell in row]
        if any(cells):
            yield number, cells


def _named(cells: Sequence[str], design: Design, number: int) -> str:
    """The field of the group of a line, or of the answer."""
    if not design.background:
        keys = {group.key: (group.key, group.label) for group in design.groups}
        key = next((key for key, (same, label) in keys.items() if cells[0] == same or _is(cells[0], label)), None)
        if key is None:
            _unknown(gettext("a group"), cells[0], number)
        return f"share-{key}"
    questions = design.background.questions
    asked = (k for k, one in enumerate(questions) if cells[0] == one.key or _is(cells[0], one.wording))
    place = next(asked, None)
    if place is None:
        _unknown(gettext("a background question"), cells[0], number)
    return share_name(questions[place].key, _answer(cells[1], questions[place], number) - 1)


def _is(words: str, text: Text) -> bool:
    return words.casefold() in {one.strip().casefold() for one in text.values()}


def _unknown(what: str, words: str, number: int) -> NoReturn:
    text = gettext("Line {number} of the table names {what} that the survey does not have: “{words}”.")
    raise AnalysisError(text.format(number=number, what=what, words=words[:60]))


def _optional(text: str, label: str) -> Fraction:
    return _share(text, label) if text.strip() else Fraction(0)


def _share(text: str, label: str) -> Fraction:
    found = SHARE.fullmatch(text.strip())
    if found is None or (found[2] and not int(found[2])):
        raise AnalysisError(
            gettext("Enter the share of “{label}” as a number such as 25, 0.25 or 1/4.").format(label=label)
        )
    return Fraction(found[1].replace(",", ".").rstrip(".")) / int(found[2] or 1) / (100 if found[3] else 1)


def _total(total: Fraction, question: str) -> Fraction:
    """What the shares are divided by."""
    if total >= LEAST_PEOPLE or abs(total - 1) <= ROUNDING or abs(total - 100) <= 100 * ROUNDING:
        return total
    text = gettext("The shares of “{question}” must sum to 100 % (or 1), or be numbers of people; they sum to {plain}.")
    raise AnalysisError(text.format(question=question, plain=_plain(total)))


def _plain(total: Fraction) -> str:
    return f"{float(100 * total):.10g} %" if total <= 2 else f"{float(total):.10g}"
