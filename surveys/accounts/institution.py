"""The institution that accounts may belong to: what its provider or directory says of a person, and how it refuses."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.conf import settings
from django.core.cache import cache
from django.core.exceptions import PermissionDenied
from django.utils.translation import gettext

from collector.errors import RETRY, RequestRefused

_AWAY, _AWAY_FOR = "candor.institution.away", 3
"""Key of the cache that says so for so many seconds: nobody makes all threads wait for an institution that is away."""


@dataclass(frozen=True)
class Directory:
    """How to ask an LDAP directory; the variables CANDOR_LDAP_... in docs/reference/configuration.md say each."""

    url: str
    authorities: str
    user: str
    password: str
    people: str
    person_filter: str
    identifier: str
    groups: str
    group_filter: str


@dataclass(frozen=True)
class Confirmed:
    """Somebody whom the institution vouches for.

    - `subject`: its own lasting name for the person.
    - `claims`: what else it tells, by the names of OpenID Connect Core 1.0, section 5.1.
    - `groups`: the groups that she is in.
    - `credentials`: what to ask again with.
    """

    subject: str
    claims: Mapping[str, object]
    groups: frozenset[str]
    credentials: Mapping[str, str]


def issuer() -> str:
    """Who gives people their lasting names; empty where the installation has no institution.

    Of a directory the part that has the people: it stays when the server gets another address.
    """
    directory: Directory | None = settings.CANDOR_LDAP
    return settings.CANDOR_OIDC_ISSUER or (f"ldap:{directory.people.lower()}" if directory else "")


def name() -> str:
    """What pages call it; empty where there is none."""
    return str(settings.CANDOR_INSTITUTION_NAME)


def unproven(what: str) -> PermissionDenied:
    words = gettext("{name} did not confirm who you are ({what}). Please sign in again.")
    return PermissionDenied(words.format(name=name(), what=what[:80]))


def away(what: str) -> RequestRefused:
    words = gettext("The sign-in of {name} cannot be reached, or answers wrongly ({what}). Please try again.")
    return RequestRefused(503, "", words.format(name=name(), what=what[:120]), retry=RETRY)


def unreachable(what: str) -> RequestRefused:
    """The same, where it gave no answer; for some seconds it is not asked again."""
    cache.set(_AWAY, what, _AWAY_FOR)
    return away(what)


def require_reachable() -> None:
    """Raise RequestRefused while it has just given no answer."""
    if what := cache.get(_AWAY):
        raise away(what)
