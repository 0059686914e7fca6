"""Estimation from the totals of a design. No database, no clock: the same totals give the same numbers."""

import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from collector.designs import FEWEST_IN_GROUP, Design, canonical
from collector.reports.selectors import Totals
from estimator.base import verdict
from estimator.base.measures import (
    CLIPPED,
    CLIPPED_MEAN,
    COLLAPSED,
    IMPOSSIBLE,
    MEAN,
    SHARE,
    TOO_FEW,
    TOO_FEW_VALUES,
    WEIGHTED,
)
from estimator.base.questions import question_of
from estimator.models import Estimate
from estimator.runs.groups import ENOUGH_TO_WEIGHT, Partition
from randomized_response import (
    MeanEstimate,
    ProportionEstimate,
    Question,
    collapse_strata,
    combine_means,
    combine_strata,
    mean_of_shares,
)

MINIMUM_MICRODATA = 100
"""Minimum reports to release them singly. Each is protected by its table alone already; that nobody can
say whose a row is comes from the others: who knows that a person took part guesses right once in so many."""

ALARM = 4.0
"""Standard errors of the randomisation by which an estimate may be out of range before it is flagged."""

NUMBERS = (
    "unbiased", "constrained", "standard_error", "noise_standard_error", "low", "high", "noise_low", "noise_high",
    "direct_question_n",
)  # fmt: skip
"""The numbers of an estimate, by their names in the library and in the database."""


def input_digest(design: Design, totals: Totals) -> str:
    """SHA-256 of everything that an estimate depends on: the design and its totals."""
    inputs = {"design": design.digest, "totals": [table.tolist() for table in totals]}
    return hashlib.sha256(canonical(inputs)).hexdigest()


@dataclass(frozen=True)
class Fit:
    """The estimates of one item among some respondents: shares, a mean, or both."""

    shares: ProportionEstimate | None
    mean: MeanEstimate | None

    def part(self, choice: int | None) -> ProportionEstimate | MeanEstimate | None:
        """The shares, or the mean if `choice` is None; None if there is no number: too few may have given a value."""
        if choice is not None:
            return self.shares
        return None if self.mean is None or math.isnan(self.mean.unbiased) else self.mean

    def value(self, choice: int | None, name: str) -> float:
        """A number of the mean, or of the share of a choice, by its name in the library."""
        values = getattr(self.mean if choice is None else self.shares, name)
        return float(values if choice is None else values[choice])


def estimate_item(
    partition: Partition, position: int, totals: Totals, confidence: float, *, anytime: bool = False
) -> Iterator[Estimate]:
    """Estimate one item: for all respondents first, then for each group; shares by choice, then the mean.

    Unsaved rows without their run; numbers are None if there are too few reports. A mean has choice 0, and no `sent`.

    `totals` are the tables of the item's own symbols as they are released, each of shape (rows of the partition, m).
    `anytime` asks for intervals that hold however often one looks, as one does while reports come in; else they hold at
    one look.
    """
    question, known = question_of(partition.design.items[position]), known_shares(partition)
    strata = np.stack(totals, axis=1)
    everyone, fit = strata.sum(axis=0), overall(partition, position, totals, confidence)
    if anytime and fit:
        fit = _at_every_look(question, fit, None if known else everyone)
    flags = [WEIGHTED] if known else []
    if known and (partition.other is not None or len(collapsed(strata)) < len(strata)):
        flags.append(COLLAPSED)  # some groups are weighted as one
    yield from _rows(question, position, None, everyone, fit, flags)
    for group in partition.groups:
        counts = strata[list(group.rows)].sum(axis=0)
        fit = fit_of(question, counts, confidence)
        if anytime and fit:
            fit = _at_every_look(question, fit, counts)
        yield from _rows(question, position, group.code, counts, fit, [])


def _at_every_look(question: Question, fit: Fit, counts: NDArray[np.int64] | None) -> Fit:
    """The same estimates with intervals that hold at all looks together; no `counts` if strata were combined."""
    return Fit(
        fit.shares and question.shares_at_every_look(fit.shares, counts),
        fit.mean and question.mean_at_every_look(fit.mean, counts),
    )


def overall(partition: Partition, position: int, totals: Totals, confidence: float) -> Fit | None:
    """Estimate all respondents: the parts weighted by known population shares, or all reports together.

    None where there are too few reports; `totals` as for `estimate_item`. Its intervals hold at one look. Made of what
    is released alone, so that everybody who has that comes to the same number.
    """
    question, strata = question_of(partition.design.items[position]), np.stack(totals, axis=1)
    known = known_shares(partition)
    if known:
        return weighted(question, strata, known, confidence)
    return fit_of(question, strata.sum(axis=0), confidence)


