"""A finished run as the panel shows it: its questions as markup, written once, for a finished run never changes."""

from functools import lru_cache
from typing import Any

from django.template.loader import render_to_string

from collector.designs.selectors import get_design
from estimator.models import Run
from estimator.reports import disclosures, report

LEVEL = 3
"""Of a question's heading on the panel's pages."""


def shown(run: Run) -> dict[str, Any]:
    """The context of `report.context`, with the markup of all questions as `sections`."""
    known = run.design.rehearsal  # the known truth of a rehearsal may be recorded after its run
    design = get_design(run.design_id)
    return _shown(run) if known else _shown_once(run.key, disclosures.of(design.slug).has_margin)


@lru_cache(maxsize=16)
def _shown_once(key: str, sampling: bool) -> dict[str, Any]:
    """By what a run's numbers are shown from: an author may declare, later, that there is a population."""
    return _shown(Run.objects.select_related("design").get(key=key))


def _shown(run: Run) -> dict[str, Any]:
    context = report.context(run)
    return context | {"sections": render_to_string("estimator/_sections.html", {**context, "level": LEVEL})}
