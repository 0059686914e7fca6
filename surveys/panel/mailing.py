"""Pages of mailings to a list: writing one, previewing it, sending it, and its progress."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from collector.errors import InputError
from estimator.base import wording as in_words
from estimator.base.languages import filled
from surveys.accounts.access import Role, get_survey_or_404, one_or_404
from surveys.lifecycle import links
from surveys.models import Mailing, Survey
from surveys.outreach import addresses, mailing
from surveys.outreach.invitations import inviting_version
from surveys.outreach.mailing import Kind, Wording
from surveys.panel.frame import survey_page
from surveys.panel.transitions import transition
from surveys.panel.views import signed_in

TEXTS = {
    Kind.INVITATION: gettext_lazy(
        "Hello,\n\nyou are invited to take part in a survey. Your own link is:\n\n{link}\n\nIt can "
        "be used once. The survey platform keeps no record of which link was sent to whom.\n"
    ),
    Kind.REMINDER: gettext_lazy(
        "Hello,\n\na few days ago you were sent a link to a survey. If you have answered: thank "
        "you. If not, your link still works.\n\nThis goes to everybody on our list, because "
        "nobody knows who has answered.\n"
    ),
}


@require_http_methods(["GET", "HEAD", "POST"])
def mail(request: HttpRequest, slug: str) -> HttpResponse:
    """Write a mail; a POST previews it, changes it again, or sends it. Until then nothing is stored."""
    survey = get_survey_or_404(request.user, slug, Role.EDITOR)
    if request.method != "POST":
        kind = Kind.REMINDER if request.GET.get("kind") == Kind.REMINDER else Kind.INVITATION
        return _form(request, survey, Wording(kind, "", str(TEXTS[kind])))
    wording = Wording(*(request.POST.get(name, "") for name in ("kind", "subject", "text", "group")))
    written = request.POST.get("addresses", "")
    try:
        written = _with_file(request, written)
        listed = addresses.read(written)
        mailing.check(survey, wording, listed.addresses)
        if request.POST.get("step") == "send":
            queued = mailing.request(survey, wording, listed.addresses, by=signed_in(request))
            return redirect("panel:mailing", slug, queued.key)
    except InputError as fault:
        return _form(request, survey, wording, written, status=422, fault={fault.field: str(fault)})
    if request.POST.get("step") == "change":
        return _form(request, survey, wording, written)
    shown: dict[str, object] = {
        "wording": wording,
        "listed": listed,
        "text": mailing.preview(survey, wording),
        "sender": settings.DEFAULT_FROM_EMAIL,
        "reminder": wording.kind == Kind.REMINDER,
    }
    return survey_page(request, "panel/mail_preview.html", survey, step="open", context=shown)


@require_safe
def of_key(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """The progress of a mailing, and who has not got it."""
    survey = get_survey_or_404(request.user, slug, Role.EDITOR)
    found = _mailing_or_404(survey, key)
    shown: dict[str, object] = {"mailing": found, "standing": mailing.mailing_status(found), "days": mailing.KEPT.days}
    return survey_page(request, "panel/mailing.html", survey, step="open", context=shown)


@require_POST
def rest(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Resend to those whom it certainly did not reach."""
    survey = get_survey_or_404(request.user, slug, Role.EDITOR)
    try:
        mailing.resume(_mailing_or_404(survey, key), by=signed_in(request))
    except InputError as fault:
        messages.error(request, str(fault))
    return redirect("panel:mailing", slug, key)


@transition(Role.EDITOR, then="panel:invitations")
def delete(request: HttpRequest, survey: Survey, key: str) -> str:
    """Delete a mailing with its remaining addresses; one in progress ends with the current mail."""
    mailing.delete(_mailing_or_404(survey, key), by=signed_in(request))
    return gettext("The e-mail and its remaining addresses are deleted.")


def _mailing_or_404(survey: Survey, key: str) -> Mailing:
    return one_or_404(Mailing.objects.select_related("version__survey").filter(version__survey=survey, key=key).first())


def _with_file(request: HttpRequest, written: str) -> str:
    file = request.FILES.get("file")
    if file is None:
        return written
    if (file.size or 0) > addresses.LARGEST:
        bound = filled(gettext("{largest:,} bytes"), largest=addresses.LARGEST)
        raise InputError(
            "addresses",
            filled(gettext("The file must have at most {bound}; it has {size:,}."), bound=bound, size=file.size),
        )
    return f"{written}\n{addresses.read_file(file.read())}".strip()


def _form(
    request: HttpRequest, survey: Survey, wording: Wording, written: str = "", *, status: int = 200, **more: Any
) -> HttpResponse:
    try:
        version, why_not = inviting_version(survey), "" if mailing.server_is_set() else mailing.NO_SERVER
    except InputError as fault:
        version, why_not = None, str(fault)
    context = {
        "wording": wording,
        "reminder": wording.kind == Kind.REMINDER,
        "addresses": written,
        "why_not": why_not,
        "groups": links.group_links(version) if version else [],
        "place": mailing.PLACE,
        "most": in_words.count(addresses.MOST),
        "longest_subject": mailing.LONGEST_SUBJECT,
        "fault": {},
        **more,
    }
    return survey_page(request, "panel/mail.html", survey, step="open", status=status, context=context)
