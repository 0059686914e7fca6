"""The audit log of a survey or a team, as pages and files."""

from collections.abc import Iterable

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from surveys.accounts import audit_log
from surveys.accounts.access import Role, get_survey_or_404, get_team_or_404, role_in_team
from surveys.models import AuditEntry
from surveys.panel.frame import survey_page
from surveys.panel.views import panel_page, signed_in
from surveys.respondent.stored_pages import attachment

A_PAGE = 100
FORMATS = {"csv": ("text/csv; charset=utf-8", audit_log.as_csv), "json": ("application/json", audit_log.as_json)}


@require_safe
def of_survey(request: HttpRequest, slug: str) -> HttpResponse:
    found = get_survey_or_404(request.user, slug)
    context = _shown(request, audit_log.survey_events(found))
    return survey_page(request, "panel/people/survey_log.html", found, step="people", context=context)


@require_safe
def of_team(request: HttpRequest, team: int) -> HttpResponse:
    found = get_team_or_404(request.user, team)
    role = role_in_team(request.user, team) or Role.VIEWER
    context = {"team": found, "may_analyse": role >= Role.ANALYST, **_shown(request, audit_log.team_events(found))}
    return panel_page(
        request, "panel/people/team_log.html", context, title=gettext("Log of {found}").format(found=found)
    )


@require_safe
def survey_file(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    found = get_survey_or_404(request.user, slug, Role.ANALYST)
    audit_log.record_event(signed_in(request), "exported", survey=found, detail=f"the log, as {kind.upper()}")
    return _file(_filtered(request, audit_log.survey_events(found)), f"{found.slug}-log", kind)


@require_safe
def team_file(request: HttpRequest, team: int, kind: str) -> HttpResponse:
    found = get_team_or_404(request.user, team, Role.ANALYST)
    audit_log.record_event(signed_in(request), "exported", team=found, detail=f"the log, as {kind.upper()}")
    return _file(_filtered(request, audit_log.team_events(found)), f"team-{found.pk}-log", kind)


def _filtered(request: HttpRequest, entries: QuerySet[AuditEntry]) -> QuerySet[AuditEntry]:
    return audit_log.filtered(entries, request.GET.get("act", ""), request.GET.get("who", ""))


def _shown(request: HttpRequest, entries: QuerySet[AuditEntry]) -> dict[str, object]:
    names = entries.order_by("name").values_list("name", flat=True).distinct()
    chosen = request.GET.copy()
    chosen.pop("page", None)
    return {
        "entries": Paginator(_filtered(request, entries), A_PAGE).get_page(request.GET.get("page")),
        "acts": list(entries.order_by("act").values_list("act", flat=True).distinct()),
        "people": [name or audit_log.MACHINE for name in names],
        "machine": audit_log.MACHINE,
        "act": request.GET.get("act", ""),
        "who": request.GET.get("who", ""),
        "chosen": chosen.urlencode(),
    }


def _file(entries: Iterable[AuditEntry], name: str, kind: str) -> HttpResponse:
    content_type, write = FORMATS[kind]
    return attachment(write(entries), content_type, f"{name}.{kind}")
