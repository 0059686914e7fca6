"""Celery tasks: each calls one service, which it imports: beat and the worker that only folds start without it."""

from collections.abc import Callable

from celery import shared_task
from django.utils.module_loading import import_string


def task(name: str, *services: str) -> Callable[..., None]:
    """A task of this name that calls these services, one after the other, with the ids that it is given."""

    @shared_task(name=name)
    def run(*ids: int) -> None:
        for service in services:
            import_string(service)(*ids)

    called: Callable[..., None] = run
    return called


execute_export = task("estimator.execute_export", "surveys.lifecycle.exports.execute_export")
run_schedules = task(
    "surveys.keep_appointments", "surveys.opening.schedules.run_due", "surveys.lifecycle.closing.run_due"
)
purge_due = task(
    "surveys.keep_house",
    "surveys.maintenance.retention.purge_due",
    "surveys.api.base.delete_expired_replies",
    "surveys.outreach.mailing.delete_old",
)
archive_reports = task("surveys.archive_reports", "surveys.maintenance.archives.run_due")
execute_rehearsal = task("surveys.execute_rehearsal", "surveys.planning.rehearsals.services.execute")
resume_rehearsals = task("surveys.resume_rehearsals", "surveys.planning.rehearsals.services.resume_waiting")
notice_events = task("surveys.notice_events", "surveys.outreach.webhooks.events.queue_deliveries")
execute_delivery = task("surveys.execute_delivery", "surveys.outreach.webhooks.services.execute")
resume_deliveries = task("surveys.resume_deliveries", "surveys.outreach.webhooks.services.resume_waiting")
execute_mailing = task("surveys.execute_mailing", "surveys.outreach.mail_delivery.execute")
resume_mailings = task("surveys.resume_mailings", "surveys.outreach.mailing.resume_waiting")
keep_backups = task("surveys.keep_backups", "surveys.maintenance.scheduled_backups.run_due")
execute_backup = task("surveys.execute_backup", "surveys.maintenance.scheduled_backups.execute")
check_backups = task("surveys.check_backups", "surveys.maintenance.backup_checks.run_due")
