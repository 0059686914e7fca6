"""Celery tasks: a service is called, done."""

from celery import shared_task

from surveys import appointments


@shared_task(name="surveys.keep_appointments")
def keep_appointments() -> None:
    appointments.keep_due()
