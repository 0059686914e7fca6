"""The one address that takes a report."""

from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from collector import services
from collector.errors import ForeignOrigin, NotJson, Refusal, TooLarge
from collector.parsing import LARGEST_BODY

JSON_TYPES = ("application/json", "application/json;charset=utf-8")


# No cookie means anything here, so there is nothing for another site to ride on; `_check_request` refuses it anyway.
@csrf_exempt
@require_POST
def take_report(request: HttpRequest, slug: str) -> HttpResponse:
    """Store one report and answer with its receipt, or say in a sentence why not."""
    try:
        _check_request(request)
        receipt = services.receive(request.body, slug=slug)
    except Refusal as refusal:
        error = {"field": refusal.field, "message": refusal.message}
        return JsonResponse({"error": error}, status=refusal.status)
    return JsonResponse({"receipt": receipt.receipt}, status=201 if receipt.created else 200)


def _check_request(request: HttpRequest) -> None:
    """Refuse by the headers alone, before a byte of the body is read."""
    origin = urlsplit(request.headers.get("Origin", ""))
    same_site = request.headers.get("Sec-Fetch-Site", "same-origin") == "same-origin"
    if not same_site or origin.netloc != request.get_host():
        raise ForeignOrigin("Origin", "A report is taken from the survey's own page only.")
    if request.headers.get("Content-Type", "").replace(" ", "").lower() not in JSON_TYPES:
        raise NotJson("Content-Type", "Content-Type must be application/json.")
    length = request.headers.get("Content-Length", "")
    if not length.isdigit() or int(length) > LARGEST_BODY:
        raise TooLarge("Content-Length", f"The body must be at most {LARGEST_BODY} bytes; got {length or 'no length'}.")
