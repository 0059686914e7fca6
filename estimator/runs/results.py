"""A run's estimates with the texts of its frozen design: the basis of reports and exports."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from collector import designs
from collector.designs import Design
from collector.designs.selectors import get_design
from collector.reports.selectors import Totals
from estimator.base import verdict, wording
from estimator.base.measures import MEAN, SHARE
from estimator.base.protection import epsilon_of_design
from estimator.base.questions import question_of
from estimator.base.verdict import Precision, Verdict
from estimator.models import Estimate, Run
from estimator.runs import estimation, selectors
from estimator.runs.estimation import Fit
from estimator.runs.groups import Partition, ReleasedGroup, stored
from randomized_response import Question
from randomized_response.questions import Mechanism

Truths = dict[tuple[int, int | None], dict[int, float]]
"""The true shares of a rehearsal: by (item position, stratum), and there by answer."""


@dataclass(frozen=True)
class EstimateCell:
    """One estimate with its texts; `group` and `group_key` are empty if it is for all respondents.

    `choice` is the choice as it was offered, empty for a mean. `question` and `answer` are those to a background
    question that make the group; `withheld` whether they prefer not to say it.
    """

    estimate: Estimate
    choice: str
    group: str
    group_key: str
    truth: float | None
    question: str = ""
    answer: str = ""
    withheld: bool = False

    @property
    def known(self) -> bool:
        """Return True if there are enough reports for numbers."""
        return self.estimate.constrained is not None


@dataclass(frozen=True)
class ConditionText:
    """What a question is asked after: the earlier question, the answers to it, and what the others are counted as."""

    wording: str
    answers: tuple[str, ...]
    unasked: str


@dataclass(frozen=True)
class QuestionResults:
    """A question of the design with its estimates: all respondents first, then each group; within them by choice.

    `totals` are the tables of its symbols, each of shape (rows of the partition, m).
    """

    partition: Partition
    position: int
    confidence: float
    totals: Totals
    question: Question
    condition: ConditionText | None
    cells: tuple[EstimateCell, ...]

    @property
    def design(self) -> Design:
        return self.partition.design

    @property
    def frozen(self) -> designs.Item:
        """The item in the frozen design."""
        return self.design.items[self.position]

    @property
    def versions(self) -> tuple[int, ...]:
        """The numbers, from 1, of the versions of the page that ask it; the first alone without versions."""
        asking = enumerate(self.design.versions, start=1)
        return tuple(number for number, asked in asking if self.position in asked)

    @property
    def version_names(self) -> tuple[str, ...]:
        """The names of the versions of the page that ask it; empty where all do."""
        if len(self.versions) == len(self.design.versions):
            return ()
        names = self.design.background.questions[0].choices
        return tuple(names[number - 1][self.language] for number in self.versions)

    @property
    def language(self) -> str:
        return self.design.language

    @cached_property
    def overall(self) -> Fit | None:
        """The library's estimates for all respondents; None if there are too few reports."""
        return estimation.overall(self.partition, self.position, self.totals, self.confidence)

    @property
    def key(self) -> str:
        return self.frozen.key

    @property
    def kind(self) -> designs.Kind:
        return self.frozen.kind

    @property
    def wording(self) -> str:
        return self.frozen.wording[self.language]

    @property
    def choices(self) -> tuple[str, ...]:
        """The choices as offered; none for a number."""
        return tuple(choice[self.language] for choice in self.frozen.choices)

    @property
    def mechanism(self) -> Mechanism:
        return self.question.mechanism

    @property
    def of_one(self) -> str:
        """The choice that all estimates are for, if it is only one: the share of No follows from that of Yes."""
        return self.choices[1] if self.kind == "yes_no" and len(self.choices) == 2 else ""

    @property
    def shares(self) -> tuple[EstimateCell, ...]:
        """The shares that do not follow from others."""
        shares = (cell for cell in self.cells if cell.estimate.measure == SHARE)
        return tuple(cell for cell in shares if not self.of_one or cell.estimate.choice == 1)

    @property
    def means(self) -> tuple[EstimateCell, ...]:
        return tuple(cell for cell in self.cells if cell.estimate.measure == MEAN)

    @property
    def shown(self) -> tuple[EstimateCell, ...]:
        return self.means + self.shares

    def precision(self, estimate: Estimate) -> Precision | None:
        """How precise an estimate is by its main interval, that of randomisation alone; None without numbers."""
        low, high, value = estimate.noise_low, estimate.noise_high, estimate.constrained
        if low is None or high is None or value is None:
            return None
        possible, direct = estimation.range_of(self.question, estimate.measure), estimate.direct_question_n
        return verdict.of_interval(
            value, low, high, n=estimate.n, direct=direct, confidence=self.confidence, range_=possible
        )

    def verdict(self, estimate: Estimate) -> Verdict | None:
        """The verdict on an estimate; None without numbers."""
        precision = self.precision(estimate)
        return precision.verdict if precision else None

    @property
    def n(self) -> int:
        """The number of responses in the snapshot."""
        return self.cells[0].estimate.n if self.cells else 0


