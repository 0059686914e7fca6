"""The page of a survey's waves: their privacy loss, and the next one, which opens exactly as shown."""

from collections import Counter
from collections.abc import Iterator

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from estimator.base import wording
from surveys.accounts.access import Role, get_survey_or_404
from surveys.definition.privacy_budget import PrivacyLossSum
from surveys.labels import translated
from surveys.lifecycle import selectors
from surveys.lifecycle.budget import UNIT, SurveyBudget, between, budget_of
from surveys.lifecycle.transitions import MOVES
from surveys.models import Survey
from surveys.opening import schedules
from surveys.panel.budget_chart import picture_of
from surveys.panel.design_preview import design_preview
from surveys.panel.frame import status_of, survey_page
from surveys.panel.opening import OpeningForm, groups_of, open_confirmed


@require_http_methods(["GET", "HEAD", "POST"])
def waves(request: HttpRequest, slug: str) -> HttpResponse:
    """The privacy budget, and for a closed survey the design that reopening would freeze, with its button."""
    role = MOVES["wave"].role if request.method == "POST" else Role.VIEWER
    survey = get_survey_or_404(request.user, slug, role)
    standing = status_of(survey)
    book = budget_of(survey, missing=standing.missing if survey.state == Survey.State.DRAFT else None)
    fits = survey.state == Survey.State.CLOSED and (survey.rehearsal or (book.ahead and not book.ahead.missing))
    shown = design_preview(selectors.wave_to_open(survey)[0]) if fits else None
    form = OpeningForm(request.POST if request.method == "POST" else None, shown)
    if request.method == "POST" and (survey.state != Survey.State.CLOSED or form.is_valid()):
        later = gettext("Opens again automatically on {}.")
        opens = schedules.open_again_on
        return open_confirmed(request, survey, form, opens, page="panel:waves", later=later, name=gettext("Wave"))
    page = {
        "form": form,
        "book": book,
        "unit": translated(UNIT),
        "picture": picture_of(book),
        "rows": list(_rows(book)),
        "questions": list(_questions(book)),
        "ranged": any(line.spent and line.spent.total.least < line.spent.total.most for line in book.lines),
        "trouble": schedules.schedule_fault(survey),
        "agreed": [one for one in schedules.waiting(survey) if one.move == "wave"],
        "again": True,
        "shown": shown,
        "elsewhere": between(book.elsewhere) if book.elsewhere.most > 1 else "",
        **groups_of(survey, shown, request),
    }
    status = 422 if form.is_bound else 200
    return survey_page(request, "panel/waves.html", survey, step="open", status=status, known=standing, context=page)


def _rows(book: SurveyBudget) -> Iterator[dict[str, object]]:
    for line in book.lines:
        version, spent = line.opened.version, line.spent
        yield {
            "name": line.opened.name,
            "remembers": line.opened.remembers,
            "opened": version.opened_at,
            "closed": version.closed_at,
            "reports": wording.reports(line.opened.counted),
            "epsilon": wording.epsilon(line.epsilon),
            "adds": between(spent.adds) if spent else "nothing",
            "total": between(spent.total) if spent else "–",
        }
    if book.ahead:
        wave = book.ahead.wave
        sums = {"adds": between(wave.adds), "total": between(wave.total)}
        yield {"name": gettext("the next"), "reports": "–", "epsilon": wording.epsilon(wave.epsilon), **sums}


def _questions(book: SurveyBudget) -> Iterator[dict[str, object]]:
    """The total loss of each question, by its key, in the order in which they were first asked."""
    waves, totals = Counter[str](), dict[str, PrivacyLossSum]()
    for one in (one for line in book.lines if line.spent for one in line.spent.items):
        waves[one.key] += 1
        totals[one.key] = one.total
    for key, total in totals.items():
        yield {"key": key, "waves": waves[key], "total": between(total)}
