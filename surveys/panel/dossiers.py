"""The dossier of a survey as a file, and the package for an ethics board."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_safe

from collector.errors import Conflict
from surveys.accounts.access import get_survey_or_404
from surveys.panel.views import signed_in
from surveys.planning.board_package import board_package
from surveys.planning.dossier import dossier
from surveys.planning.group_warnings import expected_reports
from surveys.respondent.stored_pages import attachment


@require_safe
def file(request: HttpRequest, slug: str) -> HttpResponse:
    """The PDF for an ethics board, in the language and for the responses in the query; it is said why there is none."""
    return _made(request, slug, dossier, "application/pdf", "dossier.pdf")


@require_safe
def package(request: HttpRequest, slug: str) -> HttpResponse:
    """The same with all else that a board asks for, as a zip."""
    return _made(request, slug, board_package, "application/zip", "ethics-board.zip")


def _made(request: HttpRequest, slug: str, make: Callable[..., bytes], content_type: str, name: str) -> HttpResponse:
    survey = get_survey_or_404(request.user, slug)
    expected = expected_reports(survey, request.GET.get("expected", ""))
    language, today = request.GET.get("language", ""), timezone.now().date()
    try:
        made = make(survey, expected=expected, today=today, language=language, by=signed_in(request))
    except Conflict as reason:
        messages.error(request, str(reason))
        return redirect("panel:opening", slug)
    return attachment(made, content_type, f"{survey.slug}-{name}")
