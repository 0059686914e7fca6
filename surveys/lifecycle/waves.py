"""What is read of a survey's waves: which there were, what they asked, what was spent in them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

from collector.designs import Design, selectors
from collector.reports import selectors as reports
from surveys.definition.privacy_budget import QuestionPrice, priced
from surveys.models import Survey, Version

SAME = ("items", "strata")
"""Keys of a design that say what is asked of whom."""


@dataclass(frozen=True)
class OpenedWave:
    """One opening of a survey. `same` says whether it asks what the one before asked, `again` whether the next does."""

    version: Version
    design: Design
    same: bool
    again: bool
    reports: int

    @property
    def number(self) -> int:
        return self.version.number

    @property
    def name(self) -> str:
        """A wave where its questions were asked more than once, a version where they were edited before and after."""
        return f"{'wave' if self.same or self.again else 'version'} {self.number}"

    @property
    def remembers(self) -> bool:
        """Whether devices remember their tickets."""
        return price_of(self.version.design_id).remembers

    @property
    def answered(self) -> bool:
        """Whether anybody may have spent anything: a report came, which counts for good, or may still come."""
        return not self.design.rehearsal and (self.reports > 0 or self.version.closed_at is None)


def waves_of(survey: Survey) -> tuple[OpenedWave, ...]:
    """Every opening of a survey, the oldest first, in as many queries for many as for one but for designs not yet read.

    Those that are waves of each other stand one after the other: one that is not and all that follow it and are.
    """
    versions = sorted(survey.versions.all(), key=lambda version: version.number)
    counts = reports.report_counts([version.design_id for version in versions])
    designs = [selectors.get_design(version.design_id) for version in versions]
    alike = [False, *(_questions(one) == _questions(other) for one, other in pairwise(designs)), False]
    return tuple(
        OpenedWave(version, design, same, again, counts[version.design_id].stored)
        for version, design, same, again in zip(versions, designs, alike, alike[1:], strict=False)
    )


def spending(waves: Sequence[OpenedWave]) -> list[QuestionPrice]:
    """Those in which anybody may have spent anything, as the ledger takes them.

    Conflict reports were sent all the same: what counts are totals, which stay.
    """
    return [price_of(one.version.design_id) for one in waves if one.answered]


@lru_cache(maxsize=256)
def price_of(digest: str) -> QuestionPrice:
    """What a frozen design costs, which never changes."""
    return priced(selectors.get_design(digest))


def _questions(design: Design) -> list[Any]:
    return [design.document[name] for name in SAME]
