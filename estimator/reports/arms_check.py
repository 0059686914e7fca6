"""Did the protection work? What versions of the page, of which each browser drew one, say of the answers.

Who saw which version is a matter of chance alone, so a difference between two of them beyond chance comes from the way
they ask (Höglinger & Jann 2018). Which version's answers are the true ones no difference tells.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from estimator.analyses.quantities import Quantity, quantities_of, quantity_of
from estimator.analyses.rows import AnalysisRow
from estimator.analyses.strata import difference_row, estimate_row
from estimator.base import charts, wording
from estimator.reports.protection_check import ProtectionCheck
from estimator.reports.question_blocks import Figure
from estimator.reports.tables import Cell, ReportTable, TableColumn
from estimator.runs.estimation import fit_of
from estimator.runs.groups import ReleasedGroup
from estimator.runs.results import QuestionResults, Results

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
    return ProtectionCheck(
        tuple(_sentence(one, place) for one in found for place in range(len(one.differences))),
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
    groups, arms = _versions(item), design.background.arms
    if len(groups) < 2 or any(item.key in arm.instead.values() for arm in arms):
        return
    items = {one.key: one for one in results.items}
    asked = [items[arms[number].instead.get(item.key, item.key)] for number in _numbers(groups)]
    counts = [
        np.stack(one.totals, axis=1)[list(group.rows)].sum(axis=0) for one, group in zip(asked, groups, strict=True)
    ]
    fits = [fit_of(one.question, sent, confidence) for one, sent in zip(asked, counts, strict=True)]
    told = [set(_parts_told(one)) for one in asked]
    if not all(fits):
        return
    names = tuple(design.background.questions[0].choices[number][item.language] for number in _numbers(groups))
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
            yield _Compared(item, quantity, names, tuple(estimates), tuple(differences))


def _parts_told(item: QuestionResults) -> Iterator[str]:
    """The choices, by their places, and the mean that are estimated of a question."""
    return (token.partition(":")[2] for token in quantities_of(item.design, item.position))


def _versions(item: QuestionResults) -> list[ReleasedGroup]:
    """The respondents of each version, in the order of the versions; none of a survey without versions."""
    background = item.design.background
    if not background.arms:
        return []
    return [group for group in item.partition.groups if group.key.partition("=")[0] == background.questions[0].key]


def _numbers(groups: Sequence[ReleasedGroup]) -> list[int]:
    return [int(group.key.partition("=")[2]) - 1 for group in groups]


def _chart_rows(one: _Compared) -> Iterator[charts.ChartRow]:
    for name, row in zip(one.names, one.estimates, strict=True):
        heading = one.what if name == one.names[0] else ""
        yield charts.ChartRow(name, _quoted(row), row.estimate, row.low, row.high, heading=heading)


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
