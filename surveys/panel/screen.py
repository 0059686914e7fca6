"""A survey on a projector: the code to join, how the tickets work, and the newest estimates beside what is known.

The page is kept up to date by the script of the page Watch.
"""

from django.http import HttpRequest, HttpResponse
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_safe

from collector.designs import FEWEST_IN_GROUP
from collector.designs.selectors import get_design
from estimator.reports import report
from estimator.reports.privacy import item_label
from surveys.accounts.access import get_survey_or_404
from surveys.lifecycle import links, selectors
from surveys.lifecycle.progress import progress_of
from surveys.outreach import qr_codes
from surveys.panel.frame import survey_page

MOST_QUESTIONS = 3
"""Questions whose estimates fit on a screen."""


@require_safe
def screen(request: HttpRequest, slug: str) -> HttpResponse:
    """The code, the number of responses, and the estimates of the first questions."""
    survey = get_survey_or_404(request.user, slug)
    seen = progress_of(survey)
    context: dict[str, object] = {"seen": seen, "minimum": FEWEST_IN_GROUP}
    if seen.version:
        design = get_design(seen.version.design_id)
        link = links.language_links(seen.version)[0]
        context["link"] = link
        context["code"] = mark_safe(qr_codes.svg(link.address, design.title[design.language]).decode())  # noqa: S308 - our own drawing
        context["ticket"] = item_label(design.items[0], design.language)
    if seen.done:
        found = report.build(seen.done, selectors.report_context(seen.done))
        context |= {"report": found, "blocks": found.blocks[:MOST_QUESTIONS]}
    return survey_page(request, "panel/screen.html", survey, step="watch", context=context)