def together(
    partition: Partition, position: int, totals: Totals, confidence: float, *, anytime: bool = False
) -> ProportionEstimate | None:
    """The shares of all respondents with simultaneous intervals, so that one may be picked by its size.

    `totals` and `anytime` as for `estimate_item`. Each interval is one at 1 - (1 - confidence) / k of k choices
    (Bonferroni; Miller 1981, Simultaneous Statistical Inference, chapter 1): whichever is picked, and however, it
    misses with 1 - confidence at most. Of two choices of which one holds, either interval is the other turned round:
    k is 1. None where no shares are told, or too few reports came.
    """
    item = partition.design.items[position]
    question, k = question_of(item), len(item.choices)
    alone = k == 2 and question.kind != "several_choices"
    fit = overall(partition, position, totals, confidence if alone else 1 - (1 - confidence) / k)
    if fit is None or not question.reports_shares:
        return None
    everyone = None if known_shares(partition) else np.stack(totals, axis=1).sum(axis=0)
    return (_at_every_look(question, fit, everyone) if anytime else fit).shares


def range_of(question: Question, measure: str) -> verdict.Range:
    """The possible values of a measure: of a share, or of a mean from the smallest number to the largest."""
    points = tuple(value for value in question.values if value is not None)
    return verdict.of_values(points) if measure == MEAN else verdict.SHARE


def known_shares(partition: Partition) -> list[float]:
    """The known population shares of the released groups; empty if they are unknown."""
    return [float(Fraction(part.share)) for part in partition.parts if part.share is not None]


def fit_of(question: Question, counts: NDArray[np.int64], confidence: float) -> Fit | None:
    """The estimates from reports counted by symbol, shape (symbols, m); None if there are too few."""
    return None if counts[0].sum() < FEWEST_IN_GROUP else _estimated(question, counts, confidence)


def _estimated(question: Question, counts: NDArray[np.int64], confidence: float) -> Fit:
    if question.fits_shares:
        return _of_shares(question, question.estimate(counts, confidence=confidence))
    return Fit(None, question.estimate_mean(counts, confidence=confidence))


def _of_shares(question: Question, shares: ProportionEstimate) -> Fit:
    return Fit(shares, mean_of_shares(shares, question.values) if question.reports_mean else None)


def collapsed(strata: NDArray[np.int64]) -> tuple[tuple[int, ...], ...]:
    """The strata to weight: those below FEWEST_IN_GROUP reports combined, which only occur in rehearsals.

    `strata` are counts of shape (strata, symbols, m); as in a partition, each entry has the places that it holds.
    """
    return collapse_strata(strata[:, 0].sum(axis=1).tolist(), FEWEST_IN_GROUP)


def weighted(question: Question, strata: NDArray[np.int64], known: Sequence[float], confidence: float) -> Fit | None:
    """Combine the strata, counts of shape (strata, symbols, m), by their known shares.

    None where all of them together have fewer than ENOUGH_TO_WEIGHT reports. The sum is unbiased however few reports a
    stratum has, so a small one leaves the interval wider and no more; those of hardly any are weighted as one.
    """
    if strata[:, 0].sum() < ENOUGH_TO_WEIGHT:
        return None
    members = collapsed(strata)
    weights = [sum(known[place] for place in places) for places in members]
    fits = [_estimated(question, strata[list(places)].sum(axis=0), confidence) for places in members]
    if not question.fits_shares:
        return Fit(None, combine_means([fit.mean for fit in fits if fit.mean is not None], weights))
    return _of_shares(question, combine_strata([fit.shares for fit in fits if fit.shares is not None], weights))


def _rows(
    question: Question,
    position: int,
    stratum: int | None,
    counts: NDArray[np.int64],
    fit: Fit | None,
    flags: list[str],
) -> Iterator[Estimate]:
    place = {"position": position, "stratum": stratum, "n": int(counts[0].sum())}
    if question.reports_shares:
        for choice, sent in enumerate(question.sent(counts).tolist()):
            yield _estimate(fit, choice, flags, **place, measure=SHARE, choice=choice, sent=sent)
    if question.reports_mean:
        yield _estimate(fit, None, flags, **place, measure=MEAN, choice=0)


def _estimate(fit: Fit | None, of: int | None, flags: list[str], **place: Any) -> Estimate:
    """The estimate of a choice, or of the mean if `of` is None; without numbers the flag says why."""
    found = None if fit is None else fit.part(of)
    if fit is None or found is None:
        return Estimate(**place, interval="none", noise_interval="none", flags=[TOO_FEW_VALUES if fit else TOO_FEW])
    low, high, clipped = 0.0, 1.0, CLIPPED
    if isinstance(found, MeanEstimate):
        low, high, clipped = found.minimum, found.maximum, CLIPPED_MEAN
    outside = [] if low <= fit.value(of, "unbiased") <= high else [clipped]
    alarm = [IMPOSSIBLE] if fit.value(of, "misfit") > ALARM else []
    numbers = {name: value if math.isfinite(value := fit.value(of, name)) else None for name in NUMBERS}
    methods = {"interval": found.interval, "noise_interval": found.noise_interval}
    return Estimate(**place, **numbers, **methods, flags=flags + outside + alarm)
