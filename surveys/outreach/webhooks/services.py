"""Commands on webhooks and deliveries: adding, rotating the secret, sending, retrying, giving up."""

import json
import secrets
from datetime import timedelta
from urllib.parse import urlsplit

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from collector.errors import Conflict, InputError
from estimator.base import jobs
from estimator.base.languages import filled
from surveys.accounts.audit_log import record_event
from surveys.errors import DeliveryError
from surveys.models import Delivery, Survey, Webhook
from surveys.outreach.webhooks import addresses, sending, signing
from surveys.outreach.webhooks.events import EVENTS, REACHED, TEST

State = Delivery.State
ENDED = State.DONE, State.FAILED

MOST = 10
"""Maximum webhooks of a survey, and thresholds of a webhook."""
STEP, LARGEST = 100, 100_000_000
"""Thresholds are multiples of this, so that none depends on a single response."""

FIRST_PAUSE, LONGEST_PAUSE = timedelta(minutes=1), timedelta(days=1)
MOST_ATTEMPTS = 14
"""Maximum attempts. Pauses double up to the longest: fourteen take about three and a half days."""
JITTER = 0.2
"""Jitter of a pause, up or down, so that failed deliveries do not retry all together."""

GONE = 410


@transaction.atomic
def add(
    survey: Survey, url: str, events: list[str], thresholds: list[int], *, by: User | None = None
) -> tuple[Webhook, str]:
    """A new webhook and its secret, which is shown only once.

    Raises InputError, naming the field, its bound and the value.
    """
    _check(survey, url, events, thresholds)
    chosen = sorted(set(thresholds)) if REACHED in events else []
    webhook = Webhook.objects.create(survey=survey, url=url, events=events, thresholds=chosen, made_by=by)
    record_event(by, "created a webhook", survey=survey, detail=_host(webhook))
    return webhook, signing.secret_of(webhook)


@transaction.atomic
def rotate(webhook: Webhook, *, by: User | None = None) -> str:
    """Replace the secret, effective at once; the new one is shown once."""
    webhook.salt = jobs.new_key()
    webhook.save(update_fields=["salt"])
    record_event(by, "rotated a webhook secret", survey=webhook.survey, detail=_host(webhook))
    return signing.secret_of(webhook)


@transaction.atomic
def delete(webhook: Webhook, *, by: User | None = None) -> None:
    """Delete a webhook and its deliveries; one being sent may still arrive."""
    record_event(by, "deleted a webhook", survey=webhook.survey, detail=_host(webhook))
    webhook.delete()


def send_test(webhook: Webhook) -> Delivery:
    """Send a harmless event now, marked as a test."""
    delivery = Delivery(webhook=webhook, event=TEST, about=jobs.new_key())
    delivery.body = json.dumps({"delivery": delivery.key, "event": TEST, "survey": webhook.survey.slug})
    delivery.save()
    transaction.on_commit(lambda: wake(delivery.pk))
    return delivery


def resend(delivery: Delivery) -> None:
    """Send it again from the beginning, the same bytes under the same key. Raises Conflict while it is on its way."""
    ended = Delivery.objects.filter(pk=delivery.pk, state__in=ENDED)
    if not ended.update(state=State.QUEUED, tries=0, attempts=0, next_at=timezone.now(), finished_at=None, fault=""):
        raise Conflict(gettext("This delivery is being sent."))
    transaction.on_commit(lambda: wake(delivery.pk))


def wake(delivery_id: int) -> None:
    jobs.wake("surveys.execute_delivery", delivery_id)


def resume_waiting() -> list[int]:
    """Wake the deliveries that are due, and those that a dead worker left."""
    waiting = Delivery.objects.filter(next_at__lte=timezone.now()).exclude(state__in=ENDED)
    due = set(waiting.values_list("pk", flat=True))
    return [one for one in jobs.resume(Delivery, lambda one: wake(one) if one in due else None) if one in due]


def execute(delivery_id: int) -> None:
    """Send a delivery that is due, unless another worker does."""
    if Delivery.objects.filter(pk=delivery_id, next_at__lte=timezone.now()).exists():
        jobs.perform(Delivery, delivery_id, _attempt)


def pause_after(attempts: int) -> timedelta:
    """The pause after this many attempts, without the jitter."""
    doubled: timedelta = FIRST_PAUSE * 2 ** (attempts - 1)
    return min(doubled, LONGEST_PAUSE)


def _attempt(delivery_id: int, lease: str) -> None:
    delivery = Delivery.objects.select_related("webhook__survey").get(pk=delivery_id)
    status, fault = None, ""
    try:
        status = sending.send(delivery)
    except DeliveryError as reason:
        fault = str(reason)
    outcome: dict[str, object] = {"attempts": delivery.attempts + 1, "status": status}
    outcome |= {"fault": fault or gettext("The receiver answered {status}.").format(status=status)}
    if status is not None and 300 <= status < 400:
        outcome["fault"] = gettext("The receiver answered with a redirect ({status}), which is not followed.").format(
            status=status
        )
    if status is not None and 200 <= status < 300:
        outcome |= {"state": State.DONE, "progress": 100, "finished_at": timezone.now(), "fault": ""}
    elif status == GONE or outcome["attempts"] == MOST_ATTEMPTS:
        outcome |= {"state": State.FAILED, "finished_at": timezone.now()}
    else:
        moved = 1 + JITTER * (secrets.randbelow(2001) / 1000 - 1)
        again = timezone.now() + moved * pause_after(delivery.attempts + 1)
        outcome |= {"state": State.QUEUED, "tries": 0, "next_at": again}
    jobs.acquire_lease(Delivery, delivery_id, lease, **outcome)


def _check(survey: Survey, url: str, events: list[str], thresholds: list[int]) -> None:
    try:
        addresses.check(url)
    except DeliveryError as fault:
        raise InputError("url", str(fault)) from fault
    if not events or not set(events) <= set(EVENTS):
        raise InputError(
            "events", gettext("Choose at least one of: {names}.").format(names=", ".join(map(str, EVENTS.values())))
        )
    if REACHED in events and not 1 <= len(set(thresholds)) <= MOST:
        raise InputError(
            "thresholds",
            gettext("Enter 1 to {most} numbers of responses; got {count}.").format(
                most=MOST, count=len(set(thresholds))
            ),
        )
    for number in thresholds:
        if number % STEP or not STEP <= number <= LARGEST:
            bound = filled(gettext("a multiple of 100 from {step} to {largest:,}"), step=STEP, largest=LARGEST)
            raise InputError(
                "thresholds",
                gettext("Each number of responses must be {bound}; got {number}.").format(bound=bound, number=number),
            )
    if survey.webhooks.count() >= MOST:
        raise InputError("url", gettext("A survey has at most {most} webhooks; delete one first.").format(most=MOST))


def _host(webhook: Webhook) -> str:
    """The part of a URL for the audit log: path and query are often a secret."""
    return urlsplit(webhook.url).hostname or ""
