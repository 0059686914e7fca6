"""Did the protection work? What versions of the page, of which each browser drew one, say of the answers.

Who saw which version is a matter of chance alone, so a difference between two of them beyond chance comes from the way
they ask (Höglinger & Jann 2018). Which version's answers are the true ones no difference tells.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from numpy.typing import NDArray

from estimator.analyses.quantities import Quantity, quantities_of, quantity_of
from estimator.analyses.rows import AnalysisRow
from estimator.analyses.strata import difference_row, estimate_row
from estimator.base import charts, wording
from estimator.reports.protection_check import ProtectionCheck, random_share
from estimator.reports.question_blocks import Figure
from estimator.reports.tables import Cell, ReportTable, TableColumn
from estimator.runs.estimation import fit_of
from estimator.runs.groups import ReleasedGroup
from estimator.runs.results import QuestionResults, Results
from randomized_response import AnchoredEstimate, ProportionEstimate, without_random_answers
from randomized_response.intervals import normal_quantile

POINTS = wording.Unit(100, 1, "")
STEPS = wording.Unit(1, 3, "")
SENTENCES = {
    ("share", "higher"): gettext_lazy(
        "“%(what)s”: with “%(version)s” the estimate is %(low)s to %(high)s percentage points higher than with "
        "“%(first)s”, more than chance explains."
    ),
    ("share", "lower"): gettext_lazy(
        "“%(what)s”: with “%(version)s” the estimate is %(low)s to %(high)s percentage points lower than with "
        "“%(first)s”, more than chance explains."
    ),
    ("mean", "higher"): gettext_lazy(
        "“%(what)s”: with “%(version)s” the mean is %(low)s to %(high)s higher than with “%(first)s”, more than chance "
        "explains."
    ),
    ("mean", "lower"): gettext_lazy(
        "“%(what)s”: with “%(version)s” the mean is %(low)s to %(high)s lower than with “%(first)s”, more than chance "
        "explains."
    ),
}
"""The sentence on a difference, by what differs and in which direction."""
UNCLEAR = {
    "share": gettext_lazy(
        "“%(what)s”: the data do not tell “%(version)s” from “%(first)s”; the difference is from %(low)s to %(high)s "
        "percentage points."
    ),
    "mean": gettext_lazy(
        "“%(what)s”: the data do not tell “%(version)s” from “%(first)s”; the difference is from %(low)s to %(high)s."
    ),
}
"""The sentence where the interval of a difference holds 0."""


@dataclass(frozen=True)
class _Compared:
    """One share or mean of a question in each version, and the differences of the others from the first version.

    `names` are of the versions; a difference belongs to the version of the same place, from the second on.
    """

    item: QuestionResults
    quantity: Quantity
    names: tuple[str, ...]
    estimates: tuple[AnalysisRow, ...]
    differences: tuple[AnalysisRow, ...]
    shares: tuple[ProportionEstimate | None, ...]
    """Of each version, where all its answers have one."""

    @property
    def known(self) -> str | None:
        """The share that truly says yes; None of what is no control question."""
        return self.item.frozen.known_share

    @property
    def what(self) -> str:
        """The question with the choice whose share it is, or its mean."""
        choice = self.quantity.choice
        label = _("Mean") if choice is None else self.item.choices[choice]
        return f"{self.item.wording} · {label}"


def check_of_arms(results: Results) -> ProtectionCheck | None:
    """The comparison of the versions of the page; None without versions that have estimates."""
    found = [one for item in results.items for one in _compared(results, item)]
    if not any(one.differences for one in found):
        return None
    first, title = found[0].names[0], _("Versions of the page")
    shares = [one for one in found if one.quantity.choice is not None]
    rows = tuple(row for one in shares for row in _chart_rows(one))
    said = [_sentence(one, place) for one in found for place in range(len(one.differences))]
    return ProtectionCheck(
        (*said, *_without_random_answers(shares)),
        Figure(rows, "protection-arms", title, charts.axis_for(rows)) if rows else None,
        _estimates(found, title),
        _differences(found, _("Differences from “%(version)s”") % {"version": first}),
        _(
            "Each browser drew its version by chance, so only chance and the way the page asks can make them differ. "
            "Which version’s answers are the true ones a difference does not tell. Each interval holds by itself, not "
            "all together."
        ),
    )


def _compared(results: Results, item: QuestionResults) -> Iterator[_Compared]:
    """Each share and mean of a question by version, of what the version asks instead where it leaves the question out.

    None where some version has too few responses, or there is none.
    """
    design, confidence = item.design, item.confidence
    groups, arms = versions_of(item), design.background.arms
    if len(groups) < 2 or any(item.key in arm.instead.values() for arm in arms):
        return
    items = {one.key: one for one in results.items}
    asked = [items[arms[number].instead.get(item.key, item.key)] for number in numbers_of(groups)]
    counts = [totals_in(one, group) for one, group in zip(asked, groups, strict=True)]
    fits = [fit_of(one.question, sent, confidence) for one, sent in zip(asked, counts, strict=True)]
    told = [set(_parts_told(one)) for one in asked]
    if not all(fits):
        return
    names = tuple(design.background.questions[0].choices[number][item.language] for number in numbers_of(groups))
    for token in quantities_of(design, item.position):
        if not all(token.partition(":")[2] in parts for parts in told):
            continue
        quantity = quantity_of(design, token)
        estimates = [
            estimate_row(design, quantity, fit, int(one[0].sum()), confidence)
            for fit, one in zip(fits, counts, strict=True)
        ]
        if all(row.known for row in estimates):
            differences = (difference_row(design, quantity, fit, fits[0], confidence) for fit in fits[1:])
            shares = tuple(fit.shares if fit else None for fit in fits)
            yield _Compared(item, quantity, names, tuple(estimates), tuple(differences), shares)


def _parts_told(item: QuestionResults) -> Iterator[str]:
    """The choices, by their places, and the mean that are estimated of a question."""
    return (token.partition(":")[2] for token in quantities_of(item.design, item.position))


def versions_of(item: QuestionResults) -> list[ReleasedGroup]:
    """The respondents of each version, in the order of the versions; none of a survey without versions."""
    background = item.design.background
    if not background.arms:
        return []
    return [group for group in item.partition.groups if group.key.partition("=")[0] == background.questions[0].key]


def totals_in(item: QuestionResults, group: ReleasedGroup) -> NDArray[np.int64]:
    """How often a group sent each symbol of a question."""
    sent: NDArray[np.int64] = np.stack(item.totals, axis=1)[list(group.rows)].sum(axis=0)
    return sent


def numbers_of(groups: Sequence[ReleasedGroup]) -> list[int]:
    """The places of the versions of these groups."""
    return [int(group.key.partition("=")[2]) - 1 for group in groups]


def _chart_rows(one: _Compared) -> Iterator[charts.ChartRow]:
    for name, row in zip(one.names, one.estimates, strict=True):
        heading = one.what if name == one.names[0] else ""
        known = None if one.known is None else float(Fraction(one.known))
        yield charts.ChartRow(name, _quoted(row), row.estimate, row.low, row.high, heading=heading, truth=known)


def _sentence(one: _Compared, place: int) -> str:
    row, mean = one.differences[place], one.quantity.choice is None
    unit = STEPS if mean else POINTS
    places = min(wording.decimals(row.standard_error, unit), unit.most)
    ends = (row.low or 0.0, row.high or 0.0)
    words = {"what": one.what, "version": one.names[place + 1], "first": one.names[0]}
    if not row.differs:
        low, high = wording.ends(*ends, places, unit)
        text = UNCLEAR["mean" if mean else "share"]
        return str(text) % (words | {"low": low, "high": high})
    near, far = sorted(map(abs, ends))
    low, high = wording.ends(near, far, places, unit)
    text = SENTENCES["mean" if mean else "share", "higher" if ends[0] > 0 else "lower"]
    return str(text) % (words | {"low": low, "high": high})


def _without_random_answers(found: Sequence[_Compared]) -> Iterator[str]:
    """What the differences of yes/no questions would be without as many random answers as a control question shows.

    That is the one by which the most people of a version would have answered at random; nothing where none shows any.
    """
    binary = [one for one in found if one.quantity.choice == 1 and one.item.of_one and all(one.shares)]
    controls = [one for one in binary if one.known is not None]
    control = max(controls, key=lambda one: max(_random(one)), default=None)
    if control is None or not any(_is_random(control, place) for place in range(len(control.names))):
        return
    for one in binary:
        if one.known is None:
            yield from (_corrected(one, control, place) for place in range(1, len(one.names)))


def _corrected(one: _Compared, control: _Compared, place: int) -> str:
    """The sentence on one version's difference from the first."""
    confidence, random = one.item.confidence, _random(control)
    first, other = (_truly(one, control, version) for version in (0, place))
    middle, error = other.unbiased - first.unbiased, math.hypot(first.standard_error, other.standard_error)
    reach = normal_quantile(confidence) * error
    low, high = wording.ends(middle - reach, middle + reach, min(wording.decimals(error, POINTS), POINTS.most), POINTS)
    text = _(
        "“%(what)s”: if %(random)s of those with “%(version)s” and %(first_random)s of those with “%(first)s” answered "
        "at random, as the control question “%(control)s” suggests, the difference among the others is from %(low)s to "
        "%(high)s percentage points."
    )
    shares = {"random": wording.percent(random[place]), "first_random": wording.percent(random[0])}
    names = {"version": one.names[place], "first": one.names[0], "control": control.item.wording}
    return text % ({"what": one.what, "low": low, "high": high} | shares | names)


