"""Teams, roles, audit log, invitations and API tokens of researchers. Nothing about respondents is here."""

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_noop
from django_otp.models import Device


class Role(models.IntegerChoices):
    """A member's role in a team; each role includes the permissions of those before it."""

    VIEWER = 1, gettext_noop("viewer")
    ANALYST = 2, gettext_noop("analyst")
    EDITOR = 3, gettext_noop("editor")
    OWNER = 4, gettext_noop("owner")


class Team(models.Model):
    """Researchers who share surveys. Every survey belongs to one team."""

    name = models.CharField(max_length=100)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name", "pk"]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A user's role in a team."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.PositiveSmallIntegerField(choices=Role.choices)
    granted_by = models.CharField(
        max_length=200, blank=True, default="", help_text="the directory group; empty where a person granted the role"
    )

    class Meta:
        ordering = ["-role", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["team", "user"], name="membership_once"),
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="membership_role_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user} is {self.get_role_display()} of {self.team}"


class DirectoryGroup(models.Model):
    """A group of the institution's directory whose members have a role in a team while they are in it."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="directory_groups")
    name = models.CharField(max_length=200)
    role = models.PositiveSmallIntegerField(choices=Role.choices)

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["team", "name"], name="directory_group_once"),
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="directory_group_role_known"),
        ]

    def __str__(self) -> str:
        return f"{self.name} is {self.get_role_display()} of {self.team}"


class Identity(models.Model):
    """Who a researcher is at the institution: the provider's own name for the person, never the mail address."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="identity")
    issuer = models.CharField(max_length=500)
    subject = models.CharField(max_length=255)
    credentials = models.TextField(
        blank=True, default="", help_text="what the provider is asked again with, encrypted; empty: signed out there"
    )
    generation = models.CharField(max_length=32, help_text="what its sessions hold; another value ends them")
    confirmed_at = models.DateTimeField(help_text="when the provider last confirmed the person")
    asked_at = models.DateTimeField(help_text="when it was last asked, so that of several requests one asks")
    owner_by_group = models.BooleanField(default=False, help_text="whether a group made the account an owner")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["issuer", "subject"], name="identity_once")]

    def __str__(self) -> str:
        return f"identity of {self.user}"


class Passkey(Device):
    """The public half of a passkey (WebAuthn): alone it signs in, and beside a password it is the second factor."""

    credential = models.CharField(max_length=1400, unique=True, help_text="its identifier, in base64url")
    public_key = models.BinaryField(help_text="the attested credential data, with the public key")
    sign_count = models.PositiveBigIntegerField(help_text="how often it has signed, where it counts")
    made_on = models.DateField()
    used_on = models.DateField(null=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"passkey {self.name!r} of {self.user}"


class AuditEntry(models.Model):
    """One action of one researcher. Rows are only ever added: a trigger rejects changes and deletions.

    The keys point at what was there then; who and what are kept in words too, for when it is gone.
    """

    at = models.DateTimeField(default=timezone.now)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.DO_NOTHING, db_constraint=False, null=True, related_name="+"
    )
    name = models.CharField(max_length=150, help_text="user name; empty for the command line and the schedule")
    act = models.CharField(max_length=64)
    survey = models.ForeignKey(
        "surveys.Survey", on_delete=models.DO_NOTHING, db_constraint=False, null=True, related_name="+"
    )
    slug = models.CharField(max_length=64)
    team = models.ForeignKey(Team, on_delete=models.DO_NOTHING, db_constraint=False, null=True, related_name="+")
    detail = models.CharField(max_length=500)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return " ".join(word for word in (self.name or "Candor", self.act, self.slug) if word)


class Invitation(models.Model):
    """A link that admits one person to a team. Used, revoked and expired ones are deleted: all look unknown."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="invitations")
    role = models.PositiveSmallIntegerField(choices=Role.choices)
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the secret, which is kept nowhere")
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    expires_at = models.DateTimeField()

    class Meta:
        ordering = ["expires_at", "pk"]
        constraints = [
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="invitation_role_known"),
        ]

    def __str__(self) -> str:
        return f"invitation to {self.team} as {self.get_role_display()}"


class AccessToken(models.Model):
    """A researcher's API token, valid until it is revoked or expires. Its last use is stored by the day."""

    class Scope(models.TextChoices):
        READ = "read", gettext_noop("reads")
        WRITE = "write", gettext_noop("reads and writes")

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="access_tokens")
    name = models.CharField(max_length=100)
    scope = models.CharField(max_length=5, choices=Scope.choices)
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the token, which is kept nowhere")
    made_on = models.DateField()
    used_on = models.DateField(null=True, help_text="the last day on which it was used")
    expires_on = models.DateField(null=True, help_text="the last day on which it can be used; empty: for good")

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(condition=models.Q(scope__in=["read", "write"]), name="token_scope_known")
        ]

    def __str__(self) -> str:
        return f"token {self.name!r} of {self.user}"


class KeptAnswer(models.Model):
    """The reply to a POST with an Idempotency-Key, stored for a day. Only hashes of the request are stored."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=64, help_text="SHA-256 of the key")
    request = models.CharField(max_length=64, help_text="SHA-256 of what was asked for")
    status = models.PositiveSmallIntegerField(null=True)
    answer = models.TextField(default="", help_text="as JSON")
    kept_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="answer_kept_once")]

    def __str__(self) -> str:
        return f"answer {self.key[:8]} to {self.user}"
