"""Group sizes, released once with discrete Laplace noise if a design asks for it.

The noise and its accounting are OpenDP's. A person is in one group: taking her away changes one number by 1.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

from collector.designs import Design
from collector.reports.selectors import Totals
from estimator.models import GroupSize, Run
from estimator.runs import groups

if TYPE_CHECKING:
    from opendp.mod import Measurement

SENSITIVITY = 1


@cache
def mechanism(epsilon: Fraction) -> "Measurement":
    """Discrete Laplace noise on a count, of the least scale that OpenDP accounts at most `epsilon` for.

    - `epsilon`: above 0: what anybody learns of whether one person is in the group multiplies odds by e^epsilon at
      most.

    References: Ghosh, A., Roughgarden, T. & Sundararajan, M. (2012). Universally utility-maximizing privacy mechanisms.
    SIAM Journal on Computing 41, 1673-1693. Canonne, C., Kamath, G. & Steinke, T. (2020). The discrete Gaussian for
    differential privacy. NeurIPS (the exact sampler).
    """
    # It takes half a second to load, which no web process has to spend.
    import opendp.prelude as dp

    dp.enable_features("contrib")
    scale = float(1 / epsilon)
    while True:
        made = dp.m.make_laplace(dp.atom_domain(T=dp.i64), dp.absolute_distance(T=dp.i64), scale=scale)
        accounted: float = made.map(SENSITIVITY)  # type: ignore[no-untyped-call]
        if Fraction(accounted) <= epsilon:
            return made
        scale = math.nextafter(scale, math.inf)


def release(design: Design, totals: Totals) -> None:
    """Draw the noised size of each group, unless it was drawn before; in the caller's transaction.

    Of two callers at once one draws what stays: the other's rows are not written.

    - `totals`: arrays of shape (strata, m), of a closed design of which every report is counted.
    """
    epsilon = groups.epsilon_of(design)
    if epsilon is None or GroupSize.objects.filter(design=design.digest).exists():
        return
    draw = mechanism(epsilon)
    rows = [
        GroupSize(design_id=design.digest, stratum=stratum, count=draw(size), epsilon=str(design.participation))
        for stratum, size in enumerate(totals[0].sum(axis=1).tolist())
    ]
    GroupSize.objects.bulk_create(rows, ignore_conflicts=True)


def released(run: Run, design: Design) -> Sequence[int]:
    """The noised group sizes in order, at least 0; empty if there are none, and for a run from before closing."""
    if run.anytime or not groups.is_protected(design):
        return ()
    rows = GroupSize.objects.filter(design=design.digest).order_by("stratum")
    return [max(0, count) for count in rows.values_list("count", flat=True)]
