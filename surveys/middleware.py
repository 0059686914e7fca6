"""Middleware of the panel: its language and time zone, the second factor of users who have one, and refused forms that
are given back.
"""

import time
from collections.abc import Callable
from functools import cache
from urllib.parse import urlencode
from zoneinfo import ZoneInfo, available_timezones

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, logout
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext
from django.utils.translation.trans_real import parse_accept_lang_header

from collector.errors import RequestRefused
from estimator.base.languages import activated
from surveys.accounts import second_factor as factor
from surveys.accounts import single_sign_on
from surveys.accounts.sessions import USED_AT
from surveys.api import problems
from surveys.panel.accounts import kept_forms
from surveys.panel.accounts import single_sign_on as sign_on_pages
from surveys.panel.views import signed_in

GUARDED = "/panel/", "/api/"
NOTED_AFTER = 600
"""Seconds after which a use is noted anew: to write at every request would cost each page."""
DOORS = (
    *(
        "admin:login",
        "admin:logout",
        "admin:jsi18n",
        "sign-in",
        "institution",
        "institution-back",
        "passkey",
        "panel:code",
    ),
    *("api-page", "schema"),
)


def speak_language(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Answer the panel's requests in the reader's language and zone; all else is English, or a survey's, and UTC."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if not request.path.startswith("/panel/"):
            return get_response(request)
        language = panel_language(request)
        with activated(language, settings.PANEL_LANGUAGES), timezone.override(browser_zone(request)):
            response = get_response(request)
        patch_vary_headers(response, ("Accept-Language", "Cookie"))
        response.headers.setdefault("Content-Language", language)
        return response

    return middleware


def panel_language(request: HttpRequest) -> str:
    """Return the language that the reader has chosen, else the first of the browser's that the panel has."""
    chosen = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, "")
    accepted = [code for code, _weight in parse_accept_lang_header(request.headers.get("Accept-Language", ""))]
    wanted = [chosen, *(code.partition("-")[0] for code in accepted)]
    return next((code for code in wanted if code in settings.PANEL_LANGUAGES), settings.LANGUAGE_CODE)


def browser_zone(request: HttpRequest) -> ZoneInfo:
    """Return the time zone that the browser has told (theme.js), else UTC."""
    name = request.COOKIES.get(f"{'__Secure-' if settings.SECURE else ''}candor_zone", "")
    return ZoneInfo(name) if name in known_zones() else ZoneInfo("UTC")


@cache
def known_zones() -> set[str]:
    """The names of all time zones: looking for them in the machine's folders takes as long as making a page."""
    return available_timezones()


def end_unused_sessions(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Sign out whoever has opened no page and sent nothing for so long. What a page asks for by itself is no use."""

    def middleware(request: HttpRequest) -> HttpResponse:
        longest = settings.CANDOR_SESSION_UNUSED * 3600
        if not longest or _is_public(request) or not request.user.is_authenticated:
            return get_response(request)
        now = int(time.time())
        unused = now - request.session.setdefault(USED_AT, now)
        if unused > longest:
            logout(request)
            return _stop(request, "admin:login", gettext("Your session has ended, as it was not used for long."))
        if unused > NOTED_AFTER and not _is_by_itself(request):
            request.session[USED_AT] = now
        return get_response(request)

    return middleware


def require_institution(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """End sessions that the institution no longer confirms; while it is away, keep what was typed."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if _is_public(request) or not request.user.is_authenticated:
            return get_response(request)
        if request.session.get(BACKEND_SESSION_KEY) != single_sign_on.BACKEND:
            single_sign_on.renew_roles(signed_in(request))
            return get_response(request)
        try:
            single_sign_on.require_confirmed(signed_in(request), request.session.get(single_sign_on.SESSION_KEY, ""))
        except PermissionDenied as refusal:
            logout(request)
            there = "institution" if request.method == "GET" else "admin:login"
            return _stop(request, there, str(refusal))
        except RequestRefused as refusal:
            if request.path.startswith(problems.PREFIX):
                return problems.response(refusal.status, refusal.message, {"Retry-After": str(refusal.retry)})
            return sign_on_pages.unconfirmed(request, refusal)
        return get_response(request)

    return middleware


def require_second_factor(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Stop sessions without a verified second factor; where one is required, also users who have not set it up."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if _is_public(request):
            return get_response(request)
        user = request.user
        if not user.is_authenticated or user.is_verified():  # type: ignore[attr-defined]
            return get_response(request)
        if factor.is_on(user):
            return _stop(request, "panel:code", gettext("Enter your second factor first."))
        if factor.required() and request.path not in map(reverse, ("panel:second-factor", "panel:passkey-new")):
            return _stop(request, "panel:second-factor", gettext("Set up a second factor first."))
        return get_response(request)

    return middleware


def keep_forms(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Give a form back whose session has ended, and a page to who follows the address of a button: no blank refusal."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if not request.path.startswith("/panel/"):
            return response
        if response.status_code == 405 and request.method == "GET":
            return kept_forms.no_page(request, response)
        if request.method != "POST" or not kept_forms.needs_sign_in(response):
            return response
        kept = kept_forms.kept_form(request)
        return kept_forms.keep_for(request, kept) if kept else response

    return middleware


def _is_by_itself(request: HttpRequest) -> bool:
    """Whether a page asks, and not a person: it reads, and the browser does not go there."""
    return request.method in ("GET", "HEAD") and request.headers.get("Sec-Fetch-Mode", "navigate") != "navigate"


def _is_public(request: HttpRequest) -> bool:
    doors = request.path in map(reverse, DOORS) or request.path.startswith(reverse("help"))
    return doors or not request.path.startswith(GUARDED)


def _stop(request: HttpRequest, name: str, words: str) -> HttpResponse:
    if request.path.startswith(problems.PREFIX):
        return problems.response(403, words)
    there = request.get_full_path() if request.method == "GET" else reverse("panel:index")
    return redirect(f"{reverse(name)}?{urlencode({'next': there})}")
