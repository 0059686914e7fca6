"""A design of any number of groups, and the final run of its reports."""

from typing import Any

from collector.designs import Design
from estimator.models import Run
from tests.factories import payloads
from tests.factories.reports import store_report
from tests.factories.runs import run_of

REPORTS = ("0000", "0101", "0102")


def document(count: int, *shares: str, **changes: Any) -> dict[str, Any]:
    """A design of so many groups, which are called Faculty 00 and so on."""
    listed = [
        {"key": f"g{place:03d}", "label": {"en": f"Faculty {place:02d}"}, "share": shares[place] if shares else None}
        for place in range(count)
    ]
    return payloads.document(strata={"wording": {"en": "Which faculty?"}, "groups": listed}, **changes)


def answered(design: Design, sizes: list[int]) -> Run:
    """The final run of real reports, so many of each group."""
    for place, size in enumerate(sizes):
        for number in range(size):
            report = REPORTS[(place + number) % len(REPORTS)]
            store_report(payloads.body(design, stratum=design.strata[place], report=report), slug=design.slug)
    return run_of(design)
