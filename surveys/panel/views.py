"""The panel's pages: a survey from draft to report, its files, its runs."""

from collections.abc import Mapping

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from collector.errors import Conflict, ValidationError
from estimator.models import Run
from surveys.accounts import access
from surveys.accounts.access import Role, get_run_or_404, get_survey_or_404, one_or_404
from surveys.accounts.audit_log import record_event
from surveys.accounts.teams import choices_of, team_for
from surveys.definition import definitions
from surveys.exchange.formats import EXPORTS, Conversion, export
from surveys.lifecycle import selectors, services
from surveys.models import Team
from surveys.panel.forms.missing import missing_texts
from surveys.panel.forms.upload import UploadForm
from surveys.panel.frame import survey_page
from surveys.panel.overview import overview
from surveys.respondent import report_views as reports
from surveys.respondent.stored_pages import attachment


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    return redirect(f"{reverse('admin:surveys_survey_changelist')}?{request.GET.urlencode()}".rstrip("?"))


@require_safe
def survey(request: HttpRequest, slug: str) -> HttpResponse:
    """The page of one survey: its life cycle, what is missing, its link, its results, its history."""
    found = get_survey_or_404(request.user, slug)
    return survey_page(
        request, "panel/survey.html", found, step="", context=overview(found), teams=choices_of(signed_in(request))
    )


@require_safe
def definition(request: HttpRequest, slug: str) -> HttpResponse:
    """The survey as a YAML file."""
    found = get_survey_or_404(request.user, slug)
    text = definitions.dump(selectors.exported(found))
    record_event(signed_in(request), "exported", survey=found, detail="the definition, as YAML")
    return attachment(text.encode(), "application/yaml; charset=utf-8", f"{found.slug}.yaml")


@require_safe
def questionnaire(request: HttpRequest, slug: str) -> HttpResponse:
    """The questionnaire as a file of another tool, which asks it openly."""
    found, form = get_survey_or_404(request.user, slug), request.GET.get("format", "xlsform")
    if form not in EXPORTS:
        raise Http404
    content = export(selectors.exported(found), form)
    record_event(signed_in(request), "exported", survey=found, detail=f"the definition, for {form}")
    return attachment(content, "application/octet-stream", f"{found.slug}{EXPORTS[form]}")


@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: HttpRequest) -> HttpResponse:
    """Create a draft from a YAML file, or overwrite a draft of the user's; of another tool's file report first."""
    user = signed_in(request)
    form = UploadForm(request.POST or None, request.FILES or None, user=user)
    if request.method == "POST" and form.is_valid():
        if conversion := form.cleaned_data.get("conversion"):
            return _import_report(request, conversion, form.cleaned_data.get("team"))
        definition = form.cleaned_data["definition"]
        try:
            team = team_for(user, definition["slug"], form.cleaned_data.get("team"))
            unfinished = form.cleaned_data["unfinished"]
            written = services.write_survey(definition, team=team, by=user, unfinished=unfinished)
        except (ValidationError, Conflict) as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, gettext("Saved {written} as a draft.").format(written=written))
            return redirect("panel:survey", written.slug)
    return panel_page(request, "panel/upload.html", title=gettext("Import"), form=form)


def _import_report(request: HttpRequest, made: Conversion, team: Team | None) -> HttpResponse:
    """What became of each element of another tool's file, before the draft is made of it."""
    definition = made.definition
    definition["slug"] = selectors.free_slug(definition["slug"])
    source = definitions.dump(definition)
    told = {"named": definition["title"][definition["languages"][0]], "source": source, "made": made, "team": team}
    lacking = missing_texts(definition, made.missing)
    return panel_page(request, "panel/import_report.html", told, title=gettext("Import report"), lacking=lacking)


@require_safe
def report(request: HttpRequest, key: str) -> HttpResponse:
    """The report of a run, published or not."""
    return reports.report_page(request, _finished_or_404(request, key))


@require_safe
def report_file(request: HttpRequest, key: str, form: str) -> HttpResponse:
    """The report as a file; those for programs are for analysts."""
    run = _finished_or_404(request, key, Role.VIEWER if form in ("html", "pdf") else Role.ANALYST)
    detail = f"run {run.key}, as {form.upper()}"
    record_event(signed_in(request), "exported", survey=access.survey_of(run), detail=detail)
    return reports.report_file(request, run, form)


def panel_page(
    request: HttpRequest,
    template: str,
    context: Mapping[str, object] | None = None,
    *,
    status: int = 200,
    **more: object,
) -> HttpResponse:
    """A page inside the panel's frame; `context` and `more` are what it shows."""
    return render(request, template, {**admin.site.each_context(request), **(context or {}), **more}, status=status)


def signed_in(request: HttpRequest) -> User:
    """The user of the request; the panel admits only signed-in users."""
    assert isinstance(request.user, User)
    return request.user


def _finished_or_404(request: HttpRequest, key: str, role: Role = Role.VIEWER) -> Run:
    run = get_run_or_404(request.user, key, role)
    return one_or_404(run if run.state == Run.State.DONE else None, "run")
