"""Pages of passkeys: adding one, removing one, and signing in with one."""

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import authenticate, login
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from collector.designs.texts import validate_line
from collector.errors import Conflict
from surveys.accounts import passkeys, second_factor
from surveys.accounts.audit_log import record_event
from surveys.models import Passkey
from surveys.panel.accounts.joining import BACKEND
from surveys.panel.views import panel_page, signed_in
from surveys.templatetags.sign_in import offers_passkeys


class AnswerForm(forms.Form):
    state = forms.CharField(max_length=2_000, widget=forms.HiddenInput)
    answer = forms.CharField(max_length=passkeys.LONGEST, widget=forms.HiddenInput)


class NewForm(AnswerForm):
    name = forms.CharField(
        label=gettext_lazy("Name of the passkey, like “laptop”"),
        max_length=64,
        validators=[validate_line],
        widget=forms.TextInput(attrs={"class": "candor-field", "autocomplete": "off"}),
    )
    password = forms.CharField(
        label=gettext_lazy("Your password"),
        required=False,
        strip=False,
        max_length=4096,
        widget=forms.PasswordInput(attrs={"class": "candor-field", "autocomplete": "current-password"}),
    )


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """Add a passkey; the reply has the recovery codes where it is the first second factor.

    Who has a password gives it again: a session that was left open must not get a way in that lasts.
    """
    user, form, fault = signed_in(request), NewForm(request.POST or None), ""
    asks = settings.CANDOR_LOCAL_SIGN_IN and user.has_usable_password()
    if not offers_passkeys():
        messages.error(
            request, gettext("This installation offers no passkeys: they take https and a host with a name.")
        )
        return redirect("panel:account")
    if request.method == "POST":
        try:
            if not form.is_valid():
                raise Conflict(gettext("Give the passkey a name of 1 to 64 characters."))
            given = form.cleaned_data
            # As at sign-in, so that wrong ones are counted and lock the name.
            if asks and authenticate(request, username=user.get_username(), password=given["password"]) is None:
                raise Conflict(gettext("This is not your password."))
            codes = passkeys.create(request, user, given["name"], given["state"], given["answer"])
        except Conflict as refusal:
            fault = str(refusal)
        else:
            if codes:
                context = {"codes": codes, "new": True}
                return panel_page(request, "panel/people/codes.html", context, title=gettext("Recovery codes"))
            messages.success(request, gettext("The passkey {name} is added.").format(name=given["name"]))
            return redirect("panel:account")
    context = {"challenge": passkeys.creation(user), "form": form, "fault": fault, "asks": asks}
    status = 422 if fault else 200
    return panel_page(request, "panel/people/passkey_new.html", context, status=status, title=gettext("Add a passkey"))


@require_POST
def remove(request: HttpRequest, passkey: int) -> HttpResponse:
    user = signed_in(request)
    found = get_object_or_404(Passkey, pk=passkey, user=user)
    try:
        passkeys.remove(user, found)
    except Conflict as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, gettext("The passkey {name} is removed.").format(name=found.name))
    return redirect("panel:account")


@require_http_methods(["GET", "HEAD", "POST"])
def use(request: HttpRequest) -> HttpResponse:
    """Sign in with a passkey alone, or give it as the second factor."""
    if not offers_passkeys():
        return redirect("admin:login")
    onward = request.GET.get("next", "")
    if not url_has_allowed_host_and_scheme(onward, allowed_hosts=None):
        onward = "panel:index"
    user, fault = request.user if isinstance(request.user, User) else None, ""
    if user is not None and (user.is_verified() or not Passkey.objects.filter(user=user).exists()):  # type: ignore[attr-defined]
        return redirect(onward)
    form = AnswerForm(request.POST or None)
    if request.method == "POST":
        try:
            _sign_in(request, user, form)
        except PermissionDenied as refusal:
            fault = str(refusal)
        else:
            return redirect(onward)
    context = {"challenge": passkeys.question(user), "fault": fault, "second": user is not None}
    status = 422 if fault else 200
    return panel_page(request, "panel/people/passkey.html", context, status=status, title=gettext("Passkey"))


def _sign_in(request: HttpRequest, user: User | None, form: AnswerForm) -> None:
    if not form.is_valid():
        raise PermissionDenied(gettext("The passkey was not accepted. Please try again."))
    found = passkeys.check(user, form.cleaned_data["state"], form.cleaned_data["answer"])
    if user is None:
        login(request, found.user, backend=BACKEND)
    second_factor.pass_gate(request, found)
    record_event(found.user, "used a passkey", detail=found.name)
