"""Formats of variables. Each is strict: no sign, space or underscore that a number's parser would overlook."""

import re
from decimal import Decimal
from email.utils import parseaddr
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from urllib.parse import urlsplit

from config.variables.variable import Format

Networks = tuple[IPv4Network | IPv6Network, ...]


def matching(pattern: str, allowed: str) -> Format[str]:
    """Text that matches the whole regular expression."""
    compiled = re.compile(pattern)

    def parse(text: str) -> str:
        if not compiled.fullmatch(text):
            raise ValueError(text)
        return text

    return Format(allowed, parse)


def whole(least: int, most: int) -> Format[int]:
    """A whole number within both bounds."""

    def parse(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,18}", text) or not least <= int(text) <= most:
            raise ValueError(text)
        return int(text)

    return Format(f"a whole number from {least} to {most}", parse)


def decimal(most: int) -> Format[str]:
    """A decimal number above 0 and at most `most`, as it is written: exact."""

    def parse(text: str) -> str:
        if not re.fullmatch(r"(0|[1-9][0-9]{0,2})(\.[0-9]{1,6})?", text) or not 0 < Decimal(text) <= most:
            raise ValueError(text)
        return text

    return Format(f"a decimal number above 0 and at most {most}, like 3 or 2.5", parse)


def one_of(*values: str) -> Format[str]:
    """One of these words."""
    *others, last = values

    def parse(text: str) -> str:
        if text not in values:
            raise ValueError(text)
        return text

    return Format(f"{', '.join(others)} or {last}" if others else last, parse)


def text(least: int = 1) -> Format[str]:
    """Text of so many characters at least, without line breaks and other control characters."""
    allowed = "a text without control characters" if least == 1 else f"a text of at least {least} characters"
    return matching(rf"[^\x00-\x1f\x7f]{{{least},}}", allowed)


def _site(given: str) -> str:
    found = urlsplit(given)
    host = found.hostname or ""
    named = re.fullmatch(r"[a-z0-9.-]+|[0-9a-f:.]+", host) is not None
    origin = f"{found.scheme}://{found.netloc}"
    if found.scheme not in ("http", "https") or not named or "@" in found.netloc or given != origin or found.port == 0:
        raise ValueError(given)
    return given


def _issuer(given: str) -> str:
    found = urlsplit(given)
    local = found.hostname in ("localhost", "127.0.0.1", "::1")
    secure = found.scheme == "https" or (found.scheme == "http" and local)
    if not secure or not found.hostname or "@" in found.netloc or not re.fullmatch(r"[!-~]+", given):
        raise ValueError(given)
    if found.query or found.fragment or given.endswith(("?", "#")):
        raise ValueError(given)
    return given


def _directory(given: str) -> str:
    found = urlsplit(given)
    if found.scheme not in ("ldap", "ldaps") or not re.fullmatch(r"ldaps?://[A-Za-z0-9.:\[\]-]+", given):
        raise ValueError(given)
    if not found.hostname or found.port == 0:
        raise ValueError(given)
    return given


def _names(given: str) -> tuple[str, ...]:
    found = tuple(one.strip() for one in given.split(",") if one.strip())
    if not found or re.search(r"[\x00-\x1f\x7f]", given):
        raise ValueError(given)
    return found


def _classes(given: str) -> tuple[str, ...]:
    found = _names(given)
    if not all(re.fullmatch(r"[!-~]{1,200}", one) for one in found):
        raise ValueError(given)
    return found


def _sender(given: str) -> str:
    address = parseaddr(given)[1]
    if not re.fullmatch(r"[^@\s]+@[^@\s]+", address) or re.search(r"[\x00-\x1f\x7f]", given):
        raise ValueError(given)
    return given


def _networks(given: str) -> Networks:
    return tuple(ip_network(one.strip()) for one in given.split(",") if one.strip())


def _recipients(given: str) -> tuple[str, ...]:
    found = tuple(one for one in re.split(r"[,\s]+", given) if one)
    if not found or not all(re.fullmatch(r"age1[02-9ac-hj-np-z]{58}", one) for one in found):
        raise ValueError(given)
    return found


SITE = Format("http:// or https://, a host and, where needed, a port, like https://survey.example.org", _site)
ISSUER = Format(
    "https:// with a host and, where needed, a port and a path, like https://login.example.org/realms/staff; http:// "
    "only on this machine",
    _issuer,
)
DIRECTORY = Format("ldaps:// or ldap://, a host and, where needed, a port, like ldaps://ldap.example.org", _directory)
PERSON_FILTER = matching(
    r"\([^\x00-\x1f\x7f]*\{name\}[^\x00-\x1f\x7f]*\)", "an LDAP filter with {name}, like (uid={name})"
)
GROUP_FILTER = matching(
    r"\([^\x00-\x1f\x7f]*\{(dn|name)\}[^\x00-\x1f\x7f]*\)", "an LDAP filter with {dn} or {name}, like (member={dn})"
)
GROUPS = Format("names of groups with a comma between them, like researchers,survey-owners", _names)
CLASSES = Format("names without spaces and with a comma between them, like https://refeds.org/profile/mfa", _classes)
SCOPES = matching(r"openid( [!#-\[\]-~]+)*", "openid, and more scopes with a space before each")
SENDER = Format("a mail address, like study@example.org", _sender)
NETWORKS = Format("networks with a comma between them, like 10.1.2.0/24,127.0.0.0/8", _networks)
FOLDER = Format("the path of a folder", Path)
HOST = matching(r"[A-Za-z0-9.:-]{1,253}", "a host's name or address, like mail.example.org")
RECIPIENTS = Format("public keys of age, which begin with age1, with a comma between them", _recipients)
ENDPOINT = Format("http:// or https://, a host and, where needed, a port, like https://s3.example.org", _site)
PROCESS = Format("http:// or https://, a host and, where needed, a port, like http://panel:8000", _site)
STORE = matching(
    r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[A-Za-z0-9][A-Za-z0-9._-]*)*/?|/[^\x00-\x1f\x7f]*",
    "s3://bucket or s3://bucket/prefix, or the full path of a folder",
)
RATE = matching(
    r"off|[1-9][0-9]{0,11}/(second|minute|hour|day)",
    "a number from 1 by second, minute, hour or day, like 1200/hour, or off",
)
REDIS = matching(r"(rediss?|unix)://\S+", "like redis://host:6379/0, rediss:// or unix://")
POSTGRESQL = matching(r"postgres(ql)?://\S+", "like postgresql://user:password@host:5432/name")
