"""Sign-in by name and password of the institution's directory: LDAP 3 (RFC 4511), always under TLS.

A search as the installation's own user finds the one entry of a name; binding as that entry proves the password. To ask
again it takes the search alone, so that no password is kept. Referrals are not followed: they would take passwords to
servers that nobody named.
"""

import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import ldap
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.utils.translation import gettext
from ldap.dn import str2dn
from ldap.filter import escape_filter_chars
from ldap.ldapobject import LDAPObject

from surveys.accounts.institution import Confirmed, Directory, away, require_reachable, unproven, unreachable

TIMEOUT = 5
"""Seconds for each answer of the directory."""

LONGEST_NAME, LONGEST_PASSWORD = 255, 1000

PASSWORD_TIMES = ("pwdChangedTime", "pwdLastSet", "krbLastPwdChange")
"""When a password was changed, as OpenLDAP, Active Directory and FreeIPA tell it."""

CLAIMS = {"mail": "email", "givenName": "given_name", "sn": "family_name", "displayName": "name"}
"""Attributes of a person, and the claims that they are."""

NO_TRY = (
    ldap.INVALID_CREDENTIALS,
    ldap.INAPPROPRIATE_AUTH,
    ldap.CONSTRAINT_VIOLATION,
    ldap.INSUFFICIENT_ACCESS,
    ldap.UNWILLING_TO_PERFORM,
)
"""How a directory refuses a password: a wrong one, an account without any, locked, or switched off."""

Entry = tuple[str, Mapping[str, list[bytes]]]
"""A distinguished name, and the values of each attribute."""


def confirm(name: str, password: str) -> Confirmed:
    """The person of a name and a password.

    Raises
    ------
    PermissionDenied
        Where the directory has not exactly one entry of this name, or refuses the password.
    RequestRefused
        Where it cannot be reached, or refuses this installation.
    """
    refusal = PermissionDenied(gettext("The user name or the password is wrong, or the account is switched off there."))
    # A bind without a password succeeds at many servers, as nobody (RFC 4513, section 5.1.2).
    if not 0 < len(name.strip()) <= LONGEST_NAME or not 0 < len(password) <= LONGEST_PASSWORD or "\0" in password:
        raise refusal
    with _own_connection() as connection:
        person = _person(connection, name.strip())
        # An unknown name takes a bind as well, so that time does not tell who has an account.
        known = _accepts(person[0] if person else _directory().people, password)
        if person is None or not known:
            raise refusal
        return _confirmed(connection, person, name.strip())


def confirm_again(subject: str, credentials: Mapping[str, str]) -> Confirmed:
    """Whether the directory still has a person, with the groups of now; raises as `confirm` does.

    Somebody whose password was changed since has to sign in with the new one.
    """
    with _own_connection() as connection:
        person = _person(connection, credentials["name"])
        if person is None:
            raise unproven("name")
        confirmed = _confirmed(connection, person, credentials["name"])
    if confirmed.subject != subject:
        raise unproven("identifier")
    if confirmed.credentials["changed"] != credentials["changed"]:
        raise unproven("password")
    return confirmed


def _confirmed(connection: LDAPObject, person: Entry, name: str) -> Confirmed:
    place, told = person
    claims = {claim: _text(told[attribute][0]) for attribute, claim in CLAIMS.items() if told.get(attribute)}
    changed = " ".join(_text(value) for time in PASSWORD_TIMES for value in told.get(time, ()))
    return Confirmed(
        _identifier(told),
        {**claims, "preferred_username": name},
        frozenset(_groups(connection, place, name)),
        {"name": name, "changed": changed},
    )


def _person(connection: LDAPObject, name: str) -> Entry | None:
    """The entry of a name; None where there is none, or more than one."""
    directory = _directory()
    wanted = directory.person_filter.replace("{name}", escape_filter_chars(name))
    attributes = [directory.identifier, *CLAIMS, *PASSWORD_TIMES]
    found = _searched(connection, directory.people, wanted, attributes)
    return found[0] if len(found) == 1 else None


def _groups(connection: LDAPObject, place: str, name: str) -> Iterator[str]:
    """The names of the groups of an entry, of those in the part of the directory that has groups."""
    directory = _directory()
    if not directory.groups:
        return
    wanted = directory.group_filter.replace("{dn}", escape_filter_chars(place))
    wanted = wanted.replace("{name}", escape_filter_chars(name))
    for group, _ in _searched(connection, directory.groups, wanted, ["1.1"]):
        yield str2dn(group)[0][0][1]


def _searched(connection: LDAPObject, base: str, wanted: str, attributes: list[str]) -> list[Entry]:
    """The entries below a base, without referrals to other servers."""
    try:
        found = connection.search_ext_s(base, ldap.SCOPE_SUBTREE, wanted, attributes, timeout=TIMEOUT)
    except ldap.LDAPError as fault:
        raise away(_words(fault)) from fault
    return [(place, told) for place, told in found if place]


def _identifier(told: Mapping[str, list[bytes]]) -> str:
    """The lasting name of a person. Active Directory's objectGUID has 16 bytes and no text."""
    identifier = _directory().identifier
    values = next((values for name, values in told.items() if name.casefold() == identifier.casefold()), [])
    if len(values) != 1 or not 0 < len(values[0]) <= 255:
        raise away(identifier)
    return str(uuid.UUID(bytes_le=values[0])) if identifier.casefold() == "objectguid" else _text(values[0])


@contextmanager
def _own_connection() -> Iterator[LDAPObject]:
    """A connection as the installation's own user, which may search."""
    require_reachable()
    directory = _directory()
    with _connected(directory) as connection:
        try:
            connection.simple_bind_s(directory.user, directory.password)
        except ldap.LDAPError as fault:
            raise unreachable(_words(fault)) from fault
        yield connection


def _accepts(place: str, password: str) -> bool:
    """Whether the password is that of the entry, tried on a connection of its own."""
    with _connected(_directory()) as connection:
        try:
            connection.simple_bind_s(place, password)
        except NO_TRY:
            return False
        except ldap.LDAPError as fault:
            raise away(_words(fault)) from fault
        return True


@contextmanager
def _connected(directory: Directory) -> Iterator[LDAPObject]:
    """A connection under TLS to a server whose certificate is checked, whatever the machine's own settings say."""
    connection = ldap.initialize(directory.url)
    for option, value in (
        (ldap.OPT_PROTOCOL_VERSION, ldap.VERSION3),
        (ldap.OPT_REFERRALS, 0),
        (ldap.OPT_NETWORK_TIMEOUT, TIMEOUT),
        (ldap.OPT_TIMEOUT, TIMEOUT),
        (ldap.OPT_X_TLS_REQUIRE_CERT, ldap.OPT_X_TLS_DEMAND),
        (ldap.OPT_X_TLS_PROTOCOL_MIN, ldap.OPT_X_TLS_PROTOCOL_TLS1_2),
        *([(ldap.OPT_X_TLS_CACERTFILE, directory.authorities)] if directory.authorities else []),
        (ldap.OPT_X_TLS_NEWCTX, 0),
    ):
        connection.set_option(option, value)
    try:
        if directory.url.startswith("ldap://"):
            try:
                connection.start_tls_s()
            except ldap.LDAPError as fault:
                raise unreachable(_words(fault)) from fault
        yield connection
    finally:
        connection.unbind_ext_s()


def _directory() -> Directory:
    found: Directory | None = settings.CANDOR_LDAP
    assert found is not None
    return found


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def _words(fault: ldap.LDAPError) -> str:
    """What a fault is called, without what the server adds: that may be of the person."""
    return type(fault).__name__
