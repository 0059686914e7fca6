"""The check of the whole environment at start: no unknown name, no value out of bounds."""

import difflib
import os
from collections.abc import Mapping
from urllib.parse import urlsplit

from config.variables.registry import (
    INSTITUTION_ADMIT,
    INSTITUTION_OWNERS,
    LDAP_GROUPS,
    LDAP_PASSWORD,
    LDAP_PEOPLE,
    LDAP_URL,
    LDAP_USER,
    LOCAL_SIGN_IN,
    OIDC_CLIENT_ID,
    OIDC_ISSUER,
    PROCESSES,
    RESPONDENT_URL,
    URL,
    VARIABLES,
)

PREFIX = "CANDOR_"
TESTS = "CANDOR_TEST_"
"""Names of the tests and measurements, which no process of an installation reads."""


def check(environment: Mapping[str, str] = os.environ) -> None:
    """Raise ValueError for the first value that is not allowed, or the first CANDOR_... that nobody reads."""
    for name in environment:
        if name.startswith(PREFIX) and not name.startswith(TESTS) and name not in VARIABLES:
            near = difflib.get_close_matches(name, VARIABLES, n=1, cutoff=0.7)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise ValueError(
                f"{name} is not a variable of Candor.{hint} docs/reference/configuration.md lists them all."
            )
    for variable in VARIABLES.values():
        if set(variable.used_by) & set(PROCESSES):
            variable.read(environment)
    site, theirs = (urlsplit(variable.read(environment)) for variable in (URL, RESPONDENT_URL))
    if theirs.hostname and (theirs.hostname == site.hostname or theirs.scheme != site.scheme):
        raise ValueError(
            "CANDOR_RESPONDENT_URL must begin like CANDOR_URL, with http or https, and have another host; got "
            f"{theirs.geturl()} beside {site.geturl()}."
        )
    _check_institution(environment)


def _check_institution(environment: Mapping[str, str]) -> None:
    """Raise ValueError where it is not clear who is asked about people, or nobody could sign in."""
    issuer, directory = OIDC_ISSUER.read(environment), LDAP_URL.read(environment)
    if bool(issuer) != bool(OIDC_CLIENT_ID.read(environment)):
        raise ValueError("CANDOR_OIDC_ISSUER and CANDOR_OIDC_CLIENT_ID must both be set, or neither.")
    if issuer and directory:
        raise ValueError("CANDOR_OIDC_ISSUER and CANDOR_LDAP_URL cannot both be set: one of them says who people are.")
    for variable in (LDAP_USER, LDAP_PASSWORD, LDAP_PEOPLE):
        if bool(directory) != bool(variable.read(environment)):
            raise ValueError(f"CANDOR_LDAP_URL and {variable.name} must both be set, or neither.")
    by_group = INSTITUTION_ADMIT.read(environment) or INSTITUTION_OWNERS.read(environment)
    if directory and by_group and not LDAP_GROUPS.read(environment):
        raise ValueError("CANDOR_INSTITUTION_ADMIT and CANDOR_INSTITUTION_OWNERS need CANDOR_LDAP_GROUPS beside LDAP.")
    if LOCAL_SIGN_IN.read(environment) == "off" and not (issuer or directory):
        raise ValueError(
            "CANDOR_LOCAL_SIGN_IN can be off only where CANDOR_OIDC_ISSUER or CANDOR_LDAP_URL is set: nobody could "
            "sign in."
        )
