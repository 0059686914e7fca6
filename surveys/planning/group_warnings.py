"""Responses that each group of a survey may expect: warnings at opening, as a group is sent openly."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from django.utils.translation import gettext as _

from collector.designs import FEWEST_IN_GROUP, Design, Stratum
from estimator.base import wording
from surveys.lifecycle import selectors
from surveys.models import Survey
from surveys.planning.drafts import Expectations, expectations_of
from surveys.planning.forecast import enough_responses
from surveys.planning.parameters import MOST_RESPONDENTS, PlanParameters

FEWEST_EXPECTED = 30
"""Responses below which a group always causes a warning: it is sent openly, and few people share it."""

USUAL = PlanParameters.respondents
"""Expected responses by default: the planner's initial number."""


def expected_reports(survey: Survey, entered: str = "") -> int:
    """Responses that a survey may expect: as given, else as many as its last version has, else USUAL."""
    if entered.isascii() and entered.isdecimal() and len(entered) <= 12 and 0 < int(entered) <= MOST_RESPONDENTS:
        return int(entered)
    return selectors.report_count(survey) or USUAL


@dataclass(frozen=True)
class GroupWarnings:
    """Groups of a design that may expect too few responses: to be one of many, or for estimates to report.

    Attributes
    ----------
    expected : int
        Responses of the whole survey.
    enough : int
        Responses of a group with which no estimate is expected to be too imprecise to report; FEWEST_EXPECTED at
        the least.
    needed : int
        Responses of the whole survey with which every group may expect `enough`.
    small : tuple of (str, int)
        The label and the expected responses of each group that may expect fewer.
    """

    expected: int
    enough: int
    needed: int
    small: tuple[tuple[str, int], ...]

    @property
    def needed_text(self) -> str:
        text = _("It takes about %(needed)s responses for every group to have %(enough)s.")
        return text % {"needed": wording.count(self.needed), "enough": wording.count(self.enough)}

    @property
    def in_words(self) -> str:
        """The warning in sentences; empty where every group may expect enough."""
        if not self.small:
            return ""
        about = _("%(group)s (about %(number)s)")
        named = ", ".join(about % {"group": label, "number": wording.count(number)} for label, number in self.small)
        text = _(
            "A group is sent openly, not randomised. Of %(expected)s responses these groups would have fewer than "
            "%(enough)s, too few to be one of many, or for estimates that are precise enough to report: %(groups)s. "
            "%(needed)s Numbers of a group with fewer than %(fewest)s are shown only together with others."
        )
        return text % {
            "expected": wording.count(self.expected),
            "enough": wording.count(self.enough),
            "groups": named,
            "needed": self.needed_text,
            "fewest": FEWEST_IN_GROUP,
        }


def opening_warnings(design: Design, survey: Survey, expected: int) -> list[str]:
    """The warning about a design's groups for programs and commands; empty for a rehearsal."""
    found = (
        None if design.rehearsal else group_warnings(design.groups, design.language, expectations_of(survey), expected)
    )
    return [found.in_words] if found and found.small else []


def group_warnings(
    groups: Sequence[Stratum], language: str, questions: Expectations, expected: int = USUAL
) -> GroupWarnings | None:
    """The warnings about groups, by known shares or as if all were equal; None without groups."""
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
    """Responses for which a person is one of many, and no estimate is too imprecise to report."""
    found = (enough_responses(question, replace(wanted, respondents=1)) for question, wanted in questions if question)
    return max([FEWEST_EXPECTED, *found])
