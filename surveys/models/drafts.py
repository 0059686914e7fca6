"""The revisions of drafts: every saved state of what an author writes, of which the newest are kept."""

from django.conf import settings
from django.db import models

from surveys.models.surveys import Survey


class DraftRevision(models.Model):
    """A draft as it was saved; `number` counts the saves of a survey from 1, and 0 is what was there before."""

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="revisions")
    number = models.PositiveIntegerField()
    definition = models.JSONField()
    saved_at = models.DateTimeField()
    saved_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ["-number"]
        constraints = [models.UniqueConstraint(fields=["survey", "number"], name="revision_once")]

    def __str__(self) -> str:
        return f"revision {self.number} of {self.survey.slug}"
