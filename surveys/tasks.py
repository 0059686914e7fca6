"""Celery tasks: each calls one service.

Each imports what it calls, so that beat and the worker that only folds start without it.
"""

from celery import shared_task


@shared_task(name="estimator.execute_export")
def execute_export(export_id: int) -> None:
    from surveys.lifecycle import exports

    exports.execute_export(export_id)


@shared_task(name="surveys.keep_appointments")
def run_schedules() -> None:
    from surveys.opening import schedules

    schedules.run_due()


@shared_task(name="surveys.keep_house")
def purge_due() -> None:
    from surveys.api.base import delete_expired_replies
    from surveys.maintenance import retention
    from surveys.outreach import mailing

    retention.purge_due()
    delete_expired_replies()
    mailing.delete_old()


@shared_task(name="surveys.execute_rehearsal")
def execute_rehearsal(rehearsal_id: int) -> None:
    from surveys.planning.rehearsals import services as rehearsals

    rehearsals.execute(rehearsal_id)


@shared_task(name="surveys.resume_rehearsals")
def resume_rehearsals() -> None:
    from surveys.planning.rehearsals import services as rehearsals

    rehearsals.resume_waiting()


@shared_task(name="surveys.notice_events")
def notice_events() -> None:
    from surveys.outreach.webhooks import events

    events.queue_deliveries()


@shared_task(name="surveys.execute_delivery")
def execute_delivery(delivery_id: int) -> None:
    from surveys.outreach.webhooks import services as webhooks

    webhooks.execute(delivery_id)


@shared_task(name="surveys.resume_deliveries")
def resume_deliveries() -> None:
    from surveys.outreach.webhooks import services as webhooks

    webhooks.resume_waiting()


@shared_task(name="surveys.execute_mailing")
def execute_mailing(mailing_id: int) -> None:
    from surveys.outreach import mail_delivery

    mail_delivery.execute(mailing_id)


@shared_task(name="surveys.resume_mailings")
def resume_mailings() -> None:
    from surveys.outreach import mailing

    mailing.resume_waiting()
