"""Tables of webhooks: addresses, events and deliveries. The signing secret is not stored."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from estimator.base.jobs import Job, new_key


class Webhook(models.Model):
    """An address notified of a survey's events; `signing.secret_of` derives its secret from `salt`."""

    survey = models.ForeignKey("surveys.Survey", on_delete=models.CASCADE, related_name="webhooks")
    key = models.CharField(max_length=32, unique=True, default=new_key, editable=False)
    url = models.CharField(max_length=500)
    events = models.JSONField(default=list, help_text="names from `events.EVENTS`")
    thresholds = models.JSONField(default=list, help_text="response counts that trigger a message")
    salt = models.CharField(max_length=32, default=new_key, help_text="random; a new one makes another secret")
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    made_at = models.DateTimeField(default=timezone.now, help_text="earlier events are not sent")

    class Meta:
        ordering = ["made_at", "pk"]

    def __str__(self) -> str:
        return f"webhook {self.key[:8]} of {self.survey.slug}"


class Delivery(Job):
    """The delivery of one event to one address; a job. It waits until `next_at`, also between attempts.

    `tries` are those of a worker that breaks, `attempts` those of the receiver.
    """

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    key = models.CharField(max_length=32, unique=True, default=new_key, help_text="the same in every try")
    event = models.CharField(max_length=32)
    about = models.CharField(max_length=64, help_text="subject of the event, so that it is sent once")
    body = models.TextField(help_text="what is sent, to the byte")
    next_at = models.DateTimeField(default=timezone.now)
    attempts = models.PositiveSmallIntegerField(default=0)
    status = models.PositiveSmallIntegerField(null=True, help_text="of the last answer; nothing else of it is kept")

    class Meta:
        ordering = ["-requested_at", "-pk"]
        verbose_name = "webhook delivery"
        verbose_name_plural = "webhook deliveries"
        constraints = [models.UniqueConstraint(fields=["webhook", "event", "about"], name="delivery_once")]

    def __str__(self) -> str:
        return f"{self.event} to {self.webhook_id} ({self.state})"
