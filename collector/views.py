"""The address that takes a browser's report."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from collector import services
from collector.errors import NotJson, Refusal
from collector.headers import check_headers

JSON_TYPES = ("application/json", "application/json;charset=utf-8")


# No cookie means anything here, so there is nothing for another site to ride on; `check_headers` refuses it anyway.
@csrf_exempt
@require_POST
def take_report(request: HttpRequest, slug: str) -> HttpResponse:
    """Store one report and answer with its receipt, or say in a sentence why not."""
    try:
        not_json = NotJson("Content-Type", "Content-Type must be application/json.")
        check_headers(request, types=JSON_TYPES, otherwise=not_json)
        receipt = services.receive(request.body, slug=slug)
    except Refusal as refusal:
        error = {"field": refusal.field, "message": refusal.message}
        return JsonResponse({"error": error}, status=refusal.status)
    return JsonResponse({"receipt": receipt.receipt}, status=201 if receipt.created else 200)
