"""Progress of an open survey: its newest estimates, its responses by day, and the state of its jobs.

The page is whole without a script. With one, it asks every few seconds for the small answer of
`surveys/api/progress.py`, and for the page itself when that says that there is more to see than a number.
"""

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from collector.designs import FEWEST_IN_GROUP
from collector.reports import selectors as reports
from estimator.base.measures import IMPOSSIBLE
from estimator.reports.panel_excerpt import shown
from surveys.accounts.access import get_survey_or_404
from surveys.lifecycle import selectors
from surveys.lifecycle.progress import progress_of
from surveys.panel.field_days import days_of
from surveys.panel.frame import survey_page
from surveys.panel.overview import runs_of

WORKERS = {
    "here": gettext_lazy("Working: looks for new responses every few seconds."),
    "away": gettext_lazy(
        "Not seen for more than a minute. Responses are still stored; they are counted once it is back."
    ),
    "never": gettext_lazy("Not seen yet. Responses are still stored; they are counted once it runs."),
}


@require_safe
def progress(request: HttpRequest, slug: str) -> HttpResponse:
    """The newest estimates, responses by day, jobs and their history."""
    survey = get_survey_or_404(request.user, slug)
    seen = progress_of(survey)
    context: dict[str, object] = {
        "seen": seen,
        "now": timezone.now(),
        "worker_words": WORKERS[seen.worker],
        "minimum": FEWEST_IN_GROUP,
        "days": days_of(reports.daily_counts(seen.version.design_id)) if seen.version else None,
        "runs": runs_of(survey),
    }
    if seen.done:
        found = shown(seen.done, selectors.report_context(seen.done))
        context |= {**found, "alarms": [block for block in found["report"].blocks if IMPOSSIBLE in block.flags]}
    return survey_page(request, "panel/watch.html", survey, step="watch", context=context)
