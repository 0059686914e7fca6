"""How much everything that one person sends can reveal, as a level that chooses the sentences on protection.

The total privacy loss (epsilon) bounds what anybody can learn from all responses of a person together: the odds of any
guess change by a factor of at most e^epsilon. The levels are cut by that factor, and the same for every text:

| level   | epsilon  | factor   | an even guess (50 of 100) becomes at most |
|---------|----------|----------|-------------------------------------------|
| little  | up to ½  | to 1.65  | 62 of 100                                 |
| hint    | up to 2  | to 7.39  | 88 of 100                                 |
| strong  | up to 4  | to 54.6  | 98 of 100                                 |
| warning | above 4  | more     | nearly certain                            |

Above epsilon 4 no text may promise protection: it warns. The planner warns at the same bound.
"""

from enum import StrEnum
from fractions import Fraction
from math import prod
from typing import NamedTuple

from collector.designs import Design
from estimator.base.questions import question_of
from randomized_response import epsilon_total
from randomized_response.errors import ParameterError


class Level(StrEnum):
    """What everything that a person sends can be: at the worst, for the likeliest guess."""

    LITTLE = "little"
    HINT = "hint"
    STRONG = "strong"
    WARNING = "warning"


BOUNDS = (
    (Fraction("1.648721270700128146848650787814"), Level.LITTLE),
    (Fraction("7.389056098930650227230427460575"), Level.HINT),
    (Fraction("54.598150033144239078110261202860"), Level.STRONG),
)
"""The largest factors of a level: e^(1/2), e^2 and e^4, cut off after 30 decimals; a factor between the two counts as
the level above.
"""


def level_of(ratio: Fraction) -> Level:
    """The level of a factor e^epsilon of at least 1."""
    return next((level for most, level in BOUNDS if ratio <= most), Level.WARNING)


class Odds(NamedTuple):
    """A privacy loss as e^epsilon, for `epsilon_total`."""

    ratio: Fraction


def ratios_of_versions(design: Design) -> tuple[Fraction, ...]:
    """e^epsilon of the questions that each version of the page asks, in one wave; one number without versions.

    What a version does not ask it sends as if everybody had answered the same: that tells nothing, and is not counted.
    """
    each = [Fraction(question_of(item).mechanism.ratio) for item in design.items]
    return tuple(prod((each[place] for place in asked), start=Fraction(1)) for asked in design.versions)


def total_ratio(design: Design) -> Fraction:
    """e^epsilon of all that one person sends: the version that tells the most, and the waves before it."""
    return design.spent * max(ratios_of_versions(design))


def epsilon_of_design(design: Design) -> float:
    """Epsilon of one wave's responses of one person, whatever version of the page she saw, rounded up."""
    return epsilon_total([Odds(max(ratios_of_versions(design)))])


def level_of_design(design: Design) -> Level:
    """The level of all questions of a design together, with the waves before it.

    A table that protects nothing, or is none, warns: no such design is opened, and its page refuses to send.
    """
    try:
        return level_of(total_ratio(design))
    except (OverflowError, ParameterError):
        return Level.WARNING
