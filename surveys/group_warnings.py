"""How many reports each group of a survey may expect: what opening warns of, as a group is sent openly."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from collector.designs import FEWEST_IN_GROUP
from estimator import wording
from estimator.computing import MINIMUM_REPORTS
from surveys import selectors
from surveys.models import Survey
from surveys.planning.parameters import MOST_RESPONDENTS, Wanted

USUAL = Wanted.respondents
"""Reports that are expected where nobody says how many: as many as the planner begins with."""


def expected_reports(survey: Survey, said: str = "") -> int:
    """Reports that a survey may expect: as many as are said, else as its last version has, else USUAL."""
    if said.isascii() and said.isdecimal() and len(said) <= 12 and 0 < int(said) <= MOST_RESPONDENTS:
        return int(said)
    return selectors.report_count(survey) or USUAL


@dataclass(frozen=True)
class GroupWarnings:
    """The groups of a design that may expect fewer than MINIMUM_REPORTS of so many reports.

    Attributes
    ----------
    expected : int
        Reports of the whole survey.
    needed : int
        Reports with which every group may expect MINIMUM_REPORTS.
    small : tuple of (str, int)
        The label and the expected reports of each group that may expect fewer.
    """

    expected: int
    needed: int
    small: tuple[tuple[str, int], ...]

    @property
    def needed_text(self) -> str:
        return f"It takes about {wording.count(self.needed)} reports for every group to have {MINIMUM_REPORTS}."

    @property
    def in_words(self) -> str:
        """The warning in sentences; empty where every group may expect enough."""
        if not self.small:
            return ""
        named = ", ".join(f"{label} (about {wording.count(number)})" for label, number in self.small)
        return (
            f"A group is sent openly, not randomised. Of {wording.count(self.expected)} reports these groups would "
            f"have fewer than {MINIMUM_REPORTS}, too few for an estimate: {named}. {self.needed_text} Numbers of a "
            f"group with fewer than {FEWEST_IN_GROUP} are told only together with others."
        )


def opening_warnings(document: Mapping[str, Any], expected: int) -> list[str]:
    """The warning of the groups of a design as programs and commands are told it; none of a rehearsal."""
    found = None if document["rehearsal"] else group_warnings(document, expected)
    return [found.in_words] if found and found.small else []


def group_warnings(document: Mapping[str, Any], expected: int = USUAL) -> GroupWarnings | None:
    """What to say of the groups of a design, by their known shares or as if all were alike; None where it has none."""
    groups, language = document["strata"]["groups"], document["languages"][0]
    if not groups:
        return None
    shares = [Fraction(group["share"] or Fraction(1, len(groups))) for group in groups]
    numbers = [int(share * expected) for share in shares]
    small = tuple(
        (group["label"][language], number)
        for group, number in zip(groups, numbers, strict=True)
        if number < MINIMUM_REPORTS
    )
    least = min((share for share in shares if share), default=Fraction(1))
    return GroupWarnings(expected, math.ceil(MINIMUM_REPORTS / least), small)
