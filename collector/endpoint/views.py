"""The view at the report endpoint's address, for methods other than POST."""

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.views.decorators.csrf import csrf_exempt


@csrf_exempt  # it does nothing that could be forged
def reports(request: HttpRequest, slug: str) -> HttpResponse:
    """Return 405: POST is handled by collector.endpoint.application before it reaches this view."""
    return HttpResponseNotAllowed(["POST"])
