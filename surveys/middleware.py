"""Middleware of the panel: the reader's time zone, the second factor of users who have one, and refused forms."""

import zoneinfo
from collections.abc import Callable
from functools import lru_cache
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone

from surveys.accounts import second_factor as factor
from surveys.api import problems
from surveys.panel.accounts import kept_forms

GUARDED = "/panel/", "/api/"
ZONE = "candor_zone"
"""The cookie with the name of the browser's time zone."""
DOORS = "admin:login", "admin:logout", "admin:jsi18n", "sign-in", "panel:code", "api-page", "schema"


def require_second_factor(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Stop sessions without a verified second factor; where one is required, also users who have not set it up."""

    def middleware(request: HttpRequest) -> HttpResponse:
        public = request.path in map(reverse, DOORS) or request.path.startswith(reverse("help"))
        if public or not request.path.startswith(GUARDED):
            return get_response(request)
        user = request.user
        if not user.is_authenticated or user.is_verified():  # type: ignore[attr-defined]
            return get_response(request)
        if factor.is_on(user):
            return _stop(request, "panel:code", "Enter your two-factor code first.")
        if factor.required() and request.path != reverse("panel:second-factor"):
            return _stop(request, "panel:second-factor", "Set up two-factor authentication first.")
        return get_response(request)

    return middleware


def time_zone(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Show and read the panel's times in the zone that theme.js has found in the browser; UTC where there is none."""

    def middleware(request: HttpRequest) -> HttpResponse:
        name = request.COOKIES.get(ZONE, "") if request.path.startswith("/panel/") else ""
        with timezone.override(zoneinfo.ZoneInfo(name) if name in _zones() else None):
            return get_response(request)

    return middleware


@lru_cache(maxsize=1)
def _zones() -> set[str]:
    """The names of all zones, which are read from many files."""
    return zoneinfo.available_timezones()


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


def _stop(request: HttpRequest, name: str, words: str) -> HttpResponse:
    if request.path.startswith("/api/"):
        return problems.response(403, words)
    there = request.get_full_path() if request.method == "GET" else reverse("panel:index")
    return redirect(f"{reverse(name)}?{urlencode({'next': there})}")
