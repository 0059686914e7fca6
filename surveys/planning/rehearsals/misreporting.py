"""Simulated people who do not say what is true: who answer at random, or say No to protect themselves.

What is true of them stays what it was: a rehearsal shows what the estimates make of what they say instead.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
from django.utils.translation import gettext

from collector.designs import Design, Item
from collector.designs.arms import asked_in
from collector.errors import InputError
from surveys.planning.rehearsals.respondents import Answer, Respondent, ask, ticked

Say = Callable[[Respondent], Respondent]
"""What a person says instead of what is true."""


@dataclass(frozen=True)
class Misreporting:
    """Shares of people in [0, 1].

    - `at_random`: who answer every question at random, each answer as often.
    - `denial`: of the others, who say No to every yes/no question of which Yes is true, except control questions.
    - `denial_after`: the same of those whose version of the page explains after Send; None where they are no others.
    """

    at_random: float = 0.0
    denial: float = 0.0
    denial_after: float | None = None

    @classmethod
    def of(cls, assumptions: Mapping[str, Any]) -> Self:
        """Those of a rehearsal. Raises InputError where a share is out of range."""
        found = cls(assumptions.get("at_random", 0.0), assumptions.get("denial", 0.0), assumptions.get("denial_after"))
        for name, share in asdict(found).items():
            if share is not None and not 0 <= share <= 1:
                message = gettext("{name} must be a share from 0 to 1; got {share:g}")
                raise InputError(name, message.format(name=name, share=share))
        return found

    def require_versions(self, design: Design) -> None:
        """Raise InputError where denial is to differ between versions of the page that the design does not have."""
        if self.denial_after is not None and not design.background.arms:
            raise InputError("denial_after", gettext("is for surveys that compare versions of the page"))

    def __bool__(self) -> bool:
        return any(asdict(self).values())

    def says(self, design: Design, generator: np.random.Generator) -> Say:
        """What each person says; without misreporting what is true."""
        return (lambda person: self._said(design, person, generator)) if self else lambda person: person

    def _said(self, design: Design, person: Respondent, generator: np.random.Generator) -> Respondent:
        random, denies = generator.random(2) < (self.at_random, self._denial(design, person))
        true = dict(zip((item.key for item in design.items), person.answers, strict=True))

        def answer_of(item: Item) -> Answer:
            if random:
                return _any(item, generator)
            hidden = item.kind == "yes_no" and item.known_share is None and true[item.key] == 1
            return 0 if denies and hidden else true[item.key]

        replies = ask(design.items, answer_of, asked_in(design, person.stratum))
        return Respondent(person.stratum, tuple(replies))

    def _denial(self, design: Design, person: Respondent) -> float:
        """The share who deny among the people who saw the same version of the page as this one."""
        background = design.background
        if self.denial_after is None or not background.arms:
            return self.denial
        (arm,) = background.cells[person.stratum][0]
        return self.denial_after if background.arms[arm].explanation == "after" else self.denial


HONEST = Misreporting()


def _any(item: Item, generator: np.random.Generator) -> Answer:
    if item.kind == "several_choices":
        return ticked(item, (generator.random(len(item.choices)) < 0.5).tolist(), generator)
    return int(generator.integers(item.answer_count))
