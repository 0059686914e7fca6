"""Steps: of an open design reports are folded ten at a time, and the last 10 to 19 of each group wait.

Whoever compares what was released before and after one report came finds no difference, or one of ten reports at least.
A group stands beside a report as it is, so each takes steps of its own; where even its size is protected, all take them
together. Those who answer a rehearsal are simulated: it takes none. docs/adr/0026-steps.md says why.
"""

import numpy as np
from django.db.models import Q
from numpy.typing import NDArray

from collector.designs import Design
from collector.models import WaitingReport

STEP = 10
"""Reports of a step. Twice as many of a group have to wait before the first is taken."""

IN_STEPS = Q(closed_on=None, rehearsal=False)
"""The designs whose reports are folded in steps."""


def groups(design: Design, strata: NDArray[np.intp]) -> NDArray[np.intp]:
    """Of each report the group with which it takes steps."""
    return np.zeros_like(strata) if design.participation else strata


def foldable(waiting: int) -> int:
    """How many of so many waiting reports of a group are folded: whole steps, but for the last one."""
    return max(0, waiting // STEP - 1) * STEP


def has_step(design: Design, number: int) -> bool:
    """Whether one can be taken; it looks at no more reports than may wait without one."""
    most = (2 * STEP - 1) * len(design.strata) + 1
    waits = WaitingReport.objects.filter(design__number=number).values_list("stratum", flat=True)[:most]
    strata = np.array(waits, dtype=np.intp)
    _, counts = np.unique(groups(design, strata), return_counts=True)
    return len(strata) == most or any(foldable(int(count)) for count in counts)
