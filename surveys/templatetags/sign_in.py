"""The ways to sign in that this installation offers."""

from django import template
from django.conf import settings

register = template.Library()


@register.simple_tag
def sign_in_ways() -> dict[str, object]:
    """`institution`: its name, empty where there is none; `local`: whether passwords are taken."""
    return {"institution": settings.CANDOR_OIDC_NAME, "local": settings.CANDOR_LOCAL_SIGN_IN}
