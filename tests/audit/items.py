"""A question as the tests see it: its answers, its possible reports, and the exact table between the two.

However many symbols a question has, its whole report is one thing to test: a set of symbols that arrive together. The
tables come from the library, apart from the client.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from typing import Any

from collector.designs import Design, Field, Grid
from randomized_response import SubsetSelection

Answer = int | tuple[int, ...]
"""The index of a choice or of a number; for several choices a 0 or 1 for each option."""


@dataclass(frozen=True)
class Audited:
    """One item of a frozen design."""

    item: dict[str, Any]
    field: Field

    @property
    def name(self) -> str:
        """Kind and encoding, in the words of the design."""
        kind, encoding = self.item["kind"], self.item["encoding"]
        return kind if encoding == "single" else f"{kind}, {encoding}"

    @cached_property
    def points(self) -> list[Fraction]:
        """The numbers that may be answered."""
        return Grid(**self.item["grid"]).points

    @cached_property
    def answers(self) -> list[Answer]:
        """Everything that a person may answer, in order."""
        if self.item["kind"] != "several_choices":
            return list(range(len(self.item["choices"]) or len(self.points)))
        options = len(self.item["choices"])
        most = self.item.get("most", options)
        sets = product((0, 1), repeat=options)
        return [ticked for ticked in sets if sum(ticked) <= most and not (self._declines(ticked) and sum(ticked) > 1)]

    @cached_property
    def unasked(self) -> Answer:
        """What is sent for somebody who is not asked."""
        return (
            (0,) * len(self.item["choices"]) if self.item["kind"] == "several_choices" else self.item.get("unasked", 0)
        )

    @cached_property
    def reports(self) -> list[tuple[int, ...]]:
        """Every report of the item, in order: the symbols together."""
        every = product(range(self.field.size), repeat=self.field.symbols)
        return [symbols for symbols in every if self.field.ones in (None, sum(symbols))]

    @cached_property
    def table(self) -> list[list[int]]:
        """A row for each answer, a column for each report, in whole tickets."""
        shares = [[self._share(answer, report) for report in self.reports] for answer in self.answers]
        tickets = math.lcm(*(share.denominator for row in shares for share in row))
        return [[int(share * tickets) for share in row] for row in shares]

    def words(self, place: int) -> list[str]:
        """The answer of that place as it is given on the page: the labels of what is chosen, or a number."""
        if self.item["kind"] == "number":
            return [f"{float(self.points[place]):g}"]
        answer = self.answers[place]
        chosen = [answer] if isinstance(answer, int) else [option for option, ticked in enumerate(answer) if ticked]
        return [self.item["choices"][choice]["en"] for choice in chosen]

    def code(self, symbols: Sequence[int]) -> int:
        """The place of the item's report among its possible reports, from all symbols of a submission."""
        return self._codes.get(tuple(symbols[self.field.start : self.field.stop]), -1)

    @cached_property
    def _codes(self) -> dict[tuple[int, ...], int]:
        return {report: place for place, report in enumerate(self.reports)}

    def _declines(self, ticked: Sequence[int]) -> bool:
        return "prefer_not" in self.item and ticked[-1] == 1

    def _share(self, answer: Answer, report: Sequence[int]) -> Fraction:
        weights, encoding = self.item["channel"]["weights"], self.item["encoding"]
        tickets = sum(weights[0])
        match encoding:
            case "single":
                return Fraction(weights[answer][report[0]], tickets)
            case "one_hot":
                rows = [weights[choice == answer] for choice in range(len(report))]
            case "each_option":
                rows = [weights[ticked] for ticked in answer]
            case _:
                return self._share_of_set(int(answer), report)
        return Fraction(math.prod(row[bit] for row, bit in zip(rows, report, strict=True)), tickets ** len(report))

    def _share_of_set(self, answer: int, report: Sequence[int]) -> Fraction:
        lacks, holds = self.item["channel"]["weights"][0]
        channel = SubsetSelection(len(report), self.field.ones, Fraction(holds, lacks + holds)).channel()
        chosen = tuple(choice for choice, bit in enumerate(report) if bit)
        place = list(combinations(range(len(report)), len(chosen))).index(chosen)
        return Fraction(channel.weights[answer][place], channel.denominator)


def audited(design: dict[str, Any]) -> list[Audited]:
    frozen = Design.of(design)
    return [Audited(item, field) for item, field in zip(design["items"], frozen.fields, strict=True)]


def said(items: Sequence[Audited], choices: Sequence[int]) -> Iterator[tuple[int, bool]]:
    """For each item the place of the answer that is sent, and whether the person is asked.

    `choices` are places of answers, as if everybody were asked everything.
    """
    known: dict[str, tuple[Answer, bool]] = {}
    for one, place in zip(items, choices, strict=True):
        asked = _is_asked(one.item, known)
        answer = one.answers[place] if asked else one.unasked
        known[one.item["key"]] = (answer, asked)
        yield one.answers.index(answer), asked


def _is_asked(item: dict[str, Any], known: dict[str, tuple[Answer, bool]]) -> bool:
    if "asked_if" not in item:
        return True
    answer, asked = known[item["asked_if"]["item"]]
    given = [answer] if isinstance(answer, int) else [option for option, ticked in enumerate(answer) if ticked]
    return asked and bool(set(given) & set(item["asked_if"]["answers"]))


def linked(items: Sequence[Audited]) -> set[str]:
    """Keys of the items that decide whether another one is asked, and of those."""
    asked = [one.item for one in items if "asked_if" in one.item]
    return {item["key"] for item in asked} | {item["asked_if"]["item"] for item in asked}
