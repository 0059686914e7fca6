"""The page Webhooks: the programs notified of a survey's events, and their deliveries."""

import re
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from collector.errors import InputError
from estimator.base import wording
from surveys.accounts.access import Role, get_survey_or_404, one_or_404
from surveys.models import Delivery, Survey, Webhook
from surveys.outreach.webhooks import events, services
from surveys.panel.frame import survey_page
from surveys.panel.transitions import transition
from surveys.panel.views import signed_in

NEWEST = 10
"""Number of deliveries shown for each webhook."""


@require_http_methods(["GET", "HEAD", "POST"])
def webhooks(request: HttpRequest, slug: str) -> HttpResponse:
    """The webhooks with their newest deliveries; a POST adds one and shows its secret once."""
    survey = get_survey_or_404(request.user, slug, Role.EDITOR)
    if request.method != "POST":
        return _page(request, survey)
    chosen, written = request.POST.getlist("event"), request.POST.get("thresholds", "")
    url = request.POST.get("url", "").strip()
    try:
        added, secret = services.add(survey, url, chosen, numbers_in(written), by=signed_in(request))
    except InputError as fault:
        faults = {fault.field: str(fault)}
        return _page(request, survey, status=422, url=url, chosen=chosen, thresholds=written, fault=faults)
    return _page(request, survey, secret=secret, secret_of=added.key)


@require_POST
def rotate(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Replace the secret; the new one is shown once."""
    survey = get_survey_or_404(request.user, slug, Role.EDITOR)
    webhook = _webhook_or_404(survey, key)
    return _page(request, survey, secret=services.rotate(webhook, by=signed_in(request)), secret_of=webhook.key)


@transition(Role.EDITOR, then="panel:webhooks")
def send_test(request: HttpRequest, survey: Survey, key: str) -> str:
    services.send_test(_webhook_or_404(survey, key))
    return gettext("A test message is being sent. Reload the page to see its result.")


@transition(Role.EDITOR, then="panel:webhooks")
def delete(request: HttpRequest, survey: Survey, key: str) -> str:
    services.delete(_webhook_or_404(survey, key), by=signed_in(request))
    return gettext("The webhook is deleted.")


@transition(Role.EDITOR, then="panel:webhooks")
def resend(request: HttpRequest, survey: Survey, key: str, delivery: str) -> str:
    """Resend a delivery from the beginning."""
    services.resend(one_or_404(_webhook_or_404(survey, key).deliveries.filter(key=delivery).first()))
    return gettext("The message is being sent again.")


def numbers_in(written: str) -> list[int]:
    """The numbers of a list like "500, 1000; 100000". Raises InputError where something else stands in it."""
    parts = [part for part in re.split(r"[,;\s]+", written.strip()) if part]
    for part in parts:
        if not re.fullmatch(r"[0-9]{1,9}", part):
            raise InputError(
                "thresholds", gettext("Enter numbers like 500, 1000; got {part!r}.").format(part=part[:20])
            )
    return [int(part) for part in parts]


def _webhook_or_404(survey: Survey, key: str) -> Webhook:
    return one_or_404(survey.webhooks.select_related("survey").filter(key=key).first())


def _page(request: HttpRequest, survey: Survey, *, status: int = 200, **more: Any) -> HttpResponse:
    shown = [(one, _event_labels(one), list(one.deliveries.all()[:NEWEST])) for one in survey.webhooks.all()]
    context = {
        "webhooks": shown,
        "events": events.EVENTS,
        "reached": events.REACHED,
        "most_attempts": services.MOST_ATTEMPTS,
        "states": Delivery.State,
        "url": "",
        "thresholds": "",
        "chosen": [events.CLOSED, events.ESTIMATE_READY],
        "fault": {},
        **more,
    }
    return survey_page(request, "panel/webhooks.html", survey, step="report", status=status, **context)


def _event_labels(webhook: Webhook) -> list[str]:
    numbers = ", ".join(wording.count(number) for number in webhook.thresholds)
    return [
        f"{words}: {numbers}" if name == events.REACHED else str(words)
        for name, words in events.EVENTS.items()
        if name in webhook.events
    ]
