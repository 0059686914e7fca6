"""Events of a survey for webhooks. A beat detects them, so nothing happens when a response arrives.

No event follows from one report: a number of reports is told where somebody chose a round one beforehand, at a random
time within an hour of the beat that saw it; estimates of the schedule, which are made because reports came, are not
told at all.
"""

import json
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone
from django.utils.translation import gettext_lazy

from collector.reports import selectors as reports
from estimator.models import Run
from surveys.models import Delivery, Version, Webhook

CLOSED, ESTIMATE_READY, REACHED, TEST = "closed", "estimate_ready", "reached", "test"
EVENTS = {
    REACHED: gettext_lazy("A number of responses is reached"),
    CLOSED: gettext_lazy("The survey is closed"),
    ESTIMATE_READY: gettext_lazy("A requested or final estimate is ready"),
}
LONGEST_DELAY = 3600
"""Maximum random delay, in seconds, of a delivery with a number of responses; uniform."""


@dataclass(frozen=True)
class Event:
    """An event that a webhook sends once; `about` identifies its subject."""

    event: str
    about: str
    version: Version
    run: str | None = None
    reports: int | None = None


def queue_deliveries() -> list[Delivery]:
    """Create a delivery for every event that was not sent yet."""
    made = []
    for webhook in Webhook.objects.select_related("survey"):
        known = set(webhook.deliveries.values_list("event", "about"))
        new = [one for one in pending_events(webhook) if (one.event, one.about) not in known]
        made += [delivery_of(webhook, one) for one in new]
    return Delivery.objects.bulk_create(made, ignore_conflicts=True)


def pending_events(webhook: Webhook) -> Iterator[Event]:
    """The events that this webhook subscribes to, since its creation."""
    versions = {version.design_id: version for version in webhook.survey.versions.all()}
    if CLOSED in webhook.events:
        final = webhook.survey.versions.filter(closed_at__gte=webhook.made_at, design__final_on__isnull=False)
        for version in final.order_by("number"):
            yield Event(CLOSED, version.design_id, version)
    if ESTIMATE_READY in webhook.events:
        done = Run.objects.filter(design__in=versions, state=Run.State.DONE, finished_at__gte=webhook.made_at)
        requested = done.exclude(trigger=Run.Trigger.SCHEDULE)  # by somebody, or by closing
        for key, digest in requested.values_list("key", "design"):
            yield Event(ESTIMATE_READY, key, versions[digest], run=key)
    if REACHED in webhook.events:
        for digest, counted in reports.report_counts(list(versions)).items():
            for threshold in webhook.thresholds:
                if counted.stored - counted.waiting >= threshold:
                    version = versions[digest]
                    yield Event(REACHED, f"{threshold} of version {version.number}", version, reports=threshold)


def delivery_of(webhook: Webhook, one: Event) -> Delivery:
    """The unsaved row, with the bytes that will be sent."""
    delay = secrets.randbelow(LONGEST_DELAY) if one.event == REACHED else 0
    delivery = Delivery(
        webhook=webhook, event=one.event, about=one.about, next_at=timezone.now() + timedelta(seconds=delay)
    )
    body = {
        "delivery": delivery.key,
        "event": one.event,
        "survey": webhook.survey.slug,
        "version": one.version.number,
        "design": one.version.design_id,
        "run": one.run,
        "reports": one.reports,
    }
    delivery.body = json.dumps(body)
    return delivery
