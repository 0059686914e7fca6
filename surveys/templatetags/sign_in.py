"""The ways to sign in that this installation offers."""

from importlib.util import find_spec
from ipaddress import ip_address
from urllib.parse import urlsplit

from django import template
from django.conf import settings

register = template.Library()


@register.simple_tag
def sign_in_ways() -> dict[str, object]:
    """`institution`: its name, empty where there is none; `local`, `passkeys`: whether these are taken."""
    return {
        "institution": settings.CANDOR_INSTITUTION_NAME,
        "local": settings.CANDOR_LOCAL_SIGN_IN,
        "passkeys": offers_passkeys(),
    }


def offers_passkeys() -> bool:
    """Whether browsers allow passkeys here: at a host with a name, and https but for this machine."""
    site = urlsplit(settings.CANDOR_URL)
    host = site.hostname or ""
    return (site.scheme == "https" or host == "localhost") and not _is_address(host) and bool(find_spec("fido2"))


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
