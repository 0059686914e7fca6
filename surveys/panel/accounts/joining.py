"""The page for invited colleagues: the secret is in the link's fragment, which no server and no log receives."""

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth import login
from django.contrib.auth.forms import BaseUserCreationForm
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods

from collector.errors import Conflict
from surveys.accounts import invitations, tokens
from surveys.accounts.audit_log import record_event
from surveys.labels import translated
from surveys.models import Invitation

KEPT = "invitation"
"""Session key of the opened invitation's hash, until it is used or proves to be invalid."""

BACKEND = "django.contrib.auth.backends.ModelBackend"


class AccountForm(BaseUserCreationForm):  # type: ignore[type-arg]
    class Meta:
        model = User
        fields = ("username", "email")
        labels = {"username": gettext_lazy("User name"), "email": gettext_lazy("E-mail address (optional)")}
        help_texts = {"username": ""}


@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest) -> HttpResponse:
    """Take the secret; show the invitation; admit a user who is signed in, or creates an account here."""
    if "secret" in request.POST:
        request.session[KEPT] = tokens.digest_of(request.POST["secret"].strip().rpartition("#")[2])
        return redirect("join")
    digest = request.session.get(KEPT)
    if digest is None:
        return _page(request, None)
    invitation = invitations.find(digest)
    if invitation is None:
        del request.session[KEPT]
        return _page(request, None, status=404, gone=True)
    if request.method != "POST":
        return _page(request, invitation)
    return _joined(request, invitation) if request.user.is_authenticated else _with_account(request, invitation)


def _joined(request: HttpRequest, invitation: Invitation) -> HttpResponse:
    user = request.user
    assert isinstance(user, User)
    try:
        if not user.is_staff:
            raise Conflict(gettext("This account has no access to the panel and cannot join."))
        invitations.join(invitation, user)
    except Conflict:
        del request.session[KEPT]
        return _page(request, None, status=404, gone=True)
    del request.session[KEPT]
    messages.success(
        request,
        gettext("You joined {team} as {get_role_display}.").format(
            team=invitation.team, get_role_display=translated(invitation.get_role_display())
        ),
    )
    return redirect("panel:team", invitation.team_id)


def _with_account(request: HttpRequest, invitation: Invitation) -> HttpResponse:
    if not settings.CANDOR_LOCAL_SIGN_IN:
        return _page(request, invitation, status=403)
    form = AccountForm(request.POST)
    if not form.is_valid():
        return _page(request, invitation, form=form, status=422)
    with transaction.atomic():
        user = form.save(commit=False)
        user.is_staff = True
        user.save()
        record_event(user, "created an account", team=invitation.team, detail="by an invitation")
    login(request, user, backend=BACKEND)
    return _joined(request, invitation)


def _page(
    request: HttpRequest,
    invitation: Invitation | None,
    *,
    form: AccountForm | None = None,
    status: int = 200,
    gone: bool = False,
) -> HttpResponse:
    shown = form or AccountForm()
    for field in shown.fields.values():
        field.widget.attrs["class"] = "candor-field"
    context = {"invitation": invitation, "form": shown, "gone": gone, "title": gettext("Invitation")}
    context["local"] = settings.CANDOR_LOCAL_SIGN_IN
    context |= admin.site.each_context(request)
    return render(request, "panel/people/join.html", context, status=status)
