"""Arms of a design: several versions of the page, of which each browser draws one (docs/adr/0052-arms.md).

Which one it drew is sent openly, as the answer to the first background question, which nobody is asked. Every arm
sends its answers through the same tickets.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, Self, get_args

from django.utils.translation import gettext

from collector.designs.blocks import Text
from collector.designs.checks import exact_keys, listed, one_of, require, text, whole
from collector.errors import Path

MOST_ARMS = 4
MOST_WEIGHT = 100
Explanation = Literal["before", "after"]


@dataclass(frozen=True, slots=True)
class Arm:
    """A version of the page.

    - `explanation`: whether the page explains the tickets before the questions, or after Send.
    - `weight`: of so many of all weights this arm is drawn.
    - `introduction`: in place of the survey's own; empty for that.
    """

    explanation: Explanation
    weight: int
    introduction: Text

    @classmethod
    def of(cls, arm: Mapping[str, Any]) -> Self:
        """Return the arm of a validated document."""
        return cls(arm["explanation"], arm["weight"], arm.get("introduction", {}))


def shares_of(arms: Sequence[Mapping[str, Any]]) -> tuple[Fraction, ...]:
    """How often each arm of a valid document is drawn; together 1."""
    total = sum(arm["weight"] for arm in arms)
    return tuple(Fraction(arm["weight"], total) for arm in arms)


def check_arms(value: object, path: Path, languages: list[str] | None = None) -> int:
    """Validate the arms of a question and return their number; their texts only where `languages` are given."""
    arms = listed(value, path)
    many = gettext("must be 2 to {most} arms; got {count}")
    require(2 <= len(arms) <= MOST_ARMS, path, many.format(most=MOST_ARMS, count=len(arms)))
    for number, one in enumerate(arms):
        at = (*path, number)
        arm = exact_keys(one, {"explanation", "weight"}, at, optional={"introduction"})
        one_of(arm["explanation"], get_args(Explanation), (*at, "explanation"), gettext("before or after"))
        whole(arm["weight"], (*at, "weight"), low=1, high=MOST_WEIGHT)
        if "introduction" in arm and languages is not None:
            text(arm["introduction"], (*at, "introduction"), languages)
    return len(arms)
