"""One number of an analysis of any kind, as stored, shown and exported."""

import math
from dataclasses import dataclass, field

ENOUGH_FOR_NORMAL = 30
"""Minimum reports of a cross-table, or a group in a regression: intervals and tests assume normality, not
exact chances as those of a share do. A limit of the method; that of privacy is FEWEST_IN_GROUP."""

TOO_FEW_IN_GROUPS = "too_few_reports_in_the_groups"
"""No numbers by group are released."""

MAYBE_EMPTY = "row_may_be_empty"
"""Too few respondents give the row's answer for shares among them."""
ENTERED = "entered"
"""The weights of a row that is weighted by shares of a population that were entered."""
WALD = "wald"
EDGE = "at_the_edge"
"""No finite estimate: the maximum of the likelihood is on the boundary."""
SEVERAL = "several_maxima"
"""Quite different coefficients are about as likely."""
RARE = "rare_answer"
"""So few give an answer to a randomised predictor that numbers which rest on it cannot be trusted, or are missing."""


@dataclass(frozen=True)
class AnalysisRow:
    """A number with its interval; missing numbers are None, and `flags` gives the reason.

    - `quantity`: share, mean, difference, joint_share, row_share, phi, odds_ratio, correlation.
    - `item`, `choice`: key of the question and place of the choice; no choice for a mean.
    - `other_item`, `other_choice`: of the second question of a table, or of a randomised predictor.
    - `group`, `against`: keys of the group it speaks of, and of the group that this is compared with; empty for all
      respondents.
    - `version`, `against_version`: the same for versions of a survey.
    - `weights`: ENTERED, or empty where all responses count alike.
    - `n`: reports.
    - `estimate`, `unbiased`: the estimate to quote, and the unbiased one, which may leave the range.
    - `standard_error`: of the unbiased estimate; of an odds ratio that of its logarithm.
    - `level`: of the interval by itself.
    - `returned`: of a change: how many people took part in both waves, where that was said.
    - `narrowest_standard_error`: of a change: what the standard error is at least, where not all is known that it
      depends on.
    """

    quantity: str
    item: str
    n: int
    choice: int | None = None
    other_item: str = ""
    other_choice: int | None = None
    group: str = ""
    against: str = ""
    version: int | None = None
    against_version: int | None = None
    weights: str = ""
    estimate: float | None = None
    unbiased: float | None = None
    standard_error: float | None = None
    low: float | None = None
    high: float | None = None
    interval: str = "none"
    level: float | None = None
    returned: int | None = None
    narrowest_standard_error: float | None = None
    flags: list[str] = field(default_factory=list)

    @property
    def known(self) -> bool:
        return self.estimate is not None

    @property
    def differs(self) -> bool:
        """Return True if the interval of a difference excludes 0."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


def number(value: float) -> float | None:
    """A number for JSON; None if it is not finite."""
    return float(value) if math.isfinite(value) else None
