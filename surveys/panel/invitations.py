"""The page Invitations: batches of codes, created for one reply, and revoked."""

import re

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from collector.errors import InputError
from estimator.base import wording
from surveys.accounts.access import Role, get_survey_or_404
from surveys.lifecycle import links, selectors, signing_keys
from surveys.models import Mailing, Survey
from surveys.outreach import invitation_files
from surveys.outreach import invitations as making
from surveys.panel.frame import survey_page
from surveys.panel.transitions import transition
from surveys.panel.views import signed_in
from surveys.respondent.stored_pages import attachment


@require_safe
def invitations(request: HttpRequest, slug: str) -> HttpResponse:
    """The batches, and the form for another one."""
    return _page(request, get_survey_or_404(request.user, slug))


@require_POST
def make(request: HttpRequest, slug: str) -> HttpResponse:
    """A new batch as a file, which exists only in this reply."""
    survey = get_survey_or_404(request.user, slug, Role.EDITOR)
    wanted, group, form = (request.POST.get(name, "").strip() for name in ("count", "group", "form"))
    try:
        file = invitation_files.make(survey, _number(wanted), form, group=group, by=signed_in(request))
    except InputError as fault:
        faults = {fault.field: str(fault)}
        return _page(request, survey, status=422, wanted=wanted, form=form, group=group, fault=faults)
    return attachment(file.content, file.content_type, file.name)


@transition(Role.EDITOR, then="panel:invitations")
def withdraw(request: HttpRequest, survey: Survey, number: int) -> str:
    """Revoke the unused codes of a batch."""
    making.withdraw(survey, number, by=signed_in(request))
    return gettext("Batch {number} is withdrawn: its unused invitations no longer work.").format(number=number)


def _number(written: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", written):
        raise InputError(
            "count", gettext("count must be a whole number; got {written!r}.").format(written=written[:20])
        )
    return int(written)


def _page(request: HttpRequest, survey: Survey, *, status: int = 200, **entered: object) -> HttpResponse:
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
        **entered,
    }
    return survey_page(request, "panel/invitations.html", survey, step="open", status=status, context=context)
