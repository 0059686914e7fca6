"""The model of an export: its run, its format, its progress and its expiry."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from estimator.base.jobs import Job, new_key


class Export(Job):
    """One file of one run; a job. The file is `storage.open_file(key, lease)`, complete if the state is done."""

    key = models.CharField(max_length=32, unique=True, default=new_key, editable=False)
    run = models.ForeignKey("estimator.Run", on_delete=models.CASCADE, related_name="exports")
    format = models.CharField(max_length=32, help_text="its word in `formats.FORMATS`")
    language = models.CharField(max_length=16, default="", help_text="that it is written in; empty where it has none")
    microdata = models.BooleanField(default=False, help_text="whether it holds a row for each report")
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    size = models.PositiveBigIntegerField(null=True, help_text="of the file, in bytes")
    sha256 = models.CharField(max_length=64, default="", help_text="of the file")
    kept_until = models.DateTimeField(null=True, help_text="when row and file are deleted")

    class Meta:
        ordering = ["-requested_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=~Q(state="done") | Q(finished_at__isnull=False, size__isnull=False, kept_until__isnull=False),
                name="export_done_is_complete",
            ),
            models.UniqueConstraint(
                fields=["run", "format", "language"], condition=~Q(state="failed"), name="export_once"
            ),
        ]

    def __str__(self) -> str:
        return f"export {self.key[:8]} as {self.format} ({self.state})"

    @property
    def design_id(self) -> str:
        """Digest of the design that its run estimates."""
        return self.run.design_id
