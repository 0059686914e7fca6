"""Mechanism entries: all properties that an author, the planner, the own-coin page and a report need."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import Any, Literal

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_noop as panel_noop

from collector import designs
from collector.designs.checks import decimal
from randomized_response import ParameterError
from randomized_response.encodings import SubsetSelection, UnaryEncoding
from randomized_response.questions import Mechanism

LARGEST_EPSILON = 16

PARTS = 10_000
"""Denominator of probabilities that the planner derives from an epsilon, rounded to less loss."""

Written = Mapping[str, Any]
"""A channel as written by its author, or as frozen: the mechanism's name and its parameters."""

Facts = Callable[[designs.Channel, Sequence[str]], Mapping[str, object]]


@dataclass(frozen=True)
class Parameter:
    """A parameter that an author sets for a mechanism. The library's constructor checks and names its bounds.

    `form` is how it is written: an exact fraction, a decimal number, a whole number, a table. `column` is where a draft
    has it, `reported` what a report calls it beside its value, where it says it.
    """

    name: str
    label: str
    help: str
    form: Literal["fraction", "decimal", "whole", "table"] = "fraction"
    column: str = ""
    default: str = ""
    reported: str | Promise = ""
    in_summary: bool = False
    """Whether it stands in the line that sums a question of a draft up."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "column", self.column or self.name)


TRUTH = Parameter(
    "truth",
    panel_noop("Truth probability"),
    panel_noop(
        "How often the answer itself is sent (subset: how often the set contains it), as a fraction such as 1/2."
    ),
    reported=gettext_lazy("truth probability"),
    in_summary=True,
)
EPSILON = Parameter(
    "epsilon",
    panel_noop("Epsilon"),
    panel_noop("Such as 0.7. For unary and subset enter only this: the best other numbers are computed from it."),
    form="decimal",
)


@dataclass(frozen=True)
class Dial:
    """The probability that the planner varies. A mechanism without one is planned by its epsilon.

    `within(odds, answers, channel)` is the value that lets a report multiply odds by at most `odds`; `above_half` says
    that only values above 1/2 are tried for a curve.
    """

    within: Callable[[float, int, Written], Fraction]
    parameter: str = "truth"
    usual: Fraction = Fraction(1, 2)
    above_half: bool = False


class ByHand(Enum):
    """Methods for a respondent without a script to randomise an answer."""

    TABLE = "marks what the table says for what she tossed"
    MIRROR = "marks her answer or its opposite"
    BIRTHDAY = "marks whether her answer is that to a question about a birthday; where there is none, as a mirror"


@dataclass(frozen=True)
class RegistryEntry:
    """One mechanism of the registry.

    - `name`: in a definition, in a frozen design and in the API.
    - `label`, `short`, `title`: in the author's list; within a sentence of the planner; in a report.
    - `kinds`: the kinds of questions that may have it.
    - `parameters`: in the order in which they are written.
    - `example`: a channel as an author writes it, for the documentation.
    - `make`: from the number of answers and what its author says to the library's mechanism. Raises ParameterError
      naming the argument, the bound and the value, KeyError with the name of one that is missing.
    - `sentence`: of a report's methods, with the names of facts: the parameters, `size`, and `count`, the number of
      answers.
    - `works`: what that sentence cites: works by a short key.
    - `facts`: further facts for the sentence, from the frozen channel and the words for its answers.
    - `only_two`: whether it has no table for a third answer, as "prefer not to say" is to a yes/no question.
    - `assumed`: what a planner takes for parameters that it does not ask for.
    - `untabled`: the same mechanism for so many choices that its table would be large; for planning.
    - `compared_as`: its name in the library's comparison of mechanisms for one choice of many; empty where it is in
      none.
    - `only_mean`: whether a report shows of a scale its mean alone.
    - `slow`: whether a table of it takes long to make.
    """

    name: str
    label: str
    short: str
    title: str | Promise
    kinds: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    example: str
    make: Callable[[int, Written], Mechanism]
    sentence: str | Promise
    works: Mapping[str, str]
    facts: Facts = lambda channel, answers: {}
    only_two: bool = False
    dial: Dial | None = None
    assumed: Mapping[str, str] = field(default_factory=dict)
    untabled: Callable[[int, Fraction], SubsetSelection] | None = None
    compared_as: str = ""
    only_mean: bool = False
    slow: bool = False
    by_hand: ByHand = ByHand.TABLE

    @property
    def defaults(self) -> dict[str, str]:
        """The default values of the parameters that an author leaves out."""
        return {parameter.name: parameter.default for parameter in self.parameters if parameter.default}

    def describe(self, channel: designs.Channel, answers: Sequence[str]) -> str:
        """The sentence of a report's methods, from the frozen channel and the words for its answers."""
        facts = {**channel.parameters, "size": channel.size, "count": len(answers)}
        return str(self.sentence) % (facts | {**self.facts(channel, answers)})


def in_parts(against: float, *, least: int = 1) -> Fraction:
    """The largest probability in parts of 10,000 whose odds are at most `against`."""
    return Fraction(min(max(math.floor(PARTS * against / (1 + against)), least), PARTS - 1), PARTS)


def chance_of_mark(row: Sequence[int]) -> Fraction:
    """The probability that a row of a table of two columns sends the second one."""
    return Fraction(row[1], sum(row))


def epsilon_of(written: Written) -> float:
    """Parse an epsilon requested by an author, a decimal number, and check its bounds."""
    epsilon = decimal(written["epsilon"], ("channel", "epsilon"))
    if not 0 < epsilon <= LARGEST_EPSILON:
        bounds = f"must be greater than 0 and at most {LARGEST_EPSILON}"
        raise ParameterError("epsilon", f"{bounds}; got {written['epsilon']}")
    return float(epsilon)


def encoding(kind: type[SubsetSelection | UnaryEncoding], answers: int, written: Written, *names: str) -> Mechanism:
    """An encoding with these parameters, or with the best ones for an epsilon, which must stand alone."""
    if "epsilon" not in written:
        return kind(answers, **{name: written[name] for name in names})
    if set(names) & set(written):
        without = " and ".join(names)
        raise ParameterError("epsilon", f"must stand without {without}: the best ones are computed from it")
    return kind.optimised(answers, epsilon=epsilon_of(written))
