"""The app that shows the codes of a second factor."""

import re

from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django_otp.oath import TOTP
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice


def code_of(user: User, steps: int = 0) -> str:
    """The code that the app shows, or will show some steps of 30 seconds later."""
    device = TOTPDevice.objects.get(user=user)
    return f"{TOTP(device.bin_key, drift=steps).token():06d}"


def forget_attempts(user: User) -> None:
    """Some time has passed: no waiting after a wrong code, and the last code may have been any."""
    TOTPDevice.objects.filter(user=user).update(throttling_failure_count=0, last_t=-1)
    StaticDevice.objects.filter(user=user).update(throttling_failure_count=0)


def set_up(client: Client, user: User) -> list[str]:
    """Turn on two-factor authentication; the recovery codes."""
    client.get(reverse("panel:second-factor"))
    page = client.post(reverse("panel:second-factor"), {"code": code_of(user)}).content.decode()
    forget_attempts(user)
    return re.findall(r"<li>([a-z2-7]{8})</li>", page)
