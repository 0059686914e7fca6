"""The simulated population: the number of people by group, and the truth by group and overall."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NotRequired, TypedDict

import numpy as np
from django.utils.translation import gettext
from numpy.typing import NDArray

from collector.designs import Design, Item
from collector.designs.arms import asked_in
from collector.errors import InputError
from estimator.runs.estimation import known_shares
from estimator.runs.groups import ungrouped
from surveys.planning.rehearsals.respondents import Respondent, ask, shares_of, strata_shares, ticked

Given = list[float] | dict[str, float]
"""Shares of the answers (for several choices of each option), or of a number its `mean` and perhaps its `spread`."""


class Behaviour(TypedDict, total=False):
    """Shares of people who do not say what is true."""

    at_random: float
    misunderstanding: float
    denial: float


BEHAVIOURS: tuple[Literal["at_random", "misunderstanding", "denial"], ...] = ("at_random", "misunderstanding", "denial")
"""In the order in which they are told apart: each is a share of those before it left over."""


class Assumptions(TypedDict):
    """What is asked for, as it is stored: shares by the items' keys, and by the strata's where they differ there."""

    respondents: int
    shares: dict[str, Given]
    sizes: NotRequired[list[int] | None]
    groups: NotRequired[dict[str, dict[str, Given]]]
    at_random: NotRequired[float]
    misunderstanding: NotRequired[float]
    denial: NotRequired[float]
    misreporting_groups: NotRequired[dict[str, "Behaviour"]]
    """Shares of people who do not say what is true: `misreporting.Misreporting`."""
    file: NotRequired[bool]
    """Whether its respondents came in a file, and are not drawn."""


Marginals = list[NDArray[np.float64]]
"""For each item the share of each answer that meets a ticket; for several choices, of each option ticked."""


@dataclass(frozen=True)
class Population:
    """Simulated people. `tables` has for each stratum, by the items' keys, the share of each answer.

    `sizes` are the numbers of people in the strata; None where they come as the strata's shares have it.
    """

    design: Design
    respondents: int
    sizes: tuple[int, ...] | None
    tables: tuple[dict[str, list[float]], ...]

    @property
    def parts(self) -> NDArray[np.float64]:
        """The expected share of the respondents in each stratum."""
        if self.sizes is not None:
            return np.array(self.sizes) / self.respondents
        return np.array(strata_shares(self.design))

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weights of the strata in overall estimates: their known shares, else those of the participants."""
        return np.array(known_shares(ungrouped(self.design)) or self.parts)

    def draw(self, generator: np.random.Generator) -> Iterator[Respondent]:
        """The people, one at a time; all random numbers are drawn before the first person is yielded."""
        strata = self._strata(generator)
        drawn = [self._answers(item, strata, generator) for item in self.design.items]
        for person, stratum in enumerate(strata.tolist()):
            given = {item.key: answers[person] for item, answers in zip(self.design.items, drawn, strict=True)}
            asked = asked_in(self.design, stratum)
            replies = ask(self.design.items, lambda item, given=given: given[item.key], asked)  # type: ignore[misc]
            yield Respondent(stratum, tuple(replies))

    def marginals(self) -> list[Marginals]:
        """The truth in each stratum, of all its people; for those who are not asked, what is sent for them."""
        return [marginals(self.design.items, table) for table in self.tables]

    def _strata(self, generator: np.random.Generator) -> NDArray[np.int64]:
        if self.sizes is not None:
            return np.repeat(np.arange(len(self.sizes)), self.sizes)
        return generator.choice(len(self.design.strata), size=self.respondents, p=self.parts)

    def _answers(self, item: Item, strata: NDArray[np.int64], generator: np.random.Generator) -> list[Any]:
        """Everybody's answer to one item, asked or not."""
        uniform = generator.random((len(strata), item.answer_count if item.kind == "several_choices" else 1))
        tables = np.array([table[item.key] for table in self.tables])[strata]
        if item.kind == "several_choices":
            return [ticked(item, marks, generator) for marks in (uniform < tables).tolist()]
        steps = np.cumsum(tables, axis=1)
        answers: list[int] = (uniform * steps[:, -1:] >= steps).sum(axis=1).tolist()
        return answers