def _truly(one: _Compared, control: _Compared, version: int) -> AnchoredEstimate:
    """The share of those in a version who did not answer at random."""
    said, known = one.shares[version], control.shares[version]
    assert said is not None
    assert known is not None
    return without_random_answers(said, known, control.known or "0", confidence=one.item.confidence)


def _random(control: _Compared) -> list[float]:
    """The shares of random answers in each version that would explain the estimates of a control question."""
    known = float(Fraction(control.known or "0"))
    return [random_share(row.estimate or 0.0, known) for row in control.estimates]


def _is_random(control: _Compared, place: int) -> bool:
    """Whether random answers explain what contradicts the known share in a version."""
    row, known = control.estimates[place], float(Fraction(control.known or "0"))
    return all(random_share(end or 0.0, known) > 0 for end in (row.low, row.high))


def _estimates(found: Sequence[_Compared], title: str) -> ReportTable:
    columns = (
        TableColumn(_("Question"), number=False), TableColumn(_("Version of the page"), number=False),
        TableColumn(_("Responses")), TableColumn(_("Estimate")),
    )  # fmt: skip
    rows = tuple(
        (
            Cell(one.what, kind="head", quoted=True), Cell(name, kind="words", quoted=True),
            Cell(wording.count(row.n)), Cell(_quoted(row)),
        )
        for one in found for name, row in zip(one.names, one.estimates, strict=True)
    )  # fmt: skip
    return ReportTable(title, columns, rows)


def _differences(found: Sequence[_Compared], title: str) -> ReportTable:
    columns = (
        TableColumn(_("Question"), number=False), TableColumn(_("Version of the page"), number=False),
        TableColumn(_("Difference")),
    )  # fmt: skip
    rows = tuple(
        (
            Cell(one.what, kind="head", quoted=True), Cell(name, kind="words", quoted=True),
            Cell(_quoted(row, difference=True)),
        )
        for one in found for name, row in zip(one.names[1:], one.differences, strict=True)
    )  # fmt: skip
    return ReportTable(title, columns, rows)


def _quoted(row: AnalysisRow, *, difference: bool = False) -> str:
    unit = wording.unit_of(mean=row.choice is None)
    if difference and row.choice is not None:
        unit = wording.Unit(100, 1, _(" points"))
    places = min(wording.decimals(row.standard_error, unit), 1)
    return f"{wording.value(row.estimate, places, unit)} ({wording.span(row.low, row.high, places, unit)})"
