"""Queries on analyses."""

from collections.abc import Iterable

from django.db.models import QuerySet

from estimator.models import Analysis

NEWEST = 30
HEAVY = ("inputs", "result")


def newest_of(digests: Iterable[str], *, count: int = NEWEST) -> QuerySet[Analysis]:
    """The newest analyses of some designs, newest first, without inputs and results."""
    return Analysis.objects.filter(design__in=list(digests)).defer(*HEAVY)[:count]


def compared_with_before(analysis: Analysis) -> str:
    """A sentence that compares a repeated analysis with the original; empty if there is nothing to say."""
    first = analysis.repeats
    done = Analysis.State.DONE
    if first is None or first.state != done or analysis.state != done:
        return ""
    if analysis.input_digest != first.input_digest:
        more = (analysis.reports or 0) - (first.reports or 0)
        return f"{more:,} report{'' if more == 1 else 's'} came since: these are numbers of a new snapshot."
    if analysis.result_digest == first.result_digest:
        return "The same snapshot, and every number is the same to its last digit."
    return (
        f"The same snapshot, computed with version {analysis.version} of the library instead of {first.version}: "
        "some digits differ."
    )
