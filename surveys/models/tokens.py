"""Tables of blind-signature invitations: the key of a version, and who has fetched a token, never which.

Nothing in here says when finer than a day, and nothing of a report is ever beside it.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Length
from django.db.models.lookups import Exact


class SigningKey(models.Model):
    """The key that signs the tokens of one version of a survey; its modulus is in the design."""

    survey = models.ForeignKey("surveys.Survey", on_delete=models.CASCADE, related_name="signing_keys")
    number = models.PositiveIntegerField(help_text="of the version")
    modulus = models.CharField(max_length=768, default="", help_text="768 hex digits; the exponent is 65537")
    issued = models.PositiveIntegerField(default=0, help_text="how many tokens were signed")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["survey", "number"], name="signing_key_once")]

    def __str__(self) -> str:
        return f"signing key of {self.survey.slug} version {self.number}"


class SigningSecret(models.Model):
    """The private key, stored while tokens are issued. It is in no backup, and deleted as the survey closes."""

    key = models.OneToOneField(SigningKey, on_delete=models.CASCADE, related_name="secret", primary_key=True)
    private = models.BinaryField(help_text="PKCS #8, DER")

    def __str__(self) -> str:
        return f"secret of the {self.key}"


class FetchBatch(models.Model):
    """A batch of one-time codes."""

    key = models.ForeignKey(SigningKey, on_delete=models.CASCADE, related_name="batches")
    number = models.PositiveIntegerField(help_text="within the version, from 1")
    count = models.PositiveIntegerField(help_text="number of invitations")
    kind = models.CharField(max_length=16, help_text="how they were handed out")
    made_on = models.DateField()
    withdrawn_on = models.DateField(null=True, help_text="when those that were not used were withdrawn")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["key", "number"], name="fetch_batch_once")]

    def __str__(self) -> str:
        return f"batch {self.number} of codes of the {self.key}"


class FetchCode(models.Model):
    """The right to fetch one token with the code of this hash, which was made in a batch or for an account.

    `blinded` says that it was fetched, and for which blinded message, so that a lost reply can be given again. The
    signer learns nothing else of the token, so neither does this row.
    """

    key = models.ForeignKey(SigningKey, on_delete=models.CASCADE, related_name="codes")
    hash = models.BinaryField(max_length=32, help_text="SHA-256 of the code")
    batch = models.ForeignKey(FetchBatch, null=True, on_delete=models.CASCADE, related_name="codes")
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.CASCADE,
        related_name="+",
        help_text="who signed in for it",
    )
    blinded = models.BinaryField(null=True, max_length=32, help_text="SHA-256 of what was signed; empty: nothing yet")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["key", "hash"], name="fetch_code_once"),
            models.UniqueConstraint(
                fields=["key", "account"], condition=Q(account__isnull=False), name="fetch_once_by_account"
            ),
            models.CheckConstraint(
                condition=Q(batch=None, account__isnull=False) | Q(batch__isnull=False, account=None),
                name="fetch_code_of_one_kind",
            ),
            models.CheckConstraint(condition=Exact(Length("hash"), 32), name="fetch_code_hash_of_32_bytes"),
        ]

    def __str__(self) -> str:
        return f"one-time code for the {self.key}"
