"""Celery tasks: a service is called, done."""

from celery import shared_task

from surveys.api.base import forget_answers
from surveys.lifecycle import exports
from surveys.maintenance import retention
from surveys.opening import schedules
from surveys.outreach import mail_delivery, mailing
from surveys.outreach.webhooks import events
from surveys.outreach.webhooks import services as webhooks
from surveys.planning.rehearsals import services as rehearsals


@shared_task(name="estimator.execute_export")
def execute_export(export_id: int) -> None:
    exports.execute_export(export_id)


@shared_task(name="surveys.keep_appointments")
def keep_appointments() -> None:
    schedules.keep_due()


@shared_task(name="surveys.keep_house")
def keep_house() -> None:
    retention.keep_house()
    forget_answers()
    mailing.forget_old()


@shared_task(name="surveys.execute_rehearsal")
def execute_rehearsal(rehearsal_id: int) -> None:
    rehearsals.execute(rehearsal_id)


@shared_task(name="surveys.resume_rehearsals")
def resume_rehearsals() -> None:
    rehearsals.resume_waiting()


@shared_task(name="surveys.notice_events")
def notice_events() -> None:
    events.notice()


@shared_task(name="surveys.execute_delivery")
def execute_delivery(delivery_id: int) -> None:
    webhooks.execute(delivery_id)


@shared_task(name="surveys.resume_deliveries")
def resume_deliveries() -> None:
    webhooks.resume_waiting()


@shared_task(name="surveys.execute_mailing")
def execute_mailing(mailing_id: int) -> None:
    mail_delivery.execute(mailing_id)


@shared_task(name="surveys.resume_mailings")
def resume_mailings() -> None:
    mailing.resume_waiting()
