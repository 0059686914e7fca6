"""Comparison of a final run with earlier waves of the survey: their estimates, and the changes since."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from collector.designs import Design, selectors
from estimator.models import Run
from estimator.runs import targets, waves
from estimator.runs.estimation import Fit, known_shares, overall
from estimator.runs.groups import stored
from estimator.runs.results import QuestionResults, Results
from randomized_response import ChangeEstimate


@dataclass(frozen=True)
class Wave:
    """One wave of a question: its design, number of reports and estimates; None with too few reports.

    `weighted`: whether the groups are weighted by known shares in it.
    """

    design: Design
    n: int
    fit: Fit | None
    weighted: bool

    def target(self, *, sampled: bool) -> str:
        """The target of its numbers."""
        return targets.of_numbers(weighted=self.weighted, sampled=sampled)

    @property
    def number(self) -> int:
        return self.design.version


@dataclass(frozen=True)
class WaveChange:
    """The change of a share, or of the mean if `choice` is None, since an earlier wave."""

    since: Wave
    estimate: float
    found: ChangeEstimate
    place: int
    remembered: bool

    def number(self, name: str) -> float:
        """A number of the change, by the name of its array."""
        return float(getattr(self.found, name)[self.place])


@dataclass(frozen=True)
class Series:
    """A share, or the mean if `choice` is None, in all waves with the same question, the earliest first."""

    item: QuestionResults
    choice: int | None
    waves: tuple[Wave, ...]
    changes: tuple[WaveChange, ...]


def series(read: Results) -> list[Series]:
    """All quantities of a final run that an earlier wave's final run has too; empty for other runs."""
    past = [] if read.run.anytime or read.design.rehearsal else _final_runs(read)
    return [one for item in read.items for one in _of_item(item, past)] if past else []


def rows(read: Results) -> Iterator[dict[str, object]]:
    """Every change as plain values by column."""
    for one in series(read):
        for change in one.changes:
            yield _row(read, one, change)


def _final_runs(read: Results) -> list[tuple[Design, Run]]:
    """The earlier designs with a final run, the earliest first, each with its newest from before this run."""
    digests = [digest for digest in read.context.designs if digest != read.design.digest]
    final = Run.objects.filter(design__in=digests, state=Run.State.DONE, anytime=False)
    before = final.filter(pk__lt=read.run.pk).order_by("pk")
    newest = dict(before.values_list("design_id", "pk"))  # without the totals of all those that are not the newest
    found = [(selectors.get_design(run.design_id), run) for run in Run.objects.filter(pk__in=newest.values())]
    version = read.design.version
    return sorted((one for one in found if one[0].version < version), key=lambda one: one[0].version)


def _of_item(item: QuestionResults, past: Sequence[tuple[Design, Run]]) -> Iterator[Series]:
    alike = [(design, run) for design, run in past if not waves.incomparable_reason(item.design, design, item.frozen)]
    if not alike:
        return
    mine = Wave(item.design, item.n, item.overall, bool(known_shares(item.partition)))
    found = (*(_wave(item, design, run) for design, run in alike), mine)
    choices: list[int | None] = [None] * item.question.reports_mean
    choices += [1] if item.of_one else list(range(len(item.choices))) * item.question.reports_shares
    for choice in choices:
        known = [one for one in found[:-1] if _is_known(one, choice)]
        ends = list({one.number: one for one in (known[-1], known[0])}.values()) if known else []
        changes = tuple(_changed(item, choice, mine, one) for one in ends if _is_known(mine, choice))
        if changes:
            yield Series(item, choice, found, changes)


def _wave(item: QuestionResults, design: Design, run: Run) -> Wave:
    keys = [one.key for one in design.items]
    field = design.fields[keys.index(item.key)]
    totals = tuple(np.array(table, dtype=np.int64) for table in run.tallies[field.start : field.stop])
    partition = stored(design, run.groups)
    fit = overall(partition, keys.index(item.key), totals, item.confidence)
    return Wave(design, int(totals[0].sum()), fit, bool(known_shares(partition)))


def _is_known(wave: Wave, choice: int | None) -> bool:
    return wave.fit is not None and wave.fit.part(choice) is not None


def _changed(item: QuestionResults, choice: int | None, mine: Wave, since: Wave) -> WaveChange:
    assert mine.fit is not None
    assert since.fit is not None
    same = waves.remembered(mine.design, since.design, item.frozen)
    found = waves.change(item.question, mine.fit, since.fit, choice, remembered=same, returned=None)
    shown = mine.fit.value(choice, "constrained") - since.fit.value(choice, "constrained")
    return WaveChange(since, shown, found, choice or 0, same)


def _row(read: Results, one: Series, change: WaveChange) -> dict[str, object]:
    method = targets.of_difference(mean=one.choice is None)
    names = ("standard_error", "low", "high", "noise_standard_error", "noise_low", "noise_high")
    return {
        "item": one.item.key,
        "wording": one.item.wording,
        "measure": "mean" if one.choice is None else "share",
        "choice": one.choice or 0,
        "choice_label": "" if one.choice is None else one.item.choices[one.choice],
        "version": one.waves[-1].number,
        "since_version": change.since.number,
        "since_design": change.since.design.digest,
        "n": one.waves[-1].n,
        "since_n": change.since.n,
        "target": targets.common(wave.target(sampled=True) for wave in (one.waves[-1], change.since)),
        "noise_target": targets.common(wave.target(sampled=False) for wave in (one.waves[-1], change.since)),
        "interval_method": method,
        "noise_interval_method": method,
        "change": change.estimate,
        "change_unclipped": change.number("unbiased"),
        **{name: change.number(name) for name in names},
        "remembered": int(change.remembered),
        "confidence": read.run.confidence,
    }
