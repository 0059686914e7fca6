"""The page at /: what this site is, for whom, and the way in. It names no survey: who answers one has its link."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from surveys.lifecycle.links import record_link


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    return render(request, "front.html", {"signed_in": request.user.is_authenticated, "record_link": record_link()})
