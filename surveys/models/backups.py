"""The model of a backup: where it is, how large, and whether it was restored as a test."""

from django.db import models
from django.db.models import Q

from estimator.base.jobs import Job


class Backup(Job):
    """An encrypted backup in `storages["backups"]`, made by a worker; a job, of which one at a time is waiting."""

    name = models.CharField(max_length=100, default="", help_text="of its file; empty until that is complete")
    place = models.CharField(max_length=300, default="", help_text="the bucket and prefix, or the folder")
    size = models.PositiveBigIntegerField(null=True, help_text="of the file, in bytes")
    sha256 = models.CharField(max_length=64, default="", help_text="of the file")
    checked_at = models.DateTimeField(null=True, help_text="when it was last restored as a test")
    check_fault = models.CharField(max_length=200, default="", help_text="why that failed; empty if it did not")
    slot = models.PositiveSmallIntegerField(default=1, editable=False, help_text="the same in all rows")

    class Meta:
        ordering = ["-requested_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["slot"], condition=Q(state__in=["queued", "running"]), name="backup_one_at_a_time"
            ),
            models.CheckConstraint(
                condition=~Q(state="done") | Q(finished_at__isnull=False, size__isnull=False) & ~Q(name=""),
                name="backup_done_is_complete",
            ),
        ]

    def __str__(self) -> str:
        return f"backup {self.name or self.pk} ({self.state})"
