"""Simulated people who do not say what is true: by chance, by mistake, or to protect themselves.

What is true of them stays what it was: a rehearsal shows what the estimates make of what they say instead.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from django.utils.translation import gettext
from numpy.typing import NDArray

from collector.designs import Design, Item
from collector.designs.arms import arm_of, asked_in
from collector.errors import InputError
from estimator.runs.groups import answer_key
from surveys.planning.rehearsals.population import BEHAVIOURS, Behaviour
from surveys.planning.rehearsals.respondents import Answer, Respondent, ask, ticked

Say = Callable[[Respondent], Respondent]
"""What a person says instead of what is true."""


@dataclass(frozen=True)
class Misreporting:
    """Shares of people in [0, 1].

    - `at_random`: who answer every question at random, each answer as often.
    - `misunderstanding`: of the others, who misread yes/no questions and say the opposite of what is true.
    - `denial`: of the rest, who say No to every yes/no question of which Yes is true, except control questions; with a
      coin of their own they mark No whatever it shows.
    - `groups`: by the keys of groups, or of answers to one background question, the shares that differ there.
    """

    at_random: float = 0.0
    misunderstanding: float = 0.0
    denial: float = 0.0
    groups: Mapping[str, Behaviour] = field(default_factory=dict)

    @classmethod
    def of(cls, assumptions: Mapping[str, Any]) -> Self:
        """Those of a rehearsal. Raises InputError where a share is out of range."""
        groups = assumptions.get("misreporting_groups") or {}
        found = cls(**{name: assumptions.get(name, 0.0) for name in BEHAVIOURS}, groups=groups)
        for name in BEHAVIOURS:
            for share in (getattr(found, name), *(group[name] for group in groups.values() if name in group)):
                if not 0 <= share <= 1:
                    message = gettext("{name} must be a share from 0 to 1; got {share:g}")
                    raise InputError(name, message.format(name=name, share=share))
        return found

    def require_groups(self, design: Design) -> None:
        """Raise InputError where shares differ between groups that the design does not have."""
        known = groups_of(design)
        for key in self.groups:
            if not any(key in keys for keys in known):
                words = gettext("must be keys of groups, or of answers to a background question; got {key!r}")
                raise InputError("misreporting_groups", words.format(key=key))
        if self.groups and not any(set(self.groups) <= set(keys) for keys in known):
            raise InputError("misreporting_groups", gettext("must be answers to one background question"))

    def __bool__(self) -> bool:
        return any(self.shares(key)[name] for key in ("", *self.groups) for name in BEHAVIOURS)

    def says(self, design: Design, generator: np.random.Generator) -> Say:
        """What each person says; without misreporting what is true."""
        if not self:
            return lambda person: person
        chances = self._chances(design)
        return lambda person: _said(design, person, generator.random(3) < chances[person.stratum], generator)

    def shares(self, key: str) -> Behaviour:
        """Those in a group, by its key."""
        everybody = {name: getattr(self, name) for name in BEHAVIOURS}
        return {**everybody, **self.groups.get(key, {})}  # type: ignore[typeddict-item]

    def _chances(self, design: Design) -> NDArray[np.float64]:
        """The shares in each stratum; where it takes several answers their mean."""
        place = next((place for place, keys in enumerate(groups_of(design)) if set(self.groups) & set(keys)), 0)
        cells = design.background.cells
        keys = [
            [answer_key(design, place, answer) for answer in cells[stratum][place]] if cells else [key]
            for stratum, key in enumerate(design.strata)
        ]
        return np.array(
            [np.mean([[self.shares(key)[name] for name in BEHAVIOURS] for key in mine], axis=0) for mine in keys]
        )


HONEST = Misreporting()


def groups_of(design: Design) -> list[list[str]]:
    """The keys by which shares may differ: of the groups, or of the answers to each background question."""
    if not design.background:
        return [[group.key for group in design.groups]]
    questions = enumerate(design.background.questions)
    return [[answer_key(design, place, answer) for answer in question.everyone] for place, question in questions]


def _said(design: Design, person: Respondent, behaves: NDArray[np.bool_], generator: np.random.Generator) -> Respondent:
    """What a person says, of whom each of BEHAVIOURS holds or does not."""
    random, misreads, denies = behaves
    true = dict(zip((item.key for item in design.items), person.answers, strict=True))
    chosen: set[str] = set()
    """The items whose answer is chosen without a thought of what is true, and with a coin of one's own without it."""

    def answer_of(item: Item) -> Answer:
        answer = true[item.key]
        if random:
            chosen.add(item.key)
            return _any(item, generator)
        if item.kind != "yes_no" or answer not in (0, 1):
            return answer
        if misreads:
            return 1 - answer
        if denies and item.known_share is None:
            chosen.add(item.key)
            return 0
        return answer

    replies = ask(design.items, answer_of, asked_in(design, person.stratum))
    arms = design.background.arms
    own_coin = bool(arms) and arms[arm_of(design, person.stratum)].own_coin
    return Respondent(person.stratum, tuple(replies), frozenset(chosen if own_coin else ()))


def _any(item: Item, generator: np.random.Generator) -> Answer:
    if item.kind == "several_choices":
        return ticked(item, (generator.random(len(item.choices)) < 0.5).tolist(), generator)
    return int(generator.integers(item.answer_count))
