"""How many reports each group of a survey may expect: what opening warns of, as a group is sent openly."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from collector.designs import FEWEST_IN_GROUP, Design, Stratum
from estimator.base import wording
from surveys.lifecycle import selectors
from surveys.models import Survey
from surveys.planning.drafts import Expectations, expectations_of
from surveys.planning.forecast import reports_of_use
from surveys.planning.parameters import MOST_RESPONDENTS, PlanParameters

FEWEST_EXPECTED = 30
"""Reports below which a group is warned of whatever its intervals: it is sent openly, and few people share it."""

USUAL = PlanParameters.respondents
"""Reports that are expected where nobody says how many: as many as the planner begins with."""


def expected_reports(survey: Survey, said: str = "") -> int:
    """Reports that a survey may expect: as many as are said, else as its last version has, else USUAL."""
    if said.isascii() and said.isdecimal() and len(said) <= 12 and 0 < int(said) <= MOST_RESPONDENTS:
        return int(said)
    return selectors.report_count(survey) or USUAL


@dataclass(frozen=True)
class GroupWarnings:
    """The groups of a design that may expect too few of so many reports: to be one of many, or for useful intervals.

    Attributes
    ----------
    expected : int
        Reports of the whole survey.
    enough : int
        Reports of a group with which the intervals of all its questions are expected to be of use; FEWEST_EXPECTED at
        the least.
    needed : int
        Reports of the whole survey with which every group may expect `enough`.
    small : tuple of (str, int)
        The label and the expected reports of each group that may expect fewer.
    """

    expected: int
    enough: int
    needed: int
    small: tuple[tuple[str, int], ...]

    @property
    def needed_text(self) -> str:
        return (
            f"It takes about {wording.count(self.needed)} reports for every group to have {wording.count(self.enough)}."
        )

    @property
    def in_words(self) -> str:
        """The warning in sentences; empty where every group may expect enough."""
        if not self.small:
            return ""
        named = ", ".join(f"{label} (about {wording.count(number)})" for label, number in self.small)
        return (
            f"A group is sent openly, not randomised. Of {wording.count(self.expected)} reports these groups would "
            f"have fewer than {wording.count(self.enough)}, too few to be one of many, or for intervals of at most "
            f"half of all that is possible: {named}. {self.needed_text} Numbers of a group with fewer than "
            f"{FEWEST_IN_GROUP} are told only together with others."
        )


def opening_warnings(design: Design, survey: Survey, expected: int) -> list[str]:
    """The warning of the groups of a design as programs and commands are told it; none of a rehearsal."""
    found = (
        None if design.rehearsal else group_warnings(design.groups, design.language, expectations_of(survey), expected)
    )
    return [found.in_words] if found and found.small else []


def group_warnings(
    groups: Sequence[Stratum], language: str, questions: Expectations, expected: int = USUAL
) -> GroupWarnings | None:
    """What to say of groups, by their known shares or as if all were alike; None where there are none."""
    if not groups:
        return None
    enough = _enough(questions)
    shares = [Fraction(group.share or Fraction(1, len(groups))) for group in groups]
    numbers = [int(share * expected) for share in shares]
    small = tuple(
        (group.label[language], number) for group, number in zip(groups, numbers, strict=True) if number < enough
    )
    least = min((share for share in shares if share), default=Fraction(1))
    return GroupWarnings(expected, enough, math.ceil(enough / least), small)


def _enough(questions: Expectations) -> int:
    """Reports with which a person is one of many, and the intervals of all questions are of use."""
    found = (reports_of_use(asked, replace(wanted, respondents=1)) for asked, wanted in questions if asked)
    return max([FEWEST_EXPECTED, *found])
