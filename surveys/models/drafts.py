"""What belongs to drafts: the revisions that are kept of them, and links to a preview without an account."""

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


class PreviewLink(models.Model):
    """A link to the preview of a draft for somebody without an account; it ends with the draft of this version."""

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="preview_links")
    version = models.PositiveIntegerField(help_text="the number that the draft has once it is opened")
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the secret, which is kept nowhere")
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    expires_at = models.DateTimeField()

    class Meta:
        ordering = ["expires_at", "pk"]

    def __str__(self) -> str:
        return f"preview link of {self.survey.slug} until {self.expires_at:%Y-%m-%d}"
