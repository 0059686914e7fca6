"""Known shares of a population, as a researcher types or pastes them: parsed to exact fractions or refused in words."""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NoReturn, TypeVar

from django.utils.translation import gettext

from collector.designs import Background, BackgroundQuestion, Design, Text
from estimator.analyses.quantities import AnalysisError
from estimator.runs.groups import AND

METHODS = ("raking", "linear", "logit")
SHARE = re.compile(r"(\d{1,12}(?:[.,]\d{0,12})?|\.\d{1,12})(?:/(\d{1,12}))? ?(%?)")
LARGEST = re.compile(r"\d{1,4}(?:[.,]\d{1,4})?")
MOST_LARGEST = 1000
ROUNDING = Fraction(1, 200)
"""By how much published shares of the answers to one question may miss 100 % because each was rounded."""
LEAST_PEOPLE = 1000
"""From this sum on, entries are numbers of people."""

MOST_TOGETHER = 400
"""Lines of a table of the answers to several questions together."""

Answers = tuple[int, ...]
Name = TypeVar("Name", str, Answers)
Margins = dict[str, dict[str, str]]
"""By background question, by the number of each answer from 1: its share of the population; they sum to 1.

Of several questions together their keys, and the numbers of the answers, are joined by AND, as in "age+sex" and "1+2".
"""


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
    """Parse the shares of the answers to each background question that has any, then those of several together.

    They are scaled to sum to 1 exactly. Raises AnalysisError where there are none, a question is in two margins, or
    the shares of one do not sum to about 100 %, about 1, or LEAST_PEOPLE people and more.
    """
    entered, together = _pasted(fields.get("table", ""), design)
    fields, margins = {**fields, **entered}, Margins()
    for place, question in enumerate(design.background.questions):
        names = [share_name(question.key, answer) for answer in choices_of(design.background, place)]
        if any(fields.get(name, "").strip() for name in names):
            labels = [choice[design.language] for choice in question.choices]
            given = [_optional(fields.get(name, ""), label) for name, label in zip(names, labels, strict=False)]
            total = _total(sum(given, Fraction(0)), question.wording[design.language])
            margins[question.key] = {str(k): str(share / total) for k, share in enumerate(given, start=1) if share}
    for places, shares in together.items():
        margins |= _together([design.background.questions[place] for place in places], shares, margins, design.language)
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
    """The fields of the shares of groups in a pasted table: a group and its share in a line.

    Cells are separated by tabs, semicolons or commas. A group is named by its key or its label. Raises AnalysisError
    naming the line.
    """
    found: dict[str, str] = {}
    names = {group.key: group.label for group in design.groups}
    for number, cells in _entries(text, names):
        if len(cells) != 2:
            _wrong_width(number, cells, 2, gettext("group, share"))
        key = next((key for key, label in names.items() if cells[0] == key or _is(cells[0], label)), None)
        if key is None:
            _unknown(gettext("a group"), cells[0], number)
        _add(found, f"share-{key}", cells, number)
    return found


def _pasted(text: str, design: Design) -> tuple[dict[str, str], dict[Answers, dict[Answers, str]]]:
    """The fields of shares in a pasted table, and of several questions together by their places and answers from 1.

    A line has a question, an answer and the share, or several questions, each with its answer, and the share. A
    question is named by its key or its words, an answer by its words or its number from 1.
    """
    fields, together = dict[str, str](), dict[Answers, dict[Answers, str]]()
    questions = design.background.questions
    for number, cells in _entries(text, {one.key: one.wording for one in questions}):
        if len(cells) < 3 or len(cells) % 2 == 0:
            _wrong_width(number, cells, 3, gettext("question, answer, share"))
        told = dict(_named(one, other, design, number) for one, other in zip(cells[:-1:2], cells[1::2], strict=True))
        if len(told) < len(cells) // 2:
            again = gettext("Line {number} of the table names “{name}” twice.")
            raise AnalysisError(again.format(number=number, name=cells[0]))
        places = tuple(sorted(told))
        if len(places) == 1:
            _add(fields, share_name(questions[places[0]].key, told[places[0]] - 1), cells, number)
        else:
            _add(together.setdefault(places, {}), tuple(told[place] for place in places), cells, number)
    return fields, together


def _together(
    questions: Sequence[BackgroundQuestion], entered: Mapping[Answers, str], margins: Margins, language: str
) -> Margins:
    """The margin of several questions together, none of which is in another one."""
    again = next((one for one in questions for key in margins if one.key in key.split(AND)), None)
    if again is not None:
        text = gettext("The shares of “{question}” are entered twice; leave out one of its margins.")
        raise AnalysisError(text.format(question=again.wording[language]))
    if len(entered) > MOST_TOGETHER:
        text = gettext("Answers to several questions together have at most {most} shares; there are {count}.")
        raise AnalysisError(text.format(most=MOST_TOGETHER, count=len(entered)))
    given = {}
    for answers, share in sorted(entered.items()):
        told = (one.choices[answer - 1][language] for one, answer in zip(questions, answers, strict=True))
        given[AND.join(map(str, answers))] = _share(share, ", ".join(told))
    total = _total(sum(given.values(), Fraction(0)), " × ".join(one.wording[language] for one in questions))
    return {AND.join(one.key for one in questions): {key: str(share / total) for key, share in given.items() if share}}


def read_census(text: str, design: Design, keys: Sequence[str]) -> list[list[int]]:
    """The cells of a population in a pasted table: the number of an answer to each question from 1, and the people.

    A line has the answers in the order of `keys`, by their words or numbers, and the number of people. Raises
    AnalysisError naming the line.
    """
    found: dict[Answers, int] = {}
    asked = [next(one for one in design.background.questions if one.key == key) for key in keys]
    for number, cells in _lines(text):
        if number == 1 and not cells[-1].replace(",", "").isdecimal():
            continue  # a heading
        if len(cells) != len(asked) + 1:
            order = ", ".join([*(one.wording[design.language] for one in asked), gettext("people")])
            _wrong_width(number, cells, len(asked) + 1, order)
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


def _entries(text: str, names: Mapping[str, Text]) -> Iterator[tuple[int, list[str]]]:
    """The lines of a table that begin with one of `names`, without a heading."""
    for number, cells in _lines(text):
        known = any(cells[0] == key or _is(cells[0], label) for key, label in names.items())
        if number > 1 or known or any(one.isdecimal() for one in cells[-1]):
            yield number, cells


def _add(found: dict[Name, str], name: Name, cells: Sequence[str], number: int) -> None:
    if name in found:
        again = gettext("Line {number} of the table gives “{name}” a second share.")
        raise AnalysisError(again.format(number=number, name=cells[-2] if len(cells) < 5 else ", ".join(cells[1::2])))
    found[name] = cells[-1]


def _wrong_width(number: int, cells: Sequence[str], width: int, order: str) -> NoReturn:
    need = gettext("Line {number} of the table must have {width} cells: {cells}; it has {got}.")
    raise AnalysisError(need.format(number=number, width=width, cells=order, got=len(cells)))


def _named(question: str, answer: str, design: Design, number: int) -> tuple[int, int]:
    """The place of the question that is named in a line, and the number of its answer from 1."""
    asked = ((k, one) for k, one in enumerate(design.background.questions) if not one.arms)
    place = next((k for k, one in asked if question == one.key or _is(question, one.wording)), None)
    if place is None:
        _unknown(gettext("a background question"), question, number)
    return place, _answer(answer, design.background.questions[place], number)


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
