"""The dossier of a survey as a file."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_safe

from collector.errors import Conflict
from surveys.accounts.access import get_survey_or_404
from surveys.panel.views import signed_in
from surveys.planning.dossier import dossier
from surveys.planning.group_warnings import expected_reports
from surveys.respondent.stored_pages import attachment


@require_safe
def file(request: HttpRequest, slug: str) -> HttpResponse:
    """The PDF for an ethics board, for the number of responses in the query; what keeps it from being made is said."""
    survey = get_survey_or_404(request.user, slug)
    expected = expected_reports(survey, request.GET.get("expected", ""))
    try:
        made = dossier(survey, expected=expected, today=timezone.now().date(), by=signed_in(request))
    except Conflict as reason:
        messages.error(request, str(reason))
        return redirect("panel:opening", slug)
    return attachment(made, "application/pdf", f"{survey.slug}-dossier.pdf")
