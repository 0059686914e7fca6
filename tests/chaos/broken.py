"""Folding as it must not be: the totals are committed before the reports that they count are moved.

Whoever dies in between leaves reports that are in the totals and wait to be added once more. An installation that has
the file `broken` in its folder of faults folds so: what the audit says then shows that it can find something.
"""

from collections.abc import Callable
from typing import Any

AT = "folding as it must not be: after the totals, before the reports"
"""The point to die at."""


def install(strike: Callable[[str], None] = lambda point: None) -> None:
    """From here on this process folds so, and tells when it comes to the point."""
    from django.db import transaction

    from collector.models import FrozenDesign, WaitingReport
    from collector.reports import folding, selectors

    honest = folding._fold_chunk
    if honest.__name__ == "totals_first":
        return

    def totals_first(digest: str, take: Any, **given: Any) -> folding.MovedReports:
        number = FrozenDesign.objects.get(digest=digest).number
        waiting = WaitingReport.objects.filter(design_id=number).order_by("nonce")
        if "nonces" in take.keywords:
            waiting = waiting.filter(nonce__in=take.keywords["nonces"])
        rows: list[selectors.StoredRow] = list(waiting.values_list("stratum", "report")[: take.keywords.get("most")])
        with transaction.atomic():
            folding._add(digest, number, rows)
        strike(AT)
        add, folding._add = folding._add, lambda digest, number, rows: None
        try:
            return honest(digest, take, **given)
        finally:
            folding._add = add

    folding._fold_chunk = totals_first
