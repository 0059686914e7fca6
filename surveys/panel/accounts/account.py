"""The user's account: the password, the second factor, and the page that asks for its code."""

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.crypto import salted_hmac
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from collector.endpoint import rate_limits
from collector.errors import Conflict
from surveys.accounts import second_factor, sessions, single_sign_on
from surveys.accounts.audit_log import record_event
from surveys.models import Passkey
from surveys.panel.accounts import kept_forms
from surveys.panel.views import panel_page, signed_in
from surveys.templatetags.sign_in import offers_passkeys


class CodeForm(forms.Form):
    code = forms.CharField(
        label=gettext_lazy("Code"),
        max_length=20,
        widget=forms.TextInput(
            attrs={
                "class": "candor-field people-code",
                "autocomplete": "one-time-code",
                "autocapitalize": "off",
                "spellcheck": "false",
            }
        ),
    )


@require_safe
def account(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    context = {
        "on": second_factor.has_app(user),
        "passkeys": Passkey.objects.filter(user=user),
        "passkeys_offered": offers_passkeys(),
        "left": second_factor.codes_left(user),
        "required": second_factor.required(),
        "institution": settings.CANDOR_INSTITUTION_NAME,
        "identity": single_sign_on.identity_of(user),
        "bound": single_sign_on.is_bound(user),
        "local": settings.CANDOR_LOCAL_SIGN_IN,
        "sessions": sessions.sessions_of(user, request.session),
    }
    return panel_page(request, "panel/people/account.html", context, title=gettext("My account"))


@require_POST
def end_sessions(request: HttpRequest) -> HttpResponse:
    """End the session that the button names, or all but this one."""
    count = sessions.end(signed_in(request), request.POST.get("session", ""), request.session)
    text = ngettext("{count} session has ended.", "{count} sessions have ended.", count).format(count=count)
    messages.success(request, text)
    return redirect("panel:account")


@require_http_methods(["GET", "HEAD", "POST"])
def code(request: HttpRequest) -> HttpResponse:
    """Ask for the second factor, then redirect to the requested page."""
    user, form = signed_in(request), CodeForm(request.POST or None)
    onward = request.GET.get("next", "")
    if not url_has_allowed_host_and_scheme(onward, allowed_hosts=None):
        onward = "panel:index"
    if user.is_verified() or not second_factor.is_on(user):  # type: ignore[attr-defined]
        return redirect(onward)
    if request.method == "POST" and form.is_valid():
        if second_factor.check(request, user, form.cleaned_data["code"]):
            return redirect(onward)
        form.add_error("code", second_factor.WRONG)
    status = 422 if form.errors else 200
    context = {"form": form, "onward": onward, "passkeys": Passkey.objects.filter(user=user).exists()}
    return panel_page(request, "panel/people/code.html", context, status=status, title=gettext("Second factor"))


@require_http_methods(["GET", "HEAD", "POST"])
def set_up(request: HttpRequest) -> HttpResponse:
    """Show the secret as QR code and as text; a POST with one of its codes enables it."""
    user, form = signed_in(request), CodeForm(request.POST or None)
    if second_factor.has_app(user):
        return redirect("panel:account")
    if request.method == "POST" and form.is_valid():
        try:
            codes = second_factor.confirm(request, user, form.cleaned_data["code"])
        except Conflict as refusal:
            form.add_error("code", str(refusal))
        else:
            if not codes:
                return redirect("panel:account")
            return panel_page(
                request, "panel/people/codes.html", title=gettext("Recovery codes"), codes=codes, new=True
            )
    device = second_factor.offered(user)
    secret = device.config_url.partition("secret=")[2].partition("&")[0]
    grouped = " ".join(secret[place : place + 4] for place in range(0, len(secret), 4))
    context = {
        "form": form,
        "picture": second_factor.picture(device),
        "secret": grouped,
        "required": second_factor.required(),
        "passkeys": offers_passkeys(),
    }
    return panel_page(request, "panel/people/set_up.html", context, title=gettext("Set up a second factor"))


@require_POST
def switch_off(request: HttpRequest) -> HttpResponse:
    try:
        second_factor.switch_off(signed_in(request), request.POST.get("code", ""))
    except Conflict as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, gettext("Your second factor is off. Now the password alone signs you in."))
    return redirect("panel:account")


@require_POST
def renew_codes(request: HttpRequest) -> HttpResponse:
    try:
        codes = second_factor.renew_codes(signed_in(request), request.POST.get("code", ""))
    except Conflict as refusal:
        messages.error(request, str(refusal))
        return redirect("panel:account")
    return panel_page(request, "panel/people/codes.html", title=gettext("Recovery codes"), codes=codes)


def password(request: HttpRequest) -> HttpResponse:
    """The admin's page for changing the password, with an audit event. Every other session of the account ends."""
    if not settings.CANDOR_LOCAL_SIGN_IN:
        raise PermissionDenied(gettext("In this installation nobody signs in with a password."))
    answer = admin.site.password_change(request)
    if answer.status_code == 302:
        record_event(signed_in(request), "changed the password")
    return answer


def locked(request: HttpRequest, *_more: object) -> HttpResponse:
    """The reply of django-axes after too many wrong passwords for a name, known or not, from one address."""
    return panel_page(request, "panel/people/locked.html", status=429, title=gettext("Too many attempts"))


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The page for a forbidden request, with the reason."""
    return panel_page(
        request, "panel/people/forbidden.html", status=403, title=gettext("Not allowed"), words=str(exception)
    )


def unverified(request: HttpRequest, reason: str = "") -> HttpResponse:
    """CSRF_FAILURE_VIEW: the page for a form without its CSRF token, with what was typed where it can be sent again."""
    if kept := kept_forms.kept_form(request):
        return kept_forms.give_back(request, kept, status=403)
    return panel_page(request, "panel/people/unverified.html", status=403, title=gettext("Nothing was done"))


def hashed_address(request: HttpRequest) -> str:
    """The client's address for django-axes: a keyed hash, for IPv6 of its whole network."""
    return salted_hmac("candor.sign-in", rate_limits.address_of(request.META), algorithm="sha256").hexdigest()
