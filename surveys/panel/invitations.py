"""The page Invitations: batches of codes, created for one reply, and revoked."""

import re

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from collector.errors import InputError
from estimator.base import wording
from surveys.accounts.access import Role, get_survey_or_404
from surveys.lifecycle import links, selectors, signing_keys
from surveys.models import Mailing, Survey
from surveys.outreach import invitation_files
from surveys.outreach import invitations as making
from surveys.panel.frame import survey_page
from surveys.panel.views import signed_in


@require_safe
def invitations(request: HttpRequest, slug: str) -> HttpResponse:
    """The batches, and the form for another one."""
    return _page(request, get_survey_or_404(request.user, slug))


@require_POST
def make(request: HttpRequest, slug: str) -> HttpResponse:
    """A new batch as a file, which exists only in this reply."""
    survey = get_survey_or_404(request.user, slug, Role.EDITOR)
    said = {name: request.POST.get(name, "").strip() for name in ("count", "group", "form")}
    try:
        file = invitation_files.make(
            survey, _number(said["count"]), said["form"], group=said["group"], by=signed_in(request)
        )
    except InputError as fault:
        wanted, form, group = said["count"], said["form"], said["group"]
        faults = {fault.field: str(fault)}
        return _page(request, survey, status=422, wanted=wanted, form=form, group=group, fault=faults)
    headers = {"Content-Disposition": f'attachment; filename="{file.name}"'}
    return HttpResponse(file.content, content_type=file.content_type, headers=headers)


@require_POST
def withdraw(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Revoke the unused codes of a batch."""
    survey = get_survey_or_404(request.user, slug, Role.EDITOR)
    try:
        making.withdraw(survey, number, by=signed_in(request))
        messages.success(request, f"Batch {number} is withdrawn: what was left of it cannot be used any more.")
    except InputError as fault:
        messages.error(request, str(fault))
    return redirect("panel:invitations", slug)


def _number(written: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", written):
        raise InputError("count", f"count must be a whole number; got {written[:20]!r}.")
    return int(written)


def _page(request: HttpRequest, survey: Survey, *, status: int = 200, **said: object) -> HttpResponse:
    version = selectors.latest_version(survey)
    coded = making.kind_of(version) if version else ""
    blind = coded == "blind"
    made = making.batches(version) if version and coded else []
    context = {
        "coded": coded,
        "fetch_link": links.token_link(version) if version and blind else "",
        "issued": signing_keys.issued(version) if version and blind else 0,
        "may_make": bool(coded) and survey.state == Survey.State.OPEN,
        "batches": [(one, wording.count(one.count)) for one in reversed(made)],
        "groups": links.group_links(version) if version and coded and not blind else [],
        "mailings": Mailing.objects.filter(version=version),
        "forms": invitation_files.FORMS,
        "fewest": making.FEWEST,
        "most": wording.count(making.MOST),
        "most_cards": wording.count(invitation_files.MOST_CARDS),
        "wanted": "",
        "group": "",
        "form": "csv",
        "fault": {},
        **said,
    }
    return survey_page(request, "panel/invitations.html", survey, step="open", status=status, context=context)
