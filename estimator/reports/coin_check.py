"""Did the protection work? Whether people follow a coin of their own, told by two versions whose coins differ.

Who follows the coin says yes more often or less often in one version than in the other, by a known amount. Who marks No
whatever it shows does so in both alike, and is told apart by that (Clark & Desharnais 1998; with a coin that also
forces a No, Ostapczuk, Musch & Moshagen 2009). A device that draws tickets cannot be disobeyed: its versions tell
nothing of this.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from django.utils.translation import gettext as _
from numpy.typing import NDArray

from collector.designs import FEWEST_IN_GROUP
from estimator.analyses.quantities import coins_differ
from estimator.base import charts, wording
from estimator.reports.arms_check import numbers_of, totals_in, versions_of
from estimator.reports.protection_check import ProtectionCheck
from estimator.reports.question_blocks import Figure
from estimator.reports.tables import Cell, ReportTable, TableColumn
from estimator.runs.results import QuestionResults, Results
from randomized_response import Channel, CheaterEstimate, cheater_detection

BINARY = 2


@dataclass(frozen=True)
class _Told:
    """What two coins tell of the answers to a yes/no question."""

    item: QuestionResults
    n: int
    found: CheaterEstimate
    reverse: CheaterEstimate
    """The same of people who mark Yes whatever their coin shows."""

    def parts(self) -> Iterator[tuple[str, float, float, float]]:
        """The three kinds of people: what they do, their estimated share, its interval; and Yes if true of the last.

        That is the prevalence of a stochastic lie detector (Moshagen, Musch & Erdfelder 2012).
        """
        names = {
            _("Yes, by the coin"): self.found.honest_yes,
            _("No, by the coin"): self.found.honest_no,
            _("No, whatever it shows"): self.found.cheaters,
        }
        for name, share in names.items():
            yield name, share.constrained, share.low, share.high
        no = self.found.honest_no
        yield _("Yes, if true of all of these"), 1 - no.constrained, 1 - no.high, 1 - no.low

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the largest share of whom Yes is true, with their uncertainty: nobody, or all, of the last."""
        return self.found.honest_yes.low, 1 - self.found.honest_no.low

    @property
    def no_found(self) -> bool:
        """Whether chance alone does not explain how many mark No whatever their coin shows."""
        return self.found.no_cheaters.p_value < 1 - self.item.confidence

    @property
    def yes_found(self) -> bool:
        """Whether chance alone does not explain how many mark Yes whatever their coin shows."""
        return self.reverse.no_cheaters.p_value < 1 - self.item.confidence


def check_of_coins(results: Results) -> ProtectionCheck | None:
    """The check by versions with different coins; None without two of them that ask the same question."""
    items = {item.key: item for item in results.items}
    told = [found for item in results.items if (found := _told(item, items)) is not None]
    if not told:
        return None
    title = _("Versions with a coin of one’s own")
    rows = tuple(row for one in told for row in _rows(one))
    return ProtectionCheck(
        tuple(map(_sentence, told)),
        Figure(rows, "protection-coins", title, charts.axis_for(rows)),
        _table(told, title),
        None,
        _(
            "The coins of these versions differ, so who follows them answers differently by a known amount, and who "
            "marks No whatever they show does not. It is assumed that equally many do so in each of them, and that "
            "nobody departs from a coin in another way. Whether Yes is true of them no survey can tell: if it is true "
            "of nobody, the first estimate is the share of Yes, if of all, the last (Moshagen, Musch & Erdfelder 2012)."
        ),
    )


def _told(item: QuestionResults, items: dict[str, QuestionResults]) -> _Told | None:
    """What the first two versions with different coins tell of a yes/no question; None without these."""
    arms = item.design.background.arms
    if not item.of_one or any(item.key in arm.instead.values() for arm in arms):
        return None
    groups = versions_of(item)
    sent: dict[Channel, NDArray[np.int64]] = {}
    for number, group in zip(numbers_of(groups), groups, strict=True):
        asked = items[arms[number].instead.get(item.key, item.key)]
        channel = asked.question.mechanism
        if arms[number].own_coin and isinstance(channel, Channel) and channel.answers == BINARY:
            (counts,) = totals_in(asked, group)
            table = Channel(channel.weights)  # alike whatever the mechanism is called
            sent[table] = counts + sent.get(table, 0)
    enough = [pair for pair in sent.items() if pair[1].sum() >= FEWEST_IN_GROUP]
    both = next(
        (pair for pair in combinations(enough, 2) if coins_differ(pair[0][0].weights, pair[1][0].weights)), None
    )
    if both is None:
        return None
    (first, one), (second, other) = both
    n = (int(one.sum()), int(other.sum()))
    found = cheater_detection((int(one[1]), int(other[1])), n, (first, second), confidence=item.confidence)
    tables = (_exchanged(first), _exchanged(second))
    reverse = cheater_detection((int(one[0]), int(other[0])), n, tables, confidence=item.confidence)
    return _Told(item, sum(n), found, reverse)


def _exchanged(channel: Channel) -> Channel:
    """The table with Yes and No exchanged, in what is true and in what is reported."""
    return Channel(tuple(tuple(reversed(row)) for row in reversed(channel.weights)))


def _sentence(one: _Told) -> str:
    share = one.found.cheaters
    places = min(wording.decimals(share.standard_error), 1)
    words = {
        "what": one.item.wording,
        "share": wording.percent(share.constrained, places),
        "low": wording.percent(share.low, places),
        "high": wording.percent(share.high, places),
        "span": wording.span(*one.bounds, places),
    }
    if one.no_found:
        text = _(
            "“%(what)s”: %(share)s (%(low)s to %(high)s) mark No whatever their coin shows, more than chance explains. "
            "As long as nobody knows what is true of them, the share of Yes is %(span)s."
        )
    elif one.yes_found:
        text = _(
            "“%(what)s”: more people mark Yes whatever their coin shows than chance explains, as those do who do not "
            "read what it asks for. The estimates of these versions do not hold."
        )
    else:
        text = _(
            "“%(what)s”: the data do not show that people mark No whatever their coin shows; it may be up to %(high)s "
            "of them."
        )
    return text % words


def _rows(one: _Told) -> Iterator[charts.ChartRow]:
    for place, (name, share, low, high) in enumerate(one.parts()):
        heading = one.item.wording if place == 0 else ""
        yield charts.ChartRow(name, _quoted(share, low, high), share, low, high, heading=heading)


def _table(told: Sequence[_Told], title: str) -> ReportTable:
    columns = (
        TableColumn(_("Question"), number=False), TableColumn(_("Answer"), number=False),
        TableColumn(_("Responses")), TableColumn(_("Estimate")),
    )  # fmt: skip
    rows = tuple(
        (
            Cell(one.item.wording, kind="head", quoted=True), Cell(name, kind="words"),
            Cell(wording.count(one.n)), Cell(_quoted(share, low, high)),
        )
        for one in told for name, share, low, high in one.parts()
    )  # fmt: skip
    return ReportTable(title, columns, rows)


def _quoted(share: float, low: float, high: float) -> str:
    return f"{wording.percent(share, 1)} ({wording.span(low, high, 1)})"
