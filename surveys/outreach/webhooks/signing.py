"""The secret of a webhook, and the header that it signs.

The secret follows from the installation's SECRET_KEY and a random salt of the webhook, so the database alone, or a copy
of it, does not hold it.
"""

import hashlib
import hmac

from django.utils.crypto import salted_hmac

from surveys.models import Webhook

HEADER = "Candor-Signature"


def secret_of(webhook: Webhook) -> str:
    """What the receiver was shown once; another after the salt was changed."""
    return "candor_" + salted_hmac("surveys.webhooks", webhook.salt, algorithm="sha256").hexdigest()


def signature(secret: str, body: bytes, at: int) -> str:
    """The header's value: the time of sending in seconds, and HMAC-SHA256 over it, a dot and the body."""
    signed = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={signed}"
