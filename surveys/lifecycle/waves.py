"""Queries of a survey's waves: their versions, their questions, and their privacy loss."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from collector.designs import Design, selectors
from collector.reports import selectors as reports
from collector.reports.selectors import ReportCounts
from surveys.definition.privacy_budget import QuestionPrice, priced
from surveys.models import Survey, Version


@dataclass(frozen=True)
class OpenedWave:
    """One opening of a survey. `same`: it asks what the previous one asked; `again`: the next asks the same."""

    version: Version
    design: Design
    same: bool
    again: bool
    counted: ReportCounts

    @property
    def number(self) -> int:
        return self.version.number

    @property
    def name(self) -> str:
        """The name: "wave" if its questions were asked more than once, else "version", with its number."""
        return f"{'wave' if self.same or self.again else 'version'} {self.number}"

    @property
    def remembers(self) -> bool:
        """True if devices remember their tickets."""
        return price_of(self.version.design_id).remembers

    @property
    def answered(self) -> bool:
        """True if the wave may have caused privacy loss: a response was stored, or may still be."""
        return not self.design.rehearsal and (self.counted.stored > 0 or self.counted.stepwise)


def waves_of(survey: Survey) -> tuple[OpenedWave, ...]:
    """Every opening of a survey, the oldest first; a constant number of queries plus one per design not yet read.

    Those that are waves of each other stand one after the other: one that is not and all that follow it and are.
    """
    versions = sorted(survey.versions.all(), key=lambda version: version.number)
    counts = reports.report_counts([version.design_id for version in versions])
    designs = [selectors.get_design(version.design_id) for version in versions]
    alike = [False, *(_questions(one) == _questions(other) for one, other in pairwise(designs)), False]
    return tuple(
        OpenedWave(version, design, same, again, counts[version.design_id])
        for version, design, same, again in zip(versions, designs, alike, alike[1:], strict=False)
    )


def spending(waves: Sequence[OpenedWave]) -> list[QuestionPrice]:
    """The designs of waves that may have caused privacy loss, for the budget.

    Conflict reports were sent all the same: what counts are totals, which stay.
    """
    return [price_of(one.version.design_id) for one in waves if one.answered]


@lru_cache(maxsize=256)
def price_of(digest: str) -> QuestionPrice:
    """The privacy loss of a frozen design, which never changes."""
    return priced(selectors.get_design(digest))


def _questions(design: Design) -> tuple[object, ...]:
    return design.items, design.strata_wording, design.groups, design.background
