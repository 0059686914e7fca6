"""Published reports: readable with their link, which leads to no other report."""

from collections.abc import Callable

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from estimator.base.cells import ExportError
from estimator.base.languages import DEFAULT, LANGUAGES, activated
from estimator.exports.formats import FORMATS
from estimator.models import Run
from estimator.reports import files
from estimator.reports.report import context
from estimator.runs.results import ReportContext
from surveys.accounts.access import one_or_404
from surveys.lifecycle.selectors import report_context
from surveys.respondent.stored_pages import attachment

TEMPLATE = "estimator/report.html"

FILES: dict[str, tuple[str, str, Callable[[Run, str, ReportContext], bytes]]] = {
    "html": ("text/html; charset=utf-8", "{}.html", files.html_file),
    "pdf": ("application/pdf", "{}.pdf", files.pdf_file),
    "csv": ("text/csv; charset=utf-8", "estimates.csv", lambda run, _, known: FORMATS["csv"].whole(run, known)),
    "json": ("application/json", "report.json", lambda run, _, known: FORMATS["json"].whole(run, known)),
}
"""Content type, the end of the file's name, and what writes it in a language."""


@require_safe
def report(request: HttpRequest, key: str) -> HttpResponse:
    return report_page(request, _published_or_404(key))


@require_safe
def file(request: HttpRequest, key: str, form: str) -> HttpResponse:
    return report_file(request, _published_or_404(key), form)


def report_page(request: HttpRequest, run: Run) -> HttpResponse:
    """The report of a run that the caller may show. Its links are relative to the page."""
    with activated(_language(request)):
        return render(request, TEMPLATE, {**context(run, report_context(run)), "hidden": not run.published})


def report_file(request: HttpRequest, run: Run, form: str) -> HttpResponse:
    """The report as a file; HTML and PDF in the requested language.

    Raises Http404 if the fonts lack a letter of the survey.
    """
    language, (content_type, name, write) = _language(request), FILES[form]
    try:
        content = write(run, language, report_context(run))
    except ExportError as fault:
        raise Http404(str(fault)) from None
    return attachment(content, content_type, f"{run.key[:8]}-{name.format(language)}")


def _language(request: HttpRequest) -> str:
    language = request.GET.get("language", DEFAULT)
    return language if language in LANGUAGES else DEFAULT


def _published_or_404(key: str) -> Run:
    return one_or_404(Run.objects.filter(key=key, published=True, state=Run.State.DONE).first(), "report")
