"""Second factor: TOTP codes (RFC 6238) from an app with a shared secret, passkeys, and single-use recovery codes.

The parts are django-otp's. It slows guessing down by itself: after each wrong code a device waits twice as long.
"""

import segno
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, gettext_lazy
from django_otp import login, match_token
from django_otp.models import Device
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from collector.errors import Conflict
from surveys.accounts import tokens
from surveys.accounts.audit_log import record_event
from surveys.models import Passkey

CODES = 10
WRONG = gettext_lazy("This code is wrong, or it came too soon after a wrong one. Wait a moment and try the next code.")


def required() -> bool:
    """True if this installation requires a second factor of every user."""
    return bool(settings.CANDOR_SECOND_FACTOR == "required")


def is_on(user: User) -> bool:
    """Whether somebody is asked for more than a password."""
    return has_app(user) or Passkey.objects.filter(user=user).exists()


def has_app(user: User) -> bool:
    return bool(TOTPDevice.objects.filter(user=user, confirmed=True).exists())


def offered(user: User) -> TOTPDevice:
    """The unconfirmed secret of this user; the same one until it is confirmed."""
    return TOTPDevice.objects.get_or_create(user=user, confirmed=False, defaults={"name": "app"})[0]


def picture(device: TOTPDevice) -> SafeString:
    """The secret as a QR code, in SVG without inline style or script."""
    code = segno.make(device.config_url, error="m").svg_inline(
        scale=4, border=4, title=gettext("The secret as a QR code"), omitsize=True
    )
    return mark_safe(code)  # noqa: S308 - segno's own markup, whose title is ours


def confirm(request: HttpRequest, user: User, code: str) -> list[str]:
    """Enable the offered secret with one of its codes; returns the recovery codes, shown only once.

    Raises Conflict where the code is not that of the secret, or a second factor is on already.
    """
    with transaction.atomic():
        device = TOTPDevice.objects.select_for_update().filter(user=user, confirmed=False).first()
        if device is None or has_app(user):
            raise Conflict(gettext("Your second factor is already on."))
        # A wrong code is counted, so nothing is raised before that is committed.
        device.confirmed = device.verify_token(code.replace(" ", ""))
        device.save(update_fields=["confirmed"])
    if not device.confirmed:
        raise Conflict(WRONG)
    record_event(user, "enabled the second factor")
    return enable(request, user, device)


def enable(request: HttpRequest, user: User, device: Device) -> list[str]:
    """Let a session go on with a factor that was just added; returns recovery codes, if there were none."""
    pass_gate(request, device)
    if codes_left(user):
        return []
    tokens.end_all(user, "the second factor: those before it were made without")
    return _new_codes(user)


def check(request: HttpRequest, user: User, code: str) -> bool:
    """Return True if the code is one of the user's, and mark the session as verified."""
    device = match_token(user, code.replace(" ", "").lower())
    if device is None:
        return False
    pass_gate(request, device)
    record_event(user, "used a recovery code" if isinstance(device, StaticDevice) else "used the second factor")
    return True


def pass_gate(request: HttpRequest, device: Device) -> None:
    """Mark the session as verified, under a new session key that nobody knew before."""
    request.session.cycle_key()
    login(request, device)


def renew_codes(user: User, code: str) -> list[str]:
    """Ten new recovery codes instead of the old ones. Raises Conflict where the code is wrong."""
    if match_token(user, code.replace(" ", "").lower()) is None:
        raise Conflict(WRONG)
    record_event(user, "created recovery codes")
    return _new_codes(user)


def switch_off(user: User, code: str) -> None:
    """No app any longer. Raises Conflict where the code is wrong or the installation requires a second factor."""
    others = Passkey.objects.filter(user=user).exists()
    if required() and not others:
        raise Conflict(gettext("This installation requires a second factor."))
    if match_token(user, code.replace(" ", "").lower()) is None:
        raise Conflict(WRONG)
    if others:
        TOTPDevice.objects.filter(user=user).delete()
        record_event(user, "disabled the second factor", detail="the app; passkeys stay")
    else:
        reset(user, by=user)


@transaction.atomic
def reset(user: User, *, by: User | None) -> None:
    """Remove every second factor of a user who has lost them: app, passkeys and recovery codes."""
    TOTPDevice.objects.filter(user=user).delete()
    Passkey.objects.filter(user=user).delete()
    StaticDevice.objects.filter(user=user).delete()
    record_event(by, "disabled the second factor", detail=f"of {user.get_username()}")


def codes_left(user: User) -> int:
    return int(StaticToken.objects.filter(device__user=user).count())


def _new_codes(user: User) -> list[str]:
    device, _made = StaticDevice.objects.get_or_create(user=user, name="recovery")
    device.token_set.all().delete()
    codes = [StaticToken.random_token() for _ in range(CODES)]
    device.token_set.bulk_create(StaticToken(device=device, token=code) for code in codes)
    return codes
