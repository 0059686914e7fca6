"""Steps: an open design's reports are folded ten at a time; the last 10 to 19 of each group wait.

So are those of a design whose closing can still be undone: reports may come after it.

Whoever compares what was released before and after one report came finds no difference, or one of ten reports at least.
A group stands beside a report as it is, so each takes steps of its own; where even its size is protected, and where
cells of background questions are told of only at the end, all take them together. Those who answer a rehearsal are
simulated: it takes none. docs/adr/0026-steps.md says why.
"""

import numpy as np
from django.db.models import Q
from numpy.typing import NDArray

from collector.designs import Design
from collector.models import WaitingReport

STEP = 10
"""Reports in a step. A group's first step needs twice as many waiting."""

IN_STEPS = Q(final_on=None, rehearsal=False)
"""Condition for the designs whose reports are folded in steps."""


def groups(design: Design, strata: NDArray[np.intp]) -> NDArray[np.intp]:
    """The group with which each report is folded in steps."""
    return np.zeros_like(strata) if _together(design) else strata


def _together(design: Design) -> bool:
    """Return True if all reports take steps together: of these nothing is told by group while the survey is open."""
    return bool(design.participation or design.background)


def foldable(waiting: int) -> int:
    """The number of a group's waiting reports to fold: all whole steps but the last."""
    return max(0, waiting // STEP - 1) * STEP


def has_step(design: Design, number: int) -> bool:
    """Return True if a step can be taken; the number of reports read is bounded."""
    most = (2 * STEP - 1) * (1 if _together(design) else len(design.strata)) + 1
    waits = WaitingReport.objects.filter(design__number=number).values_list("stratum", flat=True)[:most]
    strata = np.array(waits, dtype=np.intp)
    _, counts = np.unique(groups(design, strata), return_counts=True)
    return len(strata) == most or any(foldable(int(count)) for count in counts)
