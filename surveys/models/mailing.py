"""Tables of mailings: what is sent, and the addresses still to receive it. No code is stored here."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_noop

from estimator.base.jobs import Job, new_key


class Mailing(Job):
    """A mail to every address on a list: an invitation with an individual link, or a reminder; a job."""

    class Kind(models.TextChoices):
        INVITATION = "invitation", gettext_noop("invitations")
        REMINDER = "reminder", gettext_noop("reminder")

    version = models.ForeignKey("surveys.Version", on_delete=models.CASCADE, related_name="mailings")
    key = models.CharField(max_length=32, unique=True, default=new_key, editable=False)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    group = models.CharField(max_length=64, blank=True, default="", help_text="key of the group that is invited")
    subject = models.CharField(max_length=200)
    text = models.TextField(help_text="of the mail, with the place for the link")
    total = models.PositiveIntegerField(help_text="addresses on the list")
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        ordering = ["-requested_at", "-pk"]

    def __str__(self) -> str:
        return f"{self.kind} to {self.total} ({self.state})"


class Recipient(models.Model):
    """An address whose mail is unsent, uncertain or refused. It is deleted once the server accepts its mail."""

    class State(models.TextChoices):
        WAITING = "waiting", gettext_noop("Waiting")
        SENDING = "sending", gettext_noop("Sending")
        UNCERTAIN = "uncertain", gettext_noop("may have got it")
        REFUSED = "refused", gettext_noop("refused by the mail server")

    mailing = models.ForeignKey(Mailing, on_delete=models.CASCADE, related_name="recipients")
    address = models.CharField(max_length=254)
    state = models.CharField(max_length=9, choices=State.choices, default=State.WAITING)
    status = models.PositiveSmallIntegerField(null=True, help_text="what the server answered; none of its words")

    class Meta:
        ordering = ["address"]
        constraints = [models.UniqueConstraint(fields=["mailing", "address"], name="recipient_once")]

    def __str__(self) -> str:
        return f"a recipient of {self.mailing_id} ({self.state})"
