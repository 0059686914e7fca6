"""Health endpoints: liveness, readiness and metrics for monitoring."""

import hmac

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from config import metrics
from estimator.runs import health
from randomized_response import __version__


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """200 and the version while this process responds, even if others are down: restarting it would not help."""
    return HttpResponse(f"ok {__version__}\n", content_type="text/plain")


@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """200 if database, broker, worker and counting all work, otherwise 503 with those that do not."""
    checks = health.checks()
    works = all(check.works for check in checks)
    parts = {check.name: "ok" if check.works else "failed" for check in checks}
    return JsonResponse({"ready": works, **parts}, status=200 if works else 503)


@require_safe
def expose_metrics(request: HttpRequest) -> HttpResponse:
    """The metrics, for clients with the token; 404 for all others."""
    given = request.headers.get("Authorization", "")
    token = settings.CANDOR_METRICS_TOKEN
    if not token or not hmac.compare_digest(given.encode(), f"Bearer {token}".encode()):
        raise Http404("There is no such page.")
    return HttpResponse(metrics.exposition(), content_type=metrics.CONTENT_TYPE)
