"""From the totals of a design to its estimates. No database, no clock: the same totals give the same numbers."""

import hashlib
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from collector.designs import Design, canonical
from collector.selectors import Totals
from randomized_response import Channel, ProportionEstimate, combine_strata, estimate_proportions

MINIMUM_REPORTS = 30
"""Fewer reports than this give no estimate: it would be an interval from nothing to everything."""

ALARM = 4.0
"""The coin's standard errors by which a share may leave what the table can produce before it is flagged."""

TOO_FEW = "too_few_reports"
CLIPPED = "estimate_outside_0_1"
IMPOSSIBLE = "reports_outside_table"
WEIGHTED = "weighted_by_known_shares"


@dataclass(frozen=True)
class Row:
    """One estimate; every number is None where there are too few reports for it."""

    position: int
    choice: int
    stratum: int | None
    n: int
    sent: int
    unbiased: float | None
    constrained: float | None
    standard_error: float | None
    noise_standard_error: float | None
    low: float | None
    high: float | None
    interval: str
    noise_low: float | None
    noise_high: float | None
    noise_interval: str
    direct_question_n: float | None
    flags: list[str]


def input_digest(design: Design, totals: Totals) -> str:
    """SHA-256 of everything that an estimate depends on: the design and its totals."""
    inputs = {"design": design.digest, "totals": [table.tolist() for table in totals]}
    return hashlib.sha256(canonical(inputs)).hexdigest()


def channel_of(item: dict[str, Any]) -> Channel:
    """The channel of an item of a frozen design."""
    table, truth = item["channel"]["weights"], item["channel"].get("truth")
    return Channel(tuple(map(tuple, table)), item["channel"]["name"], Fraction(truth) if truth else None)


def estimate_item(design: Design, position: int, counts: NDArray[np.int64], confidence: float) -> Iterator[Row]:
    """The estimates of one item: of all respondents first, then of each stratum. `counts` has shape (strata, m)."""
    channel = channel_of(design.document["items"][position])
    strata = [_estimate(row, channel, confidence) for row in counts]
    shares = [group["share"] for group in design.document["strata"]["groups"]]
    yield from _rows(position, None, counts.sum(axis=0), _overall(counts, strata, shares, channel, confidence), shares)
    if shares:
        for stratum, estimate in enumerate(strata):
            yield from _rows(position, stratum, counts[stratum], estimate, [])


def _estimate(counts: NDArray[np.int64], channel: Channel, confidence: float) -> ProportionEstimate | None:
    if counts.sum() < MINIMUM_REPORTS:
        return None
    return estimate_proportions(counts, channel, confidence=confidence)


def _overall(
    counts: NDArray[np.int64],
    strata: list[ProportionEstimate | None],
    shares: list[str | None],
    channel: Channel,
    confidence: float,
) -> ProportionEstimate | None:
    """All respondents: the strata by their known population shares, or all reports together where none is known."""
    known = [float(Fraction(share)) for share in shares if share is not None]
    if not known:
        return _estimate(counts.sum(axis=0), channel, confidence)
    ready = [estimate for estimate in strata if estimate is not None]
    return combine_strata(ready, known) if len(ready) == len(strata) else None


def _rows(
    position: int,
    stratum: int | None,
    counts: NDArray[np.int64],
    estimate: ProportionEstimate | None,
    shares: list[str | None],
) -> Iterator[Row]:
    n = int(counts.sum())
    for choice, sent in enumerate(counts.tolist()):
        if estimate is None:
            blank = (None,) * 6
            yield Row(position, choice, stratum, n, sent, *blank, "none", None, None, "none", None, [TOO_FEW])
            continue
        yield Row(
            position=position,
            choice=choice,
            stratum=stratum,
            n=n,
            sent=sent,
            unbiased=_number(estimate.unbiased[choice]),
            constrained=_number(estimate.constrained[choice]),
            standard_error=_number(estimate.standard_error[choice]),
            noise_standard_error=_number(estimate.noise_standard_error[choice]),
            low=_number(estimate.low[choice]),
            high=_number(estimate.high[choice]),
            interval=estimate.interval,
            noise_low=_number(estimate.noise_low[choice]),
            noise_high=_number(estimate.noise_high[choice]),
            noise_interval=estimate.noise_interval,
            direct_question_n=_number(estimate.direct_question_n[choice]),
            flags=list(_flags(estimate, choice, weighted=None not in shares and bool(shares))),
        )


def _flags(estimate: ProportionEstimate, choice: int, *, weighted: bool) -> Iterator[str]:
    if weighted:
        yield WEIGHTED
    if not 0 <= estimate.unbiased[choice] <= 1:
        yield CLIPPED
    if estimate.misfit[choice] > ALARM:
        yield IMPOSSIBLE


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
