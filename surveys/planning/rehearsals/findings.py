"""The findings of a rehearsal: coverage of the intervals, bias of the estimates, width of the intervals."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from django.utils.translation import gettext

from estimator.base import wording
from estimator.base.languages import figures, filled
from estimator.base.measures import MEAN
from estimator.base.verdict import LABELS, Precision
from estimator.base.wording import PERCENT, PLAIN, SPACE, Unit
from estimator.runs import targets
from estimator.runs.estimation import range_of
from estimator.runs.results import EstimateCell, QuestionResults
from randomized_response.intervals import clopper_pearson
from surveys.models import Rehearsal
from surveys.planning.rehearsals import measures
from surveys.planning.rehearsals.measures import COLUMNS, FORESEEN, Numbers

SURE = 0.01
"""Significance level of the tests, over all estimates of a rehearsal together."""


@dataclass(frozen=True)
class Finding:
    """The results of one estimate over the repetitions that have it.

    `estimates` is of shape (repetitions, columns); `others` is the number of estimates that are judged together.
    """

    item: QuestionResults
    cell: EstimateCell
    estimates: Numbers
    truth: float
    planned: float
    confidence: float
    drawn: bool
    others: int

    @property
    def label(self) -> str:
        """The choice, or "Mean" for a mean."""
        return self.cell.choice or gettext("Mean")

    @property
    def group(self) -> str:
        return self.cell.group

    @property
    def group_label(self) -> str:
        """The group below the heading of its background question."""
        return self.cell.answer or self.cell.group

    @property
    def unit(self) -> Unit:
        return PLAIN if self.cell.estimate.measure == MEAN else PERCENT

    @cached_property
    def known(self) -> Numbers:
        """The repetitions with enough responses for numbers."""
        return self.estimates[~np.isnan(self.estimates[:, 0])]

    @property
    def times(self) -> int:
        return len(self.known)

    def column(self, name: str) -> Numbers:
        return self.known[:, COLUMNS.index(name)]

    @cached_property
    def ends(self) -> tuple[Numbers, Numbers]:
        """The ends of each repetition's interval; for given people, of the one about them alone."""
        low, high = ("low", "high") if self.drawn else ("noise_low", "noise_high")
        return self.column(low), self.column(high)

    @cached_property
    def held(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """For each repetition, True if its interval contains the truth."""
        low, high = self.ends
        return (low <= self.truth + 1e-12) & (self.truth - 1e-12 <= high)

    @cached_property
    def held_noise(self) -> int:
        held = self.column("held")
        inside = (self.column("noise_low") <= held + 1e-12) & (held - 1e-12 <= self.column("noise_high"))
        return int(inside.sum())

    @property
    def coverage(self) -> str:
        return gettext("{count} of {total}").format(count=int(self.held.sum()), total=self.times)

    @cached_property
    def coverage_between(self) -> tuple[float, float]:
        """Exact 95 % confidence limits of the coverage."""
        bounds = clopper_pearson(int(self.held.sum()), self.times, 0.95)
        return float(bounds[0]), float(bounds[1])

    @cached_property
    def coverage_verdict(self) -> str:
        """The coverage against the promised one, corrected for the number of estimates."""
        from scipy import stats  # only here: a web process starts without scipy

        count = int(self.held.sum())
        chance = float(stats.binomtest(count, self.times, self.confidence).pvalue) * self.others
        if chance >= SURE:
            return gettext("within chance")
        return (
            gettext("too few: more than chance explains")
            if count < self.times * self.confidence
            else gettext("more than promised")
        )

    @property
    def bias(self) -> float:
        return float(np.mean(self.column("unbiased") - self.truth))

    @property
    def bias_error(self) -> float:
        """Standard error of the bias; NaN after one repetition."""
        return float(np.std(self.column("unbiased"), ddof=1) / math.sqrt(self.times)) if self.times > 1 else math.nan

    @cached_property
    def biased(self) -> bool:
        """True if chance does not explain the bias."""
        error = self.bias_error
        if not self.drawn or math.isnan(error) or error == 0:
            return False
        from scipy import special  # only here: a web process starts without scipy

        return float(2 * special.stdtr(self.times - 1, -abs(self.bias) / error)) * self.others < SURE

    @property
    def quoted_bias(self) -> float:
        """The bias of the estimate that a report quotes."""
        return float(np.mean(self.column("constrained") - self.truth))

    @property
    def width(self) -> float:
        low, high = self.ends
        return float(np.mean(high - low))

    @property
    def verdict_text(self) -> str:
        """How precise the estimate is, by the mean of its intervals."""
        estimate = self.cell.estimate
        found = Precision(
            float(np.mean(self.column("constrained"))), self.width / 2, estimate.n, estimate.direct_question_n,
            self.confidence, range_of(self.item.question, estimate.measure),
        )  # fmt: skip
        return str(LABELS[found.verdict])

    @property
    def places(self) -> int:
        """Number of decimals: those that the standard error supports, and one."""
        spread = self.bias_error if self.times > 1 else self.width / 4
        return min(wording.decimals(spread or None, self.unit) + 1, 4)

    @property
    def truth_text(self) -> str:
        return wording.value(self.truth, 1 if self.unit is PERCENT else 2, self.unit)

    @property
    def between_text(self) -> str:
        low, high = self.coverage_between
        return wording.span(low, high, 0)

    @property
    def bias_text(self) -> str:
        return _signed(self.bias, self.places, self.unit)

    @property
    def error_text(self) -> str:
        return "" if math.isnan(self.bias_error) else f"± {_plain(self.bias_error, self.places, self.unit)}"

    @property
    def quoted_text(self) -> str:
        return _signed(self.quoted_bias, self.places, self.unit)

    @property
    def width_text(self) -> str:
        return _half(self.width / 2, self.unit)

    @property
    def planned_text(self) -> str:
        return "–" if math.isnan(self.planned) else _half(self.planned / 2, self.unit)

    @property
    def noise_text(self) -> str:
        return gettext("{count} of {total}").format(count=self.held_noise, total=self.times)

    @property
    def one_text(self) -> str:
        """The estimate of the first repetition with its interval."""
        low, high = (float(end[0]) for end in self.ends)
        places = wording.decimals((high - low) / 4, self.unit)
        estimate = wording.value(float(self.column("constrained")[0]), places, self.unit)
        return f"{estimate} ({wording.span(low, high, places, self.unit)})"


@dataclass(frozen=True)
class Block:
    """The findings of one question: overall, then by group; `missing` are those without numbers."""

    item: QuestionResults
    findings: tuple[Finding, ...]
    missing: tuple[str, ...]

    @property
    def wording(self) -> str:
        return self.item.wording

    @property
    def overall(self) -> list[Finding]:
        return [one for one in self.findings if not one.group]

    @property
    def in_points(self) -> str:
        """The end of the heading of half-widths: which of them are in percentage points."""
        shares = {one.unit is PERCENT for one in self.findings}
        return ", points" if shares == {True} else gettext("; points for shares") if True in shares else ""

    @property
    def held_of(self) -> str:
        """The people about whom the narrower intervals are."""
        return targets.of_report(self.item.partition, sampled=False)

    @property
    def by_group(self) -> list[Finding]:
        return [one for one in self.findings if one.group]

    @property
    def by_group_text(self) -> str:
        """How often the intervals of the groups held, together."""
        held, times = _held(self.by_group)
        text = gettext("By group: {held:,} of {times:,} intervals contained the true value")
        return filled(text, held=held, times=times)


@dataclass(frozen=True)
class Findings:
    """All findings of a rehearsal."""

    rehearsal: Rehearsal
    blocks: tuple[Block, ...]
    done: int

    @cached_property
    def all(self) -> list[Finding]:
        return [finding for block in self.blocks for finding in block.findings]

    @property
    def drawn(self) -> bool:
        return not self.rehearsal.assumptions.get("file")

    @property
    def many(self) -> bool:
        return self.done > 1

    @property
    def whose(self) -> str:
        """The people about whom the intervals are, and their sources of error."""
        sure, partition = f"{100 * self.all[0].confidence:g}{SPACE}%", self.blocks[0].item.partition
        of = targets.of_report(partition, sampled=self.drawn)
        if self.drawn:
            return gettext(
                "The {sure} intervals are for {of}: they include the chance of sampling and that of the tickets."
            ).format(sure=sure, of=of)
        return gettext(
            "The people came from a file and were the same each time, so the {sure} intervals are "
            "for {of}: they include only the chance of the tickets."
        ).format(sure=sure, of=of)

    @cached_property
    def sentences(self) -> list[str]:
        """The conclusion, in sentences."""
        if not self.all:
            return [gettext("There were too few respondents for any estimate: at least 10 are needed.")]
        held, times = _held(self.all)
        sure = f"{100 * self.all[0].confidence:g}{SPACE}%"
        if not self.many:
            words = gettext(
                "{held} of {times} intervals contained the true value; each should in {sure} of all surveys."
            ).format(held=held, times=times, sure=sure)
            return [
                words,
                gettext("One repetition shows one draw. Repeat it 100 times to see how often the intervals hold."),
            ]
        share = wording.percent(held / times, 1)
        first = [
            filled(
                gettext(
                    "{held:,} of {times:,} intervals contained the true value: {share}, where {sure} are promised."
                ),
                held=held,
                times=times,
                share=share,
                sure=sure,
            )
        ]
        return first + list(self._judged()) + list(self._widths())

    def _judged(self) -> Iterator[str]:
        low = [one for one in self.all if one.coverage_verdict.startswith(gettext("too few"))]
        high = [one for one in self.all if one.coverage_verdict == gettext("more than promised")]
        if low:
            yield gettext("Too few contained it for {low}: more than chance explains.").format(low=self._named(low))
        elif not high:
            yield gettext("This is well within chance, for each estimate by itself too.")
        if high:
            yield gettext("For {high} more contained it than promised: the interval errs on the safe side.").format(
                high=self._named(high)
            )
        biased = [one for one in self.all if one.biased]
        if biased:
            yield gettext("The unbiased estimate was off by more than chance explains for {biased}.").format(
                biased=self._named(biased)
            )
        elif self.drawn:
            yield gettext("No unbiased estimate was off by more than chance.")

    def _named(self, found: list[Finding]) -> str:
        """At most three estimates by name, with their question if there are several."""
        several = len(self.blocks) > 1
        names = [
            f"“{one.label}”"
            + (gettext(" of question {number}").format(number=one.item.position + 1) if several else "")
            + (gettext(" in “{group}”").format(group=one.group) if one.group else "")
            for one in found[:3]
        ]
        rest = gettext(" and {count} more").format(count=len(found) - 3) if len(found) > 3 else ""
        return ", ".join(names) + rest

    def _widths(self) -> Iterator[str]:
        planned = [one.width / one.planned for one in self.all if one.planned > 0]
        if planned:
            low, high = 100 * min(planned), 100 * max(planned)
            between = (
                f"{low:.0f}{SPACE}%"
                if round(low) == round(high)
                else filled(gettext("{low:.0f} to {high:.0f}{space}%"), low=low, high=high, space=SPACE)
            )
            yield gettext("The intervals were {between} as wide as planned.").format(between=between)


def findings(rehearsal: Rehearsal) -> Findings | None:
    """The findings of the finished repetitions; None before the first, or if they have other estimates."""
    done = [measures.unpacked(numbers, COLUMNS) for numbers in rehearsal.done.values_list("numbers", flat=True)]
    if not done or rehearsal.run is None or rehearsal.foreseen is None:
        return None
    ahead = measures.unpacked(rehearsal.foreseen, FORESEEN)
    rows = list(enumerate(measures.cells_of(rehearsal.run)))
    if any(len(numbers) != len(rows) for numbers in (ahead, *done)):
        return None  # made by a version that showed other estimates
    table, drawn = np.stack(done), not rehearsal.assumptions.get("file")
    known = [row for row, _ in rows if not np.isnan(table[:, row, 0]).all() and not math.isnan(ahead[row, 0])]
    blocks: dict[int, tuple[QuestionResults, list[Finding], list[str]]] = {}
    for row, (item, cell) in rows:
        _, found, missing = blocks.setdefault(item.position, (item, [], []))
        if row in known:
            truth, planned = map(float, ahead[row])
            confidence = rehearsal.run.confidence
            found.append(Finding(item, cell, table[:, row], truth, planned, confidence, drawn, len(known)))
        else:
            missing.append(", ".join(filter(None, (cell.choice or gettext("Mean"), cell.group))))
    return Findings(rehearsal, tuple(Block(item, tuple(a), tuple(b)) for item, a, b in blocks.values()), len(done))


def _held(found: Sequence[Finding]) -> tuple[int, int]:
    """How many intervals of all repetitions contained the truth, and how many there were."""
    return sum(int(one.held.sum()) for one in found), sum(one.times for one in found)


def _signed(number: float, places: int, unit: Unit) -> str:
    shown = round(unit.factor * number, places)
    return figures(f"{'+' if shown > 0 else '−' if shown < 0 else ''}{abs(shown):.{places}f}")


def _plain(number: float, places: int, unit: Unit) -> str:
    return figures(f"{unit.factor * number:.{places}f}")


def _half(number: float, unit: Unit) -> str:
    return figures(f"± {100 * number:.1f}" if unit is PERCENT else f"± {number:.3g}")
