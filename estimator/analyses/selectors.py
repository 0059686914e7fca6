"""Queries on analyses."""

from collections.abc import Iterable

from django.db.models import QuerySet
from django.utils.translation import gettext, ngettext

from collector.designs import Design
from estimator.base.languages import filled
from estimator.models import Analysis

NEWEST = 30
HEAVY = ("inputs", "result")


def newest_of(digests: Iterable[str], *, count: int = NEWEST) -> QuerySet[Analysis]:
    """The newest analyses of some designs, newest first, without inputs and results."""
    return Analysis.objects.filter(design__in=list(digests)).defer(*HEAVY)[:count]


def weightings_of(design: Design) -> QuerySet[Analysis]:
    """The finished analyses of a design that found weights for margins of background questions, newest first."""
    done = Analysis.objects.filter(design=design.digest, kind=Analysis.Kind.WEIGHTING, state=Analysis.State.DONE)
    return done.filter(result__has_key="weights").defer(*HEAVY)


def published_of(digest: str) -> QuerySet[Analysis]:
    """The analyses of a design that its reports show, the first requested first."""
    shown = Analysis.objects.filter(design=digest, published=True, state=Analysis.State.DONE)
    return shown.order_by("requested_at", "pk")


def compared_with_before(analysis: Analysis) -> str:
    """A sentence that compares a repeated analysis with the original; empty if there is nothing to say."""
    first = analysis.repeats
    done = Analysis.State.DONE
    if first is None or first.state != done or analysis.state != done:
        return ""
    if analysis.input_digest != first.input_digest:
        more = (analysis.reports or 0) - (first.reports or 0)
        return filled(
            ngettext(
                "{count:,} response arrived since then: these are the numbers of a new snapshot.",
                "{count:,} responses arrived since then: these are the numbers of a new snapshot.",
                more,
            ),
            count=more,
        )
    if analysis.result_digest == first.result_digest or analysis.result["rows"] == first.result["rows"]:
        return gettext("The same snapshot, and every number is identical.")
    return gettext(
        "The same snapshot, computed with version {now} of the library instead of {before}: some digits differ."
    ).format(now=analysis.version, before=first.version)
