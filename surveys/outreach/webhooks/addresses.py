"""Allowed targets of webhooks: public hosts, and nothing that only this machine can reach.

A name is resolved once, every address that it has is looked at, and the connection is made to one of those very
addresses: a resolver that says something else a moment later changes nothing.
"""

import ipaddress
import re
import socket
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.utils.translation import gettext

from surveys.errors import DeliveryError
from surveys.outreach.webhooks.registries import IPAddress, is_public, real_address

LONGEST = 500
LAST_LABEL_OF_NUMBER = re.compile(r"(?:[0-9]+|0x[0-9a-f]*)")
"""Resolvers read 2130706433, 0x7f.1 and 0177.0.0.1 as addresses; no name ends in such a label."""


@dataclass(frozen=True)
class WebhookTarget:
    """Where to connect, and what to ask there for."""

    secure: bool
    host: str
    port: int
    path: str
    address: str


def check(url: str) -> SplitResult:
    """The parts of an address that a webhook may have. Raises DeliveryError; no name is resolved."""
    try:
        parts, host = urlsplit(url), urlsplit(url).hostname or ""
        port = parts.port
    except ValueError:
        raise DeliveryError(
            gettext("The address cannot be read; it must be like https://example.org/candor.")
        ) from None
    if len(url) > LONGEST or not url.isascii() or any(not "!" <= character <= "~" for character in url):
        raise DeliveryError(
            gettext("The address must have at most {longest} ASCII characters and no spaces.").format(longest=LONGEST)
        )
    # With a zone ("%") an address would lead out by a network of the sender's choice.
    if (
        not host
        or "%" in host
        or parts.username is not None
        or parts.password is not None
        or parts.fragment
        or port == 0
    ):
        raise DeliveryError(gettext("The address must have a host without %, and no user name, password or # part."))
    literal = _literal(host.rstrip("."))
    if literal is None and LAST_LABEL_OF_NUMBER.fullmatch(host.rstrip(".").rpartition(".")[2].lower()):
        raise DeliveryError(gettext("The host must be a name, or an address of four numbers from 0 to 255."))
    loopback = host == "localhost" or (literal is not None and literal.is_loopback)
    if parts.scheme != "https" and not (parts.scheme == "http" and loopback):
        raise DeliveryError(gettext("The address must begin with https://; http:// is only for this machine."))
    if literal is not None:
        _require_outside(literal)
    return parts


def resolve(url: str) -> WebhookTarget:
    """Where to connect for this address, now. Raises DeliveryError where it leads inside, or nowhere."""
    parts = check(url)
    host, secure = parts.hostname or "", parts.scheme == "https"
    port = parts.port or (443 if secure else 80)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise DeliveryError(gettext("The host name has no address.")) from None
    addresses = [str(entry[4][0]) for entry in found]
    for one in addresses:
        _require_outside(ipaddress.ip_address(one.partition("%")[0]))
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return WebhookTarget(secure, host, port, path, addresses[0])


def _literal(host: str) -> IPAddress | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _require_outside(address: IPAddress) -> None:
    real = real_address(address)
    if any(real.version == inside.version and real in inside for inside in settings.CANDOR_WEBHOOKS_INSIDE):
        return
    if not is_public(real):
        raise DeliveryError(
            gettext("The host is inside a private network; the operator can allow it with CANDOR_WEBHOOKS_INSIDE.")
        )
