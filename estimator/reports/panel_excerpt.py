"""A finished run in the panel: its questions as markup, cached since a finished run never changes."""

from functools import lru_cache

from django.template.loader import render_to_string

from collector.designs.selectors import get_design
from estimator.models import Run
from estimator.reports import disclosures, report
from estimator.reports.report import ReportPage
from estimator.runs.results import ReportContext

LEVEL = 3
"""The level of a question's heading on the panel's pages."""


class Excerpt(ReportPage):
    """`sections` is the markup of all questions."""

    sections: str


def shown(run: Run, known: ReportContext) -> Excerpt:
    """The context of `report.context`, with the markup of all questions as `sections`."""
    if run.design.rehearsal:  # its known truth may be recorded after its run
        return _shown(run, known)
    return _shown_once(run.key, known, disclosures.of(get_design(run.design_id).slug).has_margin)


@lru_cache(maxsize=16)
def _shown_once(key: str, known: ReportContext, sampling: bool) -> Excerpt:
    """Cache by all that the numbers' display depends on: an author may later declare a random sample."""
    return _shown(Run.objects.select_related("design").get(key=key), known)


def _shown(run: Run, known: ReportContext) -> Excerpt:
    context = report.context(run, known)
    return {**context, "sections": render_to_string("estimator/_sections.html", {**context, "level": LEVEL})}
