"""The secret of a webhook, and the headers that sign a message, as specified by Standard Webhooks.

The secret follows from the installation's SECRET_KEY and a random salt of the webhook, so the database alone, or a copy
of it, does not hold it.
"""

import base64
import hmac

from django.utils.crypto import salted_hmac

from surveys.models import Webhook


def secret_of(webhook: Webhook) -> str:
    """The secret that was shown once; a new one after the salt has changed."""
    return f"whsec_{base64.b64encode(_key(webhook)).decode()}"


def headers(webhook: Webhook, message: str, body: bytes, at: int) -> dict[str, str]:
    """The signature headers of a message, with the time of sending in seconds.

    `Candor-Signature` is for receivers of before, to whom the key was shown in hexadecimal; the next release omits it.
    """
    key = _key(webhook)
    signed = hmac.digest(key, f"{message}.{at}.".encode() + body, "sha256")
    before = hmac.digest(f"candor_{key.hex()}".encode(), f"{at}.".encode() + body, "sha256")
    return {
        "webhook-id": message,
        "webhook-timestamp": str(at),
        "webhook-signature": f"v1,{base64.b64encode(signed).decode()}",
        "Candor-Signature": f"t={at},v1={before.hex()}",
    }


def _key(webhook: Webhook) -> bytes:
    return salted_hmac("surveys.webhooks", webhook.salt, algorithm="sha256").digest()
