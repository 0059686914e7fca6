"""False reports needed to change a result: the inverse of the bounds in `estimator.reports.privacy`.

Hard in the same way: with fewer, whatever they say and whoever sends them, it cannot have happened.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import ngettext

from estimator.base import wording
from estimator.base.measures import MEAN, SHARE
from estimator.reports import privacy
from estimator.runs.results import EstimateCell, QuestionResults
from randomized_response import false_reports_needed
from randomized_response.questions import Mechanism


@dataclass(frozen=True)
class FalseReportsNeeded:
    """The smallest number of false reports among n that could move an overall estimate out of its interval.

    Where `turns`, the smallest that could turn what the intervals tell: the side of one half on which the share of
    `choice` lies, or, where `largest`, that no other choice has a larger share.
    """

    measure: str
    false_reports: int
    n: int
    turns: bool = False
    largest: bool = False
    choice: str = ""

    def in_words(self) -> str:
        part = self.false_reports / self.n
        share = wording.percent(part, 0 if part >= 0.1 else 1 if part >= 0.01 else 2)
        numbers = {"false": wording.count(self.false_reports), "share": share, "choice": self.choice}
        return self._text() % numbers

    def _text(self) -> str:
        if self.turns and self.largest:
            return ngettext(
                "At least %(false)s false response (%(share)s) is needed to give another choice a larger share "
                "than “%(choice)s”.",
                "At least %(false)s false responses (%(share)s) are needed to give another choice a larger share "
                "than “%(choice)s”.",
                self.false_reports,
            )
        if self.turns:
            return ngettext(
                "At least %(false)s false response (%(share)s) is needed to move the share of “%(choice)s” across "
                "50 %%.",
                "At least %(false)s false responses (%(share)s) are needed to move the share of “%(choice)s” "
                "across 50 %%.",
                self.false_reports,
            )
        if self.measure == MEAN:
            return ngettext(
                "At least %(false)s false response (%(share)s) is needed to move the mean out of its interval.",
                "At least %(false)s false responses (%(share)s) are needed to move the mean out of its interval.",
                self.false_reports,
            )
        return ngettext(
            "At least %(false)s false response (%(share)s) is needed to move a share out of its interval.",
            "At least %(false)s false responses (%(share)s) are needed to move a share out of its interval.",
            self.false_reports,
        )


def smallest_attack(item: QuestionResults) -> Iterator[FalseReportsNeeded]:
    """False reports needed to move overall estimates: out of the interval and, if the intervals settle it, to
    another side of one half, or to another largest share. Nothing where there are no estimates.
    """
    weight = privacy.largest_weight(item)
    shares, means = ([c for c in some if c.known and not c.group_key] for some in (item.shares, item.means))
    if weight is None:
        return
    if shares:
        leaving = min(_to_the_edge(cell, 0.0, 1.0) for cell in shares)
        yield FalseReportsNeeded(SHARE, _of_shares(item, leaving, item.mechanism, weight), item.n)
        turning = _of_one(item, shares[0]) if item.of_one else _of_the_largest(shares)
        if turning is not None:
            cell, distance = turning
            number = _of_shares(item, distance, getattr(item.mechanism, "bit", item.mechanism), weight)
            yield FalseReportsNeeded(SHARE, number, item.n, turns=True, largest=not item.of_one, choice=cell.choice)
    for cell in means:
        values = [value for value in item.question.values if value is not None]
        distance = _to_the_edge(cell, min(values), max(values))
        yield FalseReportsNeeded(MEAN, _of_the_mean(item, distance, weight), item.n)


def in_words(item: QuestionResults) -> Iterator[str]:
    """A sentence for each of `smallest_attack`."""
    return (one.in_words() for one in smallest_attack(item))


def _to_the_edge(cell: EstimateCell, least: float, most: float) -> float:
    """The distance from an estimate to the nearer end of its interval; ends of the range do not count."""
    estimate = cell.estimate
    assert estimate.constrained is not None
    assert estimate.noise_low is not None
    assert estimate.noise_high is not None
    ends = [estimate.constrained - estimate.noise_low] if estimate.noise_low > least else []
    ends += [estimate.noise_high - estimate.constrained] if estimate.noise_high < most else []
    return max(0.0, min(ends)) if ends else most - least


def _of_one(item: QuestionResults, cell: EstimateCell) -> tuple[EstimateCell, float] | None:
    """A share whose interval lies on one side of one half, and its distance from one half."""
    low, high, shown = cell.estimate.noise_low, cell.estimate.noise_high, cell.estimate.constrained
    if low is None or high is None or shown is None or low <= 0.5 <= high:
        return None
    return cell, abs(shown - 0.5)


def _of_the_largest(shares: list[EstimateCell]) -> tuple[EstimateCell, float] | None:
    """The largest share, if its interval is above that of every other, and how far each must move to be equal.

    A false report can lower one share and raise another, each by as much as it can move any. The shares that are shown
    have the order of the unbiased ones, which marks and sets move less far.
    """
    first, *others = sorted(shares, key=lambda cell: -(cell.estimate.unbiased or 0.0))
    highest = max((cell.estimate.noise_high or 0.0 for cell in others), default=0.0)
    if not others or (first.estimate.noise_low or 0.0) <= highest:
        return None
    return first, ((first.estimate.unbiased or 0.0) - (others[0].estimate.unbiased or 0.0)) / 2


def _of_shares(item: QuestionResults, distance: float, mechanism: Mechanism, weight: float) -> int:
    shares = item.overall.shares if item.overall else None
    return min(item.n, max(1, false_reports_needed(item.n, distance, mechanism, shares, weight)))


def _of_the_mean(item: QuestionResults, distance: float, weight: float) -> int:
    """False reports needed to move the mean; its bound grows with them, not always in proportion."""
    numbers = range(1, item.n + 1)
    place = bisect_left(numbers, distance, key=lambda false: privacy.shift_of_mean(item, false, weight))
    return min(item.n, place + 1)
