"""The page Analyse: request an analysis, read it, repeat it, and download it."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from collector.errors import Conflict
from estimator.analyses import exports, presentation, selectors
from estimator.analyses.quantities import AnalysisError
from estimator.base import wording
from estimator.base.languages import DEFAULT, activated
from estimator.exports.analysis_bundle import zip_file
from estimator.models import Analysis
from surveys.accounts.access import Role, get_analysis_or_404, get_survey_or_404, one_or_404
from surveys.accounts.audit_log import record_event
from surveys.labels import translated
from surveys.lifecycle import analyses
from surveys.models import Survey
from surveys.panel.analysis_forms import form_of
from surveys.panel.frame import survey_page
from surveys.panel.views import signed_in
from surveys.respondent.stored_pages import attachment

KINDS = Analysis.Kind
LARGEST_TABLE = 100_000
"""Bytes of an uploaded table of shares."""
FILES = {
    "csv": ("text/csv; charset=utf-8", exports.csv_file),
    "json": ("application/json", exports.json_file),
    "zip": ("application/zip", zip_file),
}


@dataclass(frozen=True)
class AnalysisListRow:
    """An analysis in the list of requested analyses."""

    analysis: Analysis
    about: tuple[str, ...]

    @property
    def reports(self) -> str:
        return wording.count(self.analysis.reports)


@require_http_methods(["GET", "HEAD", "POST"])
def analyse(request: HttpRequest, slug: str) -> HttpResponse:
    """The forms, one at a time, and the analyses so far; a POST requests one."""
    if request.method != "POST":
        survey = get_survey_or_404(request.user, slug)
        return _page(request, survey, request.GET.get("kind", ""), request.GET.dict())
    survey = get_survey_or_404(request.user, slug, Role.ANALYST)
    values, kind = request.POST.dict(), request.POST.get("kind", "")
    try:
        values |= _uploaded(request)
        requested = analyses.ask(survey, kind, values, by=signed_in(request))
    except (AnalysisError, Conflict) as refusal:
        return _page(request, survey, kind, values, fault=str(refusal))
    return redirect("panel:analysis", requested.key)


@require_safe
def analysis(request: HttpRequest, key: str) -> HttpResponse:
    """One analysis: its progress, or its results."""
    found, survey = get_analysis_or_404(request.user, key)
    done = found.state == Analysis.State.DONE
    return survey_page(
        request,
        "panel/analyse/analysis.html",
        survey,
        step="analyse",
        analysis=found,
        about=presentation.about(found),
        reports=wording.count(found.reports),
        shown=presentation.present(found) if done else None,
        may_publish=done and not found.while_open,
        beside=selectors.compared_with_before(found),
    )


@require_POST
def again(request: HttpRequest, key: str) -> HttpResponse:
    """Repeat an analysis with the current totals."""
    found, survey = get_analysis_or_404(request.user, key, Role.ANALYST)
    try:
        repeated = analyses.ask_again(survey, found, by=signed_in(request))
    except (AnalysisError, Conflict) as refusal:
        messages.error(request, str(refusal))
        return redirect("panel:analysis", key)
    return redirect("panel:analysis", repeated.key)


@require_safe
def file(request: HttpRequest, key: str, form: str) -> HttpResponse:
    """Every number of an analysis as CSV, as JSON with all data that it was computed from, or with scripts as well."""
    found, survey = get_analysis_or_404(request.user, key, Role.ANALYST)
    one_or_404(found if found.state == Analysis.State.DONE else None, "analysis")
    record_event(signed_in(request), "exported", survey=survey, detail=f"analysis {found.key}, as {form.upper()}")
    content_type, write = FILES[form]
    with activated(DEFAULT):  # a file is the same for every reader
        written = write(found)
    return attachment(written, content_type, f"{found.key[:8]}-analysis.{form}")


@require_POST
def keep(request: HttpRequest, key: str) -> HttpResponse:
    """Name an analysis, and show it in reports or not."""
    found, survey = get_analysis_or_404(request.user, key, Role.ANALYST)
    values = request.POST
    try:
        analyses.keep(survey, found, values.get("name", ""), published="published" in values, by=signed_in(request))
    except AnalysisError as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, gettext("Saved."))
    return redirect("panel:analysis", key)


def _uploaded(request: HttpRequest) -> dict[str, str]:
    """The table of shares in an uploaded file, in the place of a pasted one. Raises AnalysisError."""
    file = request.FILES.get("table_file")
    if file is None:
        return {}
    if (file.size or 0) > LARGEST_TABLE:
        text = gettext("The file must have at most {most} bytes; it has {size}.")
        raise AnalysisError(text.format(most=LARGEST_TABLE, size=file.size))
    try:
        return {"table": file.read().decode("utf-8-sig")}
    except UnicodeDecodeError:
        raise AnalysisError(gettext("The file must be text in UTF-8; save it so and try again.")) from None


def _page(
    request: HttpRequest, survey: Survey, kind: str, values: Mapping[str, str], *, fault: str = ""
) -> HttpResponse:
    designs = analyses.designs_of(survey)
    chosen = kind if kind in KINDS.values else KINDS.COMPARISON.value
    lines = [
        AnalysisListRow(one, presentation.about(one))
        for one in selectors.newest_of(design.digest for design in designs)
    ]
    return survey_page(
        request,
        "panel/analyse/page.html",
        survey,
        step="analyse",
        status=400 if fault else 200,
        form=form_of(chosen, designs, values),
        kinds=[(value, translated(label)) for value, label in KINDS.choices],
        fault=fault,
        lines=lines,
    )