@dataclass(frozen=True)
class ReportContext:
    """Facts on a survey that are in no design and no run, for its report; the caller provides them.

    - `retention_days`: how many days after closing the survey's reports are kept; None: for good.
    - `designs`: the digests of the designs that the survey was opened with for real respondents, in their order.
    """

    retention_days: int | None
    designs: tuple[str, ...]


NOTHING_KNOWN = ReportContext(retention_days=None, designs=())
"""The context of a run of which only the numbers are needed."""


@dataclass(frozen=True)
class Results:
    """A finished run: its design, its items with their estimates, and further facts on its survey."""

    run: Run
    context: ReportContext
    partition: Partition
    items: tuple[QuestionResults, ...]

    @property
    def design(self) -> Design:
        return self.partition.design

    @property
    def language(self) -> str:
        """The survey's main language, in which it is quoted."""
        return self.design.language

    @property
    def title(self) -> str:
        return self.design.title[self.language]

    @cached_property
    def epsilon(self) -> float:
        """The epsilon of a respondent who answers every item that her version of the page asks."""
        return epsilon_of_design(self.design)


def read(run: Run, context: ReportContext = NOTHING_KNOWN, *, most: int | None = None) -> Results:
    """Read all results of a finished run; only of its first questions if `most` gives their number."""
    design = get_design(run.design_id)
    partition = stored(design, run.groups)
    truths: Truths = {}
    for (position, answer, stratum), share in selectors.known_shares(run.design_id).items():
        truths.setdefault((position, stratum), {})[answer] = share
    estimates: dict[int, list[Estimate]] = {}
    for estimate in run.estimates.all() if most is None else run.estimates.filter(position__lt=most):
        estimates.setdefault(estimate.position, []).append(estimate)
    totals = tuple(np.array(table, dtype=np.int64) for table in run.tallies)
    items = tuple(
        _item(
            partition, position, totals[field.start : field.stop], estimates.get(position, []), truths, run.confidence
        )
        for position, field in enumerate(design.fields[:most])
    )
    return Results(run, context, partition, items)


def _item(
    partition: Partition,
    position: int,
    totals: Totals,
    estimates: list[Estimate],
    truths: Truths,
    confidence: float,
) -> QuestionResults:
    design = partition.design
    frozen = design.items[position]
    question = question_of(frozen)
    held = truths | {(position, None): truth_of_all(partition, position, totals, truths)}
    cells = tuple(_cells(partition, frozen, question, estimates, held))
    return QuestionResults(
        partition, position, confidence, totals, question, _condition(design, frozen, question), cells
    )


def _cells(
    partition: Partition, frozen: designs.Item, question: Question, estimates: list[Estimate], truths: Truths
) -> Iterator[EstimateCell]:
    language = partition.design.language
    groups: dict[int | None, ReleasedGroup] = {group.code: group for group in partition.groups}
    for estimate in sorted(estimates, key=_order):
        if estimate.measure == SHARE and not question.reports_shares:
            continue  # of a run from before such shares were left out
        found = groups.get(estimate.stratum)
        group, key = (found.label, found.key) if found else ("", "")
        told = (found.question, found.answer, found.withheld) if found else ()
        held = truths.get((estimate.position, estimate.stratum), {})
        choice, truth = "", selectors.known_mean(held, question.values)
        if estimate.measure == SHARE:
            choice, truth = frozen.choices[estimate.choice][language], held.get(estimate.choice)
        yield EstimateCell(estimate, choice, group, key, truth, *told)


def truth_of_all(partition: Partition, position: int, totals: Totals, truths: Truths) -> dict[int, float]:
    """The true shares of all respondents of a rehearsal, weighted like the estimate; empty if some are unknown.

    Groups that are weighted as one count in it by how many are in each.
    """
    known, strata = estimation.known_shares(partition), np.stack(totals, axis=1)
    if not known or not strata.any():
        return truths.get((position, None), {})
    sizes, shares = strata[:, 0].sum(axis=1), dict[int, float]()
    for places in estimation.collapsed(strata):
        weight = sum(known[place] for place in places) / sizes[list(places)].sum()
        for place in (place for place in places if sizes[place]):
            held = truths.get((position, partition.parts[place].code), {})
            if not held:
                return {}
            for choice, share in held.items():
                shares[choice] = shares.get(choice, 0.0) + float(weight * sizes[place]) * share
    return shares


def _order(estimate: Estimate) -> tuple[int, bool, int]:
    """The sort key of an estimate: all respondents first, wherever the database puts rows without a stratum."""
    return -1 if estimate.stratum is None else estimate.stratum, estimate.measure == MEAN, estimate.choice


def _condition(design: Design, frozen: designs.Item, question: Question) -> ConditionText | None:
    if frozen.asked_if is None:
        return None
    language, asked_if = design.language, frozen.asked_if
    earlier = next(item for item in design.items if item.key == asked_if.item)
    answers = tuple(earlier.choices[answer][language] for answer in asked_if.answers)
    unasked = ""
    if frozen.unasked is not None and frozen.kind == "number":
        unasked = wording.point(question.values[frozen.unasked] or 0.0)
    elif frozen.unasked is not None:
        unasked = frozen.choices[frozen.unasked][language]
    return ConditionText(earlier.wording[language], answers, unasked)
