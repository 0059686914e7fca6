"""Arms of a design: several versions of the page, of which each browser draws one (docs/adr/0052-arms.md).

Which one it drew is sent openly, as the answer to the first background question, which nobody is asked. Each arm may
ask some questions in another way, with other tickets or other words: those are questions of the design beside them, and
a report has the symbols of all of them, whatever was asked (docs/adr/0056-questions-of-an-arm.md).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

from django.utils.translation import gettext

from collector.designs.blocks import Text
from collector.designs.checks import exact_keys, listed, one_of, require, text, whole
from collector.errors import Path

if TYPE_CHECKING:
    from collector.designs.design import Design, Item

MOST_ARMS = 4
MOST_WEIGHT = 100
Explanation = Literal["before", "after", "own_coin"]


@dataclass(frozen=True, slots=True)
class Arm:
    """A version of the page.

    - `explanation`: whether the page explains the tickets before the questions, or after Send; or has respondents toss
      a coin of their own, and sends what they mark by it (docs/adr/0057-own-coin-arms.md).
    - `weight`: of so many of all weights this arm is drawn.
    - `introduction`: in place of the survey's own; empty for that.
    - `instead`: the key of the question that this arm asks instead, by the key of the one that it leaves out.
    - `consent`: what must be ticked besides, where this arm protects less than another; empty where it does not.
    """

    explanation: Explanation
    weight: int
    introduction: Text
    instead: Mapping[str, str]
    consent: Text

    @property
    def own_coin(self) -> bool:
        """Whether respondents toss a coin or die of their own, and the page draws no tickets for what it asks."""
        return self.explanation == "own_coin"

    @classmethod
    def of(cls, arm: Mapping[str, Any]) -> Self:
        """Return the arm of a validated document."""
        words = (arm.get(name, {}) for name in ("introduction", "instead", "consent"))
        return cls(arm["explanation"], arm["weight"], *words)


def shares_of(arms: Sequence[Mapping[str, Any]]) -> tuple[Fraction, ...]:
    """How often each arm of a valid document is drawn; together 1."""
    total = sum(arm["weight"] for arm in arms)
    return tuple(Fraction(arm["weight"], total) for arm in arms)


def versions_of(keys: Sequence[str], changes: Sequence[Mapping[str, str]]) -> tuple[tuple[int, ...], ...]:
    """The places of the questions, named by `keys`, that each arm asks; all of them, once, without arms.

    - `changes`: what each arm asks `instead`.
    """
    others = {key for instead in changes for key in instead.values()}
    return tuple(
        tuple(
            place
            for place, key in enumerate(keys)
            if key not in instead and (key not in others or key in instead.values())
        )
        for instead in changes
    ) or (tuple(range(len(keys))),)


def arm_of(design: "Design", stratum: int) -> int:
    """The place of the version of the page whose respondents are in this group or cell; 0 without arms."""
    if not design.background.arms:
        return 0
    (arm,) = design.background.cells[stratum][0]  # the answer to the first background question; one in each cell
    return arm


def asked_in(design: "Design", stratum: int) -> tuple[int, ...]:
    """The places of the questions that the version of the page asks whose respondents are in this group or cell."""
    return design.versions[arm_of(design, stratum)]


def tossed_items(design: "Design") -> set[str]:
    """The keys of the questions that some version of the page asks by a coin of the respondents' own."""
    arms = zip(design.background.arms, design.versions, strict=False)
    return {design.items[place].key for arm, asked in arms if arm.own_coin for place in asked}


def check_arms(value: object, path: Path, languages: list[str] | None = None) -> int:
    """Validate the arms of a question and return their number; their texts only where `languages` are given."""
    arms = listed(value, path)
    many = gettext("must be 2 to {most} arms; got {count}")
    require(2 <= len(arms) <= MOST_ARMS, path, many.format(most=MOST_ARMS, count=len(arms)))
    for number, one in enumerate(arms):
        at = (*path, number)
        arm = exact_keys(one, {"explanation", "weight"}, at, optional={"introduction", "instead", "consent"})
        one_of(arm["explanation"], get_args(Explanation), (*at, "explanation"), gettext("before, after or own_coin"))
        whole(arm["weight"], (*at, "weight"), low=1, high=MOST_WEIGHT)
        for name in ("introduction", "consent"):
            if name in arm and languages is not None:
                text(arm[name], (*at, name), languages)
        if "instead" in arm:
            _check_names(arm["instead"], number, (*at, "instead"))
    return len(arms)


def _check_names(instead: object, arm: int, path: Path) -> None:
    """Validate the names of the questions that an arm asks instead of others."""
    fits = isinstance(instead, dict) and instead and all(isinstance(key, str) for key in instead.values())
    require(
        fits, path, gettext("must name a question for each that is left out; got {instead!r}").format(instead=instead)
    )
    first = gettext("is for the versions after the first, which asks the questions as they are")
    require(arm > 0, path, first)


def check_instead(items: Sequence["Item"], arms: Sequence[Arm], path: Path) -> None:
    """Validate what arms ask instead of what: questions with the same answers, and conditions that their arms ask."""
    places = {item.key: place for place, item in enumerate(items)}
    replaced: dict[str, str] = {}
    for number, arm in enumerate(arms):
        at = (*path, number, "instead")
        for key, other in arm.instead.items():
            for name in (key, other):
                known = gettext("must name questions of the survey; there is no {name!r}").format(name=name)
                require(name in places, at, known)
            _check_same_answers(items[places[key]], items[places[other]], at)
            twice = gettext("must ask {other} instead of one question alone; got {first} and {second}")
            first = replaced.setdefault(other, key)
            require(first == key, at, twice.format(other=other, first=first, second=key))
    chained = sorted(set(replaced) & set(replaced.values()))
    message = gettext("must not leave out a question that is itself asked instead of another; got {chained}")
    require(not chained, path, message.format(chained=", ".join(chained)))
    for number, asked in enumerate(versions_of(list(places), [arm.instead for arm in arms])):
        for item in (items[place] for place in asked):
            reached = item.asked_if is None or places[item.asked_if.item] in asked
            after = gettext("must ask {first} too, as {item} is asked after some answers to it")
            first = item.asked_if.item if item.asked_if else ""
            require(reached, (*path, number, "instead"), after.format(first=first, item=item.key))


def is_one_mark(item: "Item") -> bool:
    """Whether everybody is asked the item and its answer is one of a few choices, by one row of one table."""
    return item.kind in ("yes_no", "one_choice", "scale") and item.encoding == "single" and item.asked_if is None


def check_marks(items: Sequence["Item"], arms: Sequence[Arm], path: Path) -> None:
    """Validate that what arms with a coin of one's own ask is asked of everybody and answered with one mark."""
    versions = versions_of([item.key for item in items], [arm.instead for arm in arms])
    for number, (arm, asked) in enumerate(zip(arms, versions, strict=False)):
        for item in (items[place] for place in asked if arm.own_coin):
            words = gettext("own_coin needs questions that everybody answers with a mark of a few; got {item}")
            require(
                is_one_mark(item) and not item.dropdown, (*path, number, "explanation"), words.format(item=item.key)
            )


def _check_same_answers(one: "Item", other: "Item", path: Path) -> None:
    same = (one.kind, one.choices, one.grid, one.prefer_not) == (
        other.kind,
        other.choices,
        other.grid,
        other.prefer_not,
    )
    message = gettext("must ask instead of {one} a question of its kind with its choices; {other} has others")
    require(same and one is not other, path, message.format(one=one.key, other=other.key))
