"""Signing in through the institution: to its provider, back from it, and what is said while it is away."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from collector.errors import Conflict, RequestRefused
from estimator.base.extras import lacking_package
from surveys.accounts import institution, single_sign_on
from surveys.panel.accounts import directory, kept_forms
from surveys.panel.views import panel_page, signed_in

COOKIE = f"{'__Secure-' if settings.SECURE else ''}candor_institution"
"""The attempt of this browser. The session's cookie, SameSite=Strict, does not come along from the provider's site."""

NOT_OFFERED = gettext_lazy("This installation offers no sign-in through an institution.")


@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """Send the browser to the provider; or take the name and password that the directory knows."""
    onward = request.POST.get("next", request.GET.get("next", ""))
    onward = onward if url_has_allowed_host_and_scheme(onward, allowed_hosts=None) else ""
    if not settings.CANDOR_LDAP:
        return _leave(request, onward)
    found = directory.account_of(request)
    if isinstance(found, HttpResponse):
        return found
    _sign_in(request, found)
    return redirect(onward or "admin:index")


@require_http_methods(["GET", "HEAD", "POST"])
def connect(request: HttpRequest) -> HttpResponse:
    """Connect the account that is signed in, by the same way."""
    if not single_sign_on.is_offered():
        messages.error(request, NOT_OFFERED)
        return redirect("panel:account")
    if not settings.CANDOR_LDAP:
        return _leave(request, reverse("panel:account"), connects=signed_in(request).pk)
    found = directory.account_of(request, connects=signed_in(request))
    return found if isinstance(found, HttpResponse) else redirect("panel:account")


@require_POST
def disconnect(request: HttpRequest) -> HttpResponse:
    try:
        single_sign_on.disconnect(signed_in(request))
    except Conflict as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, gettext("Your account signs in by its password alone now."))
    return redirect("panel:account")


@require_GET
def come_back(request: HttpRequest) -> HttpResponse:
    """Take what the provider sent back with the browser; each attempt is good for one answer."""
    _require_offered()
    if settings.CANDOR_LDAP:
        raise Http404(NOT_OFFERED)  # nobody is sent away, so nobody comes back
    from surveys.accounts import openid

    attempt = openid.Attempt.read(request.COOKIES.get(COOKIE, ""))
    try:
        if attempt is None:
            raise PermissionDenied(gettext("This sign-in was not begun in this browser, or more than ten minutes ago."))
        confirmed = openid.confirm(attempt, request.GET.dict(), _address_back())
        if attempt.connects:
            single_sign_on.connect(User.objects.get(pk=attempt.connects, is_active=True), confirmed)
        else:
            _sign_in(request, single_sign_on.account_of(confirmed))
    except (PermissionDenied, Conflict, User.DoesNotExist) as refusal:
        response = _page(request, str(refusal), status=403)
    except RequestRefused as refusal:
        response = _page(request, refusal.message, status=refusal.status)
    else:
        # A page of ours leads on: the browser sends the new session's cookie to what a page of this site asks for, and
        # not to what follows a redirect from another site.
        response = _page(request, "", status=200, onward=attempt.onward or reverse("admin:index"))
    response.delete_cookie(COOKIE, path=reverse("institution"), samesite="Lax")
    return response


def unconfirmed(request: HttpRequest, refusal: RequestRefused) -> HttpResponse:
    """What a request gets while the provider is away: a page that tries again, or the form that was sent."""
    if kept := kept_forms.kept_form(request):
        return kept_forms.give_back(request, kept, status=refusal.status)
    again = request.get_full_path() if request.method == "GET" else ""
    response = _page(request, refusal.message, status=refusal.status, again=again)
    response.headers["Retry-After"] = str(refusal.retry)
    return response


def _leave(request: HttpRequest, onward: str, *, connects: int = 0) -> HttpResponse:
    _require_offered()
    if request.method == "POST":
        return HttpResponseNotAllowed(["GET", "HEAD"])
    if missing := lacking_package("authlib", "sign-in"):
        return _page(request, missing, status=503)
    from surveys.accounts import openid

    attempt = openid.Attempt(onward=onward, connects=connects)
    try:
        response = HttpResponseRedirect(openid.address(attempt, _address_back()))
    except RequestRefused as refusal:
        return _page(request, refusal.message, status=refusal.status)
    response.set_cookie(
        COOKIE,
        attempt.signed(),
        max_age=openid.VALID,
        path=reverse("institution"),
        secure=settings.SECURE,
        httponly=True,
        samesite="Lax",
    )
    return response


def _sign_in(request: HttpRequest, user: User) -> None:
    login(request, user, backend=single_sign_on.BACKEND)
    request.session[single_sign_on.SESSION_KEY] = user.identity.generation


def _require_offered() -> None:
    if not single_sign_on.is_offered():
        raise Http404(NOT_OFFERED)


def _address_back() -> str:
    return str(settings.CANDOR_URL + reverse("institution-back"))


def _page(request: HttpRequest, words: str, *, status: int, onward: str = "", again: str = "") -> HttpResponse:
    title = gettext("Signed in") if onward else gettext("Not signed in") if not again else gettext("One moment")
    context = {"words": words, "onward": onward, "again": again, "institution": institution.name()}
    return panel_page(request, "panel/people/institution.html", context, status=status, title=title)
