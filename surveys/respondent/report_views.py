"""Published reports: readable with their link, which leads to no other report."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from estimator.base.cells import ExportError
from estimator.base.languages import DEFAULT, LANGUAGES, activated
from estimator.exports.formats import FORMATS
from estimator.models import Run
from estimator.reports import files
from estimator.reports.report import context
from surveys.lifecycle.selectors import report_context

TEMPLATE = "estimator/report.html"


@require_safe
def report(request: HttpRequest, key: str) -> HttpResponse:
    return report_page(request, _published_or_404(key))


@require_safe
def estimates(request: HttpRequest, key: str) -> HttpResponse:
    return csv_download(_published_or_404(key))


@require_safe
def document(request: HttpRequest, key: str) -> HttpResponse:
    return json_download(_published_or_404(key))


@require_safe
def html(request: HttpRequest, key: str) -> HttpResponse:
    return html_download(request, _published_or_404(key))


@require_safe
def pdf(request: HttpRequest, key: str) -> HttpResponse:
    return pdf_download(request, _published_or_404(key))


def report_page(request: HttpRequest, run: Run) -> HttpResponse:
    """The report of a run that the caller may show. Its links are relative to the page."""
    with activated(_language(request)):
        return render(request, TEMPLATE, {**context(run, report_context(run)), "hidden": not run.published})


def html_download(request: HttpRequest, run: Run) -> HttpResponse:
    """The report as one HTML file, in the requested language."""
    language = _language(request)
    made = files.html_file(run, language, report_context(run))
    return _download(made, "text/html; charset=utf-8", f"{run.key[:8]}-{language}.html")


def pdf_download(request: HttpRequest, run: Run) -> HttpResponse:
    """The report as a PDF; raises Http404 if the fonts lack a letter of the survey."""
    language = _language(request)
    try:
        made = files.pdf_file(run, language, report_context(run))
    except ExportError as fault:
        raise Http404(str(fault)) from None
    return _download(made, "application/pdf", f"{run.key[:8]}-{language}.pdf")


def csv_download(run: Run) -> HttpResponse:
    made = FORMATS["csv"].whole(run, report_context(run))
    return _download(made, "text/csv; charset=utf-8", f"{run.key[:8]}-estimates.csv")


def json_download(run: Run) -> HttpResponse:
    made = FORMATS["json"].whole(run, report_context(run))
    return _download(made, "application/json", f"{run.key[:8]}-report.json")


def _language(request: HttpRequest) -> str:
    """The requested language of a report; the default if it is missing or not supported."""
    asked = request.GET.get("language", DEFAULT)
    return asked if asked in LANGUAGES else DEFAULT


def _download(content: bytes, kind: str, name: str) -> HttpResponse:
    return HttpResponse(content, content_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def _published_or_404(key: str) -> Run:
    run = Run.objects.filter(key=key, published=True, state=Run.State.DONE).first()
    if run is None:
        raise Http404("There is no such report.")
    return run
