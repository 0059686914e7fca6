"""Accounts that own everything: for whoever runs the installation."""

from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core import exceptions
from django.db import transaction

from collector.errors import Conflict, ValidationError
from surveys.accounts.audit_log import record_event

NAMES = {"username": "name"}
"""Arguments by the model's fields, where they differ."""


@transaction.atomic
def create_owner(name: str, *, email: str = "", password: str | None = None) -> User:
    """Create a superuser's account; without a password it signs in by links alone until it sets one.

    Raises Conflict where the name is taken, ValidationError where name, address or password is not allowed.
    """
    if User.objects.filter(username=name).exists():
        raise Conflict(f"The account {name!r} already exists. To set a new password: manage.py changepassword {name}")
    user = User(username=name, email=email, is_staff=True, is_superuser=True)
    try:
        if password is not None:
            validate_password(password, user)
        user.set_password(password)
        user.full_clean()
    except exceptions.ValidationError as fault:
        field = next(iter(fault.message_dict)) if hasattr(fault, "error_dict") else "password"
        raise ValidationError((NAMES.get(field, field),), f": {' '.join(fault.messages)}") from None
    user.save()
    record_event(None, "created an account", detail=f"{name}, with access to all surveys")
    return user