def population(design: Design, assumptions: Assumptions) -> Population:
    """The population as requested.

    Parameters
    ----------
    assumptions : Assumptions
        `respondents`; `sizes`, a number for each stratum, or None; `shares`, by the items' keys; `groups`, by the
        strata's keys and then like `shares`, where it differs there. Where no shares are given, all answers are equally
        frequent; of a question that versions of the page ask instead of another, as frequent as that one's.

    Raises
    ------
    InputError
        Naming the item and what its shares must be.
    """
    known = {item.key: item for item in design.items}
    groups = assumptions.get("groups") or {}
    for shares in (assumptions["shares"], *groups.values()):
        if unknown := sorted(set(shares) - set(known)):
            raise InputError(
                "shares", gettext("share: the survey has no question {unknown}").format(unknown=", ".join(unknown))
            )
    same = {other: key for arm in design.background.arms for key, other in arm.instead.items()}
    tables = tuple(
        {key: shares_of(item, given.get(key, given.get(same.get(key, "")))) for key, item in known.items()}
        for given in (assumptions["shares"] | groups.get(stratum, {}) for stratum in design.strata)
    )
    sizes = assumptions.get("sizes")
    return Population(design, assumptions["respondents"], None if sizes is None else tuple(sizes), tables)


def marginals(items: Sequence[Item], table: dict[str, list[float]]) -> Marginals:
    """Exact shares of the answers that meet a ticket: answers are independent except for conditions."""
    reached: dict[str, float] = {}
    found = []
    for item in items:
        condition, shares = item.asked_if, np.array(table[item.key])
        reach = 1.0
        if condition is not None:
            earlier = next(one for one in items if one.key == condition.item)
            reach = reached[earlier.key] * _leading(earlier, table[earlier.key], condition.answers)
        reached[item.key] = reach
        if item.kind == "several_choices":
            found.append(reach * _ticked_shares(item, shares))
        else:
            sent = reach * shares
            if condition is not None:
                sent[item.unasked] += 1 - reach
            found.append(sent)
    return found


def _leading(item: Item, table: list[float], leading: Sequence[int]) -> float:
    """The chance that a person who is asked has one of the leading answers."""
    if item.kind != "several_choices":
        return float(sum(table[place] for place in leading))
    free, refuse = _free_options(item, table)
    most = item.most or len(table)
    inside = _counts([share for place, share in free if place in leading])
    outside = _counts([share for place, share in free if place not in leading])
    without = sum(
        chance * other * _none_of(held, beside, most)
        for held, chance in enumerate(inside)
        for beside, other in enumerate(outside)
    )
    refused = refuse if item.prefer_not and len(table) - 1 in leading else 0.0
    return float((1 - refuse) * (1 - without) + refused)


def _none_of(held: int, beside: int, most: int) -> float:
    """The chance that none of `held` options is among `most` retained of them and `beside` others, at random."""
    if held + beside <= most:
        return float(held == 0)
    chance = 1.0
    for place in range(most):
        chance *= max(beside - place, 0) / (held + beside - place)
    return chance


def _ticked_shares(item: Item, shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of each option's final ticks: "prefer not to say" alone, otherwise at most `most`."""
    free, refuse = _free_options(item, shares.tolist())
    most, final = item.most or len(shares), shares.copy()
    for place, share in free:
        others = _counts([one for other, one in free if other != place])
        stays = sum(chance * min(1.0, most / (number + 1)) for number, chance in enumerate(others))
        final[place] = (1 - refuse) * share * stays
    return final


def _free_options(item: Item, table: list[float]) -> tuple[list[tuple[int, float]], float]:
    """The options that are ticked independently, and the share of "prefer not to say" instead of them."""
    options = list(enumerate(table))
    return (options[:-1], table[-1]) if item.prefer_not else (options, 0.0)


def _counts(shares: list[float]) -> NDArray[np.float64]:
    """The chance that 0, 1, 2, ... of independent options are ticked."""
    chances = np.array([1.0])
    for share in shares:
        chances = np.convolve(chances, [1 - share, share])
    return chances
