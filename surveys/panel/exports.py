"""The page Export: choose formats, follow the progress of each file, download, cancel or delete it.

The page is whole without a script. With one, it asks every few seconds for the small answer of `progress`, and for the
list itself when that answer says that there is more to see than a number.
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from collector.errors import InputError
from estimator.base import wording
from estimator.exports import services
from estimator.exports.download import response_of
from estimator.exports.formats import FORMATS, Format
from estimator.models import Export, Run
from surveys.accounts.access import Role, get_export_or_404, get_survey_or_404, require, role_in
from surveys.labels import translated_fault
from surveys.lifecycle import exports
from surveys.models import Survey
from surveys.panel.frame import survey_page
from surveys.panel.views import signed_in

NEWEST = 50
"""Number of exports listed."""
NEWEST_RUNS = 20
PRIVATE = {"Cache-Control": "private, no-cache"}


@dataclass(frozen=True)
class ExportListRow:
    """An export in the list."""

    export: Export
    form: Format | None
    language: str
    there: bool
    may_have: bool

    @property
    def label(self) -> str:
        return str(self.form.label) if self.form else self.export.format

    @property
    def size(self) -> str:
        return filesizeformat(self.export.size or 0)

    @property
    def words(self) -> str:
        """The state of the export, in words that change with its progress."""
        export = self.export
        if export.waits:
            begun = export.state == Export.State.RUNNING
            return (
                gettext("{progress} % written").format(progress=export.progress)
                if begun
                else gettext("waiting for a worker")
            )
        if export.state == Export.State.FAILED:
            return gettext("Failed: {fault}").format(fault=translated_fault(export.fault))
        return "" if self.there else gettext("The file is no longer available; export it again.")

    @property
    def reports(self) -> str:
        return wording.count(self.export.run.reports)


@require_http_methods(["GET", "HEAD", "POST"])
def export(request: HttpRequest, slug: str) -> HttpResponse:
    """The formats, and the files so far; a POST requests files of one run."""
    if request.method != "POST":
        return _page(request, get_survey_or_404(request.user, slug), request.GET.get("run", ""))
    survey = get_survey_or_404(request.user, slug, Role.ANALYST)
    chosen, key = request.POST.getlist("format"), request.POST.get("run", "")
    run = next((one for one in runs_of(survey, key) if one.key == key), None)
    fault = (
        gettext("Choose at least one format.") if not chosen else "" if run else gettext("Choose one of the estimates.")
    )
    if run and not fault:
        for name in chosen:
            require(role_in(request.user, survey), exports.role_for_format(name))
        fault = _ask(request, run, chosen)
    if fault:
        return _page(request, survey, key, chosen=chosen, fault=fault)
    return redirect(f"{reverse('panel:export', args=[slug])}?run={key}#exports")


@require_safe
def progress(request: HttpRequest, slug: str) -> HttpResponse:
    """The progress of each file, small enough to be polled every few seconds; 304 if nothing changed."""
    survey = get_survey_or_404(request.user, slug)
    lines = export_rows(survey, role_in(request.user, survey))
    waits = [line for line in lines if line.export.waits]
    answer = {
        "exports": {one.export.key: {"progress": one.export.progress, "words": one.words} for one in waits},
        "page": page_of(lines),
    }
    tag = '"' + hashlib.sha256(json.dumps(answer, sort_keys=True).encode()).hexdigest()[:32] + '"'
    headers = {"ETag": tag, **PRIVATE}
    if request.headers.get("If-None-Match") == tag:
        return HttpResponse(status=304, headers=headers)
    return JsonResponse(answer, headers=headers)


@require_safe
def file(request: HttpRequest, key: str) -> HttpResponseBase:
    """The file, for users with the required role; its download is recorded."""
    found, survey = get_export_or_404(request.user, key)
    require(role_in(request.user, survey), exports.role_for(microdata=found.microdata))
    answer = response_of(request, found)
    if answer.status_code == 200:
        exports.record_download(found, by=signed_in(request))
    return answer


@require_POST
def delete(request: HttpRequest, key: str) -> HttpResponse:
    """Delete an export with its file, or cancel it while it is made."""
    found, survey = get_export_or_404(request.user, key)
    require(role_in(request.user, survey), exports.role_for(microdata=found.microdata))
    message = gettext("The export is cancelled.") if found.waits else gettext("The file is deleted.")
    exports.delete_export(found, by=signed_in(request))
    messages.success(request, message)
    return redirect(f"{reverse('panel:export', args=[survey.slug])}#exports")


def export_rows(survey: Survey, role: Role | None) -> list[ExportListRow]:
    """The newest exports of every version and rehearsal of a survey, as shown to this role."""
    names, held = services.languages(), role or 0
    found = Export.objects.filter(run__design__in=_designs(survey)).select_related("run", "asked_by")
    return [
        ExportListRow(
            one,
            FORMATS.get(one.format),
            names.get(one.language, one.language),
            services.exists(one),
            held >= exports.role_for(microdata=one.microdata),
        )
        for one in found.defer("run__tallies")[:NEWEST]
    ]


def page_of(lines: Iterable[ExportListRow]) -> str:
    """A hash that changes when there is more to show than new progress."""
    states = [(one.export.key, one.export.state, one.there) for one in lines]
    return hashlib.sha256(json.dumps(states).encode()).hexdigest()[:16]


def runs_of(survey: Survey, key: str) -> list[Run]:
    """The finished runs that may be exported, the newest first; also the one with this key, even of a rehearsal."""
    done = Run.objects.filter(state=Run.State.DONE).defer("tallies").select_related("design")
    newest = list(done.filter(design__in=survey.versions.values("design"))[:NEWEST_RUNS])
    if key and all(run.key != key for run in newest):
        newest += done.filter(design__in=_designs(survey), key=key)
    return newest


def _designs(survey: Survey) -> set[str]:
    versions, rehearsed = (of.values_list("design", flat=True) for of in (survey.versions, survey.rehearsals))
    return {*versions, *rehearsed}


def _ask(request: HttpRequest, run: Run, chosen: list[str]) -> str:
    """Request the files, all or none; returns the error, or an empty text."""
    sent, made = request.POST, 0
    rows = sent.get("microdata") == "yes"
    try:
        for name in chosen:
            services.check(run, name, language=_language_for(name, sent.get("language", "")), microdata=rows)
    except InputError as refusal:
        return gettext("Confirm that you need one row per response.") if refusal.field == "microdata" else str(refusal)
    for name in chosen:
        language = _language_for(name, sent.get("language", ""))
        made += exports.request_export(run, name, language=language, microdata=rows, by=signed_in(request))[1]
    there = len(chosen) - made
    if made:
        messages.success(
            request, ngettext("{count} file is being made.", "{count} files are being made.", made).format(count=made)
        )
    if there:
        messages.info(
            request,
            ngettext(
                "{count} file was requested before: see below.",
                "{count} files were requested before: see below.",
                there,
            ).format(count=there),
        )
    return ""


def _language_for(name: str, language: str) -> str:
    return language if name in FORMATS and FORMATS[name].translated else ""


def _page(
    request: HttpRequest, survey: Survey, key: str, *, chosen: Iterable[str] = (), fault: str = ""
) -> HttpResponse:
    runs, lines = runs_of(survey, key), export_rows(survey, role_in(request.user, survey))
    numbers = {version.design_id: version.number for version in survey.versions.all()}
    context: dict[str, object] = {
        "runs": [(run, numbers.get(run.design_id), wording.count(run.reports)) for run in runs],
        "run_key": next((run.key for run in runs if run.key == key), runs[0].key if runs else ""),
        "formats": [form for form in FORMATS.values() if not form.microdata],
        "microdata": [form for form in FORMATS.values() if form.microdata],
        "languages": services.languages() if any(form.translated for form in FORMATS.values()) else {},
        "language": request.POST.get("language") or survey.language,
        "chosen": list(chosen),
        "rows": request.POST.get("microdata") == "yes",
        "fault": fault,
        "lines": lines,
        "page": page_of(lines),
        "waits": any(line.export.waits for line in lines),
        "days": services.retention_of(microdata=False).days,
        "days_of_rows": services.retention_of(microdata=True).days,
    }
    return survey_page(
        request, "panel/export.html", survey, step="report", status=400 if fault else 200, context=context
    )
