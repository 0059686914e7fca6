"""Middleware that requires the second factor of users who have one for every page of the panel or API."""

from collections.abc import Callable
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from surveys.accounts import second_factor as factor
from surveys.api import problems

GUARDED = "/panel/", "/api/"
DOORS = "admin:login", "admin:logout", "admin:jsi18n", "sign-in", "panel:code", "api-page", "schema"


def require_second_factor(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Stop sessions without a verified second factor; where one is required, also users who have not set it up."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if not request.path.startswith(GUARDED) or request.path in map(reverse, DOORS):
            return get_response(request)
        user = request.user
        if not user.is_authenticated or user.is_verified():  # type: ignore[attr-defined]
            return get_response(request)
        if factor.is_on(user):
            return _stop(request, "panel:code", "Give your second factor first.")
        if factor.required() and request.path != reverse("panel:second-factor"):
            return _stop(request, "panel:second-factor", "Set up a second factor first.")
        return get_response(request)

    return middleware


def _stop(request: HttpRequest, name: str, words: str) -> HttpResponse:
    if request.path.startswith("/api/"):
        return problems.response(403, words)
    there = request.get_full_path() if request.method == "GET" else reverse("panel:index")
    return redirect(f"{reverse(name)}?{urlencode({'next': there})}")
