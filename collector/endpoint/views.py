"""The address that takes a browser's report, for whoever asks it for something else."""

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.views.decorators.csrf import csrf_exempt


@csrf_exempt  # it does nothing that could be forged
def reports(request: HttpRequest, slug: str) -> HttpResponse:
    """A report is sent by POST, which collector.endpoint.application answers before a request comes here."""
    return HttpResponseNotAllowed(["POST"])
